package shell

import (
	"path"
	"slices"
	"strings"
)

// What an allowed line rests on is compared with the user's files before it runs. So
// nothing in the line itself may replace that first: not the manifest, and not a program, a
// module or a configuration that the manifest's entry starts, whose names this package
// does not know. A command that changes files in front of one that rests on something is
// therefore asked for, whatever its files are called. Four kinds change nothing that is run:
// what makes folders, removes files or touches them brings no new content; a log is not
// run; what follows later, one plain command after the other, comes too late; and tests and tools that
// run code of the workspace run what the task wrote anyway, so that nothing is won by
// having them write it elsewhere.

// contentless are the programs that bring no content into the files that they change.
var contentless = []string{"mkdir", "rmdir", "rm", "touch"}

// unsettled returns why what a line rests on is not settled before it runs: the line itself
// changes that, or it is elsewhere.
func (w *walker) unsettled() string {
	if w.judge.policy.Level == All {
		return ""
	}
	for i, c := range w.commands {
		for _, r := range c.result.rests {
			if w.away {
				return "It runs something by a name outside of the workspace."
			}
			if why := w.overwritten(c, r); why != "" {
				return why
			}
		}
		if len(c.result.rests) == 0 || c.result.rule != "" {
			continue
		}
		for k, other := range w.commands {
			late := k > i && w.brackets == 0 && !strings.HasPrefix(other.before, "|")
			if !late && (k != i || !c.result.apart) && other.replaces(k == i) {
				return "It changes files, and then runs what may have come of that (" + written(c.node) + ")."
			}
		}
	}
	return ""
}

// replaces reports whether a command may bring new content into a file that is run later, or by itself.
func (c *command) replaces(itself bool) bool {
	f := c.result
	if len(c.words) > 0 && slices.Contains(contentless, c.words[0].text) && !f.redirected {
		return false
	}
	if slices.ContainsFunc(f.writes, func(name string) bool { return !logged(name) }) {
		return true
	}
	if itself || f.redirected && f.prints {
		return false
	}
	if slices.ContainsFunc(c.words, func(w word) bool { return w.text == "tsc" }) {
		return !slices.ContainsFunc(c.words, func(w word) bool { return w.text == "--noEmit" || w.text == "--version" })
	}
	return f.touches&(writes|runs) == writes
}

// logged reports whether a file is certain to be only output that nobody runs.
func logged(name string) bool {
	if name == "/dev/null" || strings.HasPrefix(path.Base(name), "-") {
		return name == "/dev/null"
	}
	switch path.Ext(name) {
	case ".log", ".out":
		return !strings.ContainsAny(name, "*?["+hole)
	case ".txt":
		return path.Dir(name) == "/tmp" && !strings.ContainsAny(name, "*?["+hole)
	}
	return false
}
