package lint

import (
	"slices"
	"strings"

	"caselsp/agent/validate"
	"caselsp/sandbox"
	"caselsp/store/lazyregexp"
)

// A linter sees the packages that the sandbox has. What it says of others is no fault of the code: it is
// shown as information, and so keeps no feature from its end. A module of the project's own that is not
// there is the code's fault.

// absences are the rules by which linters say that a module is not there.
var absences = []string{
	"mypy/import", "mypy/import-not-found", "mypy/import-untyped", "pylint/import-error",
	"eslint/import/no-unresolved", "eslint/n/no-missing-import", "eslint/n/no-missing-require", "eslint/node/no-missing-import", "eslint/node/no-missing-require",
}

// consequences are the rules of mypy by which it objects to what it takes for Any, in a file with a
// module that is not there; consequent are the messages of its rule for all the rest.
var (
	consequences = []string{"mypy/no-any-return", "mypy/no-any-unimported", "mypy/untyped-decorator", "mypy/unused-ignore", "mypy/no-untyped-call"}
	consequent   = lazyregexp.New(`has type "Any"|^Untyped decorator|is implicitly "Any"|an unfollowed import`)
	absentee     = lazyregexp.New(`["']([^"'\s]+)["']`)
)

// excuse makes information of what is said because a package is not in the sandbox.
func (r *Report) excuse(tree []sandbox.File) {
	lacking := map[string]bool{} // files
	for i, f := range r.Findings {
		if m := absentee.FindStringSubmatch(f.Message); slices.Contains(absences, f.Rule) && m != nil && !owns(tree, m[1]) {
			r.Findings[i].Severity, lacking[f.Path] = validate.Info, true
		}
	}
	for i, f := range r.Findings {
		if lacking[f.Path] && (slices.Contains(consequences, f.Rule) || f.Rule == "mypy/misc" && consequent.MatchString(f.Message)) {
			r.Findings[i].Severity = validate.Info
		}
	}
}

// owns reports whether a module is, or is in, one of the tree's: a path, or the name of a file or a folder.
func owns(tree []sandbox.File, module string) bool {
	if strings.HasPrefix(module, ".") || strings.HasPrefix(module, "/") {
		return true
	}
	top, _, _ := strings.Cut(strings.ReplaceAll(module, ".", "/"), "/")
	return slices.ContainsFunc(tree, func(f sandbox.File) bool {
		for part := range strings.SplitSeq(f.Path, "/") {
			name, _, _ := strings.Cut(part, ".")
			if name == top {
				return true
			}
		}
		return false
	})
}
