package lsptest

import (
	"encoding/json"
	"fmt"
	"time"

	"go.lsp.dev/protocol"
)

// The codes of the errors that the editor answers with.
const (
	codeMethodNotFound = -32601
	codeInternal       = -32603
)

// asked takes in a request of the server and answers it beside the reading, for
// an answer may need what is still to be read.
func (e *Editor) asked(m message) {
	e.note("%s %s", m.Method, m.Params)
	if m.Method == protocol.MethodWindowShowMessageRequest {
		// At once, so that a withdrawal that follows finds the question.
		e.question(m)
		return
	}
	if e.opts.Hostile.silent(m.Method) {
		return
	}
	if m.Method == protocol.MethodWorkspaceApplyEdit {
		go e.applyEdit(m)
		return
	}
	result, err := e.answer(m)
	e.respond(m, result, err)
}

// respond answers a request of the server.
func (e *Editor) respond(m message, result any, failed *wireError) {
	raw, err := encode(result)
	if err != nil {
		failed = &wireError{Code: codeInternal, Message: err.Error()}
	}
	if failed != nil {
		raw = nil // an answer has one of the two
	} else if raw == nil {
		raw = json.RawMessage("null")
	}
	if err := e.wire.send(message{ID: m.ID, Result: raw, Error: failed}); err != nil {
		e.note("the answer to %s could not be sent: %v", m.Method, err)
	}
}

// answer answers what needs neither the user nor the buffers.
func (e *Editor) answer(m message) (any, *wireError) {
	var err error
	var result any
	switch m.Method {
	case protocol.MethodWindowWorkDoneProgressCreate:
		var p struct{ Token string }
		err = json.Unmarshal(m.Params, &p)
		e.record(func(s *State) { s.Progress = append(s.Progress, Progress{Token: p.Token, Percent: -1}) })
	case protocol.MethodWindowShowDocument:
		var p protocol.ShowDocumentParams
		err = decode(m.Params, &p)
		focus := p.TakeFocus != nil && *p.TakeFocus
		e.record(func(s *State) { s.Shown = append(s.Shown, Shown{e.name(p.URI), focus, p.Selection}) })
		result = &protocol.ShowDocumentResult{Success: true}
	case protocol.MethodWorkspaceConfiguration:
		var p protocol.ConfigurationParams
		err = decode(m.Params, &p)
		result = e.settings(p)
	case protocol.MethodWorkspaceWorkspaceFolders:
		result = json.RawMessage("null")
	case protocol.MethodClientRegisterCapability:
		var p protocol.RegistrationParams
		err = decode(m.Params, &p)
		e.record(func(s *State) { s.Registered = append(s.Registered, p.Registrations...) })
	case protocol.MethodClientUnregisterCapability:
	case protocol.MethodWorkspaceTextDocumentContentRefresh:
		var p protocol.TextDocumentContentRefreshParams
		if err = decode(m.Params, &p); err == nil {
			go e.reread(p.URI)
		}
	case protocol.MethodWorkspaceCodeLensRefresh, protocol.MethodWorkspaceDiagnosticRefresh:
		e.record(func(s *State) { s.Refreshed = append(s.Refreshed, m.Method) })
	default:
		return nil, &wireError{Code: codeMethodNotFound, Message: "lsptest does not know " + m.Method}
	}
	if err != nil {
		return nil, &wireError{Code: codeInternal, Message: err.Error()}
	}
	return result, nil
}

// settings answers each section that is asked for.
func (e *Editor) settings(p protocol.ConfigurationParams) json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	values := []json.RawMessage{}
	for _, item := range p.Items {
		value := json.RawMessage("null")
		if item.Section != nil && e.opts.Settings[*item.Section] != nil {
			value = e.opts.Settings[*item.Section]
		}
		values = append(values, value)
	}
	raw, _ := json.Marshal(values) // valid JSON went in
	return raw
}

// SetSettings changes the settings and tells the server that they changed.
func (e *Editor) SetSettings(settings map[string]json.RawMessage) error {
	e.mu.Lock()
	e.opts.Settings = settings
	e.mu.Unlock()
	return e.Notify(protocol.MethodWorkspaceDidChangeConfiguration, json.RawMessage(`{"settings":null}`))
}

// question puts a question to the user.
func (e *Editor) question(m message) {
	var p protocol.ShowMessageRequestParams
	if err := decode(m.Params, &p); err != nil {
		e.respond(m, nil, &wireError{Code: codeInternal, Message: err.Error()})
		return
	}
	q := Question{Type: p.Type, Text: p.Message, id: string(*m.ID)}
	for _, a := range p.Actions {
		q.Choices = append(q.Choices, a.Title)
	}
	var at int
	e.record(func(s *State) {
		at = len(s.Questions)
		s.Questions = append(s.Questions, q)
	})
	if e.opts.Hostile.silent(m.Method) {
		return
	}
	go func() {
		chosen := ""
		if e.opts.Answer != nil && !e.opts.Hostile.NullAnswers {
			chosen = e.opts.Answer(q)
			<-time.After(e.opts.Reading)
		}
		var result any
		var failed *wireError
		if h := e.opts.Hostile; h.FailQuestions {
			failed = &wireError{Code: codeInternal, Message: "this editor fails at every question"}
		} else if chosen != "" || h.EmptyTitles {
			result = &protocol.MessageActionItem{Title: chosen}
		}
		e.respond(m, result, failed)
		e.record(func(s *State) { s.Questions[at].Answer, s.Questions[at].Answered = chosen, true })
	}()
}

// applyEdit answers workspace/applyEdit.
func (e *Editor) applyEdit(m message) {
	var p protocol.ApplyWorkspaceEditParams
	if err := decode(m.Params, &p); err != nil {
		e.respond(m, nil, &wireError{Code: codeInternal, Message: err.Error()})
		return
	}
	one := Edit{Edit: p.Edit}
	if p.Label != nil {
		one.Label = *p.Label
	}
	one.Answer, one.Failed = e.carryOut(p.Edit)
	var failed *wireError
	if one.Failed != "" {
		failed = &wireError{Code: codeInternal, Message: one.Failed}
	}
	// Recorded before it is sent: who sees what the server does next finds it here.
	e.record(func(s *State) {
		s.note("the edit was answered with %s", fmt.Sprint(one.Answer.Applied, one.Failed))
		s.Edits = append(s.Edits, one)
	})
	e.respond(m, &one.Answer, failed)
	if late := e.opts.Hostile.LateChange; late > 0 {
		time.AfterFunc(late, func() { e.Flush() })
	}
}
