package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/stack"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"
)

// runCommand runs a command that may run, and stages what it changed. Each of these is
// one call: the records between them say how far it got.
func (r *run) runCommand(ctx context.Context, may permit.Allowed) error {
	c := r.state.Pending
	if c.Result != nil {
		if more := r.more(); more != nil {
			return r.secondTry(ctx, may.Line, *more)
		}
		return r.commandEnded(ctx, may.Line)
	}
	if c.Command {
		// The process ended while the command ran. It is never run again unasked.
		return r.done(record.ActionDone{Lost: true, Text: "The command was started, but caselsp ended before its outcome was known. Its changes are lost. It may be run again."})
	}
	if err := r.inTime(); err != nil {
		return err
	}
	cmd, err := r.commandOn(ctx, may.Line, r.a.Policy)
	if err != nil {
		return r.done(record.ActionDone{Text: "The command was not run: " + err.Error()})
	}
	layer, settled, err := r.dependencies(ctx, may.Engine, cmd, may.ReadOnly)
	if err != nil || !settled {
		return err
	}
	cmd.Layer = layer
	if err := r.chooseTree(ctx, &cmd); err != nil {
		return r.done(record.ActionDone{Skipped: true, Text: "The command was not run: " + err.Error()})
	}
	return r.execute(ctx, may.Engine, cmd)
}

// chooseTree puts a command on the tree that its action is about, where that is not the staged one: for each try.
func (r *run) chooseTree(ctx context.Context, cmd *sandbox.Command) (err error) {
	switch c := r.state.Pending; {
	case c.Bare:
		cmd.Tree, err = r.treeWithout(ctx, cmd.Policy)
	case c.Before:
		cmd.Tree, err = r.treeBefore(ctx, cmd.Policy)
	}
	return err
}

// pythonEnv is the environment of Python: one in which a project with a src layout finds its own
// modules, since nothing installs the project itself in the sandbox.
func pythonEnv(cmd sandbox.Command) []string {
	if cmd.Profile != sandbox.Python {
		return nil
	}
	var paths []string
	for _, f := range cmd.Tree {
		paths = append(paths, f.Path)
	}
	folders := stack.Sources(paths)
	if len(folders) == 0 {
		return []string{unbuffered}
	}
	for i := range folders {
		folders[i] = sandbox.WorkFolder + "/" + folders[i]
	}
	return []string{unbuffered, "PYTHONPATH=" + strings.Join(folders, ":")}
}

// unbuffered lets Python write at once what it prints, so that what is stopped in the middle is
// told with its last lines.
const unbuffered = "PYTHONUNBUFFERED=1"

// SandboxTree is a tree of the workspace as the sandbox takes it.
func SandboxTree(files []workspace.TreeFile) []sandbox.File {
	tree := make([]sandbox.File, len(files))
	for i, f := range files {
		tree[i] = sandbox.File{Path: f.Path, Mode: f.Mode, Data: f.Data, Link: f.Link}
	}
	return tree
}

// treeBefore is the tree without what is staged.
func (r *run) treeBefore(ctx context.Context, policy sandbox.Policy) (tree []sandbox.File, err error) {
	return r.treeOf(ctx, policy, workspace.State{})
}

// treeOf is the tree with these files staged.
func (r *run) treeOf(ctx context.Context, policy sandbox.Policy, staged workspace.State) (tree []sandbox.File, err error) {
	o := r.a.Workspace.NewOverlay()
	defer o.Close()
	if err := o.Restore(staged); err != nil {
		return nil, err
	}
	files, err := o.Tree(ctx, policy.Disk)
	files, r.without = r.may().Shareable(files)
	tree = SandboxTree(files)
	r.concealTree(tree)
	return tree, err
}

// commandOn is a command line on the staged tree.
func (r *run) commandOn(ctx context.Context, line string, policy sandbox.Policy) (sandbox.Command, error) {
	policy.Time = r.commandTime(policy.Time)
	cmd := sandbox.Command{Line: line, Policy: policy, Progress: r.progress}
	files, err := r.overlay.Tree(ctx, policy.Disk)
	files, r.without = r.may().Shareable(files)
	cmd.Tree = SandboxTree(files)
	r.concealTree(cmd.Tree)
	cmd.Profile = profileOf(line, cmd.Tree)
	cmd.Env = pythonEnv(cmd)
	return cmd, err
}

