package agent

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"caselsp/agent/action"
	"caselsp/agent/record"
	"caselsp/store"
)

// Trust is which folders the user trusts (SPEC row S7). In a folder that is not
// trusted caselsp only reads: nothing is run, staged edits are not made and do not
// reach a file, no dependencies are installed, and of the folder's own settings only
// those count that tighten.
type Trust struct {
	Kept *store.Trust
	// Folders are trusted by the user's settings, each with all below it.
	Folders []string
}

// Untrusted returns those of dirs that the user does not trust.
func (t *Trust) Untrusted(dirs ...string) ([]string, error) {
	if t == nil {
		return nil, nil
	}
	kept, err := t.Kept.Folders()
	if err != nil {
		return nil, err
	}
	var list []string
	for _, dir := range dirs {
		real := realPath(dir)
		in := func(folder string) bool {
			rel, err := filepath.Rel(folder, real)
			return err == nil && filepath.IsLocal(rel)
		}
		if !slices.ContainsFunc(kept, func(f store.Trusted) bool { return in(f.Folder) }) &&
			!slices.ContainsFunc(t.Folders, func(f string) bool { return in(realPath(f)) }) {
			list = append(list, dir)
		}
	}
	return list, nil
}

// Give trusts folders, each with all below it.
func (t *Trust) Give(by string, dirs ...string) error {
	for _, dir := range dirs {
		if err := t.Kept.Give(realPath(dir), by, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// Withdraw trusts folders no longer. The error says where trust in one comes from
// that cannot be withdrawn here: a folder above it, or the settings.
func (t *Trust) Withdraw(dirs ...string) error {
	for _, dir := range dirs {
		if err := t.Kept.Withdraw(realPath(dir)); err != nil {
			return err
		}
		left, err := t.Untrusted(dir)
		if err != nil {
			return err
		}
		if len(left) == 0 {
			return fmt.Errorf("%s is still trusted, by a folder above it or by the setting trust.folders: `caselsp trust --list` has those there are", dir)
		}
	}
	return nil
}

// realPath is where a folder lies; trust in a link would go where it is turned.
func realPath(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// Untrusted returns the folders of the workspace that the user does not trust.
func (a *Agent) Untrusted() ([]string, error) {
	var dirs []string
	for _, r := range a.Workspace.Roots() {
		dirs = append(dirs, r.Dir)
	}
	return a.Trust.Untrusted(dirs...)
}

// askTrust opens the question whether the workspace is trusted, if it is not. It
// is asked once when a run begins, while whoever gave the task is there.
func (r *run) askTrust() (asked bool, err error) {
	if r.trustAsked || r.state.OnlyReads {
		return false, nil
	}
	r.trustAsked = true
	untrusted, err := r.a.Untrusted()
	if err != nil || len(untrusted) == 0 {
		return false, err
	}
	return true, r.record(record.Asked{Question: record.Question{
		ID: record.TrustQuestion, Task: r.id, Kind: record.Trusting,
		Text: "Do you trust the files in " + strings.Join(untrusted, " and in ") + "?",
		Why: "In a folder that you trust, commands of the project run in the sandbox and results can be accepted into your files. " +
			"In one that you do not, caselsp only reads.",
	}})
}

// trustedMeanwhile answers the question about trust where the user has given it
// in another way since it was asked.
func (r *run) trustedMeanwhile(q record.Question) (bool, error) {
	if q.Kind != record.Trusting {
		return false, nil
	}
	r.trustAsked = true
	if untrusted, err := r.a.Untrusted(); err != nil || len(untrusted) > 0 {
		return false, err
	}
	return true, r.record(record.Answered{ID: q.ID, Answer: record.Answer{Text: record.Approve, By: "command"}})
}

// trusted keeps what the user says about the workspace.
func (r *run) trusted(a record.Answer) error {
	if a.Text != record.Approve {
		return nil
	}
	untrusted, err := r.a.Untrusted()
	if err != nil {
		return err
	}
	return r.a.Trust.Give(a.By, untrusted...)
}

// adviseTrust says what can be done in a folder that is not trusted.
const adviseTrust = "trust it with the command caselsp.trust or with `caselsp trust`"

// mayAct refuses, in a workspace that is not trusted, an action that would do more
// than read. It looks each time: trust can be withdrawn at any moment.
func (r *run) mayAct(verb *action.Verb) (may bool, err error) {
	if verb.Effect != action.Edits && verb.Effect != action.Runs && verb.Effect != action.RollsBack {
		return true, nil
	}
	untrusted, err := r.a.Untrusted()
	switch {
	case err != nil || len(untrusted) == 0:
		return true, err
	case r.state.Pending.Role == record.RoleTars: // it only looks around: it can do without
		return false, r.done(record.ActionDone{Text: "Not run: the user does not trust the files of this workspace, so that they can only be read."})
	}
	return false, &pauseError{fmt.Sprintf("%s is not trusted, so that nothing is changed or run for it: %s, then resume", strings.Join(untrusted, ", "), adviseTrust)}
}
