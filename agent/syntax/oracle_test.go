package syntax

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The oracle of Python's syntax is Python: `compile` says of each text whether
// it is one.
const oracle = `
import json, sys, warnings
warnings.simplefilter("ignore")
def good(text):
    try:
        compile(text, "x", "exec", dont_inherit=True)
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
json.dump([good(t) for t in json.load(sys.stdin)], sys.stdout)`

func compilesAll(t *testing.T, texts []string) []bool {
	t.Helper()
	in, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "-c", oracle)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("asking python3: %v", err)
	}
	var good []bool
	if err := json.Unmarshal(out, &good); err != nil || len(good) != len(texts) {
		t.Fatalf("python3 answered %d of %d: %v", len(good), len(texts), err)
	}
	return good
}

// librarySources returns every n-th file of the machine's Python library.
func librarySources(t *testing.T, n, maxSize int) (names, texts []string) {
	t.Helper()
	out, err := exec.Command(need(t, "python3"), "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])").Output()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	err = filepath.WalkDir(strings.TrimSpace(string(out)), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "site-packages" {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".py" {
			return nil
		}
		count++
		b, err := os.ReadFile(path)
		if err != nil || len(b) > maxSize || !utf8.Valid(b) || count%n != 0 {
			return nil
		}
		names, texts = append(names, path), append(texts, string(b))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, texts
}

func TestPythonLibraryIsGood(t *testing.T) {
	names, texts := librarySources(t, 6, 200_000)
	bad, found := 0, 0
	for i, good := range compilesAll(t, texts) {
		faults := pythonFaults(strings.TrimPrefix(texts[i], bom))
		if good && len(faults) > 0 {
			t.Errorf("%s is good; found: %+v", names[i], faults)
		}
		if !good {
			bad++
			found += len(faults)
		}
	}
	t.Logf("%d files, of which python3 refuses %d; %d of these found", len(texts), bad, found)
}

// mutate makes one mistake that people make: a token is missing, twice there,
// swapped with the next or another, or a line is indented otherwise.
func mutate(r *rand.Rand, text string) (kind, mutant string) {
	var tokens []pyToken
	for _, t := range lexPython(text).tokens {
		if t.end > t.start && t.kind != pyNewline && t.kind != pyIndent {
			tokens = append(tokens, t)
		}
	}
	if len(tokens) < 20 {
		return "", text
	}
	at := r.IntN(len(tokens) - 1)
	a, b := tokens[at], tokens[at+1]
	one, two := text[a.start:a.end], text[b.start:b.end]
	between := text[a.end:b.start]
	switch r.IntN(5) {
	case 0:
		return "delete", text[:a.start] + text[a.end:]
	case 1:
		return "double", text[:a.end] + " " + one + text[a.end:]
	case 2:
		return "swap", text[:a.start] + two + between + one + text[b.end:]
	case 3:
		other := tokens[r.IntN(len(tokens))]
		return "replace", text[:a.start] + text[other.start:other.end] + text[a.end:]
	}
	lines := strings.SplitAfter(text, "\n")
	line := r.IntN(len(lines))
	shift := 1 + r.IntN(4)
	if blanks := len(lines[line]) - len(strings.TrimLeft(lines[line], " ")); r.IntN(2) == 0 && blanks > 0 {
		lines[line] = lines[line][min(shift, blanks):]
	} else {
		lines[line] = strings.Repeat(" ", shift) + lines[line]
	}
	return "indent", strings.Join(lines, "")
}

// minRecall is the share of the mistakes that must be found (issue of the
// validators: 97 percent).
const minRecall = 0.97

func TestPythonMutants(t *testing.T) {
	_, texts := librarySources(t, 9, 20_000)
	r := rand.New(rand.NewPCG(1, 2))
	var kinds, mutants []string
	for len(mutants) < 1500 {
		if kind, mutant := mutate(r, texts[r.IntN(len(texts))]); kind != "" {
			kinds, mutants = append(kinds, kind), append(mutants, mutant)
		}
	}
	bad, found, missed := 0, 0, map[string]int{}
	for i, good := range compilesAll(t, mutants) {
		faults := pythonFaults(strings.TrimPrefix(mutants[i], bom))
		switch {
		case good && len(faults) > 0:
			t.Errorf("a good mutant (%s) is called bad: %+v near %q", kinds[i], faults[0], around(mutants[i], faults[0].start))
		case !good:
			bad++
			if len(faults) > 0 {
				found++
			} else {
				missed[kinds[i]]++
			}
		}
	}
	recall := float64(found) / float64(bad)
	t.Logf("%d of %d mistakes found (%.1f %%), missed: %v", found, bad, 100*recall, missed)
	if recall < minRecall {
		t.Errorf("recall is %.3f, want %.2f", recall, minRecall)
	}
}

func around(text string, offset int) string {
	return text[max(offset-60, 0):min(offset+60, len(text))]
}

// need returns where a program is, or skips the test with a line that says so;
// what CASELSP_REQUIRE names may not be missing.
func need(t *testing.T, program string) string {
	t.Helper()
	file, err := exec.LookPath(program)
	if err != nil && slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), program) {
		t.Fatalf("%s is required here: %v", program, err)
	} else if err != nil {
		t.Skipf("needs %[1]s: install it (Debian: apt-get install %[1]s)", program)
	}
	return file
}
