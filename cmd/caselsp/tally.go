package main

import (
	"fmt"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/workspace"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// changeWords are what became of a file, in words of one width.
var changeWords = map[workspace.Op]string{workspace.Create: "new    ", workspace.Modify: "changed", workspace.Delete: "deleted", workspace.Rename: "renamed"}

// showSummary shows at the end of a run, on a terminal with colours, what came of it: its files, what it took, its tests.
func (e *engine) showSummary(out stream, id string) {
	now, err := e.agent.Status(id)
	if err != nil {
		return // the run has said what is wrong with the journal, or its next reader will
	}
	color := live.rule.Bold(true)
	switch {
	case now.State == record.Succeeded:
		color = color.Foreground(lipgloss.Color("2"))
	case now.State.Ended():
		color = color.Foreground(lipgloss.Color("1"))
	}
	p := plain{out: out, color: out.color}
	title, files := string(now.State)+" · no file changed", []review.File(nil)
	if rev, err := e.agent.Review(id); err == nil && len(rev.Files) > 0 {
		files = rev.Files
		title = string(now.State) + " · " + count.Of(len(files), "file")
	}
	fmt.Fprintf(out, "\n%s %s %s\n", live.rule.Render("──"), color.Render(title), live.rule.Render("──"))
	width := 0
	for _, f := range files {
		width = max(width, ansi.StringWidth(rowText(describe(f.Change))))
	}
	for _, f := range files {
		name := rowText(describe(f.Change))
		text := "   " + changeWords[f.Change.Op] + "  " + name + strings.Repeat(" ", width-ansi.StringWidth(name)+1)
		added, removed := lineCounts(f.Change)
		if added > 0 {
			text += " " + p.styled(green, fmt.Sprintf("+%d", added))
		}
		if removed > 0 {
			text += " " + p.styled(red, fmt.Sprintf("-%d", removed))
		}
		fmt.Fprintf(out, "%s  %s\n", text, live.faint.Render(f.Standing()))
	}
	if s, err := e.agent.Summary(id); err == nil {
		for _, line := range s.Lines {
			p.line("   %s", line)
		}
	}
}

// lineCounts are how many lines a change adds and removes.
func lineCounts(c workspace.Change) (added, removed int) {
	head := true // of the diff: the names of the file
	for line := range strings.Lines(c.Unified()) {
		switch {
		case strings.HasPrefix(line, "@@"):
			head = false
		case head:
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return added, removed
}
