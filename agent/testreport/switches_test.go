package testreport

import (
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
