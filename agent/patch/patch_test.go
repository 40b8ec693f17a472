package patch

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// fixtures reads the cases of a txtar file: sections are named case/part.
func fixtures(t *testing.T, name string) (names []string, cases map[string]map[string]string) {
	t.Helper()
	ar, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	cases = map[string]map[string]string{}
	for _, f := range ar.Files {
		name, part, _ := strings.Cut(f.Name, "/")
		if cases[name] == nil {
			cases[name] = map[string]string{}
			names = append(names, name)
		}
		text := strings.ReplaceAll(string(f.Data), "␍", "\r")
		if cut, ok := strings.CutSuffix(text, "⊘\n"); ok {
			text = cut
		}
		cases[name][part] = text
	}
	return names, cases
}

// applyText parses a patch of one file and applies it.
func applyText(before, text string) (string, *Report, error) {
	p, err := Parse(text, nil)
	if err != nil {
		return before, nil, err
	}
	if len(p.Files) != 1 {
		return before, nil, fmt.Errorf("%d files", len(p.Files))
	}
	return p.Files[0].Apply(before)
}

func applyHunks(path, before string, hunks []Hunk) (string, *Report, error) {
	return (&File{Op: Modify, Path: path, Hunks: hunks}).Apply(before)
}

func TestApply(t *testing.T) {
	names, cases := fixtures(t, "apply.txtar")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			after, report, err := applyText(c["before"], c["patch"])
			if err != nil {
				t.Fatal(err)
			}
			if after != c["after"] {
				t.Errorf("after: got %q, want %q", after, c["after"])
			}
			var lines strings.Builder
			for _, h := range report.Hunks {
				fmt.Fprintf(&lines, "%s %d %.1f\n", h.Layer, h.Line, h.Confidence)
			}
			if want, ok := c["report"]; ok && lines.String() != want {
				t.Errorf("report:\n%swant:\n%s", lines.String(), want)
			}
		})
	}
}

func TestRefuse(t *testing.T) {
	names, cases := fixtures(t, "refuse.txtar")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			after, report, err := applyText(c["before"], c["patch"])
			checkRefusal(t, err, c["refusal"])
			if after != c["before"] || report != nil {
				t.Errorf("a refusal changed the text to %q, report %v", after, report)
			}
		})
	}
}

// checkRefusal compares an error with the lines of a refusal section.
func checkRefusal(t *testing.T, err error, want string) {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got error %v, want a refusal", err)
	}
	if !errors.Is(err, r.Status) {
		t.Errorf("errors.Is does not know %s", r.Status)
	}
	for _, l := range strings.Split(strings.TrimSuffix(want, "\n"), "\n") {
		key, value, _ := strings.Cut(l, " ")
		ok := true
		switch key {
		case "status":
			ok = string(r.Status) == value
		case "hunk":
			ok = fmt.Sprint(r.Hunk) == value
		case "candidates":
			ok = strings.Trim(fmt.Sprint(r.Candidates), "[]") == value
		case "says":
			ok = strings.Contains(r.Error(), value)
		default:
			t.Fatalf("unknown line in the fixture: %q", l)
		}
		if !ok {
			t.Errorf("want %s; got %s, hunk %d, candidates %v:\n%s", l, r.Status, r.Hunk, r.Candidates, r)
		}
	}
}

func TestMalformed(t *testing.T) {
	names, cases := fixtures(t, "malformed.txtar")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(cases[name]["patch"], nil)
			if !errors.Is(err, Malformed) {
				t.Fatalf("got %v, want a malformed one", err)
			}
			if says := strings.TrimSpace(cases[name]["says"]); !strings.Contains(err.Error(), says) {
				t.Errorf("%q does not say %q", err, says)
			}
		})
	}
	if _, err := Parse(strings.Repeat("\n", maxText+1), nil); !errors.Is(err, Malformed) {
		t.Errorf("a text over the limit gives %v", err)
	}
}

func TestParse(t *testing.T) {
	names, cases := fixtures(t, "parse.txtar")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(cases[name]["patch"], nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := listing(p); got != cases[name]["files"] {
				t.Errorf("got:\n%swant:\n%s", got, cases[name]["files"])
			}
		})
	}
}

func listing(p *Patch) string {
	var b strings.Builder
	for _, f := range p.Files {
		fmt.Fprintf(&b, "%s %s", f.Op, f.Path)
		if f.From != "" {
			fmt.Fprintf(&b, " < %s", f.From)
		}
		if f.Mode != 0 {
			fmt.Fprintf(&b, " %o", f.Mode)
		}
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, " %d:%d/%d", h.Line, len(h.Old()), len(h.New()))
			for _, a := range h.Anchors {
				fmt.Fprintf(&b, " @(%s)", a)
			}
			if h.AtEnd {
				b.WriteString(" $")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestTeach holds the lessons to what the parser understands: every example in
// them must be read.
func TestTeach(t *testing.T) {
	for _, lesson := range []string{unifiedText, searchReplaceText, codexText, teachText} {
		p, err := Parse(lesson, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Files[0].Path; got != "shop/cart.py" {
			t.Errorf("the example is read as a patch of %q", got)
		}
		if lesson != teachText && !strings.Contains(Lessons(), lesson) {
			t.Error("Lessons leaves one out")
		}
	}
}
