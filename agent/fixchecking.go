package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/fixcheck"
	"caselsp/agent/quote"
	"caselsp/agent/record"
	"caselsp/agent/syntax"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"
)

// After failed tests, FINISH_FEATURE carries the claim that they were fixed. It is checked before the tests run again:
// by the checks that are built in, and by the validators that are found by the error. A claim that one of them refuses
// goes back to CASE with the reason. The tests have the last word: a claim on the same failure that follows
// maxRefusedClaims refused ones is not sent back, whatever the checks say.

const (
	// maxRefusedClaims is how many claims are sent back between two runs of the tests: a check that is wrong must not
	// cost more than two steps.
	maxRefusedClaims = 2
	// maxClaimFile is the largest file of a claim in bytes: validators read source code, and five of them read it.
	maxClaimFile = 1 << 20
	// maxClaimError bounds the failure in a claim in bytes: some runners print megabytes.
	maxClaimError = 32 << 10
	// maxClaimPaths is how many paths of the project a claim has.
	maxClaimPaths = 20_000
	// maxValidators is how many validators check a claim: the nearest to its error.
	maxValidators = 5
)

// checkFix has a claim checked. refused says that it was sent back, and that CASE was told why.
func (r *run) checkFix(ctx context.Context, args action.FinishFeature) (refused bool, err error) {
	from, ok := r.state.Claimable()
	if !ok || len(args.FixesApplied) == 0 || args.TestCommand != "" {
		return false, nil
	}
	files := r.state.ChangedSince(from)
	said, known := r.a.outside.fixChecked(args.FixesApplied, files)
	if !known && r.a.UncheckedFixes {
		return false, nil
	}
	if !known {
		if err := r.await(r.aside("fix validators", func(a *aside) error {
			a.begins("checking what is claimed to be fixed")
			said, err = r.checkClaim(ctx, from, record.FixChecked{Fixes: args.FixesApplied, Analysis: args.Analysis, Files: files})
			return err
		})); err != nil {
			return false, err
		}
		if said.Status() != fixcheck.Invalid {
			if err := r.runFailing(ctx, said); err != nil {
				return false, err
			}
		}
	}
	if said == nil {
		return false, nil
	}
	if !known {
		earlier := r.state.RefusedClaims()
		said.Refused = said.Status() == fixcheck.Invalid && len(earlier) < maxRefusedClaims && (said.First == nil || !said.First.Anew)
	}
	if err := r.record(*said); err != nil {
		return false, err
	}
	if !said.Refused {
		return false, nil
	}
	return true, r.done(record.ActionDone{Text: r.refusal(), Note: "the claim is refused"})
}

// refusal tells CASE why its claim was sent back, and which ones were before it.
func (r *run) refusal() string {
	var b strings.Builder
	claims := r.state.RefusedClaims()
	last := claims[len(claims)-1]
	switch {
	case last.StillFails() && last.First.Counts:
		b.WriteString("Not finished: the tests were run, and what had failed still fails in the same way.\n")
	case last.StillFails():
		b.WriteString("Not finished: tests that had failed were run again alone, and still fail. The others were not run.\n")
	default:
		b.WriteString("Not finished: the tests were not run, because what you claim is not what was done.\n")
	}
	for _, v := range last.Verdicts {
		if v.Refuses() {
			fmt.Fprintf(&b, "- %s\n", record.Verdict(v))
		}
	}
	if len(claims) > 1 {
		b.WriteString("Claims on this failure that were refused before:\n")
		for i, c := range claims[:len(claims)-1] {
			fmt.Fprintf(&b, "%d. %s%s\n", i+1, quote.Words(record.FirstLine(strings.Join(c.Fixes, "; "))), reasons(c))
		}
	}
	left := maxRefusedClaims - len(claims)
	if left > 0 {
		b.WriteString("Read the failure again, make the fix, then finish with what was done.")
	} else {
		b.WriteString("Make the fix, then finish: the tests decide about the next claim.")
	}
	return b.String()
}

// reasons are why a claim was sent back, behind what it claims.
func reasons(c record.Claim) string {
	var why []string
	for _, v := range c.Verdicts {
		if v.Refuses() {
			why = append(why, record.Verdict(v))
		}
	}
	if len(why) == 0 {
		return ""
	}
	return ": " + strings.Join(why, "; ")
}

