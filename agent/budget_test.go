package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"caselsp/agent/llm"
	"caselsp/agent/llm/openai"
	"caselsp/agent/record"
)

// wordy is a model that answers at length, and counts.
const wordy = `
count %[1]s
on tars
when # Workspace
times always
call SUBMIT_PLAN
	{"analysis": "%[2]s", "files_to_create": [], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "F", "description": "D"}]}
on case
after 0
times always
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "%[2]s"}
on case
after 1
times always
call WRITE_FILE {"thought": "t", "path": "b.txt", "content": "%[2]s"}
on case
times always
call FINISH_FEATURE {"thought": "t", "summary": "%[2]s"}
on tars
times always
call SUBMIT_VERDICT {"completion": 100, "summary": "%[2]s", "issues": []}
`

// TestBudgets runs one task with every budget from none that suffices to one that does.
// With a server that heeds the answer's limit no budget is exceeded; with one that does
// not, by one answer at most.
func TestBudgets(t *testing.T) {
	const word = "lorem ipsum dolor "
	answer := strings.Repeat(word, 200) // 900 tokens
	most := len(answer)/4 + 100
	price := llm.Price{Prompt: 10, Completion: 100}
	for _, count := range []string{"", "only"} {
		done, cut := 0, 0
		for tokens := 1000; tokens <= 61000; tokens += 2500 {
			for _, money := range []bool{false, true} {
				b := newBench(t, fmt.Sprintf(wordy, count, answer), agreeable{})
				limit := float64(tokens)
				if money {
					limit = float64(tokens) * price.Prompt / 1e6
					b.Limits.Cost = limit
					b.Options.Model = func(string) (llm.Model, error) {
						return openai.New(openai.Config{BaseURL: b.model.URL, Model: "scripted", Prices: map[string]openai.Price{"scripted": price}})
					}
				} else {
					b.Limits.Tokens = tokens
				}
				over, last := 0.0, Event{}
				for e, err := range b.Run(context.Background(), record.Task{ID: "t", Text: "task"}) {
					if err != nil {
						t.Fatal(err)
					}
					used := float64(e.Status.Usage.Prompt + e.Status.Usage.Completion)
					if money {
						used = e.Status.Usage.Cost
					}
					over, last = max(over, used-limit), e
				}
				allowed := 0.0
				if count == "only" {
					if allowed = float64(most); money {
						allowed = price.Cost(llm.Usage{Completion: most})
					}
				}
				if over > allowed {
					t.Errorf("count %q, limit %v: exceeded by %v, at most %v is right", count, limit, over, allowed)
				}
				switch last.Status.State {
				case record.Review:
					done++
				case record.Paused:
					if strings.Contains(last.Status.Reason, "cut after") || strings.Contains(last.Status.Reason, "the server was asked for") {
						cut++
					}
				default:
					t.Errorf("count %q, limit %v: the task is %s: %s", count, limit, last.Status.State, last.Status.Reason)
				}
			}
		}
		t.Logf("count %q: %d runs were done, in %d an answer met the limit", count, done, cut)
		if done == 0 || cut == 0 {
			t.Errorf("count %q: %d runs were done, and in %d an answer met the limit: the test shows nothing", count, done, cut)
		}
	}
}

// TestWorked checks what counts as the time that a task worked.
func TestWorked(t *testing.T) {
	at := time.Unix(0, 0)
	p := &record.State{}
	seq := int64(0)
	add := func(after time.Duration, body record.Body) {
		at, seq = at.Add(after), seq+1
		p.Apply(seq, at, body)
	}
	add(0, record.TaskGiven{Task: record.Task{ID: "t"}})
	add(time.Second, record.StateChanged{To: record.Planning})
	add(time.Second, record.CallSent{})
	add(3*time.Second, record.CallAnswered{})
	add(time.Second, record.Asked{Question: record.Question{ID: "q1", Subject: record.Input{}}})
	add(time.Hour, record.Answered{ID: "q1"}) // the user thinks
	add(time.Second, record.StateChanged{To: record.Paused})
	add(time.Hour, record.StateChanged{To: record.Planning}) // paused
	add(time.Second, record.CallSent{})
	add(time.Hour, record.CallFailed{Lost: true}) // killed in a call
	add(time.Second, record.MemoryRecalled{})
	add(time.Hour, record.Continued{}) // killed elsewhere
	add(-time.Hour, record.MemoryRecalled{})
	if want := 9 * time.Second; p.Worked != want {
		t.Errorf("worked %s, want %s", p.Worked, want)
	}
}

// TestCommandTime checks that a command gets no more time than the task has left.
func TestCommandTime(t *testing.T) {
	for _, c := range []struct{ limit, worked, most, want time.Duration }{
		{0, time.Hour, time.Minute, time.Minute},
		{time.Hour, 0, time.Minute, time.Minute},
		{10 * time.Minute, 8 * time.Minute, 5 * time.Minute, 2 * time.Minute},
		{10 * time.Minute, 10 * time.Minute, 5 * time.Minute, time.Second}, // it does not come to that: the task pauses
	} {
		r := &run{a: &Agent{Options: Options{Limits: record.Limits{Time: c.limit}}}, state: &record.State{}}
		r.state.Worked = c.worked
		if got := r.commandTime(c.most); got != c.want {
			t.Errorf("of %s, %s worked: a command gets %s, want %s", c.limit, c.worked, got, c.want)
		}
		if spent := r.inTime() != nil; spent != (c.limit > 0 && c.worked >= c.limit) {
			t.Errorf("of %s, %s worked: over is %v", c.limit, c.worked, spent)
		}
	}
}

// TestStoppedBetweenTries stops a task while it waits to ask a busy server again: what that has refused
// counts in no budget.
func TestStoppedBetweenTries(t *testing.T) {
	b := newBench(t, "on tars\ntimes always\nstatus 429\n", agreeable{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.Options.Model = func(string) (llm.Model, error) {
		return openai.New(openai.Config{BaseURL: b.model.URL, Model: "scripted", Sleep: func(ctx context.Context, _ time.Duration) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}})
	}
	var failed []record.CallFailed
	var last Event
	for e, err := range b.Run(ctx, record.Task{ID: "t", Text: "task"}) {
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := e.Body.(record.CallFailed); ok {
			failed = append(failed, f)
		}
		last = e
	}
	if last.Status.State != record.Stopped || len(failed) != 1 || len(b.model.Requests()) != 1 {
		t.Fatalf("the task is %s after %d failed calls and %d requests", last.Status.State, len(failed), len(b.model.Requests()))
	}
	if failed[0].Usage != (llm.Usage{}) || last.Status.Usage != (llm.Usage{}) {
		t.Errorf("the call counts %+v, the task %+v", failed[0].Usage, last.Status.Usage)
	}
}
