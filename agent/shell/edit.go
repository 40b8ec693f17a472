package shell

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// Here are the programs that change many files of the private copy at once: git for single
// paths, patch, and archives. The copy has no repository of its own, since .git is never copied, so no
// hook or setting of one is obeyed; one that lies among the project's files is, and its
// settings have to be the user's. What is in a patch or an archive is not known to
// a verdict. It changes the copy only; what it changed is reviewed, and a file that programs
// obey is accepted by its name only. Nothing else in such a line may rest on files: they
// count as changed.

// anyFile is what a command writes of which the names are not known.
const anyFile = "*"

// gitRests are the files by which a repository says what git runs.
var gitRests = []Rest{{Manifest: "config"}, {Manifest: "config.worktree"}, {Manifest: ".gitconfig"}, {Manifest: ".gitattributes"}, {Manifest: "attributes"}, {Manifest: "post-checkout"}, {Manifest: "post-index-change"}}

// gitEdit is a subcommand of git that changes files of the work tree or the index.
type gitEdit struct {
	flags    *lazyregexp.Regexp // without a value
	valued   *lazyregexp.Regexp // the next word is its value, a revision or a folder
	reads    bool               // its operands are read
	revision bool               // a revision stands in front of --
}

var gitEdits = map[string]gitEdit{
	"mv":       {flags: lazyregexp.New(`^(-[fvkn]+|--force|--verbose|--dry-run)$`), valued: nothing},
	"rm":       {flags: lazyregexp.New(`^(-[rfqn]+|--force|--quiet|--dry-run|--cached|--ignore-unmatch)$`), valued: nothing},
	"restore":  {flags: lazyregexp.New(`^(-[SWq]+|--staged|--worktree|--quiet|--ours|--theirs|--source=[\w@][\w./~^@-]*)$`), valued: lazyregexp.New(`^(-s|--source)$`)},
	"checkout": {flags: lazyregexp.New(`^(-q|--quiet|--ours|--theirs)$`), valued: nothing, revision: true},
	"reset":    {flags: lazyregexp.New(`^(-q|--quiet)$`), valued: nothing, revision: true},
	"apply": {flags: lazyregexp.New(`^(-p\d|-[3Rv]+|-C\d|--(index|cached|3way|reverse|reject|recount|verbose|quiet|ignore-whitespace|ignore-space-change|unidiff-zero|inaccurate-eof|allow-empty)|--whitespace=\w+|--(include|exclude)=[\w.*/-]+)$`),
		valued: nothing, reads: true},
}

var revision = lazyregexp.New(`^[\w@][\w./~^@-]*$`)

// expanded reports whether the shell makes a word, or a part of it, when the line runs: which
// files of the copy would be changed is not known then, and could be all.
func expanded(w word) bool { return w.open != closed || strings.Contains(w.text, standIn) }

func names(words []word) (list []string) {
	for _, w := range words {
		list = append(list, w.text)
	}
	return list
}

