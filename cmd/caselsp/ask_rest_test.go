package main

import (
	"testing"
	"time"

	"caselsp/agent"
)

// TestAnswerNeedsRest has somebody type on without looking: however long that goes, no line
// is an answer until there was a pause, in which the question can be read.
func TestAnswerNeedsRest(t *testing.T) {
	shown := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for gap, reading := range map[time.Duration]time.Duration{
		60 * time.Millisecond: agent.ReadTime(""), 250 * time.Millisecond: agent.ReadTime(""), 900 * time.Millisecond: agent.ReadTime(""), 1500 * time.Millisecond: agent.MaxReadTime,
	} {
		lines := make(chan typedLine, 1000)
		typed := 0
		at := shown.Add(-gap / 2)
		for ; at.Before(shown.Add(10 * time.Second)); at = at.Add(gap) {
			lines <- typedLine{"y", at}
			typed++
		}
		lines <- typedLine{"n", at.Add(max(restTime, reading))}
		ignored := 0
		r := &lineReader{lines: lines}
		got, ok, err := r.readAfter(t.Context(), shown.Add(reading), reading, func() { ignored++ })
		if got != "n" || !ok || err != nil || ignored != typed {
			t.Errorf("every %v: %q taken after %d of %d lines (%v)", gap, got, ignored, typed, err)
		}
	}
}
