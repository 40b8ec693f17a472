package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestIndex changes a file in every way in which other programs do, between two searches:
// what is found is what lies on disk, whether the index knows the file or not.
func TestIndex(t *testing.T) {
	past := time.Now().Add(-time.Hour)
	for name, change := range map[string]func(path string) error{
		"nothing":   func(string) error { return nil },
		"rewritten": func(path string) error { return os.WriteFile(path, []byte("new one\n"), 0o644) },
		"rewritten with its old time": func(path string) error {
			info, err := os.Stat(path)
			for old := info; err == nil && changedAt(info).Equal(changedAt(old)) && runtime.GOOS == "linux"; {
				err = errors.Join(os.WriteFile(path, []byte("new one\n"), 0o644), os.Chtimes(path, past, past))
				info, _ = os.Stat(path)
			}
			return err
		},
		"replaced with the old time": func(path string) error {
			return errors.Join(os.WriteFile(path+"~", []byte("new one\n"), 0o644), os.Chtimes(path+"~", past, past), os.Rename(path+"~", path))
		},
		"deleted":       os.Remove,
		"binary now":    func(path string) error { return os.WriteFile(path, []byte("new\x00old"), 0o644) },
		"too large now": func(path string) error { return os.Truncate(path, MaxText+1) },
		"a link in a circle": func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink(filepath.Base(path), path))
		},
	} {
		w, dir := open(t, map[string]string{"a/same.py": "old one\n", "b/same.py": "old two\n"})
		file := filepath.Join(dir, "a", "same.py")
		if err := errors.Join(os.Chtimes(file, past, past), os.Chtimes(filepath.Join(dir, "b", "same.py"), past, past)); err != nil {
			t.Fatal(err)
		}
		w.index.clock = later
		o := w.NewOverlay()
		for range 2 {
			if got := said(t, o); got != "a/same.py:1 old one b/same.py:1 old two" {
				t.Fatalf("%s: before, got %q", name, got)
			}
		}
		if len(w.index.entries) != 2 {
			t.Fatalf("%s: the index knows %d files", name, len(w.index.entries))
		}
		if err := change(file); err != nil {
			t.Fatal(err)
		}
		fresh, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := said(t, o), said(t, fresh.NewOverlay()); got != want {
			t.Errorf("%s: got %q, a workspace that was opened just now %q", name, got, want)
		}
		known, errKnown := w.Read("a/same.py")
		read, err := fresh.Read("a/same.py")
		if known != read || fmt.Sprint(errKnown) != fmt.Sprint(err) {
			t.Errorf("%s: read %+v, %v; a workspace that was opened just now %+v, %v", name, known, errKnown, read, err)
		}
	}
}

// later is a clock by which every file has been as it is for long.
func later() time.Time { return time.Now().Add(time.Hour) }

// TestIndexUnsettled: what was written a moment ago is read again, because it may change once
// more without the disk saying so.
func TestIndexUnsettled(t *testing.T) {
	w, _ := open(t, map[string]string{"a.py": "old\n"})
	w.index.clock = func() time.Time { return time.Now().Add(-time.Hour) }
	if got := said(t, w.NewOverlay()); got != "a.py:1 old" || len(w.index.entries) != 0 {
		t.Errorf("got %q, the index knows %d files", got, len(w.index.entries))
	}
}

// said renders what a search finds.
func said(t *testing.T, o *Overlay) string {
	found, _, err := o.Search(t.Context(), Query{Pattern: "old|new", Regexp: true})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, m := range found {
		list = append(list, fmt.Sprintf("%s:%d %s", m.Path, m.Line, m.Text))
	}
	return strings.Join(list, " ")
}

