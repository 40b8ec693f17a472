package action

import (
	"context"
	_ "embed" // the texts for the model
	"errors"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/validate"
	"caselsp/agent/workspace"
)

const (
	maxOverview = 12 << 10 // bytes of the list of all files

	maxListed  = 400 // entries of one listing: a model is better served by a narrower glob than by more
	maxMatches = 100 // matches of one search, for the same reason
	maxLine    = 300 // bytes of a matching line that are shown: a minified file has one line
)

//go:embed list.md
var listText string

// ListFiles lists the files of the workspace.
type ListFiles struct {
	reading
	Glob string `json:"glob,omitempty" doc:"Such as **/*.py or docs/**."`
}

// ListFilesVerb is the verb whose arguments are ListFiles.
var ListFilesVerb = register[ListFiles](ListFilesName, Reads, listText)

// Check implements Args.
func (a ListFiles) Check() error { return nil }

// Reads implements Reach.
func (a ListFiles) Reads() []Place { return []Place{FileNames(a.Glob)} }

// Do implements Doer.
func (a ListFiles) Do(ctx context.Context, s *Scope) (Result, error) {
	if a.Glob == "" {
		entries, more, err := s.List(ctx, "", workspace.MaxEntries)
		return Result{Said: Quoted(Overview(entries, more, maxOverview)), Note: "list"}, err
	}
	entries, more, err := s.List(ctx, a.Glob, maxListed)
	if err != nil {
		return Result{}, err
	}
	return Result{Said: Quoted(Listing(entries, more)), Note: "list " + a.Glob}, nil
}

// Listing renders a list of files for a model.
func Listing(entries []workspace.Entry, more bool) string {
	if len(entries) == 0 {
		return "No files."
	}
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%s (%d bytes)\n", e.Path, e.Size)
	}
	if more {
		b.WriteString("There are more files: narrow the list with a glob.\n")
	}
	return b.String()
}

//go:embed search.md
var searchText string

// SearchText searches many files for a text or a regular expression.
type SearchText struct {
	reading
	Pattern    string `json:"pattern"`
	Regexp     bool   `json:"regexp,omitempty" doc:"RE2."`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	Glob       string `json:"glob,omitempty"`
	Context    int    `json:"context,omitempty"`
}

// SearchTextVerb is the verb whose arguments are SearchText.
var SearchTextVerb = register[SearchText](SearchTextName, Reads, searchText)

// Check implements Args.
func (a SearchText) Check() error {
	if a.Pattern == "" {
		return errors.New("pattern is empty: say what to look for")
	}
	return nil
}

// Reads implements Reach.
func (a SearchText) Reads() []Place { return []Place{Files(a.Glob)} }

// Do implements Doer.
func (a SearchText) Do(ctx context.Context, s *Scope) (Result, error) {
	var large unsearched
	found, more, err := s.Search(ctx, workspace.Query{
		TooLarge: large.add,
		Pattern:  a.Pattern, Regexp: a.Regexp, IgnoreCase: a.IgnoreCase, Glob: a.Glob, Context: a.Context,
		Limit: max(1, maxMatches/(1+min(max(a.Context, 0), workspace.MaxContext))), // the lines around them fill a prompt too
	})
	if err != nil {
		return Result{}, err
	}
	var b strings.Builder
	writeMatches(&b, found)
	switch {
	case len(found) == 0:
		b.WriteString("Nothing found.")
		if !a.Regexp && strings.ContainsAny(a.Pattern, `|*^$[\`) {
			b.WriteString(" The pattern was taken as it is written; with regexp it is a regular expression.")
		}
	case more:
		b.WriteString("There are more matches: narrow the search.\n")
	}
	b.WriteString(large.text())
	return Result{Said: Quoted(b.String()), Note: fmt.Sprintf("search %q: %d found", a.Pattern, len(found)), Also: s.found(found)}, nil
}

// unsearched are the files that a search passed over because of their size.
type unsearched []string

// maxUnsearched is how many of them are named: logs and dumps lie together, and one or two names
// tell which they are.
const maxUnsearched = 5

func (u *unsearched) add(path string, size int64) {
	*u = append(*u, fmt.Sprintf("%s (%d MiB)", path, size>>20))
}

func (u unsearched) text() string {
	if len(u) == 0 {
		return ""
	}
	names, rest := u, ""
	if more := len(u) - maxUnsearched; more > 0 {
		names, rest = u[:maxUnsearched], fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("\nNot searched, larger than %d MiB: %s%s. A command such as grep searches them.\n", workspace.MaxText>>20, strings.Join(names, ", "), rest)
}

// writeMatches renders matches with the lines around them: each path once, above its lines, each line
// once, and a mark between lines that do not follow each other.
func writeMatches(b *strings.Builder, found []workspace.Match) {
	around := slices.ContainsFunc(found, func(m workspace.Match) bool { return len(m.Before)+len(m.After) > 0 })
	place := func(path string, line int) string { return fmt.Sprintf("%s:%d", path, line) }
	hits := map[string]bool{}
	for _, m := range found {
		hits[place(m.Path, m.Line)] = true
	}
	path, next := "", 0 // what follows the last line that was written
	for _, m := range found {
		first := m.Line - len(m.Before)
		switch {
		case m.Path != path:
			b.WriteString(m.Path + "\n")
			path, next = m.Path, first
		case first > next && around:
			b.WriteString("--\n")
			next = first
		}
		for i, text := range slices.Concat(m.Before, []string{m.Text}, m.After) {
			line, mark := first+i, "-"
			if line < next {
				continue
			}
			if hits[place(path, line)] {
				mark = ":"
			}
			fmt.Fprintf(b, "%d%s %s\n", line, mark, clipLine(text))
			next = line + 1
		}
	}
}

func clipLine(line string) string {
	if len(line) <= maxLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxLine], "") + "…"
}

//go:embed diagnostics.md
var diagnosticsText string

// Diagnostics shows what the validators find in a file.
type Diagnostics struct {
	reading
	Path string `json:"path"`
}

// DiagnosticsVerb is the verb whose arguments are Diagnostics.
var DiagnosticsVerb = register[Diagnostics](DiagnosticsName, Reads, diagnosticsText)

// Check implements Args.
func (a Diagnostics) Check() error { return checkPath(a.Path) }

// Reads implements Reach.
func (a Diagnostics) Reads() []Place { return []Place{File(a.Path)} }

// Do implements Doer.
func (a Diagnostics) Do(ctx context.Context, s *Scope) (Result, error) {
	found, err := s.Judge(ctx, a.Path)
	if err != nil {
		return Result{}, err
	}
	return Result{Said: Quoted(Findings(found)), Note: "diagnostics " + a.Path}, nil
}

// maxFindings is how many findings a model is shown: it fixes these first and looks
// again for more.
const maxFindings = 60

// Findings renders findings for a model, the most severe first.
func Findings(found []validate.Finding) string {
	if len(found) == 0 {
		return "No findings."
	}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(x, y validate.Finding) int {
		return slices.Index(validate.Severities, x.Severity) - slices.Index(validate.Severities, y.Severity)
	})
	var b strings.Builder
	for i, f := range found {
		if i == maxFindings {
			fmt.Fprintf(&b, "%d more are not shown.\n", len(found)-i)
			break
		}
		fmt.Fprintf(&b, "%s:%d: %s: %s (%s)\n", f.Path, f.Start.Line+1, f.Severity, f.Message, f.Rule)
	}
	return b.String()
}
