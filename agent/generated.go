package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/count"
	"caselsp/sandbox"
	"caselsp/store/secret"
)

// generated are the files that a command gets beside the tree: source that a generator has made and git
// ignores, without which the project does not run (see workspace.Generated). They are no part of the tree that is
// recorded, since another machine has others or none, and nothing that a command does to them comes
// back. A file that may hold a secret is never among them, by its name or by its text.
func (r *run) generated(ctx context.Context) (tree []sandbox.File, err error) {
	if r.a.outside.replays() {
		return nil, nil
	}
	files, err := r.overlay.Generated(ctx)
	if err != nil {
		return nil, err
	}
	files, _ = r.may().Shareable(files)
	var names []string
	for _, f := range files {
		if text := string(f.Data); !holdsSecret(text) && r.a.Store.Redact(text) == text {
			tree = append(tree, sandbox.File{Path: f.Path, Mode: f.Mode, Data: f.Data})
			names = append(names, f.Path)
		}
	}
	if len(names) > 0 && !slices.Equal(names, r.copied) {
		r.copied = names
		r.progress(fmt.Sprintf("The sandbox gets a copy of %s that git ignores: %s", count.Of(len(names), "generated file"), firstNames(names)))
	}
	return tree, nil
}

// holdsSecret reports whether a text has something with the exact format of a secret.
func holdsSecret(text string) bool {
	return slices.ContainsFunc(secret.Find(text), func(m secret.Match) bool { return !m.Dummy })
}

// namedGenerated is how many generated files a line names.
const namedGenerated = 3

func firstNames(names []string) string {
	if more := len(names) - namedGenerated; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:namedGenerated], ", "), more)
	}
	return strings.Join(names, ", ")
}

// find reports whether a tree has a file.
func find(tree []sandbox.File, path string) bool {
	return slices.ContainsFunc(tree, func(f sandbox.File) bool { return f.Path == path })
}
