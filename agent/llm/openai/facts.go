package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"caselsp/store/lazyregexp"
)

// Facts are what a server says of a model without asking the model. A zero field is something that it does not say.
type Facts struct {
	Window  int    // tokens of a request with its answer, as the server runs the model
	Longest int    // the most that Window can be set to
	Tools   Answer // to whether the model takes tools
	Unsure  string // why the server does not say Window though such servers do, for people

	widen string
}

// Widen says for people how the server gives the model a window of so many tokens; "" where that is not known.
func (f Facts) Widen(tokens int) string {
	if f.widen == "" {
		return ""
	}
	return fmt.Sprintf(f.widen, tokens)
}

// Answer is a server's to a question of yes or no.
type Answer string

// The answers of servers.
const (
	Unsaid Answer = ""
	Yes    Answer = "yes"
	No     Answer = "no"
)

// fields are a JSON object of a server. What has another type than is asked for counts as missing: servers fill freely.
type fields map[string]json.RawMessage

// number returns the first of the named fields that is a positive whole number, else 0.
func (f fields) number(names ...string) int {
	for _, name := range names {
		var n float64
		if json.Unmarshal(f[name], &n) == nil && n >= 1 && n < 1<<31 {
			return int(n)
		}
	}
	return 0
}

func (f fields) text(name string) (s string) {
	if json.Unmarshal(f[name], &s) != nil {
		return ""
	}
	return s
}

func (f fields) under(name string) (o fields) {
	if json.Unmarshal(f[name], &o) != nil {
		return nil
	}
	return o
}

// listed says whether a list of words holds one of the given ones; Unsaid where it is no such list.
func (f fields) listed(name string, words ...string) Answer {
	var list []string
	if json.Unmarshal(f[name], &list) != nil || list == nil {
		return Unsaid
	}
	return said(slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) }))
}

// flag reads a field of true or false.
func (f fields) flag(name string) Answer {
	var yes *bool
	if json.Unmarshal(f[name], &yes) != nil || yes == nil {
		return Unsaid
	}
	return said(*yes)
}

func said(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// factsOf reads an entry of a server's list of models, as they are documented: max_model_len is vLLM's, context_length and
// supported_parameters OpenRouter's, context_window Groq's, max_context_length and capabilities Mistral's, meta llama.cpp's.
func factsOf(entry fields) Facts {
	f := Facts{
		Window: entry.number("max_model_len", "context_length", "context_window", "max_context_length"),
		Tools:  entry.listed("supported_parameters", "tools"),
	}
	if f.Tools == Unsaid {
		f.Tools = entry.under("capabilities").flag("function_calling")
	}
	if meta := entry.under("meta"); meta != nil {
		f.Window, f.Longest = meta.number("n_ctx"), meta.number("n_ctx_train")
	}
	return f
}

// ask adds to f what the server says in its own protocol, beside OpenAI's. A server that does not answer there leaves f as it is.
func (m *model) ask(ctx context.Context, entry fields, f *Facts) {
	server := m.preset.Name
	if server == custom.Name { // it may be one of those that are known, at an address of the user's
		server = map[string]string{"library": "ollama", "llamacpp": "llamacpp", "vllm": "vllm", "organization_owner": "lmstudio"}[entry.text("owned_by")]
	}
	for _, p := range presets {
		if p.Name == server {
			f.widen = p.widen
		}
	}
	switch name := m.config.Model; server {
	case "ollama":
		m.askOllama(ctx, name, f)
	case "llamacpp": // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
		props := m.native(ctx, http.MethodGet, "/props", nil)
		if n := props.under("default_generation_settings").number("n_ctx"); n > 0 {
			f.Window = n // of one request: the list has that of all slots in some versions
		}
		f.Tools = props.under("chat_template_caps").flag("supports_tools")
	case "lmstudio": // https://lmstudio.ai/docs/developer/rest/endpoints
		about := m.native(ctx, http.MethodGet, "/api/v0/models/"+url.PathEscape(name), nil)
		f.Window, f.Longest = about.number("loaded_context_length"), about.number("max_context_length")
		f.Tools = about.listed("capabilities", "tool_use")
		if about != nil && f.Window == 0 {
			f.Unsure = "the model is not loaded: LM Studio loads it with the window that is set for it"
		}
	}
}

var ollamaWindow = lazyregexp.New(`(?m)^num_ctx\s+(\d+)\s*$`)

// askOllama asks for the model's card, and with which window it runs now. It is the server's habit to cut what is longer than
// that without a word. See https://docs.ollama.com/api.
func (m *model) askOllama(ctx context.Context, name string, f *Facts) {
	card := m.native(ctx, http.MethodPost, "/api/show", map[string]string{"model": name})
	f.Tools = card.listed("capabilities", "tools")
	info := card.under("model_info")
	f.Longest = info.number(info.text("general.architecture") + ".context_length")
	if set := ollamaWindow.FindStringSubmatch(card.text("parameters")); set != nil {
		f.Window, _ = strconv.Atoi(set[1]) // too large for a number counts as none
	}
	var running []fields
	if json.Unmarshal(m.native(ctx, http.MethodGet, "/api/ps", nil)["models"], &running) == nil {
		for _, r := range running {
			if has([]string{r.text("name")}, name) && r.number("context_length") > 0 {
				f.Window = r.number("context_length")
			}
		}
	}
	if card != nil && f.Window == 0 {
		f.Unsure = "the model does not run now: Ollama runs it with the window of OLLAMA_CONTEXT_LENGTH, or one that fits the memory"
	}
}

// native asks the server in its own protocol: nil where it gives no object.
func (m *model) native(ctx context.Context, method, path string, body any) (object fields) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(m.config.BaseURL, "/v1")+path, sent)
	if err != nil {
		return nil
	}
	req.Header.Set("Content-Type", "application/json")
	if m.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.config.Key)
	}
	resp, err := clientConfig(m.config, m.preset).HTTPClient.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(text, &object) != nil {
		return nil
	}
	return object
}
