package action

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"caselsp/agent/shell"
	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
	"caselsp/agent/workspace"
)

// Env is what verbs with the effects Reads and Edits work on. They see it through
// a [Scope] only.
type Env struct {
	Overlay *workspace.Overlay
	Shown   map[string]Shown // by path: what the model was shown in this conversation

	MaxShown int // bytes of a file that one action shows, below maxShown; 0: it does not bound it

	// Hidden is the text that stands where a secret was cut out of a prompt. An
	// edit that brings it back would overwrite the secret, so it is refused.
	Hidden string
	// HiddenWhy says what was hidden in what the model sent last, and what it may write
	// instead; "" if nothing is known of that.
	HiddenWhy string
	// Hides says which files are not read without the user's leave; nil: those
	// that may hold secrets by their name.
	Hides func(path string) bool
	// Tells says which texts are of files that hold secrets, whatever their names; nil: none.
	Tells func(path, text string) bool

	// Touched reports whether the user's own file is another than when the task began: it is not written over unseen. nil:
	// none is.
	Touched func(path string) bool

	// Theirs returns the user's own file beside what it was before the task changed anything, known where that is so; nil:
	// of none it is. What the user wrote between is not taken out without a word.
	Theirs func(path string) (file Theirs, known bool)

	// Warned reports whether the model was told once that an edit goes against what the user did, see [Quoting.Warns]; nil: of
	// nothing.
	Warned func(key string) bool

	// Rejected returns what the user has rejected of a file in an earlier result of the task; nil: nothing of any.
	Rejected func(path string) []workspace.Hunk

	// Judge runs the validators over the text of a file, together with what else
	// there is; nil: over the text alone.
	Judge func(ctx context.Context, path, text string) ([]validate.Finding, error)
}

// Scope is the overlay as one action sees it: what its arguments declare, and
// nothing else. What is found in many files leaves out those that may not be read.
type Scope struct {
	env            Env
	reads, changes []Place
}

// ErrUndeclared says that a verb reached for a file that its arguments do not
// declare: a mistake in the program.
var ErrUndeclared = errors.New("the action does not declare that it uses this")

// scope returns what an action with these arguments sees of an overlay.
func (e Env) scope(args Reach) *Scope {
	if e.Hides == nil {
		e.Hides = shell.SecretFile
	}
	return &Scope{env: e, reads: args.Reads(), changes: args.Changes()}
}

// mayRead is an error where a place is not declared as read.
func (s *Scope) mayRead(p Place) error {
	if slices.Contains(s.reads, p) {
		return nil
	}
	return fmt.Errorf("%w: reading %q", ErrUndeclared, p)
}

// mayChange is an error where a place is not declared as changed.
func (s *Scope) mayChange(p Place) error {
	if slices.Contains(s.changes, p) {
		return nil
	}
	return fmt.Errorf("%w: changing %q", ErrUndeclared, p)
}

// Read returns a file as the overlay has it.
func (s *Scope) Read(path string) (workspace.File, error) {
	if err := s.mayRead(File(path)); err != nil {
		return workspace.File{}, err
	}
	return s.env.Overlay.Read(path)
}

// List returns the names of the files that a glob matches, up to a limit.
func (s *Scope) List(ctx context.Context, glob string, limit int) (entries []workspace.Entry, more bool, err error) {
	if err := s.mayRead(FileNames(glob)); err != nil {
		return nil, false, err
	}
	return s.env.Overlay.List(ctx, glob, limit)
}

// Search returns the lines that a query finds, in files that may be read.
func (s *Scope) Search(ctx context.Context, q workspace.Query) (matches []workspace.Match, more bool, err error) {
	if err := s.mayRead(Files(q.Glob)); err != nil {
		return nil, false, err
	}
	q.Skip = s.env.Hides
	matches, more, err = s.env.Overlay.Search(ctx, q)
	tells := s.tells()
	return slices.DeleteFunc(matches, func(m workspace.Match) bool { return tells(m.Path) }), more, err
}

