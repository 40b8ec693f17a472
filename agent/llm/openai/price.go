package openai

import (
	"caselsp/agent/llm"
	"caselsp/store/lazyregexp"
)

// Price is what a model costs.
type Price = llm.Price

// prices of the services themselves, as listed in 2025. It is short on
// purpose: a wrong price is worse than none, and any can be set.
var prices = map[string]Price{
	"gpt-4o":           {Prompt: 2.50, Cached: 1.25, Completion: 10},
	"gpt-4o-mini":      {Prompt: 0.15, Cached: 0.075, Completion: 0.60},
	"gpt-4.1":          {Prompt: 2, Cached: 0.50, Completion: 8},
	"gpt-4.1-mini":     {Prompt: 0.40, Cached: 0.10, Completion: 1.60},
	"gpt-4.1-nano":     {Prompt: 0.10, Cached: 0.025, Completion: 0.40},
	"o3":               {Prompt: 2, Cached: 0.50, Completion: 8},
	"o4-mini":          {Prompt: 1.10, Cached: 0.275, Completion: 4.40},
	"gpt-5":            {Prompt: 1.25, Cached: 0.125, Completion: 10},
	"gpt-5-mini":       {Prompt: 0.25, Cached: 0.025, Completion: 2},
	"gpt-5-nano":       {Prompt: 0.05, Cached: 0.005, Completion: 0.40},
	"gemini-2.5-pro":   {Prompt: 1.25, Cached: 0.31, Completion: 10},
	"gemini-2.5-flash": {Prompt: 0.30, Cached: 0.075, Completion: 2.50},

	"text-embedding-3-small": {Prompt: 0.02},
	"text-embedding-3-large": {Prompt: 0.13},
	"text-embedding-ada-002": {Prompt: 0.10},
	"gemini-embedding-001":   {Prompt: 0.15},
}

// dated matches the end of names such as gpt-4.1-2025-04-14. Any other ending
// is another model at another price.
var dated = lazyregexp.New(`-\d{4}-\d{2}-\d{2}$`)

// Price returns what the configured model costs; llm.PriceOf finds it. Only where the service itself
// is asked does the built-in table hold: a local model may bear any name.
func (m *model) Price() (Price, bool) {
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
