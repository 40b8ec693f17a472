package main

import "fmt"

// crashRun is a scripted run that is killed.
type crashRun struct {
	project map[string]string // the files before it
	last    bool              // it is killed at the last record of each kind, not at the first
	result  map[string]string // and after it, killed or not
	model   string            // answers by what a request holds: a resumed run gets those of a whole one
	args    []string          // settings
	ended   [2]int            // how many commands end, at least and at most: a lost one may be given up
	has     []string          // records that it must have, or it tests nothing
	engine  string            // of the sandbox; "" for none, so that the machine need not have one
}

// crashRuns are the runs, by name.
var crashRuns = map[string]crashRun{
	// A function that is wrong, a file that is renamed, one that is deleted by a command, which
	// makes others; the tests fail twice and the reflector is asked.
	"work": {
		last: true,
		project: map[string]string{
			"calc.py":   "def double(n):\n    return n\n",
			"notes.txt": "notes\n",
			"old.txt":   "old\n",
		},
		result: map[string]string{
			"calc.py":      "def double(n):\n    return n * 2\n",
			"test_calc.py": crashTests,
			"NOTES.md":     "notes\n",
			"made/1.txt":   "1\n", "made/2.txt": "2\n", "made/3.txt": "3\n", "made/4.txt": "4\n",
		},
		model: workModel,
		ended: [2]int{5, 6}, // the last is the run without the change
		has:   []string{"Applying", "Hypothesised"},
	},
	// Replies with several calls, readings, edits and what is submitted among them, in a window
	// so small that the conversation is shortened.
	"talk": {
		project: map[string]string{
			"calc.py":   "def double(n):\n    return n\n",
			"guide.txt": guide(),
		},
		result: map[string]string{
			"calc.py":      "def double(n):\n    return n * 2\n",
			"test_calc.py": crashTests,
			"GUIDE.md":     guide(),
		},
		model: talkModel,
		args:  []string{"--set", "model.context_tokens=5600", "--set", "lint.when=never"},
		ended: [2]int{2, 3},
		has:   []string{"Applying", "Compacted", "Unrun"},
	},
}

// crashTests are the tests that both runs write.
const crashTests = "from unittest import TestCase\nfrom calc import double\n\n\nclass Double(TestCase):\n    def test(self):\n        self.assertEqual(double(3), 6)\n"

// guide is a text that fills a small window.
func guide() (text string) {
	for i := range 150 {
		text += fmt.Sprintf("guide line %03d: numbers are doubled by calc.py\n", i+1)
	}
	return text
}

const workModel = `
on tars
when # Workspace
times always
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["test_calc.py"], "files_to_change": ["calc.py"], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Double", "description": "Make calc.py double.", "files": ["calc.py"], "test": "python3 -m unittest"}]}
on case
after 0
times always
call WRITE_FILE {"thought": "t", "path": "test_calc.py", "content": "from unittest import TestCase\nfrom calc import double\n\n\nclass Double(TestCase):\n    def test(self):\n        self.assertEqual(double(3), 6)\n"}
on case
after 1
times always
call RENAME_FILE {"thought": "t", "from": "notes.txt", "to": "NOTES.md"}
on case
after 2
times always
call RUN_COMMAND {"thought": "t", "command": "mkdir made && for i in 1 2 3 4; do echo $i >made/$i.txt; done; rm old.txt"}
on case
after 3
when caselsp ended before its outcome was known
times always
call RUN_COMMAND {"thought": "t", "command": "mkdir made && for i in 1 2 3 4; do echo $i >made/$i.txt; done; rm old.txt"}
on reflector
times always
want AssertionError: 3 != 6
call SUBMIT_HYPOTHESIS {"cause": "it returns n", "fix": "multiply by two", "file": "calc.py"}
on case
last # Round 2
times always
want AssertionError: 3 != 6
call PATCH_FILE {"thought": "t", "path": "calc.py"}
arg patch
	@@ -1,2 +1,2 @@
	 def double(n):
	-    return n
	+    return 1 * n
on case
last # Round 3
times always
want multiply by two
call PATCH_FILE {"thought": "t", "path": "calc.py"}
arg patch
	@@ -1,2 +1,2 @@
	 def double(n):
	-    return 1 * n
	+    return n * 2
on case
when # Round 3
times always
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["multiply by two"], "analysis": "it must multiply"}
on case
when # Round 2
times always
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["multiply"], "analysis": "it must multiply"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on tars
when # Test results
times always
want Ran 1 test
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

const talkModel = `
count only
on tars
when # Workspace
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "calc.py"}
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["test_calc.py"], "files_to_change": ["calc.py"], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Double", "description": "Make calc.py double.", "files": ["calc.py"], "test": "python3 -m unittest test_calc.py"}]}
call LIST_FILES {"thought": "t"}
on case
after 0
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "guide.txt", "from": 1, "to": 15}
call WRITE_FILE {"thought": "t", "path": "test_calc.py"}
arg content
	from unittest import TestCase
	from calc import double


	class Double(TestCase):
	    def test(self):
	        self.assertEqual(double(3), 6)
call PATCH_FILE {"thought": "t", "path": "calc.py"}
arg patch
	@@ -1,2 +1,2 @@
	 def double(n):
	-    return n
	+    return 1 * n
call RENAME_FILE {"thought": "t", "from": "guide.txt", "to": "GUIDE.md"}
call PATCH_FILE {"thought": "t", "path": "calc.py"}
arg patch
	@@ -9,2 +9,2 @@
	 class Nothing(Like, This):
	-    there = "is"
	+    there = "was"
call DELETE_FILE {"thought": "t", "path": "calc.py"}
on case
last Not run: a call before it failed or was refused.
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "GUIDE.md", "from": 31, "to": 60}
on case
last guide line 060
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "GUIDE.md", "from": 61, "to": 90}
on case
last guide line 090
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "GUIDE.md", "from": 91, "to": 120}
on case
last guide line 120
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "GUIDE.md", "from": 121, "to": 150}
call LIST_FILES {"thought": "t", "glob": "[gG]*"}
on case
last GUIDE.md (
times always
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "calc.py"}
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on case
last # Round 2
times always
want AssertionError: 3 != 6
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "calc.py"}
call PATCH_FILE {"thought": "t", "path": "calc.py"}
arg patch
	@@ -1,2 +1,2 @@
	 def double(n):
	-    return 1 * n
	+    return n * 2
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["multiply by two"], "analysis": "it must multiply"}
on tars
when # Test results
times always
want Ran 1 test
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "calc.py"}
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`
