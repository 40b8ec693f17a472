package llm

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Prompt     float64
	Cached     float64 // prompt tokens that the provider had cached; 0: as Prompt
	Completion float64
}

// Cost returns the dollars for u by p.
func (p Price) Cost(u Usage) float64 {
	if p.Cached == 0 {
		p.Cached = p.Prompt
	}
	const million = 1e6
	return (float64(u.Prompt-u.Cached)*p.Prompt + float64(u.Cached)*p.Cached + float64(u.Completion)*p.Completion) / million
}

// Tokens returns how many tokens of an answer the dollars buy; without end where answers
// are free (ok is false).
func (p Price) Tokens(dollars float64) (n int, ok bool) {
	if p.Completion <= 0 {
		return 0, false
	}
	const million = 1e6
	return max(int(dollars*million/p.Completion), 0), true
}

// PriceOf returns what a model costs, at most; false where no price is known.
func PriceOf(m Model) (Price, bool) {
	if p, ok := m.(interface{ Price() (Price, bool) }); ok {
		return p.Price()
	}
	return Price{}, false
}