// gitPaths judges git where it changes single paths of the copy.
func gitPaths(words []word, s scope) (finding, bool) {
	if len(words) < 2 || !words[1].plain() || slices.ContainsFunc(words, expanded) {
		return finding{}, false
	}
	edit, ok := gitEdits[words[1].text]
	if !ok {
		return finding{}, false
	}
	var front, operands []word
	behind := false
	for i := 2; i < len(words); i++ {
		switch w := words[i]; {
		case w.text == "--" && w.plain() && !behind:
			front, operands, behind = operands, nil, true
		case behind || !strings.HasPrefix(w.text, "-"):
			operands = append(operands, w)
		case !w.plain():
			return finding{}, false
		case edit.valued.MatchString(w.text) && i+1 < len(words) && words[i+1].plain() && revision.MatchString(words[i+1].text):
			i++
		case !edit.flags.MatchString(w.text):
			return finding{}, false
		}
	}
	if words[1].text == "reset" && !behind && len(operands) > 1 && operands[0].text == "HEAD" {
		front, operands, behind = operands[:1], operands[1:], true
	}
	switch {
	case edit.revision && !behind, len(front) > 1, len(front) == 1 && (!edit.revision || !front[0].plain() || !revision.MatchString(front[0].text)), len(operands) == 0 && !edit.reads:
		return finding{}, false
	}
	f := finding{decision: Allow, touches: reads | writes, rests: gitRests, apart: true}
	index := words[1].text == "reset" || words[1].text == "restore" && !slices.ContainsFunc(words, func(w word) bool { return strings.Contains(w.text, "W") || w.text == "--worktree" }) &&
		slices.ContainsFunc(words, func(w word) bool { return w.text == "--staged" || w.text == "-S" })
	if words[1].text == "mv" && slices.ContainsFunc(operands, func(w word) bool { return w.glob && !anchored(w.text) }) {
		return finding{}, false
	}
	for _, w := range operands {
		why, what := "", touch(0)
		if edit.reads || index {
			why, what = read(w, s.depth), outside
		} else {
			why, what = changeable(w, s.depth)
		}
		if strings.HasPrefix(w.text, ":") { // a pattern in git's own language
			return finding{}, false
		}
		if why != "" {
			return asks(f.touches|what, "%s", why), true
		}
	}
	if f.writes = names(operands); index {
		f.writes = nil
	} else if edit.reads {
		f.writes = []string{anyFile}
	}
	return f, true
}

// recording are the subcommands of git that record something in the repository.
var recording = []string{"commit", "merge", "rebase", "cherry-pick", "revert", "am", "tag", "branch", "stash", "switch", "checkout", "reset", "worktree", "notes", "init"}

// records reports whether a command would record something in a repository, which the copy has not.
func records(words []word) bool {
	if len(words) < 2 || words[0].text != "git" {
		return false
	}
	list := gitSubcommand(names(words[1:]))
	return len(list) > 0 && slices.Contains(recording, list[0])
}

// packed is a program that unpacks or packs files.
type packed struct {
	flags   *lazyregexp.Regexp // without a value
	written string             // flags whose next word is a file or a folder that is written
	read    string             // flags whose next word is a file that is read
	text    string             // flags whose next word is neither
	most    int                // how many operands are changed, from the first; the others are read
	fewest  int                // operands
}

var packs = map[string]packed{
	"patch": {flags: lazyregexp.New(`^(-p\d|-[NsRElufbt]+|-F\d|--(forward|reverse|silent|quiet|dry-run|verbose|unified|remove-empty-files|ignore-whitespace|no-backup-if-mismatch|batch|force|backup|binary|posix)|--strip=\d)$`),
		written: "-d -o -r --directory --output --reject-file", read: "-i --input", text: "-p -F", most: 1},
	"unzip":    {flags: lazyregexp.New(`^-[oqnjuUaCL]+$`), written: "-d", text: "-x", fewest: 1},
	"zip":      {flags: lazyregexp.New(`^-([rqjuDXy0-9]+|FS)$`), text: "-x -i", most: 1, fewest: 2},
	"gunzip":   {flags: lazyregexp.New(`^-[kfqv]+$`), most: 1 << 10, fewest: 1},
	"gzip":     {flags: lazyregexp.New(`^-[kfqvdn1-9]+$`), most: 1 << 10, fewest: 1},
	"bzip2":    {flags: lazyregexp.New(`^-[kfqvdz1-9]+$`), most: 1 << 10, fewest: 1},
	"xz":       {flags: lazyregexp.New(`^-[kfqvdz0-9]+$`), most: 1 << 10, fewest: 1},
	"dos2unix": {flags: lazyregexp.New(`^-[qk]$`), most: 1 << 10, fewest: 1},
	"unix2dos": {flags: lazyregexp.New(`^-[qk]$`), most: 1 << 10, fewest: 1},
	"truncate": {flags: lazyregexp.New(`^(-s\d+|--size=\d+|-c)$`), text: "-s --size", most: 1 << 10, fewest: 1},
}

