package agent

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/general"
	"caselsp/agent/llm"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"
)

//go:embed testdata/learning.txt
var learningText string

// chore is a task of a family: its tests pass once the file has good in place of bad.
type chore struct {
	family               int
	text, file           string
	bad, good, complaint string
}

// family is tasks whose failures have one cause.
type family struct {
	name, with string
	idiom      []string
	chores     []chore
}

func families(t *testing.T) (all []family) {
	t.Helper()
	for line := range strings.Lines(learningText) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		last := func() *chore { f := &all[len(all)-1]; return &f.chores[len(f.chores)-1] }
		switch strings.TrimSpace(key) {
		case "family":
			all = append(all, family{name: value})
		case "with":
			all[len(all)-1].with = value
		case "idiom":
			all[len(all)-1].idiom = strings.Fields(value)
		case "task":
			f := &all[len(all)-1]
			f.chores = append(f.chores, chore{family: len(all) - 1, text: value})
		case "file":
			last().file = value
		case "bad":
			last().bad = strings.TrimPrefix(strings.TrimPrefix(value, "   "), "  ")
		case "good":
			last().good = strings.TrimPrefix(value, "  ")
		case "error":
			last().complaint = value
		}
	}
	return all
}

// source is a file that has a line.
func source(name, line string) string {
	inner := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
	head, tail := "", ""
	switch path.Ext(name) {
	case ".html":
		return "<main>\n" + line + "\n</main>\n"
	case ".py":
		head = "import json\nimport re\nfrom datetime import datetime, timezone\nfrom pathlib import Path\n\n\n"
		if inner {
			head += "def work(self):\n"
		}
		if strings.HasSuffix(strings.TrimSpace(line), ":") {
			tail = line[:len(line)-len(strings.TrimLeft(line, " "))] + "    pass\n"
		}
		return head + line + "\n" + tail
	case ".js":
		return "async function work(x) {\n" + line + "\n}\n"
	}
	if strings.ContainsAny(line, "={+") && !strings.Contains(line, "`") || strings.HasPrefix(line, "\tvar ") {
		return "package p\n\nfunc work() {\n" + line + "\n}\n"
	}
	return "package p\n\ntype work struct {\n" + line + "\n}\n"
}

// said is what the tests of a chore say while it is not done.
func (c chore) said() string {
	line := strings.TrimSpace(c.bad)
	before, _, _ := strings.Cut(source(c.file, c.bad), c.bad)
	name := strings.NewReplacer("/", "_", ".", "_").Replace(c.file)
	switch path.Ext(c.file) {
	case ".py":
		return fmt.Sprintf("Traceback (most recent call last):\n  File \"/workspace/%s\", line %d, in work\n    %s\n%s\nFAILED tests/test_%s.py::test_work\n", c.file, 1+strings.Count(before, "\n"), line, c.complaint, name)
	case ".html":
		return fmt.Sprintf("%s\nFAILED tests/test_%s.py::test_page\n", c.complaint, name)
	case ".js":
		return fmt.Sprintf("not ok 1 - %s\n  %s\n      at work (/workspace/%s:2:9)\n  > %s\n", name, c.complaint, c.file, line)
	}
	return fmt.Sprintf("--- FAIL: TestWork (0.00s)\n    %s:4: %s\nFAIL\n", path.Base(c.file), c.complaint)
}

// Run implements sandbox.Engine: the tests of the chore.
func (c chore) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	r := &sandbox.Result{Status: sandbox.Exited}
	for _, f := range cmd.Tree {
		if strings.HasPrefix(cmd.Line, "check") && f.Path == c.file && !strings.Contains(string(f.Data), "\n"+c.good) {
			r.ExitCode, r.Output = 1, c.said()
		}
	}
	return r, nil
}

// poison begins a remembered fix that is wrong, and that the learner believes as the right one.
const poison = "POISON: "

// learner is a model that mends a failure of its family at once where it has been told how, believing
// what stands first, and else after its fifth failure.
type learner struct {
	chore
	with  string
	calls int
}

const findsByItself = 5 // in the round behind the fifth failure

