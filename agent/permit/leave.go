// Package permit answers every "may it?" of a task. The answers never depend on a model: they
// come from what is built in, the user's settings and what the user has decided.
//
// decide.go has the way from top to bottom: [Permit.Decide] says of the pending action that it
// is [Allowed], [Refused], or that the user is asked a [Question]. guard.go is about what actions
// read and change, command.go about command lines, secret.go about the secrets that they get,
// finding.go about code that safety rules object to, install.go about dependencies, trust.go about folders, leave.go about the user's own files,
// obeyed.go about those among them that programs obey, word.go about what the user has named.
// approvals.go keeps what the user has decided before and the rules that come of it; values.go
// keeps what they have answered for the whole project.
//
// It decides only: what must be written down first is in a decision's [Notes]. It writes no
// record of a task, runs no command and changes no file.
package permit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// Leave is the permission to change some of the user's own files. Only [Trust.ToAccept] and
// [ToUndo] make one that covers anything. One to accept covers a file that programs obey only
// where the user has consented to this file by its name: a face that does not ask writes none.
type Leave struct{ paths map[string]bool }

// Covers reports whether the file may be changed.
func (l Leave) Covers(path string) bool { return l.paths[path] }

// Consent names the files that programs obey and that the user accepts nevertheless: they were
// shown by name, each with what obeys it.
type Consent []string

// ToAccept gives leave to write accepted changes to files of a workspace, all of whose
// folders must be trusted; the error says what to do where one is not. It does not cover the
// files that programs obey, unless consent names them.
func (t *Trust) ToAccept(w *workspace.Workspace, changes []workspace.Change, obeyed func(workspace.Change) Obeyed, consent Consent) (Leave, error) {
	untrusted, err := t.UntrustedIn(w)
	if err != nil || len(untrusted) > 0 {
		return Leave{}, errors.Join(err, fmt.Errorf("%s is not trusted, so nothing is written there: %s, then accept", strings.Join(untrusted, ", "), AdviseTrust))
	}
	l := Leave{paths: map[string]bool{}}
	for _, c := range changes {
		if !obeyed(c).Asks() || slices.Contains(consent, c.Path) {
			l.paths[c.Path] = true
			l.paths[c.From] = true
		}
	}
	delete(l.paths, "") // of files that are not renamed
	return l, nil
}

// ToUndo gives leave to take back what was applied. It needs no trust: what comes back is
// what the user had.
func ToUndo(applied map[string]record.AppliedTo) Leave {
	l := Leave{paths: map[string]bool{}}
	for _, a := range applied {
		l.paths[a.Path] = true
		if a.From != "" {
			l.paths[a.From] = true
		}
	}
	return l
}
