package patch

import (
	"html"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// What of a text is in no hunk and names no file is prose, and prose is dropped. So it
// must not be a part of the edit that was not recognised as one: a block whose marker is
// misspelt, a file that is quoted where the others are not, an edit within a line.

// trace matches what stands in edits only, wherever a line of prose holds it.
var trace = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`[<-]{4,} ?(?:search|original)\b`, `[>+]{4,} ?(?:replace|updated)\b`, `^<{1,4}$|^<{5}`, // blocks
	`^\W*(?:search|replace|original|updated|before|after|old|new)(?:[_ ](?:str|string|text|code))?\W*$`,
	`@@ ?-\d`, `^\W*@* *-\d+(?:,\d+)? +\+\d+`, `^[^\w@]*@@`, `--- "?a/`, `\+\+\+ ("?b/|/dev/null$)`, `^(?:---|\+\+\+) \S+$`, `\bdiff --git `, // diffs
	`^\W*(?:rename|copy) (?:from|to) \S+$`, `^\W*(?:old|new|new file|deleted file) mode \d{6}$`,
	`\*\*\*? ?\w+ file\b.*:`, `\*\*\* ?(?:file|move to)\b`, // *** Begin Patch
	`\\n[-+][^\\]*\\n[-+]`, `"(?:search|replace|patch|diff|(?:old|new)_?(?:str|string|text)?)"\s*:`, // JSON
	`^\s*(?:[>|#]\s?)+[-+][^\s>|+-]`, // quoted changes
}, "|"))

// isTrace reports whether a line is a part of an edit, as it is or decoded.
func isTrace(line string) bool {
	for range maxWrappings {
		if trace.MatchString(line) {
			return true
		}
		if as, err := url.PathUnescape(line); err == nil && (strings.Contains(line, "%0A") || strings.Contains(line, "%20")) {
			line = as
		}
		line = strings.ReplaceAll(html.UnescapeString(line), "−", "-")
	}
	return false
}

// leftover refuses prose that holds a part of an edit, or the name and text of a file.
// It is given by its lines in the text.
func leftover(lines []string, prose []int) *Refusal {
	var f fences
	name := ""
	for _, i := range prose {
		l := lines[i]
		fenced := f.read(l)
		if fenced {
			l = strings.TrimLeft(strings.TrimSpace(l), "`~")
		}
		if out := codeSpan.ReplaceAllString(l, ""); len(strings.Fields(out)) >= sentence {
			l = out // a sentence about edits
		}
		switch {
		case isTrace(l), !fenced && !f.other() && isChange(strings.TrimSpace(l)):
			return malformed(0, "line %d, %q, looks like a part of an edit and is in no hunk. Write the whole edit in one format, each marker and header on a line of its own, or leave that line out.", i+1, cut(l))
		case fenced && f.open != "" && name != "" && extension.MatchString(name) && !f.diff():
			return malformed(0, "line %d, above a fence that holds no hunk, names %s. Write its text as a new file in the format of the other edits, or leave it out.", i+1, name)
		case strings.TrimSpace(l) != "" && !fenced:
			name = heading(l)
		}
	}
	return nil
}

var (
	codeSpan  = regexp.MustCompile("`[^`]*`")
	ornament  = regexp.MustCompile("^(?:[-*+•] |\\d+[.)] |#+ ?|//+ ?|-- |<!-- ?|/\\* ?|>+ ?|;+ ?)+")
	remark    = regexp.MustCompile(`[*_:\s]*(?:\([^()]*\)|-->|\*/)[*_:\s]*$`)
	pathLabel = regexp.MustCompile(`(?i)^[*\s]*(?:file ?name|file ?path|(?:(?:update|add|edit|modify|change|create|new) )?file|path|index)\**\s*[:=]\**\s*`)
	pathShape = regexp.MustCompile(`^[^\s<>|"'` + "`" + `]*[./][^\s<>|"'` + "`" + `]*[\pL\pN_\])]$|^[A-Z]\w*file$|^[A-Z]{4,}$`)
	attribute = regexp.MustCompile(`\b(?:path|name|file|title)=["']?([^"'>\s]+)`)
	quoted    = regexp.MustCompile("^[*_]*[`\"']([^`\"'*<>|]+)[`\"'][*_]*$")
	fileWord  = regexp.MustCompile(`[\pL\pN_][\pL\pN_./\\+-]*\.\pL[\pL\pN]{0,9}|[\pL\pN_.-]+(?:/[\pL\pN_.-]+)+`)
	someFile  = regexp.MustCompile(`(?i)\bfiles?\b`)
	sameFile  = regexp.MustCompile(`(?i)\b(?:same|this|the) files?\b`)
	extension = regexp.MustCompile(`\.\pL[\pL\pN]{0,9}$`)
)

