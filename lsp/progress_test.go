package lsp

import (
	"context"
	"slices"
	"strings"
	"testing"

	"caselsp/lsp/lsptest"
)

func TestProgress(t *testing.T) {
	var clock *lsptest.Clock
	s := begin(t, lsptest.Options{}, func(s *server) { clock = freeze(s) })
	p := s.srv.ed.startProgress(t.Context(), "CASE", "planning", func() {})
	p.report("one", 10) // too soon after begin
	p.report("two", 20)
	clock.Advance(reportInterval - 1)
	p.report("three", 30)
	clock.Advance(1)
	s.expect(lsptest.Reported("CASE", "three"))
	p.report("four", 140)
	clock.Advance(reportInterval)
	clock.Advance(reportInterval)
	p.report("five", -1) // long enough after four: at once
	p.report("six", 60)  // waits, and is overtaken by the end
	p.end("done")
	p.end("again")
	p.report("seven", 70)
	clock.Advance(2 * reportInterval)
	s.expect(lsptest.Finished("CASE", "done"))
	s.settle()
	got := s.State().Progress[0]
	if want := []string{"planning", "three", "four", "five"}; !slices.Equal(got.Messages, want) || got.Percent != 100 || !got.Cancellable {
		t.Errorf("%+v, want %q", got, want)
	}
	if len(s.srv.ed.progress.cancel) != 0 {
		t.Error("the token is kept")
	}
}

// TestProgressCancel shows the button, twice pressed, and tokens of nobody.
func TestProgressCancel(t *testing.T) {
	cancelled := make(chan string, 9)
	s := begin(t, lsptest.Options{Hostile: lsptest.Hostile{CancelAfter: 1}}, nil)
	s.must(s.CancelProgress("unknown"))
	first := s.srv.ed.startProgress(t.Context(), "first", "", func() { cancelled <- "first" })
	second := s.srv.ed.startProgress(t.Context(), "second", "", nil)
	second.report("x", 1)
	first.report("x", 1)
	if got := <-cancelled; got != "first" {
		t.Errorf("%q was cancelled", got)
	}
	second.end("")
	first.end("")
	s.must(s.CancelProgress(string(first.token)))
	s.settle()
	if len(cancelled) != 0 {
		t.Error("cancelled after the end")
	}
	if s.State().Progress[1].Cancellable {
		t.Error("a progress without cancel has a button")
	}
}

// TestProgressIsGoneOnWithout shows clients that cannot or will not show any.
func TestProgressIsGoneOnWithout(t *testing.T) {
	var clock *lsptest.Clock
	s := begin(t, lsptest.Options{Hostile: silent}, func(s *server) { clock = freeze(s) })
	started := make(chan *progress)
	go func() { started <- s.srv.ed.startProgress(t.Context(), "CASE", "", nil) }()
	clock.Await(createTime)
	clock.Advance(createTime)
	p := <-started
	s.srv.ed.client.Progress = false
	for _, p := range []*progress{p, s.srv.ed.startProgress(context.Background(), "CASE", "", nil)} {
		p.report("x", 1)
		p.end("x")
	}
	s.settle()
	if got := s.Received(); strings.Contains(got, "$/progress") {
		t.Error(got)
	}
}
