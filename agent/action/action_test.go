package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/workspace"
)

// TestParse lists what models get wrong about arguments, and what they are told.
func TestParse(t *testing.T) {
	all := All()
	for _, c := range []struct {
		name, args, want string // want: in the error; "" for none
	}{
		{WriteFileName, `{"thought":"t","path":"a.py","content":""}`, ""},
		{WriteFileName, `{"path":"a.py","content":"x","from":2,"to":3}`, ""},
		{WriteFileName, `{"path":"a.py","content":"x","from":2}`, "1 <= from <= to"},
		{WriteFileName, `{"path":"a.py","content":"x","from":3,"to":2}`, "1 <= from <= to"},
		{WriteFileName, `{"path":"a.py","content":"x","start_line":3}`, `unknown field "start_line"`},
		{WriteFileName, `{"path":7,"content":"x"}`, `argument "path" must be a string, not a number`},
		{WriteFileName, `{"path":" ","content":"x"}`, "path is empty"},
		{WriteFileName, `{"path":"a.py"}`, `argument "content" is missing`},
		{WriteFileName, `{"path":"a.py","content":null}`, `argument "content" is missing`},
		{WriteFileName, `{"path":"a.py","content":["x"]}`, `argument "content" must be a string, not an array`},
		{WriteFileName, `{"path":"a.py`, "not a JSON object"},
		{WriteFileName, `["a.py"]`, "not a JSON object"},
		{WriteFileName, `{"thought":["x"],"path":"a.py","content":"x"}`, "thought must be a string"},
		{PatchFileName, `{"path":"a.py","patch":""}`, "patch is empty"},
		{RunCommandName, `{"command":"  "}`, "command is empty"},
		{RunCommandName, `{"command":"` + strings.Repeat("x", maxCommand+1) + `"}`, "write a script file"},
		{RenameFileName, `{"from":"a","to":"a"}`, "they must differ"},
		{RequestUserInput, `{"question":"q","choices":["a",""]}`, "must have 1 to"},
		{RequestUserInput, `{"question":"Please enter your API key for the service."}`, "never asked for in words"},
		{RequestUserInput, `{"question":"What is the database password?"}`, "never asked for in words"},
		{RequestUserInput, `{"question":"Which password hasher shall it be? What is the default?","choices":["argon2","bcrypt"]}`, ""},
		{RequestUserInput, `{"question":"Shall the login need a second factor?"}`, ""},
		{RequestUserInput, `{"question":"What is the site called?","name":"SITE_NAME"}`, ""},
		{RequestUserInput, `{"question":"Which one?","name":"API_TOKEN"}`, "cannot be remembered"},
		{RequestUserInput, `{"question":"Which one?","name":"site name"}`, "cannot be remembered"},
		{RollbackName, `{"reason":"r","step":-1}`, "from 1"},
		{GitStatusName, ``, ""},
		{OutlineName, `{"symbol":"Post"}`, ""},
		{OutlineName, `{}`, "path is empty"},
		{OutlineName, `{"path":"a.py","symbol":"Post"}`, "not both"},
		{SubmitPlanName, `{"analysis":"","files_to_create":[],"files_to_change":[],"steps":[],"considerations":[],"features":[]}`, "at least one"},
		{SubmitPlanName, plan(`{"id":"a","title":"A","description":"d"},{"id":"a","title":"A","description":"d"}`), "used twice"},
		{SubmitPlanName, plan(`{"id":"a","title":"A","description":"d","depends_on":["b"]},{"id":"b","title":"B","description":"d"}`), "does not come before it"},
		{SubmitPlanName, plan(`{"id":"a","title":"A","description":"d"},{"id":"b","title":"B","description":"d","depends_on":["a"]}`), ""},
		{SubmitPlanName, plan(`{"id":"a","title":"A","description":"d"},{"id":"b","title":"B","description":"d","test_command":"make"}`),
			`unknown field "test_command" in features[1]. The fields there are: id, title, description`},
		{SubmitPlanName, plan(`{"id":1,"title":"A","description":"d"},{"id":"2","title":"B","description":"d","depends_on":[1]}`), ""},
		{SubmitPlanName, `{"analysis":"","files_to_create":"","features":{"id":1,"title":7,"description":"d"}}`,
			`argument "features" must be an array, not an object; argument "features[0].title" must be a string, not a number; argument "files_to_create" must be an array, not a string`},
		{SubmitVerdictName, `{"completion":100,"approved":true,"summary":"s","issues":[]}`, ""},
		{SubmitVerdictName, `{"approved":true,"summary":"s","issues":[]}`, "completion must be"},
		{SubmitVerdictName, `{"completion":100,"approved":"no","summary":"s","issues":["i"]}`, ""},
		{SubmitVerdictName, `{"completion":50,"summary":"s","issues":[],"remarks":["r"]}`, ""},
		{SubmitVerdictName, `{"completion":101,"summary":"s","issues":[]}`, "completion must be"},
		{SubmitVerdictName, `{"completion":100,"summary":"s","issues":[],"passed":true}`, "passed"},
		{WriteFileName, `{"line":1,"path":7,"from":1.5}`, `argument "from" must be an integer, not a number with a fraction; unknown field "line"; argument "path" must be a string, not a number; argument "content" is missing. Its arguments are: path, content, from`},
		{SubmitVerdictName, `{"completion":"all","issues":["i"]}`, `argument "completion" must be an integer, not a string; summary is empty: say what the changes do`},
		{SubmitVerdictName, `{}`, `completion must be a whole number from 0 to 100; summary is empty`},
		{SubmitFixName, `{}`, `cause is empty: name the error and the change behind it; fix is empty`},
		{SubmitPlanName, plan(`{"name":"A"},7,{"id":"c","title":7,"description":"d"}`), `unknown field "name" in features[0]; argument "features[1]" must be an object, not a number; argument "features[2].title" must be a string, not a number; feature 1 needs an id, a title and a description. The fields there are: id`},
		{SubmitPlanName, plan(strings.Repeat(`{"id":"a"},`, 20) + `{"id":"a"}`), "and 31 more"},
		{RenameFileName, `{}`, `argument "from" is missing; argument "to" is missing. Its`},
		{PatchFileName, `{"patch":"@@ -1 +1 @@\n-a\n+b\n"}`, "the patch does not name a file that it changes"},
		{PatchFileName, `{"patch":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}`, ""},
		{"DROP_TABLE", `{}`, "no such action"},
	} {
		_, err := Parse(c.name, c.args, all)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %s: got %v, want %q", c.name, c.args, err, c.want)
		}
	}
	if _, err := Parse(WriteFileName, `{}`, []*Verb{ListFilesVerb}); err == nil {
		t.Error("an action that was not offered was taken")
	}
}

