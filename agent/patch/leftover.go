package patch

import (
	"html"
	"path"
	"strings"

	"caselsp/store/lazyregexp"
)

// What of a text is in no hunk and names no file is prose, and prose is dropped. So it
// must not be a part of the edit that was not recognised as one: a block whose marker is
// misspelt, a file that is quoted where the others are not, an edit within a line.

// trace matches what stands in edits only, wherever a line of prose holds it.
var trace = lazyregexp.New(`(?i)` + strings.Join([]string{
	`[<-]{4,} ?(?:search|original)\b`, `[>+]{4,} ?(?:replace|updated)\b`, `^<{1,4}$|^<{5}`, // blocks
	`^\W*(?:search|replace|original|updated|before|after|old|new|find)(?:[_ ](?:str|string|text|code|with|by))?\W*$`,
	`@@ ?-\d`, `^\W*@* *-\d+(?:,\d+)? +\+\d+`, `^[^\w@]*\d*[^\w@]*@@`, `--- "?a/`, `\+\+\+ ("?b/|/dev/null$)`, `^(?:---|\+\+\+) \S+$`, `\bdiff --git `, // diffs
	`^\W*(?:rename|copy) (?:from|to) \S+$`, `^\W*(?:old|new|new file|deleted file) mode \d{6}$`,
	`\*\*\*? ?\w+ file\b.*:`, `\*\*\* ?(?:file|move to)\b`, // *** Begin Patch
	`\\n[-+][^\\]*\\n[-+]`, `"(?:search|replace|patch|diff|(?:old|new)_?(?:str|string|text)?)"\s*:`, // JSON
	`^\s*(?:[>|#]\s?)+[-+][^\s>|+-]`, // quoted changes
}, "|"))

// plainer takes off what Markdown and word processors put in the place of plain signs.
var plainer = strings.NewReplacer("−", "-", "\u00a0", " ", `\-`, "-", `\+`, "+", `\*`, "*", `\@`, "@", `\<`, "<", `\>`, ">", `\=`, "=")

// isTrace reports whether a line is a part of an edit, as it is or decoded.
func isTrace(line string) bool {
	for range maxWrappings {
		if trace.MatchString(line) {
			return true
		}
		line = plainer.Replace(html.UnescapeString(line))
	}
	return false
}

// instruction matches a line of prose that asks for an edit, and shells are the labels of fences
// that hold commands and no edits.
var (
	instruction = lazyregexp.New(`(?i)^\W*(?:(?:and|also|then|now|next|finally|please) )*(?:replace|with|add|insert|append|put|create|change|delete|remove)\b`)
	shells      = map[string]bool{"sh": true, "bash": true, "zsh": true, "shell": true, "console": true, "powershell": true}
)

// leftover refuses prose that holds a part of an edit, or the name and text of a file.
// It is given by its lines in the text.
func leftover(lines []string, prose []int) *Refusal {
	var f fences
	name, above := "", ""
	for k, i := range prose {
		l := lines[i]
		fenced := f.read(l)
		if fenced {
			l = strings.TrimLeft(strings.TrimSpace(l), "`~")
		}
		if out := codeSpan.ReplaceAllString(l, ""); len(strings.Fields(out)) >= sentence {
			l = out // a sentence about edits
		}
		switch {
		case isTrace(l), !fenced && !f.other() && isChange(strings.TrimSpace(plainer.Replace(l))):
			return malformed(0, "line %d, %q, looks like a part of an edit and is in no hunk. Write the whole edit in one format, each marker and header on a line of its own, or leave that line out.", i+1, cut(l))
		case fenced && f.open != "" && name != "" && extension.MatchString(name) && !f.diff():
			return malformed(0, "line %d, above a fence that holds no hunk, names %s. Write its text as a new file in the format of the other edits, or leave it out.", i+1, name)
		case fenced && f.open != "" && i > k && instruction.MatchString(above) && !f.diff() && !shells[f.label]:
			return malformed(0, "line %d, %q, stands above text that is in no hunk. Write that change in the format of the other edits, or leave it out.", i, cut(above))
		case strings.TrimSpace(l) != "" && !fenced:
			name, above = heading(l), l
		}
	}
	return nil
}

