package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"caselsp/agent"
	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
	"caselsp/agent/workspace"

	"github.com/spf13/cobra"
)

const validateLong = `Checks files with the validators: syntax, HTML, CSS, JavaScript, accessibility, performance, names
that one file uses and another should define, Django and Jinja templates, safety and secrets. A folder
is checked as one project, without dependencies and files that git ignores; a file that is named is
checked by itself. --diff REV leaves out findings that the revision already had. --lint also runs
linters in the sandbox. --explain RULE prints the documentation of a rule, --explain all that of every
rule. See "caselsp help validators".`

// A run takes seconds and keeps the trees of few files, so its heap is small. Garbage
// is collected only when the heap is five times what is in use; otherwise collection
// takes a tenth of the time. A project of tens of thousands of files is collected
// more often, from a heap size that build machines have.
const (
	garbagePercent = 400
	ampleHeap      = 512 << 20 // bytes
)

// judging is one run of the command.
type judging struct {
	suite  validate.Suite
	least  validate.Severity
	rev    string
	format string
	found  []judged
	files  int // how many were judged
	lint   bool
	silent unjudged
}

// judged are the findings of one file.
type judged struct {
	name  string // as it is shown: relative to the folder that the command runs in
	text  string
	found []validate.Finding
}

func validateCommand(w *wiring) *cobra.Command {
	j := &judging{}
	var least, explain string
	cmd := &cobra.Command{
		Use:   "validate [PATH...]",
		Short: "Check files and projects with the validators, for people and for CI",
		Long:  validateLong,
		Example: `  caselsp validate .
  caselsp validate --diff main --min-severity warning
  caselsp validate --format sarif . >findings.sarif`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if explain != "" {
				return explainRule(os.Stdout, explain)
			}
			if !slices.Contains(validate.Severities, validate.Severity(least)) {
				return usage(fmt.Errorf("--min-severity %s: must be critical, warning or info", least))
			}
			write := validateFormats[j.format]
			if write == nil {
				return usage(fmt.Errorf("--format %s: must be text, json, sarif or github", j.format))
			}
			j.least = validate.Severity(least)
			if len(args) == 0 {
				args = []string{w.dir}
			}
			for _, arg := range args {
				if err := j.silent.skip(arg, j.path(cmd.Context(), w, arg)); err != nil {
					return err
				}
			}
			if err := j.silent.all(j.files); err != nil {
				return err
			}
			if err := write(os.Stdout, j); err != nil {
				return err
			}
			return j.exit()
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&j.format, "format", "text", "text, json, sarif or github")
	flags.StringVar(&least, "min-severity", "info", "the lowest severity that is shown and counted: critical, warning or info")
	flags.StringVar(&j.rev, "diff", "", "show only what changed files introduce since this git revision")
	flags.BoolVar(&j.lint, "lint", false, "also run pylint, Bandit, ESLint, go vet and gosec in the sandbox, and mypy, black and Prettier where the project uses them")
	flags.StringVar(&explain, "explain", "", "print a rule's documentation and nothing else")
	return cmd
}

func explainRule(out io.Writer, id string) error {
	text := rules.Default().Explain(id)
	if id == "all" {
		text = rules.Default().Docs()
	}
	if text == "" {
		return usage(fmt.Errorf("there is no rule %s: `caselsp validate --explain all` lists them", id))
	}
	_, err := io.WriteString(out, text)
	return err
}

// exit returns the exit code, by the highest severity that is shown.
func (j *judging) exit() error {
	code := exitOK
	for _, f := range j.found {
		for _, x := range f.found {
			switch {
			case x.Severity == validate.Critical:
				return &exitError{code: exitCritical}
			case x.Severity == validate.Warning:
				code = exitWarnings
			}
		}
	}
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

// path judges a folder as one project, or a file by itself.
func (j *judging) path(ctx context.Context, w *wiring, arg string) error {
	info, err := os.Stat(arg)
	if err != nil {
		return err
	}
	dir, only := arg, ""
	if !info.IsDir() {
		dir, only = filepath.Dir(arg), filepath.Base(arg)
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	defer ws.Close()
	e := &engine{workspace: ws}
	e.configure(w, nil)
	for _, p := range e.problems {
		fmt.Fprintln(os.Stderr, "caselsp:", clean(p.String()))
	}
	suite, err := rules.Default().Configure(e.settings.Validate.Rules)
	if err != nil {
		fmt.Fprintln(os.Stderr, "caselsp:", clean(err.Error()))
	}
	j.suite = suite
	var linted map[string][]validate.Finding
	if j.lint {
		if linted, err = j.linted(ctx, e, dir, only); err != nil {
			return err
		}
	}
	shown := func(file string) string { return filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(file))) }
	if only != "" {
		return j.alone(ws, only, shown(only), linted[only])
	}
	return j.project(ctx, ws, shown, linted)
}

