package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/fixcheck"
	"caselsp/agent/record"
	"caselsp/agent/testreport"
	"caselsp/sandbox"
)

// Whether a fix is partly done, or one of the wrong thing, cannot be told from its text. The tests that failed tell. They run
// again in the sandbox: a claim after which one of them fails as before goes back to CASE like one that a validator refuses, which
// spares a round. Where the whole suite takes long, they run alone, by its switches, which spares a run of it, too; whatever else
// they say, the whole suite decides. Where it is short, where most of it failed, where it is not known how to run some of it alone,
// where running some of it alone did not tell, or where the failed run named no test, the whole suite runs, and this run counts as
// that of the tests: none is paid twice.

// failingFirst is such a run that is wanted.
type failingFirst struct {
	first  record.FailingFirst
	tests  []testreport.Test // that failed, and run again; none where the failed run named none
	engine sandbox.Engine
	cmd    sandbox.Command
}

// ranFirst is a run of the whole suite for a claim. The run of the tests that follows takes its result, where it would be the same
// command on the same files. It is not kept longer than the process: then the tests run again.
type ranFirst struct {
	key    string
	result sandbox.Result
}

// keyOf tells commands apart by all that their result depends on.
func keyOf(cmd sandbox.Command) string {
	cmd.Tree, cmd.Progress, cmd.Output = []sandbox.File{{Path: sandbox.Digest(cmd.Tree)}}, nil, nil
	return fmt.Sprintf("%#v", cmd)
}

// runOnce runs a command, or takes the result of the same one that ran to check the claim before it.
func (r *run) runOnce(ctx context.Context, engine sandbox.Engine, cmd sandbox.Command) (*sandbox.Result, error) {
	first := r.ranFirst
	r.ranFirst = nil
	if first != nil && first.key == keyOf(cmd) {
		return &first.result, nil
	}
	return engine.Run(ctx, cmd)
}

// failingFirst returns the run of the tests that failed, or of the whole suite if that is wanted or the only way; nil where it
// cannot tell anything of a claim.
func (r *run) failingFirst(ctx context.Context, whole bool) (*failingFirst, error) {
	t := r.state.LastTest
	if !r.a.TestedFixes || len(r.state.RefusedClaims()) >= maxRefusedClaims {
		return nil, nil
	}
	var report testreport.Report
	if t.Results != nil {
		report = t.Results.Report
	}
	failed := report.Bad()
	before, known := r.state.Baseline(t.Command())
	if known && before.Usable { // others are to pass, and no claim is about these
		failed = slices.DeleteFunc(failed, func(t testreport.Test) bool { return slices.Contains(before.Failing, t.Name) })
	}
	if len(failed) == 0 && known && !before.OK { // a failure may be an older one
		return nil, nil
	}
	line, tests := "", failed
	if bad := report.Failed + report.Errors; !whole && len(failed) > 0 && t.Took >= r.a.FailingFirst && 2*bad <= report.Ran() {
		line, tests = testreport.Narrow(t.Command(), failed, r.textOf)
	}
	if whole = line == ""; whole {
		line, tests = t.Command(), failed
	}
	engine, may, err := r.may().Unasked(ctx, line)
	if !may || err != nil {
		return nil, unavailableIsNil(err)
	}
	cmd, err := r.commandOn(ctx, line, r.a.Policy)
	if err != nil {
		return nil, err
	}
	switch deps, l := r.needed(cmd); {
	case deps == nil, l.State == record.Without, l.State == record.NotInstalled, l.State == record.Present:
	case l.State == record.Ready:
		cmd.Layer = deps.Key
	default:
		return nil, nil // it would have to be asked for
	}
	files, err := r.generated(ctx)
	if err != nil {
		return nil, err
	}
	cmd.Tree = slices.Concat(cmd.Tree, files)
	cmd.Progress = nil
	if whole {
		cmd = r.reportingTests(cmd)
	} else {
		cmd.Plain, cmd.Line = line, testreport.Reporting(line, r.textOf, nil)
		cmd.Policy.Time = min(cmd.Policy.Time, patience*t.Took)
	}
	f := &failingFirst{first: record.FailingFirst{Line: line, Whole: t.Took, Counts: whole}, tests: tests, engine: engine, cmd: cmd}
	for _, one := range tests {
		f.first.Tests = append(f.first.Tests, one.Name)
	}
	return f, nil
}

// unavailableIsNil is an error that is not that of a sandbox that cannot be had: the tests need it, and tell.
func unavailableIsNil(err error) error {
	if unavailable := (*sandbox.Unavailable)(nil); errors.As(err, &unavailable) {
		return nil
	}
	return err
}

