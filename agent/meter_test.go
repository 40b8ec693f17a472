package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"caselsp/agent/llm"
	"caselsp/agent/record"
)

// meter is a model that passes requests on and measures what was sent: how much of it
// repeats the beginning of an earlier request of the same conversation, as the caches of
// providers do, and how much is said twice.
type meter struct {
	model   func(string) (llm.Model, error)
	state   func() (feature int, compacted int)
	sent    []metered
	texts   []*llm.Request // the requests themselves
	verbose func(req *llm.Request)
}

// metered is one request, measured.
type metered struct {
	conversation string
	messages     int
	bytes, again int // of messages and tools; again: those that begin an earlier request, too
	twice        int // bytes of file and result text that stand in the request before
	parts        bool
	compacted    bool
}

// Complete implements llm.Model.
func (m *meter) Complete(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	model, err := m.model(req.Role)
	if err != nil {
		return nil, err
	}
	m.measure(req)
	return model.Complete(ctx, req)
}

// conversationOf names whom a request asks for what, by the tool that only this role has.
func conversationOf(req *llm.Request) string {
	for _, t := range req.Tools {
		switch t.Name {
		case "SUBMIT_PLAN":
			return "plan"
		case "SUBMIT_VERDICT":
			return "verify"
		case "SUBMIT_HYPOTHESIS":
			return "reflector"
		case "SUBMIT_TESTS":
			return "tester"
		case "SUBMIT_ADVICE":
			return "advice"
		}
	}
	return "case"
}

func (m *meter) measure(req *llm.Request) {
	feature, compacted := m.state()
	now := metered{conversation: fmt.Sprintf("%s %d", conversationOf(req), feature), messages: len(req.Messages), twice: saidTwice(req), compacted: compacted > 0}
	tools, text := wire(req.Tools), wire(req.Messages)
	now.bytes = len(tools) + len(text)
	for i, old := range m.texts {
		if !bytes.Equal(wire(old.Tools), tools) {
			continue
		}
		before := wire(old.Messages)
		same := prefix(before, text)
		now.again = max(now.again, len(tools)+same)
		if m.sent[i].conversation == now.conversation {
			now.parts = same < len(before)-1 // but for the bracket at its end
		}
	}
	if strings.HasPrefix(now.conversation, "advice") {
		now.parts = false // each question is one of its own
	}
	m.sent, m.texts = append(m.sent, now), append(m.texts, &llm.Request{Messages: append([]llm.Message(nil), req.Messages...), Tools: req.Tools})
	if m.verbose != nil {
		m.verbose(req)
	}
}

func wire(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func prefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// runLength is how long a run of text is that must not stand in a request twice.
const runLength = 300

// lineNumber is what a reading puts before a line.
var lineNumber = regexp.MustCompile(`(?m)^ *\d+  `)

// saidTwice counts the bytes of runs of file and result text that stand in the request
// before. Which numbers lines have does not count, that they have some does; nor does what the model
// wrote.
func saidTwice(req *llm.Request) int {
	var all strings.Builder
	for _, msg := range req.Messages {
		if msg.Speaker == llm.User || msg.Speaker == llm.ToolReply {
			all.WriteString(lineNumber.ReplaceAllString(msg.Content, "# ") + "\x00")
		}
	}
	text, twice, counted := all.String(), 0, 0
	seen := map[string]int{}
	for i := 0; i+runLength <= len(text); i++ {
		run := text[i : i+runLength]
		if first, ok := seen[run]; ok && first+runLength <= i && !strings.Contains(run, "\x00") {
			twice += i + runLength - max(counted, i)
			counted = i + runLength
		} else if !ok {
			seen[run] = i
		}
	}
	return twice
}

// told are the runs that stand in a request twice, for a failure's message.
func told(req *llm.Request) (runs []string) {
	var all strings.Builder
	for _, msg := range req.Messages {
		if msg.Speaker == llm.User || msg.Speaker == llm.ToolReply {
			all.WriteString(lineNumber.ReplaceAllString(msg.Content, "# ") + "\x00")
		}
	}
	text, end := all.String(), 0
	seen := map[string]bool{}
	for i := 0; i+runLength <= len(text); i++ {
		run := text[i : i+runLength]
		if seen[run] && i >= end && !strings.Contains(run, "\x00") {
			runs, end = append(runs, run), i+runLength
		}
		seen[run] = true
	}
	return runs
}

// row sums a run up. long and longAgain are the bytes of conversations of longTalk requests and more.
type row struct {
	requests, bytes, again, twice, parted, compacted int

	long, longAgain int
}

// longTalk is from how many requests on a conversation has to repeat itself well.
const longTalk = 15

func (m *meter) row() (r row) {
	count := map[string]int{}
	for _, s := range m.sent {
		count[s.conversation]++
	}
	for _, s := range m.sent {
		if count[s.conversation] >= longTalk {
			r.long, r.longAgain = r.long+s.bytes, r.longAgain+s.again
		}
		r.requests++
		r.bytes += s.bytes
		r.again += s.again
		r.twice += s.twice
		if s.parts && !s.compacted {
			r.parted++
		}
		if s.compacted {
			r.compacted++
		}
	}
	return r
}

func (r row) String() string {
	long := "-"
	if r.long > 0 {
		long = fmt.Sprintf("%.1f%%", 100*float64(r.longAgain)/float64(r.long))
	}
	return fmt.Sprintf("%8d %9d %6.1f%% %6s %6d %6d %9d", r.requests, r.bytes, 100*float64(r.again)/float64(max(r.bytes, 1)), long, r.twice, r.parted, r.compacted)
}

// watch follows a run for the meter: which feature is worked on, and what was compacted
// since the last request.
func (m *meter) watch() func(Event) {
	feature, compacted := 0, 0
	m.state = func() (int, int) { n := compacted; compacted = 0; return feature, n }
	return func(e Event) {
		switch b := e.Body.(type) {
		case record.StateChanged:
			feature = b.Feature
		case record.Compacted:
			compacted++
		}
	}
}