var (
	codeSpan  = lazyregexp.New("`[^`]*`")
	ornament  = lazyregexp.New(`^(?:[-*+•] |\d+[.)] |#+ ?|//+ ?|-- |<!-- ?|/\* ?|>+ ?|;+ ?)+`)
	remark    = lazyregexp.New(`[*_:\s]*(?:\([^()]*\)|-->|\*/)[*_:\s]*$`)
	pathLabel = lazyregexp.New(`(?i)^[*\s]*(?:file ?name|file ?path|(?:(?:update|add|edit|modify|change|create|new) )?file|path|index)\**\s*[:=]\**\s*`)
	pathShape = lazyregexp.New(`^[\w.-]+/[^<>|"'` + "`" + `]*\.\pL[\pL\pN]{0,9}$|^[^\s<>|"'` + "`" + `]*[./][^\s<>|"'` + "`" + `]*[\pL\pN_\])]$|^[A-Z]\w*file$`)
	allCaps   = lazyregexp.New(`^[A-Z]{4,}$`)
	attribute = lazyregexp.New(`\b(?:path|name|file|title)[=>]["']?([^"'<>\s]+)`)
	fileWord  = lazyregexp.New(`[\pL\pN_][\pL\pN_./\\+-]*\.\pL[\pL\pN]{0,9}|[\pL\pN_.-]+(?:/[\pL\pN_.-]+)+`)
	address   = lazyregexp.New(`\b[a-z]+://\S+`)
	someFile  = lazyregexp.New(`(?i)\bfiles?\b`)
	sameFile  = lazyregexp.New(`(?i)\b(?:same|this|the) files?\b`)
	extension = lazyregexp.New(`\.\pL[\pL\pN]{0,9}$`)
)

// heading returns the file that a line of prose names, and nothing else but what
// decorates it; "" for another.
func heading(line string) string {
	line = strings.TrimSpace(line)
	if m := fence.FindStringSubmatch(line); m != nil {
		if m := attribute.FindStringSubmatch(line); m != nil {
			return m[1]
		}
		words := strings.FieldsFunc(strings.TrimLeft(line, "`~"), func(r rune) bool { return strings.ContainsRune(" :{}", r) })
		if n := len(words); n > 0 && pathShape.MatchString(words[n-1]) && extension.MatchString(words[n-1]) {
			return words[n-1]
		}
		return ""
	}
	if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
		return name
	}
	if m := attribute.FindStringSubmatch(line); m != nil && tag.MatchString(line) {
		return m[1]
	}
	word := bareLine(line)
	bare := pathLabel.ReplaceAllString(word, "")
	labelled := len(bare) < len(word)
	bare = strings.Trim(bare, "`*\"' ")
	for len(bare) > 2 && bare[0] == '_' && bare[len(bare)-1] == '_' { // emphasis stands at both ends: _layout.html begins so itself
		bare = bare[1 : len(bare)-1]
	}
	switch {
	case bare == "":
	case labelled && !strings.ContainsAny(bare, "`<>|"), pathShape.MatchString(bare):
		return bare
	}
	return ""
}

// names reports which names are those of files; nil where that is not known.
type names func(path string) bool

// certain matches a line that is a heading, and a name that is that of a file: those of
// programs have dots as well.
var certain = lazyregexp.New("(?i)^\\s*(?:`{3}|~{3}|<|\\+\\+\\+ b/)|^[\\W\\d]*(?:file|path|index)[ *:=]|^[\\W\\d]*\\w+ file *:|" +
	`^[\w.-]+/[^<>|]*\.\pL[\pL\pN]{0,9}$|^(?:[\w.-]+/)*\w+file$|` +
	`\.(?:[chmr]|bat|c[cs]|cfg|clj|conf|cpp|css|csv|cxx|dart|erl|exs?|fish|go|gradle|h[hps]|hpp|html?|ini|java|jsx?|json5?|jl|kts?|less|lock|lua|mdx?|markdown|mk|mjs|ml|mm|php|pl|pm|proto|py|pyi|rb|rs|rst|sass|scala|scss|sh|sql|svelte|svg|swift|tf|toml|tsx?|txt|vue|xml|ya?ml|zig|zsh)$`)

