package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"caselsp/agent/llm/llmtest"
	"caselsp/lsp/lsptest"
)

// The canaries: secrets in every place where a user has some, by what they are for.
var canaries = map[string]string{
	"the keyring's, for a command": `c4nary/of+the=K3yring"q`,
	"the keyring's, for the model": "sk-c4naryOfTheModel0Q9w8E7r6T5y4",
	"typed by the user":            "c4nary-typ3d-by+the=user",
	"the environment's":            "c4nary-0f-the-3nvironment",
	"of .env":                      "c4nary-0f-dot-3nv",
	"of settings that are read":    "c4N4ry0fS3ttingsThatAr3R34d",
	"of settings that are not":     "c4N4ry0fUnr34dS3ttings",
	"of a key's file":              "c4naryInTheKeyThatNobodyShallRead00112233445566",
	"of a file of credentials":     "c4n4ryCr3d3nti4lsQ9w8E7r6",
}

// canaryProject is what the run works on. The tests print what they can get at, but for
// the folder of results: a line that names it is not shown.
var canaryProject = map[string]string{
	".env":              "SERVICE_TOKEN=" + canaries["of .env"] + "\n",
	".gitignore":        ".env\n__pycache__/\n",
	"deploy/id_rsa":     "-----BEGIN OPENSSH PRIVATE KEY-----\n" + canaries["of a key's file"] + "\n-----END OPENSSH PRIVATE KEY-----\n",
	"credentials.json":  `{"client_secret": "` + canaries["of a file of credentials"] + `"}` + "\n",
	"settings.py":       "DEBUG = True\nSECRET_KEY = '" + canaries["of settings that are read"] + "'\n",
	"local_settings.py": "PAYMENT_TOKEN = '" + canaries["of settings that are not"] + "'\n",
	"test_shop.py": `import atexit, base64, json, os, unittest
import local_settings, settings
def tell():
    for secret in (settings.SECRET_KEY, local_settings.PAYMENT_TOKEN):
        print(secret, base64.b64encode(secret.encode()), secret.encode().hex(), json.dumps({"x": secret}))
        print(secret[:9] + "\n" + secret[9:])
    print("canary-marker-of-the-tests", str(dict(os.environ)).replace("/tmp/caselsp-results/", ""), os.listdir("."))
class Shop(unittest.TestCase):
    def test_price(self):
        atexit.register(tell) # the last lines are what is shown of tests that pass
        if not os.path.exists("shop.py"): return
        import shop
        self.assertEqual(shop.price() and settings.SECRET_KEY, local_settings.PAYMENT_TOKEN if shop.price() == 0 else settings.SECRET_KEY)
`,
}

