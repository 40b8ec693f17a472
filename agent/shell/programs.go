package shell

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// operand says what the words of a command that are no flags are.
type operand int

const (
	paths   operand = iota
	pattern         // the first is a pattern, the others are paths
	text            // they are not looked up anywhere
	none            // there must be none
	single          // at most one path: a second would be written to
	format          // only words that begin with a plus: anything else sets the clock
)

// program is what is known of a program that only reads: the flags with which
// it still does. Every other flag is asked for, and so is an abbreviated one.
type program struct {
	short  string // flags of one letter without a value
	valued string // flags of one letter with a value
	long   string // long flags: "name", "name=" with a value, "name?" with an optional one behind =
	takes  operand
	counts bool // -20 is a flag
}

const grepLong = "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case no-ignore-case invert-match word-regexp line-regexp count color? colour? " +
	"files-without-match files-with-matches max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename label= line-number " +
	"after-context= before-context= context= text binary-files= exclude= exclude-dir= include= recursive dereference-recursive null"

const diffLong = "patch no-patch unified= stat? numstat shortstat summary dirstat? name-only name-status color? no-color word-diff? ignore-all-space ignore-space-change " +
	"ignore-space-at-eol ignore-blank-lines minimal patience histogram diff-algorithm= diff-filter= check no-ext-diff no-textconv find-renames? no-renames " +
	"function-context full-index abbrev? relative? raw compact-summary no-prefix"

const logLong = diffLong + " oneline graph decorate? no-decorate all branches? tags? remotes? author= committer= grep= since= until= after= before= max-count= skip= " +
	"format= pretty? abbrev-commit no-abbrev-commit merges no-merges first-parent follow reverse date= topo-order date-order left-right cherry-pick source"

// programs are the programs that only read, and do not run others.
var programs = map[string]program{
	"ls": {"aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1", "ITw",
		"all almost-all author directory classify? color? full-time group-directories-first human-readable inode numeric-uid-gid recursive reverse size sort= time= time-style=", paths, false},
	"cat":      {"AbeEnstTuv", "", "show-all number number-nonblank show-ends show-tabs squeeze-blank", paths, false},
	"head":     {"qvz", "nc", "lines= bytes= quiet verbose", paths, true},
	"tail":     {"qvz", "nc", "lines= bytes= quiet verbose", paths, true},
	"wc":       {"cmlLw", "", "bytes chars lines words max-line-length", paths, false},
	"nl":       {"p", "bdfhilnsvw", "body-numbering= number-width=", paths, false},
	"stat":     {"Lft", "c", "format= printf= dereference terse file-system", paths, false},
	"du":       {"abchHkLlmPsSx0D", "dBt", "all human-readable max-depth= summarize total apparent-size exclude=", paths, false},
	"tree":     {"adfilpsugDhFrtcJnC", "LIP", "dirsfirst noreport gitignore du prune", paths, false},
	"basename": {"az", "s", "multiple suffix=", text, false},
	"dirname":  {"z", "", "zero", text, false},
	"pwd":      {"LP", "", "logical physical", none, false},
	"true":     {"", "", "", none, false},
	"false":    {"", "", "", none, false},
	"whoami":   {"", "", "", none, false},
	"uname":    {"asnrvmpio", "", "all", none, false},
	"date":     {"uRI", "", "utc iso-8601? rfc-3339=", format, false},
	"which":    {"a", "", "all", text, false},
	"cut":      {"szn", "bcdf", "bytes= characters= delimiter= fields= only-delimited complement output-delimiter=", paths, false},
	"tr":       {"cCdst", "", "complement delete squeeze-repeats truncate-set1", text, false},
	"sort":     {"bcCdfghiMnrRsuVz", "kt", "reverse numeric-sort human-numeric-sort version-sort unique key= field-separator= ignore-case stable check?", paths, false},
	"uniq":     {"cdDiuz", "fsw", "count repeated unique ignore-case skip-fields= skip-chars=", single, false},
	"diff":     {"abBcdeEilnNpqrstTuwy", "UCIWx", "unified? context? brief recursive ignore-case ignore-all-space ignore-space-change ignore-blank-lines side-by-side new-file color? exclude= text", paths, false},
	"grep":     {"abcEFGhHilLnoPqrRsTUvwxyzZ", "ABCmefdD", grepLong, pattern, false},
	"egrep":    {"abchHilLnoqrRsTUvwxyzZ", "ABCmefdD", grepLong, pattern, false},
	"fgrep":    {"abchHilLnoqrRsTUvwxyzZ", "ABCmefdD", grepLong, pattern, false},
	"rg": {"abcFHiIlLnNoPpqsSUvwx0", "ABCegtTmMjEdr",
		"after-context= before-context= context= case-sensitive count count-matches color= files files-with-matches files-without-match fixed-strings glob= iglob= " +
			"ignore-case smart-case heading no-heading line-number no-line-number max-count= max-depth= max-columns= multiline multiline-dotall only-matching pcre2 " +
			"regexp= replace= sort= sortr= stats text trim type= type-not= type-list vimgrep with-filename no-filename word-regexp line-regexp invert-match json quiet", pattern, false},
	"git status":    {"sbvz", "", "short branch verbose long porcelain? untracked-files? ignored? show-stash no-renames", paths, false},
	"git diff":      {"abpRsuwzMW", "U", diffLong + " cached staged merge-base exit-code quiet", paths, false},
	"git log":       {"abpqRsuwzMW", "nLSGU", logLong, paths, true},
	"git show":      {"abpqRsuwzMW", "U", logLong, paths, false},
	"git blame":     {"wsleMC", "L", "porcelain line-porcelain show-email date=", paths, false},
	"git ls-files":  {"cdmostz", "x", "cached deleted modified others exclude-standard stage error-unmatch full-name eol", paths, false},
	"git rev-parse": {"q", "", "show-toplevel abbrev-ref? is-inside-work-tree short? verify git-dir quiet symbolic-full-name", paths, false},
	"git branch":    {"arv", "", "all remotes show-current verbose color? no-color", none, false},
	"git remote":    {"v", "", "verbose", none, false},
	"git describe":  {"", "", "tags always long dirty? abbrev? all exact-match", text, false},
}

