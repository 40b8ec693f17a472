package agent

import (
	"slices"

	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/sandbox"
)

// outside is what a task is told from outside beside the answers of models, commands and the
// user: of dependencies, linters, memory, secrets and earlier approvals. There are two:
// [live], where a task runs now, and [Player], where one that was recorded is replayed. Each
// method reports whether its answer was recorded; where it was not, the run finds out by
// itself.
type outside interface {
	permit.Outside
	// replays reports whether a task is replayed: nothing is then learnt or kept from it.
	replays() bool
	// dependencies says what was found of a project's dependencies.
	dependencies(key string) (found record.DependenciesFound, recorded bool)
	// linted returns the linters' findings in files; nil if no linter ran.
	linted(files map[string]string) (said *record.Linted, recorded bool)
	// fixChecked returns what checks said of a claim that a failure was fixed; nil where it was not checked.
	fixChecked(fixes []string, files map[string]string) (said *record.FixChecked, recorded bool)
	// writesValidators reports whether a fix validator for a type of errors is asked for where one is wanted.
	writesValidators(a *Agent, errorType string) bool
	// validatorTried is the validator that a model has written, tried, by the number of those before it.
	validatorTried(n int) (b *record.ValidatorTried, recorded bool)
	// told returns what the user said to the task at this place of it; live, that comes by
	// [Agent.Tell].
	told(p *record.State) []record.Told
	// edited are the files that the user has edited at this place of the task; live, the workspace itself tells.
	edited(at record.Place) []editedFile
	// forgets reports whether the process that worked on the task ended here: what it knew and the journal does not hold is
	// forgotten.
	forgets(p *record.State) bool
	// window is what the servers of models say here of their windows; nil: nothing new.
	window(at record.Place) (b *record.WindowTold, recorded bool)
	// answers reports whether a task that begins can end with an answer in words.
	answers() bool
	// checksPlans reports whether the plan of a task that begins is compared with the files that
	// there are.
	checksPlans() bool
	// masked names the services whose secrets the last answer of a model had; nil: the
	// answer tells.
	masked() []string
	// tests says which commands were found to run the project's tests: none by versions that
	// did not look.
	tests() (found record.TestsFound, recorded bool)
	// reflects says whether the reflector was asked about the failure that comes now.
	reflects() (yes, recorded bool)
	// recallsFirst reports whether memory is asked about a failure that the reflector is not asked about.
	recallsFirst() bool
	// compares reports whether failures are compared with how the tests went before the task.
	compares() bool
	// provesTests reports whether new tests run without the change, too.
	provesTests() bool
	// sparesTests reports whether the tests of a feature may stay away that changes documentation only.
	sparesTests() bool
	// packages are those of a task that begins which no file of the project names, and whether the
	// user is asked about more of them.
	packages(a *Agent) (kept map[sandbox.Profile][]string, offers bool)
	// known is what the planner is told of the workspace, of which manifest has the checksums.
	known(a *Agent, manifest map[string]string) *record.Known
	// message is what is said in a thread now, with what it shows.
	message() (said record.Message, recorded bool)
	// shown is what the model of a thread is told now of the workspace, or of files that changed.
	shown() (shown record.FilesShown, told, recorded bool)
	// taskOf is the id of the task that a thread is handed over to.
	taskOf(a *Agent) string
	// hearsAnswers reports whether all who work on the task hear what the user answers to a model.
	hearsAnswers() bool
	// recalled says what memory gave for a query.
	recalled(query string) (found record.MemoryRecalled, recorded bool)
}

// live is the outside of a task that runs now: nothing of it was recorded.
type live struct{}

// Asked implements permit.Outside.
func (live) Asked() (asked, recorded bool) { return false, false }

// Judged implements permit.Outside.
func (live) Judged() (record.Judged, bool) { return record.Judged{}, false }

// Whole implements permit.Outside.
func (live) Whole() (whole, recorded bool) { return false, false }

// SecretAsked implements permit.Outside.
func (live) SecretAsked(string) (asked, recorded bool) { return false, false }

// AbilityAsked implements permit.Outside.
func (live) AbilityAsked(string) (asked, recorded bool) { return false, false }

