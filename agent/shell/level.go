package shell

import (
	"slices"
	"strings"
)

// Level says how much a policy lets run without asking. Whatever the level, denials stay
// denials, and the levels above Strict ease nothing where a command could reach a host or
// works on the user's own files: see [Policy.eased].
type Level int

// The levels, from the one that asks most to the one that asks least.
const (
	Strict  Level = iota // what reads, and known tools that build and test
	Default              // also what edits files of the private copy, and what the user's own manifests say
	All                  // everything that stays on the private copy
)

// Levels are the names of the levels in settings, in their order.
var Levels = []string{"strict", "default", "all"}

// LevelOf returns the level of a name; any other name is Strict.
func LevelOf(name string) Level {
	for i, n := range Levels {
		if n == name {
			return Level(i)
		}
	}
	return Strict
}

// eased reports whether a command that stays on the private copy runs without asking where
// its meaning is certain. What it changes there is reviewed before it reaches the user.
func (p *Policy) eased() bool { return p.Level >= Default && p.isolated() }

// leaves are what a command may touch beyond the private copy, or to change what programs
// do on the user's machine. It is asked for at every level, each time.
const leaves = network | outside | secrets | system | obeyed

// stays reports whether all that a command may do stays on the private copy.
func (f *finding) stays() bool { return f.touches&leaves == 0 && len(f.packages) == 0 }

// everything on the private copy runs at the level All.
func (j judge) all(f finding) finding {
	if f.decision == Ask && f.certain && j.policy.Level >= All && j.policy.isolated() && f.stays() && f.touches != 0 {
		f.decision, f.rule = Allow, LevelRule
	}
	return f
}

// LevelRule is the setting that says how strict the verdicts are.
const LevelRule = "approvals.level"

// wrapped is what the commands that a command runs in turn are known to touch.
func wrapped(words []word) (t touch) {
	plain := make([]string, len(words))
	for i, w := range words {
		plain[i] = w.text
	}
	for _, inner := range commandsOf(plain, 0) {
		list := make([]word, len(inner))
		for i, text := range inner {
			list[i] = word{text: text}
		}
		if c, n := lookup(risks, list); n > 0 {
			t |= classes[c].touches
		}
	}
	return t
}

// eases judges what is asked for only where the policy does not ease that.
func (j judge) eases(words []word, s scope) (finding, bool) {
	if f, ok := helps(words); ok {
		return f, true
	}
	if run, ok := changes[words[0].text]; ok {
		if f, ok := run(words, s); ok {
			return f.without(), true
		}
	}
	if words[0].text == "git" {
		if f, ok := gitPaths(words, s); ok {
			return f, true
		}
		if f, ok := gitRecorded(words, s); ok {
			return f, true
		}
	}
	if _, ok := packs[words[0].text]; ok {
		if f, ok := packing(words, s); ok {
			return f, true
		}
	}
	if words[0].text == "tar" {
		if f, ok := tarFiles(words, s); ok {
			return f, true
		}
	}
	if c, ok := compilers[words[0].text]; ok {
		if f, ok := c.compiles(words, s); ok {
			return f, true
		}
	}
	if f, ok := pushed(words, s); ok {
		return f, true
	}
	if f, ok := j.started(words, s); ok {
		return f, true
	}
	if words[0].text == "make" || words[0].text == "gmake" || words[0].text == "ninja" {
		return builds(words, s)
	}
	if grammar, ok := taskWords[words[0].text]; ok {
		if f, ok := grammar.judge(words, s); ok && (words[0].text != "sqlite3" || !sqlTrouble.MatchString(join(words))) {
			return f, true
		}
	}
	if f, ok := j.shorter(words, s); ok {
		return f, true
	}
	words = testFirst(words)
	if p, n := lookup(sandboxPrograms, words); p != nil {
		if (p.name == "tox" || p.name == "nox") && slices.ContainsFunc(words[n:], func(w word) bool { return aimsOut.MatchString(w.text) }) {
			return finding{}, false
		}
		f := p.judge(words, n, s)
		return f.without(), f.decision == Allow
	}
	return finding{}, false
}

// testFirst puts --test in front of the other flags of node, which takes them in any order. Only
// flags that are known with --test may stand before it, since any other word there is a program.
func testFirst(words []word) []word {
	runner := sandboxPrograms["node --test"]
	if words[0].text != "node" {
		return words
	}
	for i := 1; i < len(words) && words[i].plain() && strings.HasPrefix(words[i].text, "-"); {
		if words[i].text == "--test" {
			return slices.Concat(words[:1], words[i:i+1], words[1:i], words[i+1:])
		}
		list, why := runner.flag(words[i:])
		if why.text != "" || len(list) == 0 {
			return words
		}
		i += list[len(list)-1].used
	}
	return words
}
