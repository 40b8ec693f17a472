package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"

	"github.com/spf13/cobra"
)

const shellLong = `Prints the verdict on a command line that the agent wants to run: allow (it runs), ask (you are asked)
or deny (it never runs), with the reason, and what an approval would cover, as a task that has changed
nothing yet would get it. Nothing is run. The settings of the workspace apply: commands.allow, commands.ask, commands.deny, commands.packages and
sandbox.hosts.

--explain adds every command in the line: its verdict, the rule or the setting that decided, and what
it can touch. With --batch each line of standard input is an object {"id": ..., "command": "..."}, and
is answered by one {"id", "verdict", "reason", "shape"}; any other line is answered by {"id", "error"},
with the id where one can be read.

The exit code is 0 when every line was judged, whatever the verdict, and 1 when one was not.`

func shellCommand(w *wiring) *cobra.Command {
	var batch, asJSON, explain bool
	cmd := &cobra.Command{
		Use:   "shell [COMMAND]",
		Short: "Say whether a command line would run, be asked for or be denied, and why",
		Long:  shellLong,
		Example: `  caselsp shell 'git push --force'
  caselsp shell --explain 'cd app && pytest -q | tail -3; make docs'`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case batch && (len(args) > 0 || explain):
				return usage(errors.New("--batch takes neither COMMAND nor --explain: the commands come from standard input"))
			case !batch && len(args) == 0:
				return usage(errors.New("which command? Put it in quotes: caselsp shell 'git status | head'"))
			}
			j, err := w.newJudge()
			if err != nil {
				return err
			}
			defer j.Close()
			if batch {
				return shellBatch(os.Stdin, os.Stdout, j)
			}
			v := j.verdict(args[0])
			if !explain {
				v.Parts = nil
			}
			if asJSON {
				return encoder(os.Stdout).Encode(answerOf(v))
			}
			return printVerdict(os.Stdout, v)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&asJSON, "json", false, "one JSON object")
	flags.BoolVar(&explain, "explain", false, "also judge every command in the line by itself")
	flags.BoolVar(&batch, "batch", false, "judge the commands on standard input, one JSON object a line")
	return cmd
}

// judge gives the verdicts that a new task in a workspace would get.
type judge struct {
	policy    shell.Policy // what the settings of the workspace say about commands
	workspace *workspace.Workspace
	permit    *permit.Permit
}

func (w *wiring) newJudge() (*judge, error) {
	ws, err := workspace.Open(w.dir)
	if err != nil {
		return nil, err
	}
	e := &engine{workspace: ws}
	e.configure(w, nil)
	p := e.commands()
	e.tellProblems(ownSeat())
	return &judge{p, ws, &permit.Permit{State: &record.State{}, Overlay: ws.NewOverlay(), Workspace: ws, Approvals: &permit.Approvals{Commands: p}}}, nil
}

// Close closes the workspace.
func (j *judge) Close() {
	j.permit.Overlay.Close()
	j.workspace.Close()
}

// verdict returns the verdict on a line, with that on each command in it.
func (j *judge) verdict(line string) shell.Verdict {
	v := shell.Explain(line, j.policy)
	if v.Decision == shell.Allow && !v.ReadOnly {
		why := j.permit.Obeyed(line, v)
		if why == "" {
			why = j.permit.Replaced(line, v)
		}
		if why != "" {
			v.Decision, v.Reason, v.Shape = shell.Ask, why, ""
		}
	}
	return v
}

// shellAnswer is a verdict as JSON.
type shellAnswer struct {
	ID          json.RawMessage `json:"id,omitempty"`
	Verdict     shell.Decision  `json:"verdict"`
	Reason      string          `json:"reason"`
	Shape       string          `json:"shape"` // "": asked for every time
	Alternative string          `json:"alternative,omitempty"`
	Touches     []string        `json:"touches,omitempty"`
	Packages    []string        `json:"packages,omitempty"`
	Rests       []shell.Rest    `json:"rests,omitempty"` // what of the user's own files it runs
	Task        bool            `json:"task,omitempty"`  // it may be allowed for a task
	Parts       []shell.Part    `json:"parts,omitempty"`
}

