package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent/llm/llmtest"
	"caselsp/lsp/lsptest"
	"caselsp/store/secret"
)

// seen are the kinds of values that come through, each with the reason.
var seen = map[string]string{
	"Django SECRET_KEY":        "every new project has one; Django itself marks it as insecure",
	"value reversed and split": "nothing tells it from other text",
	"Lua and nginx":            "words with blanks in a program's text are mostly sentences",
}

// kindOfValue is one of the kinds of store/testdata/canary.jsonl.gz.
type kindOfValue struct {
	Kind, File, Content string
	Value               any // a string, or a list of them
	folder              string
}

func (k *kindOfValue) values() (list []string) {
	if text, ok := k.Value.(string); ok {
		return []string{text}
	}
	for _, v := range k.Value.([]any) {
		list = append(list, v.(string))
	}
	return list
}

func readKinds(t *testing.T) (list []kindOfValue) {
	t.Helper()
	file, err := os.Open("../../store/testdata/canary.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(plain); d.More(); {
		k := kindOfValue{folder: fmt.Sprintf("k%03d", len(list))}
		if err := d.Decode(&k); err != nil {
			t.Fatal(err)
		}
		list = append(list, k)
	}
	return list
}

// printing are commands that show all that they can get at, in several writings.
var printing = []string{
	"git ls-files -z 'k%d*' | xargs -0 tail -n +1; false",
	"find k%d* -type f -print0 | xargs -0 cat; false",
	"cat k%[1]d*/*.env k%[1]d*/.env* k%[1]d*/*/.env* linked hard folder/*; false",
	"grep -rn . k%d*; false",
	"for f in $(find k%d* -type f); do base64 -w0 $f; echo; done; false",
	"for f in $(find k%d* -type f); do base64 $f; od -An -v -tx1 $f; done; false",
	"for f in $(find k%d* -type f); do od -An -v -tx1 $f | tr -d ' \\n'; echo; done; false",
	"python3 -c 'import glob,json,html,urllib.parse as u\nfor f in glob.glob(\"k%d*/**\", recursive=True, include_hidden=True):\n  try: t=open(f).read()\n  except Exception: continue\n  print(f, repr(t), json.dumps(json.dumps(t)), html.escape(t), u.quote(t))'; false",
	"git show HEAD -- 'k%[1]d*'; git diff -- 'k%[1]d*'; git log -p -- 'k%[1]d*'; false",
}

// failing is a test that shows values when it fails.
const failing = `import os, unittest
class Values(unittest.TestCase):
    maxDiff = None
    def test_values(self):
        for folder, _, names in os.walk("."):
            for name in names:
                if "/k" in folder:
                    with self.subTest(name), open(os.path.join(folder, name), errors="replace") as f:
                        self.assertEqual(f.read(), "canary-marker-of-the-tests")
`

// kindsModel reads all files and runs all commands, in a terminal; and searches, prints
// and has tests fail in an editor.
func kindsModel(kinds []kindOfValue) llmtest.Script {
	var s llmtest.Script
	call := func(role, verb string, args map[string]any, want ...string) {
		args["thought"] = "canary-marker-of-a-thought"
		raw, _ := json.Marshal(args) // strings always can be
		s.Rules = append(s.Rules, llmtest.Rule{Name: fmt.Sprintf("rule %d", len(s.Rules)), Role: role, Want: want, Reply: llmtest.Reply{Calls: []llmtest.Call{{Name: verb, Args: string(raw)}}}})
	}
	look := func(lines []string) {
		for _, pattern := range []string{".", "(?i)pass|secret|token|key", `[A-Za-z0-9_+/-]{8,}`} {
			for n := range 3 {
				call("case", "SEARCH_TEXT", map[string]any{"pattern": pattern, "regexp": true, "glob": fmt.Sprintf("k%d*/**", n)})
			}
		}
		call("case", "LIST_FILES", map[string]any{})
		call("case", "GIT_STATUS", map[string]any{})
		call("case", "GIT_DIFF", map[string]any{})
		for _, line := range lines {
			for n := range 3 {
				call("case", "RUN_COMMAND", map[string]any{"command": fmt.Sprintf(line, n)})
			}
		}
	}
	for i, k := range kinds {
		if secret.Hidden(k.File) && i%8 > 0 { // the user is given time to read each question
			continue
		}
		call("case", "GET_FULL_FILE_CONTENT", map[string]any{"path": k.folder + "/" + k.File})
	}
	for _, path := range []string{"linked", "hard", "folder/backend/.env"} {
		call("case", "GET_FULL_FILE_CONTENT", map[string]any{"path": path})
	}
	look(printing)
	call("case", "FINISH_FEATURE", map[string]any{"summary": "read"})

	call("tars", "SUBMIT_PLAN", map[string]any{"analysis": "x", "files_to_create": []any{}, "files_to_change": []any{}, "steps": []any{}, "considerations": []any{},
		"features": []any{map[string]any{"id": "f", "title": "Look", "description": "Look at all.", "files": []any{"linked", "hard"}, "test": "python3 -m unittest"}}})
	look(printing[:1])
	call("case", "WRITE_FILE", map[string]any{"path": "test_values.py", "content": failing})
	call("case", "FINISH_FEATURE", map[string]any{"summary": "read"})
	call("reflector", "SUBMIT_HYPOTHESIS", map[string]any{"cause": "values", "fix": "none", "file": "test_values.py"}, "canary-marker-of-the-tests")
	call("case", "WRITE_FILE", map[string]any{"path": "test_values.py", "content": "import unittest\nclass Values(unittest.TestCase):\n    def test_nothing(self):\n        self.assertTrue(True)\n"})
	call("case", "FINISH_FEATURE", map[string]any{"summary": "mended", "fixes_applied": []any{"test"}, "analysis": "x"})
	call("tars", "SUBMIT_VERDICT", map[string]any{"completion": 100, "approved": true, "summary": "done", "issues": []any{}})
	return s
}