// Tolerated implements permit.Outside.
func (live) Tolerated(string) (rule string, recorded bool) { return "", false }

func (live) told(*record.State) []record.Told { return nil }

func (live) edited(record.Place) []editedFile { return nil }

func (live) forgets(*record.State) bool { return false } // it has ended

func (live) window(record.Place) (*record.WindowTold, bool) { return nil, false }

func (live) answers() bool { return true }

func (live) checksPlans() bool { return true }

func (live) replays() bool { return false }

func (live) dependencies(string) (record.DependenciesFound, bool) {
	return record.DependenciesFound{}, false
}

func (live) linted(map[string]string) (*record.Linted, bool) { return nil, false }

func (live) fixChecked([]string, map[string]string) (*record.FixChecked, bool) { return nil, false }

func (live) writesValidators(a *Agent, errorType string) bool {
	return a.WriteValidators && a.newError(errorType)
}

func (live) validatorTried(int) (*record.ValidatorTried, bool) { return nil, false }

func (live) masked() []string { return nil }

func (live) tests() (record.TestsFound, bool) { return record.TestsFound{}, false }

func (live) reflects() (yes, recorded bool) { return false, false }

func (live) recallsFirst() bool { return true }

func (live) compares() bool { return true }

func (live) provesTests() bool { return true }

func (live) sparesTests() bool { return true }

func (live) packages(a *Agent) (map[sandbox.Profile][]string, bool) { return a.keptPackages(), true }

func (live) known(a *Agent, manifest map[string]string) *record.Known { return a.known(manifest) }

func (live) message() (record.Message, bool) { return record.Message{}, false }

func (live) shown() (shown record.FilesShown, told, recorded bool) { return shown, false, false }

func (live) taskOf(a *Agent) string { return a.NewID() }

func (live) recalled(string) (record.MemoryRecalled, bool) { return record.MemoryRecalled{}, false }

func (live) hearsAnswers() bool { return true }

// hearsAnswers is told by an answer: older versions told only who asked.
func (p *Player) hearsAnswers() bool {
	return slices.ContainsFunc(p.rec.entries, func(e entry) bool { return e.User != nil && e.User.Answer.Heard })
}

func (p *Player) packages(*Agent) (map[sandbox.Profile][]string, bool) {
	return p.rec.packages, p.rec.offers
}

func (p *Player) told(at *record.State) (list []record.Told) {
	for len(p.says) > 0 && at.Here(p.says[0]) {
		list, p.says = append(list, p.says[0]), p.says[1:]
	}
	return list
}

// edited gives each edit once, as in an editor: nothing is written.
func (p *Player) edited(at record.Place) (list []editedFile) {
	for len(p.edits) > 0 && at.Is(*p.edits[0].At) {
		list, p.edits = append(list, p.edits[0].Edited...), p.edits[1:]
	}
	return list
}

// forgets takes the ends of processes in order; one whose place was passed by is left out.
func (p *Player) forgets(at *record.State) (ended bool) {
	for len(p.ends) > 0 {
		e := p.ends[0]
		here := at.Place().Is(*e.At) && len(at.Turns) >= e.Turns
		if !here && at.Replies <= e.At.Replies {
			break
		}
		ended, p.ends = ended || here, p.ends[1:]
	}
	return ended
}

func (p *Player) window(at record.Place) (b *record.WindowTold, recorded bool) {
	for len(p.sizes) > 0 && at.Is(p.sizes[0].At) {
		b, p.sizes = &p.sizes[0], p.sizes[1:]
	}
	return b, true
}

// SecretAsked implements permit.Outside: where the user was asked, the answer comes next.
func (p *Player) SecretAsked(name string) (asked, recorded bool) {
	return len(p.user) > 0 && p.user[0].User.Secret == name, true
}

