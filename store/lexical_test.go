package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// TestSearchIndex changes a memory at random, over more rows than are merged at once, and compares the index with one
// that is made anew: both find the same, also in a process that has read the index before.
func TestSearchIndex(t *testing.T) {
	dir := t.TempDir()
	m := open(t, Options{StateDir: dir}).Memory()
	other := newMemory(m.path, m.clock, m.redact)
	v := newVocabulary(3)
	rng := rand.New(rand.NewPCG(3, 1))
	for round := range 5 {
		err := m.change(func(tx *bolt.Tx) error {
			for range mergeRows / 2 {
				id := fmt.Sprint(rng.IntN(900))
				if rng.IntN(4) == 0 {
					if err := drop(tx, id); err != nil {
						return err
					}
				} else if err := m.put(tx, Pattern{ID: id, Kind: []string{KindPattern, KindFailure}[min(rng.IntN(10), 1)], Text: v.text(12)}); err != nil {
					return err
				}
			}
			return nextGeneration(tx)
		})
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, m, other, v, fmt.Sprint("round ", round))
	}
	// Lists without dead rows are the same lists.
	err := m.change(func(tx *bolt.Tx) error {
		kind := tx.Bucket(searchBucket).Bucket([]byte(KindFailure))
		tally := readTally(kind)
		if tally.Merged == 0 || tally.Dead == 0 {
			t.Fatalf("nothing was merged or removed: %+v", tally)
		}
		if err := relist(kind, &tally); err != nil {
			return err
		}
		return tally.write(kind)
	})
	if err != nil {
		t.Fatal(err)
	}
	checkSame(t, m, newMemory(m.path, m.clock, m.redact), v, "relisted")
}