// runFailing runs the tests that failed, and adds to what is said of a claim what they say.
func (r *run) runFailing(ctx context.Context, said *record.FixChecked) error {
	f, err := r.failingFirst(ctx, false)
	if f == nil || err != nil {
		return err
	}
	verdict, err := r.runFirst(ctx, f)
	if err != nil {
		return err
	}
	if verdict.Trouble != "" && !f.first.Counts { // the suite would run next, and tells
		all, err := r.failingFirst(ctx, true)
		if err != nil {
			return err
		}
		if all != nil {
			f = all
			if verdict, err = r.runFirst(ctx, f); err != nil {
				return err
			}
		}
	}
	said.First, said.Verdicts = &f.first, append(said.Verdicts, verdict)
	return nil
}

// runFirst runs the tests, and returns the verdict that they come to.
func (r *run) runFirst(ctx context.Context, f *failingFirst) (verdict fixcheck.Verdict, err error) {
	verdict = fixcheck.Verdict{Validator: fixcheck.FailingTests, Origin: fixcheck.Builtin, Threshold: fixcheck.DefaultThreshold}
	err = r.await(r.aside("the failing tests", func(a *aside) error {
		a.begins(f.first.Begins())
		result, err := f.engine.Run(ctx, f.cmd)
		if err != nil && (ctx.Err() != nil || unavailableIsNil(err) != nil && !errors.Is(err, sandbox.ErrNoLayer)) {
			return err
		}
		if err != nil {
			verdict.Trouble = "not run: " + record.FirstLine(err.Error())
		} else {
			f.first.Took, verdict.Took = result.Took, result.Took
			if f.first.Counts {
				r.ranFirst = &ranFirst{keyOf(f.cmd), *result}
			}
			f.judge(result, &verdict, treeOf(f.cmd.Tree))
		}
		verdict.Reason, verdict.Trouble = r.a.Store.Redact(verdict.Reason), r.a.Store.Redact(verdict.Trouble)
		return nil
	}))
	return verdict, err
}

// patience is how many times as long as all tests the failed ones may take, by the clock: they take less as a rule, but an edit has
// packages built anew, and a machine can be busier than it was.
const patience = 2

func treeOf(files []sandbox.File) (tree testreport.Tree) {
	for _, f := range files {
		tree = append(tree, f.Path)
	}
	return tree
}

// What a run of the failing tests is sure of: they can depend on other tests, and fail now and then.
const (
	stillFails = 0.95
	passesNow  = 0.9
)

// failsNow says which test of a run fails, and how.
func failsNow(r testreport.Report) string {
	for _, t := range r.Bad() {
		return fmt.Sprintf("; now %s fails: %s", t.Name, record.FirstLine(t.Cause()))
	}
	return ""
}

// judge is the verdict of a run.
func (f *failingFirst) judge(result *sandbox.Result, v *fixcheck.Verdict, tree testreport.Tree) {
	left := takeResults(result)
	if result.Status != sandbox.Exited {
		v.Trouble = fmt.Sprintf("the tests that failed did not end (%s)", result.Status)
		return
	}
	later := testreport.Read(f.first.Line, testreport.Plain(result.Output), left).In(tree)
	var still []testreport.Test
	unclear, absent := "", false
	for _, t := range f.tests {
		switch there, fails, now := t.Again(later); {
		case fails:
			still = append(still, now)
		case !there:
			unclear, absent = t.Name+" did not run", true
		case now.Outcome != testreport.Passed:
			unclear = t.Name + " does not pass, in another way than before"
		}
	}
	switch {
	case len(f.tests) == 0 && !result.OK():
		f.first.Anew = true // whether they fail as before, the run that counts tells
		v.Confidence, v.Reason = stillFails, "the tests still fail"+failsNow(later)
	case len(f.tests) == 0:
		v.Valid, v.Confidence, v.Reason = true, passesNow, "the tests pass"
	case len(still) > 0:
		more := ""
		if n := len(still) - 1; n > 0 {
			more = fmt.Sprintf(" (and %s)", count.Of(n, "other test"))
		}
		v.Reason = fmt.Sprintf("%s still fails%s: %s", still[0].Name, more, record.FirstLine(still[0].Cause()))
		v.Confidence, v.Path, v.Line = stillFails, still[0].File, still[0].Line
	case unclear != "" && f.first.Counts && !result.OK():
		f.first.Anew = true
		v.Confidence, v.Reason = stillFails, unclear
	case unclear != "" && !result.OK() && (later.Failed > 0 || !absent): // only these ran, and they do not pass; an error alone may be one of finding them
		v.Confidence, v.Reason = stillFails, unclear+failsNow(later)
	case unclear != "" && !(result.OK() && later.OK() && later.Passed >= len(f.first.Tests)): // some runners name no test that passed
		v.Trouble = unclear
	default:
		v.Valid, v.Confidence, v.Reason = true, passesNow, count.Of(len(f.tests), "test")+" that failed before: passed"
	}
	v.Reason = strings.ToValidUTF8(v.Reason, "\uFFFD")
}
