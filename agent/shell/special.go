package shell

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"caselsp/store/lazyregexp"
)

// specials judge programs whose arguments are a language of their own.
var specials = map[string]func(words []word, s scope) finding{
	"sed": sed, "awk": awk, "gawk": awk, "mawk": awk, "jq": jq, "yq": jq, "test": test, "[": test, "printf": printf, "echo": echo, "cd": cd, "sleep": sleep, "exit": exit,
	"set": set, "make": makeTargets, "tar": tar, "ps": ps,
}

// known allows a command that only reads, or asks with the reason why: "?" stands for
// the reason in the table of risks.
func known(name, why string) finding {
	if why == "" {
		return finding{decision: Allow, touches: reads}
	}
	if why == "?" {
		c, _ := lookup(risks, []word{{text: name}})
		why = c.reason(name)
	}
	return asks(anything, "%s", why)
}

// allInside checks words that are paths.
func allInside(words []word, s scope) string {
	for _, w := range words {
		if w.status || strings.HasPrefix(w.text, "-") && w.text != "-" {
			return fmt.Sprintf("It is not known what it does with %s.", w.text)
		}
		if w.glob && !anchored(w.text) {
			return fmt.Sprintf("A file name that the wildcard %s matches could be taken for a flag; write ./%s.", w.text, w.text)
		}
		if why := inside(w, s.depth); why != "" && !library(w, s) {
			return why
		}
	}
	return ""
}

// findTests are the parts of find's expressions that only test or print; true means
// that they take a value.
var findTests = map[string]bool{
	"-H": false, "-L": false, "-P": false, "(": false, ")": false, "!": false, "-not": false, "-a": false, "-and": false, "-o": false, "-or": false, ",": false,
	"-print": false, "-print0": false, "-ls": false, "-prune": false, "-empty": false, "-depth": false, "-mount": false, "-xdev": false, "-readable": false, "-follow": false,
	"-writable": false, "-executable": false, "-quit": false, "-name": true, "-iname": true, "-path": true, "-ipath": true, "-wholename": true, "-regex": true,
	"-iregex": true, "-type": true, "-size": true, "-mtime": true, "-mmin": true, "-atime": true, "-ctime": true, "-cmin": true, "-newer": true, "-maxdepth": true,
	"-mindepth": true, "-perm": true, "-user": true, "-group": true, "-printf": true, "-regextype": true, "-links": true, "-true": false, "-false": false, "-newermt": true,
}

// find is allowed to search, and to run programs that only read on what it finds.
func find(j judge, words []word, s scope) (finding, bool) {
	f := finding{decision: Allow, touches: reads}
	folders := s
	folders.eased = s.eased && !slices.ContainsFunc(words, func(w word) bool { return w.text == "-delete" || strings.HasPrefix(w.text, "-exec") })
	for i := 1; i < len(words); i++ {
		w := words[i]
		valued, isTest := findTests[w.text]
		switch {
		case w.status:
			return asks(anything, "A word of it is known only when the command runs ($?)."), true
		case isTest && valued:
			if i++; i < len(words) {
				if words[i].glob {
					return asks(anything, "The shell would expand a word of it (%s).", words[i].text), true
				}
				if why := inside(word{text: words[i].text, glob: true}, s.depth); why != "" && w.text != "-printf" && !strings.Contains(w.text, "path") && !strings.Contains(w.text, "regex") {
					return asks(secrets, "%s", why), true
				}
			}
		case isTest:
		case w.text == "-exec":
			n := slices.IndexFunc(words[i:], func(w word) bool { return w.text == ";" || w.text == "+" })
			if n < 2 {
				return known("find", "?"), true
			}
			inner := j.within(words[i+1:i+n], 0, s)
			change := s.eased && inner.decision == Allow && inner.touches&(writes|runs) == writes && narrowed(words)
			if inner.decision != Allow || !inner.tame && !change || words[i+1].text == "{}" {
				return known("find", "?"), true
			}
			f.touches |= inner.touches
			if change {
				f.writes = append(f.writes, "*")
			}
			i += n
		case w.text == "-delete" && s.eased && narrowed(words):
			f.touches |= writes
		case strings.HasPrefix(w.text, "-"):
			return asks(anything, "It is not known that find only reads with %s.", w.text), true
		default:
			if why := allInside(words[i:i+1], folders); why != "" {
				return asks(outside, "%s", why), true
			}
		}
	}
	return f, true
}

