package lsptest

import (
	"slices"
	"time"
)

// Hostile is how an editor misbehaves; each way has been seen in a real one.
// The zero value behaves.
type Hostile struct {
	Silent        []string      // requests of the server that get no answer, by method; "*" for all
	NullAnswers   bool          // questions are dismissed, whatever Answer says
	FailQuestions bool          // questions are answered with an error
	EmptyTitles   bool          // questions are answered with {"title":""}, as by lsp-mode
	FailEdits     bool          // every edit is answered with an error
	RefuseFiles   bool          // edits with file operations are answered with an error, as by eglot
	LieApplied    bool          // edits are not applied and said to be
	HalfEdits     bool          // the first half of an edit is applied and the whole said to be
	LateChange    time.Duration // the didChange of an applied edit comes this long after the answer, negative: with Flush or the next change; 0: before it
	CancelAfter   int           // every progress is cancelled after so many reports
	Noise         bool          // unknown notifications are sent before each request
}

// silent reports whether a request of the server gets no answer.
func (h Hostile) silent(method string) bool {
	return slices.Contains(h.Silent, method) || slices.Contains(h.Silent, "*")
}

// noise sends what no server knows.
func (e *Editor) noise() {
	if !e.opts.Hostile.Noise {
		return
	}
	for _, method := range []string{"$/unknown", "unknown/notification"} {
		e.Notify(method, map[string]bool{"noise": true}) // where the connection has ended, the request says so
	}
}
