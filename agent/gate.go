package agent

import (
	"context"
	"errors"
	"slices"

	"caselsp/agent/validate"
	"caselsp/agent/workspace"
)

// gate knows what the validators find in the user's files, and tells what a task
// adds to it, in the files that it changes and in those that depend on them. It
// is made when it is first asked: a project's files are read once a task.
type gate struct {
	suite  validate.Suite
	in     *Inspection                   // of what the user has, between two questions
	before map[string][]validate.Finding // by file
}

// introduced returns the findings that a change set brings, sorted by file.
func (g *gate) introduced(ctx context.Context, w *workspace.Workspace, set workspace.ChangeSet) ([]validate.Finding, error) {
	var found []validate.Finding
	err := g.with(ctx, w, set, func(affected []string, from map[string]string) {
		after := g.in.Judge(ctx, affected)
		for _, file := range affected {
			before := slices.Concat(g.before[file], g.before[from[file]])
			found = append(found, validate.Introduced(before, after[file])...)
		}
	})
	if errors.Is(err, ErrTooManySources) {
		return g.alone(set), nil
	}
	return found, err
}

// findings returns what is found in one file as it is with a change set.
func (g *gate) findings(ctx context.Context, w *workspace.Workspace, set workspace.ChangeSet, file, text string) ([]validate.Finding, error) {
	var found []validate.Finding
	err := g.with(ctx, w, set, func([]string, map[string]string) {
		g.in.Set(file, text) // it is there already, or is one that the list leaves out
		found = g.in.Findings(file)
	})
	if errors.Is(err, ErrTooManySources) {
		return g.suite.Check(file, text), nil
	}
	return found, err
}

// with calls f while the project has a change set in it: with the files whose
// findings it may touch, and with the old paths of those that it renames.
func (g *gate) with(ctx context.Context, w *workspace.Workspace, set workspace.ChangeSet, f func(affected []string, from map[string]string)) error {
	if err := g.open(ctx, w); err != nil {
		return err
	}
	var affected affectedFiles
	from := map[string]string{}
	for _, c := range set.Files {
		affected.add([]string{c.Path})
		if c.From != "" {
			affected.add(g.in.Remove(c.From))
			from[c.Path] = c.From
		}
		if c.After == nil {
			affected.add(g.in.Remove(c.Path))
		} else if text, ok := c.After.Text(); ok {
			affected.add(g.in.Set(c.Path, text))
		} else {
			affected.add(g.in.SetAsset(c.Path))
		}
	}
	f(affected.sorted(), from)
	for _, c := range set.Files {
		g.in.Reload(c.Path)
		if c.From != "" {
			g.in.Reload(c.From)
		}
	}
	return ctx.Err()
}

// open reads the user's files, or what changed of them since the last question.
func (g *gate) open(ctx context.Context, w *workspace.Workspace) error {
	var files []string
	if g.in == nil {
		in, err := Inspect(ctx, w, g.suite)
		if err != nil {
			return err
		}
		g.in, g.before, files = in, map[string][]validate.Finding{}, in.Paths()
	} else {
		var err error
		if files, err = g.in.Refresh(ctx); err != nil {
			return err
		}
	}
	found := g.in.Judge(ctx, files)
	for _, file := range files {
		g.before[file] = found[file]
	}
	return ctx.Err()
}

// alone is introduced for a workspace that is too large for one project: each
// file is judged by itself.
func (g *gate) alone(set workspace.ChangeSet) []validate.Finding {
	var found []validate.Finding
	for _, c := range set.Files {
		if c.After == nil || !validate.Reads(c.Path) {
			continue
		}
		after, ok := c.After.Text()
		if !ok {
			continue
		}
		before := ""
		if c.Before != nil {
			before, _ = c.Before.Text()
		}
		found = append(found, validate.Introduced(g.suite.Check(c.Path, before), g.suite.Check(c.Path, after))...)
	}
	return found
}

// critical are those that block FINISH_FEATURE.
func critical(found []validate.Finding) []validate.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f validate.Finding) bool { return f.Severity != validate.Critical })
}

// judge is what the model's own look at diagnostics asks.
func (r *run) judge(ctx context.Context, path, text string) ([]validate.Finding, error) {
	return r.gate.findings(ctx, r.a.Workspace, r.overlay.ChangeSet(), path, text)
}