// TestIndexBound fills an index: it never has more than its bound, and what is not kept
// is found all the same.
func TestIndexBound(t *testing.T) {
	past := time.Now().Add(-time.Hour)
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("f%02d.txt", i)] = strings.Repeat("x", 1000) + " old\n"
	}
	w, dir := open(t, files)
	w.index.most, w.index.clock = 10_000, later
	for name := range files {
		if err := os.Chtimes(filepath.Join(dir, name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	o := w.NewOverlay()
	for round := range 2 * indexedRounds {
		glob := "f0*"
		if round > 1 {
			glob = "f1*"
		}
		found, _, err := o.Search(t.Context(), Query{Pattern: "old", Glob: glob})
		if err != nil || len(found) != 10 {
			t.Fatalf("round %d: %d found, %v", round, len(found), err)
		}
		if w.index.bytes > w.index.most || len(w.index.entries) > 9 {
			t.Fatalf("round %d: the index has %d bytes of %d files", round, w.index.bytes, len(w.index.entries))
		}
	}
	if w.index.entries["f00.txt"] != nil || len(w.index.entries) == 0 {
		t.Error("what nobody looks for has not given way")
	}
}

// TestNeedles: what is certainly not there is said so, and nothing else.
func TestNeedles(t *testing.T) {
	for _, tt := range []struct{ pattern, text, known string }{
		{`abc`, "xabcx", "abc"},
		{`(?i)abc`, "xAbCx", "abc"},
		{`(?i)task`, "TAS\u212a", "ta"},
		{`(?i)ss`, "\u017fs", ""},
		{`(?i)aab`, "aaAB", "aab"},
		{`def \w+_id\(`, "def x_id(", "def "},
		{`(foo|ba)r+`, "bar", "foo|ba"},
		{`a*b?`, "", ""},
		{`(ab)*cd{2}`, "cdd", "c"},
		{`x(abcd|)`, "x", "x"},
		{`é+`, "é", "é"},
		{`.*`, "", ""},
		{`a|b|cd|ef|gh`, "gh", ""},
	} {
		list := needlesOf(tt.pattern)
		var known []string
		for _, n := range list {
			known = append(known, n.text)
		}
		if got := strings.Join(known, "|"); got != tt.known {
			t.Errorf("%s: needles %q, want %q", tt.pattern, got, tt.known)
		}
		if !regexp.MustCompile(tt.pattern).MatchString(tt.text) || !list.in(tt.text) {
			t.Errorf("%s: %q is passed over", tt.pattern, tt.text)
		}
	}
	for _, text := range []string{"", "ab", "xAbX", "abd ABD"} {
		if needlesOf("(?i)abc").in(text) {
			t.Errorf("abc is found in %q", text)
		}
	}
}

// FuzzNeedles: no line that an expression matches is without its needles.
func FuzzNeedles(f *testing.F) {
	f.Add(`(?i)def (\w+|k)\(`, "DEF foo(")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := regexp.Compile(pattern)
		if err == nil && re.MatchString(text) && !needlesOf(re.String()).in(text) && utf8.ValidString(text) {
			t.Errorf("%q matches %q, whose needles are %v", pattern, text, needlesOf(re.String()))
		}
	})
}

// BenchmarkSearch10000 searches 10,000 files of about a kilobyte for a text that few
// have. Cold is the first search of a workspace, warm every later one.
func BenchmarkSearch10000(b *testing.B) {
	dir := b.TempDir()
	past := time.Now().Add(-time.Hour)
	for i := range 10_000 {
		name := fmt.Sprintf("pkg%02d/mod%02d.py", i/100, i%100)
		put(b, dir, name, strings.Repeat(fmt.Sprintf("def helper%d(a, b):\n    if a > b:\n        return [x for x in range(b)]\n    return {'a': a, 'b': b}\n\n\n", i), 10))
		if err := os.Chtimes(filepath.Join(dir, name), past, past); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range []Query{{Pattern: "helper777("}, {Pattern: `def helper77\d\(`, Regexp: true}, {Pattern: "HELPER777(", IgnoreCase: true}} {
		for _, cold := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/cold=%v", q.Pattern, cold), func(b *testing.B) {
				w, err := Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				defer w.Close()
				var took []time.Duration
				for b.Loop() {
					if cold {
						if w, err = Open(dir); err != nil {
							b.Fatal(err)
						}
						defer w.Close()
					}
					begun := time.Now()
					if found, _, err := w.NewOverlay().Search(b.Context(), q); len(found) == 0 || err != nil {
						b.Fatal(len(found), err)
					}
					took = append(took, time.Since(begun))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			})
		}
	}
}