// versioned are the programs that only tell their version when that is their
// one argument, with the short flag for it. Those that load a file of the
// workspace first (pytest its conftest, yarn its own release, cargo a toolchain)
// are left out.
var versioned = map[string]string{
	"python": "-V", "python3": "-V", "node": "-v", "npm": "-v", "npx": "-v", "git": "-v", "pip": "-V", "pip3": "-V", "java": "-version", "javac": "-version",
	"ruby": "-v", "php": "-v", "gcc": "", "clang": "", "make": "-v", "cmake": "", "rg": "-V", "grep": "-V", "bash": "", "docker": "-v",
}

var duration = regexp.MustCompile(`^\d+(\.\d+)?[smhd]?$`)
var whole = regexp.MustCompile(`^-?\d+$`)
var printRange = regexp.MustCompile(`^\d+(,(\d+|\$))?p$`)

// reads returns "" when the command only reads inside the workspace and runs
// nothing else, or a sentence that says why that is not known.
func reads(words []string) string {
	name, args := words[0], words[1:]
	switch {
	case len(args) == 1 && (args[0] == "--version" || args[0] != "" && args[0] == versioned[name]) && hasVersion(name):
		return ""
	case name == "go" && len(args) == 1 && args[0] == "version":
		return ""
	case name == "timeout" && len(args) > 1 && duration.MatchString(args[0]):
		return reads(args[1:])
	case name == "nice" && len(args) > 2 && args[0] == "-n" && whole.MatchString(args[1]):
		return reads(args[2:])
	case name == "nice" && len(args) > 0 && !strings.HasPrefix(args[0], "-"):
		return reads(args)
	case name == "command" && len(args) == 2 && args[0] == "-v":
		return ""
	case name == "echo":
		return ""
	case name == "find":
		return findReads(args)
	case name == "sed" && len(args) > 1 && args[0] == "-n" && printRange.MatchString(args[1]):
		return operandsRead("sed", paths, args[2:])
	case name == "git":
		return gitReads(args)
	}
	p, ok := programs[name]
	if !ok || strings.Contains(name, " ") {
		return fmt.Sprintf("It is not known that %s only reads.", name)
	}
	return p.reads(name, args)
}

func hasVersion(name string) bool { _, ok := versioned[name]; return ok }

func gitReads(args []string) string {
	if len(args) > 0 && args[0] == "--no-pager" {
		args = args[1:]
	}
	if len(args) == 0 {
		return "It calls git without a subcommand."
	}
	name := "git " + args[0]
	p, ok := programs[name]
	if !ok {
		return fmt.Sprintf("It is not known that %s only reads.", name)
	}
	return p.reads(name, args[1:])
}

