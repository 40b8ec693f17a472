package openai

import (
	"regexp"

	"caselsp/agent/llm"
)

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Prompt     float64
	Cached     float64 // prompt tokens that the provider had cached; 0: as Prompt
	Completion float64
}

// prices of the services themselves, as listed in 2025. It is short on
// purpose: a wrong price is worse than none, and any can be set.
var prices = map[string]Price{
	"gpt-4o":           {2.50, 1.25, 10},
	"gpt-4o-mini":      {0.15, 0.075, 0.60},
	"gpt-4.1":          {2, 0.50, 8},
	"gpt-4.1-mini":     {0.40, 0.10, 1.60},
	"gpt-4.1-nano":     {0.10, 0.025, 0.40},
	"o3":               {2, 0.50, 8},
	"o4-mini":          {1.10, 0.275, 4.40},
	"gpt-5":            {1.25, 0.125, 10},
	"gpt-5-mini":       {0.25, 0.025, 2},
	"gpt-5-nano":       {0.05, 0.005, 0.40},
	"gemini-2.5-pro":   {1.25, 0.31, 10},
	"gemini-2.5-flash": {0.30, 0.075, 2.50},
}

// dated matches the end of names such as gpt-4.1-2025-04-14. Any other ending
// is another model at another price.
var dated = regexp.MustCompile(`-\d{4}-\d{2}-\d{2}$`)

// price returns what the configured model costs. Only where the service itself
// is asked does the built-in table hold: a local model may bear any name.
func (m *model) price() (Price, bool) {
	if p, ok := m.config.Prices[m.config.Model]; ok {
		return p, true
	}
	switch m.preset.Name {
	case "openai", "azure", "gemini":
		p, ok := prices[dated.ReplaceAllString(m.config.Model, "")]
		return p, ok
	}
	return Price{}, false
}

// cost returns the dollars for u by p.
func (p Price) cost(u llm.Usage) float64 {
	if p.Cached == 0 {
		p.Cached = p.Prompt
	}
	const million = 1e6
	return (float64(u.Prompt-u.Cached)*p.Prompt + float64(u.Cached)*p.Cached + float64(u.Completion)*p.Completion) / million
}
