package shell

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

var character = regexp.MustCompile(`\{U\+([0-9A-F]{4,6})\}`)

// table reads a file of two columns, with characters that do not show spelled out.
func table(t testing.TB, name string) (rows [][2]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(string(text), "\n") {
		left, right, ok := strings.Cut(l, "\t")
		if !ok || strings.HasPrefix(l, "#") {
			continue
		}
		rows = append(rows, [2]string{spell(left), spell(right)})
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

func TestVerdicts(t *testing.T) {
	for _, row := range table(t, "verdicts.txt") {
		v := Judge(row[1])
		if string(v.Decision) != row[0] {
			t.Errorf("%s: got %s (%s), want %s", row[1], v.Decision, v.Reason, row[0])
		}
		checkVerdict(t, row[1], v)
	}
}

// checkVerdict holds every verdict to what its readers rely on.
func checkVerdict(t *testing.T, line string, v Verdict) {
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
	if v.Shape != "" {
		if again := Judge(v.Shape); again.Decision != v.Decision || again.Shape != v.Shape {
			t.Errorf("%q has the shape %q, which is judged %s and has the shape %q", line, v.Shape, again.Decision, again.Shape)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, row := range table(t, "shapes.txt") {
		if got := Judge(row[0]).Shape; got != row[1] {
			t.Errorf("%s: got the shape %q, want %q", row[0], got, row[1])
		}
	}
}

func TestLimit(t *testing.T) {
	long := "echo " + strings.Repeat("a", maxLine)
	if v := Judge(long[:maxLine]); v.Decision != Allow {
		t.Errorf("at the limit: %s, %s", v.Decision, v.Reason)
	}
	if v := Judge(long); v.Decision != Ask || !strings.Contains(v.Reason, strconv.Itoa(maxLine)) {
		t.Errorf("over the limit: %s, %s", v.Decision, v.Reason)
	}
	if v := Judge("ls \xff"); v.Decision != Ask || !strings.Contains(v.Reason, "does not show") {
		t.Errorf("bytes that are no text: %s, %s", v.Decision, v.Reason)
	}
	// Wrappers of wrappers have many readings: this ends in no time, or never.
	if v := Judge(strings.Repeat("env -u xargs -n ", maxLine/16)); v.Decision != Ask {
		t.Errorf("wrappers without a command: %s, %s", v.Decision, v.Reason)
	}
	l, err := Parse("ls -l")
	if err != nil || l.String() != "ls -l" {
		t.Errorf("Parse gives %v, %v", l, err)
	}
}

// FuzzJudge: whatever the text, there is a verdict; and what is allowed has no
// word that a shell would change and nothing but plain commands.
func FuzzJudge(f *testing.F) {
	for _, row := range table(f, "verdicts.txt") {
		f.Add(row[1])
	}
	f.Fuzz(func(t *testing.T, line string) {
		v := Judge(line)
		checkVerdict(t, line, v)
		if v.Decision == Allow {
			checkLiteral(t, line)
		}
	})
}

// checkLiteral is the oracle for what is allowed: it looks at the tree anew and
// lets the library expand the words as a shell would.
func checkLiteral(t *testing.T, line string) {
	t.Helper()
	l, err := Parse(line)
	if err != nil {
		t.Fatalf("%q is allowed and not valid: %v", line, err)
	}
	syntax.Walk(l.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ExtGlob, *syntax.Assign, *syntax.FuncDecl, *syntax.Subshell:
			t.Errorf("%q is allowed and has a %T", line, n)
		case *syntax.Redirect:
			if n.Op != syntax.DplOut || n.N.Value != "2" || n.Word.Lit() != "1" {
				t.Errorf("%q is allowed and has the redirection %s", line, n.Op)
			}
		case *syntax.Stmt:
			if n.Background || n.Negated || n.Coprocess {
				t.Errorf("%q is allowed and is no plain statement", line)
			}
		}
		return true
	})
	commands, odd := l.plain()
	if odd != "" {
		t.Fatalf("%q is allowed and odd: %s", line, odd)
	}
	var want []string
	var words []*syntax.Word
	for _, c := range commands {
		want = append(want, c.words...)
	}
	syntax.Walk(l.file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			words = append(words, call.Args...)
		}
		return true
	})
	got, err := expand.Fields(&expand.Config{Env: expand.ListEnviron("HOME=/home/x", "IFS= ")}, words...)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
		t.Errorf("%q is judged as %q and means %q", line, want, got)
	}
}
