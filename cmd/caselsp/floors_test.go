package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the import path of the module root.
const module = "caselsp"

// floor says which of the module's own packages a package may import; "x/..."
// stands for x and all below it. Tests lists what its tests may import beside
// that and beside the packages of testKits. Does says in one sentence, of which the package is the
// subject, what it is for: a package without one is none.
type floor struct {
	does  string
	may   []string
	tests []string
}

// floors has a row for every package there may be. A package without a row
// fails the test: a new room needs its place in the house first.
var floors = map[string]floor{
	"store":             {does: "keeps the state directory: records, blobs, memory, documents, logs and the socket of its owner; what it keeps of tasks is redacted at its door", may: []string{"store/peer", "store/secret"}},
	"store/peer":        {does: "tells whether the other end of a socket is a process of this user"},
	"store/secret":      {does: "is the one table of secret formats and of files that hold secrets, and finds them in texts"},
	"store/lazyregexp":  {does: "is regular expressions that are compiled when they are first used"},
	"sandbox":           {does: "runs one command under a policy, in Docker or natively, and returns what it said and what it changed", may: []string{"sandbox/inside"}},
	"sandbox/inside":    {does: "is what runs within the native sandbox before the command: namespaces, mounts, seccomp and Landlock"},
	"agent/llm":         {does: "is the data of a conversation with a model and the interface of one"},
	"agent/llm/openai":  {does: "speaks with servers of models: requests, streams, retries, prices and embeddings", may: []string{"agent/llm"}},
	"agent/llm/replay":  {does: "is a model that answers as it did in a recording", may: []string{"agent/llm"}},
	"agent/llm/llmtest": {does: "is a scripted model behind real HTTP, for tests", may: []string{"agent/llm"}},
	"agent/near":        {does: "measures how far words are from each other, for misspelt names and misquoted lines"},
	"agent/count":       {does: "says counts of things in words"},
	"agent/obey":        {does: "knows the files that programs obey without being told to"},
	"agent/quote":       {does: "shows text of models, commands and files so that it cannot pass for ours"},
	"agent/content":     {does: "is the text of a file as lines, of which an edit keeps every byte that it does not name", may: []string{"agent/count", "agent/near"}},
	"agent/patch":       {does: "turns the text of an edit into edits, or says precisely why not", may: []string{"agent/content", "agent/count", "agent/near"}},
	// Which files hold secrets is one table, that of the redaction.
	"agent/shell":  {does: "parses a command line and judges what it may do", may: []string{"store/secret"}},
	"agent/syntax": {does: "makes parse trees, outlines, facts and syntax errors of texts in every language", may: []string{"agent/near"}},
	// What code can do is read from the qualified names of package ecma.
	"agent/ability": {does: "finds what code can do to its machine: start programs, reach the network, load native code", may: []string{"agent/ecma", "agent/syntax"}},
	// Tests are counted in parse trees: one in a comment or after a return does not count.
	"agent/testreport": {does: "reads what test runners write: results, coverage and stack traces as data", may: []string{"agent/syntax"}},
	"agent/stack":      {does: "finds what a project is made with and how it is tested, with the lines that say so"},
	// Whose a name is, is read in parse trees.
	"agent/general":               {does: "takes what belongs to one project out of code and prose, so that others learn from the rest", may: []string{"agent/syntax"}},
	"agent/settings":              {does: "has every setting once: type, default, documentation and who may set it", may: []string{"agent/count", "agent/near", "agent/syntax"}},
	"agent/dom":                   {does: "is pages and style sheets as trees that rules ask", may: []string{"agent/syntax"}},
	"agent/ecma":                  {does: "is scopes, flow and regular expressions of JavaScript that rules ask", may: []string{"agent/syntax"}},
	"agent/validate":              {does: "runs rules over files and compares what they find before and after an edit", may: []string{"agent/dom", "agent/ecma", "agent/syntax", "store/secret"}, tests: []string{"agent/validate/rules"}},
	"agent/validate/validatetest": {does: "checks a rule by source with marked findings, for tests", may: []string{"agent/validate"}},
	"agent/validate/rules":        {does: "assembles the suite of all rules", may: []string{"agent/validate", "agent/validate/rules/*"}, tests: []string{"store/secret"}},
	"agent/validate/rules/*":      {does: "is the rules of one family", may: []string{"agent/validate", "agent/dom", "agent/ecma", "agent/near", "agent/syntax", "store/secret"}},
	"agent/codemap":               {does: "ranks the files of a project by a query and shows the first within a number of tokens", may: []string{"agent/syntax"}},
	"agent/project":               {does: "finds the apps, models, routes and artifacts that a project declares", may: []string{"agent/syntax", "agent/testreport"}},
	"agent/lint":                  {does: "runs other people's linters in the sandbox and maps their reports to findings", may: []string{"agent/validate", "sandbox"}},
	"agent/fixcheck":              {does: "judges the claim that a failure was fixed: built-in checks and validators in the sandbox", may: []string{"agent/count", "agent/near", "agent/syntax", "sandbox"}},
	"agent/workspace":             {does: "is the user's files as they are now: overlay, index, search, structure, git, and the atomic writer", may: []string{"agent/syntax"}},
	"agent/action":                {does: "is the verbs of the model, each with its schema and effect", may: []string{"agent/content", "agent/count", "agent/patch", "agent/shell", "agent/syntax", "agent/validate", "agent/validate/rules", "agent/lint", "agent/workspace", "sandbox"}},
	// Beside what an action is, records name where the hunks of a patch landed and what linters found; the files
	// of a task say its language.
	"agent/record": {does: "is the records of the journal, and folds them to the state of a task or a thread", may: []string{"agent/action", "agent/count", "agent/fixcheck", "agent/llm", "agent/patch", "agent/quote", "agent/stack", "agent/syntax", "agent/testreport", "agent/validate", "agent/workspace", "sandbox"}},
	// Beside what decisions are made from: findings name their linters, questions the sandbox's
	// limits, and a task that leaves fewer tests is seen by their count.
	"agent/permit":       {does: "answers every question of permission with allowed, refused or a question to the user", may: []string{"agent/ability", "agent/action", "agent/lint", "agent/obey", "agent/record", "agent/settings", "agent/shell", "agent/testreport", "agent/validate", "agent/validate/rules", "agent/workspace", "sandbox", "store"}},
	"agent/review":       {does: "accepts, rejects and reverts what a task has done", may: []string{"agent/count", "agent/permit", "agent/record", "agent/workspace", "agent/patch"}},
	"agent/telemetry":    {does: "exports what tasks do as OpenTelemetry spans and metrics, without any text", may: []string{"agent/record"}},
	"agent":              {does: "is the loop: phases, prompts, threads, budgets and recovery over the journal", may: []string{"agent/...", "store", "store/secret", "sandbox"}},
	"lsp/wire":           {does: "is the stream, the dispatch and the lifecycle of JSON-RPC and of LSP", may: []string{"store/peer"}},
	"lsp":                {does: "is a session with one editor: events become messages, questions prompts, change sets workspace edits", may: []string{"lsp/wire", "agent", "agent/count", "agent/record", "agent/review", "agent/near", "agent/workspace", "agent/validate", "agent/validate/rules", "agent/settings"}, tests: []string{"agent/...", "store", "sandbox"}},
	"lsp/lsptest":        {does: "is an editor that tests drive, well-behaved or hostile"},
	"cmd/caselsp":        {does: "wires all, and is the terminal: commands, verbs, exit codes", may: []string{"..."}},
	"cmd/caselsp/screen": {does: "keeps rows and the line that a person types below what is printed on a terminal", may: []string{"agent/quote"}},
	"editors":            {does: "holds what editors load"},
	"editors/*":          {does: "is a client of one editor, which knows the binary only"},
}

