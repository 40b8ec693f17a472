package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"caselsp/agent"
	"caselsp/agent/llm/openai"
	"caselsp/sandbox"

	"github.com/spf13/cobra"
)

// checkTime bounds each of the doctor's looks outside: a server that takes
// longer is as good as down for a person who waits.
const checkTime = 10 * time.Second

func doctorCommand(w *wiring) *cobra.Command {
	var build bool
	var base string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings, the model, the sandbox and the store, and say what to do",
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := w.open([]string{w.dir}, nil, agent.Headless{}, nil, nil)
			if err != nil {
				return err
			}
			defer e.Close()
			if build {
				return e.buildImage(cmd.Context(), base)
			}
			if !e.examine(cmd.Context(), os.Stdout) {
				return &exitError{code: exitError1}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&build, "build-image", false, "build the sandbox's image")
	cmd.Flags().StringVar(&base, "base", "", "the image to build it on (default: the recipe's own)")
	return cmd
}

// examine writes one line for each part and reports whether all are well.
func (e *engine) examine(ctx context.Context, out io.Writer) bool {
	well := true
	tell := func(part string, err error, good string) {
		if err == nil {
			fmt.Fprintf(out, "ok    %-10s %s\n", part, good)
			return
		}
		well = false
		fmt.Fprintf(out, "WRONG %-10s %s\n", part, clean(err.Error()))
	}
	fmt.Fprintf(out, "caselsp %s\n", versionText())
	tell("settings", joined(e.problems), "all settings are understood")
	for _, r := range e.workspace.Roots() {
		tell("workspace", nil, r.Dir)
	}
	_, err := e.agent.History()
	tell("store", err, "readable")
	tell("model", e.checkModel(ctx), e.settings.Model.Name)
	tell("sandbox", e.checkSandbox(ctx), "commands run in "+e.settings.Sandbox.Engine)
	return well
}

// joined makes one error of a list of problems; nil for none.
func joined[P fmt.Stringer](problems []P) error {
	if len(problems) == 0 {
		return nil
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return errors.New(strings.Join(lines, "; "))
}

func (e *engine) checkModel(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	return openai.Check(ctx, (&models{settings: e.settings.Model, keys: e.keys}).config(e.settings.Model))
}

func (e *engine) checkSandbox(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	b := &box{settings: e.settings.Sandbox}
	defer b.Close()
	engine, err := b.engine(ctx)
	if err == nil && engine == nil {
		return errors.New("sandbox.engine is none: no command and no test is run")
	}
	return err
}

func (e *engine) buildImage(ctx context.Context, base string) error {
	d, err := sandbox.Docker(ctx, sandbox.DockerOptions{Image: e.settings.Sandbox.Image})
	if err != nil {
		return err
	}
	defer d.Close()
	return d.BuildImage(ctx, base, func(line string) { fmt.Println(clean(line)) })
}
