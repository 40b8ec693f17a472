package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

var ctx = context.Background()

// drawn is an embedder whose vectors the test draws itself.
type drawn struct {
	name    string
	vectors map[string][]float32
	asked   []string // the texts that were embedded
	err     error
}

func (d *drawn) Name() string { return d.name }

func (d *drawn) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, t := range texts {
		d.asked = append(d.asked, t)
		out = append(out, slices.Clone(d.vectors[t]))
	}
	return out, d.err
}

func remember(t testing.TB, m *Memory, patterns ...Pattern) {
	t.Helper()
	for _, p := range patterns {
		if p.Kind == "" {
			p.Kind = KindPattern
		}
		if err := m.Remember(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
}

// checkRecall recalls and compares the texts, best first.
func checkRecall(t *testing.T, m *Memory, text string, n int, want ...string) []Recalled {
	t.Helper()
	found, err := m.Recall(ctx, KindPattern, text, n)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range found {
		got = append(got, r.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q recalls %q, not %q", text, got, want)
	}
	return found
}

func TestRecall(t *testing.T) {
	dir := t.TempDir()
	e := &drawn{name: "e", vectors: map[string][]float32{
		"x": {1, 0, 0}, "near x": {3, 4, 0}, "y": {0, 2, 0}, "nothing": {0, 0, 0}, "not a number": {float32(math.NaN()), 0, 1}, "-x": {-1, 0, 0},
	}}
	m := open(t, Options{StateDir: dir, Embedder: e}).Memory()
	checkRecall(t, m, "x", 5) // of an empty memory

	remember(t, m, Pattern{Text: "near x", Solution: "s", Type: "django", Task: "7"}, Pattern{Text: "y"}, Pattern{Text: "nothing"},
		Pattern{Text: "not a number"}, Pattern{Text: "-x"}, Pattern{Kind: KindFailure, Text: "x"})

	// More are asked for than there are, and most are not similar.
	found := checkRecall(t, m, "x", 50, "near x")
	if got := found[0]; math.Abs(got.Similarity-0.6) > 1e-6 || got.Solution != "s" || got.Type != "django" || got.Task != "7" || got.Uses != 1 {
		t.Errorf("recalled %+v", got)
	}
	checkRecall(t, m, "nothing", 5)      // a vector of zeros is like nothing
	checkRecall(t, m, "not a number", 5) // and so is one that is none
	checkRecall(t, m, "x", 0)
	checkRecall(t, m, "y", 1, "y") // near x is near y, but one was asked for

	// Another store of the same user knows it too, and counts on.
	m = open(t, Options{StateDir: dir, Embedder: e, Workspace: "c3d4"}).Memory()
	if found := checkRecall(t, m, "x", 5, "near x"); found[0].Uses != 2 {
		t.Errorf("%d uses were counted, not 2", found[0].Uses)
	}
	if _, err := m.Recall(ctx, "nonsense", "x", 5); err != nil {
		t.Errorf("an unknown kind has nothing to recall: %v", err)
	}
}

// TestRank puts what has helped in front of what is as similar, and nothing in
// front of what is clearly more similar.
func TestRank(t *testing.T) {
	e := &drawn{name: "e", vectors: map[string][]float32{
		"query": {1, 0}, "same": {1, 0.01}, "helped": {1, 0.3}, "unknown": {1, -0.29}, "failed": {1, 0.28}, "far": {1, 1},
	}}
	m := open(t, Options{StateDir: t.TempDir(), Embedder: e}).Memory()
	remember(t, m, Pattern{Text: "failed", Trials: 1}, Pattern{Text: "same", Type: "poisoned", Trials: 2}, Pattern{Text: "unknown"}, Pattern{Text: "helped", Trials: 20, Successes: 19},
		Pattern{Text: "far", Trials: 500, Successes: 500})
	checkRecall(t, m, "query", 5, "helped", "unknown", "failed", "far")
	remember(t, m, Pattern{Text: "same", Trials: 3, Successes: 2})
	checkRecall(t, m, "query", 2, "helped", "same")
}

// TestRemember brings a pattern up to date: what is known is not lost.
func TestRemember(t *testing.T) {
	e := &drawn{name: "e", vectors: map[string][]float32{"x": {1}}}
	s := open(t, Options{StateDir: t.TempDir(), Embedder: e, Secrets: []string{"hunter2"}})
	m := s.Memory()
	remember(t, m, Pattern{Text: " x\n", Task: "1"}, Pattern{Text: "x", Solution: "use hunter2", Task: "2"}, Pattern{Text: "x"})
	found := checkRecall(t, m, "x", 5, "x")
	want := Pattern{ID: found[0].ID, Kind: KindPattern, Text: "x", Solution: "use [redacted]", Task: "2", Uses: 1}
	if found[0].Pattern != want || want.ID == "" {
		t.Errorf("recalled %+v, not %+v", found[0].Pattern, want)
	}
	helped := found[0].Pattern
	helped.Successes++
	remember(t, m, helped)
	if found = checkRecall(t, m, "x", 5, "x"); found[0].Uses != 2 || found[0].Successes != 1 {
		t.Errorf("recalled %+v", found[0])
	}
	for _, bad := range []Pattern{
		{Kind: "other", Text: "x"}, {Kind: KindPattern}, {Kind: KindPattern, Text: "x", Uses: -1},
		{Kind: KindPattern, Text: strings.Repeat("x", maxPatternText+1)}, {Kind: KindPattern, Text: "x", ID: strings.Repeat("i", maxTask+1)},
	} {
		if err := m.Remember(ctx, bad); err == nil {
			t.Errorf("%.50v was remembered", bad)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := m.Remember(ended, Pattern{Kind: KindPattern, Text: "late"}); !errors.Is(err, context.Canceled) {
		t.Errorf("remembering after the end: %v", err)
	}
}

// TestReembed changes what vectors depend on: the dimension, the embedder, the
// text, the stored bytes. Each pattern is embedded anew then, and only then.
func TestReembed(t *testing.T) {
	dir := t.TempDir()
	use := func(name string, vectors map[string][]float32, change func(*Memory), want ...string) {
		t.Helper()
		e := &drawn{name: name, vectors: vectors}
		s := open(t, Options{StateDir: dir, Embedder: e})
		defer s.Close()
		if change != nil {
			change(s.Memory())
		}
		for range 2 { // the second time from the index
			checkRecall(t, s.Memory(), "x", 5, "x")
		}
		if got := slices.DeleteFunc(e.asked, func(s string) bool { return s == "x" }); !slices.Equal(got, want) {
			t.Errorf("embedder %s embedded %q, not %q", name, got, want)
		}
	}
	two := map[string][]float32{"x": {1, 0}, "y": {0, 1}, "z": {0, -1}}
	three := map[string][]float32{"x": {1, 0, 0}, "y": {0, 1, 0}, "z": {0, 0, 1}}
	use("a", two, func(m *Memory) { remember(t, m, Pattern{Text: "x"}, Pattern{Text: "y", ID: "1"}) }, "y")
	use("a", two, nil)
	use("a", three, nil, "y")
	use("b", two, nil, "y")
	use("b", two, func(m *Memory) { remember(t, m, Pattern{Text: "z", ID: "1"}) }, "z")
	use("b", two, func(m *Memory) {
		err := m.with(func(db *database) error {
			return db.update(func(tx *bolt.Tx) error { return tx.DeleteBucket(vectorsBucket) })
		})
		if err != nil {
			t.Fatal(err)
		}
		var broken *Broken
		if _, err := m.Recall(ctx, KindPattern, "x", 1); !errors.As(err, &broken) {
			t.Errorf("a memory without its vectors' part: %v", err)
		}
		db, err := bolt.Open(m.path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket(vectorsBucket); return err })
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}, "z")
}

// TestEmbedderFails loses nothing.
func TestEmbedderFails(t *testing.T) {
	e := &drawn{name: "e", vectors: map[string][]float32{"x": {1, 0}, "odd": {1, 0, 0}}, err: errors.New("no route to host")}
	m := open(t, Options{StateDir: t.TempDir(), Embedder: e}).Memory()
	remember(t, m, Pattern{Text: "x"})
	if _, err := m.Recall(ctx, KindPattern, "x", 1); !errors.Is(err, e.err) {
		t.Errorf("got %v", err)
	}
	e.err = nil
	checkRecall(t, m, "x", 1, "x")
	remember(t, m, Pattern{Text: "odd"})
	if _, err := m.Recall(ctx, KindPattern, "x", 1); err == nil || !strings.Contains(err.Error(), "vectors of 2 and of 3") {
		t.Errorf("an embedder of two dimensions: %v", err)
	}
}

func TestMakeRoom(t *testing.T) {
	e := &drawn{name: "e", vectors: map[string][]float32{"a": {1}, "b": {1}, "c": {1}}}
	m := open(t, Options{StateDir: t.TempDir(), Embedder: e, Clock: stopped}).Memory()
	remember(t, m, Pattern{Text: "a", Uses: 9}, Pattern{Text: "b", Uses: 8}, Pattern{Text: "c", Successes: 1})
	checkRecall(t, m, "a", 1, "c")
	for _, limit := range []int{4, 3} {
		err := m.with(func(db *database) error {
			return db.update(func(tx *bolt.Tx) error { return errors.Join(makeRoom(tx, limit), nextGeneration(tx)) })
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	checkRecall(t, m, "a", 9, "c", "a")
}

// TestLocal holds the built-in embedder to what minSimilarity promises.
func TestLocal(t *testing.T) {
	m := open(t, Options{StateDir: t.TempDir()}).Memory()
	remember(t, m,
		Pattern{Text: "Add a comment form to the blog post page"},
		Pattern{Text: "Fix the login redirect after the session has expired"},
		Pattern{Text: "Write a Dockerfile for the Flask application"},
		Pattern{Text: "Rename the user table and migrate the database"},
		Pattern{Text: `ModuleNotFoundError: No module named "requests" in /home/anna/shop/api/client.py line 12`},
		Pattern{Text: "KeyError: 'price' in src/shop/cart.py line 88"},
	)
	for query, want := range map[string]string{
		"add a form for comments to every blog post":                                   "Add a comment form to the blog post page",
		"after a session expires, the login page redirects wrongly: fix it":            "Fix the login redirect after the session has expired",
		"dockerfile for our flask app":                                                 "Write a Dockerfile for the Flask application",
		"migrate the users table in the database":                                      "Rename the user table and migrate the database",
		`ModuleNotFoundError: No module named "numpy" in /srv/x/lib/calc.py line 3041`: `ModuleNotFoundError: No module named "requests" in /home/anna/shop/api/client.py line 12`,
		"KeyError: 'amount' in C:\\work\\billing\\invoice.py line 7":                   "KeyError: 'price' in src/shop/cart.py line 88",
		"draw a chart of monthly sales with matplotlib":                                "",
		"Make the CSS of the navigation bar responsive on small screens":               "",
		"speed up the search over all products":                                        "",
		"":                                                                             "",
		"?!":                                                                           "",
	} {
		var texts []string
		if want != "" {
			texts = append(texts, want)
		}
		checkRecall(t, m, query, 1, texts...)
	}
}

func TestWords(t *testing.T) {
	got := words(`getUserName(x2) at /usr/lib/app/views.py:41, 0xDEADBEEF id=3b18e512dba79e4c straße HTTP_404 v1.2.3`)
	want := "get user name x2 at pathofpy 0 0 id 0 straße http 404 v1 0"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func BenchmarkRecall(b *testing.B) {
	m := open(b, Options{StateDir: b.TempDir()}).Memory()
	err := m.with(func(db *database) error {
		return db.update(func(tx *bolt.Tx) error {
			for i := range 1000 {
				text := fmt.Sprintf("%s the %s of the %s in module %d", words5[i%5], words5[i/5%5]+"er", words5[i/25%5]+"ing", i)
				if err := m.put(tx, Pattern{ID: fmt.Sprint(i), Kind: KindPattern, Text: text}); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if found, err := m.Recall(ctx, KindPattern, "render the parser of the testing in module 7", 5); err != nil || len(found) != 5 {
			b.Fatal(len(found), err)
		}
	}
}

var words5 = []string{"render", "pars", "load", "test", "import"}

func TestBrokenMemory(t *testing.T) {
	dir := t.TempDir()
	m := open(t, Options{StateDir: dir}).Memory()
	if err := writeFile(filepath.Join(dir, memoryFile), []byte("not a database")); err != nil {
		t.Fatal(err)
	}
	var broken *Broken
	if err := m.Remember(ctx, Pattern{Kind: KindPattern, Text: "x"}); !errors.As(err, &broken) {
		t.Errorf("Remember: %v", err)
	}
	if _, err := m.Recall(ctx, KindPattern, "x", 1); !errors.As(err, &broken) {
		t.Errorf("Recall: %v", err)
	}
	if err := os.Remove(m.path); err != nil { // moved aside, as the error says
		t.Fatal(err)
	}
	remember(t, m, Pattern{Text: "x"})
	checkRecall(t, m, "x", 1, "x")
}
