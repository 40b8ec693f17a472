package syntax

import "strings"

// TemplateTag is a Django or Jinja {% tag %}, {{ output }} or {# comment #} of
// a text; a {% comment %} block is one comment, and what stands in a verbatim
// or raw block is none.
type TemplateTag struct {
	Start, End int    // offsets into the text
	Kind       byte   // '%', '{' or '#', the byte after the brace
	Name, Args string // of a '%'
	Partner    int    // of a '%' that opens or closes a block: index of its other end; -1 if there is none
	Middle     bool   // divides a block into branches, as else does
}

// TemplateTags returns the template tags of an HTML text, in order.
func (t *Tree) TemplateTags() []TemplateTag {
	shift := len(t.text) - len(t.body())
	tags := make([]TemplateTag, len(t.tags().tags))
	for i, x := range t.tags().tags {
		tags[i] = TemplateTag{x.start + shift, x.end + shift, x.kind, x.name, x.args, x.partner, x.kind == '%' && middleTags[x.name]}
	}
	return tags
}

// Masked returns an HTML text with its template tags overwritten, byte for
// byte: tags and comments by blanks, outputs by the letter x, for they stand for
// text. It has the offsets of the text.
func (t *Tree) Masked() string {
	return strings.Repeat(" ", len(t.text)-len(t.body())) + t.tags().masked
}
