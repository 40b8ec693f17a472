package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/stack"
	"caselsp/agent/testreport"
	"caselsp/store/lazyregexp"
)

// Deed is an action that was carried out, as far as it matters for finding out whether
// the work goes in circles: two deeds with the same Key, Saw and Staged are the same deed
// in the same world, and a third one would be, too.
type Deed struct {
	Action  string
	Target  string // the file or the command line
	Key     string // the action with all its arguments
	Saw     string // what came of it
	Staged  string // the staged files after it
	OK      bool
	Refused bool // a patch whose text was refused
	Looks   bool // it only looks
	Ran     bool // a command that ran, and was not refused
	Tests   bool // the tests of a round, which the engine runs
	Step    int
	Round   int
}

// same reports whether two deeds are the same in the same world.
func (d Deed) same(o Deed) bool {
	return d.Key == o.Key && d.Saw == o.Saw && d.Staged == o.Staged && d.OK == o.OK
}

// failedLike reports whether two deeds failed with the same action on the same target.
func (d Deed) failedLike(o Deed) bool {
	return !d.OK && !o.OK && d.Action == o.Action && d.Target == o.Target && !d.Tests && !o.Tests
}

// failedAlike reports whether two commands failed with the same words, which are not none.
func (d Deed) failedAlike(o Deed) bool {
	return d.Ran && o.Ran && d.Saw != "" && d.Saw == o.Saw && !d.OK && !o.OK
}

const (
	keptDeeds      = 40 // of a feature: a loop that is longer is ended by the rounds
	failedInRow    = 3  // the same action on the same target: the feature ends
	doneInRow      = 5  // the same deed in the same world: the feature ends
	longestCycle   = 6  // deeds in a cycle that is looked for; edit, finish and test, twice, are six
	patchesRefused = 6  // in a row on one file: three before CASE is told to write the lines, and three more
	seenAmong      = 5  // a failure that was seen among the last five is told
	looksTold      = 3  // the same look in the same world is told
	takenBack      = 3  // staged files that come back to the same, with nothing run between: the feature ends
	asksTold       = 3  // questions to the user in a row, with nothing done between, are told
)

// Loop says of the deeds of a feature, the newest last, whether they go in circles. stop is
// why the feature ends; told is what the model is told before it comes to that. refused is
// how many patches of the newest deed's file were refused in a row. It is a pure function.
func Loop(deeds []Deed, refused int) (told, stop string) {
	if len(deeds) == 0 {
		return "", ""
	}
	last := deeds[len(deeds)-1]
	if last.Looks {
		return toldOfLooks(deeds), ""
	}
	steps := slices.DeleteFunc(slices.Clone(deeds), func(d Deed) bool { return d.Looks })
	if stop = looped(steps, refused); stop != "" {
		return "", stop
	}
	return toldOfStep(steps), ""
}

// looped says which loop the steps end in; "" for none.
func looped(steps []Deed, refused int) string {
	last := steps[len(steps)-1]
	if last.Refused {
		if refused >= patchesRefused {
			return fmt.Sprintf("%d patches of %s were refused in a row", refused, last.Target)
		}
	} else if n := inRow(steps, last.failedLike); n >= failedInRow {
		return fmt.Sprintf("%s%s failed %d times in a row", last.Action, of(last.Target), n)
	}
	if n := inRow(steps, last.same); n >= doneInRow && !last.Refused && !last.Tests {
		return fmt.Sprintf("%s%s was done %d times in a row, with the same result", last.Action, of(last.Target), n)
	}
	for length := 2; length <= longestCycle; length++ {
		// Refused patches are counted by themselves, and passing tests lead to a verdict, of
		// which there are only so many.
		bounded := func(d Deed) bool { return d.Refused || d.Tests && d.OK }
		if cycle := steps[max(0, len(steps)-length):]; cycles(steps, length) && !slices.ContainsFunc(cycle, bounded) {
			return fmt.Sprintf("the last %d steps were done before, in the same order and with the same results: %s", length, names(cycle))
		}
	}
	if n := comesBack(steps); n >= takenBack {
		return fmt.Sprintf("the staged files were changed and taken back %d times, and nothing was run between: %s", n, names(steps[len(steps)-2:]))
	}
	return ""
}

