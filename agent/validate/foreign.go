package validate

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// Suppression comments of other tools. A project that has looked at a finding and
// said so to Ruff or ESLint need not say it again: a comment that names a rule
// suppresses those of ours that have this name among their aliases, and one that
// names none suppresses what the tool would have judged.

// reach is what a comment covers.
type reach int

const (
	thisLine  reach = iota // the lines of the comment, or the next one if nothing else is on them
	onLine                 // the lines of the comment
	nextLine               // the line after it
	wholeFile              // every line
	fromHere               // every line after it, up to a comment that ends it
	block                  // the lines after it that are indented as deep, if it has a line of its own
)

// foreignForm is one form of a comment of other tools.
type foreignForm struct {
	comment *lazyregexp.Regexp // its first group holds the names, if any
	tools   []Tool             // whose names they are
	reach   reach
	bare    []Category         // what it suppresses if it names nothing; nil: nothing
	name    *lazyregexp.Regexp // what a name looks like; anything else ends the list
	named   func(Aliases, string) bool
}

var (
	words     = lazyregexp.New(`^[@A-Za-z][\w@/.-]*$`)
	codes     = lazyregexp.New(`^[A-Z]+\d+$`)
	security  = []Category{Safety, Secrets}
	anything  = Categories
	scripting = []Category{Scripts, Performance, Safety, Integrity, Accessibility}
)

// foreignForms are the comments that are understood. The first one that fits a
// comment counts; forms that are more special come first.
var foreignForms = []foreignForm{
	// Python: Ruff and Flake8, Bandit, pylint.
	{comment: lazyregexp.New(`(?i)^(?:ruff|flake8)[:=]\s*noqa(?:\s*:\s*(.*))?`), tools: []Tool{Ruff, Bandit}, reach: wholeFile, bare: anything, name: codes},
	{comment: lazyregexp.New(`(?i)(?:^|[\s#])noqa\b(?:\s*:\s*(.*))?`), tools: []Tool{Ruff, Bandit}, reach: onLine, bare: anything, name: codes},
	{comment: lazyregexp.New(`(?:^|\s)pylint:\s*disable-next\s*=\s*(.*)`), tools: []Tool{Pylint}, reach: nextLine, name: words},
	{comment: lazyregexp.New(`(?:^|\s)pylint:\s*disable\s*=\s*(.*)`), tools: []Tool{Pylint}, reach: block, name: words},
	// Bandit and gosec share the word.
	{comment: lazyregexp.New(`(?:^|[\s#/])nosec\b:?\s*(.*)`), tools: []Tool{Bandit, Gosec}, reach: onLine, bare: security, name: codes},
	{comment: lazyregexp.New(`^gosec:disable\b\s*(.*)`), tools: []Tool{Gosec}, reach: thisLine, bare: security, name: codes},
	// golangci-lint names linters, not rules.
	{comment: lazyregexp.New(`^nolint\b(?::\s*([\w, -]*))?`), reach: thisLine, bare: anything, name: words,
		named: func(a Aliases, linter string) bool { return linter == "all" || linter == "gosec" && len(a[Gosec]) > 0 }},
	// JavaScript and TypeScript.
	{comment: lazyregexp.New(`^eslint-disable-next-line\b\s*(.*)`), tools: []Tool{ESLint}, reach: nextLine, bare: scripting, name: words},
	{comment: lazyregexp.New(`^eslint-disable-line\b\s*(.*)`), tools: []Tool{ESLint}, reach: onLine, bare: scripting, name: words},
	{comment: lazyregexp.New(`^eslint-disable\b\s*(.*)`), tools: []Tool{ESLint}, reach: fromHere, bare: scripting, name: words},
	{comment: lazyregexp.New(`^biome-ignore-all\s+lint(?:/\w+/(\w+))?`), tools: []Tool{Biome}, reach: wholeFile, bare: anything, name: words},
	{comment: lazyregexp.New(`^biome-ignore\s+lint(?:/\w+/(\w+))?`), tools: []Tool{Biome}, reach: nextLine, bare: anything, name: words},
	// Style sheets.
	{comment: lazyregexp.New(`^stylelint-disable-next-line\b\s*(.*)`), tools: []Tool{Stylelint}, reach: nextLine, bare: []Category{Styles}, name: words},
	{comment: lazyregexp.New(`^stylelint-disable-line\b\s*(.*)`), tools: []Tool{Stylelint}, reach: onLine, bare: []Category{Styles}, name: words},
	{comment: lazyregexp.New(`^stylelint-disable\b\s*(.*)`), tools: []Tool{Stylelint}, reach: fromHere, bare: []Category{Styles}, name: words},
	// Pages.
	{comment: lazyregexp.New(`^\[html-validate-disable-next\s+([^\]]*)`), tools: []Tool{HTMLValidate}, reach: nextLine, name: words},
	{comment: lazyregexp.New(`^\[html-validate-disable(?:-block)?\s+([^\]]*)`), tools: []Tool{HTMLValidate}, reach: fromHere, name: words},
	// Any language.
	{comment: lazyregexp.New(`(?:^|[\s#/])nosemgrep\b`), reach: thisLine, bare: security},
	{comment: lazyregexp.New(`(?:^|[\s#/])NOSONAR\b`), reach: onLine, bare: anything},
	{comment: lazyregexp.New(`(?:^|[\s#/])gitleaks:allow\b|(?:^|[\s#/])trufflehog:ignore\b|pragma: allowlist secret\b`), reach: onLine, bare: security},
	{comment: lazyregexp.New(`pragma: allowlist nextline secret\b`), reach: nextLine, bare: security},
}

