package shell

import (
	"path"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// What an allowed line rests on is compared with the user's files before it runs. So
// nothing in the line itself may replace that first: not the manifest, and not a program, a
// module or a configuration that the manifest's entry starts, whose names this package
// does not know. A command that changes files in front of one that rests on something is
// therefore asked for. Five kinds change nothing that is run: sources, texts and data by a name of their own, in no folder whose
// files are started (who asks for the verdict compares them with what the manifest starts by name, as if the task had changed them before);
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
	if slices.ContainsFunc(f.writes, func(name string) bool { return !logged(name) && (itself || !worked(name)) }) {
		return true
	}
	if itself || f.redirected && f.prints || len(f.writes) > 0 && namesAll(c.words) {
		return false
	}
	if len(f.writes) == 0 && (f.apart || len(c.words) > 1 && c.words[0].text == "git" && c.words[1].text == "add") { // its index or history only
		return false
	}
	if slices.ContainsFunc(c.words, func(w word) bool { return w.text == "tsc" }) {
		return !slices.ContainsFunc(c.words, func(w word) bool { return w.text == "--noEmit" || w.text == "--version" })
	}
	return f.touches&(writes|runs) == writes
}

// namesAll reports whether a command changes no file but those whose names it has.
func namesAll(words []word) bool {
	if len(words) == 0 {
		return false
	}
	_, ok := changes[words[0].text]
	_, edits := gitEdits[append(names(words), "")[1]]
	return ok || words[0].text == "git" && edits
}

var (
	// workedOn are the endings of what tasks work on: sources, texts and data. What a manifest starts by such a name is
	// compared with what the line writes, as if the task had changed it before.
	workedOn = lazyregexp.New(`\.(py|pyi|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|go|rs|java|kt|kts|scala|rb|erb|php|c|h|cc|cpp|cxx|hpp|hh|cs|fs|swift|dart|ex|exs|erl|hs|ml|lua|jl|sql|graphql|proto|css|scss|sass|less|html|hbs|ejs|jinja2?|md|mdx|rst|txt|csv|tsv|json|yaml|yml|toml|xml|svg|snap|golden|po|tmpl)$`)
	// startedIn are folders whose files are often started by others of them.
	startedIn = lazyregexp.New(`(?i)^(scripts?|tools?|bin|hack|ci|utils?-?scripts|build-?(aux|tools|scripts)|tasks|hooks|node_modules|vendor|venv|site-packages|\..*)$`)
)

// worked reports whether a file is certain to be one that is worked on, and not one that is started.
func worked(name string) bool {
	name = strings.TrimPrefix(name, root+"/")
	folder := path.Dir(name)
	if !workedOn.MatchString(name) || path.IsAbs(name) || strings.Contains(name, hole) || strings.ContainsAny(folder+path.Ext(name), "*?[") {
		return false
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(path.Clean(folder), "./"), "/") {
		if part != "." && (part == ".." || startedIn.MatchString(part)) {
			return false
		}
	}
	return !strings.HasPrefix(path.Base(name), ".")
}

// result matches the names under which people keep what a command printed.
var result = lazyregexp.New(`(?i)^([\w.]+[-_])?(out|outputs?|logs?|results?|reports?|err|errors?|stderr|stdout|failures?|summary|lint|tests?|build|coverage|tmp|temp|before|after|baseline|actual|expected)([-_.]?\w+)?\.txt$|^(test-?)?(results?|reports?|junit|coverage)([-_]\w+)?\.xml$`)

// installLists matches lists of packages, which installers obey.
var installLists = lazyregexp.New(`(?i)require|constrain|packages|cmake`)

// logged reports whether a file is certain to be only output that nobody runs.
func logged(name string) bool {
	if name == "/dev/null" || strings.HasPrefix(path.Base(name), "-") {
		return name == "/dev/null"
	}
	switch path.Ext(name) {
	case ".log", ".out", ".patch", ".diff":
		return !strings.ContainsAny(name, "*?["+hole)
	case ".txt", ".json", ".xml":
		if path.Dir(name) == "/tmp" && !strings.ContainsAny(name, "*?["+hole) {
			return true
		}
	}
	return result.MatchString(path.Base(name)) && !installLists.MatchString(path.Base(name)) && !strings.ContainsAny(name, "*?["+hole)
}
