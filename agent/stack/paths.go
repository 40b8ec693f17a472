package stack

import (
	"path"
	"slices"
	"strings"
)

// codeFiles are the extensions of files that runners take by their name.
var codeFiles = []string{".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".go", ".rb", ".php"}

// TestPaths returns the files and folders that a command line gives to a test runner, as far as
// that is certain; of a line with more in it than one plain command, and of patterns, none.
func TestPaths(line string) (list []string) {
	if !Runs(line) || strings.ContainsAny(line, composed) {
		return nil
	}
	words := strings.Fields(line)
	pytest := slices.ContainsFunc(words, func(w string) bool { return w == "pytest" || w == "py.test" })
	for i, word := range words {
		word, _, _ = strings.Cut(strings.Trim(word, `"'`), "::") // a test in a file, for pytest
		if i == 0 || word == "" || strings.HasPrefix(word, "-") || strings.ContainsAny(word, "*?[]=:@,") || strings.Contains(word, "...") {
			continue
		}
		option := strings.HasPrefix(words[i-1], "-") // the word may be its value
		folder := path.Ext(word) == "" && strings.Contains(word, "/") && !option && (pytest || strings.HasPrefix(word, "./"))
		if folder || slices.Contains(codeFiles, path.Ext(word)) {
			list = append(list, path.Clean(word))
		}
	}
	return list
}

// allTests are the arguments with which a runner still runs all tests that it finds.
var allTests = map[string]bool{
	"-q": true, "-qq": true, "-v": true, "-vv": true, "-s": true, "-b": true, "-ra": true, "-rA": true, "-race": true, "-count=1": true, "--no-header": true,
	"--tb=short": true, "--quiet": true, "--verbose": true, "--buffer": true, "--ci": true, "--runInBand": true, "discover": true, everyPackage: true,
}

// everyPackage is what go test needs to run more than the tests of one folder.
const everyPackage = "./..."

// RunsTestsOf reports whether a command line certainly runs all tests of these files: it names each file or its folder and
// selects nothing in them, or it runs whatever tests there are.
func RunsTestsOf(line string, files []string) bool {
	begin := runner(strings.TrimSpace(line))
	if !RunsAlone(line) || begin == "" || slices.Contains(files, "") || strings.Contains(line, "::") {
		return false
	}
	_, after, _ := strings.Cut(line, begin)
	named, every := TestPaths(line), false
	for _, word := range strings.Fields(after) {
		every = every || word == everyPackage
		if !allTests[word] && !slices.Contains(named, path.Clean(word)) {
			return false
		}
	}
	return every || !slices.ContainsFunc(files, func(file string) bool {
		in := func(p string) bool {
			return p == file || p == path.Dir(file) || strings.HasPrefix(file, p+"/") && !strings.HasPrefix(begin, "go")
		}
		return !slices.ContainsFunc(named, in) && (len(named) > 0 || !findsAll[begin] && (begin != "unittest" || path.Dir(file) != "."))
	})
}

// findsAll are the runners that find tests in all folders where no path is given. unittest finds those of packages.
var findsAll = map[string]bool{"pytest": true, "py.test": true, "jest": true, "vitest": true, "npm test": true, "pnpm test": true, "yarn test": true}
