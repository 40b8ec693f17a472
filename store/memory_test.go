package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

var ctx = context.Background()

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
	m := open(t, Options{StateDir: dir}).Memory()
	checkRecall(t, m, "escape the template", 5) // of an empty memory

	remember(t, m, Pattern{Text: "escape the names in the template", Solution: "s", Type: "django", Task: "7"}, Pattern{Text: "rename the user table"},
		Pattern{Text: "?!"}, Pattern{Kind: KindFailure, Text: "escape the template"})

	// More are asked for than there are, and most are not similar.
	found := checkRecall(t, m, "escape templates", 50, "escape the names in the template")
	if got := found[0]; got.Similarity < MinSimilarity || got.Similarity > 1 || got.Solution != "s" || got.Type != "django" || got.Task != "7" || got.Uses != 1 {
		t.Errorf("recalled %+v", got)
	}
	checkRecall(t, m, "?!", 5) // what has no words is like nothing
	checkRecall(t, m, "", 5)
	checkRecall(t, m, "escape templates", 0)
	if found := checkRecall(t, m, "rename the user table", 5, "rename the user table"); found[0].Similarity < 0.95 {
		t.Errorf("the same text has a similarity of %v", found[0].Similarity)
	}

	// Another store of the same user knows it too, and counts on: one that ends has written what it counted.
	m.Close()
	m = open(t, Options{StateDir: dir, Workspace: "c3d4"}).Memory()
	if found := checkRecall(t, m, "escape templates", 5, "escape the names in the template"); found[0].Uses != 2 {
		t.Errorf("%d uses were counted, not 2", found[0].Uses)
	}
	if _, err := m.Recall(ctx, "nonsense", "x", 5); err != nil {
		t.Errorf("an unknown kind has nothing to recall: %v", err)
	}
}

// TestRank puts what has helped in front of what is as similar, and nothing in
// front of what is clearly more similar.
func TestRank(t *testing.T) {
	m := open(t, Options{StateDir: t.TempDir()}).Memory()
	text := "escape the template of the"
	remember(t, m, Pattern{Text: text + " offer", Trials: 1}, Pattern{ID: "p", Text: text + " page", Type: "poisoned", Trials: 2}, Pattern{Text: text + " order"}, Pattern{Text: text + " route", Trials: 20, Successes: 19},
		Pattern{Text: "render every part of templates with jinja and escape", Trials: 500, Successes: 500})
	checkRecall(t, m, text, 3, text+" route", text+" order", text+" offer")
	remember(t, m, Pattern{ID: "p", Text: text + " page", Type: "poisoned", Trials: 3, Successes: 2})
	checkRecall(t, m, text+" page", 2, text+" page", text+" route")
}

// TestRemember brings a pattern up to date: what is known is not lost.
func TestRemember(t *testing.T) {
	s := open(t, Options{StateDir: t.TempDir(), Secrets: []string{"hunter2"}})
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

func TestMakeRoom(t *testing.T) {
	m := open(t, Options{StateDir: t.TempDir(), Clock: stopped}).Memory()
	remember(t, m, Pattern{Text: "escape a", Uses: 9}, Pattern{Text: "escape b", Uses: 8}, Pattern{Text: "escape c", Successes: 1})
	checkRecall(t, m, "escape c", 1, "escape c")
	for _, limit := range []int{4, 3} {
		if err := m.change(func(tx *bolt.Tx) error { return errors.Join(makeRoom(tx, limit), nextGeneration(tx)) }); err != nil {
			t.Fatal(err)
		}
	}
	checkRecall(t, m, "escape c", 9, "escape c", "escape a")
}

// TestSimilar holds the search to what MinSimilarity promises.
func TestSimilar(t *testing.T) {
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
