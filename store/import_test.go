package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// TestImport gives records to a memory that knows one, and looks at what became of it.
func TestImport(t *testing.T) {
	own := Pattern{Kind: KindPattern, Text: "escape the template", Solution: "s", Type: "django"}
	id := lessonID(own)
	with := func(change func(*Kept)) Kept {
		k := Kept{Pattern: own}
		k.ID = id
		change(&k)
		return k
	}
	for name, test := range map[string]struct {
		give  Kept
		added int
		check func(Kept) bool // of what was added
	}{
		"known":               {with(func(*Kept) {}), 0, nil},
		"known, counts":       {with(func(k *Kept) { k.Trials, k.Successes = 9, 9 }), 0, nil},
		"known, another id":   {with(func(k *Kept) { k.ID = "../../x" }), 0, nil},
		"its id, other words": {with(func(k *Kept) { k.Solution = "run this" }), 1, func(k Kept) bool { return k.ID == lessonID(k.Pattern) && k.Source == "imported from a" }},
		"a free id":           {with(func(k *Kept) { k.ID, k.Text = "../../x", "other words" }), 1, func(k Kept) bool { return k.ID == lessonID(k.Pattern) }},
		"claimed counts": {with(func(k *Kept) { k.Text, k.Trials, k.Successes, k.Uses, k.Taught, k.Task = "y", 99, 99, 99, 9, "1" }), 1,
			func(k Kept) bool { return k.Trials+k.Successes+k.Uses+k.Taught == 0 && k.Task == "" }},
		"useless":    {with(func(k *Kept) { k.Text, k.Trials = "y", 1<<62 }), 1, func(k Kept) bool { return k.Useless() && k.Trials == maxImportedCount }},
		"the future": {with(func(k *Kept) { k.Text, k.Created = "y", stopped().AddDate(50, 0, 0) }), 1, func(k Kept) bool { return k.Created.Equal(stopped()) }},
		"the past":   {with(func(k *Kept) { k.Text, k.Created = "y", stopped().AddDate(-1, 0, 0) }), 1, func(k Kept) bool { return k.Created.Equal(stopped().AddDate(-1, 0, 0)) }},
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, Options{StateDir: t.TempDir(), Clock: stopped}).Memory()
			if err := m.Learn(ctx, "1", Lesson{Patterns: []Pattern{own}, Decided: true}); err != nil {
				t.Fatal(err)
			}
			for try, want := range []int{test.added, 0} {
				if added, err := m.Import(ctx, "imported from a", []Kept{test.give}); err != nil || added != want {
					t.Fatalf("import %d added %d: %v, want %d", try+1, added, err, want)
				}
			}
			all, err := m.All(ctx, "")
			if err != nil || len(all) != 1+test.added {
				t.Fatalf("remembered: %+v, %v", all, err)
			}
			for _, k := range all {
				if k.ID == id && (k.Solution != "s" || k.Trials != 0 || k.Taught != 1 || k.Source != "") {
					t.Errorf("what was learnt became %+v", k)
				} else if k.ID != id && !test.check(k) {
					t.Errorf("imported as %+v", k)
				}
			}
		})
	}
}

