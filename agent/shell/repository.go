package shell

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// The copy has no repository of the user's, and git init is asked for: what git records there, or puts aside, reaches
// nobody, and mostly git only says that there is no repository. So the commands that record what people record all the time run
// unasked. What discards (reset, clean, stash drop), rewrites, forges or starts an editor or another program is asked for as
// everywhere.

// gitHooks are the hooks that such commands run. A repository that lies among the project's files may have some.
var gitHooks = []Rest{{Manifest: "pre-*"}, {Manifest: "post-*"}, {Manifest: "*-msg"}, {Manifest: "reference-transaction"}}

// gitRecord is a subcommand of git that records something.
type gitRecord struct {
	flags        *lazyregexp.Regexp // without a value, or with one attached
	message      *lazyregexp.Regexp // the next word is text
	operands     *lazyregexp.Regexp
	fewest, most int  // operands
	told         bool // without a message git starts an editor
}

var (
	stashFlags = lazyregexp.New(`^(-[uqk]+|--(include-untracked|quiet|keep-index|staged|index))$`)
	stashed    = lazyregexp.New(`^(stash@\{\d+\}|\d+)$`)
)

// gitRecords are by the words of the subcommand.
var gitRecords = map[string]gitRecord{
	"commit":      {flags: lazyregexp.New(`^(-[aqsv]+|--(all|quiet|signoff|allow-empty|verbose))$`), message: lazyregexp.New(`^(-[aqsv]*m|--message)$`), operands: nothing, told: true},
	"stash":       {flags: stashFlags, message: nothing, operands: nothing},
	"stash push":  {flags: stashFlags, message: lazyregexp.New(`^(-[uqk]*m|--message)$`), operands: lazyregexp.New(`^(--|\w[\w./-]*)$`), most: 1 << 10},
	"stash save":  {flags: stashFlags, message: nothing, operands: lazyregexp.New(`^\w[\w .:-]*$`), most: 1},
	"stash pop":   {flags: stashFlags, message: nothing, operands: stashed, most: 1},
	"stash apply": {flags: stashFlags, message: nothing, operands: stashed, most: 1},
	"switch -c":   {flags: lazyregexp.New(`^-q$`), message: nothing, operands: revision, fewest: 1, most: 2},
	"checkout -b": {flags: lazyregexp.New(`^-q$`), message: nothing, operands: revision, fewest: 1, most: 2},
}

// gitRecorded judges git where it records something in the copy's repository.
func gitRecorded(words []word, s scope) (finding, bool) {
	if len(words) < 2 || slices.ContainsFunc(words, expanded) {
		return finding{}, false
	}
	n, name := 2, words[1].text
	if len(words) > 2 {
		if _, ok := gitRecords[name+" "+words[2].text]; ok {
			n, name = 3, name+" "+words[2].text
		}
	}
	r, ok := gitRecords[name]
	if !ok {
		return finding{}, false
	}
	operands, told := 0, !r.told
	for i := n; i < len(words); i++ {
		switch w := words[i]; {
		case !w.plain():
			return finding{}, false
		case r.message.MatchString(w.text) && i+1 < len(words) && words[i+1].plain() && !strings.HasPrefix(words[i+1].text, "-"):
			i++
			told = true
		case r.flags.MatchString(w.text):
		case r.operands.MatchString(w.text) && inside(w, s.depth) == "":
			operands++
		default:
			return finding{}, false
		}
	}
	f := finding{decision: Allow, touches: reads | writes, rests: slices.Concat(gitRests, gitHooks), apart: true}
	return f, told && operands >= r.fewest && operands <= r.most
}
