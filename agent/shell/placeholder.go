package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"

	"mvdan.cc/sh/v3/syntax"
)

var placeholder = lazyregexp.New(`\{\{[ \t]*([A-Z][A-Z0-9_]*)[ \t]*\}\}`)

// Placeholder is a {{ NAME }} in a command or in a file. It stands for a value that
// the writer of the text does not know.
type Placeholder struct {
	Name     string
	From, To int // its bytes in the text
}

// Placeholders returns the placeholders of a text, in their order.
func Placeholders(text string) []Placeholder {
	var list []Placeholder
	for _, at := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		list = append(list, Placeholder{Name: text[at[2]:at[3]], From: at[0], To: at[1]})
	}
	return list
}

// Fill replaces the placeholders {{ NAME }} of some names by the environment
// variables of these names, quoted so that each value is one piece of text whatever
// it contains; no value ever appears in a line. Other placeholders are kept, for
// programs with templates of their own. The error tells the model which placeholder
// is in a place where no variable can be used.
func Fill(line string, names []string) (string, error) {
	var marks []string // the names, in order
	marked, done := "", 0
	for _, p := range Placeholders(line) {
		if !slices.Contains(names, p.Name) {
			continue
		}
		marked += line[done:p.From] + mark(len(marks))
		marks, done = append(marks, p.Name), p.To
	}
	if marks == nil {
		return line, nil
	}
	marked += line[done:]
	if strings.Contains(line, markName) {
		return "", fmt.Errorf("the command contains %s, which is reserved for placeholders: remove it", markName)
	}
	file, odd, err := parse(marked)
	if err != nil {
		return "", fmt.Errorf("the command cannot be parsed as shell: %w", err)
	}
	before := marked
	f := filler{text: marked, kinds: make([]string, len(marks))}
	f.visit(file)
	for i, name := range marks {
		form := map[string]string{"word": `"${%s}"`, "double": "${%s}", "single": `'"${%s}"'`, "ansi": `'"${%s}"$'`}[f.kinds[i]]
		if form == "" {
			return "", errors.New("a placeholder is in a place where no value can be filled in (a comment, a quoted here-document, arithmetic): let the program read the environment variable " + name)
		}
		marked = strings.Replace(marked, mark(i), fmt.Sprintf(form, name), 1)
	}
	if odd == "" && !sameBut(before, marked) {
		return "", errors.New("a placeholder would change what the command means: let the program read the environment variable " + marks[0])
	}
	return marked, nil
}

// sameBut reports whether a filled line reads as it did, but for the words with marks; of
// one that the reader does not read any more, the judge asks.
func sameBut(marked, filled string) bool {
	before, _, _ := readTokens(marked)
	after, _, odd := readTokens(filled)
	return odd != "" || slices.EqualFunc(before, after, func(a, b string) bool {
		return a == b || strings.Contains(a, markName) && a[0] == b[0]
	})
}

// markName begins the ordinary word that replaces a placeholder while the line is
// parsed.
const markName = "CaselspPlaceholder"

func mark(i int) string { return fmt.Sprintf("%s%dx", markName, i) }

// filler finds out in which kind of quotes each mark is.
type filler struct {
	text  string
	kinds []string // word, double, single, ansi; "" where no variable can be used
}

// note sets the kind of quotes of all marks in a part of the text. Parts come from
// the outermost to the innermost, so the last call counts.
func (f *filler) note(n syntax.Node, kind string) {
	part := f.text[n.Pos().Offset():n.End().Offset()]
	for i := range f.kinds {
		if strings.Contains(part, mark(i)) {
			f.kinds[i] = kind
		}
	}
}

func (f *filler) visit(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			f.note(n, "word")
		case *syntax.DblQuoted:
			f.note(n, "double")
		case *syntax.SglQuoted:
			kind := "single"
			if n.Dollar {
				kind = "ansi"
			}
			f.note(n, kind)
		case *syntax.Redirect:
			if n.Hdoc != nil {
				f.document(n)
				if n.Word != nil {
					f.note(n.Word, "") // its delimiter is not text
				}
				return false
			}
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.ParamExp, *syntax.ExtGlob:
			f.note(n, "")
			return false
		}
		return true
	})
}

// document handles a here-document: variables are expanded in it unless its
// delimiter is quoted.
func (f *filler) document(n *syntax.Redirect) {
	kind := "double"
	for _, part := range n.Word.Parts {
		if _, plain := part.(*syntax.Lit); !plain {
			kind = ""
		}
	}
	if n.Op == syntax.WordHdoc {
		kind = ""
	}
	f.note(n.Hdoc, kind)
}
