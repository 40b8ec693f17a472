package testreport

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReportingLines(t *testing.T) {
	for line, want := range map[string]string{
		"pytest -q tests":                 "pytest coverage",
		"python -m pytest":                "pytest coverage",
		"pytest --junitxml=x.xml":         "coverage",
		"pytest --cov=app":                "pytest",
		"pytest a && pytest b":            "coverage",
		"python3 -m unittest discover":    "coverage",
		"python manage.py test":           "coverage",
		"go test ./...":                   "go",
		"go test -run 'A|B' ./...":        "go",
		"go test -json ./...":             "",
		"go test -bench . ./...":          "",
		"go test ./... | tail":            "",
		"go vet ./... && go test ./...":   "",
		"node --test":                     "node v8",
		"node --import tsx --test a.ts":   "node",
		"node --test --test-reporter=dot": "v8",
		"npx jest src":                    "jest",
		"npx jest --coverage":             "",
		"npm test":                        "node v8",
		"sh test.sh":                      "",
		"cargo test":                      "",
	} {
		got := Reporting(line, func(name string) string {
			if name == "package.json" {
				return `{"scripts": {"test": "node --test test/"}}`
			}
			return ""
		}, []string{"a.py"})
		kinds := ""
		if _, rest, found := strings.Cut(got, "for caselsp_kind in "); found {
			kinds, _, _ = strings.Cut(rest, ";")
		}
		if kinds != want || (want == "") != (got == line) {
			t.Errorf("%s: got %q, want %q", line, kinds, want)
		}
	}
}

// TestReportingUnchanged holds that coverage is not measured where no file's lines matter: it
// would be that of every file that runs, libraries among them.
func TestReportingUnchanged(t *testing.T) {
	for _, line := range []string{"python manage.py test", "pytest -q tests", "node --test"} {
		_, kinds, _ := strings.Cut(Reporting(line, func(string) string { return "" }, nil), "for caselsp_kind in ")
		kinds, _, _ = strings.Cut(kinds, ";")
		if strings.Contains(kinds, "coverage") || strings.Contains(kinds, "v8") {
			t.Errorf("%s measures coverage: %s", line, kinds)
		}
	}
}

// TestReportingKeepsCodes holds that a reporting line ends as the line does, whatever it says.
func TestReportingKeepsCodes(t *testing.T) {
	for line, want := range map[string]int{
		"true # pytest":                          0,
		"exit 3 # pytest":                        3,
		"cd sub && exec false # pytest":          1,
		"cat <<X # pytest\n'it'\nX\nexit 4":      4,
		`echo "a'b" 'c"d' \\ && exit 7 # pytest`: 7,
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		c := exec.Command("/bin/sh", "-c", strings.ReplaceAll(Reporting(line, func(string) string { return "" }, []string{"a b.py"}), "/tmp/caselsp-results", filepath.Join(dir, "tmp")))
		c.Dir = dir
		out, _ := c.CombinedOutput()
		if c.ProcessState.ExitCode() != want {
			t.Errorf("%s: code %d, want %d: %s", line, c.ProcessState.ExitCode(), want, out)
		}
	}
}

// manySubtests is how many subtests the events of subtests are of.
const manySubtests = 3000

// subtests are the events of a package with many subtests, of which one fails, and a test that does not end.
func subtests() string {
	var events strings.Builder
	event := func(action, test, output string) {
		fmt.Fprintf(&events, `{"Time":"2026-01-01T00:00:00Z","Action":%q,"Package":"p"`, action)
		if test != "" {
			fmt.Fprintf(&events, `,"Test":%q`, test)
		}
		if output != "" {
			fmt.Fprintf(&events, `,"Output":%q`, output)
		}
		events.WriteString("}\n")
	}
	event("start", "", "")
	event("run", "TestMany", "")
	event("output", "TestMany", "=== RUN   TestMany\n")
	for i := range manySubtests {
		name, ends := fmt.Sprintf("TestMany/%d", i), "pass"
		if i == manySubtests/2 {
			ends = "fail"
		}
		event("run", name, "")
		event("output", name, "=== RUN   "+name+"\n")
		event("output", name, "    a_test.go:9: \"Action\":\"fail\",\"Test\":\"TestLie\"\n")
		event("output", name, "    --- "+strings.ToUpper(ends)+": "+name+" (0.00s)\n")
		event(ends, name, "")
	}
	event("output", "TestMany", "--- FAIL: TestMany (1.00s)\n")
	event("fail", "TestMany", "")
	event("run", "TestHung", "")
	event("output", "TestHung", "    a_test.go:20: waiting\n")
	event("output", "", "FAIL\tp\t1.0s\n")
	event("fail", "", "")
	return events.String()
}

// TestGoEventsFilter gives the filter what a package with many subtests writes: what is shown stays short, whatever passes, and
// the results have all. An output that was cut in its middle makes no test fail that has passed.
func TestGoEventsFilter(t *testing.T) {
	text, file := subtests(), filepath.Join(t.TempDir(), "go.jsonl")
	cmd := exec.Command("awk", "-v", "most=262144", "-v", "events="+file, goEventsFilter) // every POSIX system has it
	cmd.Stdin = strings.NewReader(text)
	shown, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	results, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(shown) > 2000 {
		t.Errorf("%d bytes are shown of %d", len(shown), len(text))
	}
	for _, want := range []string{"--- FAIL: TestMany/1500", "a_test.go:9:", "FAIL\tp\t1.0s"} {
		if said := GoText(string(shown)); !strings.Contains(said, want) {
			t.Errorf("%q is not in what is shown:\n%s", want, said)
		}
	}
	for name, r := range map[string]Report{
		"results": Read("go test ./...", string(shown), map[string][]byte{"go.jsonl": results}),
		"all":     Read("go test ./...", text, nil),
	} {
		var bad []string
		for _, b := range r.Bad() {
			bad = append(bad, b.Name)
		}
		if r.Passed != manySubtests-1 || strings.Join(bad, " ") != "TestMany/1500 TestHung" {
			t.Errorf("%s: %d passed, %v did not", name, r.Passed, bad)
		}
	}
	cut := text[:len(text)/4] + "\n[1000 bytes of output cut here]\n" + text[len(text)*3/4:]
	if r := Read("go test ./...", cut, nil); len(r.Bad()) != 1 || r.Bad()[0].Name != "TestMany" || r.Passed == 0 {
		t.Errorf("of a cut output %v did not pass", r.Bad())
	}
}

// TestOfRun shows which test files a run has run tests of.
func TestOfRun(t *testing.T) {
	all := []Declared{{"a_test.go", "TestA"}, {"b_test.go", "TestB"}}
	files := []string{"a_test.go", "b_test.go", "helper_test.go"}
	for want, r := range map[string]Report{
		"a_test.go helper_test.go":           {Passed: 1, Tests: []Test{{Name: "TestA/one", Outcome: Passed}}},
		"a_test.go b_test.go helper_test.go": {Passed: 2, Tests: []Test{{Name: "TestA", Outcome: Passed}}}, // not all are named
	} {
		if got := strings.Join(r.OfRun(files, all), " "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
