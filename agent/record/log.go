package record

import (
	"cmp"
	"encoding/json"
	"strings"

	"caselsp/agent/quote"
)

// LogLine is the work log's line for one step: what was done, with the model's words about that,
// and what the model thought.
type LogLine struct {
	step, what     string
	words, thought quote.Words
}

// String is the line for people: what the model says is marked.
func (l LogLine) String() string { return l.line(l.words.After(l.begins()), l.thought.String()) }

// Plain is the line for a model.
func (l LogLine) Plain() string { return l.line(l.words.PlainAfter(l.begins()), l.thought.Plain()) }

func (l LogLine) begins() string { return l.step + ": " + l.what }

func (LogLine) line(what, thought string) string {
	return strings.TrimSuffix(what+" — "+thought, " — ")
}

// logLine is the line of a step that is done.
func logLine(c *Pending, b ActionDone) LogLine {
	l := LogLine{what: b.Note, words: b.Words, thought: quote.Words(FirstLine(c.Thought))}
	if l.what == "" {
		l.what = c.Action
	}
	if !b.OK {
		l.what, l.words = c.Action+" refused or failed: "+FirstLine(FirstSaid(b.Text)), ""
		if c.Result != nil && b.Note != "" { // a command that ran: how it ended, and why
			l.what = c.Action + " failed: " + FirstLine(b.Note)
		}
	}
	l.step = c.name()
	return l
}

// Taken is an action in the work on a feature, for people.
type Taken struct {
	Round           int
	Step            int // of the round; 0: it costs no step
	Action, Thought string
	File, Command   string // that it is about; "" for none
}

// take notes the pending action where a feature is worked on.
func (p *State) take() {
	f := p.Feature()
	if f == nil || f.Attempt == 0 || p.Phase == Planning {
		return
	}
	c := p.Pending
	f.Taken = append(f.Taken, Taken{Round: f.Round, Step: c.at.step, Action: c.Action, Thought: FirstLine(c.Thought), File: FileOf(c.Args), Command: CommandOf(c.Args)})
}

// FileOf is the file that an action is about, by its arguments; "" for none.
func FileOf(args json.RawMessage) string {
	var a struct{ Path, File string }
	_ = json.Unmarshal(args, &a) // an action without a path has none
	return cmp.Or(a.Path, a.File)
}

// FirstLine cuts a text to its first line, and that to a length fit for a list.
func FirstLine(s string) string {
	const most = 200
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// FirstSaid is the first line of what an action said, for people: without a last sentence that announces what only the
// model is shown ("Numbered lines are the file, the others were asked for:").
func FirstSaid(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if i := strings.LastIndex(s, ". "); i > 0 && strings.HasSuffix(s, ":") {
		return s[:i+1]
	}
	return s
}
