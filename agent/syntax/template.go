package syntax

import (
	"fmt"
	"strings"

	"caselsp/store/lazyregexp"
)

// templateTag is a template's {% tag %}, {{ output }} or {# comment #}.
type templateTag struct {
	start, end int
	kind       byte   // '%', '{' or '#', after the brace
	name, args string // of a '%'
	partner    int    // of a '%' that opens or closes a block: index of the other end; -1 if there is none
}

// strictBlocks are tags of Django and Jinja that always have an end tag. Tags
// of other names are blocks where an end tag of theirs follows.
var strictBlocks = nameSet(`autoescape block blocktrans blocktranslate cache call comment filter for if ifchanged
	ifequal ifnotequal language localize localtime macro partialdef raw spaceless timezone verbatim with`)

// middleTags divide a block into branches.
var middleTags = nameSet("else elif elseif elsif empty plural pluralize when")

func nameSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

var (
	tagHead     = lazyregexp.New(`^\{%[-+~]?\s*([A-Za-z_]\w*)`)
	endComment  = lazyregexp.New(`\{%[-+~]?\s*endcomment\b[^%]*%\}`)
	endVerbatim = lazyregexp.New(`\{%[-+~]?\s*end(?:verbatim|raw)\b`)
	// openOutput is an output that ends with its line or at a tag, with one brace or none.
	openOutput = lazyregexp.New(`^\{\{[-~]?[ \t]*[A-Za-z_][\w.]*(?:\|[^<>{}\n]*)?[ \t]*\}?(?:[<"\n\r]|$)`)
)

// maxTag is the size of the longest tag: people's are below 500 bytes, and
// without a limit a text of nothing but {% takes time by its length squared.
const maxTag = 4096

// templateReader finds the template tags of a text, and those that are begun
// and not ended. What was once searched for in vain is not searched for again.
type templateReader struct {
	text    string
	pos     int
	tags    []templateTag
	faults  []fault
	outputs []fault // {{ without }}: a mistake in a template only
	absent  map[string]bool
}

func readTemplate(text string) ([]templateTag, []fault) {
	r := &templateReader{text: text, absent: map[string]bool{}}
	for {
		i := strings.IndexByte(text[r.pos:], '{')
		if i < 0 || r.pos+i+1 >= len(text) {
			break
		}
		r.pos += i
		if !r.tag(text[r.pos+1]) {
			r.pos++
		}
	}
	if len(r.tags) > 0 {
		r.faults = append(r.faults, r.outputs...)
	}
	return r.tags, r.faults
}

// tag reads the tag at the reader's place and steps over it; false if there is none.
func (r *templateReader) tag(kind byte) bool {
	t := templateTag{start: r.pos, end: -1, kind: kind, partner: -1}
	switch kind {
	case '%':
		head := tagHead.FindStringSubmatch(r.text[r.pos:min(r.pos+maxTag, len(r.text))])
		if head == nil {
			return false
		}
		after := r.pos + len(head[0])
		t.end = tagEnd(r.text, r.pos+2)
		if t.end < 0 && !strings.ContainsAny(head[0][2:3], " \t\r\n-") && !strictBlocks[strings.TrimPrefix(head[1], "end")] {
			return false // "{%d" is nothing that people begin a tag with
		}
		if t.end < 0 {
			r.faults = append(r.faults, fault{head[0] + " is not closed: %} is missing", r.pos, after})
			return false
		}
		t.name = head[1]
		t.args = strings.TrimSpace(strings.TrimRight(r.text[after:max(t.end-2, after)], "-+~ \t"))
	case '{':
		if t.end = outputEnd(r.text, r.pos+2); t.end < 0 {
			if m := openOutput.FindString(r.text[r.pos:min(r.pos+maxTag, len(r.text))]); m != "" {
				r.outputs = append(r.outputs, fault{"{{ is not closed: }} is missing", r.pos, r.pos + len(strings.TrimRight(m, "<\"\r\n"))})
			}
			return false
		}
	case '#':
		t.end = r.noteEnd()
	}
	if t.end < 0 {
		return false
	}
	r.tags = append(r.tags, t)
	r.pos = t.end
	switch t.name {
	case "comment": // becomes one comment
		if end := r.find(endComment); end != nil {
			r.pos += end[1]
			r.tags[len(r.tags)-1] = templateTag{start: t.start, end: r.pos, kind: '#', partner: -1}
		}
	case "verbatim", "raw": // take their inside as it is
		if end := r.find(endVerbatim); end != nil {
			r.pos += end[0]
		}
	}
	return true
}