// Asked implements permit.Outside: the answer stands next, behind the call that chose the
// command or the command before it. It does not count answers, because a person may answer
// who watches the replay.
func (p *Player) Asked() (asked, recorded bool) {
	looked := false // for dependencies, which comes before the question that is about them, too
	for _, e := range p.here() {
		switch {
		case e.Layered != nil:
			looked = true
		case e.Recalled == nil && e.Linted == nil && e.Checked == nil && e.Tried == nil && e.Allowed == nil && e.Told == nil && e.Tests == nil && e.Edited == nil && e.Window == nil && !e.Ended:
			return e.User != nil && (!looked || e.User.Whole), true
		}
	}
	return false, true
}

// Whole implements permit.Outside: the answer says it. Where none was given, nothing was asked.
func (p *Player) Whole() (whole, recorded bool) {
	for _, e := range p.here() {
		if e.User != nil {
			return e.User.Whole, true
		}
	}
	return true, true
}

// Judged implements permit.Outside: the judgement stands behind the call that chose the command. Recordings
// of old versions have none.
func (p *Player) Judged() (record.Judged, bool) {
	for _, e := range p.here() {
		if e.Judged != nil {
			return *e.Judged, true
		}
	}
	return record.Judged{}, false
}

// writesValidators is told by what came of it: older versions did not ask.
func (p *Player) writesValidators(*Agent, string) bool {
	return slices.ContainsFunc(p.rec.entries, func(e entry) bool { return e.Tried != nil })
}

// validatorTried is what was recorded.
func (p *Player) validatorTried(n int) (b *record.ValidatorTried, recorded bool) {
	for _, e := range p.rec.entries {
		if e.Tried == nil {
			continue
		}
		if n == 0 {
			return e.Tried, true
		}
		n--
	}
	return &record.ValidatorTried{Trouble: "the recording has none"}, true
}

// tests gives none where none were recorded; else they are looked for, as they were then.
func (p *Player) tests() (record.TestsFound, bool) {
	none := !slices.ContainsFunc(p.rec.entries, func(e entry) bool { return e.Tests != nil })
	return record.TestsFound{}, none
}

// recallsFirst is told by the answer of memory that stands before the next one of a model: older versions
// did not ask.
func (p *Player) recallsFirst() bool {
	return slices.ContainsFunc(p.here(), func(e entry) bool { return e.Recalled != nil })
}

// reflects is told by the role that gave the next answer.
func (p *Player) reflects() (yes, recorded bool) {
	calls := p.played[record.KindOf(record.CallAnswered{})]
	for _, e := range p.rec.entries {
		if e.Answer == nil {
			continue
		}
		if calls == 0 {
			return e.Answer.Role == record.RoleReflector, true
		}
		calls--
	}
	return false, true
}

// compares is told by a run of the tests before the task: versions that did not compare, or
// had no need to, recorded none.
func (p *Player) compares() bool {
	return slices.ContainsFunc(p.rec.entries, func(e entry) bool { return e.Command != nil && e.Command.Before })
}

// provesTests is told by such a run, which comes next: older versions made none, or fewer.
func (p *Player) provesTests() bool {
	return slices.ContainsFunc(p.here(), func(e entry) bool { return e.Command != nil && e.Command.Bare })
}

// sparesTests is told by the run of them that comes next: older versions ran them always.
func (p *Player) sparesTests() bool {
	return !slices.ContainsFunc(p.here(), func(e entry) bool { return e.Command != nil })
}

// AbilityAsked implements permit.Outside: where the user was asked, the answer stands behind
// the call that chose the edit.
func (p *Player) AbilityAsked(question string) (asked, recorded bool) {
	return slices.ContainsFunc(p.here(), func(e entry) bool { return e.User != nil && e.User.ID == question }), true
}

func (p *Player) replays() bool { return true }

func (p *Player) answers() bool { return p.rec.answers }

func (p *Player) checksPlans() bool { return p.rec.planChecks }

func (p *Player) known(*Agent, map[string]string) *record.Known { return p.rec.known }

// recalled is what memory gave: nothing where it was asked something else, and then the
// prompt differs if it mattered.
func (p *Player) recalled(query string) (found record.MemoryRecalled, recorded bool) {
	if len(p.found) == 0 || p.found[0].Recalled.Query != query {
		return record.MemoryRecalled{Query: query}, true
	}
	e := p.found[0]
	p.found, p.at = p.found[1:], e.Time
	return *e.Recalled, true
}
