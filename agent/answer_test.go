package agent

import (
	"errors"
	"testing"

	"caselsp/agent/record"
	"caselsp/store"
)

// TestHeld is about which answers to a model's question are held back: "no" for none, "ask"
// where the user may say that it is no secret, "yes".
func TestHeld(t *testing.T) {
	st, err := store.Open(store.Options{StateDir: t.TempDir(), Workspace: "w"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	st.Conceal("k9-known-value")
	a := New(Options{Store: st})
	for _, tt := range []struct{ question, answer, want string }{
		{"Which format?", "JSON", "no"},
		{"Which commit?", "3f18e546c1c0a9d2b8e7f6a5d4c3b2a190817263", "no"},
		{"Which run?", "550e8400-e29b-41d4-a716-446655440000", "no"},
		{"Which file?", "internal/http2/server_test.go", "no"},
		{"Which version?", "v1.2.3-rc.1+build.20260301", "no"},
		{"Where is it?", "https://example.com/v1/a8Xk2pQ9rT4mZ7wL", "no"},
		{"Which name?", "the one in get_token_from_header", "no"},
		{"Which key?", "a8Xk2pQ9rT4mZ7wLb3", "ask"},
		{"What is the password of the database?", "swordfish", "ask"},
		{"What is the password of the database?", "take hunter2 please", "ask"},
		{"What is the password of the database?", "it is in the vault", "no"},
		{"What is the password of the database?", "changeme", "no"},
		{"What kind of token?", "JWT", "no"},
		{"What kind of token?", "bearer", "ask"},
		{"What kind of token?", "opaque or bearer", "no"},
		{"What kind of token?", "session-4711", "no"}, // the model has offered it
		{"What is DB_PASSWORD?", "swordfish", "ask"},
		{"Which format?", "ghp_" + "Kq81mZx02TnVwb7Ye5RfLdA3uHs6oJq9cXzB", "yes"},
		{"Which format?", "the value is k9-known-value", "yes"},
	} {
		got := "no"
		q := record.Question{Text: tt.question, Subject: record.Input{Choices: []string{"session-4711"}}}
		for _, sure := range []bool{true, false} {
			var held *HeldBack
			if !errors.As(a.Held(q, record.Answer{Text: tt.answer, Sure: sure}), &held) {
				continue
			}
			got = "ask"
			if held.Sure {
				got = "yes"
			}
			if sure && !held.Sure {
				t.Errorf("%q, %q: held back although the user is sure", tt.question, tt.answer)
			}
		}
		if got != tt.want {
			t.Errorf("%q, %q: held back: %s, want %s", tt.question, tt.answer, got, tt.want)
		}
	}
}
