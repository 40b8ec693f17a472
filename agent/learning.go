package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/llm"
	"caselsp/agent/record"
	"caselsp/agent/review"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// What a task teaches is what its user has accepted: what solved it, and what made failed tests
// pass. It is kept when they have decided about the last hunk, and taken back when they undo it. A
// rejected task teaches only that what it recalled did not help.

const (
	// maxRecalled is how many similar past tasks go into a prompt, at most.
	maxRecalled = 5
	// maxEarly is how many records CASE is told of at most, when its tests fail for the first time and when
	// it works without a plan: nobody weighs them for it.
	maxEarly = 2
)

const (
	// maxCore bounds the lines of code that are kept of a solution, and again those of its
	// tests, in bytes: two or three functions.
	maxCore = 3 << 10
	// maxShownCore bounds what a prompt shows of one of them, in bytes: five fit beside the
	// rest of what TARS is told.
	maxShownCore = 1 << 10
)

// recall asks memory once a phase; said is the output of the tests that failed, if they did. Memory that cannot be read is no reason to
// stop: the work goes on without it, and the log says so.
func (r *run) recall(ctx context.Context, kind, query, said string, most int) error {
	found, err := r.recalled(ctx, kind, query, said, most)
	if err != nil {
		r.a.Log.Warn("memory cannot be read", r.state.Status(r.a.Limits.Rounds).Where(), "error", err)
		if !r.memoryTold && found.Note == "" {
			r.memoryTold, found.Note = true, "the task goes on without memory: "+err.Error()
		}
	}
	return r.record(found)
}

// recallTask asks memory for what similar tasks taught.
func (r *run) recallTask(ctx context.Context, most int) error {
	query := r.state.Task.Taught()
	if old, recorded := r.a.outside.recalled(r.state.Task.Text); recorded && old.Found != nil {
		return r.record(old) // older versions asked by the text of every task
	}
	return r.recall(ctx, store.KindPattern, query, "", most)
}

// recalled is what memory gives for a query. An embeddings server is only asked where the task's budget has room for it.
func (r *run) recalled(ctx context.Context, kind, query, said string, most int) (record.MemoryRecalled, error) {
	if found, recorded := r.a.outside.recalled(query); recorded {
		return found, nil
	}
	memory := r.a.Store.Memory()
	if !r.affordsQuery(memory, query) {
		ctx = store.BuiltInOnly(ctx)
	}
	var meter llm.Meter
	found := record.MemoryRecalled{Query: query, Kind: kind}
	patterns, err := memory.RecallOf(llm.Metered(ctx, &meter), kind, query, most, r.relevant(ctx, kind, query, said))
	for _, p := range patterns {
		if kind == store.KindPattern && p.Similarity < store.MinSimilarity {
			continue // it is near by a few common words of a short task, which a long solution has, too
		}
		found.Found = append(found.Found, fmt.Sprintf("%s\nSolved by: %s", p.Text, firstLines(p.Solution, maxShownCore)))
		found.Hits = append(found.Hits, record.Hit{ID: p.ID, Similarity: p.Similarity, Text: record.FirstLine(p.Text)})
	}
	if found.Usage, found.Note = meter.Usage(), memory.Trouble(); found.Note != "" {
		r.a.Log.Warn("embeddings", r.state.Status(r.a.Limits.Rounds).Where(), "error", found.Note)
	}
	return found, err
}

// affordsQuery reports whether the vector of a query fits into what is left of the budget, beside the next call of a model.
func (r *run) affordsQuery(memory *store.Memory, query string) bool {
	price, asks := memory.TokenPrice()
	if !asks {
		return true
	}
	tokens := estimateTokens(len(query), 0)
	limits, used := r.a.Limits, r.state.Spent()
	return (limits.Tokens == 0 || used.Prompt+used.Completion+tokens+leastAnswer <= limits.Tokens) &&
		(limits.Cost == 0 || used.Cost+float64(tokens)*price < limits.Cost)
}

// FailureText is what memory finds a failed test run by: the signatures of its errors, a line each.
func FailureText(output string) string {
	_, signatures := testreport.Signatures(output)
	return strings.Join(signatures, "\n")
}

// maxContext is how many lines of code a failure is found by, beside its signatures: the place of the
// error, and what called it.
const maxContext = 2

// raised is a line of code in which an error was raised.
type raised struct {
	file string
	line int
	text string // without what it is indented by
}

// failedAt are the lines of code in which the errors of a failed run were raised, the innermost first, by the
// text of a file.
func failedAt(output string, tree testreport.Tree, text func(name string) string) (lines []raised) {
	for _, trace := range testreport.Traces(output) {
		for _, f := range slices.Backward(trace.In(tree).Frames) {
			line := lineOf(text(f.File), f.Line)
			known := func(r raised) bool { return r.text == line }
			if line != "" && len(lines) < maxContext && !slices.ContainsFunc(lines, known) {
				lines = append(lines, raised{f.File, f.Line, line})
			}
		}
	}
	return lines
}

// lineOf is a line of a text, without what it is indented by; "" where there is none.
func lineOf(text string, number int) string {
	all := strings.Split(text, "\n")
	if number < 1 || number > len(all) {
		return ""
	}
	return strings.TrimSpace(all[number-1])
}

// failureText is what memory finds the failed run of the tests by, with the code in which it failed.
func (r *run) failureText(ctx context.Context, output string) string {
	var tree testreport.Tree
	files, _, err := r.overlay.List(ctx, "", maxTreeFiles)
	if err != nil {
		return FailureText(output) // the run that failed has said so
	}
	for _, f := range files {
		tree = append(tree, f.Path)
	}
	text := []string{FailureText(output)}
	for _, at := range failedAt(output, tree, r.textOf) {
		text = append(text, at.text)
	}
	return strings.Join(text, "\n")
}