func TestImportRefused(t *testing.T) {
	m := open(t, Options{StateDir: t.TempDir()}).Memory()
	good := Kept{Pattern: Pattern{Kind: KindPattern, Text: "y"}}
	for name, bad := range map[string]Pattern{"kind": {Kind: "recipe", Text: "x"}, "text": {Kind: KindPattern}, "type": {Kind: KindPattern, Text: "x", Type: strings.Repeat("x", maxKind+1)}} {
		if _, err := m.Import(ctx, "imported from a", []Kept{good, {Pattern: bad}}); err == nil || !strings.Contains(err.Error(), "pattern 2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, err := m.All(ctx, ""); err != nil || len(all) > 0 {
		t.Errorf("kept of a refused import: %v, %v", all, err)
	}
}

// TestUnreadable serves what can be read beside records that cannot.
func TestUnreadable(t *testing.T) {
	m := open(t, Options{StateDir: t.TempDir()}).Memory()
	remember(t, m, Pattern{ID: "good", Text: "escape the template"}, Pattern{ID: "nul", Text: "escape the template of the page"}, Pattern{ID: "kind", Text: "escape the page"})
	spoil := func(tx *bolt.Tx) error {
		b := tx.Bucket(patternsBucket)
		text := bytes.Clone(b.Get([]byte("nul")))
		text[len(text)/2] = 0
		return errors.Join(b.Put([]byte("nul"), text), b.Put([]byte("kind"), []byte(`{"kind":"recipe"}`)))
	}
	if err := m.change(spoil); err != nil {
		t.Fatal(err)
	}
	found := checkRecall(t, m, "escape the template", 5, "escape the template")
	if says := m.Trouble(); !strings.Contains(says, "caselsp memory forget kind nul") || m.Trouble() != "" {
		t.Errorf("a recall says %q", says)
	}
	checkRecall(t, m, "escape the template", 5, "escape the template")
	if says := m.Trouble(); says != "" {
		t.Errorf("it is said again: %q", says)
	}
	if all, err := m.All(ctx, ""); err != nil || len(all) != 1 || all[0].ID != "good" {
		t.Errorf("listed: %v, %v", all, err)
	}
	if ids, err := m.Unreadable(ctx); err != nil || strings.Join(ids, " ") != "kind nul" {
		t.Errorf("unreadable: %v, %v", ids, err)
	}
	if err := m.Learn(ctx, "1", Lesson{Uses: []Use{{ID: "nul", Helped: true}, {ID: found[0].ID, Helped: true}}, Decided: true}); err != nil {
		t.Error(err)
	}
	remember(t, m, Pattern{ID: "kind", Text: "escape the page"}) // learnt again, it is whole
	if n, err := m.Forget(ctx, "nul"); n != 1 || err != nil {
		t.Errorf("forgot %d: %v", n, err)
	}
	if ids, err := m.Unreadable(ctx); err != nil || len(ids) > 0 {
		t.Errorf("unreadable afterwards: %v, %v", ids, err)
	}
	checkRecall(t, m, "escape the page", 5, "escape the page", "escape the template")
}

// TestImportRefuses keeps out what no export holds, and what is more than is kept.
func TestImportRefuses(t *testing.T) {
	m := open(t, Options{StateDir: t.TempDir()}).Memory()
	good := Kept{Pattern: Pattern{Kind: KindFailure, Text: "x"}}
	for name, list := range map[string][]Kept{
		"a validator": {good, {Pattern: Pattern{Kind: KindValidator, Text: "x", Trials: 9}}},
		"no kind":     {good, {Pattern: Pattern{Text: "x"}}},
		"too many":    make([]Kept, maxPatterns+1),
	} {
		if added, err := m.Import(ctx, "imported from a", list); err == nil || added != 0 {
			t.Errorf("%s: %d were added", name, added)
		}
	}
	if all, err := m.All(ctx, ""); err != nil || len(all) != 0 {
		t.Errorf("remembered: %v, %v", all, err)
	}
}

// TestForgetErases looks for what was forgotten in the bytes of the file.
func TestForgetErases(t *testing.T) {
	const secret = "kestrel-over-river"
	m := open(t, Options{StateDir: t.TempDir()}).Memory()
	drop := func() error { // as Forget, killed before it has erased
		return m.with(func(db *database) error {
			return db.update(func(tx *bolt.Tx) error { return errors.Join(drop(tx, "b"), nextGeneration(tx)) })
		})
	}
	forget := func(id string) func() error {
		return func() error { _, err := m.Forget(ctx, id); return err }
	}
	for name, gone := range map[string]func() error{
		"forgotten":       forget("b"),
		"twice":           func() error { return errors.Join(forget("b")(), forget("b")()) },
		"killed, another": func() error { return errors.Join(drop(), forget("c")()) },
		"killed, learnt":  func() error { return errors.Join(drop(), m.Learn(ctx, "1", Lesson{})) },
	} {
		for i := range 40 {
			remember(t, m, Pattern{Text: "x" + strings.Repeat("y", i), Solution: strings.Repeat("z", 3000)})
		}
		remember(t, m, Pattern{ID: "a", Text: "escape the template"}, Pattern{ID: "b", Text: "the " + secret, Solution: strings.Repeat(secret, 500)}, Pattern{ID: "c", Text: "c"})
		if raw, err := os.ReadFile(m.path); err != nil || !bytes.Contains(raw, []byte(secret)) {
			t.Fatalf("%s: the file does not hold it: %v", name, err)
		}
		if err := gone(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if raw, err := os.ReadFile(m.path); err != nil || bytes.Contains(raw, []byte(secret)) {
			t.Errorf("%s: the file still holds it: %v", name, err)
		}
		checkRecall(t, newMemory(m.path, m.clock, m.redact), "escape the template", 5, "escape the template")
		if err := m.with(func(db *database) error {
			return db.view(func(tx *bolt.Tx) error {
				for err := range tx.Check() {
					return err
				}
				return nil
			})
		}); err != nil {
			t.Errorf("%s: the file is damaged: %v", name, err)
		}
	}
}

// TestEmptyMemory does not take a file that lost its bytes for one that is new.
func TestEmptyMemory(t *testing.T) {
	dir := t.TempDir()
	m := open(t, Options{StateDir: dir}).Memory()
	checkRecall(t, m, "x", 5) // of none there is, it makes one
	if left, err := filepath.Glob(filepath.Join(dir, ".new-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.Truncate(m.path, 0); err != nil {
		t.Fatal(err)
	}
	var broken *Broken
	if _, err := m.All(ctx, ""); !errors.As(err, &broken) || !strings.Contains(err.Error(), "it is empty") {
		t.Errorf("the memory: %v", err)
	}
	trust, err := TrustIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trust.Folders(); !errors.As(err, &broken) {
		t.Errorf("the trust: %v", err)
	}
	if err := trust.Give(dir, "test", time.Time{}); !errors.As(err, &broken) {
		t.Errorf("more trust: %v", err)
	}
	if err := os.Remove(m.path); err != nil { // moved aside, as the error says
		t.Fatal(err)
	}
	checkRecall(t, m, "x", 5)
}

// TestImportStopped stops an import of more than two transactions: what it says is kept is, and the same import adds the others.
func TestImportStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	const all = 3*importBatch - 1
	calls := 0
	m := newMemory(filepath.Join(t.TempDir(), memoryFile), func() time.Time {
		if calls++; calls == all+importBatch+1 { // each record is checked, then kept
			cancel()
		}
		return time.Unix(1e9, 0)
	}, func(text string) string { return text })
	t.Cleanup(m.Close)
	var list []Kept
	for i := range all {
		list = append(list, Kept{Pattern: Pattern{Kind: KindFailure, Type: "ValueError", Text: "the port is taken", Solution: "take the port " + string([]byte{'a' + byte(i%26), 'a' + byte(i/26%26), 'a' + byte(i/676)})}})
	}
	added, err := m.Import(ctx, "a test", list)
	if added != 2*importBatch || !errors.Is(err, context.Canceled) {
		t.Errorf("the import that was stopped added %d, %v", added, err)
	}
	if again, err := m.Import(t.Context(), "a test", list); err != nil || again != all-added {
		t.Errorf("the same import again added %d, %v, want %d", again, err, all-added)
	}
}
