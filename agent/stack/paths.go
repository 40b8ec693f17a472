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
