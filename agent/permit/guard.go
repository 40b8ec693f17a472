package permit

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/record"
	"caselsp/agent/shell"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// Beside commands, two things need the user's permission, whatever made the model do them: to
// read a file that may hold secrets, and to leave fewer tests than there were. Each is asked for once in a task, by a question that names it, and no flag
// answers it. What programs obey is asked for when it is accepted, see obeyed.go.

// leave is what the user must allow before an action.
type leave struct {
	key  string // of what is allowed, for the rest of the task
	text string // what the agent wants
	what string // the file, or what happens to tests
	why  string
	less map[string]int // of tests: how much is lost, by what
}

// Wants returns what an action needs leave for, by what it declares that it reads
// and changes; nil if it needs no approval. The error refuses the action: it
// declares something that cannot be approved.
func (p *Permit) Wants(args action.Reach) (*leave, error) {
	for _, place := range args.Reads() {
		if l, err := p.wantsRead(place); l != nil || err != nil {
			return l, err
		}
	}
	for _, place := range args.Changes() {
		if l, err := p.wantsChange(place); l != nil || err != nil {
			return l, err
		}
	}
	for _, h := range args.Hosts() {
		if h != action.SandboxHosts { // commands are judged one by one, see command.go
			return nil, fmt.Errorf("no setting and no question allows an action to connect to %s", h)
		}
	}
	return nil, nil
}

// wantsRead is the leave to read a place.
func (p *Permit) wantsRead(place action.Place) (*leave, error) {
	switch place := place.(type) {
	case action.File:
		return p.wantsSecretFile(string(place)), nil
	case action.Secrets: // decided with the command that gets them, see secret.go
		return nil, nil
	case action.Files, action.Staged: // what may hold secrets is left out
		return nil, nil
	case action.FileNames, action.Memory:
		return nil, nil
	}
	return nil, fmt.Errorf("nobody can allow to read %T", place)
}

// wantsChange is the leave to change a place.
func (p *Permit) wantsChange(place action.Place) (*leave, error) {
	switch place := place.(type) {
	case action.File:
		return p.wantsSecretFile(string(place)), nil // of those that programs obey, see leave.go
	case action.Outcome:
		return p.wantsFewerTests(), nil
	case action.Files: // what would need leave is left out, see agent
		return nil, nil
	case action.Staged: // an earlier state, whose changes were all allowed
		return nil, nil
	case action.Memory: // what the user answers, under a name that cannot be a secret's
		return nil, nil
	}
	return nil, fmt.Errorf("nobody can allow to change %T", place)
}

// wantsSecretFile is the leave for a file that may hold secrets. What the agent
// wrote itself it may read.
func (p *Permit) wantsSecretFile(name string) *leave {
	key, err := p.Workspace.Key(name)
	if err != nil || !p.Hides(key) && !p.tells(key) || !p.Exists(key) {
		return nil // the action will say what is wrong
	}
	return &leave{key: "read " + key, text: "CASE wants to read a file that may hold secrets", what: key,
		why: "Its content would be sent to the model, except for text that is known to be a secret or looks like one."}
}

// Exists reports whether a file can be read as it is staged, or as the user has it.
func (p *Permit) Exists(key string) bool {
	_, err := p.Overlay.Read(key)
	return err == nil
}

// Hides reports whether a file may hold secrets and was not opened by the user
// for this task.
func (p *Permit) Hides(key string) bool {
	if !shell.SecretFile(key) && (p.Alias == nil || !p.Alias(key)) {
		return false
	}
	return !p.opened(key)
}

// tells is Tells of a file as it is staged.
func (p *Permit) tells(key string) bool {
	f, err := p.Overlay.Read(key)
	return err == nil && p.Tells(key, f.Text)
}

// Tells reports whether a file that its name does not hide is one of secrets by its
// text, and was not opened by the user for this task.
func (p *Permit) Tells(key, text string) bool {
	return store.LooksSecret(key, text) && !p.opened(key)
}

// opened reports whether a file that may hold secrets was opened by the user for this
// task, or was written by the agent itself.
func (p *Permit) opened(key string) bool {
	if p.State.Leaves["read "+key] {
		return true
	}
	if f := p.State.Task.Focus; f != nil && f.Path == key {
		return true
	}
	for _, s := range p.State.Staged.Files {
		if s.Path == key && s.Base == nil && s.From == "" {
			return true
		}
	}
	return false
}

// guarded decides about what an action reads and changes: it may go on, the user is
// asked, or they have denied it.
func (p *Permit) guarded(act *action.Action) (Decision, error) {
	c := p.State.Pending
	l, err := p.Wants(act.Args)
	if err != nil {
		return Refused{Outcome: record.ActionDone{Text: "Nothing was done: " + err.Error() + "."}}, nil
	}
	if l == nil || p.State.Leaves[l.key] && c.Withheld == nil {
		return Allowed{}, nil
	}
	if c.Withheld == nil {
		return l.question(), nil
	}
	return p.withheld(l.what), nil
}