// learn keeps what the task teaches by what is decided about it now, and returns it. A failure to do so is only
// logged: [Agent.CatchUp] tries again. A replay learns nothing: it happened before.
func (r *run) learn(ctx context.Context, rev *review.Review) []store.Pattern {
	if r.a.outside.replays() {
		return nil
	}
	l, worked := store.Lesson{Decided: r.state.Phase.Ended()}, r.state.Phase == record.Succeeded
	for _, u := range r.state.Uses {
		if came := u.Outcome(worked); came != record.Unused {
			l.Uses = append(l.Uses, store.Use{ID: u.ID, Helped: came == record.Helped, Ignored: came == record.PassedOver})
		}
	}
	l.Uses = append(l.Uses, judgedValidators(r.state)...)
	if worked && rev != nil {
		// The process that decides may be another one than the one that worked, and know no secrets yet.
		if err := r.conceal(ctx); err != nil {
			r.a.Log.Warn("nothing is learnt: it is not known what is secret", r.state.Status(r.a.Limits.Rounds).Where(), "error", err)
			return nil
		}
		l.Patterns = r.taught(ctx, rev)
	}
	err := r.a.Store.Memory().Learn(context.WithoutCancel(ctx), r.id, l)
	if err != nil {
		l.Patterns = nil
	} else {
		err = r.a.Store.Learnt(r.id, r.state.Seq)
	}
	if err != nil {
		r.a.Log.Warn("memory cannot be written", r.state.Status(r.a.Limits.Rounds).Where(), "error", err)
	}
	return l.Patterns
}

// taught are the patterns of a task that was accepted.
func (r *run) taught(ctx context.Context, rev *review.Review) (patterns []store.Pattern) {
	var accepted []workspace.Change
	for _, f := range rev.Files {
		if slices.Contains(f.Hunks, record.HunkAccepted) && !r.holdsSecrets(f.Change) {
			accepted = append(accepted, f.Change)
		}
	}
	if len(accepted) == 0 {
		return nil
	}
	var how []string
	for _, f := range r.state.Features {
		switch {
		case f.OK && r.state.Task.Single: // its title is the task's text
			how = append(how, f.Said())
		case f.OK:
			how = append(how, f.Title)
		}
	}
	kind, g := r.state.Class().Type, r.generalise(ctx, accepted)
	core := g.core(accepted) // first: its names are those of the text, too
	patterns = append(patterns, store.Pattern{Kind: store.KindPattern, Type: kind, Language: languageOf(accepted), Text: g.names.Prose(r.state.Task.Taught()), Solution: g.names.Prose(strings.Join(how, "; ")) + "\n" + core})
	for _, f := range r.state.Features {
		for _, fix := range f.Fixes {
			if p, ok := r.fixed(ctx, fix); f.OK && ok {
				patterns = append(patterns, p)
			}
		}
	}
	return patterns
}

// holdsSecrets reports whether a change is of a file that holds secrets, by its name or its text, whoever
// has let the task see it.
func (r *run) holdsSecrets(c workspace.Change) bool {
	return store.Hidden(c.Path) || r.a.hidden(c.Path) || store.LooksSecret(c.Path, textOf(c.Before)) || store.LooksSecret(c.Path, textOf(c.After))
}

// fixed is a failure with what made it pass.
func (r *run) fixed(ctx context.Context, fix record.Fix) (p store.Pattern, ok bool) {
	kind, signatures := testreport.Signatures(fix.Said)
	from, err := fix.From.State(r.a.Store.Blob)
	if err != nil {
		return p, false
	}
	to, err := fix.To.State(r.a.Store.Blob)
	if err != nil || len(signatures) == 0 {
		return p, false
	}
	var tree testreport.Tree
	texts := map[string]string{}
	for _, f := range append(slices.Clone(from.Files), stagedLater(from, to)...) {
		if !r.holdsSecrets(workspace.Change{Path: f.Path, After: f.Now}) {
			tree, texts[f.Path] = append(tree, f.Path), textOf(f.Now)
		}
	}
	changes := slices.DeleteFunc(workspace.Compare(from, to).Files, r.holdsSecrets)
	if len(changes) == 0 {
		return p, false
	}
	g, how := r.generalise(ctx, changes), ""
	at := failedAt(fix.Said, tree, func(name string) string { return texts[name] })
	for _, line := range at {
		g.names.Read(line.file, texts[line.file])
	}
	core, text := g.core(changes), g.prose(signatures)
	for _, line := range at {
		text = append(text, g.line(line.file, texts[line.file], line.line))
	}
	if fix.Hypothesis != nil {
		how = fix.Hypothesis.Fix + " Cause: " + fix.Hypothesis.Cause + "\n"
	}
	return store.Pattern{Kind: store.KindFailure, Type: kind, Language: languageOf(changes), Text: strings.Join(text, "\n"), Solution: g.names.Prose(how) + core}, true
}

// stagedLater are the files that are staged later, as they were before.
func stagedLater(from, to workspace.State) (files []workspace.Staged) {
	for _, f := range to.Files {
		if !slices.ContainsFunc(from.Files, func(old workspace.Staged) bool { return old.Path == f.Path }) {
			f.Now = f.Base
			files = append(files, f)
		}
	}
	return files
}

// firstLines is the beginning of a text, cut at the end of a line where there is one.
func firstLines(s string, most int) string {
	if len(s) <= most {
		return s
	}
	if end := strings.LastIndexByte(s[:most], '\n') + 1; end > 0 {
		return s[:end] + "…\n"
	}
	return strings.ToValidUTF8(s[:most], "") + "…\n"
}
