package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"caselsp/agent/llm/llmtest"
)

// firstHour is the document that a new user follows.
const firstHour = "firsthour.md"

// TestReadmeFirstHour follows firsthour.md as a new user does: it runs the commands one after the other in one
// shell, with an empty home directory and a scripted model, and compares what they answer; -update
// rewrites that. Before a command that kills a task it waits until the model is answering.
//
// CASELSP_INSTALLED=FOLDER runs the caselsp of that folder, such as an installed one, instead of this test's own.
func TestReadmeFirstHour(t *testing.T) {
	t.Parallel()
	need(t, "bash")
	need(t, "git")
	text, err := os.ReadFile(firstHour)
	if err != nil {
		t.Fatal(err)
	}
	s := newNewcomer(t, "testdata/firsthour.txt")
	got := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		var b strings.Builder
		for _, command := range commandsOf(consoleBlock.FindStringSubmatch(block)[1]) {
			fmt.Fprintf(&b, "$ %s\n%s", command, s.run(command))
		}
		return "\n```console\n" + b.String() + "```\n"
	})
	if unused := s.model.Unused(); len(unused) > 0 {
		t.Errorf("the model was not asked for: %s", strings.Join(unused, ", "))
	}
	switch {
	case got == string(text):
	case !*update:
		t.Errorf("%s is not what the commands answer: run make generate. They answer:\n%s", firstHour, got)
	default:
		if err := os.WriteFile(firstHour, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadmeCommands shows that each command which the README shows for one task is among those
// of the first hour.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(firstHour)
	if err != nil {
		t.Fatal(err)
	}
	called := regexp.MustCompile(`caselsp [a-z]+( --[a-z]+)*`)
	tried := map[string]bool{}
	for _, c := range called.FindAllString(string(text), -1) {
		tried[c] = true
	}
	shown := 0
	for _, block := range consoleBlock.FindAllStringSubmatch(string(readme), -1) {
		for _, line := range commandsOf(block[1]) {
			command, _, _ := strings.Cut(line, "#")
			for _, c := range called.FindAllString(command, -1) {
				shown++
				if !tried[c] {
					t.Errorf("the README shows %q, which %s does not try", c, firstHour)
				}
			}
		}
	}
	if shown == 0 {
		t.Error("the README shows no command")
	}
}

var consoleBlock = regexp.MustCompile("(?s)\n```console\n(.*?)```\n")

// commandsOf returns the commands of a block; a command reaches over the lines of its here-document.
func commandsOf(block string) []string {
	var commands []string
	within := false
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		command, begins := strings.CutPrefix(line, "$ ")
		switch {
		case within:
			commands[len(commands)-1] += "\n" + line
			within = line != "EOF"
		case begins:
			commands = append(commands, command)
			within = strings.HasSuffix(command, "<<'EOF'")
		}
	}
	return commands
}

// newcomer is a shell of a user who has only installed caselsp.
type newcomer struct {
	t        *testing.T
	home     string
	model    *llmtest.Server
	ids      []string      // of tasks, as they appeared
	commands io.Writer     // names of files with a command each
	answers  *bufio.Reader // each ends with answered and the exit code
}

// answered ends the answer of a command.
const answered = "-- exit code "

// newNewcomer starts the shell, and the model of a script.
func newNewcomer(t *testing.T, script string) *newcomer {
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := llmtest.ParseScript(string(text))
	if err != nil {
		t.Fatal(err)
	}
	s := &newcomer{t: t, home: t.TempDir(), model: llmtest.Start(t, rules)}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", `while read -r -u 3 file; do . "$file"; echo; echo "`+answered+`$?"; done`)
	cmd.Dir = s.home
	path := os.Getenv("PATH")
	if dir := os.Getenv("CASELSP_INSTALLED"); dir != "" {
		path = dir + string(filepath.ListSeparator) + path
	}
	cmd.Env = []string{"PATH=" + path, "HOME=" + s.home, "LANG=C.UTF-8", "TZ=UTC", "DOCKER_HOST=" + os.Getenv("DOCKER_HOST"),
		"GIT_AUTHOR_NAME=You", "GIT_AUTHOR_EMAIL=you@example.com", "GIT_COMMITTER_NAME=You", "GIT_COMMITTER_EMAIL=you@example.com"}
	// A pipe of its own, not exec's: a killed task's processes would keep Wait from returning.
	files, commands, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles, cmd.Stdout, cmd.Stderr = []*os.File{files}, in, in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = files.Close() // the shell has them
	_ = in.Close()
	t.Cleanup(func() {
		_ = commands.Close() // the shell ends
		_ = cmd.Wait()
		_ = out.Close()
	})
	s.commands, s.answers = commands, bufio.NewReader(out)
	return s
}

// run runs a command and returns what it wrote, without what differs from run to run.
func (s *newcomer) run(command string) string {
	s.t.Helper()
	shown := command
	command = strings.ReplaceAll(command, localServer, s.model.URL)
	if strings.HasPrefix(command, "kill ") {
		s.answering()
		command = "{ " + command + "; wait $!; } 2>/dev/null; true" // without the shell's own line about it
	}
	file := filepath.Join(s.t.TempDir(), "command")
	if err := os.WriteFile(file, []byte(command+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fprintln(s.commands, file); err != nil {
		s.t.Fatal(err)
	}
	var b strings.Builder
	for {
		line, err := s.answers.ReadString('\n')
		if code, ok := strings.CutPrefix(line, answered); ok {
			if strings.TrimSpace(code) != "0" {
				s.t.Errorf("%s ended with exit code %s", shown, code)
			}
			break
		}
		if b.WriteString(line); err != nil {
			s.t.Fatalf("%s: %v after\n%s", shown, err, b.String())
		}
	}
	return s.plain(strings.TrimSuffix(b.String(), "\n"))
}

// answeringLimit is for a task to ask the model; only a fault reaches it.
const answeringLimit = 2 * time.Minute

// answering waits until the model holds an answer back.
func (s *newcomer) answering() {
	held := make(chan struct{})
	go func() {
		s.model.Held()
		close(held)
	}()
	select {
	case <-held:
	case <-time.After(answeringLimit):
		log, _ := os.ReadFile(filepath.Join(s.home, "log.txt")) // what there is of it
		s.t.Fatalf("the model was not asked for %v. The task said:\n%s", answeringLimit, log)
	}
}

// localServer is the model's address in the document.
const localServer = "http://localhost:9000/v1"

var (
	shownID   = regexp.MustCompile(`\b20\d{6}-\d{6}-[0-9a-f]{4}\b`)
	tookTime  = regexp.MustCompile(`it took \d+\w+: `)
	stillAtIt = regexp.MustCompile(`(?m)^ +\d+s, .*\n`) // progress on a slow machine
	tokenSums = regexp.MustCompile(`\d+ tokens in and \d+ out`)
)

// plain replaces what differs from run to run. The n-th id of a task is always the same one.
func (s *newcomer) plain(text string) string {
	text = strings.NewReplacer(s.home, "/home/you", s.model.URL, localServer).Replace(text)
	text = stillAtIt.ReplaceAllString(text, "")
	text = tokenSums.ReplaceAllString(tookTime.ReplaceAllString(text, "it took 40s: "), "10230 tokens in and 371 out")
	return shownID.ReplaceAllStringFunc(text, func(id string) string {
		n := 0
		for n < len(s.ids) && s.ids[n] != id {
			n++
		}
		if n == len(s.ids) {
			s.ids = append(s.ids, id)
		}
		return fmt.Sprintf("20260302-0900%02d-a1b%x", n, n)
	})
}
