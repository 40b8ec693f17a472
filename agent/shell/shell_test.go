package shell

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var character = regexp.MustCompile(`\{U\+([0-9A-F]{4,6})\}`)

// eased is that policy at the level of most users; the two others have a host open, and no copy.
var (
	eased  = Policy{Sandboxed: true, Level: Default}
	opened = Policy{Sandboxed: true, Level: All, Hosts: []string{"pkgs.example"}}
	onHost = Policy{Level: All}
)

// sandboxed is the policy of an agent whose commands run in a sandbox without network.
var sandboxed = Policy{Sandboxed: true}

// table reads a file of columns, with characters that do not show spelled out.
func table(t testing.TB, name string, columns int) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(string(text), "\n") {
		if l == "" || strings.HasPrefix(l, "# ") {
			continue
		}
		row := strings.Split(l, "\t")
		if len(row) != columns {
			t.Fatalf("%s: %q has %d columns instead of %d", name, l, len(row), columns)
		}
		for i := range row {
			row[i] = spell(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}

func spell(s string) string {
	s = strings.ReplaceAll(s, "⏎", "\n")
	return character.ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.ParseInt(character.FindStringSubmatch(m)[1], 16, 32)
		if err != nil {
			return m
		}
		return string(rune(n))
	})
}

// corpora are the files of commands with the verdict that each must have.
var corpora = []string{"ordinary", "grammar", "bypass", "destructive", "reading"}

func TestCorpus(t *testing.T) {
	seen := make(map[string]bool)
	for _, name := range corpora {
		for _, row := range table(t, "corpus/"+name+".txt", 3) {
			if seen[row[1]] {
				t.Errorf("%s: %q stands there twice", name, row[1])
			}
			seen[row[1]] = true
			strict, others, two := strings.Cut(row[0], " ")
			if !two {
				others = strict
			}
			for policy, want := range map[*Policy]string{&sandboxed: strict, &eased: others, &opened: strict, &onHost: ""} {
				v := Judge(row[1], *policy)
				if want != "" && policy != &opened && string(v.Decision) != want {
					t.Errorf("%s: %s: at level %s got %s (%s), want %s: %s", name, row[1], Levels[policy.Level], v.Decision, v.Reason, want, row[2])
				}
				if policy == &sandboxed || policy == &eased {
					checkVerdict(t, row[1], *policy, v)
				}
				checkLevel(t, row[1], *policy, v)
			}
		}
	}
}

// TestFatigue: people who are asked too often say yes without reading.
func TestFatigue(t *testing.T) {
	rows := table(t, "corpus/ordinary.txt", 3)
	for policy, most := range map[*Policy]int{&sandboxed: 20, &eased: 100} {
		asked := 0
		for _, row := range rows {
			if Judge(row[1], *policy).Decision != Allow {
				asked++
			}
		}
		if len(rows) < 200 || asked*most > len(rows)*2 {
			t.Errorf("at level %s, of %d ordinary commands %d are asked for", Levels[policy.Level], len(rows), asked)
		}
	}
}

// checkVerdict holds every verdict to what its readers rely on.
func checkVerdict(t *testing.T, line string, policy Policy, v Verdict) {
	t.Helper()
	r := []rune(v.Reason)
	if len(r) < 10 || !unicode.IsUpper(r[0]) || r[len(r)-1] != '.' {
		t.Errorf("%q: the reason is no sentence: %q", line, v.Reason)
	}
	if (v.Decision == Deny) != (v.Alternative != "") {
		t.Errorf("%q: %s with the alternative %q", line, v.Decision, v.Alternative)
	}
	if v.Decision == Deny && v.Shape != "" {
		t.Errorf("%q is denied and offers to remember %q", line, v.Shape)
	}
	if v.Shape == "" || strings.Contains(v.Shape, anyText) {
		return
	}
	if again := Judge(v.Shape, policy); again.Decision != v.Decision || again.Shape != v.Shape {
		t.Errorf("%q has the shape %q, which is judged %s and has the shape %q", line, v.Shape, again.Decision, again.Shape)
	}
}

func TestShapes(t *testing.T) {
	for _, row := range table(t, "shapes.txt", 2) {
		if got := Judge(row[0], sandboxed).Shape; got != row[1] {
			t.Errorf("%s: got the shape %q, want %q", row[0], got, row[1])
		}
	}
}

func TestLimit(t *testing.T) {
	long := "echo " + strings.Repeat("a", maxLine)
	if v := Judge(long[:maxLine], sandboxed); v.Decision != Allow {
		t.Errorf("at the limit: %s, %s", v.Decision, v.Reason)
	}
	if v := Judge(long, sandboxed); v.Decision != Ask || !strings.Contains(v.Reason, strconv.Itoa(maxLine)) {
		t.Errorf("over the limit: %s, %s", v.Decision, v.Reason)
	}
	if v := Judge("ls \xff", sandboxed); v.Decision != Ask || !strings.Contains(v.Reason, "invisible") {
		t.Errorf("bytes that are no text: %s, %s", v.Decision, v.Reason)
	}
	// Wrappers of wrappers have many readings: this ends in no time, or never.
	if v := Judge(strings.Repeat("env -u xargs -n ", maxLine/16), sandboxed); v.Decision != Ask {
		t.Errorf("wrappers without a command: %s, %s", v.Decision, v.Reason)
	}
	l, err := Parse("ls -l")
	if err != nil || l.String() != "ls -l" {
		t.Errorf("Parse gives %v, %v", l, err)
	}
}
