package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/llm"
)

// Talk is a conversation with a model as it goes on: only added to, so that each request
// begins with the whole of the one before. CASE has one for a feature, over all its
// rounds; so have the verifier and the reflector. The planner has one for a phase.
type Talk struct {
	Turns []Turn
	// Cut is how many of the first turns are told shortened, because the whole would not
	// fit into the model's window.
	Cut   int
	known map[string]action.Shown // by path: what the model knows of files
}

// Turn is one exchange with a model that is over, or something that it is told.
type Turn struct {
	Batch   int64        // the record of the reply in which it was called, whose calls belong together; 0: it was not called
	Step    string       // its name; "": none
	Call    llm.ToolCall // Name is empty for a reply without a usable action, and for what the model is told
	Reply   string       // what the model wrote beside its calls
	Said    action.Said  // what the model was told
	Round   *RoundNote   // a new round begins here
	Beside  bool         // it was said while the model wrote the reply of the next turn
	OK      bool
	Unrun   bool // it was not looked at
	moved   bool // it only says that staged edits were moved onto what the user typed
	refused bool // it was no call that could be done
	note    string
	told    string // what the user said
	answer  string // what the user was answered, in a thread
}

// RoundNote is what CASE is told when another round of the feature begins.
type RoundNote struct {
	Round, Attempt int
	Reason         string
	Unrun          bool         // the tests could not run: that is the failure
	Failure        *action.Said // of the tests
	Before         string       // which of them failed before the task, too
	Recalled       []string     // what mended similar failures
	Hypothesis     *action.Hypothesis
	Verdict        *action.Verdict
}

// Line is the turn in one line: what was done, and how it went.
func (t Turn) Line() string {
	switch {
	case t.Round != nil:
		return FirstLine(t.Round.Reason)
	case t.told != "":
		return "The user said: " + strings.Join(strings.Fields(t.told), " ")
	case t.answer != "":
		return "You answered: " + t.answer
	case t.Call.Name == "":
		return FirstLine(t.Said.Plain())
	case t.OK && t.note != "":
		return t.Call.Name + ": " + FirstLine(t.note)
	case t.OK:
		return t.Call.Name
	}
	return t.Call.Name + " failed or was refused: " + FirstLine(FirstSaid(t.Said.Text))
}

// learn notes what the model knows of a file now.
func (t *Talk) learn(s action.Shown) {
	if t.known == nil {
		t.known = map[string]action.Shown{}
	}
	if s.Hash == "" {
		delete(t.known, s.Path)
		return
	}
	t.known[s.Path] = t.known[s.Path].With(s)
}

// ShownNow lists what the model knows of files, by path.
func (t *Talk) ShownNow() map[string]action.Shown { return maps.Clone(t.known) }

// LastTurn is the turn that ended last; nil before the first. Calls that were not run are no such turn, nor is
// what the user typed beside the staged edits: who finished the feature before it has finished it.
func (t *Talk) LastTurn() *Turn {
	for i := len(t.Turns) - 1; i >= 0; i-- {
		if !t.Turns[i].Unrun && !t.Turns[i].moved {
			return &t.Turns[i]
		}
	}
	return nil
}

// InReply reports whether a turn is a call of the reply that is worked on.
func (p *State) InReply(turn int) bool {
	return p.batch != 0 && p.Turns[turn].Batch == p.batch
}

// call takes the next call of the reply that is worked on: the first of an answer, or the
// first of those that are left. reply is what the model wrote beside the calls.
func (p *State) call() (call llm.ToolCall, reply string) {
	if p.Answer != nil {
		reply, p.Rest, p.Answer = p.Answer.Content, p.Answer.ToolCalls, nil
	}
	if len(p.Rest) > 0 {
		call, p.Rest = p.Rest[0], p.Rest[1:]
	}
	return call, reply
}

