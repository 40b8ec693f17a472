//go:build corpus

package syntax_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/syntax"
)

// examples is how many differences of each kind are shown.
var examples = flag.Int("examples", 3, "how many differences of each kind are shown")

// symbolAt is a declaration as several programs can name it.
type symbolAt struct {
	name string
	line int // 1-based
}

// lists are what one program finds in a file.
type lists map[string]map[symbolAt]string // kind by file and place

func (l lists) add(file, name string, line int, kind string) {
	if l[file] == nil {
		l[file] = map[symbolAt]string{}
	}
	l[file][symbolAt{name, line}] = kind
}

// TestSymbolsExact compares the symbols of the folders that CHECKOUTS names, separated by colons, with
// those of programs that know: Python's ast, go/ast, and universal-ctags for the other
// languages. It reports for each language how many of theirs are found, at their lines, how many of ours they do not
// have, and the differences by kind with examples. README.md explains what is left.
func TestSymbolsExact(t *testing.T) {
	folders := filepath.SplitList(os.Getenv("CHECKOUTS"))
	if len(folders) == 0 {
		t.Fatal("set CHECKOUTS to folders with sources, separated by colons")
	}
	files := map[syntax.Language][]string{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
			lang := syntax.OutlineLanguageOf(file)
			if lang == syntax.TSX {
				lang = syntax.TypeScript
			}
			if err == nil && d.Type().IsRegular() && syntax.Outlined(file) && !strings.Contains(file, ".min.") {
				files[lang] = append(files[lang], file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, way := range []struct {
		name  string
		langs []syntax.Language
		of    func(*testing.T, []string) lists
	}{
		{"Python's ast", []syntax.Language{syntax.Python}, ofPython},
		{"go/ast", []syntax.Language{syntax.Go}, ofGo},
		{"ctags", []syntax.Language{syntax.JavaScript, syntax.TypeScript, syntax.Java, syntax.Rust, syntax.C, syntax.CPP, syntax.Ruby, syntax.PHP, syntax.CSS, syntax.HTML, syntax.Python, syntax.Go}, ofCtags},
	} {
		for _, lang := range way.langs {
			if len(files[lang]) > 0 {
				compareSymbols(t, fmt.Sprintf("%s: %d files, beside %s", lang, len(files[lang]), way.name), ofOurs(t, files[lang]), way.of(t, files[lang]))
			}
		}
	}
}

// own is a symbol of ours. It begins with its decorators, so that others may name a later line.
type own struct {
	name, kind string
	start, end int // lines, 1-based
	found      bool
}

// compareSymbols reports the differences of the files that both could read: of one name, one of ours
// is theirs whose lines hold their line, the nearest.
func compareSymbols(t *testing.T, name string, ours map[string][]own, theirs lists) {
	both, missed, added := 0, 0, 0
	missing, extra := map[string][]string{}, map[string][]string{}
	for file, list := range theirs {
		places := slices.SortedFunc(maps.Keys(list), func(a, b symbolAt) int { return cmp.Or(a.line-b.line, strings.Compare(a.name, b.name)) })
		for _, at := range places {
			best := -1
			for i, o := range ours[file] {
				if o.name == at.name && !o.found && o.start <= at.line && at.line <= o.end && (best < 0 || o.start >= ours[file][best].start) {
					best = i
				}
			}
			if best >= 0 {
				ours[file][best].found = true
				if list[at] != "prototype" {
					both++
				}
				continue
			}
			if list[at] == "prototype" || slices.ContainsFunc(ours[file], func(o own) bool {
				return o.kind == "test" && list[at] == "variable" && o.start <= at.line && at.line <= o.end
			}) {
				continue // ctags takes calls for prototypes, and what is local to a test of C++ for global
			}
			missed++
			missing[list[at]] = append(missing[list[at]], fmt.Sprintf("%s:%d %s", file, at.line, at.name))
		}
		for _, o := range ours[file] {
			if _, again := list[symbolAt{o.name, o.start}]; !o.found && !again && o.kind != "import" && o.kind != "test" && o.kind != "implementation" {
				added++
				extra[o.kind] = append(extra[o.kind], fmt.Sprintf("%s:%d %s", file, o.start, o.name))
			}
		}
	}
	t.Logf("%s: of their %d symbols %d are found (%.2f %%); %d more of ours", name, both+missed, both, 100*float64(both)/float64(max(1, both+missed)), added)
	reportKinds(t, "missing", missing)
	reportKinds(t, "ours only", extra)
}

// reportKinds lists differences by kind, the most first, with examples.
func reportKinds(t *testing.T, what string, by map[string][]string) {
	shown := *examples
	kinds := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(len(by[b])-len(by[a]), strings.Compare(a, b)) })
	for _, kind := range kinds {
		slices.Sort(by[kind])
		step := max(1, len(by[kind])/shown)
		var some []string
		for i := 0; i < len(by[kind]) && len(some) < shown; i += step {
			some = append(some, by[kind][i])
		}
		t.Logf("  %s: %s %d, such as %s", what, kind, len(by[kind]), strings.Join(some, ", "))
	}
}

func ofOurs(t *testing.T, files []string) map[string][]own {
	l := map[string][]own{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var add func([]syntax.Symbol)
		add = func(list []syntax.Symbol) {
			for _, s := range list {
				for _, name := range namesOf(syntax.OutlineLanguageOf(file), s) {
					l[file] = append(l[file], own{name: name, kind: s.Kind, start: s.StartLine + 1, end: s.EndLine + 1})
				}
				add(s.Children)
			}
		}
		add(syntax.Parse(syntax.OutlineLanguageOf(file), string(text)).Outline())
	}
	return l
}

// namesOf are the names that a symbol has in other programs: of a rule of CSS each of its selectors, of an element of a
// page its id and what a heading says. Elements that have neither, and at-rules, are no symbols of ctags.
func namesOf(lang syntax.Language, s syntax.Symbol) (names []string) {
	switch {
	case lang == syntax.HTML && s.Kind == "element":
		tag, said, heading := strings.Cut(s.Name, " ")
		if _, id, ok := strings.Cut(tag, "#"); ok {
			names = append(names, id)
		}
		if heading {
			names = append(names, said)
		}
	case lang == syntax.CSS:
		if s.Kind != "rule" || strings.HasPrefix(s.Name, "@") {
			break
		}
		for selector := range strings.SplitSeq(s.Name, ",") {
			names = append(names, strings.TrimSpace(selector))
		}
	case lang == syntax.HTML: // blocks of templates
	case s.Kind == "test" && (lang == syntax.CPP || lang == syntax.C):
		macro, _, _ := strings.Cut(s.Signature, "(") // which is the name to ctags
		names = append(names, macro)
	case lang == syntax.CPP:
		names = append(names, operators.ReplaceAllString(s.Plain(), "operator"))
	default:
		names = append(names, strings.TrimPrefix(s.Plain(), "#"))
	}
	return names
}

// operators is the beginning of an operator of C++, which ctags writes with blanks.
var operators = regexp.MustCompile(`^operator\s+`)

// pythonSymbols prints what Python's ast has of files: classes, functions, and what is assigned to plain
// names in modules and classes.
const pythonSymbols = `
import ast, json, sys
def targets(t):
    return [t] if isinstance(t, ast.Name) else []
for path in json.load(sys.stdin):
    try:
        tree = ast.parse(open(path, 'rb').read())
    except (SyntaxError, ValueError):
        continue
    out = []
    def visit(body, inside):
        for n in body:
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
                out.append([n.name, n.lineno, 'method' if inside == 'class' else 'function'])
                visit(n.body, 'function')
            elif isinstance(n, ast.ClassDef):
                out.append([n.name, n.lineno, 'class'])
                visit(n.body, 'class')
            elif isinstance(n, (ast.Assign, ast.AnnAssign)) and inside != 'function':
                for t in (n.targets if isinstance(n, ast.Assign) else [n.target]):
                    for x in targets(t):
                        out.append([x.id, x.lineno, 'field' if inside == 'class' else 'variable'])
            for field in ('body', 'orelse', 'finalbody', 'handlers', 'cases'):
                if not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    visit(getattr(n, field, []) if field not in ('handlers', 'cases') else [x for h in getattr(n, field, []) for x in h.body], inside)
    visit(tree.body, '')
    print(json.dumps([path, out]))
`

func ofPython(t *testing.T, files []string) lists {
	need(t, "python3")
	in, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	l := lists{}
	for _, line := range output(t, in, "python3", "-W", "ignore", "-c", pythonSymbols) {
		var path string
		var rows [][3]any
		if err := json.Unmarshal(line, &[]any{&path, &rows}); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			l.add(path, r[0].(string), int(r[1].(float64)), r[2].(string))
		}
	}
	return l
}

