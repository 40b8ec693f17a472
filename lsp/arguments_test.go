package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/review"
)

// TestArguments reads what editors send for the same thing.
func TestArguments(t *testing.T) {
	for _, tt := range []struct{ raw, task, file string }{
		{`["add a test"]`, "add a test", ""},
		{`["add", "a", "test"]`, "add a test", ""},
		{`[["add a test"]]`, "add a test", ""},
		{`[{"task": "add a test", "file": "a.py"}]`, "add a test", "a.py"},
		{`{"task": "add a test", "file": "a.py"}`, "add a test", "a.py"},
		{`["{\"task\": \"add a test\"}"]`, "add a test", ""},
		{`["{not json"]`, "{not json", ""},
		{`["retry", 3, "times"]`, "retry 3 times", ""},
		{`[null]`, "", ""},
		{`null`, "", ""},
		{``, "", ""},
		{`[]`, "", ""},
	} {
		a, err := parseArguments(json.RawMessage(tt.raw))
		if file, _ := a.field("file"); err != nil || a.text("task") != tt.task || file != tt.file {
			t.Errorf("%s: task %q, file %q, %v", tt.raw, a.text("task"), file, err)
		}
	}
}

// TestSelection reads which hunks are meant.
func TestSelection(t *testing.T) {
	const id = "20251121-040404-ab12"
	all := review.AllHunks
	for _, tt := range []struct {
		raw  string
		task string
		sel  review.Selection
		err  string
	}{
		{`[]`, "", review.Selection{Hunk: all}, ""},
		{`["a.py", 2]`, "", review.Selection{File: "a.py", Hunk: 1}, ""},
		{`["` + id + `", "a.py"]`, id, review.Selection{File: "a.py", Hunk: all}, ""},
		{`[{"task": "` + id + `", "file": "a.py", "hunk": 1}]`, id, review.Selection{File: "a.py", Hunk: 0}, ""},
		{`[{"task": "` + id + `", "hunk": null}]`, id, review.Selection{Hunk: all}, ""},
		{`[2]`, "", review.Selection{Hunk: all}, `hunk 2 of which file? Give {"file": …, "hunk": 2}`},
		{`["a.py", 0]`, "", review.Selection{File: "a.py", Hunk: all}, `"0" is not a hunk number: hunks count from 1`},
		{`["a.py", "b.py"]`, "", review.Selection{File: "a.py", Hunk: all}, `"b.py" is one word too many: give {"task": …, "file": …, "hunk": …}`},
	} {
		a, err := parseArguments(json.RawMessage(tt.raw))
		if err != nil {
			t.Fatal(err)
		}
		task, sel, err := a.selection()
		if got := fmt.Sprint(err); tt.err != "" && got != tt.err || tt.err == "" && (err != nil || task != tt.task || sel.File != tt.sel.File || sel.Hunk != tt.sel.Hunk) {
			t.Errorf("%s: %q, %+v, %v", tt.raw, task, sel, err)
		}
	}
}

// TestPaper shows that what the user wrote comes back, whatever else stands there.
func TestPaper(t *testing.T) {
	p := paper{Kind: forAnswer, Task: "t", Question: "q--1", Focus: &record.Focus{Path: "a-->b.py", FromLine: 1, ToLine: 2}}
	text := p.write("Is a --> b?\n<!-- or not -->", "")
	got, wrote, ok := readPaper(text + "yes --> no\n<!-- caselsp -->\n")
	if !ok || wrote != "yes --> no\n<!-- caselsp -->" || got.Question != p.Question || *got.Focus != *p.Focus {
		t.Errorf("%v: %+v, %q", ok, got, wrote)
	}
	if _, wrote, ok := readPaper("first" + strings.Replace(text, "}\n", "}second\n", 1) + "third"); !ok || wrote != "first\nsecond\nthird" {
		t.Errorf("%v: %q, typed at other places", ok, wrote)
	}
	for _, no := range []string{"", "# caselsp", "<!-- caselsp -->", "<!-- caselsp {} -->\n-->", "<!-- caselsp {\"kind\":\"task\"}\nnever ends"} {
		if _, _, ok := readPaper(no); ok {
			t.Errorf("%q is no paper", no)
		}
	}
}

// TestVisible spells out what no person types.
func TestVisible(t *testing.T) {
	for in, want := range map[string]string{"make test": "make test", "echo \x1b[2K": `echo \u{1b}[2K`, "rm \u202egnp": `rm \u{202e}gnp`, "a\nb": "a\nb", "naïve 漢": "naïve 漢"} {
		if got := agent.Visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