// NextCall is the call of the reply that is to be looked at next, what the model wrote
// beside it, and whether it is the first.
func (p *State) NextCall() (call llm.ToolCall, beside string, first bool) {
	switch {
	case p.Answer != nil && len(p.Answer.ToolCalls) > 0:
		return p.Answer.ToolCalls[0], p.Answer.Content, true
	case len(p.Rest) > 0:
		return p.Rest[0], "", false
	}
	return call, "", true
}

// unrun gives every call that is left its result: it was not run.
func (p *State) unrun(reason string) { p.unrunSome(len(p.Rest), reason) }

// unrunFirst gives the first call of a reply that nobody has looked at yet its result: it was not run.
func (p *State) unrunFirst(reason string) {
	if p.Answer == nil {
		return
	}
	call, beside := p.call()
	p.Turns = append(p.Turns, Turn{Batch: p.batch, Call: call, Reply: beside, Said: action.Said{Text: "Not run: " + reason}, Unrun: true})
}

// unrunSome does so with the next ones of them.
func (p *State) unrunSome(n int, reason string) {
	for i, call := range p.Rest[:n] {
		if p.over > 0 && i == len(p.Rest)-1 {
			reason = p.tooMany()
		}
		p.Turns = append(p.Turns, Turn{Batch: p.batch, Call: call, Said: action.Said{Text: "Not run: " + reason}, Unrun: true})
	}
	if p.Rest = p.Rest[n:]; len(p.Rest) == 0 {
		p.Rest = nil
	}
}

// tooMany is the result of the last call that was kept of a reply with too many.
func (p *State) tooMany() string {
	return fmt.Sprintf("one reply has too many calls. Nor were the %d behind it, which are left out of this conversation. Make a few calls a reply.", p.over)
}

// Stops says why the next call of a reply is not run, "" where it is; all says that none of
// those behind it is either. What only looks is run also behind a call that failed or was refused.
func (p *State) Stops(next llm.ToolCall) (reason string, all bool) {
	if p.over > 0 && len(p.Rest) == 1 && p.Answer == nil {
		return p.tooMany(), false
	}
	if reason := p.HeldBack(next); reason != "" {
		return reason, false
	}
	last := p.LastTurn()
	if last == nil || last.Call.Name == "" {
		return "", false
	}
	verb := action.EffectOf(last.Call.Name)
	switch f := p.Feature(); {
	case f != nil && f.Loop != "" && p.Phase == Coding:
		return "the work goes in circles, and the feature ends.", true
	case verb == action.Finishes && last.OK:
		return "the feature was finished before it.", true
	case verb == action.Aborts && last.OK:
		return "the feature was given up before it.", true
	case !looks(next) && p.failedInReply():
		return "a call before it failed or was refused.", false
	}
	return "", false
}

// looks reports whether a call only looks.
func looks(call llm.ToolCall) bool {
	effect := action.EffectOf(call.Name)
	return effect == action.Reads || effect == action.Looks
}

// failedInReply reports whether a call of the reply that is worked on was refused, or failed and does
// more than look.
func (p *State) failedInReply() bool {
	for i := len(p.Turns) - 1; i >= 0 && p.InReply(i); i-- {
		if t := p.Turns[i]; !t.Unrun && t.Call.Name != "" && !t.OK && (t.refused || !looks(t.Call)) {
			return true
		}
	}
	return false
}

// applyRefused folds that a call, or a reply without one, was of no use.
func (p *State) applyRefused(b ReplyRefused) {
	again := p.RefusedInReply()
	call, beside := p.call()
	p.Turns = append(p.Turns, Turn{Batch: p.batch, Call: call, Reply: beside, Said: action.Said{Text: b.Reason}, refused: true})
	p.noteRefusal(call, b.Reason)
	p.PlanReturned = p.PlanReturned || b.Misnames
	if !b.One {
		p.unrun("the call before it was refused.")
	}
	if !again {
		p.Invalid++
	}
}

