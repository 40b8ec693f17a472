package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"caselsp/agent/llm/llmtest"
	"caselsp/lsp"

	"golang.org/x/tools/txtar"
)

// handLimit is for each step of a person at an editor; only a fault reaches it: on a loaded machine,
// pylint alone took more than 15 seconds before a result was there.
const handLimit = 90 * time.Second

// hand is a person at a real editor in a terminal, which is tmux.
type hand struct {
	*nvimRun
	use    editorUse
	socket string // of tmux
	typed  strings.Builder
}

// newHand returns a person with a scenario that is not started yet.
func newHand(t *testing.T, use editorUse, scenario string) *hand {
	for _, name := range []string{"tmux", "docker", use.name} {
		need(t, name)
	}
	archive, err := txtar.ParseFile(scenario)
	if err != nil {
		t.Fatal(err)
	}
	h := &hand{nvimRun: &nvimRun{t: t, dir: t.TempDir(), archive: archive}, use: use}
	script, err := llmtest.ParseScript(h.part("model.txt"))
	if err != nil {
		t.Fatal(err)
	}
	h.model = llmtest.New(script)
	t.Cleanup(h.model.Close)
	return h
}

// sitDown starts the editor in the scenario's project.
func (h *hand) sitDown() {
	t := h.t
	h.configure()
	short, err := os.MkdirTemp("", "tmux") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	h.socket = filepath.Join(short, "s")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen:\n%s", h.screen())
			t.Logf("the server said:\n%s", tail(h.read("tap/out"), 3000))
			h.explain()
		}
		_, _ = h.tmux("kill-server")
	})
	h.start()
}

// start starts the editor, also after it has ended.
func (h *hand) start() {
	h.t.Helper()
	begun := func() int { return strings.Count(h.read("tap/in"), `"initialized"`) }
	before := begun()
	program := editorProgram(h.use.name) + " " + cmp.Or(strings.TrimSpace(h.optional("opened")), "notes.py")
	h.see("a session of tmux", func() bool { // the server of an editor that has just ended is ending, too, and refuses it
		_, err := h.tmux("-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "45", program)
		return err == nil
	})
	h.must("set", "-g", "escape-time", "0")
	h.see("the server has started", func() bool { return begun() > before })
}

// configure makes the user's home: the project, the editor's configuration, and a
// caselsp that keeps what it is told and says.
func (h *hand) configure() {
	real, err := exec.LookPath("caselsp")
	if err != nil {
		h.t.Fatal(err)
	}
	files := map[string]string{
		"tap/caselsp": fmt.Sprintf("#!/bin/sh\ntee -a %[1]s/in | %[2]s \"$@\" | tee -a %[1]s/out\n", h.at("tap"), real),
	}
	for name, block := range h.use.files {
		files[name] = documented(h.t, block)
	}
	for name, text := range h.use.more {
		files[name] = text
	}
	for _, f := range h.archive.Files {
		if strings.HasPrefix(f.Name, "project/") {
			files[f.Name] = string(f.Data)
		}
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(h.at(name)), 0o755); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(h.at(name), []byte(text), 0o755); err != nil {
			h.t.Fatal(err)
		}
	}
	if h.use.plugin != "" {
		h.install(h.use.plugin)
	}
	h.env = append(h.env, "PATH="+h.at("tap")+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// documented is the configuration that lsp/README.md has for an editor: "## Heading language".
func documented(t *testing.T, block string) string {
	heading, language, _ := strings.Cut(strings.TrimPrefix(block, "## "), " ")
	found := regexp.MustCompile("(?s)\n## " + heading + "\n.*?\n```" + language + "\n(.*?)```").FindStringSubmatch(lsp.Reference)
	if found == nil {
		t.Fatalf("lsp/README.md has no block %s", block)
	}
	return found[1]
}

// tmux runs one of its commands.
func (h *hand) tmux(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), handLimit)
	defer cancel()
	out, err := h.command(ctx, "tmux", append([]string{"-S", h.socket}, args...)...).CombinedOutput()
	return string(out), err
}

func (h *hand) must(args ...string) string {
	h.t.Helper()
	out, err := h.tmux(args...)
	if err != nil {
		h.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return out
}

// keys presses keys: names as tmux has them, or text.
func (h *hand) keys(keys ...string) {
	h.t.Helper()
	for _, k := range keys {
		if named.MatchString(k) {
			h.must("send-keys", k)
		} else {
			h.must("send-keys", "-l", k)
		}
	}
}

var named = regexp.MustCompile(`^(Enter|Escape|Tab|Space|Up|Down|Left|Right|Home|End|[CM]-.|M-Enter)$`)

// answers types what answers a question, once it can have been read.
func (h *hand) answers(keys ...string) {
	h.t.Helper()
	pause(keysRead)
	h.keys(keys...)
}

func (h *hand) screen() string {
	out, _ := h.tmux("capture-pane", "-p")
	return out
}

// see waits until something is so.
func (h *hand) see(what string, so func() bool) {
	h.t.Helper()
	if !h.comes(so) {
		h.t.Fatalf("never seen: %s", what)
	}
}

// comes waits until something is so, and reports whether it came.
func (h *hand) comes(so func() bool) bool {
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(handLimit)
	for !so() {
		select {
		case <-tick.C:
		case <-limit:
			return false
		}
	}
	return true
}

// held waits until the model holds its answer back.
func (h *hand) held() {
	h.t.Helper()
	came := make(chan struct{})
	go func() { h.model.Held(); close(came) }()
	h.see("the model holds its answer back", func() bool {
		select {
		case <-came:
			return true
		default:
			return false
		}
	})
}

// onScreen waits until the screen has what a pattern finds, and returns that.
func (h *hand) onScreen(pattern string) (found []string) {
	h.t.Helper()
	expression := regexp.MustCompile(pattern)
	h.see(pattern+" on the screen", func() bool {
		found = expression.FindStringSubmatch(h.screen())
		return found != nil
	})
	return found
}

// said reports whether the server has told the editor something.
func (h *hand) said(what string) bool { return strings.Contains(h.read("tap/out"), what) }

// quit ends the editor, which must not ask.
func (h *hand) quit() {
	h.t.Helper()
	h.keys(h.use.quit...)
	h.see("the editor has ended", func() bool { _, err := h.tmux("has-session"); return err != nil })
}

// write begins to type text.
func (h *hand) write(begin []string) {
	h.keys(begin...)
	h.see("that keys are text", func() bool { return strings.Contains(h.screen(), h.use.mode) })
}

// leave ends the typing, so that keys are commands.
func (h *hand) leave() {
	h.keys(h.use.leave...)
	h.see("that keys are commands", func() bool { return h.use.mode == "" || !strings.Contains(h.screen(), h.use.mode) })
}

// tail is the end of a text.
func tail(text string, n int) string { return text[max(0, len(text)-n):] }
