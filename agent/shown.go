package agent

import "caselsp/agent/quote"

// How faces show what is not ours; see package quote.

// Quote is [quote.Text].
func Quote(text string) string { return quote.Text(text) }

// QuoteLines is [quote.Lines].
func QuoteLines(text, mark string) string { return quote.Lines(text, mark) }

// Visible is [quote.Visible].
func Visible(text string) string { return quote.Visible(text) }

// Named is [quote.Named].
func Named(name string, among []string) (string, error) { return quote.Named(name, among) }
