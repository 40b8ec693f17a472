package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"

	"caselsp/agent/action"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
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

// concealTree keeps what a tree's files hold of secrets out of what the command will
// say: it may print them without their names.
func (r *run) concealTree(tree []sandbox.File) {
	var found []string
	for _, f := range tree {
		r.seeFixture(f.Path, string(f.Data))
		switch text := string(f.Data); {
		case len(f.Data) > store.MaxSecretFile || !r.a.firstSeen(f.Path, f.Data):
		case len(f.Data) <= store.MostRead(f.Path) || store.LooksSecret(f.Path, text):
			found = append(found, r.a.Store.SecretsOf(f.Path, text)...)
		case utf8.ValidString(text):
			found = append(found, r.a.Store.SpreadSecrets(text)...)
		}
	}
	r.a.concealOnce(found)
}

// firstSeen reports whether a file with this text is seen for the first time: what it holds
// of secrets is concealed then, and stays so.
func (a *Agent) firstSeen(path string, data []byte) bool {
	var h maphash.Hash
	h.SetSeed(a.seed)
	_, _ = h.WriteString(path + "\x00") // a hash gives no errors
	_, _ = h.Write(data)
	hash := h.Sum64()
	a.mu.Lock()
	defer a.mu.Unlock()
	seen := a.spreadIn[hash]
	a.spreadIn[hash] = true
	return !seen
}

// spread returns the secrets that only a whole text shows, the first time that it is
// asked for them.
func (a *Agent) spread(data []byte) []string {
	if !a.firstSeen("", data) || !utf8.Valid(data) {
		return nil
	}
	return a.Store.SpreadSecrets(string(data))
}

// seeFixture leaves the passwords in the tests of the project as they are: they are made up for
// accounts that live as long as the test, and who is shown a mask in their place cannot quote the
// line. Values that are known as secrets, and keys, stay masked there, too.
func (r *run) seeFixture(path, text string) {
	if ofTests(path) && len(text) <= store.MaxSecretFile && r.a.firstSeen("fixture:"+path, []byte(text)) {
		r.a.Store.AdoptPasswords(text)
	}
}

// concealDiffed keeps the secrets of files out of what a diff shows of them.
func (r *run) concealDiffed(diff string) {
	for line := range strings.Lines(diff) {
		if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
			if f, err := r.a.Workspace.Read(strings.TrimSpace(name)); err == nil {
				r.seeFixture(f.Path, f.Text)
				r.a.concealOnce(r.a.Store.SecretsOf(f.Path, f.Text))
			}
		}
	}
}

// tells reports whether a text is of a file of secrets, and conceals what else it holds
// of them: excerpts of it are about to be shown.
func (r *run) tells(path, text string) bool {
	r.a.concealOnce(r.a.spread([]byte(text)))
	r.seeFixture(path, text)
	return r.may().Tells(path, text)
}

// concealRead keeps the secrets of the files that an action reads out of what it says.
func (r *run) concealRead(places []action.Place) {
	for _, p := range places {
		name, ok := p.(action.File)
		if !ok {
			continue
		}
		if f, err := r.overlay.Read(string(name)); err == nil && !f.Staged {
			r.seeFixture(f.Path, f.Text)
			r.a.concealOnce(r.a.Store.SecretsOf(f.Path, f.Text))
		}
	}
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

// conceal keeps the secrets in files of the workspace, at any depth and whether git
// ignores them or not, out of all that is kept or sent, wherever else they come up. It
// is called before anything of the workspace is sent or kept; after the first time, only
// what has changed is read.
func (r *run) conceal(ctx context.Context) error { return r.a.conceal(ctx) }

func (a *Agent) conceal(ctx context.Context) error {
	a.concealFilled()
	a.looking.Lock()
	defer a.looking.Unlock()
	found, err := a.lookout.Look(ctx)
	if err != nil {
		return err
	}
	var values []string
	for _, f := range found {
		values = append(values, a.Store.SecretsOf(f.Path, f.Text)...)
	}
	a.concealOnce(values)
	return nil
}

// lookoutIn is a lookout for files that may hold secrets.
func lookoutIn(w *workspace.Workspace) *workspace.Lookout {
	return w.NewLookout(func(key string) workspace.Want {
		return workspace.Want{Most: int64(store.MostRead(key)), Kept: store.Hidden(key)}
	})
}

// SecretsIn returns the secret values in the files of a workspace, where no agent works on it.
func SecretsIn(ctx context.Context, w *workspace.Workspace) (values []string, err error) {
	found, err := lookoutIn(w).Look(ctx)
	for _, f := range found {
		values = append(values, store.SecretsIn(f.Path, f.Text)...)
	}
	return values, err
}

// hidden reports whether a path is another name of a file that may hold secrets.
func (a *Agent) hidden(key string) bool {
	a.looking.Lock()
	defer a.looking.Unlock()
	return a.lookout.Alias(key)
}

// adopt takes note of what the models of a task wrote themselves, from its journal.
func (a *Agent) adopt(id string) error {
	events, err := a.Events(id)
	if err != nil {
		return err
	}
	for _, e := range events {
		if wrote, ok := e.Body.(store.Authored); ok {
			a.Store.Adopt(wrote.Authored()...)
		}
	}
	return nil
}

// keepAuthored remembers what the models of a task wrote into the files that were just
// accepted, so that a later task is shown it.
func (a *Agent) keepAuthored(id string, files []workspace.Applied) {
	if len(files) == 0 {
		return
	}
	err := a.adopt(id)
	for _, f := range files {
		if now, missing := a.Workspace.Read(f.Path); missing == nil {
			err = errors.Join(err, a.Store.KeepAuthored(now.Path, now.Text))
		}
	}
	if err != nil {
		a.Log.Info("what the models wrote is not remembered: later tasks see it masked", "error", err)
	}
}

// adoptAuthored takes note of what models of earlier tasks wrote into accepted files.
func (a *Agent) adoptAuthored() {
	err := a.Store.AdoptAuthored(func(path string) (string, error) {
		f, err := a.Workspace.Read(path)
		return f.Text, err
	})
	if err != nil {
		a.Log.Info("what models wrote in earlier tasks is masked", "error", err)
	}
}