// plainText is the value of a flag that is a number or selects names.
var plainText = lazyregexp.New(`^[\w*?][\w.*?/-]*$`)

// packing judges these programs. The folder that a flag names may be any of the copy or of /tmp.
func packing(words []word, s scope) (finding, bool) {
	p := packs[words[0].text]
	if slices.ContainsFunc(words, expanded) {
		return finding{}, false
	}
	f := finding{decision: Allow, touches: reads | writes, writes: []string{anyFile}}
	count := 0
	for i := 1; i < len(words); i++ {
		w, why, what := words[i], "", touch(0)
		next := i+1 < len(words) && w.plain() && strings.HasPrefix(w.text, "-")
		switch {
		case next && slices.Contains(strings.Fields(p.written), w.text):
			i++
			why, what = into(words[i], s)
		case next && slices.Contains(strings.Fields(p.read), w.text):
			i++
			why, what = read(words[i], s.depth), outside
		case next && slices.Contains(strings.Fields(p.text), w.text) && plainText.MatchString(words[i+1].text) && !words[i+1].glob:
			i++
		case strings.HasPrefix(w.text, "-") && w.plain() && p.flags.MatchString(w.text):
		case strings.HasPrefix(w.text, "-") || w.status || w.glob && !anchored(w.text):
			return finding{}, false
		case count < p.most:
			count++
			why, what = changeable(w, s.depth)
		default:
			count++
			why, what = read(w, s.depth), outside
		}
		if why != "" {
			return asks(f.touches|what, "%s", why), true
		}
	}
	return f, count >= p.fewest && len(words) > 1
}

// into returns why files may not be written below a folder, or "".
func into(w word, s scope) (string, touch) {
	if w.text == "." || w.text == "/tmp" {
		return "", 0
	}
	return changeable(w, s.depth)
}

var (
	tarModes = lazyregexp.New(`^-?[xczjJvkmp]+f$`)
	tarFlag  = lazyregexp.New(`^--(strip-components=\d|exclude=[\w.*/-]+|no-same-owner|no-same-permissions|wildcards|exclude-vcs|numeric-owner|keep-old-files)$`)
)

// tarFiles judges tar where it unpacks into the copy or /tmp, or packs files of it. Names that
// lead out of the folder are dropped by tar itself.
func tarFiles(words []word, s scope) (finding, bool) {
	if len(words) < 3 || !words[1].plain() || !tarModes.MatchString(words[1].text) || strings.Contains(words[1].text, "x") == strings.Contains(words[1].text, "c") {
		return finding{}, false
	}
	extracts := strings.Contains(words[1].text, "x")
	f := finding{decision: Allow, touches: reads | writes, writes: []string{anyFile}}
	archive := false
	for i := 2; i < len(words); i++ {
		w, why, what := words[i], "", touch(0)
		switch {
		case !w.plain() || expanded(w) || strings.Contains(w.text, ":"):
			return finding{}, false
		case !archive:
			archive = true
			if extracts {
				why, what = read(w, s.depth), outside
			} else if w.text != "-" {
				why, what = changeable(w, s.depth)
			}
		case w.text == "-C" && i+1 < len(words) && extracts && words[i+1].plain():
			i++
			why, what = into(words[i], s)
		case w.text == "-C" && i+1 < len(words) && !strings.Contains(words[i+1].text, ".."):
			i++
			why, what = read(words[i], s.depth), outside
		case tarFlag.MatchString(w.text):
		case strings.HasPrefix(w.text, "-"):
			return finding{}, false
		default:
			why, what = read(w, s.depth), outside
		}
		if why != "" {
			return asks(f.touches|what, "%s", why), true
		}
	}
	return f, archive && !strings.HasPrefix(words[2].text, "-")
}
