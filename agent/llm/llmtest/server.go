// Package llmtest is a scripted language model behind real HTTP: a server of
// OpenAI's chat-completions protocol that tests, and editors in tests, talk to.
//
// It answers by what a request contains: a rule says whose request it expects,
// what must stand in it (the plan, the diff, the test's report) and what the
// answer is. A request that lacks something is answered with HTTP 400 and kept
// as a failure that says what was missing where, so that a prompt that loses a
// section fails a test. It never thinks, never listens beyond 127.0.0.1, and
// gives the same answers to the same requests.
//
// A script is text, one directive a line, read by [ParseScript]. Lines that
// begin with # are comments.
//
//	models tiny large          the models that the server lists
//	count                      tokens are counted, four bytes each, where a rule has no
//	                           usage; an answer is cut at the limit that was asked for
//	count only                 the same, but the limit is not heeded
//
//	alike retry repeat again   words that are one to the model of embeddings
//
//	on case                    a rule: a request of this role, or of any
//	model large                the rule is meant only if this model is asked for
//	when second feature        the rule is meant only if the request has this
//	last the tests failed      the same, of the request's last message
//	after 3                    the rule is meant after just so many replies of the model
//	want views.py              the request must contain this
//	want /1 failed, \d+ passed/
//	not Traceback              and must not contain that
//	times 2                    it answers twice; always: without end; else once
//	text I will write the file.
//	call WRITE_FILE {"path": "a.py"}
//	arg content
//		import os
//
//		print(os.name)
//	usage 900 40 800           tokens in, out, and of those in: cached
//	finish length              another finish reason
//
//	on any                     what can go wrong:
//	status 429                 a status, with headers and a body
//	header Retry-After: 2
//	body {"error": {"message": "slow down"}}
//	cut 120                    the connection breaks after 120 bytes of the body
//	hold                       the answer waits for Server.Release
//
// Embeddings are answered without a rule: texts that share words have similar vectors. A rule
// for "embeddings" says what goes wrong, or insists on what is sent.
//
// text, body, call's JSON and arg take the rest of their line or, where that is
// empty, the lines below that are indented by one tab. A body with status 200
// is sent as an event stream unless a Content-Type header says otherwise.
package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Request is one that the server was sent.
type Request struct {
	Role     string // of the agent, by the marker in its system message; "" for none
	Model    string
	Text     string   // the messages and tools as patterns see them
	Last     string   // the last message alone
	Replies  int      // messages of the model among them
	Tools    []string // their names; none for a model that gets JSON actions
	Body     []byte   // as it came
	Header   http.Header
	Path     string // with its query
	Answered string // the rule's name; "" when none answered
}

// Server is a running model. Its methods are safe for concurrent use.
type Server struct {
	URL string // the base URL, with /v1

	http    *httptest.Server
	release chan struct{}
	held    chan struct{}
	closed  chan struct{}

	mu       sync.Mutex
	script   Script
	used     []int
	requests []Request
	failures []string
}

// TB is the part of testing.TB that Start needs; this package serves
// processes that are no tests, too.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Start serves s until the test ends, and fails the test for every request
// that the script does not answer.
func Start(t TB, s Script) *Server {
	t.Helper()
	srv := New(s)
	t.Cleanup(func() {
		srv.Close()
		for _, f := range srv.Failures() {
			t.Errorf("model: %s", f)
		}
	})
	return srv
}

// New serves s on a free port of 127.0.0.1 until Close.
func New(s Script) *Server {
	srv := &Server{script: s, used: make([]int, len(s.Rules)), release: make(chan struct{}), held: make(chan struct{}), closed: make(chan struct{})}
	for i := range srv.script.Rules {
		if r := &srv.script.Rules[i]; r.Name == "" {
			r.Name = fmt.Sprintf("rule %d", i+1)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", srv.models)
	mux.HandleFunc("POST /v1/chat/completions", srv.complete)
	mux.HandleFunc("POST /v1/embeddings", srv.embed)
	// Azure's form of the same.
	mux.HandleFunc("GET /openai/models", srv.models)
	mux.HandleFunc("POST /openai/deployments/{name}/chat/completions", srv.complete)
	mux.HandleFunc("POST /openai/deployments/{name}/embeddings", srv.embed)
	srv.http = httptest.NewServer(mux)
	srv.URL = srv.http.URL + "/v1"
	return srv
}

// Close ends the server; requests that are held are dropped.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.mu.Unlock()
	s.http.CloseClientConnections()
	s.http.Close()
}

// Release lets one held answer go, and waits until there is one. It returns
// at once after Close.
func (s *Server) Release() {
	select {
	case s.release <- struct{}{}:
	case <-s.closed:
	}
}

// Held waits until an answer is held: the client is in the middle of a call. It
// returns at once after Close.
func (s *Server) Held() {
	select {
	case <-s.held:
	case <-s.closed:
	}
}

// Failures says which requests the script did not foresee, and why.
func (s *Server) Failures() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.failures...)
}