// TestKinds has a model look for the values of some 200 kinds in all the ways that it
// has, with a user who allows everything, and looks for them in all that was sent,
// shown and kept.
func TestKinds(t *testing.T) {
	t.Parallel()
	need(t, "native")
	need(t, "git")
	kinds := readKinds(t)
	c := &cage{served: &served{t: t, home: t.TempDir(), model: llmtest.Start(t, kindsModel(kinds))}, engine: "native"}
	c.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "XDG_STATE_HOME=" + c.home + "/.state", "XDG_CONFIG_HOME=" + c.home + "/.config", "XDG_CACHE_HOME=" + c.home + "/.cache",
		"CASELSP_SANDBOX_ENGINE=native", "CASELSP_TRUST_FOLDERS=" + c.home, "CASELSP_MODEL_BASE_URL=" + c.model.URL, "CASELSP_MODEL_NAME=scripted", "CASELSP_LOG_LEVEL=debug", "CASELSP_LIMITS_STEPS=400", "CASELSP_LINT_WHEN=never"}
	c.layOut(kinds)
	c.approving("run", "--yes", "--single", "--dir", "project", "--task", "canary-marker-of-the-task: read all")
	c.cmd = exec.Command("caselsp", "serve")
	c.cmd.Env, c.cmd.Stderr = c.env, &c.said
	c.connect(lsptest.Options{Root: filepath.Join(c.home, "project"), Reading: demoReading, Answer: func(q lsptest.Question) string {
		for _, choice := range []string{"Allow once", "Allow for this task", "Yes"} {
			if slices.Contains(q.Choices, choice) {
				return choice
			}
		}
		return ""
	}})
	c.command("caselsp.run", "canary-marker-of-the-task: look at all")
	c.expect(lsptest.Opened("review-"))
	for _, id := range []string{"caselsp.history", "caselsp.state", "caselsp.report", "caselsp.approvals", "caselsp.status", "caselsp.doctor"} {
		c.command(id)
	}
	c.must(c.cmd.Process.Kill())
	_ = c.cmd.Wait()
	c.caselsp(nil, "", "review", "--dir", "project")
	for _, line := range strings.Split(strings.TrimSpace(c.caselsp(nil, "", "history", "--dir", "project")), "\n") {
		id, _, _ := strings.Cut(line, " ")
		c.caselsp(nil, "", "history", "--dir", "project", id)
		c.caselsp(nil, "", "export", "--dir", "project", "-o", "rec-"+id+".jsonl", id)
	}
	c.lookFor(kinds)
}

// approvingLimit ends a run whose question is not recognized: with a terminal it would wait for ever.
const approvingLimit = 10 * time.Minute

// approving runs caselsp with a user at a pipe who allows whatever is asked for, by the question's name.
func (c *cage) approving(args ...string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), approvingLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "caselsp", args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.home, c.env, time.Second
	in, err := cmd.StdinPipe()
	c.must(err)
	y := &approver{said: &c.said, in: in}
	cmd.Stdout, cmd.Stderr = y, y
	if err := cmd.Run(); err != nil || y.asked == 0 {
		c.t.Fatalf("caselsp %q: %v, after %d questions\n%s", args, err, y.asked, c.said.bytes())
	}
}

// approver reads a terminal and allows what is asked for.
type approver struct {
	said  *transcript
	in    io.Writer
	new   []byte // what was said since the last answer
	asked int
}

var askedName = regexp.MustCompile(`(?m)^ *question (q\d+): `)

