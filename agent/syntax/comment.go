package syntax

import (
	"go/scanner"
	"go/token"
	"strings"
)

// Comment is a comment of a text. Text is what it says: without the marks
// that begin and end it, and without the stars that begin the lines of a block.
type Comment struct {
	Text       string
	Start, End Position // with the marks
}

// Comments returns the comments of text, in order; of HTML also those of
// templates ({# #} and {% comment %}), scripts and styles. Nothing inside a
// string is a comment.
func Comments(lang Language, text string) []Comment { return Parse(lang, text).Comments() }

// Comments returns the comments of the text, see [Comments].
func (t *Tree) Comments() []Comment {
	var comments []Comment
	for _, s := range t.commentSpans() {
		comments = append(comments, Comment{commentText(t.body()[s.start:s.end]), t.at(s.start), t.at(s.end)})
	}
	return comments
}

// span is a piece of the body.
type span struct{ start, end int }

func (t *Tree) commentSpans() []span {
	switch t.lang {
	case Python:
		return pythonComments(t.body())
	case Go:
		return goComments(t.body())
	case CSS:
		return slashComments(t.body(), `"'`, false)
	case JSONC:
		return slashComments(t.body(), `"`, true)
	case HTML:
		return t.page().comments()
	case JavaScript, TypeScript, TSX:
		// Only a parser can tell a comment from a regular expression or from
		// the text between two JSX tags.
		var spans []span
		if root := t.Root(); !root.IsZero() {
			for n := range root.Walk() {
				if n.Kind() == "comment" || n.Kind() == "html_comment" {
					spans = append(spans, span{int(n.node().start), int(n.node().end)})
				}
			}
		}
		return spans
	}
	return nil
}

func goComments(text string) []span {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	var spans []span
	for {
		pos, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return spans
		case token.COMMENT:
			// The literal lacks carriage returns: the place of its end is searched.
			start := file.Offset(pos)
			spans = append(spans, span{start, slashEnd(text, start, strings.HasPrefix(literal, "//"))})
		}
	}
}

// slashComments finds /* */ and, where lines is set, // comments outside of
// strings in any of the quotes.
func slashComments(text, quotes string, lines bool) []span {
	var spans []span
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.IndexByte(quotes, c) >= 0:
			i = quotedEnd(text, i) - 1
		case c == '/' && strings.HasPrefix(text[i:], "/*"), lines && strings.HasPrefix(text[i:], "//"):
			end := slashEnd(text, i, text[i+1] == '/')
			spans = append(spans, span{i, end})
			i = end - 1
		}
	}
	return spans
}

// quotedEnd returns the end of the string that begins at start: after its
// quote, or where its line ends.
func quotedEnd(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[start]:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(text)
}

// slashEnd returns the end of the comment that begins at start.
func slashEnd(text string, start int, line bool) int {
	stop, after := "*/", 2
	if line {
		stop, after = "\n", 0
	}
	from := min(start+2, len(text))
	i := strings.Index(text[from:], stop)
	if i < 0 {
		return len(text)
	}
	end := from + i + after
	if line && strings.HasSuffix(text[:end], "\r") {
		end--
	}
	return end
}

// commentMarks are the pairs that comments begin and end with, longest first.
var commentMarks = [][2]string{{"<!--", "-->"}, {"/*", "*/"}, {"{#", "#}"}, {"//", ""}, {"#", ""}}

// commentText takes the marks off a comment.
func commentText(source string) string {
	text := source
	if strings.HasPrefix(source, "{%") {
		if begin, end := strings.Index(text, "%}"), strings.LastIndex(text, "{%"); begin >= 0 && begin+2 <= end {
			return strings.TrimSpace(text[begin+2 : end])
		}
	}
	for _, m := range commentMarks {
		if body, ok := strings.CutPrefix(text, m[0]); ok {
			text = strings.TrimSuffix(body, m[1])
			break
		}
	}
	if !strings.HasPrefix(source, "/*") {
		return strings.TrimSpace(text)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "*"))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
