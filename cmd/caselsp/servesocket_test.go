package main

import (
	"bufio"
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"
)

// listening is the real server at a socket.
type listening struct {
	*lsptest.Editor
	t    *testing.T
	cmd  *exec.Cmd
	home string
	told *bufio.Reader // its standard error
	at   heard
}

// startListening starts `caselsp serve --socket` and reads where it listens.
func startListening(t *testing.T, address string, args ...string) *listening {
	t.Helper()
	s := &listening{t: t, home: t.TempDir()}
	s.cmd = exec.Command("caselsp", append([]string{"serve", "--json", "--socket", address}, args...)...)
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "XDG_STATE_HOME=" + filepath.Join(s.home, ".state"),
		"XDG_CONFIG_HOME=" + filepath.Join(s.home, ".config"), "CASELSP_SANDBOX_ENGINE=none", "CASELSP_TRUST_FOLDERS=" + s.home}
	stderr, err := s.cmd.StderrPipe()
	s.must(err)
	s.told = bufio.NewReader(stderr)
	s.must(s.cmd.Start())
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	})
	s.at = s.hear()
	return s
}

func (s *listening) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// hear returns the next line that the server tells.
func (s *listening) hear() heard {
	s.t.Helper()
	line, err := s.told.ReadString('\n')
	s.must(err)
	var h heard
	s.must(json.Unmarshal([]byte(line), &h))
	return h
}

// dial connects to it.
func (s *listening) dial() net.Conn {
	s.t.Helper()
	network := "tcp"
	if filepath.IsAbs(s.at.Address) {
		network = "unix"
	}
	conn, err := net.Dial(network, s.at.Address)
	s.must(err)
	s.t.Cleanup(func() { conn.Close() })
	return conn
}

// works expects that an editor is served to the end, and returns all that it heard.
func (s *listening) works(options string) string {
	s.t.Helper()
	project := filepath.Join(s.home, "project")
	s.must(os.MkdirAll(project, 0o700))
	conn, all := s.dial(), &transcript{}
	e := lsptest.Connect(lsptest.Join(struct {
		io.Reader
		io.Closer
	}{io.TeeReader(conn, all), conn}, conn), lsptest.Options{Root: project, InitializationOptions: json.RawMessage(options),
		Initialize: json.RawMessage(strings.Replace(string(lsptest.Modern), `"trace": "off"`, `"trace": "verbose"`, 1))})
	_, err := e.Initialize(s.t.Context())
	s.must(err)
	s.must(e.OpenText("a.py", "def broken(:\n"))
	s.must(e.Expect(s.t.Context(), lsptest.Diagnosed("a.py", "")))
	_, err = e.Command(s.t.Context(), "caselsp.doctor")
	s.must(err)
	s.must(e.Expect(s.t.Context(), lsptest.Opened("doctor.md")))
	s.must(e.Shutdown(s.t.Context()))
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("after shutdown and exit: %v", err)
	}
	return string(all.bytes())
}

// TestServeSocketToken shows that only a client with the token is served at a port:
// what a browser or another user sends first ends nothing, and the token stays out of
// everything that is kept and shown.
func TestServeSocketToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := startListening(t, "localhost:0", "--token-file", file)
	info, err := os.Stat(file)
	s.must(err)
	if text, _ := os.ReadFile(file); string(text) != s.at.Token+"\n" || len(s.at.Token) < 26 || info.Mode() != 0o600 {
		t.Errorf("the file holds %q with mode %v, told is %q", text, info.Mode(), s.at.Token)
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	for _, sends := range []string{
		"POST /a:b HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 75\r\n\r\n" + body,
		"GET / HTTP/1.1\r\n\r\n",
		"\x16\x03\x01",
		"Content-Length: 75\r\n\r\n" + body,
	} {
		conn := s.dial()
		_, _ = io.WriteString(conn, sends)
		if answer, _ := io.ReadAll(conn); strings.Contains(string(answer), "capabilities") {
			t.Errorf("%q is answered %q", sends, answer)
		}
		if why := s.hear().Refused; why == "" {
			t.Errorf("%q: no word of it", sends)
		}
	}
	silent := s.dial()
	heard := s.works(`{"token": "` + s.at.Token + `"}`)
	if rest, _ := io.ReadAll(silent); len(rest) > 0 {
		t.Errorf("silence is answered %q", rest)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the token's file is still there")
	}
	if strings.Contains(heard, s.at.Token) || strings.Contains(heard, "unknown setting") || !strings.Contains(heard, "logTrace") {
		t.Errorf("the editor heard of the token, or no trace: %s", heard)
	}
	s.must(filepath.WalkDir(s.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), s.at.Token) {
			t.Errorf("%s holds the token, or %v", path, err)
		}
		return nil
	}))
}
