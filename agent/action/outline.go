package action

import (
	"context"
	_ "embed" // the text for the model
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/syntax"
)

//go:embed outline.md
var outlineText string

// Outline shows the classes and functions of a file with their lines, or finds a symbol.
type Outline struct {
	reading
	Path   string `json:"path,omitempty"`
	Symbol string `json:"symbol,omitempty"`
}

// OutlineVerb is the verb whose arguments are Outline.
var OutlineVerb = register[Outline](OutlineName, Reads, outlineText)

// Check implements Args.
func (a Outline) Check() error {
	switch {
	case a.Symbol == "":
		return checkPath(a.Path)
	case a.Path != "":
		return errors.New("give path or symbol, not both: a symbol is looked for in all files")
	}
	return nil
}

// Reads implements Reach.
func (a Outline) Reads() []Place {
	if a.Symbol != "" {
		return []Place{Files("")}
	}
	return []Place{File(a.Path)}
}

// beginning is how many lines stand for a file without an outline.
const beginning = 40

// Do implements Doer.
func (a Outline) Do(ctx context.Context, s *Scope) (Result, error) {
	if a.Symbol != "" {
		return a.find(ctx, s)
	}
	f, err := s.Read(a.Path)
	if err != nil {
		return Result{}, err
	}
	if text := OutlineOf(a.Path, f.Text, s.env.MaxShown); text != "" {
		return Result{Said: Quoted(text), Note: "outline " + a.Path}, nil
	}
	text, shown, err := Show(a.Path, f.Text, f.Hash, 1, beginning, s.env.MaxShown)
	if err != nil {
		return Result{}, err
	}
	said := Quoted(text)
	said.Text = "It has no outline. It begins so:\n"
	return Result{Said: said, Note: "outline " + a.Path, Shown: &shown}, nil
}

// find lists where a symbol is declared.
func (a Outline) find(ctx context.Context, s *Scope) (Result, error) {
	list, more, err := s.Symbols(ctx, a.Symbol)
	if err != nil {
		return Result{}, err
	}
	var b strings.Builder
	for _, f := range list[:min(len(list), maxMatches)] {
		what := f.Signature
		if what == "" {
			what = f.Kind + " " + f.Name
		}
		fmt.Fprintf(&b, "%s:%d-%d: %s\n", f.Path, f.Range.Start.Line+1, f.Range.End.Line+1, what)
	}
	switch {
	case len(list) == 0:
		b.WriteString("Nothing of this name is declared. " + SearchTextName + " finds where it is used.")
	case more || len(list) > maxMatches:
		b.WriteString("There are more: give more of the name.\n")
	}
	return Result{Said: Quoted(b.String()), Note: fmt.Sprintf("symbol %q: %d found", a.Symbol, len(list))}, nil
}

// form is how much an outline shows.
type form struct {
	left string // what is left out, in words
	main bool   // classes, functions, tests and their like alone
	name bool   // their names, without parameters
	flat bool   // without what is in them
}

// forms are those of an outline, each shorter than the one before.
var forms = []form{
	{},
	{left: "imports, variables and fields", main: true},
	{left: "imports, variables, fields and signatures", main: true, name: true},
	{left: "all but the outermost classes and functions", main: true, name: true, flat: true},
}

// OutlineOf renders what a file declares with its lines, below the file's name and length, in at most so
// many bytes (0: all): in a shorter form, and what does not fit then is cut. "" for a file that
// declares nothing.
func OutlineOf(path, text string, most int) string {
	lang := syntax.OutlineLanguageOf(path)
	symbols := syntax.Parse(lang, text).Outline()
	if lang == "" || len(symbols) == 0 {
		return ""
	}
	head := fmt.Sprintf("%s (%s)\n", path, count.Of(LineCount(text), "line"))
	best, able := "", forms
	if !syntax.Outlined(path) || lang == syntax.HTML || lang == syntax.CSS {
		able = forms[:1] // no classes and functions
	}
	for _, f := range able {
		var b strings.Builder
		f.write(&b, symbols, "")
		if b.Len() == 0 {
			continue
		}
		best = head + b.String()
		if f.left != "" {
			best += "[left out: " + f.left + "]\n"
		}
		if most <= 0 || len(best) <= most {
			return best
		}
	}
	const end = "[more is left out]\n"
	cut := best[:max(0, most-len(end))]
	return cut[:strings.LastIndexByte(cut, '\n')+1] + end
}

// details are the kinds of symbols that only the whole outline has.
var details = map[string]bool{"import": true, "variable": true, "constant": true, "field": true}

func (f form) write(b *strings.Builder, symbols []syntax.Symbol, indent string) {
	for i := 0; i < len(symbols); i++ {
		s := symbols[i]
		if f.main && details[s.Kind] {
			continue
		}
		if s.Kind == "import" {
			i += writeImports(b, symbols[i:], indent) - 1
			continue
		}
		what := s.Signature
		if what == "" || f.name && s.Kind != "heading" && s.Kind != "test" {
			what = s.Kind + " " + s.Name
		}
		fmt.Fprintf(b, "%s%d-%d %s\n", indent, s.StartLine+1, s.EndLine+1, what)
		if !f.flat && !(f.main && (s.Kind == "function" || s.Kind == "method")) {
			f.write(b, s.Children, indent+"  ")
		}
	}
}

// maxImports bounds the line that tells imports, in bytes.
const maxImports = 600

// writeImports tells the imports that the symbols begin with in one line, and returns how
// many they are.
func writeImports(b *strings.Builder, symbols []syntax.Symbol, indent string) (n int) {
	var list []string
	size, more := 0, 0
	for ; n < len(symbols) && symbols[n].Kind == "import"; n++ {
		what := symbols[n].Signature
		switch {
		case len(list) > 0 && list[len(list)-1] == what: // of one statement
		case size+len(what) > maxImports:
			more++
		default:
			list = append(list, what)
			size += len(what)
		}
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	fmt.Fprintf(b, "%s%d-%d %s\n", indent, symbols[0].StartLine+1, symbols[n-1].EndLine+1, strings.Join(list, "; "))
	return n
}
