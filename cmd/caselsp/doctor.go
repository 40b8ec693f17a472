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
	"time"

	"caselsp/agent/settings"
	"caselsp/sandbox"

	"github.com/spf13/cobra"
)

// checkTime bounds each of the doctor's checks of a server or an engine: a person
// waits for the result.
const checkTime = 10 * time.Second

// doctorArguments are those of the doctor's examination of everything.
type doctorArguments struct {
	Ask bool // the models, too, which costs tokens
}

var examineAll = reads("doctor", func(ctx context.Context, e *engine, s *seat, a doctorArguments) error {
	if s.away {
		fmt.Fprintf(s.out, "note  %-10s this is what process %d says, which has this workspace open: it has the settings and the environment with which it started (in an editor, restart caselsp's server after a change)\n", "process", os.Getpid())
	}
	well := e.examine(ctx, s.out)
	if a.Ask {
		well = e.askModels(ctx, s.out) && well
	}
	if !well {
		return &exitError{code: exitError1}
	}
	return nil
})

func doctorCommand(w *wiring) *cobra.Command {
	var build bool
	var arguments doctorArguments
	var base, editor string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings, the model, the sandbox and the store, and say what to do",
		Long: `Writes a line for each part: ok, WRONG with what to do, none for something that is not
there and not needed, or note. The exit code is 1 when a part is WRONG. What a model's
server says of its window and its tools is shown where servers say it.`,
		Example: "  caselsp doctor\n  caselsp doctor --ask           # have each model make one tool call, which costs some tokens\n  caselsp doctor --editor helix  # check how an editor is set up\n  caselsp doctor --build-image   # build the sandbox's images now",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if editor != "" {
				well, err := examineEditor(os.Stdout, editor, w.dir)
				if err == nil && !well {
					err = &exitError{code: exitError1}
				}
				return err
			}
			if build {
				return buildImages(cmd.Context(), base)
			}
			return examineAll.run(cmd.Context(), w, arguments)
		},
	}
	cmd.Flags().StringVar(&editor, "editor", "", "check how this editor is set up: "+editorNames())
	cmd.Flags().BoolVar(&arguments.Ask, "ask", false, "ask each model for one tool call, too, which costs some tokens")
	cmd.Flags().BoolVar(&build, "build-image", false, "build the sandbox's images now; otherwise built on first use")
	cmd.Flags().StringVar(&base, "base", "", "the base image for the sandbox images (default: that of the bundled Dockerfile)")
	return cmd
}

// examine writes one line for each part and reports whether all are in order.
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
	tell("settings", joined(slices.DeleteFunc(slices.Clone(e.problems), func(p settings.Problem) bool { return p.Quiet })), "all settings are understood")
	e.examineSettings(out)
	for _, r := range e.workspace.Roots() {
		tell("workspace", nil, r.Dir)
	}
	untrusted, err := e.agent.Untrusted()
	if err == nil && len(untrusted) > 0 {
		err = fmt.Errorf("%s is not trusted, so caselsp only reads there: `caselsp trust` changes that", strings.Join(untrusted, ", "))
	}
	tell("trust", err, "the workspace is trusted")
	_, err = e.agent.History()
	tell("store", err, "readable")
	well = e.examineModels(ctx, out) && well
	well = e.examineMemory(ctx, out) && well
	well = e.examineSandbox(ctx, out) && well
	return well
}

// joined combines problems into one error; nil for none.
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

// examineSettings writes a line for each setting that is not the default, and for each
// that an editor has set and that does not count.
func (e *engine) examineSettings(out io.Writer) {
	if e.folder != "" {
		file := filepath.Join(e.folder, settings.UserFile)
		if _, err := os.Stat(file); err == nil {
			fmt.Fprintf(out, "ok    %-10s %s, your own\n", "file", clean(file))
		} else {
			fmt.Fprintf(out, "none  %-10s %s, your own, would be read if it were there\n", "file", clean(file))
		}
	}
	if e.rewritten() {
		fmt.Fprintf(out, "note  %-10s a file of settings has changed since it was read: it is read anew when no task is under way, or when the server is restarted"+
			" (VS Code: \"CASE: Restart the server\"; Neovim: `:Case restart`; Emacs: `M-x caselsp-restart`)\n", "settings")
	}
	for _, s := range e.sources {
		fmt.Fprintf(out, "set   %-10s %s\n", "", clean(s.String()))
	}
	for _, p := range e.problems {
		if p.Quiet {
			fmt.Fprintf(out, "note  %-10s %s\n", "settings", clean(p.String()))
		}
	}
	if e.foreign {
		return // what waits is among the problems
	}
	waiting, err := e.trust.Waiting(e.dirs()...)
	if err != nil {
		fmt.Fprintf(out, "WRONG %-10s %s\n", "settings", clean(err.Error()))
	}
	for _, v := range waiting {
		fmt.Fprintf(out, "note  %-10s %s: %s (from %s) is not used: %s\n", "settings", clean(v.Setting), clean(v.Value), clean(v.From), settings.AdviseConfirm)
	}
}