var recalledLine = regexp.MustCompile(`(?m)^(\d+)\. `)

// told returns the number of the first recalled record that the learner believes, and whether it is
// the right one; 0 for none.
func (m *learner) told(text string) (number int, right bool) {
	if _, after, ok := strings.Cut(text, "similar failures; use it only where it fits:"); ok {
		text = after
	} else if _, after, ok := strings.Cut(text, "# Similar past failures"); ok {
		text = after
	} else {
		return 0, false
	}
	for i, part := range recalledLine.Split(text, -1)[1:] {
		if strings.Contains(part, m.with) || strings.Contains(part, poison) {
			return i + 1, !strings.Contains(part, poison)
		}
	}
	return 0, false
}

// Complete implements llm.Model.
func (m *learner) Complete(_ context.Context, req *llm.Request) (*llm.Response, error) {
	m.calls++
	name, args := m.answer(req)
	text, err := json.Marshal(args)
	return &llm.Response{ToolCalls: []llm.ToolCall{{ID: fmt.Sprintf("call_%d", m.calls), Name: name, Arguments: string(text)}}, Usage: llm.Usage{Prompt: 100, Completion: 10}}, err
}

func (m *learner) answer(req *llm.Request) (name string, args map[string]any) {
	last := req.Messages[len(req.Messages)-1].Content
	switch req.Role {
	case record.RoleTars:
		if slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == "SUBMIT_VERDICT" }) {
			return "SUBMIT_VERDICT", map[string]any{"completion": 100, "approved": true, "summary": "done", "issues": []string{}}
		}
		return "SUBMIT_PLAN", map[string]any{"analysis": "x", "type": "fix", "files_to_create": []string{}, "files_to_change": []string{m.file}, "steps": []string{}, "considerations": []string{},
			"features": []map[string]any{{"id": "f", "title": "F", "description": m.text, "test": "check " + m.file}}}
	case record.RoleReflector:
		number, right := m.told(last)
		answer := map[string]any{"cause": "not known", "fix": "Look again.", "recalled": []int{}}
		if number > 0 {
			answer["recalled"] = []int{number}
		}
		if right {
			answer["fix"] = "APPLY"
		}
		return "SUBMIT_HYPOTHESIS", answer
	}
	if last := req.Messages[len(req.Messages)-1]; last.Speaker == llm.ToolReply && strings.Contains(last.Content, m.file) {
		return "FINISH_FEATURE", map[string]any{"thought": "t", "summary": "s", "fixes_applied": []string{"f"}, "analysis": "a"}
	}
	rounds := 0
	for _, msg := range req.Messages {
		rounds += strings.Count(msg.Content, "# Round ")
	}
	_, right := m.told(last)
	text := source(m.file, m.bad) + attempt(m.file, rounds) // another try that mends nothing
	if right || strings.Contains(last, "APPLY") || rounds >= findsByItself {
		text = source(m.file, m.good)
	}
	return "WRITE_FILE", map[string]any{"thought": "t", "path": m.file, "content": text}
}

// attempt is code at the end of a file that makes it another program.
func attempt(name string, n int) string {
	switch path.Ext(name) {
	case ".html":
		return fmt.Sprintf("<p>%d</p>\n", n)
	case ".go":
		return fmt.Sprintf("\nvar attempt = %d\n", n)
	case ".js", ".ts":
		return fmt.Sprintf("\nvar attempt = %d;\n", n)
	}
	return fmt.Sprintf("\n\nattempt = %d\n", n)
}

// world is the user's memory and what it did for the tasks so far.
type world struct {
	state    string // the state directory
	families []family
	rounds   []int
	hits     []bool // memory gave something that was relied on
	poisoned []int  // the tasks whose prompts had a poisoned record
}