// Requests returns what was asked for completions, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Unused names the rules that have never answered, or not as often as they
// were to.
func (s *Server) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for i, r := range s.script.Rules {
		if s.used[i] < max(r.Times, 1) {
			names = append(names, r.Name)
		}
	}
	return names
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	names := s.script.Models
	if len(names) == 0 {
		names = []string{"scripted"}
	}
	var list []map[string]any
	for _, n := range names {
		entry := map[string]any{"id": n, "object": "model"}
		if s.script.Window > 0 {
			entry["owned_by"], entry["max_model_len"] = "vllm", s.script.Window // as vLLM says it
		}
		list = append(list, entry)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": list}) // a client that went away
}

// maxBody bounds a request: the largest context window, at four bytes a token
// and JSON's escapes, stays below.
const maxBody = 64 << 20

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return // the client went away
	}
	var in wireRequest
	if err := json.Unmarshal(body, &in); err != nil {
		s.mu.Lock()
		s.failures = append(s.failures, fmt.Sprintf("the request is not JSON of the protocol: %v", err))
		s.mu.Unlock()
		refuse(w, "script: the request is not JSON of the protocol")
		return
	}
	req := Request{Role: in.role(), Model: in.Model, Text: in.text(), Last: in.last(), Replies: in.replies(), Tools: in.toolNames(), Body: body,
		Header: r.Header.Clone(), Path: r.URL.RequestURI()}
	rule, failure := s.choose(&req)
	if failure != "" {
		refuse(w, "script: "+failure)
		return
	}
	if rule.Reply.Hold && !s.hold(r.Context()) {
		return
	}
	send(w, &in, s.script.Count.count(&in, &req, rule.Reply))
}

// hold keeps an answer back until Release, and reports whether it may go.
func (s *Server) hold(ctx context.Context) bool {
	held := s.held
	for {
		select {
		case held <- struct{}{}:
			held = nil // told once
		case <-s.release:
			return true
		case <-s.closed:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// choose finds the rule that answers req, and records both.
func (s *Server) choose(req *Request) (Rule, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rule, failure := Rule{}, ""
	i := s.match(req)
	if i < 0 {
		failure = fmt.Sprintf("no rule is left for a request of role %q (request %d) to model %q. It was:\n%s",
			req.Role, len(s.requests)+1, req.Model, brief(req.Text))
	} else {
		rule = s.script.Rules[i]
		if wrong := rule.check(req.Text); wrong != "" {
			failure = fmt.Sprintf("%s (%s): %s. The request (number %d) was:\n%s",
				rule.Name, roleName(rule.Role), wrong, len(s.requests)+1, brief(req.Text))
		}
	}
	if failure != "" {
		s.failures = append(s.failures, failure)
	} else {
		s.used[i]++
		req.Answered = rule.Name
	}
	s.requests = append(s.requests, *req)
	return rule, failure
}

// match returns the index of the first rule that is meant; -1 for none.
func (s *Server) match(req *Request) int {
	for i, r := range s.script.Rules {
		times := r.Times
		if times == 0 {
			times = 1
		}
		if times != Always && s.used[i] >= times || r.Role != "" && r.Role != req.Role {
			continue
		}
		meant := (r.Model == "" || r.Model == req.Model) && (r.After == 0 || r.After == req.Replies+1)
		meant = meant && has(req.Text, r.When) && has(req.Last, r.Last)
		if meant {
			return i
		}
	}
	return -1
}

// has reports whether a text contains all patterns.
func has(text string, patterns []string) bool {
	return !slices.ContainsFunc(patterns, func(w string) bool {
		ok, err := contains(text, w)
		return !ok || err != nil
	})
}

// check returns what is wrong with a request of the rule's role; "" for nothing.
func (r Rule) check(text string) string {
	var wrong []string
	for _, w := range r.Want {
		switch ok, err := contains(text, w); {
		case err != nil:
			wrong = append(wrong, err.Error())
		case !ok:
			wrong = append(wrong, fmt.Sprintf("the request lacks %q", w))
		}
	}
	for _, w := range r.Not {
		switch ok, err := contains(text, w); {
		case err != nil:
			wrong = append(wrong, err.Error())
		case ok:
			wrong = append(wrong, fmt.Sprintf("the request has %q", w))
		}
	}
	return strings.Join(wrong, "; ")
}

func contains(text, pattern string) (bool, error) {
	find, err := compile(pattern)
	if err != nil {
		return false, err
	}
	return find(text), nil
}

func roleName(role string) string {
	if role == "" {
		return "any role"
	}
	return role
}

// brief shortens a request for people: its head says who asks, its tail what.
func brief(text string) string {
	const head, tail = 1500, 2500
	if len(text) <= head+tail {
		return text
	}
	return strings.ToValidUTF8(text[:head], "") + fmt.Sprintf("\n[… %d bytes …]\n", len(text)-head-tail) +
		strings.ToValidUTF8(text[len(text)-tail:], "")
}
