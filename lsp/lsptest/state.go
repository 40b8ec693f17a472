package lsptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// State is all that the editor has and all that it was told. Files are named
// relative to the root, with slashes.
type State struct {
	Buffers     map[string]Buffer
	Diagnostics map[string]Published
	Messages    []Message // window/showMessage
	Logs        []Message // window/logMessage
	Trace       []string
	Questions   []Question // window/showMessageRequest
	Progress    []Progress
	Shown       []Shown
	Edits       []Edit // workspace/applyEdit
	Registered  []protocol.Registration
	Refreshed   []string            // the methods of refreshes
	Complaints  []string            // errors that answered no request
	Notified    map[string][]string // the params of notifications that are no part of the protocol, by method
	Ended       bool                // the connection has ended: nothing more will come

	heard    int      // how many lines were added to received
	received []string // everything, one line each, for the one who reads why a test failed
}

// Message is one that needs no answer.
type Message struct {
	Type protocol.MessageType
	Text string
}

// Question is one that was put to the user.
type Question struct {
	Type      protocol.MessageType
	Text      string
	Choices   []string
	Answer    string // what was answered; "" for nothing yet, or for dismissed
	Answered  bool
	Withdrawn bool // the server does not want the answer any more

	id string
}

// Progress is one work-done progress.
type Progress struct {
	Token       string
	Title       string
	Cancellable bool
	Begun       bool
	Messages    []string // of begin and the reports
	Percent     int      // the last that was told; -1 for none
	Reports     int
	Ended       bool
	Last        string // what end said
}

// Published are the diagnostics of one file.
type Published struct {
	Version *int32
	List    []protocol.Diagnostic
	Times   int // how often they were sent
}

// Shown is a document that the server had opened.
type Shown struct {
	Path      string
	Focus     bool
	Selection *protocol.Range
}

// Edit is an edit that the server asked for, and what it was told.
type Edit struct {
	Label  string
	Edit   protocol.WorkspaceEdit
	Answer protocol.ApplyWorkspaceEditResult
	Failed string // the error that it was answered with instead
}

// receivedLimit is how many lines the log of what was received keeps: the end
// of a story is what explains it.
const receivedLimit = 400

// record changes the state and wakes those who wait for it.
func (e *Editor) record(f func(s *State)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f(&e.state)
	e.changed.Broadcast()
}

// note adds a line to the log of what was received.
func (e *Editor) note(form string, args ...any) {
	e.record(func(s *State) { s.note(form, args...) })
}

func (s *State) note(form string, args ...any) {
	line := fmt.Sprintf(form, args...)
	if len(line) > 600 {
		line = line[:600] + "…"
	}
	s.heard++
	s.received = append(s.received, line)
	if len(s.received) > receivedLimit {
		s.received = slices.Delete(s.received, 0, 1)
	}
}

// State returns a copy of the state as it is now.
func (e *Editor) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.state
	s.Buffers, s.Diagnostics = maps.Clone(s.Buffers), maps.Clone(s.Diagnostics)
	s.Messages, s.Logs, s.Trace = slices.Clone(s.Messages), slices.Clone(s.Logs), slices.Clone(s.Trace)
	s.Questions, s.Progress = slices.Clone(s.Questions), slices.Clone(s.Progress)
	s.Shown, s.Edits = slices.Clone(s.Shown), slices.Clone(s.Edits)
	s.Registered, s.Refreshed = slices.Clone(s.Registered), slices.Clone(s.Refreshed)
	s.Notified = maps.Clone(s.Notified)
	s.Complaints, s.received = slices.Clone(s.Complaints), slices.Clone(s.received)
	return s
}

// Received returns the log of what the server said, one message a line.
func (e *Editor) Received() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.state.received, "\n")
}

// notified takes in a notification.
func (e *Editor) notified(m message) {
	var err error
	e.record(func(s *State) {
		s.note("%s %s", m.Method, m.Params)
		switch m.Method {
		case protocol.MethodWindowShowMessage:
			var p protocol.ShowMessageParams
			err = decode(m.Params, &p)
			s.Messages = append(s.Messages, Message{p.Type, p.Message})
		case protocol.MethodWindowLogMessage:
			var p protocol.LogMessageParams
			err = decode(m.Params, &p)
			s.Logs = append(s.Logs, Message{p.Type, p.Message})
		case protocol.MethodLogTrace:
			var p protocol.LogTraceParams
			err = decode(m.Params, &p)
			s.Trace = append(s.Trace, p.Message)
		case protocol.MethodTextDocumentPublishDiagnostics:
			var p protocol.PublishDiagnosticsParams
			err = decode(m.Params, &p)
			pub := Published{List: p.Diagnostics, Times: s.Diagnostics[e.name(p.URI)].Times + 1}
			if v, ok := p.Version.Get(); ok {
				pub.Version = &v
			}
			s.Diagnostics[e.name(p.URI)] = pub
		case protocol.MethodCancelRequest:
			s.withdraw(m.Params)
		case protocol.MethodProgress:
			err = e.progressed(s, m.Params)
		default:
			if s.Notified == nil {
				s.Notified = map[string][]string{}
			}
			s.Notified[m.Method] = append(s.Notified[m.Method], string(m.Params))
		}
	})
	if err != nil {
		e.note("%s could not be read: %v", m.Method, err)
	}
}

// withdraw marks a question that the server cancelled.
func (s *State) withdraw(params json.RawMessage) {
	var p struct{ ID json.RawMessage }
	if json.Unmarshal(params, &p) != nil {
		return
	}
	for i := range s.Questions {
		if s.Questions[i].id == string(p.ID) {
			s.Questions[i].Withdrawn = true
		}
	}
}

// progressed takes in one value of a progress. One that breaks the protocol's
// order (an unknown token, something after the end) is an error.
func (e *Editor) progressed(s *State, params json.RawMessage) error {
	var p struct {
		Token json.RawMessage
		Value struct {
			Kind, Title, Message string
			Cancellable          bool
			Percentage           *int
		}
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	token := strings.Trim(string(p.Token), `"`)
	i := slices.IndexFunc(s.Progress, func(have Progress) bool { return have.Token == token && !have.Ended })
	if i < 0 {
		return fmt.Errorf("progress %s is not under way", token)
	}
	one := &s.Progress[i]
	switch v := p.Value; v.Kind {
	case "begin":
		one.Title, one.Cancellable, one.Begun = v.Title, v.Cancellable, true
	case "report":
		one.Reports++
	case "end":
		one.Ended, one.Last = true, v.Message
	default:
		return fmt.Errorf("progress %s: a value of kind %q", token, v.Kind)
	}
	if m := p.Value.Message; m != "" && !one.Ended {
		one.Messages = append(one.Messages, m)
	}
	if p.Value.Percentage != nil {
		one.Percent = *p.Value.Percentage
	}
	if n := e.opts.Hostile.CancelAfter; n > 0 && p.Value.Kind == "report" && one.Reports == n {
		go e.CancelProgress(token)
	}
	return nil
}

// CancelProgress presses the cancel button of a progress.
func (e *Editor) CancelProgress(token string) error {
	return e.Notify(protocol.MethodWindowWorkDoneProgressCancel, map[string]string{"token": token})
}
