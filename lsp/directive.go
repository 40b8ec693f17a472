package lsp

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"caselsp/agent/validate"

	"go.lsp.dev/protocol"
)

// directive is a comment, or a run of comment lines, that asks for work.
type directive struct {
	Todo       bool   // it says TODO, not case:
	Ask        bool   // it says case?, and is a question
	Text       string // what it asks for
	Start, End int    // byte offsets, with the comment's marks
}

// comment is a comment with its text, without its marks.
type comment struct {
	text       string
	start, end int
}

var (
	caseWords = regexp.MustCompile(`(?is)^case:\s*(\S.*)$`)
	askWords  = regexp.MustCompile(`(?is)^case\?\s*(\S.*)$`)
	todoWords = regexp.MustCompile(`(?s)^@?(?:TODO\b(?:\([^)]*\))?[\s:-]*|(?i:todo):\s*)(\S.*)$`)

	// mayDirect finds quickly that a text has no directive. It is asked at each
	// movement of the cursor.
	mayDirect = regexp.MustCompile(`(?i)case[:?]|todo`)
)

// directives returns the comments of a text that ask for work, in order. name is
// the document's (see [document.kind]).
func directives(name, text string) []directive {
	if !mayDirect.MatchString(text) {
		return nil
	}
	var list []directive
	all := comments(name, text)
	for i := 0; i < len(all); i++ {
		d, ok := asDirective(all[i])
		if !ok {
			continue
		}
		// Within a comment of the user's, such as a declaration's, the lines below it are theirs.
		within := i > 0 && adjoin(text, all[i-1], all[i]) && (len(list) == 0 || list[len(list)-1].End != all[i-1].end)
		for !within && i+1 < len(all) && continues(text, all[i], all[i+1]) {
			i++
			d.Text, d.End = d.Text+"\n"+all[i].text, all[i].end
		}
		list = append(list, d)
	}
	return list
}

// asDirective reads one comment.
func asDirective(c comment) (directive, bool) {
	d := directive{Start: c.start, End: c.end}
	words := caseWords.FindStringSubmatch(c.text)
	if words == nil {
		words = askWords.FindStringSubmatch(c.text)
		d.Ask = words != nil
	}
	if words == nil {
		words, d.Todo = todoWords.FindStringSubmatch(c.text), true
	}
	if words == nil {
		return d, false
	}
	d.Text = strings.TrimSpace(words[1])
	return d, true
}

// continues reports whether next goes on with what c says: it adjoins, and begins nothing of its own.
func continues(text string, c, next comment) bool {
	_, own := asDirective(next)
	return !own && next.text != "" && adjoin(text, c, next)
}

// adjoin reports whether two comments stand alone, in lines that follow each other and begin alike.
func adjoin(text string, c, next comment) bool {
	if next.start < c.end {
		return false
	}
	between, from := text[c.end:next.start], strings.LastIndexAny(text[:c.start], "\r\n")+1
	line := strings.TrimLeft(between, " \t")
	line = strings.TrimPrefix(strings.TrimPrefix(line, "\r"), "\n")
	return len(line) < len(between) && line == text[from:c.start] && strings.TrimLeft(line, " \t") == "" &&
		signs(text[c.start:c.end]) == signs(text[next.start:next.end]) && !strings.ContainsAny(text[c.start:c.end], "\r\n")
}

// signs returns the signs that a comment begins with.
func signs(source string) string {
	return source[:len(source)-len(strings.TrimLeft(source, "/#-;%<!*({"))]
}

// comments returns the comments of a text: as its language's lexer sees them,
// or, where the language is not known, what looks like comments in most
// languages. A string that is taken for one only offers an action too much.
func comments(name, text string) []comment {
	if !validate.Knows(name) {
		return looseComments(name, text)
	}
	var list []comment
	for _, c := range validate.Comments(name, text) {
		list = append(list, comment{c.Text, c.Start.Offset, c.End.Offset})
	}
	return list
}

var (
	looseMark = regexp.MustCompile(`(?m)(?:^|[ \t])(//+!?|#+|--+|;+|%+|/\*+|<!--|\(\*|\{-)`)
	// In prose the other signs are headings, rules and words.
	proseMark  = regexp.MustCompile(`<!--`)
	prose      = []string{".md", ".markdown", ".rst", ".txt", ".adoc"}
	blockEnds  = map[string]string{"/*": "*/", "<!--": "-->", "(*": "*)", "{-": "-}"}
	starredRow = regexp.MustCompile(`(?m)^[ \t]*\*+[ \t]?`)
)

// looseComments returns what looks like comments.
func looseComments(name, text string) []comment {
	marks := looseMark
	if slices.Contains(prose, strings.ToLower(path.Ext(name))) {
		marks = proseMark
	}
	var list []comment
	for at := 0; at < len(text); {
		m := marks.FindStringIndex(text[at:])
		if m == nil {
			break
		}
		end := at + m[1]
		start := at + m[0] + len(text[at+m[0]:end]) - len(strings.TrimLeft(text[at+m[0]:end], " \t"))
		c := looseComment(text, start, end)
		list = append(list, c)
		at = c.end
	}
	return list
}

// looseComment returns the comment that begins with the signs from start to body.
func looseComment(text string, start, body int) comment {
	for begin, end := range blockEnds {
		if !strings.HasPrefix(text[start:body], begin) {
			continue
		}
		inside, _, closed := strings.Cut(text[body:], end)
		stop := body + len(inside)
		if closed {
			stop += len(end)
		}
		return comment{strings.TrimSpace(starredRow.ReplaceAllString(inside, "")), start, stop}
	}
	stop := body + len(text[body:])
	if i := strings.IndexAny(text[body:], "\r\n"); i >= 0 {
		stop = body + i
	}
	return comment{strings.TrimSpace(text[body:stop]), start, stop}
}

// directiveMemory holds the directives of the document that was last asked for:
// editors ask again at each movement of the cursor.
type directiveMemory struct {
	mu   sync.Mutex
	doc  *document
	list []directive
}

// of returns the directives of a document.
func (m *directiveMemory) of(doc *document) []directive {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.doc != doc {
		m.doc, m.list = doc, directives(doc.kind(), doc.Text)
	}
	return m.list
}

// directivesIn returns the directives whose lines a range touches: the cursor
// may stand anywhere in them.
func directivesIn(list []directive, m mapper, r protocol.Range) []directive {
	var in []directive
	for _, d := range list {
		if m.Position(d.Start).Line <= r.End.Line && m.Position(d.End).Line >= r.Start.Line {
			in = append(in, d)
		}
	}
	return in
}