// sed is allowed when it only prints. Writing files is asked for: the agents edit
// files with PATCH_FILE, which checks the result.
func sed(words []word, s scope) finding {
	var scripts []string
	var rest []word
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w.glob && strings.HasPrefix(w.text, "-") || w.status:
			return known("sed", "?")
		case regexp.MustCompile(`^(-[nErsuz]+|--quiet|--silent|--regexp-extended|--separate|--unbuffered|--null-data|--sandbox|--posix)$`).MatchString(w.text):
		case (w.text == "-e" || w.text == "-ne" || w.text == "-nEe" || w.text == "-Ee" || w.text == "-re" || w.text == "--expression") && i+1 < len(words):
			i++
			scripts = append(scripts, words[i].text)
		case strings.HasPrefix(w.text, "-") && w.text != "-":
			return known("sed", "?")
		default:
			rest = append(rest, w)
		}
	}
	if len(scripts) == 0 && len(rest) > 0 {
		if rest[0].glob {
			return known("sed", "?")
		}
		scripts, rest = []string{rest[0].text}, rest[1:]
	}
	if len(scripts) == 0 || slices.ContainsFunc(scripts, func(s string) bool { return !sedPrints(s) }) {
		return known("sed", "?")
	}
	return known("sed", allInside(rest, s))
}

var sedAddress = lazyregexp.New(`^(\d+(~\d+)?|\$|\+\d+|/([^/\\\n]|\\[^\n])*/I?)`)

// sedPrints reports whether a sed script changes nothing but its output. It knows
// less than sed, and answers no to what it does not know.
func sedPrints(script string) bool {
	for script = strings.TrimLeft(script, " ;\n{}"); script != ""; script = strings.TrimLeft(script, " ;\n{}") {
		for range 2 {
			script = strings.TrimLeft(script[len(sedAddress.FindString(script)):], " ")
			if script, _ = strings.CutPrefix(script, ","); script == "" {
				return false
			}
		}
		script = strings.TrimLeft(script, "! ")
		if script == "" {
			return false
		}
		c := script[0]
		script = script[1:]
		switch {
		case c == '{':
			continue
		case strings.IndexByte("pPdDnNgGhHxlF=", c) >= 0:
		case c == 'q' || c == 'Q':
			script = strings.TrimLeft(script, "0123456789")
		case c == 's' || c == 'y':
			rest, ok := sedParts(script, c == 's')
			if !ok {
				return false
			}
			script = rest
		default:
			return false
		}
		script = strings.TrimLeft(script, " ")
		if script != "" && strings.IndexByte(";\n}", script[0]) < 0 {
			return false
		}
	}
	return true
}

// sedParts skips the two parts of s or y and the harmless flags; e would run the
// result, and w would write it.
func sedParts(s string, flags bool) (string, bool) {
	if s == "" || strings.IndexByte("\\\n ;{}[]", s[0]) >= 0 || s[0] >= 0x80 || s[0] >= '0' && s[0] <= '9' || s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z' {
		return "", false
	}
	separator, parts := s[0], 0
	s = s[1:]
	for parts < 2 {
		i := 0
		for i < len(s) && s[i] != separator {
			if s[i] == '\\' {
				i++
			}
			if i < len(s) && (s[i] == '\n' || s[i] == '[') { // in brackets the separator may stand for itself
				if s[i] == '\n' || strings.IndexByte(s[i:], ']') < 0 || strings.IndexByte(s[i:i+strings.IndexByte(s[i:], ']')], separator) >= 0 {
					return "", false
				}
			}
			i++
		}
		if i >= len(s) {
			return "", false
		}
		s = s[i+1:]
		parts++
	}
	if flags {
		s = strings.TrimLeft(s, "gpiI0123456789")
	}
	return s, true
}

