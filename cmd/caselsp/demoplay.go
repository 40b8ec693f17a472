package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"
	"caselsp/agent/settings"
	"caselsp/agent/workspace"
	"caselsp/lsp"
	"caselsp/lsp/lsptest"
	"caselsp/sandbox"
)

// demoOpen are the files that the demo's editor has open: they are changed by
// edits of its buffers, the others by the server on disk.
var demoOpen = []string{"blog/models.py", "blog/templates/blog/post_detail.html"}

// playDemo plays the recording on the project in dir: the real server at one end
// of two pipes, a headless editor at the other, and a screen that shows both.
func playDemo(ctx context.Context, rec *agent.Recording, dir, state string, screen *demoScreen) error {
	if err := sameProject(ctx, rec, dir); err != nil {
		return err
	}
	player := rec.Play()
	fromEditor, toServer := io.Pipe()
	fromServer, toEditor := io.Pipe()
	near, far := lsptest.Join(fromEditor, toEditor), lsptest.Join(fromServer, toServer)
	served := make(chan error, 1)
	go func() {
		_, err := lsp.Serve(ctx, near, lsp.Options{Version: versionText(), Backend: func(_ context.Context, dirs []string, _ []settings.Layer, face lsp.Face) (*lsp.Engine, error) {
			e, err := openPlayed(dirs[0], state, player.Now, func(o *agent.Options) {
				o.User, o.Watch = face.User, screen.show
				player.Attach(o)
			})
			if err != nil {
				return nil, err
			}
			defaults, _ := settings.Merge()
			return &lsp.Engine{Agent: e.agent, Settings: defaults, Close: e.Close}, nil
		}})
		served <- err
	}()
	editor := lsptest.Connect(far, lsptest.Options{Root: dir, Answer: screen.answer, Reading: demoReading})
	err := driveDemo(ctx, editor, screen, rec.Task.Text)
	if err == nil {
		err = editor.Shutdown(ctx)
	}
	editor.Hangup()
	if ended := <-served; err == nil && ended != nil && !errors.Is(ended, io.ErrClosedPipe) {
		err = ended
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the user pressed Ctrl+C
	case err != nil:
		return err
	}
	return screen.summary(dir)
}

// sameProject returns an error that names a file that differs from the recorded one.
func sameProject(ctx context.Context, rec *agent.Recording, dir string) error {
	ws, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	defer ws.Close()
	if err := rec.Matches(ctx, ws); err != nil {
		return &exitError{exitDiverged, err}
	}
	return nil
}

// driveDemo does what a user does: gives the task, answers questions, looks at the
// review and accepts it.
func driveDemo(ctx context.Context, editor *lsptest.Editor, screen *demoScreen, task string) error {
	hello, err := editor.Initialize(ctx)
	if err != nil {
		return err
	}
	screen.editor("connected; the server offers %d commands", len(hello.Capabilities.ExecuteCommandProvider.Commands))
	for _, path := range demoOpen {
		if err := editor.Open(path); err != nil {
			return err
		}
		screen.editor("opened %s", path)
	}
	screen.editor("caselsp.run %q", task)
	answer, err := editor.Command(ctx, "caselsp.run", task)
	if err != nil {
		return err
	}
	var started struct{ TaskID string }
	if err := json.Unmarshal(answer, &started); err != nil {
		return err
	}
	if err := editor.Expect(ctx, ended(task)); err != nil {
		return err
	}
	if last := screen.status(); last.State != record.Review {
		return &exitError{exitDiverged, errors.New(clean(last.Reason))}
	}
	if err := editor.Expect(ctx, lsptest.Opened("review-")); err != nil {
		return err
	}
	return acceptDemo(ctx, editor, screen, started.TaskID)
}

// ended expects the end of a task's progress, whatever its result.
func ended(task string) lsptest.Expectation {
	return lsptest.Finished(task[:min(len(task), 20)], "")
}

// acceptDemo confirms what the editor was asked about the documents that are
// open, looks at the review document, accepts the rest and saves.
func acceptDemo(ctx context.Context, editor *lsptest.Editor, screen *demoScreen, id string) error {
	for _, edit := range editor.State().Edits {
		screen.editor("previewed and confirmed in the open documents: %q", edit.Label)
	}
	for _, path := range demoOpen {
		if !editor.State().Buffers[path].Dirty {
			return fmt.Errorf("%s was confirmed, but the edit did not arrive in the editor", path)
		}
	}
	shown := editor.State().Shown
	review := shown[len(shown)-1].Path
	screen.editor("shows %s", filepath.Base(review))
	screen.quote(editor.Text(review))
	screen.editor("caselsp.accept: the rest")
	if _, err := editor.Command(ctx, "caselsp.accept", map[string]string{"task": id}); err != nil {
		return err
	}
	if err := editor.Expect(ctx, lsptest.ShownMessage("Accepted: ")); err != nil {
		return err
	}
	for _, m := range editor.State().Messages {
		screen.editor("message: %s", m.Text)
	}
	screen.editor("saves all")
	return editor.SaveAll()
}

