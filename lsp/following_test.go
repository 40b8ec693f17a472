package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/lsp/lsptest"
)

// editsTwice is a model that edits two places and waits after each.
const editsTwice = `
on case
call PATCH_FILE {"thought": "the second", "path": "a.py"}
arg patch
	@@ -2 +2 @@
	-x2 = 2
	+x2 = 20
on case
hold
call PATCH_FILE {"thought": "the eighteenth", "path": "a.py"}
arg patch
	@@ -18 +18 @@
	-x18 = 18
	+x18 = 180
on case
hold
call FINISH_FEATURE {"thought": "done", "summary": "done"}
`

// followed are the options of an editor in which edits are followed.
func follower(name string) lsptest.Options {
	return lsptest.Options{
		Initialize:            json.RawMessage(strings.Replace(string(lsptest.Modern), "Visual Studio Code", name, 1)),
		InitializationOptions: json.RawMessage(`{"editor.follow": true}`),
	}
}

// shownAt expects that a document is shown, without the keyboard, at a line that has a text.
func shownAt(name, text string) lsptest.Expectation {
	return lsptest.Expectation{What: fmt.Sprintf("%s shown at %q", name, text), Check: func(s *lsptest.State) lsptest.Verdict {
		for _, d := range s.Shown {
			lines := strings.Split(s.Buffers[d.Path].Text, "\n")
			if strings.Contains(d.Path, name) && d.Selection != nil && !d.Focus && int(d.Selection.Start.Line) < len(lines) && strings.Contains(lines[d.Selection.Start.Line], text) {
				return lsptest.Met
			}
		}
		return lsptest.Unmet
	}}
}

// TestFollowing shows each edit beside the text, in one document that is kept current.
func TestFollowing(t *testing.T) {
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: editsTwice, editor: follower("Neovim"), hasty: true})
	id := sc.run("change it")
	sc.model.Held()
	page := sc.shown("following-" + id)
	sc.expect(shownAt(page, "-x2 = 2"), lsptest.TextHas(page, "-x2 = 2\n+x2 = 20\n"))
	if !strings.Contains(sc.Text(page), "Task "+id+" edits a.py. This is the staged copy") {
		t.Errorf("the document does not say what it is:\n%s", sc.Text(page))
	}
	sc.model.Release()
	sc.model.Held()
	sc.expect(shownAt(page, "-x18 = 18"))
	sc.model.Release()
	sc.said("to review")
	if got := sc.Text("a.py"); got != project["a.py"] {
		t.Errorf("the user's file is %q", got)
	}
}

// TestFollowingWaits shows nothing while the user types.
func TestFollowingWaits(t *testing.T) {
	clock := lsptest.NewClock()
	sc := play(t, plot{files: project, open: []string{"a.py"}, script: editsTwice, editor: follower("Neovim"), clock: clock})
	sc.must(sc.Replace("a.py", "x1 = 1", "x1 = 10"))
	id := sc.run("change it")
	const gap = 250 * time.Millisecond // before what follows an answer
	clock.Await(gap)
	clock.Advance(gap)
	clock.Await(0)
	clock.Advance(0)
	clock.Await(restTime - gap)
	sc.must(sc.Replace("a.py", "x1 = 10", "x1 = 100"))
	sc.expect(lsptest.Expectation{What: "the key", Check: func(*lsptest.State) lsptest.Verdict {
		if doc := sc.srv.docs.get(sc.uri("a.py")); strings.Contains(doc.Text, "x1 = 100") {
			return lsptest.Met
		}
		return lsptest.Unmet
	}})
	clock.Advance(restTime - gap)
	clock.Await(gap)
	if list := sc.State().Shown; len(list) > 0 {
		t.Errorf("shown while the user types: %v", list)
	}
	clock.Advance(gap)
	sc.expect(lsptest.Opened("following-" + id))
}

// TestFollowingNot shows nothing where it is not set, and in editors that would give it the keyboard.
func TestFollowingNot(t *testing.T) {
	off := follower("Neovim")
	off.InitializationOptions = nil
	for name, editor := range map[string]lsptest.Options{"off": off, "takes the keyboard": follower("Some editor")} {
		t.Run(name, func(t *testing.T) {
			sc := play(t, plot{files: hello, script: write, editor: editor})
			sc.run("write it")
			sc.said("to review")
			if list := sc.State().Shown; slices.ContainsFunc(list, func(d lsptest.Shown) bool { return strings.Contains(d.Path, "following-") }) {
				t.Errorf("shown: %v", list)
			}
		})
	}
}

// TestComparison compares texts as they are edited, and finds the edited lines.
func TestComparison(t *testing.T) {
	long := strings.Repeat("same\n", 100)
	for _, tt := range []struct{ name, base, before, now, want, edited string }{
		{"changed", "a\nb\nc\n", "a\nb\nc\n", "a\nB\nc\n", "@@ line 1 @@\n a\n-b\n+B\n c\n", "-b\n+B\n"},
		{"again", "a\nb\nc\n", "a\nB\nc\n", "a\nB\nC\n", "@@ line 1 @@\n a\n-b\n-c\n+B\n+C\n", "+C\n"},
		{"taken out", "a\nb\nc\n", "a\nb\nc\n", "a\nc\n", "@@ line 1 @@\n a\n-b\n c\n", "-b\n"},
		{"at the end", "a\nb\n", "a\nb\n", "a\n", "@@ line 1 @@\n a\n-b\n", "-b\n"},
		{"taken back", "a\nb\n", "a\nB\n", "a\nb\n", "@@ line 1 @@\n a\n b\n", " b\n"},
		{"created", "", "", "a\nb", "@@ line 1 @@\n+a\n+b\n", "+a\n+b\n"},
		{"deleted", "a\n", "a\n", "", "@@ line 1 @@\n-a\n", "-a\n"},
		{"as it was", "a\n", "a\n", "a\n", "", ""},
		{"far away", long + "b\n", long + "b\n", long + "B\n", "@@ line 81 @@\n" + strings.Repeat(" same\n", followContext) + "-b\n+B\n", "-b\n+B\n"},
	} {
		lines, from, to := comparison(tt.base, tt.before, tt.now)
		if got, edited := strings.Join(lines, ""), strings.Join(lines[from:to], ""); got != tt.want || edited != tt.edited {
			t.Errorf("%s: edited %q in\n%s\nwant %q in\n%s", tt.name, edited, got, tt.edited, tt.want)
		}
	}
	lines, from, to := comparison("", "", strings.Repeat("x\n", 3*maxFollowedLines))
	if len(lines) != maxFollowedLines+1 || lines[maxFollowedLines] != fmt.Sprintf("… %d lines more\n", 2*maxFollowedLines+1) || from != 1 || to != len(lines) {
		t.Errorf("a long file: %d lines, %d to %d, the last is %q", len(lines), from, to, lines[len(lines)-1])
	}
}