// awkTrouble matches what an awk program needs to write, run or load: pipes, output
// into a file, calls by name, the environment. It does not tell strings from code:
// that would need an awk parser, and a mistake in it would allow too much.
var awkTrouble = lazyregexp.New(`\|($|[^|])|\b(system|getline|close|fflush|ENVIRON|PROCINFO|ARGV)\b|@|(?s:\bprintf?\b.*>)`)

func awk(words []word, s scope) finding {
	i := 1
	for i < len(words) && strings.HasPrefix(words[i].text, "-") {
		switch w := words[i]; {
		case w.glob || w.status:
			return known("awk", "?")
		case w.text == "-F" && i+1 < len(words):
			i += 2
		case w.text == "-v" && i+1 < len(words) && regexp.MustCompile(`^\w+=[\w .,:-]*$`).MatchString(words[i+1].text):
			i += 2
		case strings.HasPrefix(w.text, "-F") && len(w.text) > 2:
			i++
		default:
			return known("awk", "?")
		}
	}
	// Two bars next to each other mean "or"; they are removed in pairs first.
	if i >= len(words) || !words[i].plain() || awkTrouble.MatchString(strings.ReplaceAll(words[i].text, "||", " ")) {
		return known("awk", "?")
	}
	return known("awk", allInside(words[i+1:], s))
}

var jqTrouble = lazyregexp.New(`\b(env|import|include|input_filename|modulemeta|load(_\w+)?|strenv|envsubst|eval|system|debug|\$__prog_args)\b|\$ENV`)

func jq(words []word, s scope) finding {
	i, program := 1, ""
	var rest []word
	for ; i < len(words); i++ {
		switch w := words[i]; {
		case w.status || w.glob && (strings.HasPrefix(w.text, "-") || program == ""):
			return known("jq", "?")
		case regexp.MustCompile(`^(-[rcsneMCSaj]+|--(raw-output|compact-output|slurp|null-input|exit-status|tab|sort-keys|raw-input|color-output|monochrome-output|join-output))$`).MatchString(w.text):
		case w.text == "--indent" && i+1 < len(words):
			i++
		case (w.text == "--arg" || w.text == "--argjson") && i+2 < len(words):
			i += 2
		case strings.HasPrefix(w.text, "-"):
			return known("jq", "?")
		case program == "":
			program = w.text
		default:
			rest = append(rest, w)
		}
	}
	if program == "" || jqTrouble.MatchString(program) {
		return known("jq", "?")
	}
	return known("jq", allInside(rest, s))
}

// test is allowed except for -v, which evaluates the subscript of an array and so can
// run a command.
func test(words []word, s scope) finding {
	if words[0].text == "[" && words[len(words)-1].text != "]" {
		return known("[", "It has no closing bracket.")
	}
	for _, w := range words[1:] {
		switch {
		case w.glob:
			return known("test", "The shell would expand a word of it ("+w.text+").")
		case strings.HasPrefix(w.text, "-") && !regexp.MustCompile(`^-([bcdefghLprsSuwxzn]|eq|ne|lt|le|gt|ge|nt|ot|ef|a|o|\d+)$`).MatchString(w.text):
			return known("test", "It is not known what test does with "+w.text+".")
		case inside(w, s.depth) != "":
			return known("test", inside(w, s.depth))
		}
	}
	return finding{decision: Allow, touches: reads}
}

