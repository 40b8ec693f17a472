package testreport

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// A narrowed line runs some tests of a line, with its switches. Only lines that are read whole are narrowed: one program whose
// arguments are known. What is not known gives no line, and the caller runs all tests.

// maxNarrowed is how many tests a narrowed line names: a command line has a limit, and the first ones say enough.
const maxNarrowed = 20

// Narrow returns a line that runs, of the tests of a line, only those given, and which of them it runs; "" where it
// cannot be told how. source returns a file of the project, "" where there is none. The files of the tests are
// the project's, see [Report.In].
func Narrow(line string, tests []Test, source func(name string) string) (narrow string, runs []Test) {
	tests = tests[:min(len(tests), maxNarrowed)]
	words, ok := plainWords(line)
	if !ok {
		return "", nil
	}
	words, ok = ownScript(words, source)
	if !ok {
		return "", nil
	}
	for _, by := range narrowers {
		if n := by.leads(words); n > 0 {
			if narrow, runs = by.narrow(words[:n], words[n:], tests, source); len(runs) == 0 {
				return "", nil
			}
			return narrow, runs
		}
	}
	return "", nil
}

// narrower narrows the lines of one runner.
type narrower struct {
	program *lazyregexp.Regexp // the words that begin the line
	valued  []string           // switches whose value is the next word
	plain   []string           // switches without a value
	write   func(n narrowed) (line string, runs []Test)
}

// narrowed is a line taken apart.
type narrowed struct {
	program, switches string // each with a space behind it
	tests             []Test
	source            func(string) string
}

var narrowers = []narrower{
	{
		program: lazyregexp.New(`^(?:(?:python[\d.]*) -m )?(?:pytest|py\.test) $`), write: narrowPytest,
		valued: []string{"-m", "-k", "-p", "-c", "-o", "-W", "-n", "-r", "--rootdir", "--tb", "--maxfail", "--durations", "--ignore", "--confcutdir", "--import-mode", "--color"},
		plain:  []string{"-q", "-qq", "-v", "-vv", "-x", "-s", "-l", "-ra", "-rA", "-rf", "--no-header", "--no-summary", "--verbose", "--quiet", "--exitfirst", "--strict-markers"},
	},
	{
		program: lazyregexp.New(`^python[\d.]* -m unittest $`), write: narrowUnittest,
		plain: []string{"-v", "-q", "-f", "-b", "--verbose", "--quiet", "--failfast", "--buffer"},
	},
	{
		program: lazyregexp.New(`^python[\d.]* manage\.py test $`), write: narrowUnittest,
		valued: []string{"-v", "--verbosity", "--settings", "--tag", "--exclude-tag", "--parallel"},
		plain:  []string{"--noinput", "--no-input", "--failfast", "--keepdb", "--traceback"},
	},
	{
		program: lazyregexp.New(`^go test $`), write: narrowGo,
		valued: []string{"-timeout", "-count", "-tags", "-p", "-parallel", "-cpu", "-mod", "-ldflags", "-gcflags", "-shuffle", "-vet"},
		plain:  []string{"-v", "-race", "-short", "-failfast", "-trimpath", "-json"},
	},
	{
		program: lazyregexp.New(`^node --test $`), write: narrowNode,
	},
	{
		program: lazyregexp.New(`^(?:npx )?jest $`), write: narrowJest,
		plain: []string{"--ci", "--runInBand", "-i", "--verbose", "--no-cache", "--forceExit"},
	},
	{
		program: lazyregexp.New(`^(?:npx )?vitest run $`), write: narrowJest,
	},
	{
		program: lazyregexp.New(`^(?:npx )?mocha $`), write: narrowMocha,
		valued: []string{"-r", "--require", "--timeout", "-t", "-R", "--reporter"}, plain: []string{"--exit", "--bail", "-b"},
	},
	{
		program: lazyregexp.New(`^(?:npx )?tape $`), write: narrowTape,
		valued: []string{"-r", "--require"},
	},
}

// leads is how many of the words are the runner's call; 0 where it is another one.
func (by narrower) leads(words []string) int {
	for n := 1; n <= min(len(words), 4); n++ {
		if by.program.MatchString(strings.Join(words[:n], " ") + " ") {
			return n
		}
	}
	return 0
}

