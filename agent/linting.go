package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"caselsp/agent/count"
	"caselsp/agent/lint"
	"caselsp/agent/record"
	"caselsp/agent/validate"
	"caselsp/sandbox"
)

// Linting says when external linters check what a task stages, and what
// the grades of their findings mean. The zero value runs none.
type Linting struct {
	When   string // LintEdits, LintFinish; any other: never
	Grades lint.Policy
}

// When linters run.
const (
	LintEdits  = "edit"   // after every edit, while the model thinks, and before a feature ends
	LintFinish = "finish" // before a feature ends
)

const (
	// lintTime is how long one linter may take: pylint takes seconds for a file, and
	// what takes minutes is not waited for at each edit.
	lintTime = 2 * time.Minute
	// maxLinted is how many findings of one run of the linters are kept, the most
	// severe first: nobody reads more, and a generated file can have 100,000.
	maxLinted = 500
)

// unlinted are the staged files, with their hashes, that linters read and have not
// looked at as they are now, or in which they found what an edit of another file may mend.
func (r *run) unlinted() map[string]string {
	files, may := map[string]string{}, r.may()
	for _, f := range r.state.Staged.Files {
		if f.Now != nil && r.state.LintOutdated(f) && lint.Reads(f.Path) && !may.Hides(f.Path) {
			files[f.Path] = f.Now.Hash
		}
	}
	return files
}