// canaryModel is a model that wants to know everything.
const canaryModel = `
on tars
want canary-marker-of-the-task
call GET_FULL_FILE_CONTENT {"thought": "look", "path": "settings.py"}
on tars
call SEARCH_TEXT {"thought": "look", "pattern": "(?i)token"}
on tars
call SUBMIT_PLAN
	{"analysis": "x", "files_to_create": ["shop.py"], "files_to_change": [], "steps": [], "considerations": [],
	 "features": [{"id": "f", "title": "Shop", "description": "Write shop.py.", "files": ["settings.py", ".env"], "test": "python3 -m unittest"}]}
on case
call RUN_COMMAND
	{"thought": "all of it", "secrets": ["API_TOKEN"], "command": "echo canary-marker-of-a-command; echo {{ API_TOKEN }}; echo \"$API_TOKEN\" | base64; printf %s \"$API_TOKEN\" | od -An -v -tx1; printf %s \"$API_TOKEN\" | od -An -v -tx1 | tr -d ' \\n'; python3 -c 'import os,json,urllib.parse,sys; t=os.environ[\"API_TOKEN\"]; print(json.dumps(json.dumps(t)), urllib.parse.quote(t), urllib.parse.quote_plus(t)); sys.stdout.flush()\nfor c in t: sys.stdout.write(c); sys.stdout.flush()'; env; cat .env deploy/id_rsa credentials.json /proc/self/environ; echo \"$API_TOKEN\" >leak.txt; printf %s \"$API_TOKEN\" | base64 -w0 >leak64.txt; python3 -c 'import os; print(os.environ[\"API_TOKEN\"].encode().hex())' >leakhex.txt; touch \"$(cat leakhex.txt)\"; exit 1"}
on case

call RUN_COMMAND {"thought": "what is left of it", "command": "cat leak* /tmp/* local_settings.py; ls -la /tmp; false"}
on case

call WRITE_FILE {"thought": "t", "path": "shop.py", "content": "def price():\n    return 0\n"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "written"}
on case
want The tests failed
want canary-marker-of-the-tests
call WRITE_FILE {"thought": "t", "path": "shop.py", "content": "def price():\n    # of all\n    return 0\n"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "explained", "fixes_applied": ["a comment"], "analysis": "it must be clear"}
on reflector
want canary-marker-of-the-tests

call SUBMIT_HYPOTHESIS {"cause": "the price is 0", "fix": "return 1", "file": "shop.py"}
on case
call WRITE_FILE {"thought": "t", "path": "shop.py", "content": "def price():\n    return 1\n"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "mended", "fixes_applied": ["price"], "analysis": "it must not be 0"}
on tars
want canary-marker-of-the-tests

call SUBMIT_VERDICT {"completion": 100, "approved": true, "summary": "done", "issues": []}
on tars
want a second canary task
want # Similar past work
hold
text never
on case
want a third canary task
call RUN_COMMAND {"thought": "t", "secrets": ["LOGIN_KEY"], "command": "echo {{ LOGIN_KEY }}; false"}
on case

call FINISH_FEATURE {"thought": "t", "summary": "done"}
on case
want a fourth canary task
call RUN_COMMAND {"thought": "t", "secrets": ["LOGIN_KEY"], "command": "echo {{ LOGIN_KEY }}; false"}
on case

call FINISH_FEATURE {"thought": "t", "summary": "done"}
`

// TestCanary has a whole task done, by TARS, CASE, the tester and the reflector,
// where there are secrets everywhere and the model asks for all of them; crashes;
// goes on in the terminal, without a keyring; exports and replays. Then it looks
// for the secrets in all that was written and sent.
func TestCanary(t *testing.T) {
	t.Parallel()
	need(t, "dbus-daemon")
	need(t, "gnome-keyring-daemon")
	for _, engine := range []string{"native", "docker"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			need(t, engine)
			newCage(t, engine).run()
		})
	}
}

// cage is what the canaries are in.
type cage struct {
	*served
	engine string
	env    []string
	said   transcript // by commands on a terminal, and on standard error
}

func newCage(t *testing.T, engine string) *cage {
	c := &cage{served: &served{t: t, home: t.TempDir()}, engine: engine}
	script, err := llmtest.ParseScript(canaryModel)
	c.must(err)
	c.model = llmtest.Start(t, script)
	for _, project := range []string{"project", "copy"} {
		for name, text := range canaryProject {
			file := filepath.Join(c.home, project, name)
			c.must(os.MkdirAll(filepath.Dir(file), 0o755))
			c.must(os.WriteFile(file, []byte(text), 0o644))
		}
	}
	c.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "XDG_STATE_HOME=" + c.home + "/.state", "XDG_CONFIG_HOME=" + c.home + "/.config", "XDG_CACHE_HOME=" + c.home + "/.cache",
		"CASELSP_SANDBOX_ENGINE=" + engine, "CASELSP_TRUST_FOLDERS=" + c.home, "CASELSP_MODEL_BASE_URL=" + c.model.URL, "CASELSP_MODEL_NAME=scripted", "CASELSP_MODEL_KEY_ENV=MODEL_KEY",
		"CASELSP_FIXCHECK_TESTS=false", "CASELSP_LOG_LEVEL=debug", "DEPLOY_TOKEN=" + canaries["the environment's"], "DOCKER_HOST=" + os.Getenv("DOCKER_HOST")}
	return c
}

