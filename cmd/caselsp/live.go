package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/cmd/caselsp/screen"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

// liveView is what a person sees of a task while it works, below what is printed. It is data, because the task may be
// worked on in another process than the one at whose terminal the person sits: that one knows its size.
type liveView struct {
	Status   string       // in one line
	State    record.Phase // what is done
	Feature  int          // from 1; 0: none is worked on
	Features int
	Title    string // of the feature, with a model's words marked
	Attempt  int
	Round    int
	Rounds   int    // the limit
	Step     int    // of this round
	Who      string // does it; "" where it is said in Doing, or nobody in particular does
	Doing    string // what is being done now
	Running  string // the command that is running, quoted
	Writing  int    // bytes of the model's present answer so far
	Tokens   int
	Cost     float64 // in US dollars
	Begun    time.Time
	Since    time.Time // when what is being done now began
}

// roleNames are the agents, in words.
var roleNames = map[string]string{
	record.RoleTars: "TARS", record.RoleCase: "CASE", record.RoleTester: "the tester", record.RoleWriter: "the tester", record.RoleReflector: "the reflector",
}

// now says who does what from now on.
func (v *liveView) now(who, doing, running string) {
	v.Who, v.Doing, v.Running, v.Since = who, doing, running, time.Now()
}

// take brings the view to an event.
func (v *liveView) take(e agent.Event) {
	s := e.Status
	v.Status, v.State, v.Title, v.Attempt, v.Round, v.Rounds, v.Step = s.String(), s.State, s.Title, s.Attempt, s.Round, s.Rounds, s.Step
	v.Feature, v.Features = s.Feature, s.Features
	if s.Task.Single { // it is not planned, and its only feature is the task
		v.Feature, v.Title = 0, agent.Quote(firstLine(s.Task.Text))
	}
	v.Tokens, v.Cost, v.Writing = s.Usage.Prompt+s.Usage.Completion, s.Usage.Cost, 0
	switch b := e.Body.(type) {
	case record.CallSent:
		v.now(roleNames[b.Role], "waits for the model", "")
	case record.ActionChosen:
		v.now(roleNames[b.Role], b.Action+after(" ", subjectOf(b.Args)), "")
	case record.CommandStarted:
		v.now("", "running "+b.Brief(), b.Brief())
	case record.CommandEnded, record.ActionDone, record.StateChanged:
		v.now("", "", "")
	}
}

// subjects are the arguments of actions that say what one is about, the first that is given.
var subjects = []string{"path", "pattern", "query", "symbol"}

// subjectOf is what an action is about, quoted; "" where its arguments do not say it in a word. What a command is says the
// line that is running.
func subjectOf(args json.RawMessage) string {
	var given map[string]any
	if json.Unmarshal(args, &given) != nil {
		return ""
	}
	for _, name := range subjects {
		if text, _ := given[name].(string); text != "" {
			return agent.Quote(firstLine(text))
		}
	}
	return ""
}

// stopping says that a signal has ended what this process does: what is done is being saved.
var stopping atomic.Bool

// A terminal that is smaller shows the view in one row.
const (
	leastWidth  = 40 // columns: the rows would say nothing
	leastHeight = 10 // rows: the view would take half of what there is to read
)

// promptRoom is how many columns the status leaves to what is typed behind it: a word or two, before the row is full.
const promptRoom = 24

// promptMark stands before what is typed.
const promptMark = "› "

// What can be typed while a task works, and while a thread is answered.
const (
	taskHint   = "a message to the task, Enter sends it"
	threadHint = "your next message"
	chatHint   = "a message · Alt+Enter: new line · Ctrl+D: leave"
)

// live are the styles of a view. Colours are the sixteen that every terminal has, in the tones that its user has chosen.
var live = func() (s struct{ rule, doing, faint lipgloss.Style }) {
	r := lipgloss.NewRenderer(io.Discard) // no terminal is asked what it can do
	r.SetColorProfile(termenv.ANSI)
	s.rule = r.NewStyle().Foreground(lipgloss.Color("6"))
	s.doing = r.NewStyle().Bold(true)
	s.faint = r.NewStyle().Faint(true)
	return s
}()