func plan(features string) string {
	return `{"analysis":"","files_to_create":[],"files_to_change":[],"steps":[],"considerations":[],"features":[` + features + `]}`
}

// TestSchemas keeps every verb whole: a text and the schema of an object, without what
// servers do not need.
func TestSchemas(t *testing.T) {
	for _, v := range All() {
		var s schema
		if err := json.Unmarshal(v.Schema, &s); err != nil {
			t.Fatal(err)
		}
		if v.Text == "" || s.Type != "object" || strings.Contains(string(v.Schema), "additionalProperties") {
			t.Errorf("%s: %s %s", v.Name, v.Text, v.Schema)
		}
		if _, thought := s.Properties["thought"]; thought == (v.FreeOfSteps() || v.Effect == Submits) {
			t.Errorf("%s: a thought is asked for: %t", v.Name, thought)
		}
	}
}

// workspaceOf is a workspace with files, by their paths.
func workspaceOf(t *testing.T, files map[string]string) *workspace.Workspace {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// TestPatchSpacedNames patches files with blanks in their names, which stand above the edits as other names do.
func TestPatchSpacedNames(t *testing.T) {
	w := workspaceOf(t, map[string]string{"a b.md": "one\n", "c d ü.md": "one\n"})
	edit := func(name string) string {
		return name + "\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"
	}
	for patched, ok := range map[string]bool{
		edit("a b.md"):                      true,
		edit("`a b.md`"):                    true,
		edit("a b.md") + edit("c d ü.md"):   true,
		edit("Change the file a b.md"):      false,
		edit("This makes a b.md say two"):   false,
		edit("no such.md") + edit("a b.md"): false,
	} {
		o := w.NewOverlay()
		shown := map[string]Shown{"a b.md": {Path: "a b.md", Full: true}, "c d ü.md": {Path: "c d ü.md", Full: true}}
		args := PatchFile{Patch: patched}
		err := args.Check()
		if err == nil {
			_, err = Do(t.Context(), args, Env{Overlay: o, Shown: shown})
		}
		if (err == nil) != ok || errors.Is(err, ErrUndeclared) {
			t.Errorf("%q: %v", patched, err)
		}
		o.Close()
	}
}

// TestSearchShows shows that lines which a search gave whole count as shown, and no others.
func TestSearchShows(t *testing.T) {
	w := workspaceOf(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\n" + strings.Repeat("x", 10_000) + " two\n"})
	o := w.NewOverlay()
	defer o.Close()
	for around, want := range map[int]string{0: "[{2 2}]", 1: "[{1 4}]"} {
		r, err := Do(t.Context(), SearchText{Pattern: "two", Context: around}, Env{Overlay: o, Shown: map[string]Shown{}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Also) != 1 || r.Also[0].Path != "a.txt" || r.Also[0].Full || fmt.Sprint(r.Also[0].ranges()) != want {
			t.Errorf("with %d lines around it, %+v was shown, want %s", around, r.Also, want)
		}
	}
}

// TestLooks shows what the read-only verbs answer.
func TestLooks(t *testing.T) {
	w := workspaceOf(t, map[string]string{
		"shop/cart.py":   "import os\n\n\nclass Cart:\n    def add(self, item):\n        return item\n",
		"shop/broken.py": "def f(:\n",
		"long.txt":       strings.Repeat("line\n", numberedLines+1),
		"long.py":        "def f(): pass\n" + strings.Repeat("pass\n", numberedLines),
		"NEWS":           "1.1\n---\n* new\n\n1.0\n---\n",
	})
	o := w.NewOverlay()
	defer o.Close()
	env := Env{Overlay: o, Shown: map[string]Shown{}}
	for _, c := range []struct {
		name, args string
		want       []string
		not        string
	}{
		{ListFilesName, `{"glob":"**/*.py"}`, []string{"shop/broken.py (8 bytes)", "shop/cart.py"}, "long.txt"},
		{ListFilesName, `{"glob":"*.rs"}`, []string{"No files."}, ""},
		{SearchTextName, `{"pattern":"CART","ignore_case":true}`, []string{"shop/cart.py\n4: class Cart:"}, ""},
		{SearchTextName, `{"pattern":"def \\w+\\(self","regexp":true}`, []string{"shop/cart.py\n5:     def add(self, item):"}, "broken"},
		{SearchTextName, `{"pattern":"nowhere"}`, []string{"Nothing found."}, ""},
		{SearchTextName, `{"pattern":"def add","context":1}`, []string{"shop/cart.py\n4- class Cart:\n5:     def add(self, item):\n6- "}, "\n3-"},
		{SearchTextName, `{"pattern":"line","context":1000}`, []string{"long.txt\n1: line\n2: line\n", "There are more matches"}, "25-"},
		{SearchTextName, `{"pattern":"Cart|item","regexp":true,"context":1}`, []string{"shop/cart.py\n3- \n4: class Cart:\n5:     def add(self, item):\n6:         return item\n"}, "--"},
		{OutlineName, `{"symbol":"cart"}`, []string{"shop/cart.py:4-6: class Cart\n"}, "add"},
		{OutlineName, `{"symbol":"Basket"}`, []string{"Nothing of this name is declared."}, ""},
		{OutlineName, `{"path":"shop/cart.py"}`, []string{"4-6 ", "Cart", "  5-6 ", "add"}, ""},
		{DiagnosticsName, `{"path":"shop/broken.py"}`, []string{"shop/broken.py:1: critical:"}, ""},
		{DiagnosticsName, `{"path":"shop/cart.py"}`, []string{"No findings."}, ""},
		{GetFullFileContent, `{"path":"shop/cart.py"}`, []string{"shop/cart.py (6 lines)", "    4  class Cart:"}, ""},
		{GetFullFileContent, `{"path":"shop/cart.py","from":4,"to":4}`, []string{"lines 4 to 4", "    4  class Cart:"}, "def add"},
		{GetFullFileContent, `{"path":"long.txt"}`, []string{"long.txt (501 lines), without line numbers: a range has them\nline\n"}, "    1  line"},
		{GetFullFileContent, `{"path":"long.txt","from":500,"to":501}`, []string{"  500  line\n  501  line\n"}, "  499"},
		{GetFullFileContent, `{"path":"long.py"}`, []string{"long.py (501 lines), without", "pass\npass\n", "for reading ranges with numbers:\nlong.py (501 lines)\n1-1 def f()\n"}, "    1  "},
		{OutlineName, `{"path":"long.txt"}`, []string{"long.txt (501 lines), lines 1 to 40\n    1  line\n"}, "   41  "},
		{OutlineName, `{"path":"NEWS"}`, []string{"NEWS (6 lines)\n1-3 1.1\n5-6 1.0\n"}, ""},
	} {
		a, err := Parse(c.name, c.args, All())
		if err != nil {
			t.Fatal(err)
		}
		r, err := Do(context.Background(), a.Args.(Doer), env)
		if err != nil {
			t.Errorf("%s %s: %v", c.name, c.args, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(r.Said.Quote, want) {
				t.Errorf("%s %s: %q is not in\n%s", c.name, c.args, want, r.Said)
			}
		}
		if c.not != "" && strings.Contains(r.Said.Quote, c.not) {
			t.Errorf("%s %s: %q is in\n%s", c.name, c.args, c.not, r.Said)
		}
	}
}

// TestUnseen: the refusal of an edit of lines that were not shown shows them, so that they are known;
// of many, it says that they are to be read.
func TestUnseen(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "line %d\n", i+1)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	o := w.NewOverlay()
	defer o.Close()
	patched := PatchFile{Path: "a.txt", Patch: "@@\n line 49 \n-line 50\n+LINE 50\n line 51\n@@\n line 99 \n-line 100\n line 101\n"}
	for name, c := range map[string]struct {
		args  Doer
		room  int
		known []Range
	}{
		"lines":          {WriteFile{Path: "a.txt", From: 50, To: 52, Content: "x\n"}, 0, []Range{{47, 55}}},
		"at the end":     {WriteFile{Path: "a.txt", From: 200, To: 200, Content: "x\n"}, 0, []Range{{197, 200}}},
		"many lines":     {WriteFile{Path: "a.txt", From: 1, To: 100, Content: "x\n"}, 0, nil},
		"no room":        {WriteFile{Path: "a.txt", From: 50, To: 52, Content: "x\n"}, 300, nil},
		"two of a patch": {patched, 0, []Range{{47, 53}, {97, 103}}},
	} {
		_, err := Do(context.Background(), c.args, Env{Overlay: o, MaxShown: c.room})
		var quoting *Quoting
		if !errors.As(err, &quoting) {
			if c.known != nil || err == nil || !strings.HasSuffix(err.Error(), "Read them with GET_FULL_FILE_CONTENT first") {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		if !slices.Equal(quoting.Known.Ranges, c.known) || !strings.Contains(quoting.Shown, fmt.Sprintf("%5d  line %d\n", c.known[0].From, c.known[0].From)) {
			t.Errorf("%s: %v are known of\n%s", name, quoting.Known.Ranges, quoting.Shown)
		}
		env := Env{Overlay: o, MaxShown: c.room, Shown: map[string]Shown{"a.txt": *quoting.Known}}
		before := o.State()
		if _, err := Do(context.Background(), c.args, env); err != nil {
			t.Errorf("%s: with the lines shown, got %v", name, err)
		}
		if err := o.Restore(before); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPatchSeveral patches two files in one action, and refuses it where one of them
// cannot be patched.
func TestPatchSeveral(t *testing.T) {
	w := workspaceOf(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "one\ntwo\n"})
	o := w.NewOverlay()
	defer o.Close()
	args := PatchFile{Path: "a.txt", Patch: "--- a/a.txt\n+++ b/a.txt\n@@\n one\n-two\n+TWO\n--- a/b.txt\n+++ b/b.txt\n@@\n-one\n+ONE\n two\n@@\n"}
	env := Env{Overlay: o, Shown: map[string]Shown{"a.txt": {Path: "a.txt", Full: true}}}
	inexact := args
	inexact.Patch = strings.Replace(args.Patch, "-one\n", "-one  \n", 1)
	if _, err := Do(context.Background(), inexact, env); err == nil || !strings.Contains(err.Error(), "of b.txt, where the patch lands, was not shown to you") {
		t.Errorf("got %v for a file that was not shown", err)
	}
	if err := o.Restore(w.NewOverlay().State()); err != nil {
		t.Fatal(err)
	}
	env.Shown["b.txt"] = Shown{Path: "b.txt", Full: true}
	r, err := Do(context.Background(), args, env)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := o.Read("a.txt")
	b, _ := o.Read("b.txt")
	if a.Text != "one\nTWO\n" || b.Text != "ONE\ntwo\n" || len(r.Hunks) != 2 || len(r.Also) != 1 || !strings.Contains(r.Said.More, "passed over") {
		t.Errorf("got %q and %q, %+v", a.Text, b.Text, r)
	}
	args.Path = "c.txt"
	if _, err := Do(context.Background(), args, env); err == nil || !strings.Contains(err.Error(), "path is c.txt but the patch names a.txt") {
		t.Errorf("got %v for a path that the patch does not name", err)
	}
}

// TestWriteOver writes a whole file over what the model was not shown of it: lines that the user has written since the task
// began, and those of a version that it was only told of, are not written over unseen.
func TestWriteOver(t *testing.T) {
	w := workspaceOf(t, map[string]string{"a.txt": "one\ntwo\n"})
	f, err := w.Read("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	touched := func(string) bool { return true }
	for _, c := range []struct {
		name    string
		shown   map[string]Shown
		touched func(string) bool
		ok      bool
	}{
		{"never shown, as when the task began", nil, nil, true},
		{"never shown, and the user's since", nil, touched, false},
		{"of another version", map[string]Shown{"a.txt": {Path: "a.txt", Hash: "old", Full: true}}, nil, false},
		{"told of, and not read", map[string]Shown{"a.txt": {Path: "a.txt", Hash: f.Hash}}, nil, false},
		{"read in part", map[string]Shown{"a.txt": {Path: "a.txt", Hash: f.Hash, Ranges: []Range{{1, 1}}}}, nil, false},
		{"read", map[string]Shown{"a.txt": {Path: "a.txt", Hash: f.Hash, Ranges: []Range{{1, 2}}}}, touched, true},
		{"written", map[string]Shown{"a.txt": {Path: "a.txt", Hash: f.Hash, Full: true}}, touched, true},
	} {
		o := w.NewOverlay()
		_, err := Do(t.Context(), WriteFile{Path: "a.txt", Content: "three\n"}, Env{Overlay: o, Shown: c.shown, Touched: c.touched})
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		var quoting *Quoting
		if c.touched != nil && !c.ok && (!errors.As(err, &quoting) || !strings.Contains(quoting.Shown, "two") || quoting.Known == nil) {
			t.Errorf("%s: the lines are not shown: %v", c.name, err)
		}
		o.Close()
	}
}

// TestPatchFitting: the refusal of a patch says what of it fits as it is.
func TestPatchFitting(t *testing.T) {
	dir := t.TempDir()
	shown := map[string]Shown{}
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("one\ntwo\nthree\nfour\nfive\nsix\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		shown[name] = Shown{Path: name, Full: true}
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	part := func(name string, words ...string) string {
		text := "--- a/" + name + "\n+++ b/" + name + "\n"
		for _, word := range words {
			text += "@@\n-" + word + "\n+" + strings.ToUpper(word) + "\n"
		}
		return text
	}
	for _, c := range []struct{ patch, want string }{
		{part("a.txt", "one") + part("b.txt", "seven") + part("c.txt", "six"), "the 1 hunk for a.txt; the 1 hunk for c.txt."},
		{part("a.txt", "one", "seven", "five"), "hunks 1, 3 of a.txt."},
		{part("a.txt", "one", "seven") + part("b.txt", "two", "five"), "hunk 1 of a.txt; the 2 hunks for b.txt."},
		{part("a.txt", "seven"), ""},
		{part("a.txt", "seven") + part("b.txt", "eight"), ""},
		{part("a.txt", "one") + part("gone.txt", "one"), "the 1 hunk for a.txt."},
	} {
		o := w.NewOverlay()
		_, err := Do(context.Background(), PatchFile{Patch: c.patch}, Env{Overlay: o, Shown: shown})
		o.Close()
		if err == nil {
			t.Errorf("%q is not refused", c.patch)
			continue
		}
		_, said, _ := strings.Cut(err.Error(), "What fits as it is: ")
		if said, _, _ = strings.Cut(said, " Send"); said != c.want {
			t.Errorf("%q: %q fits, want %q; the error: %v", c.patch, said, c.want, err)
		}
	}
}

// TestHeadAndTail keeps the two ends of a long output and says what is missing.
func TestHeadAndTail(t *testing.T) {
	long := "first\n" + strings.Repeat("middle\n", 10_000) + "last"
	got := headAndTail(long)
	if !strings.HasPrefix(got, "first\n") || !strings.HasSuffix(got, "last\n") || len(got) > outputHead+outputTail+100 || !strings.Contains(got, "bytes left out]") {
		t.Errorf("got %d bytes: %.80q ... %q", len(got), got, got[len(got)-80:])
	}
	if got := headAndTail("short"); got != "short\n" {
		t.Errorf("got %q", got)
	}
}