// alone judges one file.
func (j *judging) alone(ws *workspace.Workspace, file, shown string, linted []validate.Finding) error {
	f, err := ws.Read(file)
	if err != nil {
		return err
	}
	found := j.suite.Check(file, f.Text)
	if j.rev != "" {
		rev, err := ws.Revision(j.rev)
		if err != nil {
			return err
		}
		before, _, err := rev.Text(file, f.Text)
		if err != nil {
			return err
		}
		found = validate.Introduced(j.suite.Check(file, before), found)
	}
	j.files++
	j.silent.count(file)
	j.keep(shown, f.Text, slices.Concat(found, linted))
	return nil
}

func (j *judging) keep(shown, text string, found []validate.Finding) {
	found = slices.DeleteFunc(slices.Clone(found), func(f validate.Finding) bool {
		return slices.Index(validate.Severities, f.Severity) > slices.Index(validate.Severities, j.least)
	})
	slices.SortStableFunc(found, func(a, b validate.Finding) int { return a.Start.Offset - b.Start.Offset })
	if len(found) > 0 {
		j.found = append(j.found, judged{shown, text, found})
	}
}

// project judges a folder.
func (j *judging) project(ctx context.Context, ws *workspace.Workspace, shown func(string) string, linted map[string][]validate.Finding) error {
	debug.SetGCPercent(garbagePercent)
	debug.SetMemoryLimit(ampleHeap)
	in, err := agent.InspectWhole(ctx, ws, j.suite)
	if err != nil {
		return err
	}
	files := in.Paths()
	j.silent.count(in.All()...)
	if err := j.misnamed(ctx, ws, shown); err != nil {
		return err
	}
	found, texts := in.Judge(ctx, files), map[string]string{}
	for _, file := range files {
		texts[file], _ = in.Text(file)
	}
	if j.rev != "" {
		if err := rewind(ctx, ws, j.rev, in.Project, texts); err != nil {
			return err
		}
		before := in.Judge(ctx, files)
		for file, list := range found {
			found[file] = validate.Introduced(before[file], list)
		}
	}
	for _, file := range files {
		j.files++
		j.keep(shown(file), texts[file], slices.Concat(found[file], linted[file]))
	}
	return ctx.Err()
}

// misnamed takes note of what is not judged because its name is refused.
func (j *judging) misnamed(ctx context.Context, ws *workspace.Workspace, shown func(string) string) error {
	o := ws.NewOverlay()
	defer o.Close()
	list, err := o.Misnamed(ctx)
	for _, file := range slices.Sorted(maps.Keys(list)) {
		if err := j.silent.skip(shown(file), list[file]); err != nil {
			return err
		}
	}
	return err
}

// rewind sets the project to the files of a revision; texts are its present files.
func rewind(ctx context.Context, ws *workspace.Workspace, name string, project *validate.Project, texts map[string]string) error {
	rev, err := ws.Revision(name)
	if err != nil {
		return err
	}
	for file, now := range texts {
		text, ok, err := rev.Text(file, now)
		switch {
		case err != nil:
			return err
		case ok:
			project.Set(file, text)
		default:
			project.Remove(file)
		}
	}
	files, err := rev.Files(ctx)
	if err != nil {
		return err
	}
	for _, file := range files {
		if _, ok := texts[file]; ok {
			continue
		}
		if text, ok, err := rev.Text(file, ""); err == nil && ok {
			project.Set(file, text)
		} else {
			project.SetAsset(file)
		}
	}
	return nil
}
