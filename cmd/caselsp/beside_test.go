package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"

	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// beside is what a command does while another process owns the store of its workspace.
type beside struct {
	args string // TASK is a task with a result that is open
	code int
	want string // in what it writes, as a regular expression
}

// besides has a row for every command. One without a row fails the test: whether it works beside an
// editor is no accident.
var besides = map[string]beside{
	"approvals":        {want: `Nothing is always allowed here`},
	"approvals list":   {args: "--json --all"},
	"approvals revoke": {args: "r7", code: 1, want: `r7`},
	"bugreport":        {want: `coding`},
	"chat":             {args: "what", want: `^It is a test\.`},
	"demo":             {code: 2, want: `is not empty: name a new or empty folder`},                               // it has a state directory of its own
	"doctor":           {code: 1, want: `note +process +this is what process \d+ says(.|\n)*ok +store +readable`}, // there is no sandbox
	"export":           {args: "TASK", want: `"kind":"answer"`},
	"fixcheck":         {want: `Usage:`},
	"fixcheck approve": {args: "none", code: 1, want: `no generated validator has this name`},
	"fixcheck remove":  {args: "none", code: 1, want: `no generated validator has this name`},
	"fixcheck show":    {args: "none", code: 1, want: `no generated validator has this name`},
	"fixcheck list":    {want: `^claim-and-change `},
	"fixcheck new":     {args: "--language cobol mine", code: 2, want: `go, javascript, python`}, // it opens no store
	"fixcheck run":     {args: "PROJECT/none.jsonl", code: 1, want: `it holds no claim`},
	"fixcheck test":    {args: "none", code: 1, want: `there is no validator none`},
	"help":             {args: "state", want: `The state directory`},
	"history":          {want: `coding +hold on`},
	"history prune":    {args: "--older-than 1ns --dry-run", want: `^stays .* its result waits for your review\n(.*\n)*stays .* it is being worked on`},
	"logs":             {args: "--lines 3"},
	"memory":           {want: `Usage:`},
	"memory embed":     {code: 1, want: `no embeddings server is set`},
	"memory export":    {want: `^$`},
	"memory forget":    {args: "3f2a91bc", code: 1, want: `nothing of the id "3f2a91bc" is remembered`},
	"memory import":    {args: "PROJECT/none.jsonl", want: `imported: 0 new records`},
	"memory list":      {want: `Nothing is remembered yet`},
	"memory recall":    {args: "KeyError", want: `Nothing similar is remembered`},
	"memory show":      {args: "3f2a91bc", code: 1, want: `nothing of the id "3f2a91bc" is remembered`},
	"memory stats":     {want: `0 remembered`},
	"metrics":          {args: "--json", want: `"total"`},
	"outline":          {args: "PROJECT", want: `def double`},
	"patch":            {args: "--check PROJECT/none.jsonl", code: 9},
	"replay":           {args: "PROJECT/none.jsonl", code: 1, want: `none.jsonl`}, // it has a state directory of its own
	"resume":           {args: "--yes TASK", code: 1, want: `waits for your review: there is nothing to resume`},
	"review":           {args: "--show TASK", code: 0, want: `\+made`},
	"run":              {args: "--single --yes another", want: `ok: another.txt`},
	"secret":           {want: `Usage:`},
	"secret fill":      {args: "config.ini", code: 1, want: `config.ini has no \{\{ NAME \}\}|keyring`},
	"secret list":      {code: 1, want: `keyring`},
	"secret remove":    {args: "API_TOKEN", code: 1, want: `keyring`},
	"secret set":       {args: "API_TOKEN", code: 1, want: `keyring`},
	"serve":            {code: 1},
	"shell":            {args: "ls", want: `allow`},
	"state":            {want: `tasks +[0-9]`},
	"status":           {want: `coding`},
	"stop":             {args: "TASK", code: 1, want: `is not being worked on`},
	"tell":             {args: "--task TASK hello", code: 1, want: `is over \(review\)`},
	"trust":            {args: "--list", want: `trust.folders`},
	"validate":         {args: "PROJECT/calc.py"},
}

