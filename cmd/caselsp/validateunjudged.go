package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/validate"
	"caselsp/agent/workspace"
)

// unjudged is what a run did not judge, so that silence is not taken for praise.
type unjudged struct {
	kinds   map[string]int // source files by the extension for which there are no rules
	skipped []skippedFile
}

// skippedFile is a file that cannot be read: it is no text, too large, or has a name
// that is not used, such as that of a device on Windows.
type skippedFile struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// count takes note of files that are not judged because of their kind.
func (u *unjudged) count(files ...string) {
	for _, file := range files {
		if kind := validate.UnjudgedKind(file); kind != "" {
			if u.kinds == nil {
				u.kinds = map[string]int{}
			}
			u.kinds[kind]++
		}
	}
}

// skip takes note of a file that is no text, too large to be judged or whose name is
// refused. Any other error, such as that there is no such file, is returned.
func (u *unjudged) skip(file string, err error) error {
	var binary *workspace.NotText
	var large *workspace.TooLarge
	var name *workspace.PathError
	if !errors.As(err, &binary) && !errors.As(err, &large) && !errors.As(err, &name) {
		return err
	}
	u.skipped = append(u.skipped, skippedFile{file, err.Error()})
	return nil
}

// all returns an error where nothing that was named could be judged.
func (u *unjudged) all(judged int) error {
	if judged > 0 || len(u.skipped) == 0 {
		return nil
	}
	return errors.New(u.skipped[0].Reason)
}

// lines says what was not judged, one line each.
func (u *unjudged) lines() []string {
	var lines []string
	for _, s := range u.skipped {
		lines = append(lines, fmt.Sprintf("skipped %s: %s", s.File, s.Reason))
	}
	if len(u.kinds) == 0 {
		return lines
	}
	sum, parts := 0, []string{}
	for _, kind := range slices.SortedFunc(maps.Keys(u.kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(u.kinds[b], u.kinds[a]), cmp.Compare(a, b))
	}) {
		sum += u.kinds[kind]
		parts = append(parts, fmt.Sprintf("%d %s", u.kinds[kind], kind))
	}
	return append(lines, fmt.Sprintf("%s not judged, only searched for secrets: %s", numbered(sum, "file"), strings.Join(parts, ", ")))
}

// json adds what was not judged to the object that --format json writes.
func (u *unjudged) json(report object) object {
	if len(u.kinds) > 0 {
		report["notJudged"] = u.kinds
	}
	if len(u.skipped) > 0 {
		report["skipped"] = u.skipped
	}
	return report
}

// sarif adds it to a run of SARIF, as notifications of its invocation.
func (u *unjudged) sarif(run object) object {
	var notes []object
	for _, line := range u.lines() {
		notes = append(notes, object{"level": "note", "message": object{"text": line}})
	}
	if notes != nil {
		run["invocations"] = []object{{"executionSuccessful": true, "toolExecutionNotifications": notes}}
	}
	return run
}