// printf is allowed without -v, which sets a variable and evaluates its subscript.
func printf(words []word, s scope) finding {
	named := words[min(len(words), 2):] // wildcards there are names to be printed
	if len(words) < 2 || strings.HasPrefix(words[1].text, "-") || words[1].glob || !s.eased && slices.ContainsFunc(named, func(w word) bool { return w.glob }) {
		return asks(anything, "It is not known what printf does with these arguments.")
	}
	return finding{decision: Allow, touches: reads}
}

// echo is always allowed.
func echo([]word, scope) finding { return finding{decision: Allow, touches: reads} }

func cd(words []word, s scope) finding {
	if s.eased && len(words) == 2 && words[1].plain() && (words[1].text == "/tmp" || own(words[1].text)) {
		return finding{decision: Allow, touches: reads}
	}
	if len(words) != 2 || !words[1].plain() || words[1].text == "" || strings.HasPrefix(words[1].text, "-") || slices.Contains(strings.Split(words[1].text, "/"), ".git") {
		return asks(outside, "It changes to a folder outside of the workspace.")
	}
	if why := inside(words[1], s.depth); why != "" {
		return asks(outside, "It changes to a folder outside of the workspace (%s).", words[1].text)
	}
	return finding{decision: Allow, touches: reads}
}

// pushed judges pushd, popd and deactivate: the first is cd, and the others lead back.
func pushed(words []word, s scope) (finding, bool) {
	if words[0].text == "popd" || words[0].text == "deactivate" { // a function, which ends what activate began
		return finding{decision: Allow, touches: reads}, len(words) == 1
	}
	if words[0].text != "pushd" {
		return finding{}, false
	}
	f := cd(words, s)
	return f, f.decision == Allow
}

// longestSleep is in seconds: long enough for a server to start, too short to hold up
// a task.
const longestSleep = 60

func sleep(words []word, _ scope) finding {
	if len(words) == 2 && words[1].plain() {
		if n, err := strconv.ParseFloat(words[1].text, 64); err == nil && n >= 0 && n <= longestSleep {
			return finding{decision: Allow, touches: reads}
		}
	}
	return asks(runs, "%s", class("endless").reason("sleep"))
}

func exit(words []word, _ scope) finding {
	if len(words) == 1 || len(words) == 2 && whole.MatchString(words[1].text) {
		return finding{decision: Allow, touches: reads}
	}
	return asks(anything, "It is not known what exit does with these arguments.")
}

// set is allowed to change how errors are treated and what is printed, but not how
// words are read.
func set(words []word, _ scope) finding {
	if regexp.MustCompile(`^set( [-+][eux]+| [-+][eux]*o pipefail)+$`).MatchString(join(words)) {
		return finding{decision: Allow, touches: reads}
	}
	return known("set", "?")
}

// targets are the usual names of builds and checks in makefiles.
var targets = []string{"test", "tests", "unit", "unittest", "unit-test", "test-unit", "check", "checks", "lint", "vet", "fmt", "format", "format-check", "build", "all", "compile", "typecheck", "types", "type-check", "mypy", "ruff", "black", "flake8", "coverage", "cover", "cov", "bench", "help"}

func makeTargets(words []word, s scope) finding {
	f := asks(reads|writes|runs, "%s", class("name").reason("make"))
	f.shape = narrow(words, s)
	named := false
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case !w.plain():
			return f
		case regexp.MustCompile(`^(-j\d*|-[skn]+|--(silent|keep-going|dry-run|no-print-directory)|--jobs(=\d+)?)$`).MatchString(w.text):
		case w.text == "-C" && i+1 < len(words) && inside(words[i+1], s.depth) == "":
			i++
		case w.text == "V=1" || w.text == "VERBOSE=1":
		case slices.Contains(targets, w.text):
			named = true
		case (w.text == "--version" || w.text == "-v") && len(words) == 2:
			return finding{decision: Allow, touches: reads}
		default:
			return f
		}
	}
	if !named {
		return f
	}
	return finding{decision: Allow, touches: reads | writes | runs}
}