const besideModel = `
on case
when make it
call WRITE_FILE {"thought": "t", "path": "made.txt", "content": "made\n"}
on case
when make it
call FINISH_FEATURE {"thought": "t", "summary": "made"}
on case
when another
call WRITE_FILE {"thought": "t", "path": "another.txt", "content": "another\n"}
on case
when another
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
when what
call ANSWER {"text": "It is a test."}
on case
when hold on
hold
text late
`

// TestBeside runs every command while another process owns the store of the workspace and works: each
// answers, or says precisely what to do. None says that the store is in use.
func TestBeside(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: besideModel, project: map[string]string{"calc.py": "def double(n):\n    return n * 2\n", "none.jsonl": "", "config.ini": "a = 1\n"}})
	if out, err := c.command("run", "--single", "make it").CombinedOutput(); err == nil || !strings.Contains(string(out), "waits for your review") {
		t.Fatalf("%v\n%s", err, out)
	}
	task, _, _ := c.events()
	owner := c.command("run", "--single", "--yes", "hold on")
	c.must(owner.Start())
	defer func() { _ = owner.Process.Kill(); _ = owner.Wait() }()
	c.model.Held()
	replace := strings.NewReplacer("TASK", task, "PROJECT", c.project())
	for _, name := range commandNames(rootCommand()) {
		b, known := besides[name]
		if !known {
			t.Errorf("caselsp %s: say what it does while another process owns the store", name)
			continue
		}
		cmd := c.command(append(strings.Fields(name), strings.Fields(replace.Replace(b.args))...)...)
		out, _ := cmd.CombinedOutput() // the code tells
		said := strings.TrimSpace(string(out))
		if code := cmd.ProcessState.ExitCode(); code != b.code || !regexp.MustCompile(`(?m)`+b.want).MatchString(said) || strings.Contains(said, "in use by") {
			t.Errorf("caselsp %s %s: exit code %d, not %d, or not %q:\n%s", name, b.args, code, b.code, b.want, said)
		} else {
			t.Logf("caselsp %s %s: %d: %s", name, b.args, code, firstLine(said))
		}
	}
}

// commandNames are the commands that do something, with those above them.
func commandNames(of *cobra.Command) (names []string) {
	for _, cmd := range of.Commands() {
		names = append(names, strings.TrimPrefix(cmd.CommandPath(), "caselsp "))
		names = append(names, commandNames(cmd)...)
	}
	return names
}

