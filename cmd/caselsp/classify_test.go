package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClassify gives tasks at a terminal whose language and type nothing says: the user is asked for them, an empty line
// leaves them to TARS, and a replay comes to the same. Neither --yes nor a pipe asks.
func TestClassify(t *testing.T) {
	t.Parallel()
	const plan = `call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Add", "description": "Add numbers."}]}
`
	const work = `on case
call WRITE_FILE {"thought": "t", "path": "notes", "content": "x\n"}
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
want Diff of this feature
call SUBMIT_VERDICT {"completion": 100, "summary": "done", "issues": []}
`
	const hold = "on case\nhold\n" + `call LIST_FILES {"thought": "t"}` + "\n"
	c := newCrashed(t, crashRun{model: "on tars\nwant Language: Go\n" + plan + hold + work + "on tars\nnot Language:\n" + plan + work + "on tars\nnot Language:\n" + plan + work})
	c.must(os.Mkdir(c.project(), 0o755))
	h := sitAt(c, "120", "40")
	h.runs(c, "COLORTERM=", "run", "add up numbers")
	h.onScreen(`(?m)^Caselsp asks:\n  \| In which language shall the code be\?\n  1. “Python”\n(.|\n)*  5. “leave it to TARS”\nThere is no code here yet(.|\n)*^1-5, or your own words; Enter = leave it to TARS > *$`)
	h.answers("4", "Enter")
	h.onScreen(`(?m)^  \| What type of task is this\?\n  1. “fix”\n(.|\n)*^1-7, or your own words; Enter = leave it to TARS > *$`)
	h.answers("Enter")
	h.onScreen(`(?m)answer to q2: leave it to TARS(.|\n)*^── coding `)
	h.held()
	c.model.Release()
	h.onScreen(`anything else = later > *`)
	h.answers("Enter")
	h.onScreen(`(?m)^   type of the task: feature \(go\)\n`)
	c.caselsp(all, "export", "--output", filepath.Join(c.home, "run.jsonl"), "last")
	c.caselsp(all, "replay", filepath.Join(c.home, "run.jsonl"))
	h.must("clear-history")
	h.keys("clear", "Enter")
	h.runs(c, "COLORTERM=", "run", "--yes", "add up numbers")
	h.onScreen(`── succeeded · 1 file ──`)
	if strings.Contains(h.scrolled(), "Caselsp asks") {
		t.Error("--yes asks")
	}
	c.must(os.Remove(filepath.Join(c.project(), "notes")))
	c.caselsp(all, "run", "--yes", "add up numbers")
}
