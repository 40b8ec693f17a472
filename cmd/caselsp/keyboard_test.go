package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/cmd/caselsp/screen"

	"golang.org/x/tools/txtar"
	"mvdan.cc/sh/v3/syntax"
)

// sitAt is a person at the prompt of a shell, in a terminal of a size.
func sitAt(c *crashed, width, height string) *hand {
	need(c.t, "tmux")
	short, err := os.MkdirTemp("", "tmux") // a socket's path is short
	c.must(err)
	c.t.Cleanup(func() { os.RemoveAll(short) })
	h := &hand{nvimRun: &nvimRun{t: c.t, dir: c.home, model: c.model, archive: &txtar.Archive{}}, socket: filepath.Join(short, "s")}
	c.t.Cleanup(func() {
		if c.t.Failed() {
			c.t.Logf("the screen:\n%s", h.screen())
		}
		_, _ = h.tmux("kill-server")
	})
	h.must("-f", "/dev/null", "new-session", "-d", "-x", width, "-y", height, "env PS1='$ ' sh")
	return h
}

// runs has the person run caselsp, with a variable more, once the shell's prompt is there.
func (h *hand) runs(c *crashed, variable string, args ...string) {
	run := c.command(args...)
	line := []string{"exec env -i TERM=screen"}
	for _, word := range append(append(run.Env, variable), run.Args...) {
		quoted, err := syntax.Quote(word, syntax.LangPOSIX)
		c.must(err)
		line = append(line, quoted)
	}
	script := filepath.Join(c.home, "run.sh")
	c.must(os.WriteFile(script, []byte(strings.Join(line, " ")+"\n"), 0o600))
	h.onScreen(`(^|\n)\$\s*$`) // what is typed sooner stands before the prompt
	h.must("send-keys", "sh "+script, "Enter")
}

// TestKeyboard types at a real terminal while a task works: what is typed is seen behind the status whatever is shown
// above it, goes to the task with Enter, and a question begins with an empty line. Ctrl+C stops, and the terminal
// edits lines again. NO_COLOR has the status in one row.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	c := newCrashed(t, crashRun{model: `
on case
when write it
call LIST_FILES {"thought": "first"}
on case
hold
call LIST_FILES {"thought": "second"}
on case
hold
call LIST_FILES {"thought": "third"}
on case
hold
want make it so that it is blue
call REQUEST_USER_INPUT {"thought": "third", "question": "Which language?"}
`, project: map[string]string{"a.txt": "a\n"}})
	h := sitAt(c, "80", "24")
	h.runs(c, "NO_COLOR=1", "run", "--single", "write it")
	h.held()
	h.onScreen(`tokens ›`)
	h.keys("make it sp")
	h.onScreen(`› make it sp\s*\n`)
	c.model.Release()
	h.held()
	h.onScreen(`(?s)“second”.*› make it sp\s*\n`) // the progress did not wipe it out
	h.keys("C-w", "so that it is blue", "Enter")
	h.onScreen(`noted, for the next step: make it so that it is blue`)
	if strings.Contains(h.screen(), "› make it") {
		t.Error("what was sent still stands on the line")
	}
	c.model.Release()
	h.held()
	h.keys("half a li")
	h.onScreen(`› half a li`)
	c.model.Release()
	h.onScreen(`you said: make it so that it is blue`)
	h.onScreen(`(?s)Which language\?.*decide later >\s*\n`) // and nothing behind it
	h.keys("C-c")
	h.onScreen(`to continue it: caselsp resume`)
	h.onScreen(`(?m)^\$ *$`) // the shell reads again
	h.keys("stty -a", "Enter")
	h.onScreen(`[^-]icanon(.|\n)*[^-]echo `)
}

// TestKeyboardSwitches hands the line to another one before the first has begun to read: what is typed then is the
// other's.
func TestKeyboardSwitches(t *testing.T) {
	k := &ownKeys{bytes: make(chan []byte, 1), switched: make(chan struct{}), region: &screen.Region{}}
	for _, before := range []func(<-chan struct{}) (string, error){k.plainLine, k.editedLine} {
		for _, after := range []func(<-chan struct{}) (string, error){k.plainLine, k.editedLine} {
			switched := k.switched
			k.turn()
			k.bytes <- []byte("tea\n")
			if text, err := before(switched); !errors.Is(err, errSwitched) {
				t.Errorf("who edited before reads %q, %v", text, err)
			}
			if text, err := after(k.switched); text != "tea" || err != nil {
				t.Errorf("who edits now reads %q, %v", text, err)
			}
		}
	}
}