func ofGo(t *testing.T, files []string) lists {
	l := lists{}
	for _, file := range files {
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Logf("%s is left out: %v", file, err)
			continue
		}
		add := func(name *ast.Ident, kind string) {
			if name.Name != "_" {
				l.add(file, name.Name, set.Position(name.Pos()).Line, kind)
			}
		}
		fields := func(list *ast.FieldList, kind string) {
			for _, f := range list.List {
				for _, name := range f.Names {
					add(name, kind)
				}
			}
		}
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				add(f.Name, "function")
				continue
			}
			for _, s := range d.(*ast.GenDecl).Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(name, d.(*ast.GenDecl).Tok.String())
					}
				case *ast.TypeSpec:
					add(s.Name, "type")
					switch of := s.Type.(type) {
					case *ast.StructType:
						fields(of.Fields, "field")
					case *ast.InterfaceType:
						fields(of.Methods, "method")
					}
				}
			}
		}
	}
	return l
}

// ctagsLeaves are kinds of ctags that are no declarations here: what is imported, and parameters.
var ctagsLeaves = map[string]bool{"package": true, "packageName": true, "unknown": true, "alias": true, "parameter": true, "anonMember": true, "header": true}

// ofCtags leaves out what is local to a function: variables and constants.
func ofCtags(t *testing.T, files []string) lists {
	need(t, "ctags")
	l := lists{}
	for _, line := range output(t, []byte(strings.Join(files, "\n")), "ctags", "--quiet", "--output-format=json", "--fields=+nKs", "--kinds-C=+p", "--kinds-C++=+p", "-L", "-", "-f", "-") {
		var tag struct {
			Name, Path, Kind, ScopeKind string
			Line                        int
		}
		if err := json.Unmarshal(line, &tag); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		local := (tag.Kind == "variable" || tag.Kind == "constant" || tag.Kind == "local") && (tag.ScopeKind == "function" || tag.ScopeKind == "method")
		if !ctagsLeaves[tag.Kind] && !local && !strings.HasPrefix(tag.Name, "__anon") && !strings.HasPrefix(strings.ToLower(tag.Name), "anonymous") {
			l.add(tag.Path, ctagsName(tag.Path, tag.Name, tag.Kind), tag.Line, tag.Kind)
		}
	}
	return l
}

// ctagsName is what a name of ctags is in an outline.
func ctagsName(file, name, kind string) string {
	switch syntax.OutlineLanguageOf(file) {
	case syntax.CSS, syntax.HTML:
		return name
	case syntax.CPP:
		return operators.ReplaceAllString(name, "operator")
	case syntax.Ruby:
		if kind == "accessor" {
			return strings.TrimSuffix(name, "=") // attr_writer :x declares x=
		}
	}
	return strings.TrimPrefix(strings.Trim(name, `"'`), "#")
}

func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("needs %[1]s: install it (Debian: apt-get install %[1]s, of ctags universal-ctags)", program)
	}
}

// output runs a program and returns the lines that it printed.
func output(t *testing.T, in []byte, name string, args ...string) [][]byte {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return slices.DeleteFunc(bytes.Split(out, []byte("\n")), func(line []byte) bool { return len(line) == 0 })
}
