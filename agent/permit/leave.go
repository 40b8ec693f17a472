// Package permit answers every "may it?" of a task. The answers never depend on a model: they
// come from what is built in, the user's settings and what the user has decided.
//
// decide.go has the way from top to bottom: [Permit.Decide] says of the pending action that it
// is [Allowed], [Refused], or that the user is asked a [Question]. guard.go is about what actions
// read and change, command.go about command lines, finding.go about code that safety rules object
// to, install.go about dependencies, trust.go about folders, leave.go about the user's own files.
// approvals.go keeps what the user has decided before and the rules that come of it; values.go
// keeps what they have answered for the whole project.
//
// It decides only: what must be written down first is in a decision's [Notes]. It writes no
// record of a task, runs no command and changes no file.
package permit

import (
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// Leave is the permission to change some of the user's own files. Only [Trust.ToAccept] and
// [ToUndo] make one that covers anything.
type Leave struct{ paths map[string]bool }

// Covers reports whether the file may be changed.
func (l Leave) Covers(path string) bool { return l.paths[path] }

// ToAccept gives leave to write accepted changes to files of a workspace, all of whose
// folders must be trusted. The error says what to do where one is not.
func (t *Trust) ToAccept(w *workspace.Workspace, paths []string) (Leave, error) {
	untrusted, err := t.UntrustedIn(w)
	if err != nil || len(untrusted) > 0 {
		return Leave{}, errors.Join(err, fmt.Errorf("%s is not trusted, so nothing is written there: %s, then accept", strings.Join(untrusted, ", "), AdviseTrust))
	}
	l := Leave{paths: map[string]bool{}}
	for _, p := range paths {
		l.paths[p] = true
	}
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
