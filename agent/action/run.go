package action

import (
	_ "embed" // the texts for the model
	"fmt"
	"strings"
	"unicode/utf8"

	"caselsp/agent/shell"
	"caselsp/sandbox"
)

//go:embed run.md
var runText string

// RunCommand runs a command line in the sandbox, on a private copy of the staged tree.
type RunCommand struct {
	Command string   `json:"command"`
	Secrets []string `json:"secrets,omitempty" doc:"Names such as API_TOKEN: in its environment, and as {{ API_TOKEN }} in the line; never shown."`
}

// RunCommandVerb is the verb whose arguments are RunCommand.
var RunCommandVerb = register[RunCommand](RunCommandName, Runs, runText)

// maxCommand is the longest command line that is taken: longer ones hide things from the person who approves them.
const maxCommand = 4 << 10

// Check implements Args.
func (a RunCommand) Check() error {
	var wrong faults
	wrong.blank("command", a.Command, "give a shell command line")
	if len(a.Command) > maxCommand {
		wrong.add("command", "command has %d bytes; at most %d are taken: write a script file and run it", len(a.Command), maxCommand)
	}
	if err := shell.Legible(a.Command); err != nil {
		wrong.add("command", "%s: remove it; what a program must get can be spelled with its own escapes", err)
	}
	if len(a.Secrets) > maxSecrets {
		wrong.add("secrets", "the command asks for %d secrets; at most %d are given to one", len(a.Secrets), maxSecrets)
	}
	for _, name := range a.Secrets {
		wrong.note("secrets", CheckSecret(name))
	}
	return wrong.err()
}

// Reads implements Reach.
func (a RunCommand) Reads() []Place {
	if len(a.Secrets) == 0 {
		return []Place{Files("")}
	}
	return []Place{Files(""), Secrets{Names: a.Secrets, Line: a.Command}}
}

// Changes implements Reach: what the command writes is staged.
func (RunCommand) Changes() []Place { return []Place{Files("")} }

// Hosts implements Reach.
func (RunCommand) Hosts() []Host { return []Host{SandboxHosts} }

const (
	outputHead = 4 << 10  // bytes of a command's output that a model sees of its beginning: what was run
	outputTail = 12 << 10 // and of its end: test runners sum up there
)

// Output renders a command's result for a model: what it wrote is quoted.
func Output(line string, r *sandbox.Result) Said {
	return Said{Text: outcome(line, r), Mark: MarkOutput, Quote: headAndTail(r.Output), More: "\n" + aftermath(r)}
}

// outcome says how a command ended.
func outcome(line string, r *sandbox.Result) string {
	if r.Status == sandbox.Exited {
		return fmt.Sprintf("$ %s\nexit code %d\n", line, r.ExitCode)
	}
	return fmt.Sprintf("$ %s\nended: %s\n", line, r.Status)
}

// aftermath says what a command changed and what it could not do.
func aftermath(r *sandbox.Result) string {
	var b strings.Builder
	if r.Cut > 0 {
		fmt.Fprintf(&b, "%d bytes of output were cut from the middle.\n", r.Cut)
	}
	if r.Advice != "" {
		fmt.Fprintf(&b, "The sandbox lacks something, which only the user can change: %s.\n", r.Advice)
	}
	for _, c := range r.Changes {
		if c.Deleted {
			fmt.Fprintf(&b, "The command deleted %s (staged).\n", c.Path)
		} else {
			fmt.Fprintf(&b, "The command wrote %s (staged).\n", c.Path)
		}
	}
	for _, c := range r.Network {
		if c.Refused != "" {
			fmt.Fprintf(&b, "Network: %s:%d: %s\n", c.Host, c.Port, c.Refused)
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "Not taken over: %s\n", s)
	}
	return b.String()
}

// headAndTail keeps the two ends of a long text, cut at line ends, and says what is missing.
func headAndTail(s string) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	if len(s) > 0 && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	if len(s) <= outputHead+outputTail {
		return s
	}
	head := strings.ToValidUTF8(s[:outputHead], "")
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	tail := strings.ToValidUTF8(s[len(s)-outputTail:], "")
	if i := strings.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	return fmt.Sprintf("%s[%d bytes left out]\n%s", head, len(s)-len(head)-len(tail), tail)
}
