package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"caselsp/agent/llm/llmtest"

	"golang.org/x/tools/txtar"
)

// vscodeTime ends a scenario that hangs; the user's own waits end sooner.
const vscodeTime = 6 * time.Minute

// vscodeSource is the extension.
const vscodeSource = "../../editors/vscode"

// vscodeUser are the settings of a user who wants to see the project and nothing else.
const vscodeUser = `{
	"workbench.startupEditor": "none", "chat.disableAIFeatures": true, "workbench.tips.enabled": false, "telemetry.telemetryLevel": "off",
	"extensions.autoCheckUpdates": false, "update.mode": "none", "git.enabled": false, "editor.minimap.enabled": false,
	"security.workspace.trust.enabled": false, "files.autoSave": "off", "workbench.enableExperiments": false
}`

// TestVSCode runs the scenarios of testdata/vscode in a real VS Code (code-server, in a headless Chromium)
// with the extension as it is packaged, against the real server, a scripted model and a real sandbox. The
// scenarios are written as those of TestNeovim, but for
//
//	user.js      what the user does (see testdata/vscode/user.cjs for the words)
//	window       the folders that the window shows, one a line; the project where it is left out
//
// They run one at a time: each takes a gigabyte. With -update, pictures are taken for the documentation.
func TestVSCode(t *testing.T) {
	need(t, "vscode")
	need(t, "chromium")
	scenarios, err := filepath.Glob("testdata/vscode/*.txtar")
	if err != nil || len(scenarios) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	extension := packVSCode(t)
	for _, file := range scenarios {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			run := &vscodeRun{nvimRun: nvimRun{t: t, dir: t.TempDir(), archive: archive}, extension: extension}
			run.run()
		})
	}
}

// packVSCode packages the extension as `make vscode` does and returns the file.
func packVSCode(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "caselsp.vsix")
	cmd := exec.CommandContext(t.Context(), "npm", "run", "--silent", "package", "--", "-o", file)
	cmd.Dir = vscodeSource
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm run package: %v\n%s", err, out)
	}
	return file
}

// vscodeRun is one scenario. Its project, model and store are those of one in Neovim.
type vscodeRun struct {
	nvimRun
	extension string
}

func (v *vscodeRun) run() {
	t := v.t
	script, err := llmtest.ParseScript(v.part("model.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(v.part("model.txt"), "RUN_COMMAND") {
		need(t, "docker")
	}
	v.model = llmtest.New(script)
	t.Cleanup(v.model.Close)
	v.write()
	t.Cleanup(func() {
		if t.Failed() {
			v.explain()
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), vscodeTime)
	defer cancel()
	address := v.serve(ctx)
	v.use(ctx, address)
	for _, f := range v.model.Failures() {
		t.Errorf("the model: %s", f)
	}
	if unused := v.model.Unused(); len(unused) > 0 && !t.Failed() {
		t.Errorf("the model was not asked for: %s", strings.Join(unused, ", "))
	}
	v.compare()
	if v.has("states") {
		v.states(ctx)
	}
}

// has reports whether the scenario has a file.
func (v *vscodeRun) has(name string) bool {
	for _, f := range v.archive.Files {
		if f.Name == name {
			return true
		}
	}
	return false
}

// write makes the user's home: the project, the settings and the extension.
func (v *vscodeRun) write() {
	files := map[string]string{"scenario.js": v.part("user.js"), "vscode/data/Machine/settings.json": vscodeUser, "window.code-workspace": v.workspace()}
	for _, f := range v.archive.Files {
		if strings.HasPrefix(f.Name, "project/") {
			files[f.Name] = string(f.Data)
		}
	}
	for name, text := range files {
		file := v.at(name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			v.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			v.t.Fatal(err)
		}
	}
}

// workspace is the file of a window with several folders.
func (v *vscodeRun) workspace() string {
	type folder struct {
		Path string `json:"path"`
	}
	var w struct {
		Folders []folder `json:"folders"`
	}
	if v.has("window") {
		for name := range strings.FieldsSeq(v.part("window")) {
			w.Folders = append(w.Folders, folder{v.at(name)})
		}
	}
	text, err := json.Marshal(w)
	if err != nil {
		v.t.Fatal(err)
	}
	return string(text)
}

// server is VS Code's server with the arguments that all its calls share.
func (v *vscodeRun) server(ctx context.Context, args ...string) *exec.Cmd {
	cmd := v.command(ctx, editorProgram("vscode"), append([]string{"--server-data-dir", v.at("vscode"), "--extensions-dir", v.at("extensions"),
		"--accept-server-license-terms", "--telemetry-level", "off"}, args...)...)
	cmd.Env = append(cmd.Env, "VSCODE_CLI=1") // else it takes the PATH of a login shell
	// Its children outlive it: they end as a group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// serve installs the extension and starts VS Code; it returns its address.
func (v *vscodeRun) serve(ctx context.Context) string {
	if out, err := v.server(ctx, "--install-extension", v.extension, "--start-server=false").CombinedOutput(); err != nil {
		v.t.Fatalf("installing the extension: %v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		v.t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	if err := free.Close(); err != nil {
		v.t.Fatal(err)
	}
	log, err := os.Create(v.at("server.log"))
	if err != nil {
		v.t.Fatal(err)
	}
	cmd := v.server(ctx, "--host", "127.0.0.1", "--port", fmt.Sprint(port), "--without-connection-token", "--disable-workspace-trust", "--enable-smoke-test-driver")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() {
		_ = cmd.Cancel() // it may have ended
		_ = cmd.Wait()
		log.Close()
	})
	return fmt.Sprintf("http://127.0.0.1:%d", port)
}

// use has the user do what the scenario says, in a browser.
func (v *vscodeRun) use(ctx context.Context, address string) {
	query := "?folder=" + v.at("project")
	if v.has("window") {
		query = "?workspace=" + v.at("window.code-workspace")
	}
	cmd := v.command(ctx, "node", v.absolute("testdata/vscode/user.cjs"))
	pictures := ""
	if *update {
		pictures = v.absolute(vscodeSource + "/media")
	}
	cmd.Env = append(cmd.Env, "SCENARIO="+v.at("scenario.js"), "SCENARIO_ADDRESS="+address+query, "SCENARIO_PICTURES="+pictures, "SCENARIO_FAILED="+v.failed(),
		"SCENARIO_CHROMIUM="+editorProgram("chromium"), "NODE_PATH="+filepath.Join(filepath.Dir(filepath.Dir(editorProgram("vscode"))), "node_modules"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		v.t.Errorf("the user: %v\n%s", err, said.String())
	}
}

// failed is where a picture of the window goes when a scenario fails; "" for nowhere.
func (v *vscodeRun) failed() string {
	if dir := os.Getenv("CASELSP_PICTURES"); dir != "" {
		return filepath.Join(dir, filepath.Base(v.t.Name())+".png")
	}
	return ""
}
