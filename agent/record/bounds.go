package record

import (
	"reflect"
	"slices"
	"time"

	"caselsp/agent/action"
)

// Bounds is what the state counts so that nothing repeats without end and no budget is
// broken: the engine compares it with its limits.
type Bounds struct {
	// These count from the last transition on, so that a resumed phase has its whole
	// measure again.
	Exchanges int // of the present phase: actions carried out and replies refused
	LostTests int // runs of the tests in this phase whose outcome is not known
	Inquiries int // questions of a model that the user has answered, in planning or in this feature
	Retests   int // runs of the tests, in this feature, because the staged files changed behind them

	Unexplained bool // the last verdict was returned because it did not say what is missing

	Worked        time.Duration // of the task, without what it waited for the user or lay still
	TokensPerByte float64       // the most that a server has counted for a request; 0: none has
	LastMost      int           // the limit of the last answer, in tokens; 0: none
	LastAnswer    int           // the tokens of the last answer
}

// Continued says that a run goes on after its process ended in the middle of a phase:
// the time since the last record was no work.
type Continued struct{}

func (Continued) kind() string { return "continued" }

// count folds a record into the bounds. It is called before the record changes the state.
func (p *State) count(at time.Time, body Body) {
	lost := false
	switch b := body.(type) {
	case StateChanged:
		p.changePhase(b)
	case ReplyRefused:
		p.Exchanges++
		p.Unexplained = p.Unexplained || b.Unexplained
	case ActionDone:
		p.Exchanges++
		switch c := p.Pending; {
		case c != nil && c.Role == RoleTester && b.Lost:
			p.LostTests++
		case c != nil && c.Answer != nil && action.EffectOf(c.Action) == action.Asks:
			p.Inquiries++
		}
		p.noteDeed(b)
	case CallAnswered:
		p.measure(b)
	case CallFailed:
		p.Usage, lost = p.Usage.Add(b.Usage), b.Lost
	case Continued:
		lost = true
	}
	if passed := at.Sub(p.Changed); p.Phase.Works() && !lost && passed > 0 {
		p.Worked += passed
	}
}

// changePhase begins to count anew.
func (p *State) changePhase(b StateChanged) {
	p.Exchanges, p.LostTests, p.Unexplained = 0, 0, false
	switch resumed := !p.Phase.Works() && p.Phase != Waiting; {
	case resumed, b.To == Planning, p.Phase == Planning, b.Feature != p.Current:
		p.Retests, p.Inquiries = 0, 0
	case p.Phase == Verifying && b.To == Testing:
		p.Retests++
	}
}

// TestsOutdated reports whether the staged files have changed since the feature's tests ran.
func (p *State) TestsOutdated() bool {
	t := p.LastTest
	return t != nil && !t.Skipped && !t.Lost && !reflect.DeepEqual(t.staged.byPath(), p.Staged.byPath())
}

// OutdatedFiles are the staged files that have changed since the feature's tests ran, sorted.
func (p *State) OutdatedFiles() []string {
	then, now := p.LastTest.staged.byPath(), p.Staged.byPath()
	var paths []string
	for path, f := range now {
		if !reflect.DeepEqual(then[path], f) {
			paths = append(paths, path)
		}
	}
	for path := range then {
		if _, still := now[path]; !still {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// SameStaged reports whether two staged states are the same.
func SameStaged(a, b Staged) bool { return reflect.DeepEqual(a.byPath(), b.byPath()) }

// Unchanged reports whether nothing is staged that was not staged when the feature began.
func (p *State) Unchanged() bool {
	f := p.Feature()
	return f != nil && reflect.DeepEqual(f.Start.byPath(), p.Staged.byPath())
}

// byPath are the staged files by path.
func (s Staged) byPath() map[string]StagedFile {
	m := map[string]StagedFile{}
	for _, f := range s.Files {
		m[f.Path] = f
	}
	return m
}

// measure takes in what a server counted.
func (p *State) measure(b CallAnswered) {
	used := b.Response.Usage
	p.Usage = p.Usage.Add(b.Response.Failed)
	if sent := p.InFlight; sent != nil {
		p.LastMost, p.LastAnswer = sent.Most, used.Completion
		if sent.Bytes > 0 && !used.Estimated {
			p.TokensPerByte = max(p.TokensPerByte, float64(used.Prompt)/float64(sent.Bytes))
		}
	}
}
