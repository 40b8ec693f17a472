package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"caselsp/agent/lint"
	"caselsp/agent/validate"
	"caselsp/sandbox"
)

// linted runs the linters on a folder, or on one file of it, and returns what
// they find by file. A linter that cannot judge says so on standard error: its
// silence must not be taken for praise.
func (j *judging) linted(ctx context.Context, e *engine, dir, only string) (map[string][]validate.Finding, error) {
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
	var tree []sandbox.File
	var files []string
	for _, f := range copied {
		tree = append(tree, sandbox.File{Path: f.Path, Mode: f.Mode, Data: f.Data})
		if only == "" || f.Path == only {
			files = append(files, f.Path)
		}
	}
	found := map[string][]validate.Finding{}
	for _, l := range lint.For(files, tree) {
		cmd := l.Command(tree, files)
		cmd.Policy = rules
		cmd.Progress = func(line string) { fmt.Fprintln(os.Stderr, "caselsp:", line) }
		report, err := l.Run(ctx, box, cmd, l.Files(files), gradesOf(e.settings.Lint.Critical))
		if err != nil {
			return nil, err
		}
		if report.Trouble != "" {
			fmt.Fprintln(os.Stderr, "caselsp:", report.Trouble)
		}
		if report.Scored {
			fmt.Fprintf(os.Stderr, "caselsp: pylint rates %s at %.2f of 10\n", dir, report.Score)
		}
		for _, f := range report.Findings {
			found[f.Path] = append(found[f.Path], f)
		}
	}
	return found, nil
}

// gradesOf is what lint.critical says.
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
