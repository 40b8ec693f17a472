package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/codemap"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/agent/workspace"
)

// RuleOrphan is the rule of a file that imports one which the task deletes.
const RuleOrphan = "imports/deleted"

// orphans are the files that import one which a task deletes or moves away. Linters look at the files that a task changes; these
// may be others.
func orphans(ctx context.Context, o *workspace.Overlay, hides func(path string) bool) ([]validate.Finding, error) {
	var gone []string
	for _, c := range o.ChangeSet().Files {
		switch {
		case c.After == nil && syntax.Outlined(c.Path):
			gone = append(gone, c.Path)
		case c.From != "" && syntax.Outlined(c.From):
			gone = append(gone, c.From)
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	facts, _, err := o.Structure(ctx, "", hides)
	if err != nil {
		return nil, fmt.Errorf("the structure of the workspace cannot be read: %w", err)
	}
	var files []codemap.File
	for _, f := range facts {
		if !slices.Contains(gone, f.Path) && !codemap.Vendored(f.Path) {
			files = append(files, codemap.File(f))
		}
	}
	var found []validate.Finding
	for _, orphan := range codemap.Orphans(files, gone) {
		finding := validate.Finding{Path: orphan.Path, Rule: RuleOrphan, Severity: validate.Warning, Message: fmt.Sprintf("imports %s, and %s is deleted", orphan.Import, orphan.Gone)}
		if f, err := o.Read(orphan.Path); err == nil {
			for i, line := range strings.Split(f.Text, "\n") {
				if strings.Contains(line, orphan.Import) {
					finding.Start.Line, finding.End.Line = i, i
					break
				}
			}
		}
		found = append(found, finding)
	}
	return found, nil
}