// lintMeanwhile runs linters on new edits while a model thinks. keep waits for
// them and records their findings, also that the model has answered meanwhile; end stops them if keep was not called.
func (r *run) lintMeanwhile(ctx context.Context) (keep func(answered bool) error, end func()) {
	files := r.unlinted()
	if r.a.Linting.When != LintEdits || len(files) == 0 {
		return func(bool) error { return nil }, func() {}
	}
	if b, recorded := r.a.outside.linted(files); recorded {
		return func(bool) error { return r.keepLinted(b) }, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var found *record.Linted
	linters := r.linters(ctx, files, &found)
	keep = func(answered bool) error {
		if err := r.await(linters); err != nil && ctx.Err() == nil { // before the feature ends they are asked again
			r.a.Log.Warn("linters cannot run", "task", r.id, "error", err)
		}
		if found != nil {
			found.Beside = answered
		}
		return r.keepLinted(found)
	}
	return keep, func() {
		cancel()
		<-linters.done
	}
}

// linters begins to run linters on files.
func (r *run) linters(ctx context.Context, files map[string]string, found **record.Linted) *aside {
	return r.aside("linting", func(a *aside) (err error) {
		*found, err = r.lint(ctx, files, a)
		return err
	})
}

// lintStaged has the linters look at what they have not seen before a feature
// ends. did says that it recorded what they say.
func (r *run) lintStaged(ctx context.Context) (did bool, err error) {
	files := r.unlinted()
	if when := r.a.Linting.When; when != LintEdits && when != LintFinish || len(files) == 0 {
		return false, nil
	}
	found, recorded := r.a.outside.linted(files)
	if !recorded {
		if err := r.await(r.linters(ctx, files, &found)); err != nil {
			return false, err
		}
	}
	return found != nil, r.keepLinted(found)
}

// keepLinted records what linters say; nil is nothing. That one is not there is
// said once.
func (r *run) keepLinted(b *record.Linted) error {
	if b == nil {
		return nil
	}
	b.Troubles = slices.DeleteFunc(b.Troubles, func(t string) bool { return r.state.LintTroubles[t] })
	return r.record(*b)
}

// lint runs the linters on staged files. It returns nil where the settings let
// nothing run. It runs beside the loop, which asks a model or waits.
func (r *run) lint(ctx context.Context, files map[string]string, a *aside) (*record.Linted, error) {
	engine, err := r.a.Sandbox(ctx)
	if err != nil || engine == nil {
		return nil, err
	}
	staged, err := r.overlay.Tree(ctx, r.a.Policy.Disk)
	if err != nil {
		return nil, err
	}
	staged, _ = r.may().Shareable(staged)
	tree := SandboxTree(staged)
	if err := r.asRecorded(tree, files); err != nil {
		return nil, err
	}
	before, had, err := r.unstaged(tree, files)
	if err != nil {
		return nil, err
	}
	b := &record.Linted{Files: files, By: map[string][]string{}}
	for _, l := range lint.For(slices.Sorted(maps.Keys(files)), tree) {
		names := l.Scope(tree, slices.Sorted(maps.Keys(files)))
		if len(names) == 0 {
			continue
		}
		a.begins(fmt.Sprintf("checking %s with %s", count.Of(len(names), "file"), l.Name))
		report, err := r.lintWith(ctx, engine, l, tree, names, a.says)
		if unavailable := (*sandbox.Unavailable)(nil); errors.As(err, &unavailable) && ctx.Err() == nil {
			// Tests cannot do without the sandbox, this can: it is told, and the work goes on.
			b.Troubles = append(b.Troubles, fmt.Sprintf("%s did not run: %v", l.Name, err))
			continue
		}
		if err != nil {
			return nil, err
		}
		report.InProject(l, tree)
		if key := r.outstanding(tree, l.Profile); report.Lacks != "" && key != "" {
			b.Waits = append(b.Waits, key)
			b.Troubles = append(b.Troubles, report.Trouble+" yet: it runs again once the project's dependencies are")
		} else if report.Trouble != "" {
			b.Troubles = append(b.Troubles, report.Trouble)
		} else {
			b.Ran = append(b.Ran, l.Name)
			for _, name := range names {
				b.By[name] = append(b.By[name], l.Name)
			}
		}
		if report.Scored {
			b.Score = &report.Score
		}
		found := report.Findings
		if old := slices.DeleteFunc(names, func(n string) bool { return !had[n] }); len(found) > 0 && len(old) > 0 {
			prior, err := r.lintWith(ctx, engine, l, before, old, a.says)
			if err != nil {
				return nil, err
			}
			found = ownStyle(prior.Findings, validate.Introduced(prior.Findings, found))
		}
		b.Findings = append(b.Findings, found...)
	}
	if n := len(b.Findings) - maxLinted; n > 0 {
		slices.SortStableFunc(b.Findings, func(x, y validate.Finding) int {
			return slices.Index(validate.Severities, x.Severity) - slices.Index(validate.Severities, y.Severity)
		})
		b.Findings = b.Findings[:maxLinted]
		b.Troubles = append(b.Troubles, fmt.Sprintf("linters found %d more than the %d that are kept", n, maxLinted))
	}
	b.Known = r.state.KnownOf(*b, r.lineOf)
	return b, nil
}

// lineOf is a line, from 0, of a content that was staged.
func (r *run) lineOf(hash string, n int) string {
	text, err := r.a.Store.Blob(hash)
	if err != nil {
		return ""
	}
	lines := bytes.SplitN(text, []byte("\n"), n+2)
	if n >= len(lines) {
		return ""
	}
	return string(bytes.TrimSpace(lines[n]))
}

// outstanding is the key of the dependencies that a project has for a profile and that may still be
// installed; "" for none.
func (r *run) outstanding(tree []sandbox.File, profile sandbox.Profile) string {
	if r.a.Dependencies == nil {
		return ""
	}
	deps := r.dependenciesOf(tree, profile)
	if deps == nil || r.state.Dependencies[deps.Key].Settled() && r.state.Dependencies[deps.Key].State != record.Agreed {
		return ""
	}
	return deps.Key
}

// ownStyle leaves out matters of style that a file has disregarded before: its style is another.
func ownStyle(prior, found []validate.Finding) []validate.Finding {
	return slices.DeleteFunc(found, func(f validate.Finding) bool {
		return f.Severity == validate.Info && slices.ContainsFunc(prior, func(p validate.Finding) bool { return p.Path == f.Path && p.Rule == f.Rule })
	})
}

// asRecorded puts into a tree what the journal has of the files that linters are to look at: what the user has typed
// there since would be taken for the agent's.
func (r *run) asRecorded(tree []sandbox.File, files map[string]string) error {
	for i, f := range tree {
		if hash := files[f.Path]; hash != "" {
			data, err := r.a.Store.Blob(hash)
			if err != nil {
				return err
			}
			tree[i].Data = data
		}
	}
	return nil
}

// unstaged is a tree with some of its files as the user has them, and says which
// of these there are.
func (r *run) unstaged(tree []sandbox.File, files map[string]string) (before []sandbox.File, had map[string]bool, err error) {
	before, had = slices.Clone(tree), map[string]bool{}
	for _, f := range r.state.Staged.Files {
		if _, ok := files[f.Path]; !ok || f.Base == nil {
			continue
		}
		base, err := f.Base.Content(r.a.Store.Blob)
		if err != nil {
			return nil, nil, err
		}
		for i := range before { // a renamed file under its new name: what was found in it is not new
			if before[i].Path == f.Path {
				before[i].Data, had[f.Path] = base.Data, true
			}
		}
	}
	return before, had, nil
}

// lintWith runs one linter, with the project's dependencies where they are there
// already. It reaches no host, whatever commands may.
func (r *run) lintWith(ctx context.Context, engine sandbox.Engine, l *lint.Linter, tree []sandbox.File, names []string, said func(string)) (*lint.Report, error) {
	cmd := l.Command(tree, names)
	cmd.Policy, cmd.Progress = r.a.Policy, said
	cmd.Policy.Hosts, cmd.Policy.Time = nil, min(cmd.Policy.Time, lintTime)
	if r.a.Dependencies != nil {
		if deps := r.dependenciesOf(tree, l.Profile); deps != nil && r.state.Dependencies[deps.Key].State == record.Ready {
			cmd.Layer = deps.Key
		}
	}
	report, err := l.Run(ctx, engine, cmd, names, r.a.Linting.Grades)
	if errors.Is(err, sandbox.ErrNoLayer) {
		cmd.Layer = ""
		return l.Run(ctx, engine, cmd, names, r.a.Linting.Grades)
	}
	return report, err
}
