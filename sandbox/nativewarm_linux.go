//go:build linux && (amd64 || arm64)

package sandbox

import (
	"hash/maphash"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"
)

// cellKey is what two commands must have in common to run in one sandbox, one
// after the other.
type cellKey struct {
	user  int
	disk  int64
	layer string
	keep  bool // it makes a layer: such a sandbox serves no other command
	built string
}

func keyOf(cmd Command) cellKey {
	return cellKey{user: cmd.Policy.User, disk: cmd.Policy.Disk, layer: cmd.Layer, keep: cmd.Keep != ""}
}

// slot holds the sandbox that waits for the next command, with its work tree:
// that need not be copied in again, and no process be started. One is enough, as a
// task runs one command at a time.
type slot struct {
	mu     sync.Mutex
	cell   *cell
	idle   *time.Timer
	closed bool
}

// take returns the sandbox that waits, if the command can run in it, or nil.
func (s *slot) take(k cellKey) *cell {
	c := s.empty()
	if c != nil && c.key != k {
		c.end()
		return nil
	}
	return c
}

func (s *slot) empty() *cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.cell
	if c != nil {
		s.idle.Stop()
		s.cell = nil
	}
	return c
}

// put has a sandbox wait. It reports false for one that has served long enough,
// and where another waits already.
func (s *slot) put(c *cell) bool {
	c.runs++
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.cell != nil || c.runs >= warmRuns || time.Since(c.born) >= warmAge {
		return false
	}
	s.cell = c
	s.idle = time.AfterFunc(warmIdle, func() { s.expire(c) })
	return true
}

func (s *slot) expire(c *cell) {
	s.mu.Lock()
	mine := s.cell == c
	if mine {
		s.cell = nil
	}
	s.mu.Unlock()
	if mine {
		c.end()
	}
}

// Close ends the sandbox that waits for a next command. No command that runs is
// hurt, but none is kept waiting for any more.
func (n *NativeEngine) Close() error {
	n.warm.mu.Lock()
	n.warm.closed = true
	n.warm.mu.Unlock()
	if c := n.warm.empty(); c != nil {
		c.end()
	}
	return nil
}

// sumSeed is secret and random: no file can be made that has the sum of another.
var sumSeed = maphash.MakeSeed()

// given is a file of the work tree of a sandbox, as it was given.
type given struct {
	mode fs.FileMode
	sum  uint64
}

// delta returns what makes the work tree of the run before into another: the
// files that are not wanted there, and those that are and are not there.
func (c *cell) delta(tree []File) (gone []string, news []File) {
	before := c.tree
	c.tree = make(map[string]given, len(tree))
	for _, f := range linksLast(tree) {
		if f.Link != "" { // each command gets them anew
			news = append(news, f)
			continue
		}
		g := given{f.Mode.Perm(), maphash.Bytes(sumSeed, f.Data)}
		c.tree[f.Path] = g
		old, known := before[f.Path]
		if known && old == g {
			delete(before, f.Path)
			continue
		}
		news = append(news, f)
	}
	return slices.Sorted(maps.Keys(before)), news
}

// touched returns those files of the tree that are not any more as they were
// given, and its links, and forgets that the sandbox has them.
func (c *cell) touched(tree []File, paths []string) []File {
	for _, path := range paths {
		delete(c.tree, path)
	}
	var list []File
	for _, f := range tree { // both are sorted
		if f.Link != "" {
			list = append(list, f)
		} else if len(paths) > 0 && paths[0] == f.Path {
			list, paths = append(list, f), paths[1:]
		}
	}
	return list
}
