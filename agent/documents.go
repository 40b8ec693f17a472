package agent

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"caselsp/agent/stack"
	"caselsp/agent/workspace"
	"caselsp/store/lazyregexp"
)

// Features that change documentation only: the project's tests say nothing of it, and do not run.

// onlyDocumentation is why they do not.
const onlyDocumentation = "only documentation was changed"

var (
	// documentFile is a file of prose in the root or in a folder of documentation. Elsewhere
	// programs read such files: fixtures, templates, prompts.
	documentFile = lazyregexp.New(`(?i)^(docs?/([^/]+/)*)?[^/]+\.(md|markdown|rst|adoc)$`)
	// documentName is a file whose name says that it is prose, whatever its ending.
	documentName = lazyregexp.New(`(?i)^(docs?/([^/]+/)*)?(readme|changelog|changes|history|news|authors|contributors|contributing|license|licence|copying|notice|todo)(\.txt)?$`)
	// doctests says that a project's tests run examples in its documents.
	doctests = lazyregexp.New(`(?i)doctest`)
)

// isDocumentation reports whether a file is prose that no program reads.
func isDocumentation(name string) bool {
	return documentFile.MatchString(name) || documentName.MatchString(name)
}

// documentsOnly reports whether the tests of the feature need not run, because it changes
// documentation only. A command that the plan names for it runs nonetheless, unless it is one that
// runs tests; and where tests may read the documents, they run.
func (r *run) documentsOnly() bool {
	f := r.state.Feature()
	if f.Changed.Line != "" || r.state.LastTest != nil || f.Test != "" && !stack.Runs(f.Test) || !r.a.outside.sparesTests() {
		return false
	}
	changes := r.featureChanges()
	if len(changes) == 0 || slices.ContainsFunc(changes, func(c workspace.Change) bool {
		return !isDocumentation(c.Path) || c.From != "" && !isDocumentation(c.From)
	}) {
		return false
	}
	for _, name := range []string{"pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "conftest.py", "Makefile"} {
		if doctests.MatchString(r.textOf(name)) {
			return false
		}
	}
	return !slices.ContainsFunc(changes, func(c workspace.Change) bool { return strings.Contains(f.Test, path.Base(c.Path)) }) && !r.codeReads(changes)
}

// describesProject are programs that read documents only to describe the project: for its package, or to
// build its manual.
var describesProject = lazyregexp.New(`(^|/)(setup\.py|conf\.py|noxfile\.py|\w*\.config\.[cm]?[jt]s)$`)

// codeReads reports whether a program of the project names one of the changed documents, as a test does that
// checks the examples in a README: then the tests may say something of the change. Where the project cannot be
// searched, they run, too.
func (r *run) codeReads(changes []workspace.Change) bool {
	if r.a.outside.replays() { // whether they ran is recorded
		return false
	}
	var names []string
	for _, c := range changes {
		names = append(names, regexp.QuoteMeta(path.Base(c.Path)))
		if ending := path.Ext(c.Path); ending != "" {
			names = append(names, `\*`+regexp.QuoteMeta(ending))
		}
	}
	found, more, err := r.overlay.Search(context.Background(), workspace.Query{
		Pattern: "(^|[^\\w.-])(" + strings.Join(names, "|") + ")($|[^\\w.-])", Regexp: true,
		Skip: func(path string) bool { return !workspace.IsSource(path) || describesProject.MatchString(path) },
	})
	return err != nil || more || len(found) > 0
}
