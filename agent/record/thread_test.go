package record

import (
	"strings"
	"testing"
	"time"

	"caselsp/agent/action"
	"caselsp/agent/llm"
)

// fold applies bodies to a state, as a journal has them.
func fold(t *testing.T, p *State, bodies ...Body) {
	t.Helper()
	for _, b := range bodies {
		p.Apply(p.Seq+1, time.Unix(p.Seq, 0), b)
	}
}

func called(name, args string) CallAnswered {
	return CallAnswered{Role: RoleTars, Response: llm.Response{ToolCalls: []llm.ToolCall{{ID: "c", Name: name, Arguments: args}}}}
}

// TestThread folds a thread: its conversation goes on over answers, restarts and tasks.
func TestThread(t *testing.T) {
	p := &State{}
	fold(t, p, GivenTask(Task{ID: "chat-a", Text: "why?", Typed: "why?", Thread: "a"}), StateChanged{To: Answering})
	if !p.Thread.Settled() || p.Unagreed() == "" {
		t.Fatal("a thread without a message has nothing to answer, and nothing to be handed over")
	}
	fold(t, p, Message{Text: "why?"}, FilesShown{Opens: true, Text: "the workspace"}, called(action.AnswerName, `{"text":"so."}`))
	if p.Thread.Settled() {
		t.Fatal("an answer that was not looked at settles nothing")
	}
	fold(t, p, Replied{Text: "so."}, StateChanged{To: Idle})
	if !p.Thread.Settled() || p.Phase != Idle || p.Reply != "so." || len(p.Turns) != 3 {
		t.Fatalf("settled %v, phase %s, reply %q, %d turns", p.Thread.Settled(), p.Phase, p.Reply, len(p.Turns))
	}
	// The next message goes on with the conversation, and counts anew.
	fold(t, p, StateChanged{To: Answering, Reason: "resumed"}, Message{Text: "and @a?", Quote: "a.go"})
	if !p.Opened || len(p.Turns) != 4 || p.Exchanges != 0 || p.Reply != "" {
		t.Errorf("opened %v, %d turns, %d exchanges, reply %q", p.Opened, len(p.Turns), p.Exchanges, p.Reply)
	}
	if why := p.Unagreed(); !strings.Contains(why, "files were read") {
		t.Errorf("a message that names files is no agreement: %q", why)
	}
	// Each message has the budgets of its own.
	fold(t, p, CallAnswered{Response: llm.Response{Usage: llm.Usage{Prompt: 10, Completion: 1}}})
	if got := p.Spent(); got.Prompt != 10 || got.Completion != 1 {
		t.Errorf("spent: %+v", got)
	}
	// It was stopped; what is written next is told with it.
	fold(t, p, StateChanged{To: Stopped}, StateChanged{To: Answering}, Message{Text: "yes"})
	if why := p.Unagreed(); why != "" {
		t.Errorf("an agreement: %s", why)
	}
	if got := p.Spent(); got.Prompt != 0 || p.Usage.Prompt != 10 {
		t.Errorf("spent since the message: %+v of %+v", got, p.Usage)
	}
	fold(t, p, called(action.HandOverName, `{"task":"do"}`), HandedOver{Task: "1", Text: "do", Typed: "yes"}, StateChanged{To: Idle})
	if h := p.Thread.LastHanded(); h == nil || h.Task != "1" || len(p.Thread.Open()) != 0 || p.Thread.Answered() || !p.Thread.Settled() {
		t.Errorf("handed over: %+v", p.Thread)
	}
	// Shortened, both sides of it are kept, and what is left out is said.
	fold(t, p, StateChanged{To: Answering}, Message{Text: strings.Repeat("long ", 400)}, Compacted{Turns: len(p.Turns) + 1})
	lines := strings.Join(p.SaidLines(), "\n")
	for _, want := range []string{"The user said: why?", "You answered: so.", "handed over to the task 1", "bytes left out]"} {
		if !strings.Contains(lines, want) {
			t.Errorf("shortened, it lacks %q:\n%s", want, lines)
		}
	}
}

// TestThreadInterrupted folds a message behind calls that were not looked at: they are not run.
func TestThreadInterrupted(t *testing.T) {
	p := &State{}
	fold(t, p, GivenTask(Task{ID: "chat-a", Text: "why?", Thread: "a"}), StateChanged{To: Answering}, Message{Text: "why?"},
		called(action.GetFullFileContent, `{"path":"a"}`), StateChanged{To: Stopped}, StateChanged{To: Answering}, Message{Text: "or how?"})
	if n := len(p.Turns); n != 3 || !p.Turns[1].Unrun || p.Answer != nil || p.Thread.Settled() {
		t.Errorf("%d turns: %+v", n, p.Turns)
	}
}

func TestCheckThread(t *testing.T) {
	for name, ok := range map[string]bool{
		"main": true, "release-1.2_x": true, "größe": true,
		"": false, "a/b": false, `a\b`: false, "..": false, ".a": false, "a b": false, "a\n": false, "x:y": false,
		strings.Repeat("a", maxThread): true, strings.Repeat("a", maxThread+1): false,
	} {
		if err := CheckThread(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