// TestGoesOn kills the process that owns the store, with kill -9, while it works for another one, or ends it: the
// other one goes on with its task, its message or its answer, and nothing is done twice.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	const model = `
on case
when hold on
times always
hold
text late
on case
when mine
after 0
times always
call WRITE_FILE {"thought": "t", "path": "mine.txt", "content": "mine\n"}
on case
when mine
after 1
hold
text lost
on case
when mine
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
`
	for how, signal := range map[string]os.Signal{"killed": os.Kill, "stopped": os.Interrupt} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			c := newCrashed(t, crashRun{model: model, project: map[string]string{"calc.py": "x = 1\n"}})
			owner := c.command("run", "--single", "--yes", "hold on")
			c.must(owner.Start())
			c.model.Held()
			var said strings.Builder
			mine := c.command("run", "--single", "--yes", "mine")
			mine.Stdout, mine.Stderr = &said, &said
			c.must(mine.Start())
			c.model.Held() // its second step, in the owner
			c.must(owner.Process.Signal(signal))
			_ = owner.Wait() // its signal ended it
			if err := mine.Wait(); err != nil || !strings.Contains(said.String(), "the process that worked on this has ended. Another one goes on") {
				t.Errorf("the other one ends with %v:\n%s", err, said.String())
			}
			if text, err := os.ReadFile(filepath.Join(c.project(), "mine.txt")); err != nil || string(text) != "mine\n" {
				t.Errorf("mine.txt holds %q, %v", text, err)
			}
			out, err := c.command("history").CombinedOutput()
			if err != nil || strings.Count(string(out), "mine") != 1 || !regexp.MustCompile(`succeeded +mine`).Match(out) {
				t.Errorf("the history, %v:\n%s", err, out)
			}
			if lost := map[string]string{"killed": "interrupted (coding)", "stopped": "stopped"}[how]; !regexp.MustCompile(regexp.QuoteMeta(lost) + ` +hold on`).Match(out) {
				t.Errorf("the owner's own task is not %s:\n%s", lost, out)
			}
		})
	}
}

// TestStoppedThere ends a command, with Ctrl+C, whose task another process works on: the task is stopped, and the
// command says how it goes on.
func TestStoppedThere(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: "on case\ntimes always\nhold\ntext late\n", project: map[string]string{"calc.py": "x = 1\n"}})
	owner := c.command("run", "--single", "--yes", "hold on")
	c.must(owner.Start())
	defer func() { _ = owner.Process.Kill(); _ = owner.Wait() }()
	c.model.Held()
	var said strings.Builder
	mine := c.command("run", "--single", "--yes", "mine")
	mine.Stderr = &said
	c.must(mine.Start())
	c.model.Held()
	c.must(mine.Process.Signal(os.Interrupt))
	_ = mine.Wait() // the code tells
	if code := mine.ProcessState.ExitCode(); code != exitStopped || !strings.Contains(said.String(), "to continue it: caselsp resume") {
		t.Errorf("it ends with %d:\n%s", code, said.String())
	}
	out, err := c.command("status").CombinedOutput()
	if err != nil || !regexp.MustCompile(`stopped +mine`).Match(out) || !regexp.MustCompile(`coding.* hold on`).Match(out) {
		t.Errorf("the status, %v:\n%s", err, out)
	}
}

// TestOneWayIn looks at the code for what the types cannot hold: only what does a verb opens the store,
// and no verb writes to or reads from the streams of the process that does it.
func TestOneWayIn(t *testing.T) {
	opens := []string{"carryOut", "serverOptions", "openStore", "openPlayed", "replay", "playDemo"} // the last three have stores of their own
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	verbs := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			what, inStore := declared(d)
			if inStore {
				verbs++
			}
			for _, used := range selected(d) {
				if (used == "w.openFor" || used == "store.Open" || used == "openPlayed") && !slices.Contains(opens, what) {
					t.Errorf("%s: %s opens the store by %s: make it a verb (verb.go), so that it works beside an editor", name, what, used)
				}
				if (used == "os.Stdout" || used == "os.Stderr" || used == "os.Stdin") && inStore && name != "lintcmd.go" { // its engine has no store
					t.Errorf("%s: %s uses %s, which may be those of an editor: use its seat", name, what, used)
				}
			}
		}
	}
	if verbs < 20 {
		t.Errorf("only %d verbs and their parts were found", verbs)
	}
}

// declared is the name of a declaration, and whether it is a verb, or a part of one: something that has a seat or
// an engine.
func declared(d ast.Decl) (name string, inStore bool) {
	var params []*ast.FieldList
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			name = n.Name.Name
			params = append(params, n.Recv)
		case *ast.ValueSpec:
			if name == "" {
				name = n.Names[0].Name
			}
		case *ast.FuncType:
			params = append(params, n.Params)
		}
		return true
	})
	for _, list := range params {
		for i := 0; list != nil && i < len(list.List); i++ {
			switch text := fmt.Sprint(typeName(list.List[i].Type)); text {
			case "*seat", "*engine":
				inStore = true
			}
		}
	}
	return name, inStore
}

func typeName(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		return "*" + typeName(star.X)
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// selected are the names of the form x.y, and those that are called, in a declaration.
func selected(d ast.Decl) (names []string) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			names = append(names, typeName(n.X)+"."+n.Sel.Name)
		case *ast.CallExpr:
			names = append(names, typeName(n.Fun))
		}
		return true
	})
	return names
}
