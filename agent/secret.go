package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/record"
	"caselsp/sandbox"
	"caselsp/store"
)

// A command that declares secrets is given them in its environment. Their values
// come from the user's keyring, or from the user, who is asked first whether this
// command may have them. No record holds a value: what is recorded is that one was
// given, and what the command prints of it is masked.

// Secrets is where the values of secrets come from; nil functions: only the user.
type Secrets struct {
	// Get returns a secret; false if there is none of that name. An error says
	// that there is no keyring.
	Get func(name string) (value string, found bool, err error)
	// Keep keeps a secret that the user was asked for.
	Keep func(name, value string) error
}

// known are the secrets of this process by name. They are asked for once.
func (a *Agent) secret(name string) (string, bool) {
	a.mu.Lock()
	value, ok := a.secrets[name]
	a.mu.Unlock()
	if ok || a.Secrets.Get == nil {
		return value, ok
	}
	value, ok, err := a.Secrets.Get(name)
	if err != nil {
		a.Log.Info("the keyring has no answer", "error", err)
	}
	if ok {
		a.learn(name, value)
	}
	return value, ok
}

// learn takes note of a secret: from now on it is in nothing that is kept.
func (a *Agent) learn(name, value string) {
	a.Store.Conceal(value)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.secrets == nil {
		a.secrets = map[string]string{}
	}
	a.secrets[name] = value
}

// keptMeanwhile answers the question for a secret that has come into the keyring
// since it was asked for.
func (r *run) keptMeanwhile(q record.Question) (bool, error) {
	about, ok := q.Subject.(record.Secret)
	if !ok || r.a.outside.replays() {
		return false, nil
	}
	if _, found := r.a.secret(about.Name); !found {
		return false, nil
	}
	return true, r.record(record.Answered{ID: q.ID, Answer: record.Answer{Text: record.Kept, By: "keyring"}, Secret: about.Name})
}

// secretAnswered keeps what the user answered to a question for a secret, and
// returns what is recorded of it.
func (r *run) secretAnswered(name string, a record.Answer) record.Answer {
	if a.Text == record.Deny || a.Text == record.Kept {
		return a
	}
	r.a.learn(name, a.Text)
	if r.a.Secrets.Keep != nil {
		if err := r.a.Secrets.Keep(name, a.Text); err != nil {
			r.a.Log.Info("a secret is not kept in the keyring", "name", name, "error", err)
		}
	}
	return record.Answer{Text: record.Given, By: a.By}
}

// secretsOf returns the secrets that the pending command is given, by name.
func (r *run) secretsOf(c *record.Pending) map[string]string {
	var args action.RunCommand
	if json.Unmarshal(c.Args, &args) != nil || r.a.outside.replays() { // a replay runs nothing
		return nil
	}
	values := map[string]string{}
	for _, name := range args.Secrets {
		if value, ok := r.a.secret(name); ok {
			values[name] = value
		}
	}
	return values
}

// withSecrets puts secrets into a command's environment.
func withSecrets(cmd sandbox.Command, secrets map[string]string) sandbox.Command {
	for name, value := range secrets {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env)
	return cmd
}

// withoutSecrets takes secrets out of what a command said, and leaves out the
// files that it wrote them to, in whatever writing: those would be kept, and shown.
func (r *run) withoutSecrets(result *sandbox.Result, secrets map[string]string) {
	if len(secrets) == 0 {
		return
	}
	result.Output = r.a.Store.Redact(result.Output)
	result.Changes = slices.DeleteFunc(result.Changes, func(c sandbox.Change) bool {
		for name, value := range secrets {
			if store.Holds([]byte(c.Path), value) {
				result.Skipped = append(result.Skipped, "a file: its name holds the secret "+name)
				return true
			}
			if store.Holds(c.Data, value) {
				result.Skipped = append(result.Skipped, fmt.Sprintf("%s: it holds the secret %s", c.Path, name))
				return true
			}
		}
		return false
	})
}

// configuring are the names of files in which projects keep settings, and so
// often secrets by mistake.
var configuring = regexp.MustCompile(`(?i)(settings|config|secret|credential|local|compose|application|properties|environment|\.env)[^/]*$|\.(env|ini|cfg|conf|toml|properties|ya?ml)$`)

// maxConfiguration is the largest file in bytes that is looked through for such:
// people write them by hand.
const maxConfiguration = 64 << 10

// concealSettings keeps what a tree's settings hold of secrets out of what the
// command will say: it may print them without their names.
func (r *run) concealSettings(tree []sandbox.File) {
	var found []string
	for _, f := range tree {
		if len(f.Data) <= maxConfiguration && configuring.MatchString(f.Path) {
			found = append(found, store.SecretsIn(string(f.Data))...)
		}
	}
	r.a.concealOnce(found)
}

// concealOnce tells the store of secrets that it does not know.
func (a *Agent) concealOnce(values []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var news []string
	for _, v := range values {
		if !a.concealed[v] {
			news = append(news, v)
			a.concealed[v] = true
		}
	}
	if len(news) > 0 {
		a.Store.Conceal(news...)
	}
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
