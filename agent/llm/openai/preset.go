package openai

import (
	"fmt"
	"net/url"
	"sort"
	"strings"

	"caselsp/agent/llm"
	"caselsp/store/lazyregexp"
)

// Preset is what is known beforehand about a provider or server.
type Preset struct {
	Name     string
	Title    string // for people
	BaseURL  string // the default; "" where every user has another
	KeyVar   string // the environment variable that customarily holds the key; "": none does
	NeedsKey bool   // false: a key is sent when there is one
	Start    string // how a local server is started, for people; "" for services

	hosts       []string // ends of the host names by which it is known without being named
	deployments bool     // Azure's URLs, api-version and header
	anyModel    bool     // GET /models does not list what may be asked for
	completion  bool     // wants max_completion_tokens where others want max_tokens
	widen       string   // how the server gives a model a window of %d tokens, for people
}

// azureVersion is the api-version that this package was written for.
const azureVersion = "2024-10-21"

// custom stands for a server that is known by its base URL alone. It has no
// customary variable: OpenAI's key is not for others, whatever their protocol.
var custom = Preset{Name: "custom", Title: "any OpenAI-compatible server"}

var presets = []Preset{
	{Name: "openai", Title: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyVar: "OPENAI_API_KEY", NeedsKey: true,
		hosts: []string{"api.openai.com"}, completion: true},
	{Name: "azure", Title: "Azure OpenAI", KeyVar: "AZURE_OPENAI_API_KEY", NeedsKey: true,
		hosts:       []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"},
		deployments: true, anyModel: true, completion: true},
	{Name: "gemini", Title: "Google Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
		KeyVar: "GEMINI_API_KEY", NeedsKey: true, hosts: []string{"generativelanguage.googleapis.com"}},
	{Name: "openrouter", Title: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyVar: "OPENROUTER_API_KEY", NeedsKey: true,
		hosts: []string{"openrouter.ai"}},
	{Name: "ollama", Title: "Ollama", BaseURL: "http://localhost:11434/v1", KeyVar: "OLLAMA_API_KEY",
		Start: "ollama serve", widen: "OLLAMA_CONTEXT_LENGTH=%d ollama serve"},
	{Name: "llamacpp", Title: "llama.cpp's server", BaseURL: "http://localhost:8080/v1", KeyVar: "LLAMA_API_KEY",
		Start: "llama-server --jinja -m model.gguf", anyModel: true, widen: "llama-server -c %d"},
	{Name: "vllm", Title: "vLLM", BaseURL: "http://localhost:8000/v1", KeyVar: "VLLM_API_KEY",
		Start: "vllm serve MODEL", widen: "vllm serve --max-model-len %d"},
	{Name: "lmstudio", Title: "LM Studio", BaseURL: "http://localhost:1234/v1", KeyVar: "LM_API_TOKEN",
		Start: "lms server start", widen: "lms load --context-length %d"},
}

// Presets returns the providers and servers that can be named, for settings
// and their documentation.
func Presets() []Preset { return append([]Preset(nil), presets...) }

// PresetOf returns the preset that c means: the one it names, else the one
// that its base URL's host belongs to, else one that stands for any server.
// Its KeyVar says where to look for the key.
func PresetOf(c Config) (Preset, error) {
	if c.Provider != "" && c.Provider != custom.Name {
		names := []string{custom.Name}
		for _, p := range presets {
			if p.Name == c.Provider {
				return p, nil
			}
			names = append(names, p.Name)
		}
		sort.Strings(names)
		return Preset{}, &llm.Error{Kind: llm.BadRequest, Detail: "there is no provider " + quote(c.Provider),
			Advice: "Choose one of " + strings.Join(names, ", ") + ", or set only the base URL"}
	}
	if c.BaseURL == "" && c.Provider == "" {
		return presets[0], nil
	}
	if u, err := url.Parse(c.BaseURL); err == nil {
		for _, p := range presets {
			if p.at(u.Hostname()) {
				return p, nil
			}
		}
	}
	return custom, nil
}

// keyPlace names for people where the key is to be found.
func (m *model) keyPlace() string {
	if m.preset.KeyVar == "" {
		return "the environment variable that " + m.config.Section + ".key_env names"
	}
	return m.preset.KeyVar
}

// at reports whether host is one of the preset's own.
func (p Preset) at(host string) bool {
	host = strings.ToLower(host)
	for _, h := range p.hosts {
		if host == h || strings.HasPrefix(h, ".") && strings.HasSuffix(host, h) {
			return true
		}
	}
	return false
}

// locate finds c's preset and brings its base URL into the form that paths are
// appended to.
func locate(c Config) (Config, Preset, error) {
	p, err := PresetOf(c)
	if err != nil {
		return c, p, err
	}
	if c.BaseURL == "" {
		c.BaseURL = p.BaseURL
	}
	wrong := func(what, advice string) error {
		return &llm.Error{Kind: llm.BadRequest, Detail: what, Advice: advice}
	}
	if c.BaseURL == "" {
		return c, p, wrong("no base URL is set for "+p.Title,
			"Set it to your server's address, such as https://NAME.openai.azure.com or http://localhost:8000/v1")
	}
	u, err := url.Parse(strings.TrimSpace(c.BaseURL))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return c, p, wrong("the base URL is not an http or https address",
			"Write it whole, such as https://api.openai.com/v1 or http://localhost:11434/v1")
	}
	if u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return c, p, wrong("the base URL holds a query, a fragment or a password",
			"Leave only scheme, host and path, and set the key as the key")
	}
	// People paste the address that they found in an example.
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimRight(strings.TrimSuffix(path, "/chat/completions"), "/")
	if p.deployments && !versionedPath(path) {
		path, _, _ = strings.Cut(path, "/openai")
		if c.APIVersion == "" {
			c.APIVersion = azureVersion
		}
	}
	u.Path, u.RawPath = path, ""
	c.BaseURL = u.String()
	return c, p, nil
}

var versionSegment = lazyregexp.New(`/v\d+[a-z0-9]*(/|$)`)

// versionedPath reports whether an address has a segment such as /v1. Azure's
// addresses with one are plain OpenAI addresses, without deployments.
func versionedPath(address string) bool { return versionSegment.MatchString(address) }

// checkKey refuses a missing key where the server is known to want one, and a
// key that cannot be sent.
func checkKey(c *Config, p Preset) error {
	c.Key = strings.TrimSpace(c.Key)
	for _, r := range c.Key {
		if r <= ' ' || r > '~' {
			return &llm.Error{Kind: llm.BadKey, Detail: "the key of " + p.Title + " holds a space or a character that is not allowed in a key",
				Advice: "Copy it anew and set " + p.KeyVar}
		}
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return fmt.Errorf("base URL: %w", err)
	}
	// Somebody's own server under a service's name may want no key.
	if c.Key != "" || !p.NeedsKey || len(p.BaseURL) > 0 && !p.at(u.Hostname()) {
		return nil
	}
	return &llm.Error{Kind: llm.NoKey, Detail: "there is no key for " + p.Title,
		Advice: fmt.Sprintf("Set the environment variable %s, or write %s=… into the .env file of caselsp's configuration folder, "+
			"or choose a local server such as ollama. `caselsp demo` needs no key", p.KeyVar, p.KeyVar)}
}
