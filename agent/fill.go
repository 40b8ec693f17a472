package agent

import (
	"context"
	"errors"
	"maps"
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
)

// A staged file holds {{ NAME }} in place of a secret that its edit declares, and so
// does everything that is recorded or shown of the file. The value replaces it in two
// places only: in the sandbox, for a command that the user has given that secret, and
// in the user's own file, when the user fills it in.

// placesIn returns the secrets for which placeholders were declared in a file, by its key.
func (r *run) placesIn(key string) []string {
	for name, secrets := range r.state.Placeholders {
		if k, err := r.a.Workspace.Key(name); err == nil && k == key {
			return secrets
		}
	}
	return nil
}

// filledTree is a tree whose files hold the values of the secrets that a command
// is given, where they have declared placeholders. The tree itself stays as it is:
// that one is kept.
func (r *run) filledTree(tree []sandbox.File, secrets map[string]string) ([]sandbox.File, error) {
	if len(secrets) == 0 || len(r.state.Placeholders) == 0 {
		return tree, nil
	}
	tree = slices.Clone(tree)
	for i, f := range tree {
		values := map[string]string{}
		for _, name := range r.placesIn(f.Path) {
			if value, ok := secrets[name]; ok {
				values[name] = value
			}
		}
		if len(values) == 0 {
			continue
		}
		text, err := action.Fill(f.Path, string(f.Data), values)
		if err != nil {
			return nil, err
		}
		tree[i].Data = []byte(text)
	}
	return tree, nil
}

// Unfilled returns the secrets for which placeholders stand in a task's files, by
// path. Filling them in is the user's choice.
func (a *Agent) Unfilled(id string) (map[string][]string, error) {
	p, err := a.load(id)
	if err != nil {
		return nil, err
	}
	left := map[string][]string{}
	for name, secrets := range p.Placeholders {
		f, err := a.Workspace.Read(name)
		if err != nil {
			continue // it was not accepted
		}
		for _, s := range action.PlaceholdersIn(f.Text) {
			if slices.Contains(secrets, s) {
				left[name] = append(left[name], s)
			}
		}
	}
	return left, nil
}

// FillFile puts secrets where their placeholders stand in a file of the user's, who
// has asked for that. From then on they are kept out of all texts in this workspace.
func (a *Agent) FillFile(ctx context.Context, name string, values map[string]string) error {
	key, err := a.Workspace.Key(name)
	if err != nil {
		return err
	}
	o := a.Workspace.NewOverlay()
	defer o.Close()
	f, err := o.Read(key)
	if err != nil {
		return err
	}
	text, err := action.Fill(key, f.Text, values)
	if err != nil {
		return err
	}
	if err := a.approvals().KeepFilled(key, slices.Sorted(maps.Keys(values))); err != nil {
		return err
	}
	if _, err := o.Write(key, text); err != nil {
		return err
	}
	change := o.ChangeSet().Files[0]
	done, err := workspace.Disk(a.Workspace).Apply(ctx, []workspace.FileEdit{{Op: change.Op, Path: key, Expect: f.Hash, Content: change.After}}, nil)
	if err == nil && !done[0].OK {
		err = errors.New(done[0].Reason)
	}
	return err
}

// concealFilled keeps out of all texts what was filled into files of the workspace.
func (a *Agent) concealFilled() {
	names, err := a.approvals().Filled()
	if err != nil {
		a.Log.Warn("it is not known which secrets files hold", "error", err)
	}
	for _, name := range names {
		a.secret(name) // finds it, and takes note of it
	}
}