// checkClaim has the checks look at a claim.
func (r *run) checkClaim(ctx context.Context, from record.Staged, b record.FixChecked) (*record.FixChecked, error) {
	claim, err := r.claimOf(ctx, record.Claim{FixChecked: b, Said: r.state.LastTest.Said.Plain(), From: from, To: r.state.Staged})
	if err != nil {
		return nil, err
	}
	b.Verdicts = fixcheck.Universal(claim)
	if fixcheck.Sum(b.Verdicts) == fixcheck.Invalid {
		return &b, nil // what is certain already needs no sandbox
	}
	verdicts, err := r.runValidators(ctx, claim)
	b.Verdicts = append(b.Verdicts, verdicts...)
	return &b, err
}

// runValidators runs the validators that are nearest to the failure of a claim.
func (r *run) runValidators(ctx context.Context, claim fixcheck.Claim) ([]fixcheck.Verdict, error) {
	list := r.nearestValidators(ctx, claim)
	if len(list) == 0 {
		return nil, nil
	}
	engine, err := r.a.Sandbox(ctx)
	var verdicts []fixcheck.Verdict
	if err == nil && engine != nil {
		var programs []fixcheck.Validator
		for _, v := range list {
			programs = append(programs, v.Validator)
		}
		verdicts, err = fixcheck.Run(ctx, engine, programs, claim)
	}
	if unavailable := (*sandbox.Unavailable)(nil); err != nil && (ctx.Err() != nil || !errors.As(err, &unavailable)) {
		return nil, err
	}
	if verdicts == nil { // the tests need the sandbox, and tell; this can do without
		why := "the settings let nothing run"
		if err != nil {
			why = err.Error()
		}
		for _, v := range list {
			verdicts = append(verdicts, fixcheck.Verdict{Validator: v.Name, ID: v.ID, Origin: v.Origin, Trouble: "not run: " + record.FirstLine(why)})
		}
	}
	for i := range verdicts {
		verdicts[i].Weight = list[i].weight
		verdicts[i].Reason = r.a.Store.Redact(verdicts[i].Reason)
	}
	return verdicts, nil
}

// claimOf is a claim as validators read it. What neither it nor the failure had staged is as it is now.
func (r *run) claimOf(ctx context.Context, made record.Claim) (fixcheck.Claim, error) {
	from, err := made.From.State(r.a.Store.Blob)
	if err != nil {
		return fixcheck.Claim{}, err
	}
	to, err := made.To.State(r.a.Store.Blob)
	if err != nil {
		return fixcheck.Claim{}, err
	}
	staged := func(first, other workspace.State) func(string) *workspace.Content {
		return func(name string) *workspace.Content {
			if f, ok := stagedIn(first, name); ok {
				return f.Now
			}
			if f, ok := stagedIn(other, name); ok {
				return f.Base
			}
			return r.baseContent(name)
		}
	}
	was, is := staged(from, to), staged(to, from)
	c := fixcheck.Claim{
		Fixes: made.Fixes, Analysis: made.Analysis, FixDescription: strings.TrimSpace(strings.Join(append(slices.Clone(made.Fixes), made.Analysis), "\n")),
		ErrorMessage: strings.ToValidUTF8(made.Said[max(0, len(made.Said)-maxClaimError):], ""),
	}
	for _, name := range slices.Sorted(maps.Keys(made.Files)) {
		f := fixcheck.File{Path: name} // without a text it has changed, and is not shown
		if !r.may().Hides(name) {
			f.Before, f.After = claimText(was(name)), claimText(is(name))
		}
		c.Files = append(c.Files, f)
	}
	entries, _, err := r.overlay.List(ctx, "", maxClaimPaths)
	if err != nil {
		return c, err
	}
	for _, e := range entries {
		c.Paths = append(c.Paths, e.Path)
	}
	r.locate(&c, made.Said, was, is)
	return c, nil
}

// stagedIn is a file of a staged state.
func stagedIn(s workspace.State, name string) (workspace.Staged, bool) {
	i := slices.IndexFunc(s.Files, func(f workspace.Staged) bool { return f.Path == name })
	if i < 0 {
		return workspace.Staged{}, false
	}
	return s.Files[i], true
}

