package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"caselsp/agent/llm/llmtest"
	"caselsp/agent/record"
	"caselsp/lsp"

	"golang.org/x/tools/txtar"
)

// nvimTime ends a Neovim that hangs. Its own waits end far sooner, each with
// what it waited for.
const nvimTime = 5 * time.Minute

// TestNeovim runs the scenarios of testdata/nvim in a real Neovim against the
// real server, a scripted model and a real sandbox. Each is an archive:
//
//	user.lua     what the user does (see testdata/nvim/user.lua for the words)
//	model.txt    what the model answers
//	project/     the folder that is worked on; Neovim starts in it
//	want/        the same afterwards: every file, and none more
//	states       the states of the tasks afterwards, oldest first
//	trusted      the one folder that the settings trust; all where it is left out
//	decisions    who decided about which command, as the journal has it; may be left out
//	lint         when linters check staged files; never where it is left out, because each takes a container
//	nowhere      a secret, which must stand in nothing that was written or sent; with it
//	             the user has a keyring; may be left out
//
// Neovim's configuration is the one that lsp/README.md tells its readers to write.
func TestNeovim(t *testing.T) {
	need(t, "nvim")
	scenarios, err := filepath.Glob("testdata/nvim/*.txtar")
	if err != nil || len(scenarios) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range scenarios {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			(&nvimRun{t: t, dir: t.TempDir(), archive: archive}).run()
		})
	}
}

// nvimRun is one scenario.
type nvimRun struct {
	t       *testing.T
	editor  string // as need has it; "" for nvim
	plugin  bool   // the user has installed the plugin, and has the configuration of the archive's init.lua, if any
	dir     string // the user's home; everything lies below it
	archive *txtar.Archive
	model   *llmtest.Server
	env     []string // of the user, beside the usual
}

func (n *nvimRun) run() {
	t := n.t
	script, err := llmtest.ParseScript(n.part("model.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(n.part("model.txt"), "RUN_COMMAND") || strings.Contains(n.part("model.txt"), "fixes_applied") {
		need(t, "docker")
	}
	n.model = llmtest.New(script)
	t.Cleanup(n.model.Close)
	n.write()
	if n.plugin {
		n.install("install-nvim")
	}
	if holds := strings.Count(n.part("model.txt"), "\nhold\n"); holds > 0 {
		counted := make(chan struct{})
		go func() { n.countHeld(holds); close(counted) }()
		t.Cleanup(func() { n.model.Close(); <-counted })
	}
	n.openKeyring()
	t.Cleanup(func() {
		if t.Failed() {
			n.explain()
		}
	})

	ctx, cancel := context.WithTimeout(t.Context(), nvimTime)
	defer cancel()
	// For a Python file Neovim looks for its Python provider, which no scenario uses: some programs, such as pyenv's, take minutes to answer.
	out, err := n.command(ctx, editorProgram(cmp.Or(n.editor, "nvim")), "--cmd", "let g:loaded_python3_provider = 0", "--headless", "-S", n.absolute("testdata/nvim/user.lua")).CombinedOutput()
	// At its own end Neovim does not ignore that signal any more: it may still write to the server, which has ended.
	if err != nil && !strings.Contains(err.Error(), syscall.SIGPIPE.String()) {
		t.Errorf("nvim: %v\n%s", err, out)
	}
	if got := n.read("result"); got != "passed" {
		t.Errorf("the user: %s", got)
	}
	for _, f := range n.model.Failures() {
		t.Errorf("the model: %s", f)
	}
	if unused := n.model.Unused(); len(unused) > 0 && !t.Failed() {
		t.Errorf("the model was not asked for: %s", strings.Join(unused, ", "))
	}
	// What the server says on stderr, and what breaks in Neovim's client, is there.
	if log := regexp.MustCompile(`(?m)^\[(ERROR|WARN)\].*`).FindAllString(n.read(".state/nvim/lsp.log"), -1); len(log) > 0 {
		t.Errorf("Neovim's log of its servers:\n%s", strings.Join(log, "\n"))
	}
	n.compare()
	n.states(ctx)
	n.nowhere()
}

// countHeld writes how many answers the model has held, for user.held.
func (n *nvimRun) countHeld(holds int) {
	for i := range holds {
		n.model.Held()
		err := os.WriteFile(n.at("held.new"), []byte(strconv.Itoa(i+1)), 0o644)
		if err == nil {
			err = os.Rename(n.at("held.new"), n.at("held"))
		}
		if err != nil {
			n.t.Error(err)
		}
	}
}

// secret is what must stand nowhere; "" where the scenario has none.
func (n *nvimRun) secret() string { return strings.TrimSpace(n.optional("nowhere")) }

// openKeyring gives the user a keyring where the scenario has a secret.
func (n *nvimRun) openKeyring() {
	if n.secret() == "" {
		return
	}
	need(n.t, "dbus-daemon")
	need(n.t, "gnome-keyring-daemon")
	session, err := openKeyring(filepath.Join(n.t.TempDir(), "run"), n.dir, n.t.Cleanup)
	if err != nil {
		n.t.Fatal(err)
	}
	for name, value := range session {
		n.env = append(n.env, name+"="+value)
	}
}

// nowhere looks for the secret below the user's home, but for the scenario itself
// and the keyring, and in what the model was sent.
func (n *nvimRun) nowhere() {
	secret := n.secret()
	if secret == "" {
		return
	}
	for _, r := range n.model.Requests() {
		if bytes.Contains(r.Body, []byte(secret)) {
			n.t.Error("the model was sent the secret")
		}
	}
	err := filepath.WalkDir(n.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(file, "scenario.lua") || strings.Contains(file, "keyrings/") {
			return err
		}
		text, err := os.ReadFile(file)
		if bytes.Contains(text, []byte(secret)) {
			n.t.Errorf("%s holds the secret", file)
		}
		return err
	})
	if err != nil {
		n.t.Error(err)
	}
}

