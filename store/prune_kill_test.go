package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

func init() { children["prune"] = childPrune }

// childPrune adds tasks that share contents, and prunes the older half of them, until it is killed. It says which tasks are there and which are
// about to go.
func childPrune(dir string) error {
	s, err := Open(Options{StateDir: dir, Workspace: "a1b2"})
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	for n := 0; ; n++ {
		task, contents := strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(n), [][]byte{}
		var names []string
		for range 4 {
			contents = append(contents, bytes.Repeat([]byte(strconv.Itoa(random.IntN(60))), 60_000))
			names = append(names, Hash(contents[len(contents)-1]))
		}
		if _, err := s.Journal(task).AppendWith("step", names, contents...); err != nil {
			return err
		}
		fmt.Println("added", task)
		if n%8 != 7 {
			continue
		}
		if err := pruneHalf(s); err != nil {
			return err
		}
	}
}

// pruneHalf prunes the older half of all tasks and gives the space back.
func pruneHalf(s *Store) error {
	c, err := s.Census(context.Background(), nil)
	if err != nil {
		return err
	}
	tasks, err := s.Tasks()
	for _, old := range tasks[:len(tasks)/2] {
		fmt.Println("prunes", old)
		_, failed := c.Prune(old, false)
		err = errors.Join(err, failed)
	}
	_, failed := c.Sweep()
	before, after, unshrunk := s.Shrink(context.Background())
	if after < before {
		fmt.Println("smaller")
	}
	return errors.Join(err, failed, unshrunk)
}

// TestPruneKilled kills a process again and again while it prunes and gives space back: every task that was not to go is there, with all that
// it names, and nothing else is.
func TestPruneKilled(t *testing.T) {
	dir, there, smaller := t.TempDir(), map[string]bool{}, 0
	for round := range 25 {
		start(t, "prune", dir).killedAfter(t, 9+round, func(line string) {
			switch word, task, _ := strings.Cut(line, " "); word {
			case "added":
				there[task] = true
			case "prunes":
				delete(there, task)
			case "smaller":
				smaller++
			}
		})
		checkPruned(t, dir, there)
	}
	if smaller == 0 {
		t.Error("no space was given back")
	}
}

// checkPruned reads back what the tasks name.
func checkPruned(t *testing.T, dir string, there map[string]bool) {
	t.Helper()
	s := open(t, Options{StateDir: dir})
	tasks, err := s.Tasks()
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, task := range tasks {
		left[task] = true
		records, err := s.Journal(task).Records()
		if err != nil || len(records) != 1 {
			t.Fatal(task, len(records), err)
		}
		var names []string
		if err := json.Unmarshal(records[0].Body, &names); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if _, err := s.Blob(name); err != nil {
				t.Fatalf("task %s: %v", task, err)
			}
		}
	}
	for task := range there {
		if !left[task] {
			t.Errorf("task %s is gone", task)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