// locate says where the failure of a claim happened, and which file it is about.
func (r *run) locate(c *fixcheck.Claim, said string, was, is func(string) *workspace.Content) {
	for _, trace := range testreport.Traces(said) {
		if trace = trace.In(testreport.Tree(c.Paths)); c.ErrorType != "" && (len(trace.Frames) == 0 || len(c.Frames) > 0) {
			continue // the first that lies in the project, else the first
		}
		c.ErrorType = trace.Type
		for _, f := range trace.Frames {
			if !slices.Contains(c.Paths, f.File) {
				continue
			}
			lines := strings.Split(textOf(was(f.File)), "\n")
			code := ""
			if f.Line >= 1 && f.Line <= len(lines) {
				code = strings.TrimSpace(lines[f.Line-1])
			}
			c.Frames = append(c.Frames, fixcheck.Frame{Path: f.File, Line: f.Line, Function: f.Function, Code: code})
		}
	}
	changed := func(name string) bool {
		return slices.ContainsFunc(c.Files, func(f fixcheck.File) bool { return f.Path == name })
	}
	for _, f := range slices.Backward(c.Frames) {
		if changed(f.Path) {
			c.Main = f.Path
			break
		}
	}
	if c.Main == "" && len(c.Files) > 0 {
		c.Main = c.Files[0].Path
	}
	if c.Main == "" && len(c.Frames) > 0 {
		c.Main = c.Frames[len(c.Frames)-1].Path
	}
	if c.Main != "" {
		c.OriginalCode, c.FixedCode = textOf(was(c.Main)), textOf(is(c.Main))
		c.Language = string(syntax.OutlineLanguageOf(c.Main))
	}
}

// baseContent is a file as it is without what the task has staged of it; nil for none.
func (r *run) baseContent(name string) *workspace.Content {
	if f, ok := stagedIn(r.overlay.State(), name); ok {
		return f.Base
	}
	f, err := r.overlay.Read(name)
	if err != nil {
		return nil
	}
	return workspace.NewContent([]byte(f.Text), 0o644)
}

// claimText is the text of a file of a claim; nil for none, or for one that no validator reads.
func claimText(c *workspace.Content) *string {
	if c == nil || len(c.Data) > maxClaimFile {
		return nil
	}
	text, ok := c.Text()
	if !ok {
		return nil
	}
	return &text
}

// weighted is a validator with what its record makes of it.
type weighted struct {
	fixcheck.Validator
	weight float64 // 0 to 1, by which its record lowers its confidence
}

// nearestValidators are the validators for a claim: those for its error, and those that memory finds by its message, the
// nearest first.
func (r *run) nearestValidators(ctx context.Context, claim fixcheck.Claim) (list []weighted) {
	all := r.a.validators()
	if len(all) == 0 {
		return nil
	}
	standings, err := r.a.Store.Memory().Validators(store.BuiltInOnly(ctx), asPatterns(all), claim.ErrorType+"\n"+FailureText(claim.ErrorMessage))
	if err != nil {
		r.a.Log.Warn("validators are not found by meaning", r.state.Status(r.a.Limits.Rounds).Where(), "error", err)
	}
	near := map[string]float64{}
	for _, v := range all {
		near[v.ID] = standings[v.ID].Similarity
	}
	for _, v := range fixcheck.Match(all, claim) {
		near[v.ID]++
	}
	for _, v := range all {
		if near[v.ID] > 0 && !standings[v.ID].Retired() {
			list = append(list, weighted{v, standings[v.ID].Weight()})
		}
	}
	slices.SortStableFunc(list, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(near[b.ID], near[a.ID]), cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), maxValidators)]
}

// validators are those that may run here.
func (a *Agent) validators() []fixcheck.Validator {
	if a.Validators == nil {
		return nil
	}
	return append(a.Validators(), a.generated()...)
}

// asPatterns are validators as memory keeps them.
func asPatterns(list []fixcheck.Validator) (patterns []store.Pattern) {
	for _, v := range list {
		text := v.Name + ": " + v.Description + "\n" + strings.Join(slices.Concat(v.ErrorTypes, v.Tags), " ")
		patterns = append(patterns, store.Pattern{ID: v.ID, Kind: store.KindValidator, Type: strings.Join(v.ErrorTypes, " "), Text: text, Source: string(v.Origin)})
	}
	return patterns
}

// judgedValidators are the verdicts of a task on which the tests have spoken, as uses of the validators.
func judgedValidators(p *record.State) (uses []store.Use) {
	for _, f := range p.Features {
		for _, c := range f.Claims {
			for _, v := range c.Verdicts {
				if agreed, known := c.Agreed(v); known && v.ID != "" {
					uses = append(uses, store.Use{ID: v.ID, Helped: agreed})
				}
			}
		}
	}
	return uses
}
