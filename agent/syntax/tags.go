package syntax

import (
	"strings"

	"caselsp/store/lazyregexp"
)

// TemplateTag is a Django or Jinja {% tag %}, {{ output }} or {# comment #} of
// a text; a {% comment %} block is one comment, and what stands in a verbatim
// or raw block is none.
type TemplateTag struct {
	Start, End int    // offsets into the text
	Kind       byte   // '%', '{' or '#', the byte after the brace
	Name, Args string // of a '%', and of a '{' that opens, divides or closes a block
	Partner    int    // of a tag that opens or closes a block: index of its other end; -1 if there is none
	Middle     bool   // divides a block into branches, as else does
}

// Controls reports whether the tag decides what is shown and shows nothing itself:
// a {% tag %}, or a {{if}} of Go's templates or {{#if}} of Handlebars.
func (t TemplateTag) Controls() bool {
	return t.Kind == '%' || t.Kind == '{' && (t.Partner >= 0 || t.Middle)
}

// TemplateTags returns the template tags of an HTML text, in order.
func (t *Tree) TemplateTags() []TemplateTag {
	shift := len(t.text) - len(t.body())
	tags := make([]TemplateTag, len(t.tags().tags))
	for i, x := range t.tags().tags {
		tags[i] = TemplateTag{x.start + shift, x.end + shift, x.kind, x.name, x.args, x.partner, x.kind == '%' && middleTags[x.name]}
	}
	pairOutputs(t.text, tags)
	return tags
}

// outputBlock is the head of a {{tag}} that begins, divides or ends a block: of Go's
// text/template ({{if}}, {{else if}}, {{end}}) or of Handlebars ({{#if}}, {{/if}}).
var outputBlock = lazyregexp.New(`^\{\{[-~]?\s*(?:(if|range|with|block|define|else|end)\b|([#/^])\s*(\w+)|(\^))`)

// pairOutputs finds the blocks that are written in double braces. Where they do
// not fit together, the text is of another language, and nothing is paired.
func pairOutputs(text string, tags []TemplateTag) {
	type mark struct {
		partner int
		middle  bool
		name    string
	}
	marks := map[int]mark{}
	var open []int
	var names []string
	for i, t := range tags {
		if t.Kind != '{' {
			continue
		}
		m := outputBlock.FindStringSubmatch(text[t.Start:t.End])
		switch {
		case m == nil:
		case m[4] == "^" || m[1] == "else":
			if len(open) == 0 {
				return
			}
			marks[i] = mark{-1, true, "else"}
		case m[1] == "end" || m[2] == "/":
			if len(open) == 0 || m[2] == "/" && names[len(names)-1] != m[3] || m[1] == "end" && names[len(names)-1] != "" {
				return
			}
			at := open[len(open)-1]
			open, names = open[:len(open)-1], names[:len(names)-1]
			marks[at] = mark{i, false, marks[at].name}
			marks[i] = mark{at, false, "end"}
		case m[1] != "":
			marks[i] = mark{-1, false, m[1]}
			open, names = append(open, i), append(names, "")
		default: // {{#if}}, {{^if}}
			marks[i] = mark{-1, false, m[3]}
			open, names = append(open, i), append(names, m[3])
		}
	}
	if len(open) > 0 {
		return
	}
	for i, m := range marks {
		tags[i].Partner, tags[i].Middle, tags[i].Name = m.partner, m.middle, m.name
	}
}

// Masked returns an HTML text with its template tags overwritten, byte for
// byte: tags and comments by blanks, outputs by the letter x, for they stand for
// text. It has the offsets of the text.
func (t *Tree) Masked() string {
	return strings.Repeat(" ", len(t.text)-len(t.body())) + t.tags().masked
}