// stateColors are the colours of what is done; what is not among them has that of the rule.
var stateColors = map[record.Phase]string{record.Coding: "2", record.Testing: "3", record.Extending: "3", record.Reflecting: "5", record.Verifying: "4"}

// full is the view in rows: what is done and on which feature, how far it is, and what it took.
func (v *liveView) full(width int, now time.Time) screen.Frame {
	state := live.rule.Bold(true)
	if color := stateColors[v.State]; color != "" {
		state = state.Foreground(lipgloss.Color(color))
	}
	top := live.rule.Render("── ") + state.Render(rowText(string(v.State)))
	if v.Feature > 0 {
		top += fmt.Sprintf(" · feature %d of %d", v.Feature, v.Features)
	}
	if v.Title != "" {
		top += " · " + rowText(v.Title)
	}
	top = ansi.Truncate(top, width-4, "…")
	top += " " + live.rule.Render(strings.Repeat("─", max(0, width-2-ansi.StringWidth(top))))
	hint := taskHint
	if v.State == record.Answering {
		hint = threadHint
	}
	return screen.Frame{
		Rows:   []string{top, "   " + strings.Join(v.place(now), " · "), "   " + live.faint.Render(strings.Join(v.spent(now), " · "))},
		Prompt: promptMark, Hint: live.faint.Render(hint),
	}
}

// place says how far the feature is, and what is being done.
func (v *liveView) place(now time.Time) (parts []string) {
	if stopping.Load() {
		return []string{live.doing.Render("stopping: what is done is being saved. Ctrl+C again leaves at once")}
	}
	if v.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("attempt %d", v.Attempt))
	}
	if v.Round > 0 {
		parts = append(parts, fmt.Sprintf("round %d of %d", v.Round, v.Rounds))
	}
	if v.Step > 0 {
		parts = append(parts, fmt.Sprintf("step %d", v.Step))
	}
	doing := v.Doing
	if v.Writing > 0 {
		doing = fmt.Sprintf("writes, %s bytes", thousands(v.Writing))
	}
	if doing == "" {
		doing = "works"
	}
	if v.Who != "" {
		doing = v.Who + " " + doing
	}
	since := v.Since
	if since.IsZero() { // nobody has said yet what is being done
		since = v.Begun
	}
	return append(parts, live.doing.Render(rowText(doing)), seconds(now.Sub(since)))
}

// spent says what the task took so far.
func (v *liveView) spent(now time.Time) []string {
	parts := []string{thousands(v.Tokens) + " tokens"}
	if v.Cost > 0 {
		parts = append(parts, fmt.Sprintf("$%.3f", v.Cost))
	}
	parts = append(parts, seconds(now.Sub(v.Begun)))
	if !stopping.Load() {
		parts = append(parts, "Ctrl+C stops and saves")
	}
	return parts
}

// compact is the view in one row, before what is typed.
func (v *liveView) compact(width int, typing bool, now time.Time) screen.Frame {
	text := seconds(now.Sub(v.Begun))
	if v.Writing > 0 {
		text += fmt.Sprintf(" · writing, %d bytes", v.Writing)
	}
	switch {
	case stopping.Load():
		text += " · stopping"
	case v.Running != "":
		text += " · running " + v.Running // first: a narrow terminal cuts the end
	}
	text += fmt.Sprintf(" · %s · %d tokens", v.Status, v.Tokens)
	if v.Cost > 0 {
		text += fmt.Sprintf(" · $%.3f", v.Cost)
	}
	if text = rowText(text); !typing {
		return screen.Frame{Rows: []string{text}}
	}
	return screen.Frame{Prompt: ansi.Truncate(text, max(1, width-promptRoom), "…") + " " + promptMark}
}

// rowText makes a text safe to show in a row.
func rowText(text string) string {
	return strings.Join(strings.Fields(clean(firstLine(text))), " ")
}

// seconds is a time in words.
func seconds(d time.Duration) string { return max(d, 0).Round(time.Second).String() }

// thousands is a number with commas.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
