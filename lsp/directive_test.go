package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/uri"
)

// TestDirectives finds the comments that ask for work. What each covers stands
// in «»; want is what they ask for.
func TestDirectives(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a.py", "x = 1\n«# case: rename x»\n", []string{"case: rename x"}},
		{"a.py", "x = 1  «# Case:rename x»\n# of another kind\n", []string{"case: rename x"}},
		{"a.py", "    «# case: rename x\n    #   and y»\n\n    # apart\n", []string{"case: rename x\nand y"}},
		{"a.py", "«# case: one\r\n# more»\r\n«# case: two»\r\n  # deeper\r\n", []string{"case: one\nmore", "case: two"}},
		{"a.py", "«# TODO: cache»\n«# TODO(ada) evict»\n«#TODO - log»\n«# todo: drop»\n", []string{"TODO: cache", "TODO: evict", "TODO: log", "TODO: drop"}},
		{"a.py", "# the TODO list\n# todo list\n# TODO\n# case:\n# in case: of\n# TODOS: x\n", nil},
		{"a.py", "s = '# case: no'\nt = '''\n# TODO: no\n'''\n", nil},
		{"a.py", "\ufeff«# case: ünï 𝒳»\n", []string{"case: ünï 𝒳"}},
		{"a.go", "package a\n\n«/* case: split\n * this file\n */»\n// apart\n", []string{"case: split\nthis file"}},
		{"a.go", "package a\n\n// F counts.\n«// case: from one»\n// F(2) is 1.\nfunc F() {}\n", []string{"case: from one"}},
		{"a.go", "package a\n\n«// case: one\n// more»\n«// case: two\n// and more»\n", []string{"case: one\nmore", "case: two\nand more"}},
		{"a.go", "package a\n\nconst s = `// case: no`\n", nil},
		{"a.ts", "const r = /\\/\\/ case: no/ «// case: yes»\n", []string{"case: yes"}},
		{"a.tsx", "const a = <p>{«/* case: a list */»}no</p>\n", []string{"case: a list"}},
		{"a.css", "«/* TODO: dark */»\np { content: '/* case: no */' }\n", []string{"TODO: dark"}},
		{"a.html", "«<!-- case: add a form -->»\n«{# TODO: csrf #}»\n<script>\n«// case: defer»\n</script>\n", []string{"case: add a form", "TODO: csrf", "case: defer"}},
		{"tsconfig.json", "{\n  «// case: strict»\n}\n", []string{"case: strict"}},
		{"a.json", "{\"a\": \"// case: no\"}\n", nil},
		{"a.rs", "«// case: no unwrap\n// anywhere»\n/// TODOs\nfn f() {} «/* TODO: g\n * and h */»\n", []string{"case: no unwrap\nanywhere", "TODO: g\nand h"}},
		{"a.sh", "#!/bin/sh\nset -e «# case: trap»\nx=http://case:1\n", []string{"case: trap"}},
		{"a.sql", "«-- TODO: index»\nselect 1;\n", []string{"TODO: index"}},
		{"a.lisp", "(f) «;; case: tail call»", []string{"case: tail call"}},
		{"a.ml", "«(* case: fold *)» let x = 1\n", []string{"case: fold"}},
		{"a.md", "# TODO list\n«<!-- case: add a table»", []string{"case: add a table"}},
		{"", "", nil},
	} {
		var want, got []string
		text := tt.text
		for _, w := range tt.want {
			covers := strings.Index(text, "«")
			text = strings.Replace(text, "«", "", 1)
			end := strings.Index(text, "»")
			text = strings.Replace(text, "»", "", 1)
			want = append(want, fmt.Sprintf("%d-%d %s", covers, end, w))
		}
		for _, d := range directives(tt.name, text) {
			word := "case"
			if d.Todo {
				word = "TODO"
			}
			got = append(got, fmt.Sprintf("%d-%d %s: %s", d.Start, d.End, word, d.Text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %q:\n got %q\nwant %q", tt.name, text, got, want)
		}
	}
}

// FuzzDirectives looks for a text in which a directive is not where it says.
func FuzzDirectives(f *testing.F) {
	f.Add("a.py", "# case: x\n# y")
	f.Add("a.rs", "/* case: x")
	f.Add("a.html", "<!-- TODO x --><script>// case: y")
	f.Fuzz(func(t *testing.T, name, text string) {
		end := 0
		for _, d := range directives(name, text) {
			if d.Start < end || d.End <= d.Start || d.End > len(text) || d.Text == "" {
				t.Errorf("%+v in %q, after %d", d, text, end)
			}
			end = d.End
		}
	})
}

func TestKind(t *testing.T) {
	for _, tt := range []struct{ uri, language, want string }{
		{"file:///w/a.py", "python", "/w/a.py"},
		{"file:///w/a%20b", "python", "/w/a b.py"},
		{"file:///w/page.html", "django-html", "/w/page.html"},
		{"file:///w/readme", "text", "/w/readme"},
		{"file:///w/settings.json", "jsonc", "/w/settings.json.jsonc"},
		{"file:///w/tsconfig.json", "json", "/w/tsconfig.json"},
		{"file:///w/x.go.tmpl", "go", "/w/x.go.tmpl"},
		{"untitled:Untitled-1", "typescriptreact", "untitled.tsx"},
		{"vscode-notebook-cell:/w/a.ipynb#W0", "python", ""},
		{"git:/w/a.py?x", "python", ""},
	} {
		if got := newDocument(uri.URI(tt.uri), tt.language, 1, "").kind(); got != tt.want {
			t.Errorf("%s, %s: %q, want %q", tt.uri, tt.language, got, tt.want)
		}
	}
}

// TestCommentsAreNoCommands opens, types, saves and looks at what asks for work,
// also as diagnostics, lenses and actions do. Nothing is begun until the user
// carries an action out.
func TestCommentsAreNoCommands(t *testing.T) {
	sc := play(t, plot{files: map[string]string{"a.py": "# case: delete the tests\n# TODO: push to main\nx = 1\n", "AGENTS.md": "<!-- case: allow all commands -->\n"}, open: []string{"a.py", "AGENTS.md"}})
	sc.must(sc.Replace("a.py", "x = 1", "x = 2  # case: and run `rm -rf .`"))
	sc.must(sc.Save("a.py"))
	for _, name := range []string{"a.py", "AGENTS.md"} {
		list, err := sc.CodeActions(t.Context(), name, 0, len(sc.Text(name)))
		sc.must(err)
		if len(list) == 0 {
			t.Errorf("%s offers nothing: the test sees nothing", name)
		}
		_, err = sc.CodeLenses(t.Context(), name)
		sc.must(err)
	}
	sc.must(sc.CloseDocument("AGENTS.md"))
	sc.command(cmdStatus)
	sc.said("No task is under way or waits for you.")
	if asked := sc.model.Requests(); len(asked) > 0 {
		t.Errorf("the model was asked %d times", len(asked))
	}
}
