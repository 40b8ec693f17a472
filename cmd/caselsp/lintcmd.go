package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"caselsp/agent"
	"caselsp/agent/lint"
	"caselsp/agent/validate"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
)

// linted runs the linters on a folder, or on one file of it, and returns their
// findings by file. A linter that cannot run says so on standard error, so that
// the absence of findings is not mistaken for approval.
func (j *judging) linted(ctx context.Context, e *engine, dir, only string) (map[string][]validate.Finding, error) {
	if untrusted, err := e.trust.Untrusted(dir); err != nil || len(untrusted) > 0 {
		return nil, errors.Join(err, fmt.Errorf("%s is not trusted, and linters load plugins and settings of the folder, which can run code: `caselsp trust` trusts it", dir))
	}
	b := &box{settings: e.settings.Sandbox, name: dir}
	defer b.Close()
	box, err := b.engine(ctx)
	if err != nil {
		return nil, err
	}
	if box == nil {
		return nil, errors.New("--lint runs programs, and sandbox.engine is none: set it to auto, docker or native")
	}
	rules := policy(e.settings.Sandbox)
	overlay := e.workspace.NewOverlay()
	defer overlay.Close()
	copied, err := overlay.Tree(ctx, rules.Disk)
	if err != nil {
		return nil, err
	}
	tree := agent.SandboxTree(copied)
	var files []string
	for _, f := range copied {
		if only == "" || f.Path == only {
			files = append(files, f.Path)
		}
	}
	var before []sandbox.File
	var had []string
	if j.rev != "" {
		if files, before, had, err = changedSince(e.workspace, j.rev, tree, files); err != nil {
			return nil, err
		}
	}
	run := func(l *lint.Linter, tree []sandbox.File, files []string) (*lint.Report, error) {
		cmd := l.Command(tree, files)
		cmd.Policy = rules
		cmd.Progress = func(line string) { fmt.Fprintln(os.Stderr, "caselsp:", clean(line)) }
		return l.Run(ctx, box, cmd, l.Files(files), gradesOf(e.settings.Lint.Critical))
	}
	found := map[string][]validate.Finding{}
	for _, l := range lint.For(files, tree) {
		report, err := run(l, tree, files)
		if err != nil {
			return nil, err
		}
		if len(report.Findings) > 0 && len(l.Files(had)) > 0 {
			old, err := run(l, before, had)
			if err != nil {
				return nil, err
			}
			report.Findings = validate.Introduced(old.Findings, report.Findings)
		}
		if report.Trouble != "" {
			fmt.Fprintln(os.Stderr, "caselsp:", clean(report.Trouble))
		}
		if report.Scored {
			fmt.Fprintf(os.Stderr, "caselsp: pylint rates %s at %.2f of 10\n", clean(dir), report.Score)
		}
		for _, f := range report.Findings {
			found[f.Path] = append(found[f.Path], f)
		}
	}
	return found, nil
}

// changedSince returns the files that differ from a revision or are new since then,
// the tree with these files as they were, and which of them the revision had.
func changedSince(ws *workspace.Workspace, name string, tree []sandbox.File, files []string) (changed []string, before []sandbox.File, had []string, err error) {
	rev, err := ws.Revision(name)
	if err != nil {
		return nil, nil, nil, err
	}
	before = slices.Clone(tree)
	for i, f := range tree {
		now, _, err := workspace.Decode(f.Data)
		if err != nil || !slices.Contains(files, f.Path) || !lint.Reads(f.Path) {
			continue // linters read text only
		}
		then, ok, err := rev.Text(f.Path, now)
		if err != nil {
			return nil, nil, nil, err
		}
		if !ok || then != now {
			changed = append(changed, f.Path)
		}
		if ok && then != now {
			before[i].Data = []byte(then)
			had = append(had, f.Path)
		}
	}
	return changed, before, had, nil
}

// gradesOf returns the policy for a value of lint.critical.
func gradesOf(critical string) lint.Policy {
	p := lint.DefaultPolicy
	switch critical {
	case "never":
		p.Critical, p.Warning = "", lint.Medium
	case "medium":
		p.Critical, p.Warning = lint.Medium, lint.Low
	case "low":
		p.Critical = lint.Low
	}
	return p
}