// maxFoundIn is in how many files lines that were found count as shown: an edit that follows a search is of one of the
// first.
const maxFoundIn = 20

// found is what a search has shown of files: the lines that it gave whole.
func (s *Scope) found(matches []workspace.Match) (shown []Shown) {
	at := map[string]int{}
	texts := map[string][]string{}
	for _, m := range matches {
		i, known := at[m.Path]
		if !known {
			if len(shown) == maxFoundIn {
				break
			}
			f, err := s.env.Overlay.Read(m.Path) // Search has looked whether it may
			if err != nil {
				continue // it is gone meanwhile
			}
			i = len(shown)
			at[m.Path], texts[m.Path] = i, splitLines(f.Text)
			shown = append(shown, Shown{Path: m.Path, Hash: f.Hash})
		}
		first := m.Line - len(m.Before)
		for k, line := range slices.Concat(m.Before, []string{m.Text}, m.After) {
			if n := first + k; n >= 1 && n <= len(texts[m.Path]) && texts[m.Path][n-1] == line {
				shown[i].Ranges = append(shown[i].Ranges, Range{n, n})
			}
		}
	}
	for i := range shown {
		shown[i].Ranges = joined(shown[i].Ranges)
	}
	return slices.DeleteFunc(shown, func(s Shown) bool { return len(s.Ranges) == 0 })
}

// Symbols returns what is declared under a name, in files that may be read.
func (s *Scope) Symbols(ctx context.Context, name string) (list []workspace.Found, more bool, err error) {
	if err := s.mayRead(Files("")); err != nil {
		return nil, false, err
	}
	list, more, err = s.env.Overlay.Symbols(ctx, name, "", s.env.Hides)
	tells := s.tells()
	return slices.DeleteFunc(list, func(f workspace.Found) bool { return tells(f.Path) }), more, err
}

// tells returns a function that says whether a file's text is one that may not be read. It
// looks at each file once.
func (s *Scope) tells() func(path string) bool {
	told := map[string]bool{}
	return func(path string) bool {
		if _, known := told[path]; !known && s.env.Tells != nil {
			f, err := s.env.Overlay.Read(path)
			told[path] = err != nil || s.env.Tells(path, f.Text)
		}
		return told[path]
	}
}

// Judge returns what the validators find in a file.
func (s *Scope) Judge(ctx context.Context, path string) ([]validate.Finding, error) {
	f, err := s.Read(path)
	switch {
	case err != nil:
		return nil, err
	case s.env.Judge == nil:
		return rules.Default().Check(path, f.Text), nil
	}
	return s.env.Judge(ctx, path, f.Text)
}

// Write stages a file's new text.
func (s *Scope) Write(path, text string) (workspace.Edit, error) {
	if err := s.mayChange(File(path)); err != nil {
		return workspace.Edit{}, err
	}
	return s.env.Overlay.Write(path, text)
}

// Delete stages a file's deletion.
func (s *Scope) Delete(path string) (workspace.Edit, error) {
	if err := s.mayChange(File(path)); err != nil {
		return workspace.Edit{}, err
	}
	return s.env.Overlay.Delete(path)
}

// Rename stages that a file moves.
func (s *Scope) Rename(from, to string) (workspace.Edit, error) {
	if err := errors.Join(s.mayChange(File(from)), s.mayChange(File(to))); err != nil {
		return workspace.Edit{}, err
	}
	return s.env.Overlay.Rename(from, to)
}

// shown returns what the model was shown of a file.
func (s *Scope) shown(path string) (Shown, bool) {
	shown, ok := s.env.Shown[path]
	return shown, ok
}

// current reads a file for an edit; it is no error that the file does not exist.
func (s *Scope) current(path string) (f workspace.File, exists bool, err error) {
	f, err = s.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, false, nil
	}
	return f, err == nil, err
}