func answerOf(v shell.Verdict) shellAnswer {
	return shellAnswer{Verdict: v.Decision, Reason: v.Reason, Shape: v.Shape, Alternative: v.Alternative,
		Touches: v.Touches, Packages: v.Packages, Parts: v.Parts, Rests: v.Rests, Task: v.Task && v.Decision == shell.Ask}
}

func encoder(out io.Writer) *json.Encoder {
	enc := newEncoder(out)
	enc.SetEscapeHTML(false)
	return enc
}

// printVerdict writes a verdict for a person.
func printVerdict(out io.Writer, v shell.Verdict) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", v.Decision, v.Reason)
	tell := func(what, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-12s %s\n", what, text)
		}
	}
	tell("instead", v.Alternative)
	tell("it", strings.Join(v.Touches, "; "))
	tell("adds", strings.Join(v.Packages, ", "))
	if v.Decision == shell.Ask {
		tell("approval", orText(v.Shape, "every time"))
		if v.Task {
			tell("for a task", "yes, this line while the files that it names stay the same")
		}
	}
	tell("as long as", rested(v.Rests))
	for _, p := range v.Parts {
		fmt.Fprintf(&b, "\n%s\n  %s: %s\n", p.Command, p.Decision, orText(p.Reason, "it is allowed."))
		tell("decided by", p.Rule)
		tell("it", strings.Join(p.Touches, "; "))
	}
	_, err := io.WriteString(out, clean(b.String()))
	return err
}

// rested names what an allowed line rests on.
func rested(list []shell.Rest) string {
	var names []string
	for _, r := range list {
		name := r.Manifest
		if r.Entry != "" {
			name += " (" + r.Entry + ")"
		}
		names = append(names, name)
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0] + " is as in your files"
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " are as in your files"
	}
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// shellBatch answers every line of in with one of out, in their order, at once.
func shellBatch(in io.Reader, out io.Writer, j *judge) error {
	r := bufio.NewReaderSize(in, 1<<16)
	w := bufio.NewWriter(out)
	enc := encoder(w)
	bad := 0
	for {
		line, err := readLine(r)
		if len(bytes.TrimSpace(line)) > 0 {
			answer, ok := shellLine(line, j)
			if !ok {
				bad++
			}
			if err := enc.Encode(answer); err != nil {
				return err
			}
		}
		if r.Buffered() == 0 || err != nil {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF && bad > 0:
			return fmt.Errorf("%d lines could not be judged: each must be an object with id and command", bad)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// shellLine judges one line of --batch's input.
func shellLine(line []byte, j *judge) (answer any, ok bool) {
	var ask struct {
		ID      json.RawMessage
		Command *string
	}
	err := json.Unmarshal(line, &ask)
	switch {
	case len(line) > maxBatchLine:
		err = fmt.Errorf("it is longer than %d bytes", maxBatchLine)
	case err == nil && ask.Command == nil:
		err = errors.New(`it has no "command"`)
	case errors.As(err, new(*json.UnmarshalTypeError)): // its text names Go types
		err = errors.New(`it is not an object with "id" and a text as "command"`)
	}
	id := ask.ID
	if !json.Valid(id) {
		id = json.RawMessage("null")
	}
	if err != nil {
		return struct {
			ID    json.RawMessage `json:"id"`
			Error string          `json:"error"`
		}{id, "The line cannot be judged: " + err.Error() + "."}, false
	}
	a := answerOf(j.verdict(*ask.Command))
	a.ID, a.Touches, a.Packages, a.Parts, a.Rests, a.Task = id, nil, nil, nil, nil, false
	return a, true
}