// RefusedInReply reports whether a call of the reply that is worked on was refused: several of one reply
// are one unusable reply.
func (p *State) RefusedInReply() bool {
	for i := len(p.Turns) - 1; i >= 0 && p.InReply(i); i-- {
		if p.Turns[i].refused {
			return true
		}
	}
	return false
}

// applyShown folds the files that a feature begins with.
func (p *State) applyShown(b FilesShown) {
	if b.Opens {
		p.opening = len(p.Turns)
	}
	if b.Rules != nil {
		p.Rules = b.Rules
	}
	p.Turns = append(p.Turns, Turn{Said: b.Said()})
	for _, s := range b.Shown {
		p.learn(s)
	}
	if !b.Opens {
		return
	}
	p.Opened = true
	f := p.Feature()
	if f == nil {
		return
	}
	if p.Phase == Coding {
		f.Opened = true
	}
	t := f.threads[p.Phase]
	t.opened, t.staged, t.log = true, p.Staged, len(f.Log)
	f.keep(p.Phase, t)
}

// thread is the conversation of one role about a feature, while another role is asked.
type thread struct {
	talk   Talk
	opened bool   // it was told what it works on
	staged Staged // what was staged when it was told so last
	log    int    // and the lines that the work log had
	notes  int    // of the user, with which it begins
	heard  int    // of the user, which it has had
}

func (f *Feature) keep(phase Phase, t thread) {
	if f.threads == nil {
		f.threads = map[Phase]thread{}
	}
	f.threads[phase] = t
}

// leave keeps the conversation of a phase that ends.
func (p *State) leave(phase Phase) {
	if f := p.Feature(); f != nil && phase.Works() && phase != Planning && phase != Testing {
		t := f.threads[phase]
		t.talk, t.notes, t.heard = p.Talk, p.notes, len(p.Notes.Notes)
		f.keep(phase, t)
	}
}

// enter goes on with the conversation of a phase, where there was one. What the user said
// between is told then.
func (p *State) enter(phase Phase) {
	t, ok := p.Features[p.Current].threads[phase]
	if !ok {
		return
	}
	p.Talk, p.notes = t.talk, t.notes
	if phase == Coding {
		return // it is told at once
	}
	for _, text := range p.Notes.Notes[t.heard:] {
		p.Turns = append(slices.Clip(p.Turns), noteTurn(text))
	}
}

// renew goes on with the conversation of a phase that ends in something submitted.
func (p *State) renew(phase Phase) {
	if phase == Reflecting {
		p.Hypothesis = nil
	} else {
		p.Verdict = nil
	}
	p.enter(phase)
}

// Told is what the role of the present phase was told of the feature before: what was staged
// then, and how many lines the work log had. again is false before the first time.
func (p *State) Told() (staged Staged, log int, again bool) {
	t := p.Features[p.Current].threads[p.Phase]
	if !t.opened {
		return p.Features[p.Current].Start, 0, false
	}
	return t.staged, t.log, true
}

// submitted ends an answer that submits what a role was asked for. The calls behind it are not run.
func (p *State) submitted(said string) {
	call, beside := p.call()
	p.Turns = append(p.Turns, Turn{Batch: p.batch, Call: call, Reply: beside, Said: action.Said{Text: said}, OK: true})
	p.unrun("it was submitted before it.")
}

// applyCompacted folds that the beginning of the conversation is told shortened from now on.
func (p *State) applyCompacted(b Compacted) {
	p.Cut = min(max(b.Turns, p.Cut), len(p.Turns))
	p.known = nil // the model has to read again what it still needs
	if f := p.Feature(); f != nil && p.Phase == Coding {
		f.Deeds = slices.DeleteFunc(slices.Clone(f.Deeds), func(d Deed) bool { return d.Looks })
	}
}

