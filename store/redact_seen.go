package store

import (
	"hash/maphash"
	"sync"
)

// A text passes the journal's door more than once: as what an action said, as a record,
// and as a part of every later message to the model. What it was found to be is kept by
// its hash, so that it is searched once, and later only for the values that have become
// known since.

const (
	// minSeen is the length in bytes of the shortest text that is remembered.
	minSeen = 64

	// maxSeen is how many texts are remembered, maxSeenBytes how many bytes of those that
	// are not clean. A text that is asked for again counts as new.
	maxSeen      = 8192
	maxSeenBytes = 8 << 20
)

// seen remembers texts. Redactors that follow each other share it: each knows all values
// that the one before knew, in the same order, and exempts all that it exempted. The
// zero value is empty.
type seen struct {
	mu        sync.Mutex
	now, last map[textHash]verdict // last is given up when now is full
	bytes     int                  // of redacted texts in now

	newer      *known // the values from number from to number to, nil where there is no value
	from, to   int
	newerKnown bool
}

// textHash tells texts apart: 128 bits that only this process can compute. (SHA-256 takes
// as long for a megabyte as a search for one value.)
type textHash [2]uint64

var textSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func hashOf(text string) textHash {
	return textHash{maphash.String(textSeeds[0], text), maphash.String(textSeeds[1], text)}
}

// verdict is what a text was found to be.
type verdict struct {
	secrets, own int    // how many values were known, and how many were exempt
	clean        bool   // it has no secrets
	redacted     string // else: without them
	searched     bool   // for values that are assigned to names of secrets
	assigned     [][2]int
}

func (s *seen) get(h textHash) (verdict, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.now[h]
	if !ok {
		if v, ok = s.last[h]; ok {
			s.put(h, v)
		}
	}
	return v, ok
}

// change changes what is known of a text.
func (s *seen) change(h textHash, how func(*verdict)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.now[h]
	s.bytes -= len(v.redacted)
	how(&v)
	s.put(h, v)
}

// put is called with the lock.
func (s *seen) put(h textHash, v verdict) {
	if s.bytes+len(v.redacted) > maxSeenBytes || len(s.now) >= maxSeen {
		s.now, s.last, s.bytes = nil, s.now, 0
	}
	if s.now == nil {
		s.now = map[textHash]verdict{}
	}
	s.now[h] = v
	s.bytes += len(v.redacted)
}

// since returns the matcher of the values that have become known after the first ones.
func (s *seen) since(secrets []string, first int) *known {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.newerKnown || s.from != first || s.to != len(secrets) {
		s.newer, s.from, s.to, s.newerKnown = newKnown(secrets[first:]), first, len(secrets), true
	}
	return s.newer
}

// text redacts plain text.
func (r *redactor) text(text string) string {
	if len(text) < minSeen {
		return r.textAt(text, 0)
	}
	h := hashOf(text)
	v, ok := r.seen.get(h)
	switch ok = ok && v.secrets <= len(r.secrets); {
	case ok && v.clean && (v.secrets == len(r.secrets) || !r.since(v.secrets, text)):
		if v.secrets < len(r.secrets) {
			r.seen.change(h, func(v *verdict) { v.secrets = len(r.secrets) })
		}
		return text
	case ok && v.redacted != "" && v.secrets == len(r.secrets) && v.own == len(r.own):
		return v.redacted
	}
	redacted := r.textAt(text, 0)
	r.seen.change(h, func(v *verdict) {
		v.secrets, v.own, v.clean, v.redacted = len(r.secrets), len(r.own), redacted == text, ""
		if !v.clean && len(redacted) <= maxSeenBytes/8 {
			v.redacted = redacted
		}
	})
	return redacted
}

// since reports whether a text holds one of the values that have become known after the
// first ones.
func (r *redactor) since(first int, text string) bool {
	k := r.seen.since(r.secrets, first)
	return k != nil && len(k.spans(k.read(text), 0)) > 0
}

// assigned is the function of this name for a text that may have been seen.
func (s *seen) assigned(text string) [][2]int {
	if len(text) < minSeen {
		return assigned(text)
	}
	h := hashOf(text)
	if v, ok := s.get(h); ok && v.searched {
		return v.assigned
	}
	all := assigned(text)
	s.change(h, func(v *verdict) { v.searched, v.assigned = true, all })
	return all
}
