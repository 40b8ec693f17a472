package openai

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestFacts plays what servers are documented to say of a model, each in its own protocol. What llama.cpp says is as its
// server of build b11669 said it.
func TestFacts(t *testing.T) {
	const bare = `{"data":[{"id":"m","object":"model"}]}`
	for _, c := range []struct {
		name, provider string
		paths          map[string]string // what is answered, by method and path; 404 for others
		want           Facts
	}{
		{"says nothing", "custom", map[string]string{"GET /v1/models": bare}, Facts{}},
		{"vLLM", "vllm", map[string]string{"GET /v1/models": `{"data":[{"id":"m","owned_by":"vllm","max_model_len":32768}]}`}, Facts{Window: 32768}},
		{"OpenRouter", "openrouter", map[string]string{"GET /v1/models": `{"data":[{"id":"a"},{"id":"m","context_length":200000,"supported_parameters":["max_tokens","tools"]}]}`},
			Facts{Window: 200000, Tools: Yes}},
		{"OpenRouter, no tools", "openrouter", map[string]string{"GET /v1/models": `{"data":[{"id":"m","context_length":8192,"supported_parameters":["max_tokens"]}]}`},
			Facts{Window: 8192, Tools: No}},
		{"Groq", "custom", map[string]string{"GET /v1/models": `{"data":[{"id":"m","owned_by":"Meta","context_window":131072}]}`}, Facts{Window: 131072}},
		{"Mistral", "custom", map[string]string{"GET /v1/models": `{"data":[{"id":"m","max_context_length":32768,"capabilities":{"completion_chat":true,"function_calling":true}}]}`},
			Facts{Window: 32768, Tools: Yes}},
		{"llama.cpp", "llamacpp", map[string]string{
			"GET /v1/models": `{"models":[{"name":"x"}],"object":"list","data":[{"id":"x.gguf","owned_by":"llamacpp","meta":{"n_ctx":65536,"n_ctx_train":131072}}]}`,
			"GET /props":     `{"default_generation_settings":{"n_ctx":16384},"total_slots":4,"chat_template_caps":{"supports_tools":false}}`},
			Facts{Window: 16384, Longest: 131072, Tools: No}},
		{"llama.cpp at an address of the user's", "custom", map[string]string{
			"GET /v1/models": `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx":65536,"n_ctx_train":131072}}]}`,
			"GET /props":     `{"default_generation_settings":{"n_ctx":65536},"chat_template_caps":{"supports_tools":true}}`},
			Facts{Window: 65536, Longest: 131072, Tools: Yes}},
		{"Ollama, running", "ollama", map[string]string{
			"GET /v1/models": `{"data":[{"id":"m:latest","owned_by":"library"}]}`,
			"POST /api/show": `{"parameters":"stop \"x\"","model_info":{"general.architecture":"qwen3","qwen3.context_length":40960},"capabilities":["completion","tools"]}`,
			"GET /api/ps":    `{"models":[{"name":"other:latest","context_length":2048},{"name":"m:latest","context_length":4096}]}`},
			Facts{Window: 4096, Longest: 40960, Tools: Yes}},
		{"Ollama, with a window of its own", "ollama", map[string]string{
			"GET /v1/models": `{"data":[{"id":"m:latest"}]}`,
			"POST /api/show": `{"parameters":"num_ctx                        8192\nstop x","model_info":{},"capabilities":["completion"]}`,
			"GET /api/ps":    `{"models":[]}`},
			Facts{Window: 8192, Tools: No}},
		{"Ollama, not running", "ollama", map[string]string{
			"GET /v1/models": `{"data":[{"id":"m:latest"}]}`,
			"POST /api/show": `{"model_info":{"general.architecture":"llama","llama.context_length":131072}}`},
			Facts{Longest: 131072, Unsure: "the model does not run now: Ollama runs it with the window of OLLAMA_CONTEXT_LENGTH, or one that fits the memory"}},
		{"LM Studio", "lmstudio", map[string]string{"GET /v1/models": bare,
			"GET /api/v0/models/m": `{"id":"m","state":"loaded","max_context_length":131072,"loaded_context_length":4096,"capabilities":["tool_use"]}`},
			Facts{Window: 4096, Longest: 131072, Tools: Yes}},
		{"LM Studio, not loaded", "lmstudio", map[string]string{"GET /v1/models": bare, "GET /api/v0/models/m": `{"id":"m","state":"not-loaded","max_context_length":131072}`},
			Facts{Longest: 131072, Unsure: "the model is not loaded: LM Studio loads it with the window that is set for it"}},
		{"fields of other types", "custom", map[string]string{"GET /v1/models": `{"data":[{"id":"m","owned_by":7,"context_length":"long","max_model_len":-1,"capabilities":["tools"],"meta":[],"supported_parameters":{}}]}`}, Facts{}},
		{"nothing beside the list", "ollama", map[string]string{"GET /v1/models": bare}, Facts{}},
		{"pages beside the list", "llamacpp", map[string]string{"GET /v1/models": bare, "GET /props": "<html>"}, Facts{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, ok := c.paths[r.Method+" "+r.URL.Path]
				if !ok {
					w.WriteHeader(http.StatusNotFound)
				}
				if r.Header.Get("Authorization") != "Bearer "+theKey {
					t.Errorf("%s is asked for without the key", r.URL.Path)
				}
				fmt.Fprint(w, text)
			}))
			defer srv.Close()
			got, err := Check(t.Context(), Config{Provider: c.provider, BaseURL: srv.URL + "/v1", Key: theKey, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			got.widen = ""
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
