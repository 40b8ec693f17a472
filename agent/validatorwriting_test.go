package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/fixcheck"
	"caselsp/agent/llm/llmtest"
	"caselsp/agent/record"
	"caselsp/sandbox"
	"caselsp/store"
)

// writtenScript has a validator written: a fix works after one that did not.
const writtenScript = `
on tars
when # Workspace
times always
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["a.txt"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Files", "description": "Write a.txt.", "test": "check a.txt"}]}
on case
after 0
times always
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "bug\n"}
on case
after 1
times always
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on case
after 2
times always
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "bug again\n"}
on case
after 3
times always
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["a.txt is right"], "analysis": "it was wrong"}
on reflector
when A claimed fix that was wrong
times always
call SUBMIT_VALIDATOR {"name": "is-good", "description": "checks that a.txt is good", "code": "judge()\n"}
on reflector
times always
call SUBMIT_HYPOTHESIS {"cause": "a bug", "fix": "write good into a.txt"}
on case
after 4
times always
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "good\n"}
on case
after 5
times always
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["a.txt is right"], "analysis": "it was still wrong"}
on tars
when # Test results
times always
call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
`

// judging is a sandbox in which a.txt is tested, and a validator accepts claims after which it is good.
type judging struct{}

func (judging) Run(_ context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	r := &sandbox.Result{Status: sandbox.Exited}
	for _, f := range cmd.Tree {
		switch {
		case f.Path == "a.txt" && strings.Contains(string(f.Data), "bug"):
			r.ExitCode, r.Output = 1, "Traceback (most recent call last):\n  File \"a.txt\", line 1, in check\n    bug\nlib.NotGood: a bug\n"
		case f.Path == ".caselsp-claim.json":
			var c fixcheck.Claim
			if err := json.Unmarshal(f.Data, &c); err != nil {
				return nil, err
			}
			verdict := fmt.Sprintf(`{"valid": %v, "reason": "r", "confidence": 0.9}`, strings.Contains(c.FixedCode, "good") && c.FixedCode != c.OriginalCode)
			r.Changes = []sandbox.Change{{Path: ".caselsp-verdict.json", Data: []byte(verdict)}}
		}
	}
	return r, nil
}

// writingBench is a bench whose task has a validator written.
func writingBench(t *testing.T) *bench {
	b := newBench(t, writtenScript, agreeable{})
	b.Sandbox = func(context.Context) (sandbox.Engine, error) { return judging{}, nil }
	b.Validators, b.WriteValidators = func() []fixcheck.Validator { return nil }, true
	return b
}

// finish lets a task run or go on to its end, and returns the generated validators that there are then and how the model's were tried.
func (b *bench) finish(t *testing.T, events func(func(Event, error) bool)) (kept []store.KeptValidator, tries []record.ValidatorTried) {
	t.Helper()
	for _, err := range events {
		if err != nil {
			t.Fatal(err)
		}
	}
	kept, err := b.Store.Memory().KeptValidators()
	if err != nil {
		t.Fatal(err)
	}
	p, err := b.load("t")
	if err != nil {
		t.Fatal(err)
	}
	return kept, p.ValidatorTries
}

// asksForValidators counts the requests for a validator.
func asksForValidators(requests []llmtest.Request) (n int) {
	for _, r := range requests {
		if bytes.Contains(r.Body, []byte("A claimed fix that was wrong")) {
			n++
		}
	}
	return n
}

// TestValidatorFromEveryRecord cuts the journal of a task that has a validator written after every record, as a crash would, and resumes. The
// validator is there in the end, once and whole, and the model is not asked for it again once it has answered: also where the
// process ended between keeping it and recording it, and the user has approved it meanwhile.
func TestValidatorFromEveryRecord(t *testing.T) {
	whole := writingBench(t)
	want, tries := whole.finish(t, whole.Run(t.Context(), record.Task{ID: "t", Text: "write"}))
	if len(want) != 1 || len(tries) != 1 || !tries[0].Trial.Trusted() {
		t.Fatalf("kept: %v, tried: %+v\n%v", want, tries, whole.model.Failures())
	}
	result, calls := whole.result(t, "t"), len(whole.model.Requests())
	records, err := whole.Store.Journal("t").Records()
	if err != nil {
		t.Fatal(err)
	}
	tried := slices.IndexFunc(records, func(r store.Record) bool { return r.Kind == record.KindOf(record.ValidatorTried{}) })
	if tried < 1 || records[tried-1].Kind != record.KindOf(record.CallAnswered{}) {
		t.Fatalf("before the validator was tried: %v", records[tried-1].Kind)
	}
	var approved Generated
	if err := json.Unmarshal(want[0].Text, &approved); err != nil {
		t.Fatal(err)
	}
	approved.Approved = true
	for n := 1; n < len(records); n++ {
		for _, keeps := range []bool{false, true} {
			if keeps != (n > tried) && n != tried { // it is kept right before the record
				continue
			}
			t.Run(fmt.Sprintf("%d_%s_%v", n, records[n-1].Kind, keeps), func(t *testing.T) {
				cut := writingBench(t)
				cut.copyJournal(t, whole, records[:n])
				if keeps {
					text, err := json.Marshal(approved)
					if err == nil {
						err = cut.Store.Memory().KeepValidator(approved.Name, text)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				before, err := cut.load("t")
				if err != nil {
					t.Fatal(err)
				}
				if before.Phase == record.Review {
					return
				}
				kept, tries := cut.finish(t, cut.Resume(t.Context(), "t"))
				if got := cut.result(t, "t"); got != result {
					t.Errorf("the result is\n%s", got)
				}
				if len(kept) != 1 || len(tries) != 1 || !tries[0].Trial.Trusted() {
					t.Errorf("kept: %v, tried: %+v", kept, tries)
				} else if g, err := GeneratedValidator(cut.Store.Memory(), approved.Name); err != nil || g.Approved != keeps || g.Code != approved.Code || !g.Trial.Trusted() {
					t.Errorf("%+v, %v", g, err)
				}
				if again := before.Calls + len(cut.model.Requests()); again > calls+1 {
					t.Errorf("the model was asked %d times, %d without the crash", again, calls)
				}
				if asked := asksForValidators(cut.model.Requests()); n >= tried && asked > 0 {
					t.Errorf("the model has answered, and was asked for a validator %d times more", asked)
				}
			})
		}
	}
}
