package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"caselsp/agent/llm/llmtest"
)

// TestChatQueue types while a thread answers: what is typed is asked next, also where the command has the first message from
// its arguments. Where the answer does not come, it is kept, and said with the next message.
func TestChatQueue(t *testing.T) {
	script, err := llmtest.ParseScript(`
on tars
when long question
hold
call ANSWER {"text": "The first answer."}
on tars
want short question
call ANSWER {"text": "The second answer."}
on tars
want third question
hold
call ANSWER {"text": "It is not read."}
on tars
want fourth question
want fifth question
call ANSWER {"text": "Of both."}
`)
	if err != nil {
		t.Fatal(err)
	}
	model, home := llmtest.Start(t, script), t.TempDir()
	chat := func(text string) (*typist, *exec.Cmd) {
		cmd := exec.Command("caselsp", "chat", text)
		cmd.Dir = home
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home + "/.state", "XDG_CONFIG_HOME=" + home + "/.config", "TERM=xterm", "NO_COLOR=1",
			"CASELSP_MODEL_BASE_URL=" + model.URL, "CASELSP_MODEL_NAME=scripted"}
		return sit(t, cmd), cmd
	}
	first, _ := chat("a long question")
	model.Held()
	first.blurts("a short question")
	first.reads("noted, asked next: a short question")
	model.Release()
	first.reads("")
	for _, want := range []string{"| The first answer.", "main> a short question", "| The second answer."} {
		if !strings.Contains(first.seen.String(), want) {
			t.Errorf("the terminal does not show %q:\n%s", want, first.seen.String())
		}
	}
	killed, cmd := chat("a third question")
	model.Held()
	killed.blurts("a fourth question")
	killed.reads("noted, asked next: a fourth question")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.reads("")
	last, _ := chat("a fifth question")
	last.reads("")
	if !strings.Contains(last.seen.String(), "| Of both.") {
		t.Errorf("the terminal shows\n%s", last.seen.String())
	}
}