// beginRound tells CASE, in the conversation of the feature, why another round begins.
func (p *State) beginRound(b StateChanged, from Phase) {
	note := &RoundNote{Round: b.Round, Attempt: b.Attempt, Reason: b.Reason}
	switch from {
	case Testing, Reflecting:
		if t := p.LastTest; t != nil && !t.OK && !t.Skipped {
			note.Unrun = p.TestsAdvice != ""
			said, short := p.TestsSaid()
			if note.Failure, note.Hypothesis = &said, p.Hypothesis; !short {
				note.Before = p.failedBefore()
			}
			note.Recalled = t.recalled
		}
	case Verifying:
		note.Verdict = p.Verdict
	}
	p.Turns = append(slices.Clip(p.Turns), Turn{Round: note})
}

// knows notes what the model knows of files after an action.
func (p *State) knows(c *Pending, b ActionDone) {
	for _, shown := range b.Also {
		p.learn(shown)
	}
	if b.Shown != nil {
		p.learn(*b.Shown)
	}
	if c.Action == action.RunCommandName && c.Role == RoleCase && c.Result != nil {
		p.made(c.Result.Changes)
	}
	var gone struct{ Path, From string }
	if !b.OK || c.Action != action.DeleteFileName && c.Action != action.RenameFileName || json.Unmarshal(c.Args, &gone) != nil {
		return
	}
	p.learn(action.Shown{Path: cmp.Or(gone.Path, gone.From)})
}

// Unshown stands for the version of a file that a command made and of which the model was
// shown nothing yet.
const Unshown = "unshown"

// made notes the files that a command made anew, so that the model is told of them.
func (p *State) made(changes []FileRef) {
	fresh := map[string]bool{}
	for _, f := range p.Staged.Files {
		fresh[f.Path] = f.Base == nil && f.Now != nil
	}
	for _, c := range changes {
		if _, known := p.known[c.Path]; !known && fresh[c.Path] {
			p.learn(action.Shown{Path: c.Path, Hash: Unshown})
		}
	}
}

// call is the call as the model wrote it, where it can be sent again so.
func (c *Pending) call() llm.ToolCall {
	if c.Sent.Name == c.Action && json.Valid([]byte(c.Sent.Arguments)) {
		return c.Sent
	}
	return llm.ToolCall{ID: c.CallID, Name: c.Action, Arguments: string(c.Args), Echo: c.Sent.Echo}
}

// FilesShown is a message to the model with files, or with how they changed behind its back.
type FilesShown struct {
	Opens bool           `json:"opens,omitempty"` // a feature begins with it
	Text  string         `json:"text"`
	Quote string         `json:"quote,omitempty"`
	More  string         `json:"more,omitempty"`
	Rules *string        `json:"rules,omitempty"` // of the project's root, which every feature of the task begins with; nil: said before
	Shown []action.Shown `json:"shown,omitempty"` // what the model knows then; an empty hash: nothing of this file
}

// Said is what the model is told.
func (b FilesShown) Said() action.Said {
	said := action.Said{Text: b.Text, More: b.More}
	if b.Quote != "" {
		said.Mark, said.Quote = action.MarkData, b.Quote
	}
	return said
}

// Unrun says that the calls which are left of a reply are not run.
type Unrun struct {
	Reason string `json:"reason"`
	One    bool   `json:"one,omitempty"` // only the next one of them is not
}

func (p *State) applyUnrun(b Unrun) {
	if p.Pending == nil {
		first := p.Answer != nil
		if p.unrunFirst(b.Reason); first && b.One {
			return
		}
	}
	n := len(p.Rest)
	if b.One {
		n = min(n, 1)
	}
	p.unrunSome(n, b.Reason)
}

// Compacted says that the first turns of the conversation are told shortened from now on.
type Compacted struct {
	Turns int    `json:"turns"`
	Why   string `json:"why"`
}

func (FilesShown) kind() string { return "shown" }
func (Unrun) kind() string      { return "unrun" }
func (Compacted) kind() string  { return "compacted" }

// ShortLines are the turns that are told shortened, a line each.
func (t *Talk) ShortLines() []string {
	var lines []string
	for _, turn := range t.Turns[:t.Cut] {
		if line := strings.TrimSpace(turn.Line()); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
