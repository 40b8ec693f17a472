package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"caselsp/agent/llm"
	"caselsp/store/lazyregexp"
)

// refusal is what a server said instead of an answer.
type refusal struct {
	status  int
	message string
	code    string // its code, type or status word: "insufficient_quota", "429", "UNAVAILABLE"
	after   time.Duration
}

// untilFormat is for a time within a day; a person compares it with their clock.
const untilFormat = "15:04 on January 2"

// maxDetail keeps a server's page of HTML out of a notification.
const maxDetail = 500

var (
	retryDelay = lazyregexp.New(`"retryDelay":\s*"(\d+(?:\.\d+)?)s"`) // Gemini's
	titleOf    = lazyregexp.New(`(?is)<title[^>]*>(.*?)</title>`)
)

// readRefusal reads the error bodies of all servers: OpenAI's object, Gemini's
// list of one, LM Studio's and Ollama's plain string, vLLM's bare fields,
// FastAPI's detail, a proxy's HTML.
func readRefusal(status int, body []byte) refusal {
	r := refusal{status: status}
	if m := retryDelay.FindSubmatch(body); m != nil {
		s, _ := strconv.ParseFloat(string(m[1]), 64)
		r.after = seconds(s)
	}
	type fields struct {
		Error   json.RawMessage `json:"error"`
		Message loose           `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Code    loose           `json:"code"`
		Type    loose           `json:"type"`
		Status  loose           `json:"status"`
	}
	var f fields
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	if json.Unmarshal(body, &f) != nil {
		r.message = string(body)
		if m := titleOf.FindSubmatch(body); m != nil {
			r.message = "an HTML page: " + string(m[1])
		}
		r.message = clean(r.message)
		return r
	}
	var within fields
	if json.Unmarshal(f.Error, &within) == nil && (within.Message != "" || within.Code != "") {
		f = within
	}
	var plain loose
	_ = json.Unmarshal(f.Error, &plain) // the string form, or nothing
	r.message = string(f.Message)
	for _, other := range []string{string(plain), string(f.Detail), string(body)} {
		if r.message == "" && other != "null" {
			r.message = strings.Trim(other, `"`)
		}
	}
	r.message = clean(r.message)
	r.code = strings.ToLower(string(f.Code) + " " + string(f.Type) + " " + string(f.Status))
	return r
}

// clean makes one line of a server's text, without what a terminal would obey.
func clean(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	s = strings.ToValidUTF8(s, "")
	if r := []rune(s); len(r) > maxDetail {
		return string(r[:maxDetail]) + "…"
	}
	return s
}

var (
	keyWords     = lazyregexp.New(`(?i)api[ _-]?key[ _](not[ _]valid|invalid|expired)|(invalid|incorrect|missing|no)[ _](api|auth|x-api)[ _-]?key`)
	contextWords = lazyregexp.New(`(?i)context[ _](length|window|size)|maximum context|prompt is too long|too many tokens|exceeds the (maximum|available)|>= n_ctx`)
	creditWords  = lazyregexp.New(`(?i)insufficient[ _](quota|credits?|balance|funds)|exceeded your current quota|billing`)
	modelWords   = lazyregexp.New(`(?i)model.*(not[ _]found|not exist|no such|unknown|invalid|not available|deployment)|not a valid model|no models loaded|(invalid|unknown|no such).*model|deployment.*not exist`)
	filterWords  = lazyregexp.New(`(?i)content[ _](filter|management|policy)|flagged|moderation`)
	pathWords    = lazyregexp.New(`(?i)unexpected endpoint`) // LM Studio, with status 200
)

// kind sorts a refusal by what can be done about it.
func (r refusal) kind() llm.Kind {
	status := r.status
	for _, word := range strings.Fields(r.code) {
		// A stream that began well can still fail, and says so in its code.
		if n, err := strconv.Atoi(word); err == nil && status < 300 && n >= 400 && n < 600 {
			status = n
		}
	}
	text := r.message + " " + r.code
	switch {
	case status == 403 && filterWords.MatchString(text): // OpenRouter's
		return llm.BadRequest
	case strings.Contains(r.code, "tool_use_failed"): // Groq's: the model wrote a call that cannot be read
		return llm.Incomplete
	case status == 401 || status == 403 || status < 500 && keyWords.MatchString(text):
		return llm.BadKey
	case status == 429 || status == 402 || status < 400 && strings.Contains(strings.ReplaceAll(text, "_", " "), "rate limit"):
		return llm.RateLimited
	case status == 408 || status == 504 || status == 522 || status == 524:
		return llm.TimedOut
	case status == 500 && contextWords.MatchString(text): // llama.cpp's; it would fail the same way
		return llm.BadRequest
	case status == 409 || status == 425 || status >= 500 && status != 501 && status != 505:
		return llm.ServerError
	case status >= 300, contextWords.MatchString(text), pathWords.MatchString(text), strings.Contains(r.code, "invalid_request"):
		return llm.BadRequest
	}
	return llm.ServerError
}

// filterAdvice is for texts that a provider does not want.
const filterAdvice = "Word the task differently, or choose another model"

// passes reports whether a refusal that speaks of quota and billing is one of requests a minute: Gemini has
// the same words for both, and names the pause.
func (r refusal) passes(text string, t *tap) bool {
	return max(t.after, r.after) > 0 && !strings.Contains(strings.ToLower(text), "insufficient")
}

