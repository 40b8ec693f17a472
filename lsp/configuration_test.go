package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// given returns the settings that the hook is handed, one text a call.
func given(calls chan string) func(*server) {
	return func(s *server) {
		s.config.apply = func(_ context.Context, layers []layer) error {
			var list []string
			wrong := error(nil)
			for _, l := range layers {
				list = append(list, l.Origin.String()+"="+string(l.JSON))
				if strings.Contains(string(l.JSON), "modle") {
					wrong = errors.New(l.Origin.String() + ": there is no setting modle; did you mean model?")
				}
			}
			calls <- strings.Join(list, " ")
			return wrong
		}
	}
}

func settings(text string) map[string]json.RawMessage {
	return map[string]json.RawMessage{Name: json.RawMessage(text)}
}

// TestConfigurationPull is about clients that are asked.
func TestConfigurationPull(t *testing.T) {
	calls := make(chan string, 9)
	next := func(want string) {
		t.Helper()
		if got := <-calls; got != want {
			t.Errorf("given %q, want %q", got, want)
		}
	}
	s := begin(t, lsptest.Options{InitializationOptions: json.RawMessage(`{"model":"a"}`), Settings: settings(`{"model":"b"}`)}, given(calls))
	next(`initializationOptions={"model":"a"} workspace/configuration={"model":"b"}`)
	s.must(s.SetSettings(settings(`{"modle":"c"}`)))
	next(`initializationOptions={"model":"a"} workspace/configuration={"modle":"c"}`)
	s.expect(lsptest.ShownMessage("workspace/configuration: there is no setting modle"))
	s.must(s.SetSettings(settings(`["model"]`)))
	next(`initializationOptions={"model":"a"}`)
	s.expect(lsptest.ShownMessage(`the settings of caselsp must be an object, not ["model"]`))
	s.must(s.SetSettings(nil))
	next(`initializationOptions={"model":"a"}`)
	s.expect(lsptest.Expectation{What: "the registration", Check: func(s *lsptest.State) lsptest.Verdict {
		if len(s.Registered) != 1 {
			return lsptest.Unmet
		}
		return lsptest.Met
	}})
	if r := s.State().Registered[0]; r.Method != protocol.MethodWorkspaceDidChangeConfiguration || string(r.RegisterOptions) != `{"section":"caselsp"}` {
		t.Errorf("%+v", r)
	}
}

// TestConfigurationFirst sends what needs the settings right behind their change: it has
// to wait until they hold.
func TestConfigurationFirst(t *testing.T) {
	began, release := make(chan bool), make(chan bool)
	var held atomic.Bool
	var c *configuration
	begin(t, lsptest.Options{Settings: settings(`{"model":"a"}`)}, func(s *server) {
		c = s.config
		c.apply = func(context.Context, []layer) error {
			began <- true
			<-release
			held.Store(true)
			return nil
		}
	})
	<-began
	go close(release)
	if c.wait(t.Context()); !held.Load() {
		t.Error("the settings that were under way do not hold yet")
	}
	c.wait(t.Context()) // nothing is under way
}

// TestConfigurationPush is about clients that cannot be asked and send all
// their settings or the server's alone.
func TestConfigurationPush(t *testing.T) {
	calls := make(chan string, 9)
	s := begin(t, lsptest.Options{Initialize: json.RawMessage(`{"capabilities":{}}`)}, given(calls))
	if got := <-calls; got != "" {
		t.Errorf("at first: %q", got)
	}
	for _, pushed := range []string{`{"settings":{"python":{},"caselsp":{"model":"a"}}}`, `{"settings":{"model":"a"}}`} {
		s.must(s.Notify(protocol.MethodWorkspaceDidChangeConfiguration, json.RawMessage(pushed)))
		if got := <-calls; got != `workspace/didChangeConfiguration={"model":"a"}` {
			t.Errorf("%s: %q", pushed, got)
		}
	}
}

// TestConfigurationMistakeIsShownOnce shows that the same mistake does not pop up
// at every change.
func TestConfigurationMistakeIsShownOnce(t *testing.T) {
	calls := make(chan string, 9)
	s := begin(t, lsptest.Options{Settings: settings(`{"modle":1}`)}, given(calls))
	<-calls
	for _, text := range []string{`{"modle":2}`, `{"modle":3}`, `{}`, `{"modle":4}`} {
		s.must(s.SetSettings(settings(text)))
		for got := <-calls; !strings.Contains(got, text); {
			t.Fatalf("given %q, want %s", got, text)
		}
	}
	s.expect(lsptest.Expectation{What: "two messages", Check: func(s *lsptest.State) lsptest.Verdict {
		switch n := len(s.Messages); {
		case n < 2:
			return lsptest.Unmet
		case n > 2:
			return lsptest.Unmeetable
		}
		return lsptest.Met
	}})
}

// TestConfigurationFails shows a hook that panics and a client that fails: the
// user is told, and the next change counts.
func TestConfigurationFails(t *testing.T) {
	calls := make(chan string, 9)
	broken := true
	s := begin(t, lsptest.Options{}, func(s *server) {
		given(calls)(s)
		configure := s.config.apply
		s.config.apply = func(ctx context.Context, layers []layer) error {
			if broken {
				broken = false
				panic("no settings today")
			}
			return configure(ctx, layers)
		}
	})
	s.expect(lsptest.ShownMessage("reading the settings failed"), lsptest.Logged("no settings today"))
	s.must(s.SetSettings(settings(`{"model":"b"}`)))
	if got := <-calls; !strings.Contains(got, `"b"`) {
		t.Error(got)
	}
}
