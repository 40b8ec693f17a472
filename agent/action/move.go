package action

import (
	"context"
	_ "embed" // the texts for the model
	"fmt"

	"caselsp/agent/workspace"
)

//go:embed delete.md
var deleteText string

// DeleteFile deletes a file.
type DeleteFile struct {
	local
	Path string `json:"path"`
}

// DeleteFileVerb is the verb whose arguments are DeleteFile.
var DeleteFileVerb = register[DeleteFile](DeleteFileName, Edits, deleteText)

// Check implements Args.
func (a DeleteFile) Check() error { return checkPath(a.Path) }

// Reads implements Reach: the diff shows what the file held.
func (a DeleteFile) Reads() []Place { return []Place{File(a.Path)} }

// Changes implements Reach.
func (a DeleteFile) Changes() []Place { return []Place{File(a.Path)} }

// Do implements Doer.
func (a DeleteFile) Do(_ context.Context, s *Scope) (Result, error) {
	if f, exists, err := s.current(a.Path); err == nil && exists { // what is no text has no lines
		if err := s.respects(a.Path, f, ""); err != nil {
			return Result{}, err
		}
	}
	edit, err := s.Delete(a.Path)
	if err != nil {
		return Result{}, err
	}
	return Result{Said: Said{Text: "Staged the deletion of " + a.Path + "."}, Note: "delete " + a.Path, Diff: edit.Diff()}, nil
}

//go:embed rename.md
var renameText string

// RenameFile moves a file to another name or folder; its content stays.
type RenameFile struct {
	local
	From string `json:"from"`
	To   string `json:"to"`
}

// RenameFileVerb is the verb whose arguments are RenameFile.
var RenameFileVerb = register[RenameFile](RenameFileName, Edits, renameText)

// Check implements Args.
func (a RenameFile) Check() error {
	var wrong faults
	if a.From == a.To && a.From != "" {
		wrong.add("to", "from and to are both %q: they must differ", a.From)
	}
	wrong.note("from", checkPath(a.From))
	wrong.note("to", checkPath(a.To))
	return wrong.err()
}

// Reads implements Reach: under its new name the file could be read without leave.
func (a RenameFile) Reads() []Place { return []Place{File(a.From)} }

// Changes implements Reach.
func (a RenameFile) Changes() []Place { return []Place{File(a.From), File(a.To)} }

// Do implements Doer.
func (a RenameFile) Do(_ context.Context, s *Scope) (Result, error) {
	edit, err := s.Rename(a.From, a.To)
	if err != nil {
		return Result{}, err
	}
	r := Result{
		Said: Said{Text: fmt.Sprintf("Staged the renaming of %s to %s. What refers to the old name must be changed too.", a.From, a.To)},
		Note: fmt.Sprintf("rename %s to %s", a.From, a.To),
		Diff: edit.Diff(),
	}
	if shown, ok := s.shown(a.From); ok && edit.Op == workspace.Rename {
		shown.Path = a.To
		r.Shown = &shown
	}
	return r, nil
}