// heading returns the file that a line of prose names, and nothing else but what
// decorates it; "" for another.
func heading(line string) string {
	line = strings.TrimSpace(line)
	if m := fence.FindStringSubmatch(line); m != nil {
		words := strings.FieldsFunc(strings.TrimLeft(line, "`~"), func(r rune) bool { return strings.ContainsRune(" :{}", r) })
		if m := attribute.FindStringSubmatch(line); m != nil {
			return m[1]
		}
		if n := len(words); n > 0 && pathShape.MatchString(words[n-1]) && extension.MatchString(words[n-1]) {
			return words[n-1]
		}
		return ""
	}
	if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
		return name
	}
	if m := attribute.FindStringSubmatch(line); m != nil && line[0] == '<' {
		return m[1]
	}
	bare := remark.ReplaceAllString(strings.TrimSpace(ornament.ReplaceAllString(line, "")), "")
	word := strings.TrimRight(bare, ": *")
	bare = pathLabel.ReplaceAllString(word, "")
	labelled := len(bare) < len(word)
	if m := quoted.FindStringSubmatch(bare); m != nil {
		bare, labelled = m[1], true
	}
	switch bare = strings.Trim(bare, "`*_\"' "); {
	case bare == "":
	case labelled && !strings.ContainsAny(bare, "`<>|"), pathShape.MatchString(bare):
		return bare
	}
	return ""
}

// fileAbove says which file the lines of prose above a hunk name, and which of the lines
// does: the nearest that is a heading. Where none is, or several above the last line, at is
// -1 and rest are the lines that may speak of another file: of the first hunk, only the last.
func fileAbove(lines []string, first bool) (name string, at int, rest []string) {
	last := true
	at = -1
	var names []string
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		if strings.TrimSpace(l) == "" {
			continue
		}
		name := heading(l)
		switch {
		case name != "" && (last || fence.MatchString(l)):
			return name, i, nil
		case name != "" && !slices.Contains(names, name):
			names, at = append(names, name), i
			fallthrough
		case last || !first:
			rest = append(rest, l)
		}
		last = last && fence.MatchString(l)
	}
	if len(names) == 1 {
		return names[0], at, nil
	}
	return "", -1, rest
}

// misplaced refuses a hunk below prose that speaks of another file than its own. A name
// with a dot may be one of the program as well: it is one of a file where it has a folder,
// or the beginning or the ending of the file's own.
func (f *File) misplaced() *Refusal {
	stem := func(name string) string { name, _, _ = strings.Cut(path.Base(name), "."); return name }
	return f.speaksOf(func(l string) string {
		for _, m := range fileWord.FindAllString(html.UnescapeString(l), -1) {
			if strings.EqualFold(path.Ext(m), path.Ext(f.Path)) || strings.Contains(m, "/") || stem(m) == stem(f.Path) {
				if !f.isCalled(m) {
					return m
				}
			}
		}
		if i := len(f.Hunks); i > 1 && someFile.MatchString(l) && !sameFile.MatchString(l) {
			return "another file"
		}
		return ""
	})
}

// Elsewhere refuses a hunk below prose in which a word, or a line, is the name of another
// file that exists. The paths are as the patch has them.
func (f *File) Elsewhere(exists func(path string) bool) error {
	r := f.speaksOf(func(l string) string {
		words := strings.FieldsFunc(l, func(r rune) bool { return strings.ContainsRune(" \t`\"'*,;()[]{}<>|", r) })
		bare := strings.Trim(remark.ReplaceAllString(ornament.ReplaceAllString(strings.TrimSpace(l), ""), ""), "`\"'*: ")
		for _, word := range append(words, bare) {
			if word = strings.TrimRight(word, ".:!?"); word != "" && len(word) <= longestName && !f.isCalled(word) && exists(word) {
				return word
			}
		}
		return ""
	})
	if r == nil {
		return nil
	}
	return r
}

// isCalled reports whether a name is that of the file, or its end.
func (f *File) isCalled(name string) bool {
	name = strings.TrimPrefix(name, "./")
	return strings.HasSuffix("/"+f.Path, "/"+name) || strings.HasSuffix("/"+name, "/"+f.Path) || f.From != "" && strings.HasSuffix("/"+f.From, "/"+name)
}

// speaksOf refuses a hunk with a line of prose above it that names another file.
func (f *File) speaksOf(other func(line string) string) *Refusal {
	for i := range f.Hunks {
		for _, l := range f.Hunks[i].above {
			if name := other(l); name != "" {
				return malformed(i+1, "hunk %d, of %s, stands below a line that speaks of %s. Put the name of its file on a line of its own above it, in backticks.", i+1, named(f.Path), name)
			}
		}
	}
	return nil
}
