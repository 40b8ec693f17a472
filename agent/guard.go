package agent

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/record"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"
	"caselsp/store"
)

// Beside commands, three things need the user's leave, whoever had the model do
// them: to read a file that may hold secrets, to change a file that programs obey
// without being asked, and to leave fewer tests than there were. Each is asked for
// once in a task, by a question that names the file, and no flag answers it.

// obeyed are the files that editors, git, shells, package managers, other agents
// and CI servers obey by themselves: they run programs, or say what may run.
var obeyed = regexp.MustCompile(`(?i)(^|/)(` +
	`\.(vscode|idea|fleet|zed|helix|circleci|gitlab|husky|githooks|devcontainer|claude|cursor|continue|aider[^/]*|buildkite)/.*` +
	`|\.github/(workflows|actions)/.*|\.github/copilot-instructions\.md` +
	`|\.caselsp\.json|\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.drone\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|appveyor\.ya?ml|jenkinsfile` +
	`|\.pre-commit-config\.ya?ml|lefthook\.ya?ml|\.gitmodules|\.gitattributes|\.gitconfig|\.lfsconfig` +
	`|\.envrc|\.mise\.toml|mise\.toml|\.npmrc|\.yarnrc(\.ya?ml)?|\.pypirc|pip\.conf|\.condarc` +
	`|agents\.md|claude\.md|gemini\.md|\.cursorrules|\.windsurfrules|\.clinerules` +
	`|\.n?vimrc|\.nvim\.lua|\.exrc|\.dir-locals\.el|(site|user)customize\.py|[^/]*\.pth|\.(bash|zsh)[^/]*|\.profile` +
	`)$`)

// leave is what the user must allow before an action.
type leave struct {
	key  string // of what is allowed, for the rest of the task
	text string // what the agent wants
	what string // the file, or what happens to tests
	why  string
}

// wants returns what an action needs leave for, by what it declares that it reads
// and changes; nil where it needs none. The error refuses the action: it declares
// something that nobody can allow.
func (r *run) wants(args action.Reach) (*leave, error) {
	for _, p := range args.Reads() {
		if l, err := r.wantsRead(p); l != nil || err != nil {
			return l, err
		}
	}
	for _, p := range args.Changes() {
		if l, err := r.wantsChange(p); l != nil || err != nil {
			return l, err
		}
	}
	for _, h := range args.Hosts() {
		if h != action.SandboxHosts { // commands are judged one by one, see permit
			return nil, fmt.Errorf("no setting and no question allows an action to connect to %s", h)
		}
	}
	return nil, nil
}

// wantsRead is the leave to read a place.
func (r *run) wantsRead(p action.Place) (*leave, error) {
	switch p := p.(type) {
	case action.File:
		return r.wantsSecretFile(string(p)), nil
	case action.Secrets:
		return wantsSecrets(p), nil
	case action.Files, action.Staged: // what may hold secrets is left out
		return nil, nil
	case action.FileNames, action.Memory:
		return nil, nil
	}
	return nil, fmt.Errorf("nobody can allow to read %T", p)
}

// wantsChange is the leave to change a place.
func (r *run) wantsChange(p action.Place) (*leave, error) {
	switch p := p.(type) {
	case action.File:
		if l := r.wantsSecretFile(string(p)); l != nil {
			return l, nil
		}
		return r.wantsObeyed(string(p)), nil
	case action.Outcome:
		return r.wantsFewerTests(), nil
	case action.Files: // what would need leave is left out, see stageChange
		return nil, nil
	case action.Staged: // an earlier state, each change of which was allowed
		return nil, nil
	case action.Memory: // what the user answers, under a name that cannot be a secret's
		return nil, nil
	}
	return nil, fmt.Errorf("nobody can allow to change %T", p)
}

// wantsSecretFile is the leave for a file that may hold secrets. What the agent
// wrote itself it may read.
func (r *run) wantsSecretFile(name string) *leave {
	key, err := r.a.Workspace.Key(name)
	if err != nil || !r.hides(key) || !r.exists(key) {
		return nil // the action will say what is wrong
	}
	return &leave{key: "read " + key, text: "CASE wants to read a file that may hold secrets", what: key,
		why: "What is in it would go to the model, but for what is known to be a secret or looks like one."}
}