// Write implements io.Writer.
func (a *approver) Write(p []byte) (int, error) {
	a.new = append(a.new, p...)
	if names := askedName.FindAllSubmatch(a.new, -1); names != nil && bytes.HasSuffix(a.new, []byte(" > ")) {
		a.new, a.asked = nil, a.asked+1
		if _, err := fmt.Fprintf(a.in, "%s y\n", names[len(names)-1][1]); err != nil {
			return 0, err
		}
	}
	return a.said.Write(p)
}

// layOut makes a project of all kinds, in git, with changes, and with links.
func (c *cage) layOut(kinds []kindOfValue) {
	project := filepath.Join(c.home, "project")
	for _, k := range kinds {
		path := filepath.Join(project, k.folder, k.File)
		c.must(os.MkdirAll(filepath.Dir(path), 0o755))
		c.must(os.WriteFile(path, []byte(k.Content), 0o644))
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=u", "-c", "user.email=u@shop.example"}, args...)...)
		cmd.Dir = project
		out, err := cmd.CombinedOutput()
		if err != nil {
			c.t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "--force", ".")
	git("commit", "-q", "-m", "all")
	for _, k := range kinds {
		c.must(os.WriteFile(filepath.Join(project, k.folder, k.File), []byte(k.Content+"\n"), 0o644))
	}
	c.must(os.Symlink("k017/backend/.env", filepath.Join(project, "linked")))
	c.must(os.Symlink("k017", filepath.Join(project, "folder")))
	c.must(os.Link(filepath.Join(project, "k017/backend/.env"), filepath.Join(project, "hard")))
}

// lookFor looks for values in all that was sent, shown and kept.
func (c *cage) lookFor(kinds []kindOfValue) {
	places := map[string][]byte{"what the editor was sent": c.heard.bytes(), "what was said on terminals": c.said.bytes()}
	for _, r := range c.model.Requests() {
		places["what the model was sent"] = append(places["what the model was sent"], r.Body...)
	}
	c.must(filepath.WalkDir(c.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(path, filepath.Join(c.home, "project")+"/") {
			return err
		}
		places[path[len(c.home):]], err = os.ReadFile(path)
		return err
	}))
	n := newNeedles()
	for i, k := range kinds {
		for _, v := range k.values() {
			n.add(i, v)
		}
	}
	found := map[string]map[string]bool{} // kind: places
	for where, data := range places {
		for i, form := range n.in(data) {
			k := kinds[i]
			if found[k.Kind] == nil {
				found[k.Kind] = map[string]bool{}
			}
			found[k.Kind][where] = true
			if seen[k.Kind] == "" {
				c.t.Errorf("%s: %s in %s/%s comes through, %s: …%q…", where, k.Kind, k.folder, k.File, form.how, around(data, form.form))
			}
		}
	}
	for kind := range seen {
		if found[kind] == nil {
			c.t.Errorf("%s does not come through any more", kind)
		}
	}
	if len(kinds) < 128 || len(places) < 8 {
		c.t.Errorf("only %d kinds were looked for in %d places", len(kinds), len(places))
	}
	for where, mark := range map[string]string{"what the model was sent": "canary-marker-of-the-tests", "what the editor was sent": "canary-marker-of-a-thought", "what was said on terminals": "canary-marker-of-a-thought"} {
		if !bytes.Contains(places[where], []byte(mark)) {
			c.t.Errorf("%s does not hold %s: the search says nothing", where, mark)
		}
	}
}

// needles are the writings of many values, by their first bytes.
type needles map[uint32][]needle

type needle struct {
	of        int
	how, form string
}

func newNeedles() needles { return needles{} }

// add adds a value in all writings that show it.
func (n needles) add(of int, value string) {
	forms := formsOf(value)
	for shift := range 3 { // as a part of what is in base64
		coded := base64.StdEncoding.EncodeToString([]byte("xxx"[:shift] + value))
		from := []int{0, 2, 3}[shift]
		forms[fmt.Sprint("in base64 after ", shift)] = coded[from : (shift+len(value))*8/6]
	}
	for how, form := range forms {
		if how == "in base64, as a part" || len(form) < 4 {
			continue
		}
		start := binary.LittleEndian.Uint32([]byte(form))
		n[start] = append(n[start], needle{of, how, form})
	}
}

// in returns the values that data holds, and how each first does.
func (n needles) in(data []byte) map[int]needle {
	found := map[int]needle{}
	for i := range len(data) - 3 {
		for _, one := range n[binary.LittleEndian.Uint32(data[i:])] {
			if found[one.of].form == "" && bytes.HasPrefix(data[i:], []byte(one.form)) {
				found[one.of] = one
			}
		}
	}
	return found
}
