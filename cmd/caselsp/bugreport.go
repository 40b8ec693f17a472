package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"caselsp/agent"

	"github.com/spf13/cobra"
)

const (
	// bugreportLines is how many lines of the log are in a report unless others are asked for: a few tasks, in
	// a file that a person still reads before it is sent.
	bugreportLines = 300

	// bugreportTasks is how many tasks are listed, the newest.
	bugreportTasks = 20

	// endpointChecks are the model and the sandbox, which answer or not: a report is wanted when they do not.
	endpointChecks = 3 * checkTime
)

// bugreportArgs say what is in a report.
type bugreportArgs struct {
	Task  string `json:",omitempty"` // whose recording is added; "": none
	Lines int
}

var writeBugreport = reads("bugreport", func(ctx context.Context, e *engine, s *seat, a bugreportArgs) error {
	text, err := e.bugreport(ctx, a)
	_, failed := io.WriteString(s.out, text)
	return errors.Join(err, failed)
})

func bugreportCommand(w *wiring) *cobra.Command {
	a := bugreportArgs{Lines: bugreportLines}
	var out string
	var yes bool
	cmd := &cobra.Command{
		Use:   "bugreport",
		Short: "Collect what a bug report needs, without secrets, and show it before it is written",
		Long: `Collects versions, settings that are not the default, what "caselsp doctor" says, the newest tasks with their
outcomes, and the end of the log, as one Markdown file. Secrets are cut out, your home folder is written as ~. It has names of
files, texts of tasks and single lines of what was done; parts of files only if --task adds a recording, which has what
the models saw. All of it is shown, then you are asked; nothing is sent anywhere. Where nobody can be asked, it is only
shown, unless --yes is given.`,
		Example: "  caselsp bugreport\n  caselsp bugreport --task last --output report.md",
		Args:    positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := ownSeat()
			to := s.out
			var text bytes.Buffer
			s.out = stream{Writer: &text}
			if err := writeBugreport.at(cmd.Context(), w, s, a); err != nil {
				return err
			}
			if _, err := io.WriteString(to, clean(text.String())); err != nil {
				return err
			}
			return keepBugreport(cmd.Context(), s, out, text.Bytes(), yes)
		},
	}
	cmd.Flags().StringVar(&a.Task, "task", "", "add the recording of this task (or last), with which the task can be replayed")
	cmd.Flags().IntVarP(&a.Lines, "lines", "n", bugreportLines, "how many of the last lines of the log are added")
	cmd.Flags().StringVarP(&out, "output", "o", "", "the file to write; must not exist (default: caselsp-bugreport-TIME.md)")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "write it without asking")
	return cmd
}

// keepBugreport writes a report that was shown, once the user agrees.
func keepBugreport(ctx context.Context, s *seat, out string, text []byte, yes bool) error {
	if out == "" {
		out = "caselsp-bugreport-" + time.Now().Format("20060102-150405") + ".md"
	}
	if !yes && !s.in.tty {
		fmt.Fprintln(s.err, "caselsp: nothing was written: add --yes to write this into a file")
		return nil
	}
	if !yes {
		line, _, err := s.in.behind(fmt.Sprintf("This is the report: %d bytes. Write it to %s? [y/N] > ", len(text), clean(out)))(ctx)
		if word := strings.ToLower(strings.TrimSpace(line)); err != nil || word != "y" && word != "yes" {
			fmt.Fprintln(s.err, "caselsp: nothing was written")
			return nil
		}
	}
	f, err := os.OpenFile(out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "caselsp: written: %s. Nothing was sent: add it to an issue yourself.\n", clean(out))
	return nil
}

// bugreport is the text of a report. What cannot be collected is named in it: a report is made when
// something does not work.
func (e *engine) bugreport(ctx context.Context, a bugreportArgs) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Bug report of caselsp %s\n\nWhat I did:\n\nWhat I expected:\n\nWhat happened:\n", versionText())
	part := func(title string, write func(io.Writer) error) {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			fmt.Fprintf(&text, "(this could not be collected: %s)\n", err)
		}
		b.WriteString(fenced(title, text.String()))
	}
	part("System", func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "caselsp %s, built with %s\n%s/%s, %d processors, TERM=%s, LANG=%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), os.Getenv("TERM"), os.Getenv("LANG"))
		return err
	})
	part("caselsp doctor", func(out io.Writer) error {
		ctx, stop := context.WithTimeout(ctx, endpointChecks)
		defer stop()
		e.examine(ctx, out)
		return nil
	})
	part("Tasks, the newest last", func(out io.Writer) error { return e.listTasks(out, bugreportTasks) })
	part("Log", func(out io.Writer) error {
		log, err := e.store.Log()
		for _, l := range (logFilter{lines: a.Lines, level: "debug"}).of(log) {
			_, _ = io.WriteString(out, l.text)
		}
		return err
	})
	if a.Task != "" {
		id, err := e.named(a.Task)
		if err != nil {
			return "", err
		}
		part("Recording of task "+id+" (caselsp replay)", func(out io.Writer) error { return e.agent.Export(id, out) })
	}
	return withoutHome(e.store.Redact(b.String())), nil
}

// listTasks writes a line for each of the newest tasks.
func (e *engine) listTasks(out io.Writer, most int) error {
	all, err := e.agent.History()
	for _, s := range all[max(0, len(all)-most):] {
		fmt.Fprintf(out, "%s  %s  %s  %s  %s\n", s.Task.ID, s.Started.Format(time.RFC3339), s.Ended(), s.Class.Type, agent.Quote(firstLine(s.Reason)))
	}
	return err
}

// fenced is a part of a Markdown text that shows another text as it is, whatever stands in it.
func fenced(title, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fmt.Sprintf("\n## %s\n\n%s\n%s\n%s\n", title, fence, strings.TrimSuffix(text, "\n"), fence)
}

// withoutHome writes the user's home folder as ~: its name is mostly that of a person.
func withoutHome(text string) string {
	home, err := os.UserHomeDir()
	if err != nil || len(home) < len("/x/y") { // "/root", "/" say nothing of anybody
		return text
	}
	return strings.ReplaceAll(text, home, "~")
}