// inRow counts the steps at the end that are like.
func inRow(steps []Deed, like func(Deed) bool) int {
	n := 0
	for i := len(steps) - 1; i >= 0 && like(steps[i]); i-- {
		n++
	}
	return n
}

// cycles reports whether the steps end in two rounds of a cycle of steps that differ.
func cycles(steps []Deed, length int) bool {
	from := len(steps) - 2*length
	if from < 0 || inRow(steps, steps[len(steps)-1].same) >= length {
		return false
	}
	for i := from; i < from+length; i++ {
		if !steps[i].same(steps[i+length]) {
			return false
		}
	}
	return true
}

// comesBack counts how often the staged files came to be what they are now, with nothing
// between that could have shown whether another change is better: no command, no run of the
// tests, no answer.
func comesBack(steps []Deed) (times int) {
	last := steps[len(steps)-1]
	for i := len(steps) - 1; i >= 0; i-- {
		switch d := steps[i]; action.EffectOf(d.Action) {
		case action.Edits, action.RollsBack:
			if d.OK && d.Staged == last.Staged && (i == 0 || steps[i-1].Staged != d.Staged) {
				times++
			} else if i == len(steps)-1 {
				return 0 // it has changed nothing
			}
		default:
			return times
		}
	}
	return times
}

// toldOfStep tells of a step that was done among the last ones, with the same result.
func toldOfStep(steps []Deed) string {
	last := steps[len(steps)-1]
	if last.Tests {
		return toldOfTests(steps)
	}
	asks := func(d Deed) bool { return action.EffectOf(d.Action) == action.Asks }
	if n := inRow(steps, asks); n >= asksTold {
		return fmt.Sprintf("\nThese were %d questions in a row, and nothing was done between them: decide by yourself what can be decided, and go on.\n", n)
	}
	for i := len(steps) - 2; i >= max(0, len(steps)-1-seenAmong); i-- {
		switch before := steps[i]; {
		case last.failedLike(before) && last.Saw == before.Saw && last.Staged != before.Staged:
			return fmt.Sprintf("\nIt failed in the same way in %s: what was changed since has not met the cause.\n", before.name())
		case last.failedLike(before) && last.Saw == before.Saw:
			return fmt.Sprintf("\nIt failed in the same way in %s. Do something else: read what is there now, or ask.\n", before.name())
		case last.failedAlike(before):
			return fmt.Sprintf("\nIt failed in the same way as %s: how it is called is not the cause.\n", before.name())
		case last.same(before) && last.Action != action.FinishFeatureName:
			return fmt.Sprintf("\nThe result is the same as in %s, and the staged files are the same: doing it again will not help.\n", before.name())
		}
	}
	return ""
}

// toldOfTests tells of tests that fail as they did among the last runs.
func toldOfTests(steps []Deed) string {
	last := steps[len(steps)-1]
	seen := 0
	for i := len(steps) - 2; i >= 0 && seen < seenAmong && !last.OK; i-- {
		if !steps[i].Tests {
			continue
		}
		if seen++; !steps[i].OK && steps[i].Saw == last.Saw && steps[i].Staged == last.Staged {
			return fmt.Sprintf("\nThe tests failed in the same way in round %d, and nothing was changed since.\n", steps[i].Round)
		}
		if !steps[i].OK && steps[i].Saw == last.Saw {
			return fmt.Sprintf("\nThe tests failed in the same way in round %d: what was changed since has not met the cause.\n", steps[i].Round)
		}
	}
	return ""
}

// toldOfLooks tells of a look that is repeated where nothing has changed, and of looks in a
// row that show the same. It ends nothing: the free turns of a round have a limit of their own.
func toldOfLooks(deeds []Deed) string {
	last, seen := deeds[len(deeds)-1], 0
	for _, d := range deeds {
		if d.same(last) {
			seen++
		}
	}
	if seen == looksTold {
		return fmt.Sprintf("\nThis is the %dth time, and nothing has changed: it stands above.\n", seen)
	}
	alike := func(d Deed) bool { return d.Action == last.Action && d.Saw == last.Saw && d.Staged == last.Staged }
	if n := inRow(deeds, alike); n == looksTold && seen < n {
		return fmt.Sprintf("\nThe last %d of these showed the same: look for something else, or elsewhere.\n", n)
	}
	return ""
}

// of is the target of an action, for a sentence.
func of(target string) string {
	if target == "" {
		return ""
	}
	return " (" + FirstLine(target) + ")"
}

