package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"caselsp/lsp/lsptest"
)

// BenchmarkStart measures from the start of the real program to its answer to
// initialize, over stdio. CASELSP_BENCH_SERVER names another language server to
// measure in the same way, such as gopls.
func BenchmarkStart(b *testing.B) {
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	home := b.TempDir()
	root := filepath.Join(home, "project")
	must(os.Mkdir(root, 0o755))
	must(os.WriteFile(filepath.Join(root, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644))
	must(os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example\n"), 0o644))
	command := []string{"caselsp", "serve"}
	if other := os.Getenv("CASELSP_BENCH_SERVER"); other != "" {
		command = []string{other}
	}
	for b.Loop() {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, ".state"), "XDG_CONFIG_HOME="+filepath.Join(home, ".config"))
		in, err := cmd.StdinPipe()
		must(err)
		out, err := cmd.StdoutPipe()
		must(err)
		must(cmd.Start())
		e := lsptest.Connect(lsptest.Join(out, in), lsptest.Options{Root: root})
		_, err = e.Initialize(b.Context())
		must(err)
		b.StopTimer()
		e.Hangup()
		_ = cmd.Wait() // how it ends when its editor is gone is another test's matter
		b.StartTimer()
	}
}
