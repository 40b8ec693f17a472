package testreport

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is read of the results of real runs")

// shopTree are the files of the project in which the results were made.
var shopTree = Tree{
	"shop.py", "test_shop.py", "test_unit.py", "test_broken.py", "shop.go", "shop_test.go", "crash/crash_test.go", "broken/broken_test.go",
	"shop.js", "node/shop.test.js", "jest/shop.test.js", "vitest/shop.test.mjs", "mocha/shop.js",
}

// readFixture reads a result as the loop does: files by their ending, else the output.
func readFixture(name, text string) Report {
	switch {
	case path.Ext(name) == ".xml", path.Ext(name) == ".json" && name != "go.json":
		return Read("", "", map[string][]byte{name: []byte(text)})
	}
	return Read(strings.TrimSuffix(name, path.Ext(name))+" test", text, nil)
}

// told is a report as the golden files have it.
func told(r Report, traces []Trace) string {
	var b strings.Builder
	fmt.Fprintln(&b, r)
	r = r.In(shopTree)
	slices.SortFunc(r.Tests, func(a, b Test) int { return strings.Compare(a.Name+a.File, b.Name+b.File) })
	for _, t := range r.Tests {
		fmt.Fprintf(&b, "%s %q %s:%d %s\n", t.Outcome, t.Name, t.File, t.Line, t.Cause())
	}
	for _, t := range traces {
		fmt.Fprintf(&b, "trace %s", t.Signature)
		for _, f := range t.In(shopTree).Frames {
			fmt.Fprintf(&b, " | %s:%d %s", f.File, f.Line, f.Function)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/results/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if path.Ext(file) == ".want" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			if strings.HasPrefix(filepath.Base(file), "go.json") {
				text = GoText(text)
			}
			var traces []Trace
			if path.Ext(file) != ".xml" { // whose text is not an output
				traces = Traces(text)
			}
			golden(t, file+".want", told(readFixture(filepath.Base(file), string(data)), traces))
		})
	}
}

// TestGoText holds that the output of -json is shown as go test shows it.
func TestGoText(t *testing.T) {
	events, err := os.ReadFile("testdata/results/go.json")
	if err != nil {
		t.Fatal(err)
	}
	text := GoText(string(events))
	for _, want := range []string{
		"broken/broken_test.go:6:7: undefined: undefined\n", "--- FAIL: TestPrice (0.00s)\n", "    --- FAIL: TestPrice/two_words (0.00s)\n",
		"shop_test.go:10: Price(2) = 6", "FAIL\texample.com/shop\t", "panic: runtime error", "[no test files]",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "TestGood") || strings.Contains(text, "=== RUN") {
		t.Errorf("it tells of what passed:\n%s", text)
	}
	if same := GoText("plain\n"); same != "plain\n" {
		t.Errorf("other text becomes %q", same)
	}
}

func TestReadNothing(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		known  bool
	}{
		"nothing":            {"", false},
		"other text":         {"built 3 files in 2.0s\n", false},
		"pytest, none":       {"\nno tests ran in 0.01s\n", true},
		"go, none":           {"ok  \texample.com/x\t0.002s [no tests to run]\n", true},
		"go, no files":       {"?   \texample.com/x\t[no test files]\n", true},
		"node, none":         {"TAP version 13\n1..0\n# tests 0\n# suites 0\n# pass 0\n# fail 0\n", true},
		"unittest, none":     {"\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n", true},
		"vitest, no files":   {"\nNo test files found, exiting with code 1\n", true},
		"an ok without plan": {"ok 1\n", false},
	} {
		r := Read("", c.output, nil)
		if r.Known() != c.known || r.Ran() != 0 || r.OK() {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestReadCoverage(t *testing.T) {
	source, err := os.ReadFile("testdata/coverage/shop.js.txt")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/coverage/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if path.Ext(file) == ".want" || path.Ext(file) == ".txt" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := ReadCoverage(map[string][]byte{filepath.Base(file): data}, shopTree, func(string) string { return string(source) }).In(shopTree)
			var b strings.Builder
			for _, name := range slices.Sorted(maps.Keys(c)) {
				l := c.Of(name, slices.Sorted(maps.Keys(c[name])))
				fmt.Fprintf(&b, "%s: covered %s; missed %s\n", name, Ranges(l.Covered), Ranges(l.Missed))
			}
			golden(t, file+".want", b.String())
		})
	}
}

func TestTreeFile(t *testing.T) {
	tree := Tree{"a.py", "src/a.py", "loader.py"}
	for name, want := range map[string]string{
		"a.py": "a.py", "./a.py": "a.py", "/workspace/src/a.py": "src/a.py", "file:///w/a.py": "a.py", `C:\w\src\a.py`: "src/a.py",
		"example.com/m/src/a.py": "src/a.py", "/usr/lib/python3.11/unittest/loader.py": "", "/w/node_modules/x/a.py": "", "b.py": "", "": "", "node:a.py": "",
	} {
		if got := tree.File(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestBehind(t *testing.T) {
	trace := Trace{Frames: []Frame{{File: "test_x.py", Line: 9}, {File: "x.py", Line: 30}, {File: "x.py", Line: 4}}}
	changed := map[string][]Hunk{"x.py": {{From: 7, To: 8}, {From: 28, To: 31}}}
	if f, h, ok := trace.Behind(changed); !ok || f.Line != 30 || h.From != 28 {
		t.Errorf("got %v %v %v", f, h, ok)
	}
	if f, _, ok := trace.Behind(map[string][]Hunk{"x.py": {{From: 7, To: 8}}}); !ok || f.Line != 4 {
		t.Errorf("beside: got %v %v", f, ok)
	}
	if _, _, ok := trace.Behind(map[string][]Hunk{"y.py": {{From: 1, To: 90}}}); ok {
		t.Error("a change elsewhere is behind it")
	}
}

func TestSignature(t *testing.T) {
	a := Signature("KeyError", `'user_17' at 0x7f31 in /home/x/a.py line 12`)
	if b := Signature("KeyError", `'user_2' at 0xffe0 in /srv/a.py line 9`); a != b {
		t.Errorf("%q, %q", a, b)
	}
	if c := Signature("KeyError", "missing"); a == c {
		t.Errorf("%q", c)
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/results/*")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && path.Ext(file) != ".want" && len(data) < 8<<10 {
			f.Add(string(data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range []Report{Read("go test", text, nil), Read("", "", map[string][]byte{"a.xml": []byte(text), "b.json": []byte(text)})} {
			if r.Passed < 0 || r.Failed < 0 || r.Errors < 0 || r.Skipped < 0 || !r.Known() && r.Ran() > 0 {
				t.Fatalf("%+v", r)
			}
			for _, one := range r.In(shopTree).Tests {
				if one.Line < 0 || one.Took < 0 {
					t.Fatalf("%+v", one)
				}
			}
		}
		for _, one := range Traces(text) {
			if one.Type == "" || one.Signature == "" {
				t.Fatalf("%+v", one)
			}
			one.In(shopTree).Behind(map[string][]Hunk{"shop.py": {{1, 2}}})
		}
		GoText(text)
	})
}

func FuzzReadCoverage(f *testing.F) {
	files, _ := filepath.Glob("testdata/coverage/*")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) < 8<<10 {
			f.Add(string(data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := ReadCoverage(map[string][]byte{"a.json": []byte(text), "b": []byte(text)}, shopTree, func(string) string { return text })
		for _, lines := range c.In(shopTree) {
			for line := range lines {
				if line < 1 {
					t.Fatal(line)
				}
			}
		}
	})
}