// names lists actions.
func names(deeds []Deed) string {
	text := ""
	for i, d := range deeds {
		if i > 0 {
			text += ", "
		}
		text += d.Action + of(d.Target)
	}
	return text
}

// passing matches what differs between two runs of the same command that mean the same:
// durations, times of day, addresses, and names of temporary files.
var passing = lazyregexp.New(`\b\d+(\.\d+)? ?(ns|µs|ms|s|sec|secs|seconds)\b|duration_ms \S+|\b\d\d:\d\d:\d\d(\.\d+)?\b|\b0x[0-9a-fA-F]+\b|/tmp/[^\s'":]+`)

// sawOf is what a command showed: of a run of the tests, what its runner sums up, and what failed.
func sawOf(line string, b ActionDone) string {
	text := b.Quote
	if b.Mark == "" {
		text = b.Text // of older versions
	}
	if stack.RunsAlone(line) {
		if text = testreport.Summary(b.Quote); !b.OK {
			text = testreport.Failure(b.Quote) + "\n" + text
		}
	}
	if text = strings.TrimSpace(passing.ReplaceAllString(text, "")); text == "" {
		return ""
	}
	return digestOf(text)
}

// DeedOf returns what an outcome of the pending action is for Loop; ok is false where
// it is none, because another role acts.
func (p *State) DeedOf(b ActionDone) (d Deed, ok bool) {
	c, f := p.Pending, p.Feature()
	if c == nil || f == nil || c.Role != RoleCase && c.Role != RoleTester || b.Lost || c.Before || c.Bare || b.Skipped && c.Role == RoleTester {
		return Deed{}, false
	}
	staged := p.Staged
	if b.Staged != nil {
		staged = *b.Staged
	}
	effect := action.EffectOf(c.Action)
	d = Deed{
		Action: c.Action, Target: pathOf(c.Args), OK: b.OK, Refused: b.Refused != "" && c.Action == action.PatchFileName,
		Looks: effect == action.Reads || effect == action.Looks, Tests: c.Role == RoleTester, Step: c.at.step, Round: f.Round,
		Key: digestOf(c.Action, string(c.Args)), Saw: digestOf(b.Text, b.Quote), Staged: digestOf(staged.byPath()),
	}
	switch {
	case c.Action == action.RenameFileName:
		d.Target = renamedOf(c.Args)
	case d.Tests:
		d.Action, d.Target = "the tests", ""
		d.Saw = digestOf(passing.ReplaceAllString(testreport.Failure(b.Text+b.Quote), ""))
	case effect == action.Runs:
		d.Target = strings.Join(strings.Fields(CommandOf(c.Args)), " ")
		d.Key, d.Saw, d.Ran = digestOf(c.Action, d.Target), sawOf(d.Target, b), b.Mark == action.MarkOutput
	case c.Action == action.FinishFeatureName && b.OK:
		d.Key, d.Saw = c.Action, "" // whatever is said about it
	}
	if effect == action.RollsBack || effect == action.Edits && b.OK {
		d.Saw = "" // what came of it is staged
	}
	return d, true
}

// renamedOf reads the path out of a RENAME_FILE's arguments.
func renamedOf(raw json.RawMessage) string {
	var a action.RenameFile
	if json.Unmarshal(raw, &a) != nil {
		return ""
	}
	return a.From
}

func digestOf(v ...any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error() // no caller passes what has no encoding
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// Circles judges the outcome of the pending action: see Loop.
func (p *State) Circles(b ActionDone) (told, stop string) {
	d, ok := p.DeedOf(b)
	if !ok {
		return "", ""
	}
	f := p.Feature()
	refused := f.Refused[d.Target]
	if d.Refused {
		refused++
	}
	return Loop(append(slices.Clone(f.Deeds), d), refused)
}

// noteDeed folds an outcome into the deeds of the feature. It is called before the record
// changes the state.
func (p *State) noteDeed(b ActionDone) {
	d, ok := p.DeedOf(b)
	if !ok {
		return
	}
	f := p.Feature()
	f.Deeds = append(f.Deeds, d)
	if n := len(f.Deeds); n > keptDeeds {
		f.Deeds = slices.Clone(f.Deeds[n-keptDeeds:])
	}
	f.Loop = b.Loop
}
