package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"caselsp/store"
)

// TestFileLog writes one record at each level, through each kind of handler that
// slog asks for.
func TestFileLog(t *testing.T) {
	for _, tt := range []struct{ least, want string }{
		{"debug", `{"level":"debug","message":"d"}
{"level":"info","message":"i","task":"t1","took":1500,"error":"gone","at":{"path":"a","line":3}}
{"level":"warning","message":"w","task":"t1","round":2,"agent":"case","n":1}
{"level":"error","message":"e","task":"t1","group":{"n":1}}
{"level":"critical","message":"c","task":"t1"}
`},
		{"error", `{"level":"error","message":"e","task":"t1","group":{"n":1}}
{"level":"critical","message":"c","task":"t1"}
`},
		{"critical", `{"level":"critical","message":"c","task":"t1"}
`},
	} {
		var out bytes.Buffer
		log := slog.New(newFileLog(&out, levels[tt.least]))
		log.Debug("d")
		log.Info("i", "task", "t1", "took", 1500*time.Nanosecond, "error", errors.New("gone"), slog.Group("at", "path", "a", "line", 3))
		task := log.With("task", "t1")
		task.With("round", 2, "agent", "case").Warn("w", "n", 1)
		task.WithGroup("group").Error("e", "n", 1)
		task.Log(t.Context(), critical, "c")
		stamp := regexp.MustCompile(`"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)",`)
		if got := stamp.ReplaceAllString(out.String(), ""); got != tt.want || len(stamp.FindAllString(out.String(), -1)) != strings.Count(tt.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.least, out.String(), tt.want)
		}
	}
}

// TestFileLogRedacts shows that no form in which zap writes a value gets a secret
// past the store's writer.
func TestFileLogRedacts(t *testing.T) {
	const secret = `hunter2"\é` + "\n\x01"
	dir := t.TempDir()
	s, err := store.Open(store.Options{StateDir: dir, Workspace: "w", Secrets: []string{secret}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	file, err := s.LogFile()
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(newFileLog(file, slog.LevelDebug))
	log.With("with", secret).Info("message "+secret, "text", secret, "error", errors.New(secret), "bytes", []byte(secret), "list", []string{secret}, slog.Group("g", "x", secret))
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "workspaces", "w", "logs", "caselsp.log"))
	if err != nil || !json.Valid(text) || strings.Contains(string(text), "hunter2") || strings.Contains(string(text), "aHVudGVyM") ||
		strings.Count(string(text), "[redacted]") != 6 || !strings.Contains(string(text), base64.StdEncoding.EncodeToString([]byte("[redacted]"))) {
		t.Errorf("got %s, %v", text, err)
	}
}