// shared are the packages that all of store, agent and cmd may import.
var shared = []string{"store/lazyregexp"}

// testKits are the packages that exist to be imported by tests.
var testKits = []string{"agent/llm/llmtest", "agent/llm/replay", "agent/validate/validatetest", "lsp/lsptest"}

// absence says that only some packages may import a package or call a function.
type absence struct {
	what  []string // import paths, "p/..." for p and all below it, "p.Name" for one function
	only  []string // the packages that may; "..." ends are understood
	tests bool     // true: the rule applies to tests too
	why   string
}

// pure are the packages that do no I/O, not even through an io.Reader that was
// handed in: their fuzz targets and their replays depend on it.
var pure = []string{"agent/content", "agent/count", "agent/near", "agent/obey", "agent/quote", "agent/patch", "agent/shell", "agent/syntax", "agent/dom", "agent/ecma", "agent/codemap", "agent/general", "agent/project", "agent/validate", "agent/validate/rules/...", "agent/testreport", "agent/stack", "store/lazyregexp", "store/secret"}

// connected are the packages that may open or accept connections.
var connected = []string{"agent/llm/openai", "agent/llm/llmtest", "sandbox", "store", "store/peer", "lsp/wire"}

// writers are the packages that may change files: the applier, the state
// directory's owner, the sandbox's private trees, the editor for tests, and
// the command for what the user asked it to write.
var writers = []string{"agent/workspace", "store", "sandbox/...", "lsp/lsptest", "cmd/caselsp"}