// refused makes an error for people of what the server said.
func (m *model) refused(r refusal, t *tap) *llm.Error {
	kind, text := r.kind(), r.message+" "+r.code
	var cause error
	advice := ""
	switch {
	case r.status >= 300 && r.status < 400:
		r.message = strings.TrimSpace("the server redirects to another address: " + clean(t.location))
		advice = "Set the base URL to that address if you trust it; the key was not sent there"
	case kind == llm.BadKey:
		advice = "Check the key in " + m.keyPlace() + ": is it whole, not revoked, for " + m.config.BaseURL +
			", and allowed to use " + quote(m.config.Model) + "?"
		if m.config.Key == "" {
			advice = "The server wants a key: set " + m.keyPlace()
		}
	case r.status == 402 || creditWords.MatchString(text) && !r.passes(text, t):
		kind, cause = llm.RateLimited, errFinal
		advice = "The account has no credit left: add some, or choose another model"
	case (kind == llm.RateLimited || kind == llm.ServerError) && max(t.after, r.after) > longestRetryAfter:
		advice = "The server takes no request before " + m.config.Now().Add(max(t.after, r.after)).Format(untilFormat) + ": resume then, or choose another model"
	case kind == llm.RateLimited:
		advice = "Wait a little, or raise the limit of your account"
	case kind == llm.ServerError && strings.Contains(strings.ToLower(text), "loading model"):
		advice = "The server is still loading the model: resume when it has"
	case contextWords.MatchString(text):
		advice = "The conversation is longer than the model's window: set the context size to the model's, or choose a model with a larger one"
	case kind == llm.BadRequest && noTools.MatchString(text):
		advice = "Set tools to auto or json: the model has no tool calls of its own"
	case kind == llm.BadRequest && filterWords.MatchString(text):
		advice = filterAdvice
	case kind == llm.BadRequest && modelWords.MatchString(text) && m.preset.deployments:
		advice = m.addressAdvice() // its list does not name them
	case kind == llm.BadRequest && modelWords.MatchString(text):
		advice = "Set the model to one that the server has; `caselsp doctor` lists them"
		if m.preset.Name == "ollama" {
			advice += ". `ollama pull " + m.config.Model + "` fetches it"
		}
	case r.status == 404 || r.status == 405 || pathWords.MatchString(text):
		advice = m.addressAdvice()
	}
	e := m.fail(kind, r.status, r.message, advice, cause)
	e.After = max(t.after, r.after)
	return e
}

// addressAdvice is for answers that look as if another program had given them.
func (m *model) addressAdvice() string {
	if !versionedPath(m.config.BaseURL) && !m.preset.deployments {
		return "The base URL " + m.config.BaseURL + " has no version: set it to " + m.config.BaseURL + "/v1"
	}
	if m.preset.deployments {
		return "Check the base URL " + m.config.BaseURL + " and the deployment " + quote(m.config.Model)
	}
	return "Check the base URL " + m.config.BaseURL + ": that address does not serve " + cmp.Or(m.serves, "the chat-completions protocol")
}

// unreached makes an error of a call that got no answer.
func (m *model) unreached(ctx context.Context, err error) *llm.Error {
	if cause := context.Cause(ctx); isLate(cause) {
		return m.late(cause)
	}
	detail, advice := inner(err).Error(), "Check the network and the base URL "+m.config.BaseURL
	if m.preset.Start != "" {
		advice = "Is the server running? `" + m.preset.Start + "` starts it; the base URL is " + m.config.BaseURL
	}
	if strings.Contains(detail, "HTTP response to HTTPS client") {
		advice = "The server speaks plain HTTP: write the base URL with http://"
	}
	return m.fail(llm.Unreachable, 0, detail, advice, err)
}

// isLate reports whether a call was ended here because its answer did not come in time.
func isLate(cause error) bool {
	return errors.Is(cause, errSilent) || errors.Is(cause, errIdle) || errors.Is(cause, errSlow)
}

func (m *model) late(cause error) *llm.Error {
	if errors.Is(cause, errIdle) {
		return m.fail(llm.TimedOut, 0, fmt.Sprintf("the server at %s kept the connection alive for %v and sent no part of the answer", m.config.BaseURL, m.idleTime()),
			"If the model is only slow, raise "+m.config.Section+".timeout", cause)
	}
	if errors.Is(cause, errSlow) {
		return m.fail(llm.TimedOut, 0, fmt.Sprintf("the answer was not whole after %v", longestTry), "Choose a faster model", cause)
	}
	return m.fail(llm.TimedOut, 0, fmt.Sprintf("the server at %s said nothing for %v", m.config.BaseURL, m.config.Timeout),
		"If the model is only slow, raise "+m.config.Section+".timeout", cause)
}

// inner takes off the layer that repeats method and address.
func inner(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// shortestSecret is the length below which a key is a dummy such as "none":
// blotting that out would only garble messages.
const shortestSecret = 8

// fail makes an error in which the key does not appear, whatever the server echoed.
func (m *model) fail(kind llm.Kind, status int, detail, advice string, cause error) *llm.Error {
	key := m.config.Key
	if len(key) >= shortestSecret {
		detail = strings.ReplaceAll(detail, key, "[key]")
		if cause != nil && strings.Contains(cause.Error(), key) {
			cause = nil
		}
	}
	return &llm.Error{Kind: kind, Status: status, Detail: clean(detail), Advice: advice, Err: cause}
}

func quote(s string) string { return strconv.Quote(s) }