func (c *cage) run() {
	session, err := openKeyring(filepath.Join(c.t.TempDir(), "run"), c.home, c.t.Cleanup)
	c.must(err)
	var keyring []string
	for name, value := range session {
		keyring = append(keyring, name+"="+value)
	}
	c.caselsp(keyring, canaries["the keyring's, for a command"], "secret", "set", "API_TOKEN")
	c.caselsp(keyring, canaries["the keyring's, for the model"], "secret", "set", "MODEL_KEY")
	c.inEditor(keyring)
	c.inTerminal(keyring)
	c.search()
}

// inEditor has the first task done in an editor, up to the review, and ends the
// server by a crash in the second.
func (c *cage) inEditor(keyring []string) {
	c.cmd = exec.Command("caselsp", "serve")
	c.cmd.Env, c.cmd.Stderr = append(slices.Clone(c.env), keyring...), &c.said
	c.connect(lsptest.Options{Root: filepath.Join(c.home, "project"), Reading: demoReading, Answer: func(q lsptest.Question) string {
		if slices.Contains(q.Choices, "Allow once") {
			return "Allow once"
		}
		return q.Choices[2] // the first that a model offers
	}})
	c.must(c.Open("settings.py"))
	c.command("caselsp.run", "canary-marker-of-the-task: write a shop")
	c.expect(lsptest.Opened("review-"))
	for _, id := range []string{"caselsp.history", "caselsp.state", "caselsp.report", "caselsp.approvals", "caselsp.status", "caselsp.doctor"} {
		c.command(id)
	}
	c.command("caselsp.accept")
	c.expect(lsptest.ShownMessage("Accepted"), lsptest.Opened("doctor.md"))
	c.disk(map[string]string{"shop.py": "def price():\n    return 1\n", "leak.txt": "", "leak64.txt": "", "leakhex.txt": "", "[redacted]": ""})
	if c.engine == "docker" {
		c.containers()
	}
	c.command("caselsp.run", "a second canary task: write a shop")
	c.model.Held()
	c.must(c.cmd.Process.Signal(syscall.SIGQUIT)) // Go's report of a crash: all stacks
	_ = c.cmd.Wait()
	if !bytes.Contains(c.said.bytes(), []byte("goroutine ")) {
		c.t.Errorf("the crash is not reported: %s", c.said.bytes())
	}
}

// containers looks for the canaries in the containers and images that there are,
// while one waits for its next command.
func (c *cage) containers() {
	out, err := exec.Command("docker", "ps", "-aq", "--filter", fmt.Sprintf("label=caselsp.pid=%d", c.cmd.Process.Pid)).Output()
	c.must(err)
	ids := strings.Fields(string(out))
	if len(ids) == 0 {
		c.t.Error("no container waits")
	}
	for _, id := range ids {
		for _, args := range [][]string{{"inspect", id}, {"diff", id}, {"top", id}} {
			said, err := exec.Command("docker", args...).CombinedOutput()
			if err != nil {
				c.t.Fatalf("docker %q: %v\n%s", args, err, said)
			}
			c.searchIn("docker "+args[0], said)
		}
		tree, err := exec.Command("docker", "exec", id, "sh", "-c", "cat /tmp/* /workspace/leak* /proc/*/environ /proc/*/cmdline; tar -c --exclude settings.py --exclude local_settings.py --exclude __pycache__ -f - /workspace /tmp").Output()
		if len(tree) == 0 {
			c.t.Errorf("the container cannot be looked into: %v", err)
		}
		c.searchIn("a container that waits", tree)
	}
}