func (r *templateReader) find(form *lazyregexp.Regexp) []int {
	if r.absent[form.String()] {
		return nil
	}
	at := form.FindStringIndex(r.text[r.pos:])
	r.absent[form.String()] = at == nil
	return at
}

// noteEnd returns the end of the {# comment #} here. Only Jinja's may span
// lines, and "{#" begins much in style sheets, so that those need a blank.
func (r *templateReader) noteEnd() int {
	rest := r.text[r.pos+2:]
	line, _, more := strings.Cut(rest, "\n")
	if i := strings.Index(line, "#}"); i >= 0 {
		return r.pos + 2 + i + 2
	}
	if !more || r.absent["#}"] || !strings.ContainsAny(rest[:1], " \t\r\n-+#") {
		return -1
	}
	i := strings.Index(rest, "#}")
	if i < 0 {
		r.absent["#}"] = true
		return -1
	}
	return r.pos + 2 + i + 2
}

// tagEnd returns the end of the {% tag %} whose inside begins at from; -1 where
// another tag begins before it ends.
func tagEnd(text string, from int) int {
	i := strings.Index(text[from:min(from+maxTag, len(text))], "%}")
	if i < 0 {
		return -1
	}
	inside := text[from : from+i]
	if !quotesClosed(inside) {
		// Jinja lets a string hold a %}, Django does not: it is one where
		// the string ends on the same line, before another %}.
		line, _, _ := strings.Cut(text[from:min(from+maxTag, len(text))], "\n")
		if j := strings.Index(line[min(i+2, len(line)):], "%}"); j >= 0 {
			if longer := line[:i+2+j]; quotesClosed(longer) && !strings.Contains(longer, "{%") {
				return from + i + 2 + j + 2
			}
		}
	}
	if j := strings.Index(inside, "{%"); j >= 0 && quotesClosed(inside[:j]) {
		return -1
	}
	return from + i + 2
}

// outputEnd returns the end of the {{ output }} whose inside begins at from;
// -1 where it does not end, or ends too far away to be one: after another
// tag, or after markup.
func outputEnd(text string, from int) int {
	i := strings.Index(text[from:min(from+maxTag, len(text))], "}}")
	if i < 0 {
		return -1
	}
	inside := text[from : from+i]
	for _, stop := range []string{"{{", "{%", "</"} {
		if j := strings.Index(inside, stop); j >= 0 && quotesClosed(inside[:j]) {
			return -1
		}
	}
	return from + i + 2
}

// quotesClosed reports whether every quote in s is closed.
func quotesClosed(s string) bool {
	var open byte
	for i := range len(s) {
		switch c := s[i]; {
		case open == 0 && (c == '"' || c == '\''):
			open = c
		case c == open:
			open = 0
		}
	}
	return open == 0
}

// opensBlock reports whether a tag must have an end tag.
func (t *templateTag) opensBlock() bool {
	if t.kind != '%' || !strictBlocks[t.name] {
		return false
	}
	if t.name == "block" {
		// Twig's {% block title 'x' %} has its content in the tag.
		fields := strings.Fields(t.args)
		return len(fields) <= 1 || fields[1] == "scoped" || fields[1] == "required"
	}
	return true
}

// pairBlocks finds the end tag of each block and says which are missing. Where
// the tags are of a language that is not known (Tornado's {% end %}), it does
// not judge.
func pairBlocks(tags []templateTag) []fault {
	var faults []fault
	var open []int
	isOpen := map[string]int{}
	for i := range tags {
		t := &tags[i]
		name, closes := strings.CutPrefix(t.name, "end")
		switch {
		case t.name == "end":
			return nil
		case t.kind != '%' || t.name == "":
		case !closes:
			open = append(open, i)
			isOpen[t.name]++
		case isOpen[name] == 0:
			if strictBlocks[name] {
				faults = append(faults, fault{fmt.Sprintf("{%% end%s %%} without {%% %s %%}", name, name), t.start, t.end})
			}
		default:
			at := len(open) - 1
			for ; tags[open[at]].name != name; at-- {
				isOpen[tags[open[at]].name]--
			}
			isOpen[name]--
			faults = append(faults, unclosedBlocks(tags, open[at+1:])...)
			t.partner, tags[open[at]].partner = open[at], i
			open = open[:at]
		}
	}
	return append(faults, unclosedBlocks(tags, open)...)
}

func unclosedBlocks(tags []templateTag, open []int) []fault {
	var faults []fault
	for _, i := range open {
		if t := &tags[i]; t.opensBlock() {
			faults = append(faults, fault{fmt.Sprintf("{%% %s %%} is not closed: {%% end%s %%} is missing", t.name, t.name), t.start, t.end})
		}
	}
	return faults
}
