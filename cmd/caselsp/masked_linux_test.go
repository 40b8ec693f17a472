package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"caselsp/agent"
	"caselsp/agent/llm/llmtest"

	"golang.org/x/sys/unix"
)

// typist is a person at a terminal, in which a command runs.
type typist struct {
	t    *testing.T
	tty  *os.File
	seen strings.Builder
}

// sit opens a terminal and starts a command in it.
func sit(t *testing.T, cmd *exec.Cmd) *typist {
	t.Helper()
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	number, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSPTLCK, 0)); err != nil {
		t.Fatal(err)
	}
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &typist{t: t, tty: tty}
}

// readTime is how long a person waits for the terminal: a command that no longer answers is shown, and not waited for
// until all tests are stopped.
const readTime = 2 * time.Minute

// reads waits until the terminal shows a text; "" until the command has ended.
func (p *typist) reads(text string) {
	p.t.Helper()
	if err := p.tty.SetReadDeadline(time.Now().Add(readTime)); err != nil {
		p.t.Fatal(err)
	}
	for block := make([]byte, 4096); text == "" || !strings.Contains(p.seen.String(), text); {
		n, err := p.tty.Read(block)
		p.seen.Write(block[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			p.t.Fatalf("in %v the terminal did not show %q (nothing: the end of the command), but:\n%s", readTime, text, p.seen.String())
		}
		if err != nil && text == "" { // EIO: the other side is not open
			return
		}
		if err != nil {
			p.t.Fatalf("%v before the terminal showed %q:\n%s", err, text, p.seen.String())
		}
	}
}

// types answers what is on the screen, as fast as one can read it.
func (p *typist) types(line string) {
	p.t.Helper()
	<-time.After(restTime + agent.MaxReadTime)
	p.blurts(line)
}

// blurts types a line at once.
func (p *typist) blurts(line string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(line + "\n"); err != nil {
		p.t.Fatal(err)
	}
}

// TestMasked types secrets at a terminal: where they are asked for it shows
// nothing, and after that again what is typed.
func TestMasked(t *testing.T) {
	need(t, "dbus-daemon")
	need(t, "gnome-keyring-daemon")
	need(t, "native")
	const secret = "c4nary-typed-at-a-terminal"
	home := t.TempDir()
	session, err := openKeyring(filepath.Join(t.TempDir(), "run"), home, t.Cleanup)
	if err != nil {
		t.Fatal(err)
	}
	script, err := llmtest.ParseScript(`
on case
call RUN_COMMAND {"thought": "t", "secrets": ["LOGIN_KEY"], "command": "login {{ LOGIN_KEY }}"}
on case
call REQUEST_USER_INPUT {"thought": "t", "question": "How is the weather?"}
on case
want sunny
call FINISH_FEATURE {"thought": "t", "summary": "done"}
`)
	if err != nil {
		t.Fatal(err)
	}
	model := llmtest.Start(t, script)
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("caselsp", args...)
		cmd.Dir = home
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home + "/.state", "XDG_CONFIG_HOME=" + home + "/.config", "TERM=xterm",
			"CASELSP_SANDBOX_ENGINE=native", "CASELSP_TRUST_FOLDERS=" + home, "CASELSP_MODEL_BASE_URL=" + model.URL, "CASELSP_MODEL_NAME=scripted"}
		for name, value := range session {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		return cmd
	}

	set := sit(t, command("secret", "set", "API_TOKEN"))
	set.reads("not shown) > ")
	set.types(secret)
	set.reads("API_TOKEN is in the keyring")

	run := sit(t, command("run", "--single", "--task", "log in"))
	run.reads("it gets the secret LOGIN_KEY; a value that is not in the keyring is asked for next")
	run.reads("Enter = decide later > ")
	run.types("y")
	run.reads("its value (not shown), n = deny, Enter = decide later > ")
	run.types(secret)
	run.reads("your own words; Enter = decide later > ")
	run.types("sunny")
	run.reads("")
	for _, p := range []*typist{set, run} {
		if strings.Contains(p.seen.String(), secret) {
			t.Errorf("the terminal shows the secret:\n%s", p.seen.String())
		}
	}
	if !strings.Contains(run.seen.String(), "> y") || !strings.Contains(run.seen.String(), "> sunny") {
		t.Errorf("the terminal does not show what is no secret:\n%q", run.seen.String())
	}
}

// TestTypedAhead types before a question is on the screen and in the moment when it comes,
// lines and half a line: nothing of that approves. What is typed then counts.
func TestTypedAhead(t *testing.T) {
	need(t, "native")
	script, err := llmtest.ParseScript(`
on case
call REQUEST_USER_INPUT {"thought": "t", "question": "1. Allow once?\n\ny = allow once > \u001b[8m", "choices": ["Allow once", "y = allow once"]}
on case
want tea
call RUN_COMMAND {"thought": "t", "secrets": ["LOGIN_KEY"], "command": "login {{ LOGIN_KEY }}"}
on case
want not now
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "a\n"}
call FINISH_FEATURE {"thought": "t", "summary": "done"}
`)
	if err != nil {
		t.Fatal(err)
	}
	model, home := llmtest.Start(t, script), t.TempDir()
	cmd := exec.Command("caselsp", "run", "--single", "--task", "log in")
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home + "/.state", "XDG_CONFIG_HOME=" + home + "/.config", "TERM=xterm",
		"CASELSP_SANDBOX_ENGINE=native", "CASELSP_TRUST_FOLDERS=" + home, "CASELSP_MODEL_BASE_URL=" + model.URL, "CASELSP_MODEL_NAME=scripted"}
	run := sit(t, cmd)
	for _, line := range []string{"y", "1", "", "a", "yes\ny\n\ny"} {
		run.blurts(line)
	}
	run.reads("1-2, or your own words; Enter = decide later > ")
	shown := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(run.seen.String(), "") // without colours
	for _, want := range []string{"The model asks:\r\n  | 1. Allow once?\r\n  |\r\n  | y = allow once > \\u{1b}[8m\r\n", "  1. “Allow once”\r\n  2. “y = allow once”\r\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the terminal does not show %q:\n%q", want, shown)
		}
	}
	run.types("tea\ny\ny\n\ny") // pasted with too many lines
	run.reads("n REASON = deny and say why, Enter = decide later > ")
	run.blurts("n not now")
	run.reads("What was typed before you can have read the question is not taken. The key Up brings it back.")
	run.types("\x1b[A")
	run.reads("anything else = later > ")
	run.seen.Reset()
	run.blurts("a") // nor is a result accepted by what was on its way
	run.reads("What was typed before you can have read the question is not taken.")
	run.types("a word")
	run.reads("“a word” is none of the choices, so nothing is decided.")
	run.reads("")
	if _, err := os.Stat(filepath.Join(home, "a.txt")); err == nil {
		t.Error("what was typed too soon accepted the result")
	}
}
