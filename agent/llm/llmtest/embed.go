package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// Embeddings is the role of a request for embeddings, which has no system message.
const Embeddings = "embeddings"

// defaultDimension is the length of a vector where the request asks for none: long enough that few words
// share a place.
const defaultDimension = 256

type embedRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions"`
}

// embed answers a request for embeddings: by a rule for them, else with vectors of the texts' words.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return // the client went away
	}
	var in embedRequest
	if err := json.Unmarshal(body, &in); err != nil {
		refuse(w, "script: the request is not JSON of the protocol")
		return
	}
	req := Request{Role: Embeddings, Model: in.Model, Text: strings.Join(in.Input, "\n"), Body: body, Header: r.Header.Clone(), Path: r.URL.RequestURI()}
	reply, failure := Reply{}, ""
	if s.foresees(&req) {
		var rule Rule
		rule, failure = s.choose(&req)
		reply = rule.Reply
	}
	if failure != "" {
		refuse(w, "script: "+failure)
		return
	}
	if reply.Hold && !s.hold(r.Context()) {
		return
	}
	if reply.Body == "" && reply.Status < 300 {
		reply.Body = encode(s.vectors(in, reply.Usage))
	}
	if reply.Header.Get("Content-Type") == "" {
		reply.Header = reply.Header.Clone()
		if reply.Header == nil {
			reply.Header = http.Header{}
		}
		reply.Header.Set("Content-Type", "application/json")
	}
	send(w, &wireRequest{Model: in.Model}, reply)
}

// foresees reports whether a rule for embeddings is left, and else records the request.
func (s *Server) foresees(req *Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.match(req); i >= 0 && s.script.Rules[i].Role == Embeddings {
		return true
	}
	s.requests = append(s.requests, *req)
	return false
}

// vectors is an answer of the protocol.
func (s *Server) vectors(in embedRequest, claimed *Usage) object {
	var data []object
	tokens := 0
	for i, text := range in.Input {
		data = append(data, object{"object": "embedding", "index": i, "embedding": s.vector(text, cmp.Or(in.Dimensions, defaultDimension))})
		tokens += (len(text) + 3) / 4
	}
	if claimed != nil {
		tokens = claimed.Prompt
	}
	return object{"object": "list", "model": in.Model, "data": data, "usage": object{"prompt_tokens": tokens, "total_tokens": tokens}}
}

// vector counts the words of a text; words that the script says are alike count as the first of them.
func (s *Server) vector(text string, dimension int) []float32 {
	v := make([]float32, dimension)
	v[0] = 0.1 // no text is without a direction
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		for _, alike := range s.script.Alike {
			if slices.Contains(alike, word) {
				word = alike[0]
			}
		}
		h := fnv.New64a()
		fmt.Fprint(h, word)
		v[h.Sum64()%uint64(dimension)]++
	}
	return v
}