// narrow keeps the switches, and puts the tests in the place of what else the line names.
func (by narrower) narrow(program, args []string, tests []Test, source func(string) string) (string, []Test) {
	n := narrowed{program: strings.Join(program, " ") + " ", tests: tests, source: source}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !strings.HasPrefix(a, "-"): // what is named in its place
		case slices.Contains(by.plain, a), strings.Contains(a, "=") && !strings.HasPrefix(a, "-run"):
			n.switches += a + " "
		case slices.Contains(by.valued, a) && i+1 < len(args):
			n.switches += a + " " + args[i+1] + " "
			i++
		default:
			return "", nil
		}
	}
	return by.write(n)
}

// plainWord is a word of a line that a shell takes as it is, or one in quotes that it does not look into.
var plainWord = lazyregexp.New(`^(?:'[^'\n]*'|"[^"$\\\x60\n]*"|[\w./@%+:=,-]+)`)

// plainWords are the words of a line that is one simple command; ok is false for any other.
func plainWords(line string) (words []string, ok bool) {
	for rest := strings.TrimSpace(line); rest != ""; rest = strings.TrimLeft(rest, " ") {
		w := plainWord.FindString(rest)
		rest = rest[len(w):]
		if w == "" || rest != "" && rest[0] != ' ' {
			return nil, false
		}
		words = append(words, w)
	}
	return words, len(words) > 0
}

var (
	preScript = lazyregexp.New(`"pretest"\s*:`)
	localBins = []string{"jest", "vitest", "mocha", "tape"}
)

// ownScript puts the test script of package.json in the place of `npm test`. One with a step before it is not known.
func ownScript(words []string, source func(string) string) ([]string, bool) {
	if !npmTest.MatchString(strings.Join(words, " ")) {
		return words, true
	}
	manifest := source("package.json")
	m := testScript.FindStringSubmatch(manifest)
	if m == nil || preScript.MatchString(manifest) || len(words) > 3 || len(words) == 3 && words[1] != "run" || !slices.Contains([]string{"test", "t"}, words[len(words)-1]) {
		return nil, false
	}
	script, ok := plainWords(m[1])
	if ok && slices.Contains(localBins, script[0]) {
		script = append([]string{"npx"}, script...)
	}
	return script, ok
}

// quotedWord is a word for a shell; "" for one that cannot be written.
func quotedWord(w string) string {
	switch {
	case strings.ContainsAny(w, "'\n\x00"):
		return ""
	case plainWord.FindString(w) == w:
		return w
	}
	return "'" + w + "'"
}

// each writes what names a test, for those that have a name, and returns them; the same name once.
func (n narrowed) each(name func(Test) string) (names []string, runs []Test) {
	for _, t := range n.tests {
		w := name(t)
		if w == "" {
			continue
		}
		if runs = append(runs, t); !slices.Contains(names, w) {
			names = append(names, w)
		}
	}
	return names, runs
}

func narrowPytest(n narrowed) (string, []Test) {
	names, runs := n.each(func(t Test) string {
		switch {
		case path.Ext(t.File) != ".py":
			return ""
		case t.Outcome == Errored && (t.Name == t.File || t.Name == ""): // it could not be collected
			return quotedWord(t.File)
		}
		return quotedWord(t.File + "::" + t.Name)
	})
	return n.program + n.switches + strings.Join(names, " "), runs
}

// dottedTest is a test as unittest names it.
var dottedTest = lazyregexp.New(`^\w+\.\w+$`)

func narrowUnittest(n narrowed) (string, []Test) {
	names, runs := n.each(func(t Test) string {
		if path.Ext(t.File) != ".py" || !IsTest(t.File) || !dottedTest.MatchString(t.Name) {
			return ""
		}
		return quotedWord(strings.ReplaceAll(strings.TrimSuffix(t.File, ".py"), "/", ".") + "." + t.Name)
	})
	return n.program + n.switches + strings.Join(names, " "), runs
}

// goModule is the path of a module.
var goModule = lazyregexp.New(`(?m)^module\s+"?([\w./~-]+)"?\s*(?://.*)?$`)

// narrowGo runs the failed tests of the packages that they are in. What could not be built is built alone: its tests say nothing yet.
func narrowGo(n narrowed) (string, []Test) {
	module := ""
	if m := goModule.FindStringSubmatch(n.source("go.mod")); m != nil {
		module = m[1]
	}
	unbuilt, runs := n.each(func(t Test) string {
		below, ours := strings.CutPrefix(t.Name+"/", module+"/")
		if t.Outcome != Errored || module == "" || !ours {
			return ""
		}
		return quotedWord(goFolder(below))
	})
	if len(runs) > 0 {
		return n.program + n.switches + "-run '^$' " + strings.Join(unbuilt, " "), runs
	}
	var folders []string
	names, runs := n.each(func(t Test) string {
		top, _, _ := strings.Cut(t.Name, "/")
		if !goName.MatchString(top) {
			return ""
		}
		folder := "./..." // where it is not known: tests of this name, wherever
		if path.Ext(t.File) == ".go" {
			folder = quotedWord(goFolder(path.Dir(t.File)))
		}
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		return top
	})
	return n.program + n.switches + "-run '^(" + strings.Join(names, "|") + ")$' " + strings.Join(folders, " "), runs
}

