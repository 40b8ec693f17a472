package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"caselsp/agent"
	"caselsp/agent/fixcheck"
	"caselsp/sandbox"

	"github.com/spf13/cobra"
)

func fixcheckTest(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME|FOLDER [CLAIM.json...]",
		Short: "Run a validator in the sandbox on its sample claims",
		Long: `Runs a validator on claims, in the sandbox as the agent does, and says for each whether its verdict is right. Claims
in files whose names begin with "good" must be valid, those in files whose names begin with "bad" must be invalid,
with at least the confidence of the manifest's threshold; of others the verdict is shown. Without
claims, those beside the manifest are used; a validator that a model has written has none. The exit code is 13 where a verdict is wrong.`,
		Example: "  caselsp fixcheck test missing-key\n  caselsp fixcheck test ./my-validators/missing-key\n  caselsp fixcheck test missing-key bad-2.json",
		Args:    positional(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := w.fixEngine()
			if err != nil {
				return err
			}
			defer e.Close()
			t := trial{in: cmd.InOrStdin(), out: os.Stdout}
			if t.list, t.dir, err = e.validatorsOf(args[0]); errors.Is(err, errNoFolder) {
				if t.list = w.generatedNamed(args[0]); t.list != nil && len(args) == 1 {
					return fmt.Errorf("a model has written %s, and it has no samples: name a claim, as in `caselsp fixcheck test %s claim.json`. In an editor, caselsp.validators tries it on the claims of this workspace's tasks", args[0], args[0])
				} else if t.list != nil {
					err = nil
				}
			}
			if err != nil {
				return err
			}
			if t.samples = args[1:]; len(t.samples) == 0 {
				if t.samples, err = samplesIn(t.dir); err != nil {
					return err
				}
			}
			if t.engine, err = e.fixBox(cmd.Context()); err != nil {
				return err
			}
			if err := t.run(cmd.Context()); err != nil {
				return err
			}
			if t.wrong > 0 {
				return &exitError{code: exitInvalid}
			}
			return nil
		},
	}
}

// errNoFolder says that no folder has a validator of a name.
var errNoFolder = errors.New("there is no validator")

// generatedNamed is the validator of a name that a model has written; nil where there is none.
func (w *wiring) generatedNamed(name string) []fixcheck.Validator {
	m, err := w.memory()
	if err != nil {
		return nil
	}
	defer m.Close()
	g, err := agent.GeneratedValidator(m, name)
	if err != nil {
		return nil
	}
	v, err := g.Validator()
	if err != nil {
		return nil
	}
	return []fixcheck.Validator{v}
}

// validatorsOf returns the validators of a folder, or the one of a name with its folder.
func (e *engine) validatorsOf(arg string) ([]fixcheck.Validator, string, error) {
	if info, err := os.Stat(arg); err == nil && info.IsDir() && (strings.ContainsRune(arg, filepath.Separator) || !fixcheck.ValidName(arg) || arg == ".") {
		return e.validatorsIn(arg)
	}
	if !fixcheck.ValidName(arg) {
		return nil, "", fmt.Errorf("%s is neither a folder nor the name of a validator", arg)
	}
	if above, err := userValidators(); err == nil {
		if info, err := os.Stat(filepath.Join(above, arg)); err == nil && info.IsDir() {
			return e.validatorsIn(filepath.Join(above, arg))
		}
	}
	found := e.findValidators()
	i := slices.IndexFunc(found.list, func(v fixcheck.Validator) bool { return v.Name == arg })
	if i < 0 {
		return nil, "", fmt.Errorf("%w %s: `caselsp fixcheck list` shows all; a folder is written with a slash, such as ./%s", errNoFolder, arg, arg)
	}
	return found.list[i : i+1], filepath.Dir(found.list[i].Where), nil
}

// validatorsIn returns the validators of a folder. One of a workspace that is not trusted is not run, not even in the sandbox.
func (e *engine) validatorsIn(dir string) ([]fixcheck.Validator, string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs) // a link is as trusted as what it leads to
	}
	if err != nil {
		return nil, "", err
	}
	if root, _, below := strings.Cut(abs+"/", "/"+workspaceValidators+"/"); below {
		if untrusted, err := e.trust.Untrusted(root); err != nil || len(untrusted) > 0 {
			return nil, "", errors.Join(err, fmt.Errorf("%s is not trusted: its validators are not run. `caselsp trust %s` trusts it", root, root))
		}
	}
	f := &validatorFolder{root: abs, below: ".", origin: fixcheck.User}
	f.refresh()
	if len(f.list) == 0 && len(f.problems) == 0 {
		return nil, "", fmt.Errorf("%s has no validator: there is no manifest (*.yaml) in it", dir)
	}
	return f.list, abs, errors.Join(f.problems...)
}

