package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/llm/llmtest"
)

// TestSecretKinds has a model read notes in which the values of secret files stand without
// their names, and in other writings. The files have the names that used to be unknown.
func TestSecretKinds(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	files := map[string]string{
		"backend/.env":            "DB_PASS=Kite_Tor_11  # the old one\nSIGNING_SECRET=\"first\nKite_Tor_12\"\n",
		"prod.env":                "SMTP_PASS='Kite_Tor_13'\n",
		"infra/terraform.tfstate": `{"outputs": {"db_password": {"value": "Kite_Tor_14"}}}`,
		"infra/prod.tfvars":       "db_password = \"Kite_Tor_15\"\n",
		"service-account.json":    `{"client_secret": "Kite_Tor_16"}`,
		"kubeconfig":              "users:\n- user:\n    password: Kite_Tor_17\n",
		"web/.dev.vars":           "API_SECRET=Kite_Tor_18\n",
		"wp-config.php":           "<?php define('DB_PASSWORD', 'Kite_Tor_19');\n",
		".vault-token":            "Kite_Tor_20\n",
	}
	var notes strings.Builder
	for n := 11; n <= 20; n++ {
		value := "Kite_Tor_" + string(rune('0'+n/10)) + string(rune('0'+n%10))
		notes.WriteString("seen " + value + " and " + base64.StdEncoding.EncodeToString([]byte(value)) + " and " + value[:5] + "\x1b[1m" + value[5:] + "\n")
	}
	files["notes.txt"] = notes.String()
	for name, text := range files {
		path := filepath.Join(home, "project", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script, err := llmtest.ParseScript(`on case
call GET_FULL_FILE_CONTENT {"thought": "t", "path": "notes.txt"}
on case
want seen [redacted] and [redacted] and [redacted]
call SEARCH_TEXT {"thought": "t", "pattern": "Kite_Tor|PASS|password|seen"}
on case
call WRITE_FILE {"thought": "t", "path": "a.txt", "content": "done\n"}
on case
call FINISH_FEATURE {"thought": "t", "summary": "read"}
`)
	if err != nil {
		t.Fatal(err)
	}
	model := llmtest.Start(t, script)
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("caselsp", args...)
		cmd.Dir, cmd.Env = home, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home + "/.state", "XDG_CONFIG_HOME=" + home + "/.config",
			"CASELSP_SANDBOX_ENGINE=none", "CASELSP_TRUST_FOLDERS=" + home, "CASELSP_MODEL_BASE_URL=" + model.URL, "CASELSP_MODEL_NAME=scripted"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("caselsp %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	said := run("run", "--yes", "--single", "--dir", "project", "--task", "read the notes")
	run("export", "--dir", "project", "-o", "rec.jsonl", strings.Fields(run("history", "--dir", "project"))[0])
	recording, err := os.ReadFile(filepath.Join(home, "rec.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := append([]byte(said), recording...)
	for _, r := range model.Requests() {
		all = append(all, r.Body...)
	}
	for _, form := range []string{"Kite_Tor_1", "Kite_Tor_2", "Tor_1", base64.StdEncoding.EncodeToString([]byte("Kite_Tor_"))} {
		if bytes.Contains(all, []byte(form)) {
			t.Errorf("a secret comes through: …%s…", around(all, form))
		}
	}
}