// heading is that of a line, or the name of a file that the line is.
func (exists names) heading(line string) string {
	name := heading(line)
	bare := name == strings.TrimSpace(line) && (strings.Contains(name, "/") || strings.HasPrefix(name, "."))
	if name != "" && (exists == nil || bare || exists(name) || certain.MatchString(line) || certain.MatchString(name)) {
		return name
	}
	if name := bareLine(line); exists == nil && allCaps.MatchString(name) || exists != nil && name != "" && len(name) <= longestName && exists(name) {
		return name
	}
	return ""
}

// bareLine is a line of prose without what decorates it.
func bareLine(l string) string {
	return strings.Trim(remark.ReplaceAllString(ornament.ReplaceAllString(strings.TrimSpace(l), ""), ""), "`\"'*: ")
}

// mention is a file of which the prose above a hunk speaks without saying that the hunk is
// for it.
type mention struct {
	name string
	sure bool // it is a file: a name with a dot may be one of the program as well
}

// above says which file the lines of prose above a hunk name, and which of the lines
// does: the last. Where that is no heading, at is -1. Of the first hunk, only the last line mentions others: the rest introduces the edit.
func (exists names) above(lines []string, first bool) (name string, at int, others []mention) {
	last := true
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		if strings.TrimSpace(l) == "" {
			continue
		}
		found := exists.heading(l)
		switch {
		case found != "" && last:
			return found, i, nil
		case found != "":
			others = append(others, mention{found, true})
		case last || !first:
			others = append(others, exists.mentioned(l, first)...)
		}
		last = last && fence.MatchString(l)
	}
	return "", -1, others
}

// mentioned returns the files that a line of prose speaks of.
func (exists names) mentioned(line string, first bool) (all []mention) {
	line = address.ReplaceAllString(html.UnescapeString(line), " ")
	for _, word := range fileWord.FindAllString(line, -1) {
		all = append(all, mention{word, false})
	}
	if first {
		return all
	}
	words := codeSpan.FindAllString(line, -1)
	for i := range words {
		words[i] = strings.Trim(words[i], "`")
	}
	for _, word := range append(words, strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t`\"'*,;()[]{}<>|", r) })...) {
		if word = strings.TrimRight(word, ".:!?"); exists != nil && word != "" && len(word) <= longestName && exists(word) {
			all = append(all, mention{word, true})
		}
	}
	if someFile.MatchString(line) && !sameFile.MatchString(line) {
		all = append(all, mention{"another file", true})
	}
	return all
}

// misplaced refuses a hunk below prose that speaks of another file than its own. What is
// not certain to be one is where it has a folder, or the beginning or the ending of the
// file's own name.
func (f *File) misplaced() *Refusal {
	stem := func(name string) string { name, _, _ = strings.Cut(path.Base(name), "."); return name }
	for i := range f.Hunks {
		for _, m := range f.Hunks[i].above {
			other := m.sure || strings.EqualFold(path.Ext(m.name), path.Ext(f.Path)) || strings.Contains(m.name, "/") || stem(m.name) == stem(f.Path)
			if other && !f.isCalled(m.name) || m.sure && strings.TrimPrefix(m.name, "./") != f.Path {
				return malformed(i+1, "hunk %d, of %s, stands below a line that speaks of %s. Put the name of its file on a line of its own above it, in backticks.", i+1, named(f.Path), m.name)
			}
		}
	}
	return nil
}

// isCalled reports whether a name is that of the file, or its end.
func (f *File) isCalled(name string) bool {
	name = strings.TrimPrefix(name, "./")
	return strings.HasSuffix("/"+f.Path, "/"+name) || strings.HasSuffix("/"+name, "/"+f.Path) || f.From != "" && strings.HasSuffix("/"+f.From, "/"+name)
}
