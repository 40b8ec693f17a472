package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/near"
	"caselsp/agent/stack"
)

// A plan names files from memory, and tests by a command line. What does not exist and is not to be
// created is told while it costs a reply: the plan is returned once, and FINISH_FEATURE is where
// its tests would be run on a file that is not there. What CASE insists on then is not run, and
// uses up no round: the project's own tests are run instead, where they are known.

// names looks for files among those that the workspace has now, with what is staged.
type names struct {
	r     *run
	paths []string // nil: not listed yet
}

// all are the files of the workspace, as far as they are listed.
func (n *names) all(ctx context.Context) []string {
	if n.paths == nil {
		entries, _, err := n.r.overlay.List(ctx, "", maxProjectFiles)
		if err != nil {
			n.r.a.Log.Warn("the workspace cannot be listed", "task", n.r.id, "error", err)
		}
		n.paths = []string{}
		for _, e := range entries {
			n.paths = append(n.paths, e.Path)
		}
	}
	return n.paths
}

// absent reports whether no file and no folder has a name, and none ends in it either: some
// runners take a part of a path.
func (n *names) absent(ctx context.Context, name string) bool {
	if name == "" || name == "." {
		return false
	}
	if _, err := n.r.overlay.Read(name); !errors.Is(err, fs.ErrNotExist) {
		return false // it is there, or it cannot be told
	}
	return !slices.ContainsFunc(n.all(ctx), func(p string) bool {
		return strings.HasPrefix(p, name+"/") || strings.HasSuffix(p, "/"+name) || strings.Contains(p, "/"+name+"/")
	})
}

// maxNear is how many files are named instead of one that does not exist.
const maxNear = 3

// near says which files have a name like that of one that does not exist; "" for none.
func (n *names) near(ctx context.Context, name string) string {
	var list []string
	base := map[string]string{} // the first file of each base name
	var bases []string
	for _, p := range n.all(ctx) {
		b := path.Base(p)
		if b == path.Base(name) && len(list) < maxNear {
			list = append(list, p)
		}
		if base[b] == "" {
			base[b], bases = p, append(bases, b)
		}
	}
	limit := func(s string) int { return max(1, len([]rune(s))/4) } // a quarter: a slip or two, and no other word
	if len(list) == 0 {
		list = append(list, near.Closest(name, n.all(ctx), limit(name)), base[near.Closest(path.Base(name), bases, limit(path.Base(name)))])
	}
	list = slices.DeleteFunc(list, func(p string) bool { return p == "" })
	if list = slices.Compact(list); len(list) == 0 {
		return ""
	}
	return "; there is " + strings.Join(list, ", ")
}

// missing are the test files and folders of a command line that do not exist.
func (n *names) missing(ctx context.Context, line string) (list []string) {
	for _, p := range stack.TestPaths(line) {
		if n.absent(ctx, p) && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// misnames is what TARS is told once of a plan that names files which do not exist and which it
// does not create; "" where there is nothing to tell.
func (r *run) misnames(ctx context.Context, plan action.Plan) string {
	if !r.state.PlanChecks || r.state.PlanReturned {
		return ""
	}
	n := &names{r: r}
	var told []string
	for _, p := range plan.Change {
		if n.absent(ctx, path.Clean(p)) && !makes(plan, p) {
			told = append(told, fmt.Sprintf("files_to_change: %s does not exist%s", p, n.near(ctx, path.Clean(p))))
		}
	}
	for _, f := range plan.Features {
		for _, p := range n.missing(ctx, f.Test) {
			if !makes(plan, p) {
				told = append(told, fmt.Sprintf("the tests of %s: %s does not exist%s", f.ID, p, n.near(ctx, p)))
			}
		}
	}
	if len(told) == 0 {
		return ""
	}
	return "The plan was not taken yet: it names files that do not exist and that it does not create. " + strings.Join(r.window().first(partLog, told), ". ") +
		". Mend the names, or list what is new in files_to_create, and submit the whole plan again: it is taken then."
}

// makes reports whether a plan says that it makes a file, or something in a folder.
func makes(plan action.Plan, name string) bool {
	name = path.Clean(name)
	if slices.ContainsFunc(plan.Create, func(p string) bool {
		return path.Clean(p) == name || strings.HasPrefix(path.Clean(p), name+"/")
	}) {
		return true
	}
	return slices.ContainsFunc(plan.Features, func(f action.Feature) bool {
		return slices.Contains(f.Files, name) || strings.Contains(f.Description, name)
	})
}

// untestable says what FINISH_FEATURE does about a test command that names files which do not
// exist: told is what CASE is told the first time; void is the command where it was told before,
// and which is not run.
func (r *run) untestable(ctx context.Context, args action.FinishFeature) (told, void string) {
	f := r.state.Feature()
	line := cmp.Or(args.TestCommand, r.state.TestLine())
	if !r.state.PlanChecks || line == "" {
		return "", ""
	}
	n := &names{r: r}
	missing := n.missing(ctx, line)
	switch {
	case len(missing) == 0:
		return "", ""
	case f.Misnamed == line:
		return "", line
	}
	return fmt.Sprintf("Not finished: the tests would be `%s`, and %s does not exist%s. Create it, or give the right command in test_command. If you finish without either, the project's own tests run instead.",
		line, strings.Join(missing, ", "), n.near(ctx, missing[0])), line
}