// demoScreen shows what happens, with the reasons of refused edits, and is the
// user of the demo's editor: it gives the recorded answers.
type demoScreen struct {
	plain
	mu      sync.Mutex
	answers []record.Answer // not given yet
	last    record.Status
	written []string
}

func newDemoScreen(out io.Writer, color bool, answers []record.Answer) *demoScreen {
	return &demoScreen{plain: plain{out: out, color: color}, answers: answers}
}

// How many lines are shown of a refused edit's reason, enough for the nearest place
// in the file, and of the review, which repeats the diffs above.
const (
	refusalShown = 12
	reviewShown  = 30
)

// show shows an event of the agent.
func (s *demoScreen) show(e agent.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Body != nil && e.Status.Task.ID != "" {
		s.last = e.Status
	}
	switch b := e.Body.(type) {
	case record.Asked, record.Answered: // the editor's question is on the screen already
	case record.StateChanged:
		s.line("")
		s.plain.show(e)
	case record.ActionDone:
		s.plain.show(e)
		if !b.OK && b.Note == "" {
			lines := strings.Split(b.Said().Plain(), "\n")
			for _, l := range lines[1:min(len(lines), refusalShown)] {
				s.line("      %s", l)
			}
		}
	case record.Applied:
		for _, r := range b.Results {
			if r.OK {
				s.written = append(s.written, r.Path)
			}
		}
	default:
		s.plain.show(e)
	}
}

// status returns the task's status as of the last event.
func (s *demoScreen) status() record.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// editor shows a line about the editor.
func (s *demoScreen) editor(form string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(s.out, s.styled(cyan, "[editor]"), clean(fmt.Sprintf(form, args...)))
}

// quote shows the beginning of a document.
func (s *demoScreen) quote(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.SplitAfter(text, "\n")
	s.diff(strings.Join(lines[:min(len(lines), reviewShown)], ""))
	if more := len(lines) - reviewShown; more > 0 {
		s.line("    … and %d more lines", more)
	}
}

// demoReading is how long the demo's user reads a question: the server believes no answer
// that comes faster than one can read.
const demoReading = agent.MaxReadTime + 100*time.Millisecond

// buttons are the titles under which an editor offers the decisions of an approval.
var buttons = map[string]string{record.Approve: "Allow once", record.ApproveTask: "Allow for this task", record.ApproveAlways: "Always allow exactly this here", record.Deny: "Deny"}

// answer shows a question of the server and gives the recorded answer by choosing
// its button; a button that is not offered is not chosen.
func (s *demoScreen) answer(q lsptest.Question) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	chosen := ""
	if len(s.answers) > 0 {
		chosen, s.answers = s.answers[0].Text, s.answers[1:]
		if button, ok := buttons[chosen]; ok {
			chosen = button
		}
	}
	// A model's choice is quoted and numbered.
	if i := slices.IndexFunc(q.Choices, func(c string) bool { return c == chosen || strings.HasSuffix(c, ": "+agent.Quote(chosen)) }); i >= 0 {
		chosen = q.Choices[i]
	} else {
		chosen = ""
	}
	s.line("")
	for l := range strings.Lines(q.Text) {
		fmt.Fprintln(s.out, s.styled(yellow, "  ?"), clean(strings.TrimRight(l, "\n")))
	}
	for _, c := range q.Choices {
		if c == chosen {
			fmt.Fprintln(s.out, s.styled(bold, "    > ["+clean(c)+"]"))
		} else {
			s.line("      [%s]", c)
		}
	}
	s.line("")
	return chosen
}

// summary says what the task has changed, and where the result is.
func (s *demoScreen) summary(dir string) error {
	files, err := regularFiles(dir)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.written)
	s.line("")
	s.line("The task %s: a plan of %d features, %d tokens.", s.last.State, s.last.Features, s.last.Usage.Prompt+s.last.Usage.Completion)
	for _, path := range s.written {
		s.line("  wrote %s", path)
	}
	s.line("The changed project is in %s", dir)
	s.line("Its digest, the same after every run: %s", sandbox.Digest(files))
	s.line("Its tests, where Django is installed: cd %s && python3 manage.py test", dir)
	return nil
}