// checkSame asks two memories on one database the same, and compares the rows with the patterns.
func checkSame(t *testing.T, a, b *Memory, v vocabulary, name string) {
	t.Helper()
	for range 10 {
		query := v.text(6)
		one, err := a.Look(ctx, KindFailure, query, 5)
		if err != nil {
			t.Fatal(err)
		}
		two, err := b.Look(ctx, KindFailure, query, 5)
		if err != nil || fmt.Sprint(one) != fmt.Sprint(two) {
			t.Fatalf("%s: %q finds %v and %v, %v", name, query, one, two, err)
		}
	}
	all, err := a.All(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all[:min(1, len(all))] { // of each round the latest
		found, err := b.Look(ctx, p.Kind, p.Text, 1)
		if err != nil || len(found) != 1 || found[0].Text != p.Text {
			t.Fatalf("%s: the text of %s finds %v, %v", name, p.ID, found, err)
		}
	}
	err = a.with(func(db *database) error {
		return db.view(func(tx *bolt.Tx) error {
			if n := rowsOf(tx); n != len(all) || !inStep(tx) {
				t.Errorf("%s: %d rows of %d patterns, in step: %v", name, n, len(all), inStep(tx))
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOlderMemory opens databases that have no index, one of another version, and one that an older caselsp has
// changed since: the index is made when it is needed.
func TestOlderMemory(t *testing.T) {
	for name, change := range map[string]func(tx *bolt.Tx) error{
		"no index":        func(tx *bolt.Tx) error { return tx.DeleteBucket(searchBucket) },
		"another version": func(tx *bolt.Tx) error { return tx.Bucket(searchBucket).Put(versionKey, []byte("0")) },
		"changed": func(tx *bolt.Tx) error {
			err := putPattern(tx.Bucket(patternsBucket), Kept{Pattern: Pattern{ID: "2", Kind: KindPattern, Text: "validate the form"}})
			if err != nil {
				return err
			}
			return tx.Bucket(metaBucket).Put(generationKey, key(int64(generation(tx)+1)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, Options{StateDir: t.TempDir()}).Memory()
			remember(t, m, Pattern{ID: "1", Text: "escape the template"}, Pattern{ID: "2", Text: "validate the address"})
			if err := m.change(change); err != nil {
				t.Fatal(err)
			}
			checkRecall(t, m, "escape templates", 1, "escape the template")
			remember(t, m, Pattern{ID: "3", Text: "rename the table"})
			checkRecall(t, m, "rename tables", 1, "rename the table")
			if found := checkRecall(t, m, "validate", 1, map[bool]string{true: "validate the form", false: "validate the address"}[name == "changed"]); len(found) != 1 {
				t.Error("what was changed is not found")
			}
		})
	}
}

func TestFeatures(t *testing.T) {
	for _, text := range []string{"", "?!", "KeyError: 'user_name' in getUserName", strings.Repeat("x", 300), strings.Repeat("straße ", 50), "a\xffb"} {
		f := featuresOf(text)
		raw := appendRow(nil, "a1", f)
		var got features
		if id, err := decodeRow(raw, &got); err != nil || id != "a1" || fmt.Sprint(got) != fmt.Sprint(f) {
			t.Errorf("%.20q: %v became %v, %v", text, f, got, err)
		}
		for cut := range raw {
			var part features
			if _, err := decodeRow(bytes.Clone(raw[:cut]), &part); err == nil {
				t.Errorf("%.20q: the first %d of %d bytes are taken for all", text, cut, len(raw))
				break
			}
		}
	}
	for a, b := range map[string]string{"users": "user", "parsing": "parse", "stopped": "stop", "queries": "query", "class": "class", "failed": "fail"} {
		if stem(a) != stem(b) {
			t.Errorf("%s becomes %s and %s becomes %s", a, stem(a), b, stem(b))
		}
	}
	if got := partsOf("get_userName2HTTP"); !slices.Equal(got, []string{"get", "user", "name2http"}) {
		t.Errorf("parts: %q", got)
	}
}

// TestWithoutTests leaves out the code of tests that only call what fails, and keeps all else.
func TestWithoutTests(t *testing.T) {
	const frames = "_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n"
	for name, c := range map[string]struct{ text, want string }{
		"no frames": {"    def test_a():\n>       assert f(1)\nE       assert 0\n", "    def test_a():\n>       assert f(1)\nE       assert 0\n"},
		"a frame":   {"    def test_a():\n        x = 1\n>       f(x)\n\ntest_a.py:3: \n" + frames + "    def f(x):\n>       g(x)\n", ">       f(x)\n\ntest_a.py:3: \n" + frames + "    def f(x):\n>       g(x)\n"},
		"two tests": {
			"___ test_a ___\n    def test_a():\n>       assert f(1)\n___ test_b ___\n    def test_b():\n>       f(2)\n" + frames + "    def f(x):\nE       KeyError\n",
			"___ test_a ___\n    def test_a():\n>       assert f(1)\n___ test_b ___\n>       f(2)\n" + frames + "    def f(x):\nE       KeyError\n",
		},
		"frames only": {frames, frames},
	} {
		if got := withoutTests(c.text); got != c.want {
			t.Errorf("%s: got\n%s\nnot\n%s", name, got, c.want)
		}
	}
}

// TestWithoutNames leaves out what names a test in the words of each runner, and keeps the errors, and the words of the names.
func TestWithoutNames(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"go test":        {"=== RUN   TestA\n    a_test.go:3: got 1\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s\n", "\n    a_test.go:3: got 1\n\n\n\n\na com"},
		"pytest":         {"____ TestA.test_b ____\n    def test_b(self):\n>       f()\nFAILED tests/test_a.py::TestA::test_b - KeyError: 'x'\n", "\n\n>       f()\nKeyError: 'x'\n\na b"},
		"unittest":       {"ERROR: test_b (tests.test_a.A.test_b)\r\nKeyError: 'x'\r\n", "\nKeyError: 'x'\r\n\nb a"},
		"TAP":            {"# Subtest: adds\nnot ok 1 - adds\n  error: 'x'\n", "\n\n  error: 'x'\n\nsubtest adds not"},
		"jest":           {"FAIL src/a.test.ts\n  ● shop › adds\n    TypeError: x\n", "\n\n    TypeError: x\n\nsrc a ts shop adds"},
		"names only":     {"--- FAIL: TestA (0.00s)\n", "--- FAIL: TestA (0.00s)\n"},
		"words of prose": {"FAIL fast when a file is missing\n● one\nERROR: no such file\n", "FAIL fast when a file is missing\n● one\nERROR: no such file\n"},
	} {
		if got := withoutNames(c.text); got != c.want {
			t.Errorf("%s: got\n%q\nnot\n%q", name, got, c.want)
		}
	}
}