// execute runs the command on the staged tree and records its result.
func (r *run) execute(ctx context.Context, engine sandbox.Engine, cmd sandbox.Command) error {
	err := r.record(record.CommandStarted{Line: cmd.Line, Tree: sandbox.Digest(cmd.Tree), Without: r.without, Before: r.state.Pending.Before || r.state.Baselining(), Bare: r.state.Pending.Bare, Memory: cmd.Policy.Memory, Time: cmd.Policy.Time})
	if err != nil {
		return err
	}
	generated, err := r.generated(ctx)
	if err != nil {
		return err
	}
	cmd.Tree = slices.Concat(cmd.Tree, generated)
	secrets := r.secretsOf(r.state.Pending)
	cmd = withSecrets(cmd, secrets)
	if cmd.Tree, err = r.filledTree(cmd.Tree, secrets); err != nil {
		return r.done(record.ActionDone{Lost: true, Skipped: true, Text: "The command was not run: " + err.Error()})
	}
	result, err := r.runOnce(ctx, engine, r.reporting(cmd))
	if errors.Is(err, sandbox.ErrNoLayer) { // somebody removed it since it was found; nothing was started
		return errors.Join(r.record(record.DependenciesFound{Key: cmd.Layer}),
			r.done(record.ActionDone{Lost: true, Skipped: true, Text: "The command was not run: " + err.Error()}))
	}
	if err != nil {
		var engine *sandbox.Unavailable
		unstarted := errors.As(err, &engine) && !engine.Started
		undone := r.done(record.ActionDone{Lost: true, Skipped: unstarted, Text: "The command did not run to its end: " + why(ctx, err)})
		return errors.Join(undone, err)
	}
	if !r.a.outside.replays() { // a recording has what was told then
		result.Output = testreport.Plain(result.Output)
	}
	result.Changes = slices.DeleteFunc(result.Changes, func(c sandbox.Change) bool { return find(generated, c.Path) })
	r.withoutSecrets(result, secrets)
	r.reduce(cmd.Line, result)
	ended := record.CommandEnded{Result: *result}
	ended.Result.Changes = nil
	var blobs [][]byte // kept with the record that names them, or not at all
	for _, c := range result.Changes {
		ref := record.FileRef{Path: c.Path, Mode: c.Mode}
		if !c.Deleted {
			if err := store.CheckBlob(c.Data); err != nil { // the command is over, and must not be run again for it
				ended.Result.Skipped = append(ended.Result.Skipped, fmt.Sprintf("%s: %v", c.Path, err))
				continue
			}
			ref.Hash, blobs = store.Hash(c.Data), append(blobs, c.Data)
		}
		ended.Changes = append(ended.Changes, ref)
	}
	return r.record(ended, blobs...)
}

// commandEnded stages what the command changed and tells the model how it went.
// What the tests and TARS's looking around wrote is not staged: only CASE edits.
func (r *run) commandEnded(ctx context.Context, line string) error {
	c := r.state.Pending
	result, err := c.Result.WithChanges(r.a.Store.Blob)
	if err != nil {
		return err
	}
	var results *record.Results
	var ran testreport.Report
	if r.testsRun() {
		results, ran = r.results(ctx, line, result)
	}
	outcome := record.ActionDone{OK: result.OK(), Results: results, Note: fmt.Sprintf("$ %s: %s", line, result.Status)}
	if result.Status == sandbox.Exited {
		outcome.Note = fmt.Sprintf("$ %s: exit code %d", line, result.ExitCode)
	}
	outcome.Note += r.tryNote() + r.hungNote()
	if result.Engine != "" {
		outcome.Note += " (" + result.Engine + ")"
	}
	if result.Advice != "" {
		outcome.Note += ": " + result.Advice
	}
	said := causes(r.meaning(line, result, results, &outcome))
	r.proven(&outcome, ran)
	if said := testreport.Read(line, result.Output, nil); c.Role == record.RoleCase && r.state.RunsTests(line) && outcome.OK && said.OK() {
		outcome.Passed = said.String()
	}
	missing := ""
	if !outcome.OK || c.Uninstalled {
		missing = r.state.WithoutLayers()
	}
	if len(c.Without) > 0 {
		missing += "Not in the sandbox, because they may hold secrets: " + strings.Join(c.Without, ", ") + ".\n"
	}
	if c.Role != record.RoleCase {
		result.Changes, result.Skipped = nil, nil
		return r.done(outcome.Tell(withResults(r.output(line, result, said, missing), results)))
	}
	r.leaveIgnored(line, result) // of a journal that was written before this was done as the command ended
	planted := r.overlay.Planted(written(result.Changes))
	kept := result.Changes[:0]
	for _, change := range result.Changes {
		err := planted[change.Path]
		if err == nil {
			err = r.stageChange(change)
		}
		if err != nil {
			result.Skipped = append(result.Skipped, fmt.Sprintf("%s: %v", change.Path, err))
			continue
		}
		kept = append(kept, change)
	}
	result.Changes = kept
	if len(result.Skipped) > 0 {
		outcome.Note += "; not taken over: " + strings.Join(result.Skipped, "; ")
	}
	staged, blobs := record.StagedOf(r.overlay.State())
	outcome.Staged = &staged
	return r.done(outcome.Tell(r.output(line, result, said, missing)), blobs...)
}

// written are the paths of what a command made or changed.
func written(changes []sandbox.Change) []string {
	var paths []string
	for _, c := range changes {
		if !c.Deleted {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// mostPassed is how many bytes of the output of tests that pass are shown to who ran them: who
// wants one thing of it sees it, and a long list says no more than its sum.
const mostPassed = 4 << 10

// output is the text for the model about a command that has ended. Of tests, it tells what failed
// and how the runner sums up.
func (r *run) output(line string, result *sandbox.Result, causes, missing string) action.Said {
	shown, report := *result, testreport.Read(line, result.Output, nil)
	if report.Known() {
		shown.Output = testreport.Brief(result.Output)
	}
	said := action.Output(line, &shown)
	if result.OK() && report.OK() {
		if r.testsRun() {
			said = shortPass(said)
		}
		said.Quote = headAndTail(said.Quote, mostPassed)
	}
	said.Text = r.firstTry() + said.Text + causes
	said.More += missing
	return said
}

func (r *run) stageChange(c sandbox.Change) error {
	if may := r.may(); may.Hides(c.Path) && may.Exists(c.Path) {
		return errors.New("commands do not change a file that may hold secrets: do it by an action of its own, for which the user is asked")
	}
	if c.Deleted {
		_, err := r.overlay.Delete(c.Path)
		return err
	}
	mode := c.Mode
	if mode == 0 {
		mode = fs.FileMode(0o644)
	}
	_, err := r.overlay.WriteBytes(c.Path, c.Data, mode)
	return err
}