// do runs a task to its end, and decides about it.
func (w *world) do(t *testing.T, c chore, accept bool) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, path.Dir(c.file)), 0o755); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(dir, c.file), source(c.file, c.bad))
	ws, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	s, err := store.Open(store.Options{StateDir: w.state, Workspace: ws.ID()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := &learner{chore: c, with: w.families[c.family].with}
	a := New(Options{Workspace: ws, Store: s, User: agreeable{},
		Model:   func(string) (llm.Model, error) { return m, nil },
		Sandbox: func(context.Context) (sandbox.Engine, error) { return c, nil }})
	id, poisoned := strings.ReplaceAll(c.text, " ", "-"), false
	for e, err := range a.Run(t.Context(), record.Task{ID: id, Text: c.text}) {
		if err != nil {
			t.Fatal(err)
		}
		found, ok := e.Body.(record.MemoryRecalled)
		poisoned = poisoned || ok && strings.Contains(strings.Join(found.Found, ""), poison)
	}
	p, err := a.load(id)
	if err != nil || p.Phase != record.Review {
		t.Fatalf("%s: it ended as %s: %v", c.text, p.Phase, err)
	}
	if _, err := a.Decide(t.Context(), id, review.Selection{Hunk: review.AllHunks}, accept, workspace.Disk(ws)); err != nil {
		t.Fatal(err)
	}
	if !accept {
		return
	}
	if poisoned {
		w.poisoned = append(w.poisoned, len(w.rounds))
	}
	w.rounds = append(w.rounds, p.Features[0].Round)
	w.hits = append(w.hits, slices.ContainsFunc(p.Uses, func(u record.Use) bool { return u.Helped }))
}

// remember keeps what others have learnt: failures that are nearer to the tasks in words than those of
// their own family, each with a fix that does not help here, and for every fourth family a wrong fix of its own failure.
func (w *world) remember(t *testing.T) *store.Memory {
	t.Helper()
	m, err := store.UserMemory(store.Options{StateDir: w.state})
	if err != nil {
		t.Fatal(err)
	}
	keep := func(p store.Pattern) {
		p.Kind = store.KindFailure
		if err := m.Remember(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	for i, f := range w.families {
		for j, c := range f.chores {
			kind, signatures := testreport.Signatures(c.said())
			words := proper(c, f.idiom)
			keep(store.Pattern{Type: kind, Text: strings.Join(append(words, strings.Fields(c.text)...), " "), Solution: "@@\n-    pass\n+    retry()\n"})
			if i%4 == 0 && j == 1 {
				keep(store.Pattern{Type: kind, Text: strings.Join(signatures, "\n"), Solution: poison + "try twice"})
			}
		}
	}
	return m
}

var nameLike = regexp.MustCompile(`[A-Za-z_]\w+`)

// proper are the words of a chore's code and error that are no idiom of its family.
func proper(c chore, idiom []string) (words []string) {
	for _, w := range nameLike.FindAllString(c.bad+" "+c.complaint, -1) {
		if !slices.Contains(idiom, w) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// TestFamilies holds the tasks to what is said of them: in a family no file, no name of the code and no message
// is that of another task.
func TestFamilies(t *testing.T) {
	all := families(t)
	if len(all) != 12 {
		t.Fatalf("%d families", len(all))
	}
	for _, f := range all {
		seen := map[string]string{}
		if len(f.chores) != 5 {
			t.Fatalf("%s has %d tasks", f.name, len(f.chores))
		}
		for _, c := range f.chores {
			kind, message, _ := strings.Cut(c.complaint, ": ")
			own := map[string]bool{c.file: true, testreport.Signature(kind, message): true}
			for _, w := range nameLike.FindAllString(c.bad, -1) {
				own[w] = !slices.Contains(f.idiom, w)
			}
			maps.DeleteFunc(own, func(_ string, is bool) bool { return !is })
			for s := range own {
				if other, ok := seen[s]; ok {
					t.Errorf("%s: %q is in %q and in %q", f.name, s, other, c.text)
				}
				seen[s] = c.text
			}
		}
	}
}

// TestLearning works through 60 tasks of 12 families, whose user accepts them, beside distractors and poisoned
// records: later tasks of a family take fewer rounds, since what mended the first one is recalled. Without
// memory they do not.
func TestLearning(t *testing.T) {
	all := families(t)
	run := func(t *testing.T, state func() string, prepare bool) *world {
		w := &world{state: state(), families: all}
		if prepare {
			w.remember(t)
			before := w.count(t)
			w.do(t, all[0].chores[0], false)
			if after := w.count(t); after != before {
				t.Errorf("a rejected task has left something: %d records became %d", before, after)
			}
		}
		for turn := range 5 {
			for _, f := range all {
				w.state = state()
				w.do(t, f.chores[turn], true)
			}
		}
		return w
	}
	shared := t.TempDir()
	with := run(t, func() string { return shared }, true)
	without := run(t, t.TempDir, false)
	first, last, hits := mean(with.rounds[:20]), mean(with.rounds[40:]), [2]float64{share(with.hits[:20]), share(with.hits[40:])}
	t.Logf("rounds in the first and last third: %.2f, %.2f; relied on memory: %.2f, %.2f; without memory: %.2f, %.2f; tasks with poison: %v",
		first, last, hits[0], hits[1], mean(without.rounds[:20]), mean(without.rounds[40:]), with.poisoned)
	if last > first*0.7 || hits[1] < hits[0]+0.3 || hits[1] < 0.7 {
		t.Errorf("it learns too little: rounds by task %v", with.rounds)
	}
	if mean(without.rounds[40:]) != mean(without.rounds[:20]) {
		t.Errorf("without memory: rounds by task %v", without.rounds)
	}
	with.checkNames(t)
	if len(with.poisoned) == 0 || slices.Max(with.poisoned) >= 40 {
		t.Errorf("poisoned records were recalled for the tasks %v, wanted some, and none in the last third", with.poisoned)
	}
}

// checkNames looks in what memory has learnt for lines of the tasks' own code in which there is something to take out.
func (w *world) checkNames(t *testing.T) {
	t.Helper()
	m, err := store.UserMemory(store.Options{StateDir: w.state})
	if err != nil {
		t.Fatal(err)
	}
	all, err := m.All(t.Context(), store.KindFailure)
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, f := range w.families {
		for _, c := range f.chores {
			line := strings.TrimSpace(c.bad)
			if general.New(general.Project{}).Code(c.file, line, nil) == line {
				continue
			}
			looked++
			for _, p := range all {
				if p.Taught > 0 && strings.Contains(p.Text+"\n"+p.Solution, line) {
					t.Errorf("what is remembered holds %q:\n%s\n%s", line, p.Text, p.Solution)
				}
			}
		}
	}
	if looked < 30 {
		t.Errorf("%d lines were looked for", looked)
	}
}

// count is how many records the user's memory has.
func (w *world) count(t *testing.T) int {
	t.Helper()
	m, err := store.UserMemory(store.Options{StateDir: w.state})
	if err != nil {
		t.Fatal(err)
	}
	all, err := m.All(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func mean(list []int) (m float64) {
	for _, n := range list {
		m += float64(n) / float64(len(list))
	}
	return m
}

func share(list []bool) (m float64) {
	for _, yes := range list {
		if yes {
			m += 1 / float64(len(list))
		}
	}
	return m
}

// TestCoreBegins shows that the core of a change begins with its code, whatever the order of its files, without the prose
// beside it.
func TestCoreBegins(t *testing.T) {
	text := func(s string) *workspace.Content { return workspace.NewContent([]byte(s), 0o644) }
	change := func(path, before, after string) workspace.Change {
		return workspace.Compare(workspace.State{}, workspace.State{Files: []workspace.Staged{{Path: path, Base: text(before), Now: text(after)}}}).Files[0]
	}
	changes := []workspace.Change{
		change("CHANGELOG.md", "old\n", "old\nnews of it\n"),
		change("app.toml", "a = 1\n", "a = 2\n"),
		change("src/app.py", "x = 1\n", "x = len('two')\n"),
	}
	g := generalised{general.New(general.Project{})}
	core := g.core(changes)
	if code, setting := strings.Index(core, "len("), strings.Index(core, "2"); strings.Contains(core, "news") || code < 0 || setting < code {
		t.Errorf("the core is\n%s", core)
	}
	if core := g.core(changes[:1]); !strings.Contains(core, "news") {
		t.Errorf("the core of prose alone is\n%s", core)
	}
}
