package agent

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent/record"
	"caselsp/agent/shell"
)

// deciding answers with what a step says, and notes what was asked.
type deciding struct {
	answer string
	asked  *record.Question
}

func (d *deciding) Ask(_ context.Context, q record.Question) (record.Answer, error) {
	d.asked = &q
	return record.Answer{Text: d.answer, By: "prompt"}, nil
}

// approvalStory plays one scenario of testdata/approvals.txt.
type approvalStory struct {
	t    *testing.T
	b    *bench
	user *deciding
	late time.Duration // that passed by the steps
}

// TestApprovals plays testdata/approvals.txt, where the words are explained.
func TestApprovals(t *testing.T) {
	text, err := os.ReadFile("testdata/approvals.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, story := range strings.Split(string(text), "\n## ")[1:] {
		name, steps, _ := strings.Cut(story, "\n")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &approvalStory{t: t, user: &deciding{}}
			var script strings.Builder
			for line := range strings.Lines(steps) {
				if what, ok := strings.CutPrefix(line, "run "); ok {
					command, _, _ := strings.Cut(strings.TrimPrefix(what, "task "), " => ")
					script.WriteString("on case\ncall RUN_COMMAND {\"thought\": \"t\"}\narg command\n\t" + command + "\non case\ncall FINISH_FEATURE {\"thought\": \"t\", \"summary\": \"s\"}\n")
				}
			}
			s.b = newBench(t, script.String(), s.user)
			s.b.Commands.Sandboxed = true
			s.b.Now = func() time.Time { return time.Now().Add(s.late) }
			for line := range strings.Lines(steps) {
				if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
					s.step(line)
				}
			}
		})
	}
}

func (s *approvalStory) step(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "run":
		s.run(rest)
	case "file":
		name, text, _ := strings.Cut(rest, " ")
		path := filepath.Join(s.b.Workspace.Roots()[0].Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			s.t.Fatal(err)
		}
	case "days":
		d, err := time.ParseDuration(rest + "h")
		if err != nil {
			s.t.Fatal(err)
		}
		s.late += 24 * d
	case "level":
		s.b.Commands.Level = shell.LevelOf(rest)
	case "hosts":
		s.b.Policy.Hosts = strings.Fields(rest)
	case "ask":
		p, err := shell.ParsePattern("commands.ask", rest)
		if err != nil {
			s.t.Fatal(err)
		}
		s.b.Commands.Ask = append(s.b.Commands.Ask, p)
	case "revoke":
		if _, err := s.b.Revoke(rest, "command"); err != nil {
			s.t.Errorf("%s: %v", line, err)
		}
	case "rules":
		rules, err := s.b.Rules(false)
		var ids []string
		for _, r := range rules {
			ids = append(ids, r.ID)
		}
		if err != nil || !slices.Equal(ids, strings.Fields(rest)) {
			s.t.Errorf("%s: they are %v, %v", line, ids, err)
		}
	default:
		s.t.Fatalf("what is %q?", line)
	}
}

// run has a task run the command of a step and compares what became of it.
func (s *approvalStory) run(step string) {
	s.t.Helper()
	command, want, _ := strings.Cut(step, " => ")
	command, given := strings.CutPrefix(command, "task ")
	text := "do it"
	if given {
		text = "run " + command
	}
	want, why, _ := strings.Cut(want, " ~ ")
	want, answer, _ := strings.Cut(want, "; ")
	s.user.answer, s.user.asked = answer, nil
	ran := len(s.b.engine.ran)
	var judged record.Judged
	for e, err := range s.b.Run(s.t.Context(), record.Task{Text: text, Typed: text, Single: true}) {
		if err != nil {
			s.t.Fatal(err)
		}
		if j, ok := e.Body.(record.Judged); ok {
			judged = j
		}
	}
	got, reason := judged.By, judged.Reason
	switch q := s.user.asked; {
	case q != nil && q.Subject.(record.Approvable).Offer().Always != "":
		got, reason = "offered", q.Why
	case q != nil:
		got, reason = "asked", q.Why
	case !judged.Allowed:
		got = "denied"
	case judged.By == record.ByRule:
		got += " " + judged.How
	}
	if got != want || !strings.Contains(reason, why) {
		s.t.Errorf("%s: it is %s (%s)", step, got, reason)
	}
	if allowed := answer == record.Approve || answer == record.ApproveTask || answer == record.ApproveAlways || got != "denied" && answer == ""; judged.Allowed != allowed || (len(s.b.engine.ran) > ran) != allowed {
		s.t.Errorf("%s: allowed %v, ran %v", step, judged.Allowed, s.b.engine.ran[ran:])
	}
}
