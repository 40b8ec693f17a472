package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"caselsp/agent/validate"
	"caselsp/lsp/lsptest"

	"go.lsp.dev/protocol"
)

// puller is an editor that pulls the diagnostics of a.py from a server whose only
// finding says in which state the project was: "state 0" at first.
type puller struct {
	*session
	clock *lsptest.Clock

	mu     sync.Mutex
	state  int
	during []func() // run in turn, one in each judgement, after it has read the state
}

func pull(t *testing.T, during ...func(p *puller)) *puller {
	t.Helper()
	p := &puller{}
	for _, f := range during {
		p.during = append(p.during, func() { f(p) })
	}
	init := strings.Replace(string(lsptest.Modern), `"textDocument": {`, `"textDocument": {"diagnostic": {},`, 1)
	p.session = begin(t, lsptest.Options{Initialize: json.RawMessage(init)}, func(s *server) {
		p.clock = freeze(s)
		s.install()
		s.diagnostics.judge = p.judge
	})
	p.must(p.OpenText("a.py", "x = 1\n"))
	p.settle()
	return p
}

// judge is the server's judge.
func (p *puller) judge(*document) []validate.Finding {
	p.mu.Lock()
	found := []validate.Finding{{Message: fmt.Sprintf("state %d", p.state)}}
	then := func() {}
	if len(p.during) > 0 {
		then, p.during = p.during[0], p.during[1:]
	}
	p.mu.Unlock()
	then()
	return found
}

// change is a change of another file, on which the findings depend. It returns when
// the editor has been asked to pull again.
func (p *puller) change() {
	p.mu.Lock()
	p.state++
	p.mu.Unlock()
	before := len(p.State().Refreshed)
	p.srv.diagnostics.again([]*document{p.srv.docs.get(p.uri("a.py"))})
	p.refreshed(before + 1)
}

// refreshed waits until the editor has been asked to pull again so many times.
func (p *puller) refreshed(times int) {
	p.t.Helper()
	p.expect(lsptest.Expectation{What: fmt.Sprintf("%d requests to pull again", times), Check: func(s *lsptest.State) lsptest.Verdict {
		if len(s.Refreshed) < times {
			return lsptest.Unmet
		}
		return lsptest.Met
	}})
}

// send sends a pull.
func (p *puller) send() *lsptest.Pending {
	p.t.Helper()
	sent, err := p.Send(protocol.MethodTextDocumentDiagnostic, map[string]any{"textDocument": map[string]any{"uri": p.uri("a.py")}})
	p.must(err)
	return sent
}

// answered waits for the answer to a pull and expects its finding.
func (p *puller) answered(sent *lsptest.Pending, want string) {
	p.t.Helper()
	var report struct{ Items []struct{ Message string } }
	var raw json.RawMessage
	p.must(sent.Wait(p.t.Context(), &raw))
	p.must(json.Unmarshal(raw, &report))
	if len(report.Items) != 1 || report.Items[0].Message != want {
		p.t.Errorf("pulled %s, want %q", raw, want)
	}
}

// TestPullAfterOthersLooked shows that a judgement for something else, here a menu
// of code actions, does not make an older result pass for that of the new round.
func TestPullAfterOthersLooked(t *testing.T) {
	p := pull(t)
	p.answered(p.send(), "state 0")
	p.change()
	_, err := p.CodeActions(t.Context(), "a.py", 0, 0)
	p.must(err)
	p.answered(p.send(), "state 1")
}

// TestPullBesideAnother shows that a pull that comes while another one is judged is
// not answered with what was found before the change.
func TestPullBesideAnother(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	p := pull(t, func(*puller) {}, func(*puller) { close(begun); <-goOn })
	p.answered(p.send(), "state 0")
	p.change()
	first := p.send()
	<-begun
	p.answered(p.send(), "state 1")
	close(goOn)
	p.answered(first, "state 1")
}

// TestPullThatWasOvertaken shows that a pull whose findings are out of date when
// they are there is judged again.
func TestPullThatWasOvertaken(t *testing.T) {
	p := pull(t, (*puller).change)
	p.answered(p.send(), "state 1")
}

// TestPullOfNewText shows that a pull is answered with the text that the editor
// shows when the answer is computed.
func TestPullOfNewText(t *testing.T) {
	p := pull(t, func(p *puller) {
		p.mu.Lock()
		p.state++
		p.mu.Unlock()
		p.must(p.SetText("a.py", "x = 2\n"))
		p.settle()
	})
	p.answered(p.send(), "state 1")
}

// TestPullIsNeverTheLastWord shows that an answer that is out of date when it goes
// out is followed by a request to pull again: the one that came with the change may
// have been served before.
func TestPullIsNeverTheLastWord(t *testing.T) {
	p := pull(t, (*puller).change, (*puller).change, (*puller).change)
	p.answered(p.send(), "state 2") // maxPulls are over: of the state before the last
	p.clock.Advance(time.Second)
	p.refreshed(4)
	p.answered(p.send(), "state 3")

	// The same where the change comes between the last look and the answer's arrival.
	p = pull(t)
	p.answered(p.send(), "state 0")
	p.change()
	p.clock.Advance(time.Second)
	p.refreshed(2)

	// The same where the user types faster than the document is judged.
	n := 0
	typed := func(p *puller) {
		n++
		p.must(p.SetText("a.py", fmt.Sprintf("x = %d\n", n+1)))
		p.settle()
	}
	q := pull(t, typed, typed, typed)
	q.answered(q.send(), "state 0")
	q.clock.Advance(time.Second)
	q.refreshed(1)

	// An answer that is up to date is not followed by anything.
	p.answered(p.send(), "state 1")
	p.clock.Advance(time.Second)
	p.settle()
	if n := len(p.State().Refreshed); n != 2 {
		t.Errorf("asked to pull again %d times, want 2", n)
	}
}

// TestPullThatWasCancelled shows that a cancelled pull has no result: Neovim, when
// asked to refresh, cancels the pulls under way and would show a late result.
func TestPullThatWasCancelled(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	p := pull(t, func(*puller) { close(begun); <-goOn })
	sent := p.send()
	<-begun
	p.must(p.Notify(protocol.MethodCancelRequest, map[string]any{"id": sent.ID()}))
	p.settle()
	close(goOn)
	if err := sent.Wait(t.Context(), nil); codeOf(err) != protocol.CodeRequestCancelled {
		t.Errorf("a cancelled pull was answered: %v", err)
	}
}
