// Package content is the text of a file as lines, for what changes some of them: what an
// edit does not name keeps every byte, and new lines end as their neighbours do.
//
// It hides line endings (also mixed ones), the byte-order mark and the newline at the end
// of a file. A file that a model writes whole is fitted to the one that is there, and a
// line in it that only stands for text that was left out is found. What an edit means,
// and where it belongs, is the business of agent/patch. There is no I/O.
package content

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"caselsp/agent/count"
	"caselsp/agent/near"
)

// Document is a file's text as lines. Lines[i] has its ending, Bare[i] has not;
// a carriage return that is not part of an ending is content.
type Document struct {
	Mark        string // the byte-order mark before the first line, or ""
	Lines, Bare []string
}

// ByteOrderMark is what some editors of Windows begin a text in UTF-8 with. It is
// no part of the first line.
const ByteOrderMark = "\ufeff"

// Split cuts a text at its line feeds.
func Split(text string) *Document {
	n := strings.Count(text, "\n") + 1
	d := &Document{Lines: make([]string, 0, n), Bare: make([]string, 0, n)}
	if rest, ok := strings.CutPrefix(text, ByteOrderMark); ok {
		d.Mark, text = ByteOrderMark, rest
	}
	for text != "" {
		line := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			line = text[:i+1]
		}
		d.Lines = append(d.Lines, line)
		d.Bare = append(d.Bare, strings.TrimSuffix(line, Ending(line)))
		text = text[len(line):]
	}
	return d
}

// Ending returns the line ending of a line: "\n", "\r\n" or "".
func Ending(line string) string {
	switch {
	case strings.HasSuffix(line, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(line, "\n"):
		return "\n"
	}
	return ""
}

// Closed reports whether the text ends with a newline; an empty one counts as
// closed, so that what is written into it will be.
func (d *Document) Closed() bool {
	return len(d.Lines) == 0 || Ending(d.Lines[len(d.Lines)-1]) != ""
}

// endingNear returns the line ending that is usual at line i: its own, or that
// of the nearest line that has one, those before it first.
func (d *Document) endingNear(i int) string {
	last := len(d.Lines) - 1
	for _, k := range []int{min(i, last), min(i, last) - 1, 0} { // only the last line can have none
		if k >= 0 && k <= last && Ending(d.Lines[k]) != "" {
			return Ending(d.Lines[k])
		}
	}
	return "\n"
}

// Edit replaces the lines [From, To) of a document.
type Edit struct {
	From, To int
	With     []string // without endings
	By       int      // whose edit it is, for the caller
}

// Changes returns the edits that make other lines of the lines [from, to). Lines that both
// have in common are not written.
func (d *Document) Changes(from, to int, with []string, by int) (edits []Edit) {
	for _, x := range lcs.DiffLines(d.Bare[from:to], with) {
		edits = append(edits, Edit{From: from + x.Start, To: from + x.End, With: with[x.ReplStart:x.ReplEnd], By: by})
	}
	return edits
}

// End says what becomes of the newline at the end of the file.
type End int

// The ends of a text.
const (
	AsBefore End = iota // the last line has one if it had one before
	Close               // it has one
	Open                // it has none
)

// Splice returns the text with the edits made. They are in order and do not
// overlap. The lines that no edit names keep every byte, except for a last line
// without a newline that gets one because it is no longer the last.
//
// The k-th new line takes the ending of the k-th line that it replaces, further
// ones that of the line before: in a file of mixed endings this follows the
// neighbours.
func (d *Document) Splice(edits []Edit, end End) string {
	out := make([]string, 0, len(d.Lines)+len(edits))
	done := 0
	for _, e := range edits {
		out = append(out, d.Lines[done:e.From]...)
		for k, text := range e.With {
			out = append(out, text+d.endingNear(max(0, min(e.From+k, e.To-1))))
		}
		done = e.To
	}
	out = append(out, d.Lines[done:]...)
	return d.finish(out, end)
}

// finish puts the newlines right at the former and at the new end of the text.
func (d *Document) finish(out []string, end End) string {
	usual := d.endingNear(len(d.Lines) - 1)
	n := len(out) - 1
	if end == AsBefore && !d.Closed() {
		end = Open
	}
	for i, l := range out {
		switch {
		case i < n || end == Close:
			if Ending(l) == "" {
				out[i] = l + usual
			}
		case end == Open:
			out[i] = strings.TrimSuffix(l, Ending(l))
		}
	}
	return d.Mark + strings.Join(out, "")
}

var loneReturns = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Rewrite fits content, a whole file as a model writes it, to the file's text
// before. Lines that are unchanged keep their bytes; new lines take the ending
// of their neighbours. A new or empty file is what content says.
//
// Models drop and add the newline at the end of a file without meaning it. So a
// file that ends with one keeps it, and one that does not gets one only if
// content has another last line and a newline after it.
//
// A file whose lines all end in a lone carriage return keeps these endings. Only here: line numbers and
// diffs do not know them, so that to them the file is one line.
func Rewrite(before, content string) string {
	if strings.Contains(before, "\r") && !strings.Contains(before, "\n") {
		content = Rewrite(loneReturns.Replace(before), loneReturns.Replace(content))
		return strings.ReplaceAll(content, "\n", "\r")
	}
	old, text := Split(before), Split(content)
	if len(old.Lines) == 0 || len(text.Lines) == 0 {
		return content
	}
	from, same := near.Common(old.Bare, text.Bare) // of equal lines beside a new one, each keeps its own ending
	edits := old.Changes(from, len(old.Bare)-same, text.Bare[from:len(text.Bare)-same], 0)
	end := Close
	sameLast := old.Bare[len(old.Bare)-1] == text.Bare[len(text.Bare)-1]
	if !old.Closed() && (sameLast || !text.Closed()) {
		end = Open
	}
	return old.Splice(edits, end)
}

// ReplaceLines puts content in place of the lines from to to of before, counted
// from 1, both included. With to = from-1 it is inserted before the line from;
// from may be one after the last line. Content without lines deletes. Lines that
// are the same keep their bytes, new ones take the ending of their neighbours,
// and the end of the file keeps or lacks its newline as before.
func ReplaceLines(before string, from, to int, content string) (string, error) {
	d := Split(before)
	n := len(d.Lines)
	if from < 1 || to < from-1 || to > n || from > n+1 {
		return before, fmt.Errorf("lines %d to %d cannot be replaced: the file has %s; from must be 1 or more and to from %d to %d",
			from, to, count.Of(n, "line"), max(from-1, 0), n)
	}
	return d.Splice(d.Changes(from-1, to, Split(content).Bare, 0), AsBefore), nil
}
