package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// Edits returns the edits of all fixes of the findings, in order, and how many
// fixes that are. Of two fixes that touch, the first one counts: the second is
// found again in the new text if it still holds.
func Edits(found []Finding) ([]Edit, int) {
	var list []Edit
	n := 0
	for _, f := range found {
		if f.Fix == nil || slices.ContainsFunc(f.Fix.Edits, func(e Edit) bool { return slices.ContainsFunc(list, e.touches) }) {
			continue
		}
		list = append(list, f.Fix.Edits...)
		n++
	}
	slices.SortFunc(list, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
	return list, n
}

func (e Edit) touches(other Edit) bool { return e.Start <= other.End && other.Start <= e.End }

// applied returns the text after edits that are in order and do not touch.
func applied(text string, edits []Edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// Disable returns the fix that switches a finding's rule off on its line, by a
// comment above it; nil where no comment can stand there, as in the middle of a
// tag or of a string, and for what does not parse: nothing is gained by not
// hearing of that.
func Disable(path, text string, f Finding) *Fix {
	if f.Rule == syntaxRules[0].ID {
		return nil
	}
	line := f.Start.Offset - f.Start.Byte
	indent := text[line : line+len(text[line:])-len(strings.TrimLeft(text[line:], " \t"))]
	ending := "\n"
	if strings.Contains(text, "\r\n") {
		ending = "\r\n"
	}
	for _, form := range commentForms(path) {
		words := "caselsp-disable-next-line " + f.Rule
		edit := Edit{line, line, indent + fmt.Sprintf(form, words) + ending}
		after := applied(text, []Edit{edit})
		is := slices.ContainsFunc(Comments(path, after), func(c Comment) bool {
			return c.Start.Line == f.Start.Line && c.End.Line == f.Start.Line && c.Text == words
		})
		if is && len(syntaxErrors(path, after)) <= len(syntaxErrors(path, text)) {
			return &Fix{"Switch " + f.Rule + " off on this line", []Edit{edit}}
		}
	}
	return nil
}

// commentForms are what a comment may look like at a place.
func commentForms(path string) []string {
	switch syntax.LanguageOf(path) {
	case syntax.HTML:
		return []string{"// %s", "/* %s */", "<!-- %s -->"} // in a script, a style sheet, a page
	case syntax.CSS:
		return []string{"/* %s */"}
	case syntax.Python:
		return []string{"# %s"}
	}
	return []string{"// %s"}
}

func syntaxErrors(path, text string) []syntax.Error {
	return syntax.Parse(syntax.LanguageOf(path), text).Errors()
}

// BlanksBefore returns where the blanks before an offset begin.
func BlanksBefore(text string, at int) int {
	for at > 0 && strings.IndexByte(" \t\r\n", text[at-1]) >= 0 {
		at--
	}
	return at
}
