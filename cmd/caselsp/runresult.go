package main

import (
	"context"
	"io"
	"time"

	"caselsp/agent/llm"
	"caselsp/agent/record"
)

// runResult is the last line of `run --json` and `resume --json`: how the command ended, for programs that do not
// follow the events. Fields may be added; none is renamed or removed.
type runResult struct {
	Kind     string          `json:"kind"`               // Result
	Task     string          `json:"task,omitempty"`     // its id; "" where none began
	State    record.Phase    `json:"state,omitempty"`    // of the task now
	Outcome  string          `json:"outcome,omitempty"`  // of the work: success, partial, failed or answered; "" while it is not over
	Reason   string          `json:"reason,omitempty"`   // of the state
	Error    string          `json:"error,omitempty"`    // of the command
	ExitCode int             `json:"exit_code"`          // see `caselsp help exit-codes`
	Seconds  float64         `json:"seconds,omitempty"`  // from the task's beginning to its last record
	Usage    llm.Usage       `json:"usage"`              // of the whole task: prompt, cached, completion (tokens), cost (US dollars), estimated
	Features featureCounts   `json:"features"`           // how many were planned, and how many failed, whose work is kept, not verified
	Files    []fileJSON      `json:"files"`              // of the result, decided or not, as `review --json` has them
	Untested []string        `json:"untested,omitempty"` // why features that are done were not tested
	Answer   string          `json:"answer,omitempty"`   // to a question
	Question *resultQuestion `json:"question,omitempty"` // that is open: its text, and choices where it has some
}

type featureCounts struct {
	Planned int `json:"planned"`
	Failed  int `json:"failed"` // whose work is kept, not verified
}

type resultQuestion struct {
	Text    string   `json:"text"`
	Choices []string `json:"choices,omitempty"`
}

// writeResult writes the last line of a run. err is what the command ends with.
func (e *engine) writeResult(ctx context.Context, out io.Writer, id string, err error) error {
	r := runResult{Kind: "Result", Task: id, Files: []fileJSON{}}
	r.ExitCode, r.Error = ending(ctx, err)
	if id == "" {
		return newEncoder(out).Encode(r)
	}
	s, failed := e.agent.Status(id)
	if failed != nil {
		return failed
	}
	r.State, r.Outcome, r.Reason, r.Usage, r.Untested, r.Answer = s.State, s.Outcome, s.Reason, s.Usage, s.Untested, s.Reply.Plain()
	r.Seconds = s.Changed.Sub(s.Started).Round(time.Millisecond).Seconds()
	r.Features = featureCounts{s.Features, len(s.Kept)}
	if q := s.Open; q != nil {
		about, _ := q.Subject.(record.Input)
		r.Question = &resultQuestion{q.Whole(), about.Choices}
	}
	if rev, failed := e.agent.Review(id); failed == nil { // else there is no result: Reason and Error say why
		r.Files = filesJSON(rev.Files)
	}
	return newEncoder(out).Encode(r)
}