var absences = []absence{
	{what: []string{"os/exec", "os.StartProcess", "syscall.Exec", "syscall.ForkExec"}, only: []string{"sandbox/..."}, why: "only the sandbox starts processes"},
	{what: []string{"net", "net/http/...", "net/rpc/...", "net/smtp", "crypto/tls"}, only: connected, why: "few packages open connections"},
	{what: []string{"os.WriteFile", "os.Create", "os.OpenFile", "os.OpenRoot", "os.Remove", "os.RemoveAll", "os.Rename", "os.Truncate"}, only: writers, why: "nothing but an applier changes files"},
	{what: []string{"github.com/sashabaranov/go-openai/..."}, only: []string{"agent/llm/openai", "agent/llm/llmtest"}, why: "one package knows the wire"},
	{what: []string{"github.com/docker/..."}, only: []string{"sandbox"}, why: "the SDK stays behind sandbox.Engine"},
	{what: []string{"github.com/go-git/..."}, only: []string{"agent/workspace"}, why: "git is the workspace's business"},
	{what: []string{"go.etcd.io/bbolt", "github.com/philippgille/chromem-go"}, only: []string{"store"}, why: "only the store knows its files"},
	{what: []string{"go.lsp.dev/..."}, only: []string{"lsp", "lsp/wire", "lsp/lsptest"}, why: "only lsp knows LSP"},
	{what: []string{"github.com/smacker/go-tree-sitter/..."}, only: []string{"agent/syntax"}, why: "parse trees come from agent/syntax"},
	{what: []string{"mvdan.cc/sh/..."}, only: []string{"agent/shell"}, why: "command lines are parsed in one place"},
	{what: []string{"github.com/spf13/cobra"}, only: []string{"cmd/caselsp"}, why: "flags are the command's business"},
	{what: []string{"github.com/charmbracelet/...", "github.com/muesli/..."}, only: []string{"cmd/caselsp", "cmd/caselsp/screen"}, why: "terminals are the command's business"},
	{what: []string{"plugin"}, why: "code that is loaded at run time cannot be reviewed"},
	{what: []string{"github.com/stretchr/testify/...", "go.uber.org/mock/..."}, tests: true, why: "the tests use neither assertion libraries nor mocks"},
}

// impure are the imports that a package of pure may not have. Embed is allowed:
// it is read when the program is built.
var impure = []string{"os/...", "io/...", "net/...", "bufio", "path/filepath", "syscall", "log/...", "golang.org/x/sys/..."}

// unreachable are the floors that a package never reaches, tests included, on top
// of what its row leaves out.
var unreachable = []struct{ from, to, why string }{
	{"agent/...", "lsp/...", "the agent knows no editor"},
	{"agent/...", "cmd/...", "the agent knows no terminal"},
	{"store", "agent/...", "the ground floor stands alone"},
	{"sandbox", "agent/...", "the ground floor stands alone"},
}