// goFolder is a folder as the pattern of its package.
func goFolder(dir string) string {
	if dir = path.Clean("./" + dir); dir != "." {
		dir = "./" + dir
	}
	return dir
}

// goName is the name of a test, an example or a fuzz target.
var goName = lazyregexp.New(`^(Test|Example|Fuzz)\w*$`)

// scripts are the files of the tests, and a pattern that has the names of all.
func (n narrowed) scripts(name func(Test) string) (files []string, pattern string, runs []Test) {
	var names []string
	files, runs = n.each(func(t Test) string {
		if t.File == "" || foreign.MatchString(t.File) || !IsTest(t.File) {
			return ""
		}
		return quotedWord(t.File)
	})
	for _, t := range runs {
		if w := regexp.QuoteMeta(name(t)); t.Outcome != Errored && !slices.Contains(names, w) {
			names = append(names, strings.ReplaceAll(w, "'", "."))
		}
	}
	if pattern = "'^(" + strings.Join(names, "|") + ")$'"; len(names) < len(runs) && slices.ContainsFunc(runs, func(t Test) bool { return t.Outcome == Errored }) || strings.ContainsAny(pattern, "\n\x00") {
		pattern = "" // all tests of these files
	}
	return files, pattern, runs
}

// fullTitle is the title of a test with those of the suites around it, as jest, vitest and mocha match it.
func fullTitle(t Test) string { return strings.ReplaceAll(t.Name, " > ", " ") }

func narrowNode(n narrowed) (string, []Test) {
	files, pattern, runs := n.scripts(func(t Test) string { return t.Name[strings.LastIndex(" > "+t.Name, " > "):] })
	if pattern != "" {
		n.switches += "--test-name-pattern=" + pattern + " "
	}
	return n.program + n.switches + strings.Join(files, " "), runs
}

func narrowJest(n narrowed) (string, []Test) {
	files, pattern, runs := n.scripts(fullTitle)
	if pattern != "" { // vitest before 1.0 matches titles that begin with the blank behind the file's empty one
		n.switches += "-t " + strings.Replace(pattern, "^(", "^ ?(", 1) + " "
	}
	return n.program + n.switches + strings.Join(files, " "), runs
}

func narrowMocha(n narrowed) (string, []Test) {
	files, pattern, runs := n.scripts(fullTitle)
	if len(runs) < len(n.tests) { // what mocha prints names no file: by their titles, in all files
		all := n
		all.tests = slices.Clone(n.tests)
		for i := range all.tests {
			all.tests[i].File = "a.test.js"
		}
		if _, pattern, _ = all.scripts(fullTitle); pattern == "" {
			return "", nil
		}
		files, runs = nil, n.tests
	}
	if pattern != "" {
		n.switches += "-g " + pattern + " "
	}
	return strings.TrimSpace(n.program + n.switches + strings.Join(files, " ")), runs
}

// narrowTape runs the files of the tests: tape cannot choose among those of a file.
func narrowTape(n narrowed) (string, []Test) {
	files, _, runs := n.scripts(fullTitle)
	return n.program + n.switches + strings.Join(files, " "), runs
}

// Again reports how a test that failed went in a later run: whether that run has it, and whether it fails there by the
// same error, told apart by what does not differ from run to run.
func (t Test) Again(later Report) (there, fails bool, now Test) {
	for _, l := range later.Tests {
		if l.Name != t.Name || l.File != "" && t.File != "" && !sameFile(l.File, t.File) {
			continue
		}
		if there, now = true, l; l.Outcome == Failed || l.Outcome == Errored {
			return true, l.signature() == t.signature(), l
		}
	}
	return there, false, now
}

// signature is the error by which a test failed, without what differs from run to run.
func (t Test) signature() string {
	traces := Traces(t.Message)
	if len(traces) > 0 && traces[len(traces)-1].Type != "check" {
		last := traces[len(traces)-1]
		return Signature(last.Type, last.Message)
	}
	return Signature("", strings.Join(t.Reason(), " "))
}