// command is a program as the user would start it, in the project.
func (n *nvimRun) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = filepath.Join(n.dir, "project")
	// What is set for the one who runs the tests is not set for this user.
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "XDG_") && !strings.HasPrefix(v, "CASELSP_") && !strings.HasPrefix(v, "NVIM") && !strings.HasPrefix(v, "HOME=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+n.dir,
		"XDG_CONFIG_HOME="+n.at(".config"), "XDG_STATE_HOME="+n.at(".state"), "XDG_DATA_HOME="+n.at(".data"), "XDG_CACHE_HOME="+n.at(".cache"),
		"CASELSP_MODEL_BASE_URL="+n.model.URL, "CASELSP_MODEL_NAME=scripted", "CASELSP_LOG_LEVEL=debug",
		"CASELSP_TRUST_FOLDERS="+n.at(n.trusted()),
		"CASELSP_FIXCHECK_TESTS=false",
		"CASELSP_LINT_WHEN="+cmp.Or(strings.TrimSpace(n.optional("lint")), "never"),
		"SCENARIO_RESULT="+n.at("result"), "SCENARIO_TRANSCRIPT="+n.at("transcript"), "SCENARIO_HELD="+n.at("held"),
		"SCENARIO="+n.at("scenario.lua"),
	)
	if n.plugin {
		cmd.Env = append(cmd.Env, "SCENARIO_WORDS="+n.absolute("testdata/nvimplugin/words.lua"))
	}
	cmd.Env = append(cmd.Env, n.env...)
	cmd.WaitDelay = time.Second // a server that outlives Neovim holds its pipes
	return cmd
}

// trusted is the folder that the user's settings trust: all, or what the scenario says.
func (n *nvimRun) trusted() string { return strings.TrimSpace(n.optional("trusted")) }

// optional is a file of the archive, "" where it has none.
func (n *nvimRun) optional(name string) string {
	for _, f := range n.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// write makes the user's home.
func (n *nvimRun) write() {
	files := map[string]string{".config/nvim/init.lua": n.configuration(), "scenario.lua": n.optional("user.lua")}
	for _, f := range n.archive.Files {
		if strings.HasPrefix(f.Name, "project/") {
			files[f.Name] = string(f.Data)
		}
	}
	for name, text := range files {
		file := n.at(name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			n.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			n.t.Fatal(err)
		}
	}
}

// install has make install what is below editors for this user.
func (n *nvimRun) install(target string) {
	n.t.Helper()
	need(n.t, "make")
	out, err := n.command(n.t.Context(), "make", "-s", "-C", n.absolute("../.."), target, "NVIM="+editorProgram(cmp.Or(n.editor, "nvim")), "EMACS="+editorProgram("emacs")).CombinedOutput()
	if err != nil {
		n.t.Fatalf("make %s: %v\n%s", target, err, out)
	}
}

// configuration is the documentation's block for Neovim; with the plugin, nothing has to be configured.
func (n *nvimRun) configuration() string {
	if n.plugin {
		return n.optional("init.lua")
	}
	block := regexp.MustCompile("(?s)\n## Neovim\n.*?\n```lua\n(.*?)```").FindStringSubmatch(lsp.Reference)
	if block == nil {
		n.t.Fatal("lsp/README.md has no Lua block for Neovim")
	}
	return block[1]
}

// compare holds the project against want.
func (n *nvimRun) compare() {
	want := map[string]string{}
	for _, f := range n.archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
			want[name] = string(f.Data)
		}
	}
	root := n.at("project")
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		text, known := want[name]
		got, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		switch {
		case !known:
			n.t.Errorf("%s is in the project and should not be", name)
		case text != string(got):
			n.t.Errorf("%s on disk:\n got %q\nwant %q", name, got, text)
		}
		delete(want, name)
		return nil
	})
	if err != nil {
		n.t.Error(err)
	}
	for name := range want {
		n.t.Errorf("%s is missing on disk", name)
	}
}