// tryValidator runs a validator of a folder on its samples, for an editor, and returns what the command prints.
func (e *engine) tryValidator(ctx context.Context, name string) (string, error) {
	found := e.findValidators()
	i := slices.IndexFunc(found.list, func(v fixcheck.Validator) bool { return v.Name == name })
	if i < 0 {
		return "", fmt.Errorf("there is no validator %s in a folder: `caselsp fixcheck list` shows all", name)
	}
	var out strings.Builder
	t := trial{out: &out, list: found.list[i : i+1], dir: filepath.Dir(found.list[i].Where)}
	var err error
	if t.samples, err = samplesIn(t.dir); err != nil {
		return "", err
	}
	if t.engine, err = e.agent.Sandbox(ctx); err == nil && t.engine == nil {
		err = errNoFixBox
	}
	if err == nil {
		err = t.run(ctx)
	}
	return out.String(), err
}

// validatorProblems are why validators of folders are left out, for an editor.
func (e *engine) validatorProblems() (list []string) {
	for _, p := range e.findValidators().told() {
		list = append(list, p.Problem)
	}
	return list
}

// samplesIn returns the sample claims of a folder.
func samplesIn(dir string) (samples []string, err error) {
	for _, kind := range []string{"good*.json", "bad*.json"} {
		found, err := filepath.Glob(filepath.Join(quoteGlob(dir), kind))
		if err != nil {
			return nil, err
		}
		samples = append(samples, found...)
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("%s has no sample claims: write good.json and bad.json, or name a claim", dir)
	}
	return samples, nil
}

// quoteGlob is a folder as a pattern that matches it alone.
func quoteGlob(dir string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(dir)
}

// trial runs validators on samples.
type trial struct {
	in      io.Reader
	out     io.Writer
	engine  sandbox.Engine
	list    []fixcheck.Validator
	dir     string
	samples []string
	wrong   int
}

// run runs them on all samples.
func (t *trial) run(ctx context.Context) error {
	for _, file := range t.samples {
		if err := t.file(ctx, file); err != nil {
			return err
		}
	}
	return nil
}

// file runs them on the claims of a file.
func (t *trial) file(ctx context.Context, file string) error {
	claims, err := readClaims(t.in, file)
	if err != nil {
		return err
	}
	for i, c := range claims {
		name := filepath.Base(file)
		if len(claims) > 1 {
			name = fmt.Sprintf("%s, claim %d", name, i+1)
		}
		matching := fixcheck.Match(t.list, c)
		if len(matching) == 0 {
			t.tell(false, name, "it does not run for this claim: neither error_type nor error_message has one of its validates_error_type, or its tags name another language")
			continue
		}
		verdicts, err := fixcheck.Run(ctx, t.engine, matching, c)
		if err != nil {
			return err
		}
		for _, v := range verdicts {
			t.verdict(name, v)
		}
	}
	return nil
}

// verdict says whether a verdict is as the name of its sample has it.
func (t *trial) verdict(name string, v fixcheck.Verdict) {
	said := v
	said.Shown = false // what would be sent back, were it not for auto_apply
	text := verdictText(said)
	if len(t.list) > 1 {
		text = v.Validator + ": " + text
	}
	switch {
	case v.Trouble != "":
		t.tell(false, name, text)
	case strings.HasPrefix(name, "good"):
		t.tell(v.Valid, name, text)
	case strings.HasPrefix(name, "bad"):
		t.tell(said.Refuses(), name, text)
	default:
		fmt.Fprintf(t.out, "      %s: %s\n", clean(name), clean(text))
	}
}

func (t *trial) tell(ok bool, name, text string) {
	word := "ok   "
	if !ok {
		t.wrong++
		word = "wrong"
	}
	fmt.Fprintf(t.out, "%s %s: %s\n", word, clean(name), clean(text))
}
