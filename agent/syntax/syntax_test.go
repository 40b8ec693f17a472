package syntax_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"caselsp/agent/syntax"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what the fixtures expect")

var marker = regexp.MustCompile(`@diag\("((?:[^"\\]|\\.)*)"\)`)

// cut takes the markers out of a source. It returns where they were and what
// they hold.
func cut(source string) (text string, offsets []int, messages []string) {
	last := 0
	for _, m := range marker.FindAllStringSubmatchIndex(source, -1) {
		text += source[last:m[0]]
		offsets = append(offsets, len(text))
		messages = append(messages, strings.ReplaceAll(source[m[2]:m[3]], `\"`, `"`))
		last = m[1]
	}
	return text + source[last:], offsets, messages
}

func archives(t testing.TB, pattern string) map[string]*txtar.Archive {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures at %s: %v", pattern, err)
	}
	list := map[string]*txtar.Archive{}
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		list[f] = a
	}
	return list
}

func checkErrors(t *testing.T, path, source string) {
	t.Helper()
	text, offsets, messages := cut(source)
	tree := syntax.Parse(syntax.LanguageOf(path), text)
	if tree.Language() == syntax.Unknown {
		t.Fatalf("%s is of no known language", path)
	}
	var want, got []string
	for i, o := range offsets {
		p := tree.Position(o)
		want = append(want, fmt.Sprintf("%d:%d: %s", p.Line+1, p.Byte, messages[i]))
	}
	for i, e := range tree.Errors() {
		message := e.Message
		if i < len(messages) && strings.Contains(message, messages[i]) {
			message = messages[i]
		}
		got = append(got, fmt.Sprintf("%d:%d: %s", e.Start.Line+1, e.Start.Byte, message))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("errors of\n%s\ngot:\n\t%s\nwant:\n\t%s", text, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	if tree.OK() != (len(want) == 0) {
		t.Errorf("OK is %v", tree.OK())
	}
}

func TestErrors(t *testing.T) {
	for archive, a := range archives(t, "testdata/errors/*.txtar") {
		for _, f := range a.Files {
			t.Run(filepath.Base(archive)+"/"+f.Name, func(t *testing.T) {
				checkErrors(t, f.Name, string(f.Data))
			})
		}
	}
}

// Line ends and marks that a fixture file would not keep.
func TestErrorsOfBytes(t *testing.T) {
	for name, source := range map[string]string{
		"crlf.py":      "if x:\r\n    y = 1\r\n@diag(\"unindent does not match\")  z = 2\r\n",
		"cr.py":        "if x:\r    y = '''a\rb'''\r\rz = (1,\r2)\r",
		"bom.py":       "\ufeffx = 1\n@diag(\"unexpected indent\")  y = 2\n",
		"bom.json":     "\ufeff{\n  @diag(\"invalid character 'a'\")a: 1}",
		"bom.go":       "\ufeffpackage @diag(\"expected 'IDENT'\")1\n",
		"bom.js":       "\ufefflet a = @diag(\"Unexpected\");",
		"lines.js":     "let a = '\u2028';\r\n\rlet b = @diag(\"Unexpected\");",
		"feed.py":      "x = 1\n\f\nif x:\n    y = 1\n\fz = 2\n",
		"no_end.py":    "if x:\n    y = 1",
		"backslash.py": "x = 1 + @diag(\"unexpected end of file\")\\\n",
		"null.py":      "x = 1@diag(\"null bytes\")\x00",
		"empty.py":     "", "empty.js": "", "empty.css": "", "empty.html": "", "empty.tsconfig.json": "1",
		"empty.json": "@diag(\"unexpected end\")",
	} {
		t.Run(name, func(t *testing.T) { checkErrors(t, name, source) })
	}
}

// render writes symbols and comments as people read them.
func render(path, text string) string {
	lang := syntax.OutlineLanguageOf(path)
	var b strings.Builder
	var write func(symbols []syntax.Symbol, indent string)
	write = func(symbols []syntax.Symbol, indent string) {
		for _, s := range symbols {
			doc := ""
			if s.Doc != "" {
				doc = " -- " + s.Doc
			}
			fmt.Fprintf(&b, "%s%s %s [%d-%d] %s%s\n", indent, s.Kind, s.Name, s.StartLine+1, s.EndLine+1, s.Signature, doc)
			write(s.Children, indent+"  ")
		}
	}
	write(syntax.Parse(lang, text).Outline(), "")
	for _, c := range syntax.Comments(lang, text) {
		fmt.Fprintf(&b, "comment %d:%d-%d:%d %q\n", c.Start.Line+1, c.Start.Byte, c.End.Line+1, c.End.Byte, c.Text)
	}
	return b.String()
}

// Each archive holds a source, and what its outline and comments are.
func TestOutline(t *testing.T) {
	for archive, a := range archives(t, "testdata/outline/*.txtar") {
		t.Run(filepath.Base(archive), func(t *testing.T) {
			if len(a.Files) == 1 {
				a.Files = append(a.Files, txtar.File{Name: "outline"})
			}
			got := render(a.Files[0].Name, string(a.Files[0].Data))
			if *update {
				a.Files[1].Data = []byte(got)
				writeFile(t, archive, txtar.Format(a))
			}
			if want := string(a.Files[1].Data); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestLanguageOf(t *testing.T) {
	for path, want := range map[string]syntax.Language{
		"a/b.py": syntax.Python, "x.PY": syntax.Python, "x.pyi": syntax.Python, "py": syntax.Unknown, ".py/x": syntax.Unknown,
		"a.mjs": syntax.JavaScript, "a.jsx": syntax.JavaScript, "a.d.ts": syntax.TypeScript, "a.tsx": syntax.TSX,
		"a.go": syntax.Go, "a.css": syntax.CSS, "a.scss": syntax.Unknown, "": syntax.Unknown, "Makefile": syntax.Unknown,
		"package.json": syntax.JSON, "tsconfig.json": syntax.JSONC, "base-tsconfig.json": syntax.JSONC, ".eslintrc": syntax.JSONC,
		".vscode/settings.json": syntax.JSONC, "settings.json": syntax.JSON, "a.jsonc": syntax.JSONC, "log.jsonl": syntax.Unknown,
		"a.html": syntax.HTML, "a.html.j2": syntax.HTML, "a.jinja": syntax.HTML, "a.jinja2": syntax.HTML, "nginx.conf.j2": syntax.Unknown,
	} {
		if got := syntax.LanguageOf(path); got != want {
			t.Errorf("LanguageOf(%q) = %q, want %q", path, got, want)
		}
	}
}

// A text may nest as deep as it is long: no parser may take the process down.
func TestDeepTexts(t *testing.T) {
	const n = 100_000
	for _, c := range []struct {
		lang        syntax.Language
		begin, end  string
		mustBeWrong bool
	}{
		{syntax.JavaScript, "{", "", true},
		{syntax.JavaScript, "(", ")", false},
		{syntax.JavaScript, "a=>", "", true},
		{syntax.TypeScript, "!", "", true},
		{syntax.TSX, "<a>", "</a>", false},
		{syntax.CSS, "a{", "}", false},
		{syntax.Go, "(", ")", true},
		{syntax.JSON, "[", "]", true},
		{syntax.Python, "(", ")", true},
		{syntax.Python, "not ", "", true},
		{syntax.Python, "f'{", "}'", true},
		{syntax.HTML, "<div>", "</div>", false},
		{syntax.HTML, "{% if a %}", "{% endif %}", false},
		{syntax.HTML, "<b>", "</i>", true},
		{syntax.CPP, ";#\nFOO\n", "", false},
		{syntax.CPP, "FOO<", "", false},
		{syntax.CPP, "#if\n", "FOO(\n#endif\n", false},
	} {
		tree := syntax.Parse(c.lang, strings.Repeat(c.begin, n)+strings.Repeat(c.end, n))
		tree.Outline()
		if c.mustBeWrong && tree.OK() {
			t.Errorf("%d times %q is good %s", n, c.begin, c.lang)
		}
	}
}

func TestTooLong(t *testing.T) {
	tree := syntax.Parse(syntax.Python, strings.Repeat("(", syntax.MaxBytes+1))
	if !tree.OK() || tree.Outline() != nil || !tree.Root().IsZero() || tree.Language() != syntax.Unknown {
		t.Error("a text above MaxBytes was parsed")
	}
}

func TestConcurrentUse(t *testing.T) {
	tree := syntax.Parse(syntax.TSX, "const f = () => <p>{1}</p>;\nlet a = ;")
	var group sync.WaitGroup
	results := make([]string, 8)
	for i := range results {
		group.Go(func() {
			b, _ := json.Marshal([]any{tree.Errors(), tree.Outline(), tree.Root().Kind()})
			results[i] = string(b)
		})
	}
	group.Wait()
	for _, r := range results {
		if r != results[0] || !strings.Contains(r, "Unexpected") {
			t.Errorf("got %s, then %s", results[0], r)
		}
	}
}

func TestNodes(t *testing.T) {
	tree := syntax.Parse(syntax.Python, "\ufeffimport os\nos.system(cmd)\n")
	var calls []string
	for n := range tree.Root().Walk() {
		if n.Kind() == "call" {
			f := n.Child("attribute")
			calls = append(calls, fmt.Sprint(f.Text(), f.Start(), f.End(), f.Parent().Kind(), n.Named(), n.Missing()))
		}
	}
	if got, want := fmt.Sprint(calls), "[os.system{1 0 13} {1 9 22}calltrue false]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Trees of tree-sitter are not the garbage collector's: parsing again and again
// must not grow the process.
func TestMemoryIsFreed(t *testing.T) {
	text := strings.Repeat("def f(a, b):\n    return [a + b for a in b]\n\n\n", 1000)
	before := resident(t)
	for range 60 { // 60 trees that leak are 300 MB
		syntax.Parse(syntax.Python, text).Outline()
		runtime.GC()
	}
	if grown := resident(t) - before; grown > 120<<20 {
		t.Errorf("the process grew by %d MB", grown>>20)
	}
}