// reads checks the flags and operands of a program.
func (p program) reads(name string, args []string) string {
	var rest []string
	takes := p.takes
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case len(a) < 2 || a[0] != '-':
			rest = append(rest, a)
		default:
			value, next, ok := p.flag(a)
			if !ok {
				return fmt.Sprintf("It is not known what %s does with %s.", name, a)
			}
			if next {
				if i++; i == len(args) {
					return fmt.Sprintf("The value of %s is missing.", a)
				}
				value = args[i]
			}
			isText := p.takes == pattern && p.valueOf(a) == "e" || len(value) < 2 // grep -e /api/, cut -d/
			if why := unreadable(value); why != "" && !isText {
				return why
			}
			if takes == pattern && givesPattern(p.valueOf(a)) {
				takes = paths
			}
		}
	}
	return operandsRead(name, takes, rest)
}

// flag looks a flag up: its value, where it has one attached; whether the next
// word is its value; and whether it is known.
func (p program) flag(a string) (value string, next, ok bool) {
	if long, isLong := strings.CutPrefix(a, "--"); isLong {
		long, value, has := strings.Cut(long, "=")
		known := strings.Fields(p.long)
		switch {
		case slices.Contains(known, long+"="):
			return value, !has, true
		case slices.Contains(known, long+"?"):
			return value, false, true
		}
		return "", false, !has && slices.Contains(known, long)
	}
	if p.counts && whole.MatchString(a) {
		return "", false, true
	}
	for i := 1; i < len(a); i++ {
		if strings.IndexByte(p.valued, a[i]) >= 0 {
			return a[i+1:], i+1 == len(a), true
		}
		if strings.IndexByte(p.short, a[i]) < 0 {
			return "", false, false
		}
	}
	return "", false, true
}

// valueOf returns the name, without dashes, of the flag in a that takes a value,
// or of the long flag.
func (p program) valueOf(a string) string {
	if long, ok := strings.CutPrefix(a, "--"); ok {
		long, _, _ = strings.Cut(long, "=")
		if long == "regexp" {
			return "e"
		}
		return long
	}
	if i := strings.IndexAny(a, p.valued); i > 0 {
		return a[i : i+1]
	}
	return ""
}

// givesPattern reports whether a flag of grep or rg says the pattern, or where
// no pattern is needed, so that all operands are paths.
func givesPattern(flag string) bool {
	return slices.Contains([]string{"e", "f", "file", "files", "type-list"}, flag)
}

func operandsRead(name string, takes operand, rest []string) string {
	switch {
	case takes == text:
		return ""
	case takes == none && len(rest) > 0:
		return fmt.Sprintf("It is not known what %s does with %s.", name, rest[0])
	case takes == single && len(rest) > 1:
		return fmt.Sprintf("It would write to %s.", rest[1])
	case takes == pattern && len(rest) > 0:
		rest = rest[1:]
	}
	for _, w := range rest {
		if takes == format {
			if !strings.HasPrefix(w, "+") {
				return fmt.Sprintf("It is not known what %s does with %s.", name, w)
			}
			continue
		}
		if why := unreadable(w); why != "" {
			return why
		}
	}
	return ""
}

// findTests are the parts of an expression that find only looks at or prints;
// those that are true take a value.
var findTests = map[string]bool{
	"-H": false, "-L": false, "-P": false, "(": false, ")": false, "!": false, "-not": false, "-a": false, "-and": false, "-o": false, "-or": false,
	"-print": false, "-print0": false, "-ls": false, "-prune": false, "-empty": false, "-depth": false, "-mount": false, "-xdev": false, "-readable": false,
	"-writable": false, "-executable": false, "-quit": false, "-name": true, "-iname": true, "-path": true, "-ipath": true, "-wholename": true, "-regex": true,
	"-iregex": true, "-type": true, "-size": true, "-mtime": true, "-mmin": true, "-atime": true, "-ctime": true, "-newer": true, "-maxdepth": true,
	"-mindepth": true, "-perm": true, "-user": true, "-group": true, "-printf": true, "-regextype": true, "-links": true,
}

func findReads(args []string) string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		valued, known := findTests[a]
		switch {
		case known && valued:
			i++
		case known:
		case strings.HasPrefix(a, "-"):
			return fmt.Sprintf("It is not known that find only reads with %s.", a)
		default:
			if why := unreadable(a); why != "" {
				return why
			}
		}
	}
	return ""
}
