package patch

import (
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
	`[<-]{4,} ?(?:search|original)\b`, `[>+]{4,} ?(?:replace|updated)\b`, `^\W*(?:search|replace)\W*$`, // blocks
	`@@ ?-\d`, `^\W*@* *-\d+(?:,\d+)? +\+\d+`, `--- "?a/`, `\+\+\+ ("?b/|/dev/null$)`, `^(?:---|\+\+\+) \S+$`, `\bdiff --git `, `^[^\w@]*@@`, // diffs
	`^\W*(?:rename|copy) (?:from|to) \S+$`, `^\W*(?:old|new|new file|deleted file) mode \d{6}$`,
	`\*\* ?(?:(?:add|update|delete|rename) file|move to)\b`, `\*\*\* ?file\b`, // *** Begin Patch
	`\\n[-+][^\\]*\\n[-+]`, `"(?:search|replace|patch|diff|(?:old|new)_?(?:str|string|text)?)"\s*:`, // JSON
	`^\s*(?:[>|#]\s?)+[-+][^\s>|+-]`, `^<{1,4}$|^<{5}`, // quoted changes, the marker of a block that is cut off
}, "|"))

// leftover refuses prose that holds a part of an edit. It is given by its lines in the text.
func leftover(lines []string, prose []int) *Refusal {
	var f fences
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
		case trace.MatchString(plainEntities.Replace(l)), !fenced && !f.other() && isChange(strings.TrimSpace(l)):
			return malformed(0, "line %d, %q, looks like a part of an edit and is in no hunk. Write the whole edit in one format, each marker and header on a line of its own, or leave that line out.", i+1, cut(l))
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
	quoted    = regexp.MustCompile("^[`\"'*_]+([^`\"'*<>|]+)[`\"'*_]+$")
	bareWord  = regexp.MustCompile(`^[.+-]*\w[\w.+-]*$`)
	extension = regexp.MustCompile(`\.\pL[\pL\pN]{0,9}$`)
)

// heading returns the file that a line of prose names, and nothing else but what
// decorates it; "" for another. What is directly above a hunk may be any word.
func heading(line string, above bool) string {
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
	case above && bareWord.MatchString(bare) && !strings.HasSuffix(line, ":"):
		return bare
	}
	return ""
}

// fileAbove says which file the lines of prose above a hunk name, and which of the lines
// does: the nearest that is a heading. Where none is, or several above the last line, they
// only mention files, and at is -1.
func fileAbove(lines []string, first bool) (name string, at int, mentions []string) {
	last := true
	at = -1
	var names []string
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		if strings.TrimSpace(l) == "" {
			continue
		}
		name := heading(l, last)
		switch {
		case name != "" && (last || fence.MatchString(l)):
			return name, i, nil
		case name != "" && !slices.Contains(names, name):
			names, at = append(names, name), i
		case last || !first:
			mentions = append(mentions, mentioned(l)...)
		}
		last = last && fence.MatchString(l)
	}
	if len(names) == 1 {
		return names[0], at, nil
	}
	return "", -1, append(mentions, names...)
}

// mentioned returns the words of a line that look like names of files.
func mentioned(line string) (names []string) {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t`\"'*,()[]<>|", r) }) {
		if word = strings.TrimRight(word, ".:;!?"); extension.MatchString(word) && !strings.Contains(word, "://") {
			names = append(names, word)
		}
	}
	return names
}

// misplaced refuses a hunk below prose that speaks of another file than its own. A name
// with a dot may be one of the program as well: it is one of a file where it has a folder,
// or the beginning or the ending of the file's own.
func (f *File) misplaced() *Refusal {
	stem := func(name string) string { name, _, _ = strings.Cut(path.Base(name), "."); return name }
	for i := range f.Hunks {
		for _, m := range f.Hunks[i].mentions {
			other := path.Ext(m) == path.Ext(f.Path) || strings.Contains(m, "/") || stem(m) == stem(f.Path)
			if other && !strings.HasSuffix("/"+f.Path, "/"+strings.TrimPrefix(m, "./")) && !strings.HasSuffix("/"+m, "/"+f.Path) {
				return malformed(i+1, "hunk %d, of %s, stands below a line that speaks of %s. Put the name of its file alone on the line above it.", i+1, named(f.Path), m)
			}
		}
	}
	return nil
}
