package shell

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// placeholder stands in a command line for a value that its writer does not know.
var placeholder = regexp.MustCompile(`\{\{\s*([A-Z][A-Z0-9_]*)\s*\}\}`)

// Fill returns a command line in which the placeholders {{ NAME }} of some names
// are the environment variables of these names, quoted so that each value is one
// piece of text whatever it holds: so no value ever stands in a line. Other
// placeholders stay as they are, for programs with templates of their own. The
// error says, for the model, where one stands in which no variable can.
func Fill(line string, names []string) (string, error) {
	var marks []string // the names, in order
	marked := placeholder.ReplaceAllStringFunc(line, func(found string) string {
		name := placeholder.FindStringSubmatch(found)[1]
		if !slices.Contains(names, name) {
			return found
		}
		marks = append(marks, name)
		return mark(len(marks) - 1)
	})
	if marks == nil {
		return line, nil
	}
	if strings.Contains(line, markName) {
		return "", fmt.Errorf("the command holds %s, which stands for placeholders: leave it out", markName)
	}
	file, err := parse(marked)
	if err != nil {
		return "", fmt.Errorf("the command cannot be parsed as shell: %w", err)
	}
	f := filler{text: marked, kinds: make([]string, len(marks))}
	f.visit(file)
	for i, name := range marks {
		form := map[string]string{"word": `"${%s}"`, "double": "${%s}", "single": `'"${%s}"'`, "ansi": `'"${%s}"$'`}[f.kinds[i]]
		if form == "" {
			return "", errors.New("a placeholder of the command stands where no value can be filled in (a comment, a quoted here-document, arithmetic): let the program read the environment variable " + name)
		}
		marked = strings.Replace(marked, mark(i), fmt.Sprintf(form, name), 1)
	}
	return marked, nil
}

// markName begins what stands for a placeholder while the line is parsed: an
// ordinary word.
const markName = "CaselspPlaceholder"

func mark(i int) string { return fmt.Sprintf("%s%dx", markName, i) }

// filler finds out in which kind of quotes each mark stands.
type filler struct {
	text  string
	kinds []string // word, double, single, ansi; "" where no variable can stand
}

// note says of the marks in a part of the text what they stand in. The parts
// come from the outermost to the innermost, so the last word counts.
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
					f.note(n.Word, "") // the mark of its end is no text
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

// document is a here-document, in which variables count unless its end is quoted.
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