// wantsObeyed is the leave to change a file that programs obey.
func (r *run) wantsObeyed(name string) *leave {
	key, err := r.a.Workspace.Key(name)
	if err != nil || !r.obeys(key) {
		return nil // the action will say what is wrong
	}
	return &leave{key: "change " + key, text: "CASE wants to change a file that programs obey by themselves", what: key,
		why: "It can make your editor, git, a shell or a server run something, or say what an agent may do. The task does not name it."}
}

func (r *run) exists(key string) bool {
	_, err := r.overlay.Read(key)
	return err == nil
}

// obeys reports whether a file is one that programs obey and that nobody has
// named or allowed.
func (r *run) obeys(key string) bool {
	return obeyed.MatchString(key) && !r.state.Leaves["change "+key] && !r.named(key)
}

// named reports whether the user's own words name a file.
func (r *run) named(key string) bool {
	t := r.state.Task
	if t.Focus != nil && t.Focus.Path == key {
		return true
	}
	words := strings.FieldsFunc(t.Text, func(c rune) bool { return strings.ContainsRune(" \t\r\n\"'`,;:()<>", c) })
	return slices.ContainsFunc(words, func(w string) bool {
		w = strings.TrimRight(strings.TrimPrefix(w, "./"), ".")
		return w == key || w == path.Base(key)
	})
}

// hides reports whether a file may hold secrets and was not opened by the user
// for this task.
func (r *run) hides(key string) bool {
	if !shell.SecretFile(key) || r.state.Leaves["read "+key] {
		return false
	}
	if f := r.state.Task.Focus; f != nil && f.Path == key {
		return false
	}
	for _, s := range r.state.Staged.Files {
		if s.Path == key && s.Base == nil && s.From == "" {
			return false
		}
	}
	return true
}

// allowedTo sees to the leave that the pending action needs: it asks, or records
// the refusal. Only where it returns true the action may go on.
func (r *run) allowedTo(act *action.Action) (bool, error) {
	c := r.state.Pending
	l, err := r.wants(act.Args)
	if err != nil {
		return false, r.done(record.ActionDone{Text: "Nothing was done: " + err.Error() + "."})
	}
	if l == nil || r.state.Leaves[l.key] && c.Withheld == nil {
		return true, nil
	}
	if c.Withheld == nil {
		return false, r.question(record.Question{Kind: record.Approval, Text: l.text, Command: l.what, Why: l.why + " A yes holds for the rest of the task.", Leave: l.key})
	}
	text := fmt.Sprintf("Nothing was done: the user did not allow it (%s).", l.what)
	if c.Withheld.Reason != "" {
		text += " The reason: " + c.Withheld.Reason
	}
	return false, r.done(record.ActionDone{Text: text + " Find another way; do not ask for it again."})
}

// shareable leaves out of a tree what may hold secrets, for the sandbox, and
// returns the names of that. What git tracks stays: tests need it, and whoever has
// the repository has it.
func (r *run) shareable(files []workspace.TreeFile) (kept []workspace.TreeFile, left []string) {
	var candidates []string
	for _, f := range files {
		if r.hides(f.Origin) || r.hides(f.Path) {
			candidates = append(candidates, f.Origin)
		}
	}
	if candidates == nil {
		return files, nil
	}
	tracked := r.a.Workspace.Tracked(candidates)
	for _, f := range files {
		if slices.Contains(candidates, f.Origin) && !tracked[f.Origin] {
			left = append(left, f.Path)
			continue
		}
		kept = append(kept, f)
	}
	return kept, left
}

// environmentFiles are the files at the top of a folder whose variables programs
// of the workspace read.
var environmentFiles = []string{".env", ".env.local", ".env.development", ".env.production", ".env.test", ".envrc", ".flaskenv"}

// conceal keeps the secrets in the workspace's own files of variables out of all
// that is kept or sent, wherever else they come up.
func (r *run) conceal() {
	r.a.concealFilled()
	for _, root := range r.a.Workspace.Roots() {
		for _, name := range environmentFiles {
			if len(r.a.Workspace.Roots()) > 1 {
				name = root.Name + "/" + name
			}
			f, err := r.a.Workspace.Read(name)
			if err != nil {
				continue // there is none, most of the time
			}
			var variables []string
			for line := range strings.Lines(f.Text) {
				variables = append(variables, strings.TrimPrefix(strings.TrimSpace(line), "export "))
			}
			r.a.Store.Conceal(store.SecretsOf(variables)...)
		}
	}
}