// states asks the terminal's face how the tasks ended, and who decided about
// commands: the editor's server must have left the store, and have recorded what
// the user saw.
func (n *nvimRun) states(ctx context.Context) {
	out, err := n.history(ctx)
	if err != nil {
		n.t.Errorf("caselsp history: %v", err)
	}
	var got, decisions []string
	for line := range bytes.Lines(out) {
		var task struct {
			State     string
			Decisions []record.Judged
		}
		if err := json.Unmarshal(line, &task); err != nil {
			n.t.Errorf("caselsp history: %v in %s", err, line)
		}
		got = append(got, task.State)
		for _, j := range task.Decisions {
			decisions = append(decisions, decisionLine(j))
		}
	}
	if want := strings.Fields(n.part("states")); strings.Join(got, " ") != strings.Join(want, " ") {
		n.t.Errorf("the tasks are %q, not %q:\n%s", got, want, out)
	}
	for _, f := range n.archive.Files {
		if f.Name == "decisions" && strings.Join(decisions, "\n")+"\n" != string(f.Data) {
			n.t.Errorf("who decided:\n%s\nwant:\n%s", strings.Join(decisions, "\n"), f.Data)
		}
	}
}

// leaveTries is how often the store is asked for whose owner is just leaving: each
// time waits for a second, and a server has its sandbox to put away.
const leaveTries = 20

// history is what caselsp history says, once the editor's server has left.
func (n *nvimRun) history(ctx context.Context) (out []byte, err error) {
	for range leaveTries {
		var stderr bytes.Buffer
		cmd := n.command(ctx, "caselsp", "history", "--json")
		cmd.Stderr = &stderr
		if out, err = cmd.Output(); err == nil {
			break
		}
		err = fmt.Errorf("%w\n%s", err, stderr.String())
		if !strings.Contains(stderr.String(), "is in use by process") {
			break
		}
	}
	return out, err
}

// decisionLine is a decision as scenarios have it.
func decisionLine(j record.Judged) string {
	how := "refused"
	if j.Allowed {
		how = "allowed"
	}
	line := fmt.Sprintf("%s %s %s (%s)", j.By, how, j.Line, j.How)
	if j.By == record.ByUser && j.Reason != "" {
		line += ": " + j.Reason
	}
	return line
}

// explain prints what somebody needs who reads why a scenario failed.
func (n *nvimRun) explain() {
	n.t.Logf("what the user saw and did:\n%s", n.read("transcript"))
	for i, r := range n.model.Requests() {
		n.t.Logf("request %d to the model: role %q, answered by %q", i+1, r.Role, r.Answered)
	}
	n.t.Logf("Neovim's log of its servers:\n%s", n.read(".state/nvim/lsp.log"))
	err := filepath.WalkDir(n.at(".state"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, ".log") && !strings.Contains(file, "nvim") {
			text, _ := os.ReadFile(file)
			n.t.Logf("%s:\n%s", d.Name(), text)
		}
		return err
	})
	if err != nil {
		n.t.Logf("the server's log: %v", err)
	}
}

// part is a file of the archive, which must be there.
func (n *nvimRun) part(name string) string {
	for _, f := range n.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	n.t.Fatalf("the scenario has no %s", name)
	return ""
}

// read is a file that the run has made; what is missing reads so.
func (n *nvimRun) read(name string) string {
	text, err := os.ReadFile(n.at(name))
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	} else if err != nil {
		return fmt.Sprint(err)
	}
	return string(text)
}

func (n *nvimRun) at(name string) string { return filepath.Join(n.dir, filepath.FromSlash(name)) }

func (n *nvimRun) absolute(name string) string {
	file, err := filepath.Abs(name)
	if err != nil {
		n.t.Fatal(err)
	}
	return file
}
