package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func init() { children["lessons"] = childLessons }

// childLessons learns until it is killed, and acknowledges each lesson.
func childLessons(dir string) error {
	m, err := UserMemory(Options{StateDir: dir})
	if err != nil {
		return err
	}
	all, err := m.All(ctx, "")
	for i := len(all); err == nil; i++ {
		text := fmt.Sprintf("KeyError in handler %s", syllables(uint64(i)))
		err = m.Learn(ctx, fmt.Sprintf("%06d", i), Lesson{Patterns: []Pattern{{Kind: KindFailure, Text: text, Solution: "s"}}})
		if err == nil {
			fmt.Println(i + 1)
		}
	}
	return err
}

// TestKillMemory kills a process that learns again and again: what it acknowledged is there and is found, by a memory that was
// open all the time and by one that begins.
func TestKillMemory(t *testing.T) {
	dir := t.TempDir()
	open := func() *Memory {
		m, err := UserMemory(Options{StateDir: dir})
		must(t, err)
		t.Cleanup(m.Close)
		return m
	}
	beside := open()
	for round := range 5 {
		last := ""
		start(t, "lessons", dir).killedAfter(t, 4+round*5, func(line string) {
			last = line
			if n, err := strconv.Atoi(last); err == nil && n%4 == 0 {
				checkLearnt(t, beside, n)
			}
		})
		n, err := strconv.Atoi(last)
		must(t, err)
		checkLearnt(t, beside, n)
		checkLearnt(t, open(), n)
		remember(t, beside, Pattern{Kind: KindPattern, Text: "between two rounds"}, Pattern{Kind: KindFailure, Text: "KeyError in handler " + syllables(uint64(n))})
	}
}

// checkLearnt looks for the first n lessons of childLessons.
func checkLearnt(t *testing.T, m *Memory, n int) {
	t.Helper()
	if all, err := m.All(ctx, ""); err != nil || len(all) < n {
		t.Fatalf("%d of %d patterns are left, %v", len(all), n, err)
	}
	text := "KeyError in handler " + syllables(uint64(n-1))
	if found, err := m.Look(ctx, KindFailure, text, 1); err != nil || len(found) != 1 || found[0].Text != text {
		t.Fatalf("the last pattern is not found: %v, %v", found, err)
	}
}

// TestCutMemory cuts a memory's file at many bytes: it opens with what it held, or says what is broken.
func TestCutMemory(t *testing.T) {
	m := open(t, Options{StateDir: t.TempDir()}).Memory()
	remember(t, m, Pattern{Text: "escape the template"}, Pattern{Text: "rename the table"})
	whole, err := os.ReadFile(m.path)
	if err != nil {
		t.Fatal(err)
	}
	var cuts []int
	page := os.Getpagesize()
	for at := 0; at < len(whole); at += page {
		cuts = append(cuts, at, at+1, at+page/2, at+page-1)
	}
	dir := t.TempDir()
	for _, at := range cuts {
		path := filepath.Join(dir, fmt.Sprint(at))
		if err := writeFile(path, whole[:min(at, len(whole))]); err != nil {
			t.Fatal(err)
		}
		cut := newMemory(path, m.clock, m.redact)
		found, err := cut.Look(ctx, KindPattern, "escape the template", 1)
		var broken *Broken
		if err == nil && at > 0 && len(found) != 1 || err != nil && !errors.As(err, &broken) {
			t.Errorf("of %d bytes %d: %v, %v", len(whole), at, found, err)
		}
	}
}