// question asks for the leave.
func (l *leave) question() Question {
	return Question{Ask: record.Question{Text: l.text, Why: l.why + " If you allow it, that holds for this task.", Subject: record.Guarded{Leave: l.key, What: l.what, Fewer: l.less}}}
}

// withheld is what the model is told where the user has denied what an action needs.
func (p *Permit) withheld(what string) Refused {
	text := fmt.Sprintf("Nothing was done: the user did not allow it (%s).", what)
	text += record.TheReason(p.State.Pending.Withheld.Reason)
	return Refused{Outcome: record.ActionDone{Text: text + " Find another way; do not ask for it again."}}
}

// Shareable leaves files that may hold secrets out of a tree, for the sandbox, and
// returns their names. Files that git tracks stay: tests need them, and everybody
// who has the repository has them.
func (p *Permit) Shareable(files []workspace.TreeFile) (kept []workspace.TreeFile, left []string) {
	var candidates []string
	for _, f := range files {
		if p.Hides(f.Origin) || p.Hides(f.Path) || p.Tells(f.Origin, string(f.Data)) {
			candidates = append(candidates, f.Origin)
		}
	}
	if candidates == nil {
		return files, nil
	}
	tracked := p.Workspace.Tracked(candidates)
	for _, f := range files {
		if slices.Contains(candidates, f.Origin) && !tracked[f.Origin] {
			left = append(left, f.Path)
			continue
		}
		kept = append(kept, f)
	}
	return kept, left
}

// wantsFewerTests is the leave for a feature that leaves less tested than was
// before. It is asked for once for each loss: what the user has allowed in this task stays allowed.
func (p *Permit) wantsFewerTests() *leave {
	set := p.Overlay.ChangeSet()
	set.Files = slices.DeleteFunc(slices.Clone(set.Files), func(c workspace.Change) bool { return p.named(c.Path) || c.From != "" && p.named(c.From) })
	lost := FewerTests(set.Files)
	if p.State.Leaves[leaveFewer(strings.Join(testreport.Told(lost), "; "))] { // as older versions kept it
		return nil
	}
	lost = slices.DeleteFunc(lost, func(l testreport.Loss) bool { return p.State.FewerTests[l.Key()] >= l.Amount() })
	if len(lost) == 0 {
		return nil
	}
	what, less := strings.Join(testreport.Told(lost), "; "), map[string]int{}
	for _, l := range lost {
		less[l.Key()] = max(less[l.Key()], l.Amount())
	}
	return &leave{key: leaveFewer(what), text: "CASE wants to finish with fewer tests than there were. Allow it?", what: what, less: less,
		why: fmt.Sprintf("Neither your task nor a message of yours says that %s may change, and a task must not pass because its tests were removed. "+
			"If you deny it, CASE is told to find a way that keeps them.", pathsOf(lost))}
}

func leaveFewer(what string) string { return "tests " + store.Hash([]byte(what)) }

// AllowedFewer reports whether the user has allowed all of these losses in this task.
func (p *Permit) AllowedFewer(lost []testreport.Loss) bool {
	return !slices.ContainsFunc(lost, func(l testreport.Loss) bool { return p.State.FewerTests[l.Key()] < l.Amount() })
}

// FewerTests says how changes leave less tested than before: tests that were
// deleted, are skipped or check less.
func FewerTests(files []workspace.Change) []testreport.Loss {
	var changes []testreport.Change
	for _, c := range files {
		change := testreport.Change{Path: c.Path, From: c.From, New: c.Before == nil, Deleted: c.After == nil}
		if c.Before != nil {
			change.Before, _ = c.Before.Text()
		}
		if c.After != nil {
			change.After, _ = c.After.Text()
		}
		changes = append(changes, change)
	}
	return testreport.Weakened(changes)
}

// namedLost is how many files a question about fewer tests names.
const namedLost = 5

// pathsOf names the files that losses are in.
func pathsOf(lost []testreport.Loss) string {
	var paths []string
	for _, l := range lost {
		if !slices.Contains(paths, l.Path) {
			paths = append(paths, l.Path)
		}
	}
	slices.Sort(paths)
	if more := len(paths) - namedLost; more > 0 {
		paths = append(paths[:namedLost], fmt.Sprintf("%d more", more))
	}
	if last := len(paths) - 1; last > 0 {
		return strings.Join(paths[:last], ", ") + " and " + paths[last]
	}
	return strings.Join(paths, "")
}