var (
	makeFor   = lazyregexp.New(`^(T|TESTS?|TEST_?(FLAGS|ARGS|OPTS|FILTER|CASES?|NAME|PATH|FILES?)|ARGS|PKGS?|PACKAGES?|RUN|FILTER|PATTERN|SUITE|WHAT|MODULE|DEBUG|BUILD_TYPE|CI|COVERAGE|PYTEST_?(ARGS|FLAGS|OPTS)|GO_?TEST_?(FLAGS|ARGS)|K|JOBS|MODE|PROFILE|RELEASE|QUIET)=(.*)$`)
	makeValue = lazyregexp.New(`^(-[vxqsk]|-(run|race|short|count|timeout|tags|bench|n|j)(=[\w./^|*-]+)?|--(tb|maxfail|lf|ff|no-header|verbose|quiet|color|cov|release)(=\w+)?|[\w.][\w./:@,*-]*)$`)
)

var (
	startable = lazyregexp.New(`\.(sh|bash|py|[cm]?[jt]s|rb|pl|php|lua)$`)
	testFile  = lazyregexp.New(`(^|/)(tests?|specs?|__tests__)/|(^|/)test_[^/]*$|[._-](test|spec)\.\w+$`)
)

// makeVariable reports whether a word sets a variable of a makefile that by its name chooses tests or how loudly they
// run, to words that start nothing by themselves; or flags of a compiler.
func makeVariable(text string, s scope) bool {
	if name, value, ok := strings.Cut(text, "="); ok && slices.Contains([]string{"CFLAGS", "CXXFLAGS", "CPPFLAGS"}, name) {
		return cFlagList.MatchString(value)
	}
	m := makeFor.FindStringSubmatch(text)
	return m != nil && !slices.ContainsFunc(strings.Fields(m[len(m)-1]), func(one string) bool {
		return !makeValue.MatchString(one) || inside(word{text: one}, s.depth) != "" || startable.MatchString(one) && !testFile.MatchString(one)
	})
}

// builds judges make and ninja where the policy eases that: also without a target, and for more names.
func builds(words []word, s scope) (finding, bool) {
	ninja := words[0].text == "ninja"
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case !w.plain():
			return finding{}, false
		case regexp.MustCompile(`^(-j\d*|-[skniB]+|--(silent|keep-going|dry-run|no-print-directory|always-make|output-sync)|--jobs(=\d+)?)$`).MatchString(w.text):
		case w.text == "-C" && i+1 < len(words) && inside(words[i+1], s.depth) == "":
			i++
		case ninja && slices.Contains([]string{"-v", "--verbose", "--quiet"}, w.text):
		case w.text == "V=1" || w.text == "VERBOSE=1" || whole.MatchString(w.text) && words[i-1].text == "-j" || kin(w.text) || !ninja && makeVariable(w.text, s):
		default:
			return finding{}, false
		}
	}
	return finding{decision: Allow, touches: reads | writes | runs}, true
}

// tar is allowed to list. A colon in the archive's name would mean another machine.
func tar(words []word, s scope) finding {
	if len(words) != 3 || !regexp.MustCompile(`^-?(t[vzjJ]*f|t[zjJ]*v?[zjJ]*f)$`).MatchString(words[1].text) || strings.Contains(words[2].text, ":") {
		if len(words) == 2 && words[1].text == "--version" {
			return finding{decision: Allow, touches: reads}
		}
		return known("tar", "?")
	}
	return known("tar", allInside(words[2:], s))
}

func ps(words []word, _ scope) finding {
	if len(words) == 1 || len(words) == 2 && slices.Contains([]string{"aux", "-ef", "-e", "-A", "ax", "-aux"}, words[1].text) {
		return finding{decision: Allow, touches: reads}
	}
	return asks(system, "It is not known what ps does with these arguments.")
}