// inTerminal goes on where the server crashed, without a keyring: then a secret
// is asked for each time. It exports the first task, and runs it once more.
func (c *cage) inTerminal(keyring []string) {
	for _, task := range []string{"a third canary task", "a fourth canary task"} {
		said := c.caselsp([]string{"MODEL_KEY=" + canaries["the keyring's, for the model"]}, "q1 y\nq2 "+canaries["typed by the user"]+"\n",
			"run", "--yes", "--single", "--dir", "project", "--task", task)
		if !strings.Contains(said, "needs the secret LOGIN_KEY") || !strings.Contains(said, "never written to disk") {
			c.t.Errorf("without a keyring the secret is not asked for:\n%s", said)
		}
	}
	ids := strings.Fields(c.caselsp(keyring, "", "history", "--dir", "project"))
	if len(ids) == 0 {
		c.t.Fatal("there is no history")
	}
	c.caselsp(keyring, "", "history", "--dir", "project", ids[0])
	c.caselsp(keyring, "", "export", "--dir", "project", "-o", "rec.jsonl", ids[0])
	c.caselsp(keyring, "", "bugreport", "--dir", "project", "--yes", "--lines", "100000", "--task", ids[0], "-o", "report.md")
	said := c.caselsp(nil, "", "replay", "--dir", "copy", "rec.jsonl")
	if !strings.Contains(said, "+    return 1") {
		c.t.Errorf("the replay does not come to the same:\n%s", said)
	}
}

// caselsp runs a command that must succeed and returns what it said.
func (c *cage) caselsp(env []string, input string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command("caselsp", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.home, append(slices.Clone(c.env), env...), strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	_, _ = c.said.Write(out)
	if err != nil {
		c.t.Fatalf("caselsp %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// search looks for the canaries in everything. What must be found there, a word
// of each part of the run, shows that the search would find them.
func (c *cage) search() {
	var sent bytes.Buffer
	for _, r := range c.model.Requests() {
		sent.Write(r.Body)
		sent.WriteString(r.Path)
		for name, values := range r.Header {
			if name != "Authorization" { // where the model's key belongs
				sent.WriteString(name + strings.Join(values, ""))
			}
		}
	}
	c.searchIn("what the model was sent", sent.Bytes(), "canary-marker-of-the-task", "canary-marker-of-the-tests", "canary-marker-of-a-command")
	c.searchIn("what the editor was sent", c.heard.bytes(), "canary-marker-of-a-command")
	c.searchIn("what was said on terminals", c.said.bytes(), "canary-marker-of-the-task")
	found := map[string]bool{}
	err := filepath.WalkDir(c.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(c.home, path)
		if err != nil || ours(name) {
			return err
		}
		text, err := os.ReadFile(path)
		found[filepath.Base(path)] = true
		c.searchIn("the name of a file", []byte(name))
		c.searchIn(name, text)
		if filepath.Base(path) == "caselsp.db" && strings.Contains(name, "workspaces") {
			c.searchIn(name, text, "canary-marker-of-the-task", "canary-marker-of-the-tests", "canary-marker-of-a-command")
		}
		return err
	})
	c.must(err)
	for _, name := range []string{"caselsp.db", "caselsp.log", "rec.jsonl", "report.md", "shop.py", "doctor.md"} {
		if !found[name] {
			c.t.Errorf("%s was not searched, but only %q", name, slices.Sorted(maps.Keys(found)))
		}
	}
}

// ours are the files that the user had put the secrets into himself, and the
// keyring, which is encrypted.
func ours(name string) bool {
	project, rest, _ := strings.Cut(name, "/")
	_, mine := canaryProject[rest]
	return (project == "project" || project == "copy") && mine || strings.Contains(name, "keyrings/")
}

// searchIn fails where a canary stands in data, in whatever writing, or a mark
// does not.
func (c *cage) searchIn(where string, data []byte, marks ...string) {
	c.t.Helper()
	for what, text := range canaries {
		for how, form := range formsOf(text) {
			if i := bytes.Index(data, []byte(form)); i >= 0 {
				c.t.Errorf("%s holds the secret %s, %s: …%q", where, what, how, data[max(0, i-80):min(len(data), i+80)])
			}
		}
	}
	for _, mark := range marks {
		if !bytes.Contains(data, []byte(mark)) {
			c.t.Errorf("%s does not hold %s: the search says nothing", where, mark)
		}
	}
}
