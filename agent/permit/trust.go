package permit

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"caselsp/agent/workspace"
	"caselsp/store"
)

// Trust is which folders the user trusts. In a folder that is not
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
	in := func(folder, dir string) bool {
		rel, err := filepath.Rel(folder, realPath(dir))
		return err == nil && filepath.IsLocal(rel)
	}
	list := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool {
		return slices.ContainsFunc(t.Folders, func(f string) bool { return in(realPath(f), dir) })
	})
	if len(list) == 0 {
		return nil, nil // whatever is kept, and whether or not that can be read
	}
	kept, err := t.Kept.Folders()
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(dir string) bool {
		return slices.ContainsFunc(kept, func(f store.Trusted) bool { return in(f.Folder, dir) })
	})
	if len(list) == 0 {
		return nil, nil
	}
	return list, nil
}

// UntrustedIn returns those folders of a workspace that the user does not trust.
func (t *Trust) UntrustedIn(w *workspace.Workspace) ([]string, error) {
	var dirs []string
	for _, r := range w.Roots() {
		dirs = append(dirs, r.Dir)
	}
	return t.Untrusted(dirs...)
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
			return fmt.Errorf("%s is still trusted, by a folder above it or by the setting trust.folders: `caselsp trust --list` lists what is trusted", dir)
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

// AdviseTrust says what can be done in a folder that is not trusted.
const AdviseTrust = "trust it with the command caselsp.trust or with `caselsp trust`"