// topLevel is everything that may lie in the module root beside dot files. The
// last two are what building leaves there; git ignores them.
var topLevel = []string{
	"cmd", "lsp", "agent", "store", "sandbox", "editors",
	"go.mod", "go.sum", "Makefile", "README.md", "LICENSE",
	"bin", "build", "dist",
}

// source is one parsed Go file of the house.
type source struct {
	path string // slash-separated, from the module root
	pkg  string // the folder
	test bool
	text []byte
	fset *token.FileSet
	file *ast.File
}

// at returns the place of pos as "path:line".
func (s source) at(pos token.Pos) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(pos).Line)
}

// house is the module root, seen from the folder of this test.
func house() fs.FS { return os.DirFS("../..") }

// skipped reports whether the walk leaves a folder out: what building and other
// tools put there, and what the go command ignores too.
func skipped(dir string) bool {
	base := path.Base(dir)
	return dir == "bin" || dir == "build" || dir == "dist" || base == "node_modules" || base == "testdata" ||
		base != "." && strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

// sources parses every Go file of a house. It reads all of them whatever their
// build constraints say: a floor is not crossed on another system either.
func sources(t *testing.T, fsys fs.FS) []source {
	t.Helper()
	var list []source
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(p) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(p) != ".go" {
			return nil
		}
		s := source{path: p, pkg: path.Dir(p), test: strings.HasSuffix(p, "_test.go"), fset: token.NewFileSet()}
		if s.text, err = fs.ReadFile(fsys, p); err != nil {
			return err
		}
		s.file, err = parser.ParseFile(s.fset, p, s.text, parser.ParseComments|parser.SkipObjectResolution)
		list = append(list, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// covers reports whether a pattern ("x", "x/...", "x/*") matches a package.
func covers(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	if stem, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == stem || strings.HasPrefix(pkg, stem+"/")
	}
	ok, _ := path.Match(pattern, pkg)
	return ok
}

// anyCovers reports whether one of the patterns matches a package.
func anyCovers(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, pkg) })
}

// floorOf returns the row of a package.
func floorOf(pkg string) (floor, bool) {
	if f, ok := floors[pkg]; ok {
		return f, true
	}
	for pattern, f := range floors {
		if covers(pattern, pkg) {
			return f, true
		}
	}
	return floor{}, false
}

// crossed says why s may not import the package to of this module, or "".
func crossed(s source, to string) string {
	for _, r := range unreachable {
		if covers(r.from, s.pkg) && covers(r.to, to) {
			return r.why
		}
	}
	row, _ := floorOf(s.pkg)
	if anyCovers(row.may, to) || slices.Contains(shared, to) && anyCovers([]string{"store/...", "agent/...", "cmd/..."}, s.pkg) {
		return ""
	}
	if s.test && (to == s.pkg || slices.Contains(testKits, to) || anyCovers(row.tests, to)) {
		return ""
	}
	return fmt.Sprintf("its floor allows %q", row.may)
}

// forbidden says why s may not use what (an import path or "path.Name"), or "".
func forbidden(s source, what string) string {
	if text := what == "net/url" || strings.HasPrefix(what, "net/url."); !s.test && anyCovers(pure, s.pkg) && anyCovers(impure, what) && !text { // it only takes texts apart
		return "it does no I/O"
	}
	for _, a := range absences {
		if anyCovers(a.what, what) && !anyCovers(a.only, s.pkg) && (a.tests || !s.test) {
			return a.why
		}
	}
	return ""
}

// used yields everything that s imports or names from other packages, each as
// an import path or "path.Name" with its place.
func used(s source, visit func(what string, pos token.Pos)) {
	paths := make(map[string]string) // by the name in the file
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		visit(p, spec.Pos())
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		paths[name] = p
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && paths[id.Name] != "" {
			visit(paths[id.Name]+"."+sel.Sel.Name, sel.Pos())
		}
		return true
	})
}

