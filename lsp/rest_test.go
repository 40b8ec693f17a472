package lsp

import (
	"testing"
	"time"

	"caselsp/lsp/wire"
)

// TestRest shows that what takes the keyboard comes a rest after the last key, and never
// where somebody types on and on.
func TestRest(t *testing.T) {
	for _, tt := range []struct {
		name  string
		types time.Duration // how long, with a key every 150 ms
		want  bool
		after time.Duration
	}{
		{"long ago", -time.Hour, true, 0},
		{"a key just now", 0, true, restTime},
		{"for a while", 10 * time.Second, true, 10*time.Second - 100*time.Millisecond + restTime},
		{"on and on", time.Hour, false, restLimit},
	} {
		s := newServer(t.Context(), Options{})
		start := time.Unix(1e9, 0)
		now, limit := start, func() {}
		// typed is when the last key came, as of now.
		typed := func() time.Time {
			const key = 150 * time.Millisecond
			return start.Add(min(now.Sub(start), tt.types) / key * key)
		}
		s.docs.typed = typed()
		if tt.types < 0 {
			s.docs.typed = time.Time{}
		}
		s.ed.Clock = wire.Clock{Now: func() time.Time { return now }, After: func(d time.Duration, f func()) func() bool {
			if d == restLimit {
				limit = f
				return func() bool { return true }
			}
			now = now.Add(d)
			s.docs.typed = typed()
			if now.Sub(start) >= restLimit {
				now = start.Add(restLimit)
				limit()
			}
			f()
			return func() bool { return false }
		}}
		if rested := s.docs.rest(t.Context()); rested != tt.want || now.Sub(start) != tt.after {
			t.Errorf("%s: got %v after %v, want %v after %v", tt.name, rested, now.Sub(start), tt.want, tt.after)
		}
	}
}