// ends are the comments that end a [fromHere].
var ends = lazyregexp.New(`^(?:\[html-validate-enable|eslint-enable\b|stylelint-enable\b)`)

// heeded is the effect of one comment of another tool.
type heeded struct {
	form        *foreignForm
	names       []string // none: form.bare
	first, last int      // lines
}

// covers reports whether the comment suppresses a finding of a rule.
func (h heeded) covers(x Finding, r *Rule) bool {
	if (x.Start.Line < h.first || x.Start.Line > h.last) && (x.End.Line < h.first || x.End.Line > h.last) {
		return false
	}
	if len(h.names) == 0 {
		return slices.Contains(h.form.bare, r.Category)
	}
	return slices.ContainsFunc(h.names, func(name string) bool {
		if h.form.named != nil {
			return h.form.named(r.Aliases, name)
		}
		return slices.ContainsFunc(h.form.tools, func(t Tool) bool { return r.Aliases.names(t, name) })
	})
}

// heeds reads the comments of other tools in a file.
func (f *File) heeds() []heeded {
	comments := f.Tree.Comments()
	if f.Lang == syntax.Unknown {
		comments = lineComments(f.Text)
	}
	lines := strings.Split(f.Text, "\n")
	var list []heeded
	for i, c := range comments {
		text := strings.TrimSpace(c.Text)
		// A comment may say several things: `# noqa: S101  # nosec`.
		for part := range strings.SplitSeq(text, "# ") {
			form, rest := foreignOf(strings.TrimSpace(part))
			if form == nil {
				continue
			}
			h := heeded{form: form, names: form.list(rest)}
			if len(h.names) == 0 && form.bare == nil {
				continue
			}
			h.first, h.last = form.lines(c, comments[i+1:], lines)
			list = append(list, h)
		}
	}
	return list
}

func foreignOf(text string) (*foreignForm, string) {
	for i := range foreignForms {
		if m := foreignForms[i].comment.FindStringSubmatch(text); m != nil {
			if len(m) > 1 {
				return &foreignForms[i], m[1]
			}
			return &foreignForms[i], ""
		}
	}
	return nil, ""
}

// list takes the names out of what follows a comment's keyword: a reason follows
// them, usually after two hyphens.
func (form *foreignForm) list(rest string) []string {
	rest, _, _ = strings.Cut(rest, "--")
	var names []string
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if form.name == nil || !form.name.MatchString(word) {
			break
		}
		names = append(names, word)
	}
	return names
}

// lines returns the first and the last line that a comment covers.
func (form *foreignForm) lines(c syntax.Comment, later []syntax.Comment, lines []string) (first, last int) {
	alone := c.Start.Line < len(lines) && strings.TrimSpace(lines[c.Start.Line][:min(c.Start.Byte, len(lines[c.Start.Line]))]) == ""
	end := len(lines)
	switch form.reach {
	case nextLine:
		return c.End.Line + 1, c.End.Line + 1
	case wholeFile:
		return 0, end
	case fromHere:
		for _, l := range later {
			if ends.MatchString(strings.TrimSpace(l.Text)) {
				return c.Start.Line, l.Start.Line
			}
		}
		return c.Start.Line, end
	case block:
		if alone {
			return c.Start.Line, blockEnd(lines, c)
		}
	case thisLine:
		if alone {
			return c.Start.Line, c.End.Line + 1
		}
	}
	return c.Start.Line, c.End.Line
}

// blockEnd returns the last line of the block that a comment with a line of its
// own stands in: the one before the next with less indentation.
func blockEnd(lines []string, c syntax.Comment) int {
	for i := c.End.Line + 1; i < len(lines); i++ {
		if text := strings.TrimLeft(lines[i], " \t"); strings.TrimSpace(text) != "" && len(lines[i])-len(text) < c.Start.Byte {
			return i - 1
		}
	}
	return len(lines)
}

// lineComments takes each line of a text without a grammar for a comment that
// begins where its first mark does.
func lineComments(text string) []syntax.Comment {
	var list []syntax.Comment
	offset := 0
	for i, line := range strings.Split(text, "\n") {
		if at := strings.IndexAny(line, "#;/"); at >= 0 {
			list = append(list, syntax.Comment{
				Text:  strings.TrimLeft(line[at:], "#;/ "),
				Start: syntax.Position{Offset: offset + at, Line: i, Byte: at}, End: syntax.Position{Offset: offset + len(line), Line: i, Byte: len(line)},
			})
		}
		offset += len(line) + 1
	}
	return list
}