// floorProblems returns every breach of the tables above, sorted.
func floorProblems(list []source) []string {
	var found []string
	for _, s := range list {
		if _, ok := floorOf(s.pkg); !ok {
			found = append(found, fmt.Sprintf("%s: package %s has no row in the floor table", s.path, s.pkg))
		}
		used(s, func(what string, pos token.Pos) {
			why := forbidden(s, what)
			if own, ok := strings.CutPrefix(what, module+"/"); ok && !strings.Contains(path.Base(own), ".") {
				why = crossed(s, own)
			}
			if why != "" {
				found = append(found, fmt.Sprintf("%s: %s must not use %s: %s", s.at(pos), s.pkg, what, why))
			}
		})
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// topProblems returns the entries of the module root that do not belong there.
func topProblems(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	var found []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(topLevel, e.Name()) {
			found = append(found, e.Name()+": the top level is fixed, see topLevel")
		}
	}
	return found, err
}

func TestFloors(t *testing.T) {
	for _, p := range floorProblems(sources(t, house())) {
		t.Error(p)
	}
	for name, f := range floors {
		if len(strings.Fields(f.does)) < 3 || strings.HasSuffix(f.does, ".") {
			t.Errorf("%s: say in one sentence what it does, without a full stop: %q", name, f.does)
		}
	}
	found, err := topProblems(house())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		t.Error(p)
	}
}

// TestFloorRules shows that the rules can fail: each file breaks or keeps one.
func TestFloorRules(t *testing.T) {
	for _, tt := range []struct{ path, body, want string }{
		{"agent/patch/x.go", `import "caselsp/agent/syntax"`, `agent/patch/x.go:2: agent/patch must not use caselsp/agent/syntax: its floor allows ["agent/content" "agent/count" "agent/near"]`},
		{"agent/validate/x.go", `import "caselsp/agent/syntax"`, ``},
		{"agent/x.go", `import "caselsp/agent/llm/openai"`, ``},
		{"agent/x_test.go", `import "caselsp/lsp/lsptest"`, `agent/x_test.go:2: agent must not use caselsp/lsp/lsptest: the agent knows no editor`},
		{"lsp/x.go", `import "caselsp/store"`, `lsp/x.go:2: lsp must not use caselsp/store: its floor allows ["lsp/wire" "agent" "agent/count" "agent/record" "agent/review" "agent/near" "agent/workspace" "agent/validate" "agent/validate/rules" "agent/settings"]`},
		{"lsp/x_test.go", `import "caselsp/store"`, ``},
		{"attic/x.go", ``, `attic/x.go: package attic has no row in the floor table`},
		{"store/x.go", `import "os/exec"`, `store/x.go:2: store must not use os/exec: only the sandbox starts processes`},
		{"store/x_test.go", `import "os/exec"`, ``},
		{"agent/shell/x.go", `import "io/fs"`, `agent/shell/x.go:2: agent/shell must not use io/fs: it does no I/O`},
		{"agent/settings/x.go", "import files \"os\"\nvar _ = files.WriteFile", `agent/settings/x.go:3: agent/settings must not use os.WriteFile: nothing but an applier changes files`},
		{"agent/workspace/x.go", "import \"os\"\nvar _ = os.WriteFile", ``},
		{"agent/x.go", `import _ "net/http/pprof"`, `agent/x.go:2: agent must not use net/http/pprof: few packages open connections`},
		{"agent/testdata/x.go", `import "os/exec"`, ``},
	} {
		fsys := fstest.MapFS{tt.path: {Data: []byte("package x\n" + tt.body)}}
		if got := strings.Join(floorProblems(sources(t, fsys)), "\n"); got != tt.want {
			t.Errorf("%s with %q:\n got %q\nwant %q", tt.path, tt.body, got, tt.want)
		}
	}
	found, err := topProblems(fstest.MapFS{"util/x.go": {}, ".ci/run": {}, "store/x.go": {}})
	if want := []string{"util: the top level is fixed, see topLevel"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("top level: got %q, %v; want %q", found, err, want)
	}
}
