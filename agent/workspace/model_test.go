package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// modelPaths are few, so that renames and deletions meet.
var modelPaths = []string{"a", "b", "d/c", "d/e", "f"}

// randomText is a text of few different lines.
func randomText(random *rand.Rand) string {
	var b strings.Builder
	for i := range 6 {
		if n := random.IntN(8); n < 6 {
			fmt.Fprintf(&b, "%d%s\n", i, "xy"[:n/5])
		}
	}
	return b.String()
}

// model plays a user and an agent at random.
type model struct {
	t      *testing.T
	random *rand.Rand
	w      *Workspace
	o      *Overlay
	dir    string
	log    []string
}

func (m *model) did(form string, args ...any) { m.log = append(m.log, fmt.Sprintf(form, args...)) }

func (m *model) path() string { return modelPaths[m.random.IntN(len(modelPaths))] }

// step does one random thing. What is refused is refused: the checks after it
// tell whether it left anything behind.
func (m *model) step() {
	p, q, text := m.path(), m.path(), randomText(m.random)
	var err error
	switch m.random.IntN(8) {
	case 0, 1:
		_, err = m.o.Write(p, text)
		m.did("write %s %q: %v", p, text, err)
	case 2:
		_, err = m.o.Delete(p)
		m.did("delete %s: %v", p, err)
	case 3:
		_, err = m.o.Rename(p, q)
		m.did("rename %s %s: %v", p, q, err)
	case 4:
		m.w.OpenBuffer(p, text, 1)
		m.did("type %s %q", p, text)
	case 5:
		m.w.CloseBuffer(p)
		m.did("close %s", p)
	case 6:
		put(m.t, m.dir, p, text)
		m.did("save %s %q", p, text)
	case 7:
		err = os.Remove(filepath.Join(m.dir, p))
		m.did("remove %s: %v", p, err)
	}
}

// seen returns every file as the user or the agent reads it.
func (m *model) seen(read func(string) (File, error)) map[string]string {
	files := make(map[string]string)
	for _, p := range modelPaths {
		file, err := read(p)
		if err == nil {
			files[p] = file.Text
		} else if !errors.Is(err, fs.ErrNotExist) {
			m.fail("reading %s: %v", p, err)
		}
	}
	return files
}

func (m *model) fail(form string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("%s\nafter\n%s\n%s", fmt.Sprintf(form, args...), strings.Join(m.log, "\n"), stateText(m.o.State()))
}

// check holds the overlay to what it says: the user's files and the change set
// together are what the agent sees.
func (m *model) check() {
	m.t.Helper()
	if err := m.o.Refresh(m.t.Context()); err != nil {
		m.fail("refresh: %v", err)
	}
	user, agent := m.seen(m.w.Read), m.seen(m.o.Read)
	want := maps.Clone(user)
	for _, c := range m.o.ChangeSet().Files {
		if c.From != "" {
			if before, _ := c.Before.Text(); user[c.From] != before {
				m.fail("%s from %s was made on %q", c.Path, c.From, before)
			}
			delete(want, c.From)
		} else if before, ok := user[c.Path]; ok != (c.Before != nil) || ok && before != string(c.Before.Data) {
			m.fail("%s is a change of something that the user does not see", c.Path)
		}
		if c.After == nil {
			delete(want, c.Path)
		} else {
			want[c.Path] = string(c.After.Data)
		}
	}
	if !maps.Equal(agent, want) {
		m.fail("the agent sees %q, the change set makes %q", agent, want)
	}
	var listed []string
	entries, _, err := m.o.List(m.t.Context(), "", 0)
	for _, e := range entries {
		listed = append(listed, e.Path)
	}
	if keys := slices.Sorted(maps.Keys(agent)); err != nil || !slices.Equal(listed, keys) {
		m.fail("listed %q, %v; to be read are %q", listed, err, keys)
	}
}

// TestRandomOverlay plays many short games, each with all checks after every
// step, and ends them with going back to an earlier state or accepting all.
func TestRandomOverlay(t *testing.T) {
	for seed := range uint64(60) {
		m := &model{t: t, random: rand.New(rand.NewPCG(seed, 3))}
		m.w, m.dir = open(t, map[string]string{"a": randomText(m.random), "d/c": randomText(m.random)})
		m.o = m.w.NewOverlay()
		for range 25 {
			m.step()
			m.check()
		}
		before := m.o.State()
		if err := m.o.Restore(State{}); err != nil || m.o.State().Files != nil {
			m.fail("restoring nothing: %v", err)
		}
		if err := m.o.Restore(throughJSON(t, before)); err != nil || stateText(m.o.State()) != stateText(before) {
			m.fail("restoring %s: %v", stateText(before), err)
		}
		for _, p := range modelPaths {
			m.w.CloseBuffer(p)
		}
		m.check()
		want := m.seen(m.o.Read)
		apply(t, Disk(m.w), editsOf(m.o.ChangeSet())...)
		if got := tree(t, m.dir); !maps.Equal(got, want) {
			m.fail("accepted: the folder has %q, want %q", got, want)
		}
		if err := m.o.Refresh(t.Context()); err != nil || m.o.State().Files != nil {
			m.fail("after accepting, %v", err)
		}
	}
}

// TestTypingWhileStaging: user and agent at once. No keystroke is lost or late,
// and at the end everything fits together. It is for the race detector too.
func TestTypingWhileStaging(t *testing.T) {
	m := &model{t: t, random: rand.New(rand.NewPCG(7, 7))}
	m.w, m.dir = open(t, map[string]string{"a": "0\n1\n2\n", "d/c": "0\n1\n"})
	m.o = m.w.NewOverlay()
	const strokes = 400
	var both sync.WaitGroup
	both.Go(func() {
		for i := range strokes {
			typed := fmt.Sprintf("0\n1\n2\nuser %d\n", i)
			m.w.OpenBuffer("a", typed, int32(i))
			if file, err := m.w.Read("a"); err != nil || file.Text != typed || file.Version != int32(i) {
				t.Errorf("stroke %d: got %+v, %v", i, file, err)
			}
		}
	})
	both.Go(func() {
		random := rand.New(rand.NewPCG(8, 8))
		for i := range strokes / 4 {
			var err error
			switch random.IntN(4) {
			case 0:
				_, err = m.o.Write("a", fmt.Sprintf("agent %d\n1\n2\n", i))
			case 1:
				if _, err = m.o.Rename("a", "b"); err == nil {
					_, err = m.o.Rename("b", "a")
				}
			case 2:
				m.o.ChangeSet()
			case 3:
				m.o.Rebased()
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		}
	})
	both.Wait()
	if file, err := m.w.Read("a"); err != nil || !strings.HasSuffix(file.Text, fmt.Sprintf("user %d\n", strokes-1)) {
		t.Errorf("the user's file: %+v, %v", file, err)
	}
	m.check()
}
