package main

import (
	"fmt"
	"io"
	"strings"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/shell"
)

// maxEnding is how many lines of what models say are shown at the end of a task: more would push
// the rest off the screen, and the report has it.
const maxEnding = 40

// showEnding shows what a task took, how its tests went, and what the models say of the result
// where a line had no room for it. Without took, the summary at the end says what it took.
func (e *engine) showEnding(out io.Writer, last record.Status, took bool) {
	s, err := e.agent.Summary(last.Task.ID)
	if err != nil {
		return // the run has said what is wrong with the journal, or its next reader will
	}
	p := plain{out: out}
	for _, said := range s.Said {
		of := "in"
		if said.Feature != "" {
			of = said.Feature + ", in"
		}
		p.line("%s the words of the model:", of)
		p.words(said.Words.Plain())
	}
	for _, line := range s.Lines {
		if took {
			p.line("%s", line)
		}
	}
}

// words shows what a model says, marked line by line, up to a number of lines.
func (p plain) words(text string) {
	lines := strings.SplitAfter(agent.QuoteLines(text, quoteMark), "\n")
	if n := len(lines) - 1 - maxEnding; n > 0 {
		lines = append(lines[:maxEnding:maxEnding], fmt.Sprintf("  (%d more lines stand in the report)\n", n))
	}
	fmt.Fprint(p.out, strings.Join(lines, ""))
}

// reportHint is the command line that shows the report of the last task.
func (e *engine) reportHint() string {
	if e.dir == "" || e.dir == "." {
		return "caselsp history last"
	}
	return "caselsp history --dir " + clean(shell.Word(e.dir)) + " last"
}
