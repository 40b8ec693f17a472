package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/record"
	"caselsp/store"
)

// chatScript answers four questions about a guide in a window so small that the conversation is
// shortened.
func chatScript() string {
	script := `count only
on tars
when fourth question
times always
want The user said: first question
want You answered: answer 1
want answer 3
want # Workspace
call ANSWER {"text": "answer 4"}
`
	reads := func(from int) string {
		return fmt.Sprintf("times always\ncall GET_FULL_FILE_CONTENT {\"thought\": \"t\", \"path\": \"guide.txt\", \"from\": %d, \"to\": %d}\n", from, from+29)
	}
	for i, begins := range []string{"# Workspace", "second question", "third question"} {
		script += "on tars\nlast " + begins + "\n" + reads(60*i+1)
		script += fmt.Sprintf("on tars\nlast guide line %03d\n", 60*i+30) + reads(60*i+31)
		script += fmt.Sprintf("on tars\nlast guide line %03d\ntimes always\ncall ANSWER {\"text\": \"answer %d\"}\n", 60*i+60, i+1)
	}
	return script
}

// says sends messages in the thread t until each is answered.
func (b *bench) says(t *testing.T, messages ...string) {
	t.Helper()
	for _, text := range messages {
		for _, err := range b.Chat(context.Background(), Message{Thread: "t", Text: text}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// exchanges are what was said in the thread t.
func (b *bench) exchanges(t *testing.T) (list []string) {
	t.Helper()
	p, err := b.load(record.ThreadID("t"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range p.Thread.Exchanges {
		list = append(list, e.Asked+": "+e.Answer.Plain())
	}
	return list
}

// TestChatFromEveryRecord cuts a thread's journal after every record, as a crash would, and goes
// on as a user does: with a resume where a message waits for its answer, then with the messages that
// are left. Each ends with the same thread, and at most one more call of the model.
func TestChatFromEveryRecord(t *testing.T) {
	fresh := func() *bench {
		b := newBench(t, chatScript(), agreeable{})
		b.Context = 5600
		guideOf(t, b)
		return b
	}
	questions := []string{"first question", "second question" + strings.Repeat(" more words", 300), "third question", "fourth question"}
	id := record.ThreadID("t")
	whole := fresh()
	whole.says(t, questions...)
	records, err := whole.Store.Journal(id).Records()
	if err != nil {
		t.Fatal(err)
	}
	want, calls := whole.exchanges(t), len(whole.model.Requests())
	if len(want) != 4 || !strings.HasSuffix(want[3], ": answer 4") {
		t.Fatalf("the whole thread is %q: %v", want, whole.model.Failures())
	}
	if !slices.ContainsFunc(records, func(r store.Record) bool { return r.Kind == record.KindOf(record.Compacted{}) }) {
		t.Error("the conversation was not shortened")
	}
	for n := 1; n < len(records); n++ {
		t.Run(fmt.Sprintf("%d_%s", n, records[n-1].Kind), func(t *testing.T) {
			cut := fresh()
			for _, rec := range records[:n] {
				if _, err := cut.Store.Journal(id).Append(rec.Kind, rec.Body); err != nil {
					t.Fatal(err)
				}
			}
			before, err := cut.load(id)
			if err != nil {
				t.Fatal(err)
			}
			if before.Phase != record.Idle {
				for _, err := range cut.Resume(context.Background(), id) {
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			cut.says(t, questions[len(before.Thread.Exchanges):]...)
			if got := cut.exchanges(t); !slices.Equal(got, want) {
				t.Errorf("cut after record %d, the thread is %q: %v", n, got, cut.model.Failures())
			}
			if again := before.Calls + len(cut.model.Requests()); again > calls+1 {
				t.Errorf("the model was asked %d times, %d without the crash", again, calls)
			}
		})
	}
}