// awaited says of a model that cannot be asked that another one waits to be confirmed.
func (e *engine) awaited(err error) error {
	if err == nil {
		return nil
	}
	values, failed := e.trust.Waiting(e.dirs()...)
	if failed != nil {
		return errors.Join(err, failed)
	}
	for _, v := range values {
		if (settings.Value{Setting: v.Setting, Text: v.Value}).Routes() {
			return fmt.Errorf("the model server that your editor has set waits to be confirmed (%s): %s; without it: %w", v.Value, settings.AdviseConfirm, err)
		}
	}
	return err
}

// examineSandbox writes a line for each engine and for what it has, and reports
// whether the engine of the settings, or any with `auto`, runs commands. A missing
// engine that is not needed is not wrong.
func (e *engine) examineSandbox(ctx context.Context, out io.Writer) bool {
	sandbox.SweepNative()
	wanted := e.settings.Sandbox.Engine
	if wanted == "none" {
		fmt.Fprintf(out, "WRONG %-10s %s\n", "sandbox", "sandbox.engine is none: no command and no test runs")
		return false
	}
	engines := []string{"docker", "native"}
	boxes, errs := make(map[string]*box), make(map[string]error)
	chosen := ""
	for _, name := range engines {
		b := &box{settings: e.settings.Sandbox}
		b.settings.Engine = name
		defer b.Close()
		boxes[name], errs[name] = b, b.check(ctx)
		if errs[name] == nil && chosen == "" && (wanted == name || wanted == "auto") {
			chosen = name
		}
	}
	for _, name := range engines {
		state, text := "ok   ", "commands can run in it"
		switch err := errs[name]; {
		case name == chosen:
			text = "commands run in it (sandbox.engine is " + wanted + ")"
		case err != nil && chosen == "" && (wanted == name || wanted == "auto"):
			state, text = "WRONG", clean(err.Error())
		case err != nil:
			state, text = "none ", clean(err.Error())
		}
		fmt.Fprintf(out, "%s %-10s %s\n", state, name, text)
		if errs[name] == nil {
			boxes[name].examine(ctx, out)
		}
	}
	return chosen != ""
}

// check reports, as an error, why commands cannot run.
func (b *box) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	_, err := b.engine(ctx)
	return err
}

// examine writes a line for each kind of project: whether its Docker image is built,
// and which of its tools this machine has for the native sandbox. Missing ones are
// not an error, because no project needs them all.
func (b *box) examine(ctx context.Context, out io.Writer) {
	var err error
	if b.docker != nil {
		var images []sandbox.Image
		images, err = b.docker.Images(ctx)
		for _, i := range images {
			if i.Built.IsZero() {
				fmt.Fprintf(out, "none  %-10s %s: its image is built on first use, in one to three minutes; `caselsp doctor --build-image` builds it now\n", "docker", i.Profile)
			} else {
				fmt.Fprintf(out, "ok    %-10s %s: image %s, built %s ago, %d MB\n", "docker", i.Profile, i.Tag, age(time.Since(i.Built)), i.Size/1e6)
			}
		}
	}
	if b.docker != nil && err == nil {
		var older []sandbox.Image
		older, err = b.docker.OlderImages(ctx)
		if n := len(older); n > 0 {
			fmt.Fprintf(out, "note  %-10s %d image(s) of other versions of caselsp; `docker image rm` removes them:", "docker", n)
			for _, i := range older {
				fmt.Fprint(out, " "+i.Tag)
			}
			fmt.Fprintln(out)
		}
	}
	if b.native != nil {
		var sets []sandbox.Toolset
		sets, err = b.native.Tools(ctx)
		for _, s := range sets {
			if s.Has != nil {
				fmt.Fprintf(out, "ok    %-10s %s: %s\n", "native", s.Profile, strings.Join(s.Has, ", "))
			}
			if s.Lacks != nil {
				fmt.Fprintf(out, "none  %-10s %s: %s\n", "native", s.Profile, clean(s.Advice))
			}
		}
	}
	if err != nil {
		fmt.Fprintf(out, "WRONG %-10s %s\n", "sandbox", clean(err.Error()))
	}
}

// age writes a duration in words.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	n, unit := int(d/day), "day"
	switch {
	case d < time.Hour:
		n, unit = int(d/time.Minute), "minute"
	case d < 2*day:
		n, unit = int(d/time.Hour), "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

func buildImages(ctx context.Context, base string) error {
	d, err := sandbox.Docker(ctx, sandbox.DockerOptions{})
	if err != nil {
		return err
	}
	defer d.Close()
	for _, p := range sandbox.Profiles {
		if err := d.BuildImage(ctx, p, base, func(line string) { fmt.Println(clean(line)) }); err != nil {
			return err
		}
	}
	return nil
}
