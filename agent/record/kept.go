package record

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"caselsp/agent/quote"
)

// KeptWork is what a feature that failed had done when it ended. It is not verified, so it
// stands beside the result as a change set of its own: nothing of it is accepted unless the
// user names it.
type KeptWork struct {
	ID      string // names it in decisions: the feature's id, as it can be typed, with a number from the second one on
	Feature string // the id of the feature in the plan
	Seq     int64  // of the record that ended it
	Title   string
	Reason  string      // ours: why the feature ended
	Words   quote.Words // and what a model says of it
	Before  Staged      // what was staged without it
	After   Staged      // and with it
	Only    []string    // the files that are left of it; nil: all
}

// keep folds what a failed feature leaves behind.
func (p *State) keep(b FeatureEnded) {
	if b.Kept == nil || b.Staged == nil || len(b.Kept.changedFrom(*b.Staged)) == 0 {
		return
	}
	f := &p.Features[b.Feature]
	p.Kept = append(p.Kept, KeptWork{
		ID: p.keptID(f.ID), Feature: f.ID, Seq: p.Seq, Title: p.TitleOf(f), Reason: b.Reason, Words: b.Words, Before: *b.Staged, After: *b.Kept,
	})
}

// maxKeptID is how much of a feature's id, in bytes, names its work: it is typed.
const maxKeptID = 40

// keptID is a name for the work of a feature that no other has, now or before: decisions
// about it stay in the journal.
func (p *State) keptID(feature string) string {
	if p.keptIDs == nil {
		p.keptIDs = map[string]bool{}
	}
	name := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.') {
			return r
		}
		return '-'
	}, feature)
	name = strings.Trim(name[:min(len(name), maxKeptID)], "-")
	id := cmp.Or(name, "feature")
	for n := 2; p.keptIDs[id]; n++ {
		id = fmt.Sprintf("%s-%d", cmp.Or(name, "feature"), n)
	}
	p.keptIDs[id] = true
	return id
}

// Paths are the files that the work concerns, sorted.
func (k KeptWork) Paths() []string {
	if k.Only != nil {
		return k.Only
	}
	return k.After.changedFrom(k.Before)
}

// changedFrom returns the paths that are staged in another way than in before, sorted.
func (s Staged) changedFrom(before Staged) []string {
	was, is := before.byPath(), s.byPath()
	differ := map[string]bool{}
	for path, f := range is {
		if old, ok := was[path]; !ok || !reflect.DeepEqual(old.Now, f.Now) || old.From != f.From {
			differ[path] = true
		}
	}
	for path := range was {
		if _, ok := is[path]; !ok {
			differ[path] = true
		}
	}
	return slices.Sorted(maps.Keys(differ))
}

// The outcomes of a task, as its report names them.
const (
	OutcomeSuccess  = "success"
	OutcomePartial  = "partial"
	OutcomeFailed   = "failed"
	OutcomeAnswered = "answered"
)

// Outcome says how the features of a task went: success, partial, failed or answered.
func (p *State) Outcome() string {
	if p.Reply != "" {
		return OutcomeAnswered
	}
	good := 0
	for _, f := range p.Features {
		if f.OK {
			good++
		}
	}
	switch {
	case good == 0:
		return OutcomeFailed
	case good < len(p.Features):
		return OutcomePartial
	default:
		return OutcomeSuccess
	}
}

// KeptLine is kept work at a glance.
type KeptLine struct {
	ID      string   `json:"id"`
	Feature string   `json:"feature"`
	Seq     int64    `json:"seq"`    // of the record that ended it
	Title   string   `json:"title"`  // with a model's words marked
	Reason  string   `json:"reason"` // the same
	Files   []string `json:"files"`
}

// keptLines are the kept works of a task at a glance.
func (p *State) keptLines() []KeptLine {
	var list []KeptLine
	for _, k := range p.Kept {
		list = append(list, KeptLine{k.ID, k.Feature, k.Seq, k.Title, k.Words.After(k.Reason), k.Paths()})
	}
	return list
}

// Ended is the state of a task in words, and whether it was done in part and work is kept.
func (s Status) Ended() string {
	text := string(s.State)
	if s.Interrupted {
		text = s.State.Interrupted()
	}
	if s.Outcome == OutcomePartial {
		text += ", in part"
	}
	switch n := len(s.Kept); {
	case n == 1:
		text += ": the work of 1 feature is kept"
	case n > 1:
		text += fmt.Sprintf(": the work of %d features is kept", n)
	}
	return text
}
