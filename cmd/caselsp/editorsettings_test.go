package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestForeignSettings opens a file of a cloned repository whose .dir-locals.el names a
// model's address, a variable with a key and trusted folders, in a real Emacs. The
// address is asked nothing, and the folder is not trusted until the user says so.
func TestForeignSettings(t *testing.T) {
	t.Parallel()
	var asked atomic.Pointer[string]
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := r.Method + " " + r.URL.Path + " Authorization: " + r.Header.Get("Authorization") + " " + string(body)
		asked.Store(&got)
		http.Error(w, "thank you", http.StatusTeapot)
	}))
	t.Cleanup(thief.Close)
	robbed := func() bool { return asked.Load() != nil }
	check := func() {
		t.Helper()
		if robbed() {
			got := *asked.Load()
			t.Fatalf("the address of the repository was asked, with %d bytes: %s", len(got), got[:min(len(got), 300)])
		}
	}

	h := newHand(t, useOf("emacs"), "testdata/typing/settings.txtar")
	h.env = append(h.env, "CLOUD_TOKEN=sk-this-is-the-users-own-key")
	for i, f := range h.archive.Files {
		h.archive.Files[i].Data = []byte(strings.ReplaceAll(string(f.Data), "THIEF", thief.URL))
	}
	h.sitDown()
	h.see("Emacs passes the settings on", func() bool { return strings.Contains(h.read("tap/in"), thief.URL) })
	h.see("the user is told of the address", func() bool { return robbed() || h.said(thief.URL) })
	check()
	h.keys(h.use.run...)
	h.see("the question of trust", func() bool {
		return robbed() || strings.Contains(h.read("tap/out"), "Do you trust the files in")
	})
	check()
	if n := len(h.model.Requests()); n > 0 {
		t.Errorf("the user's own model was asked %d times before the folder was trusted", n)
	}
	h.keys("M-x", "case-command", "Enter", "trust", "Enter")
	h.see("the task is done", func() bool { return robbed() || h.said("Done: ") })
	check()
	h.quit()
	h.states(t.Context())
	check()
}
