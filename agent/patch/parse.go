package patch

import (
	"slices"
	"strings"

	"caselsp/agent/content"
	"caselsp/store/lazyregexp"
)

// maxText bounds the text of a patch, in bytes: three times the largest patch
// that a 10 MB file can sensibly get. More is a mistake, not an edit.
const maxText = 32 << 20

// Parse reads a text that holds unified diffs, SEARCH/REPLACE blocks or a patch
// between *** Begin Patch and *** End Patch, for one file or several; which of
// them it is shows by itself. Prose and code fences
// around them, CRLF line endings, missing line numbers and wrong counts are
// tolerated. The error is always a *Refusal with the status Malformed.
//
// Any name above a block that exists is a heading, and prose between two blocks that
// holds the name of another file makes the second one uncertain. With exists nil, the
// form of names tells, and [File.Apply] refuses fewer.
func Parse(text string, exists func(path string) bool) (*Patch, error) {
	if len(text) > maxText {
		return nil, malformed(0, "it has %d bytes, and the limit is %d. Split it, or write the whole file.", len(text), maxText)
	}
	lines, reasoning, err := withoutThoughts(patchLines(text))
	if err != nil {
		return nil, err
	}
	p, err := unwrap(lines, maxWrappings, exists)
	if err != nil && err.empty && reasoning != "" {
		return nil, malformed(0, "it holds no edit outside of <%s>, and what is within is no part of the answer. Write the edit behind </%s>.", reasoning, reasoning)
	}
	if err != nil {
		return nil, err
	}
	if p.short && !strings.HasSuffix(text, "\n") {
		return nil, malformed(0, "it ends within its last line, before the end of the edit. Write the whole edit.")
	}
	if err := p.join(); err != nil {
		return nil, err
	}
	for i := range p.Files {
		p.Files[i].seen = p.seen
	}
	return p, nil
}

func parseAs(lines []string, exists names) (*Patch, *Refusal) {
	if slices.ContainsFunc(lines, searchMarker.MatchString) {
		return parseBlocks(lines, exists)
	}
	return parseDiff(lines, exists)
}

// patchLines splits the text of a patch. A byte-order mark and carriage returns
// at line ends are an artefact of how the patch travelled: line endings are the
// file's business.
func patchLines(text string) []string {
	text = strings.TrimPrefix(text, content.ByteOrderMark)
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	last := len(lines) - 1
	lines[last] = strings.TrimSuffix(lines[last], "\r")
	if lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

// thought matches a tag around what models reason before they answer.
var thought = lazyregexp.New(`^<(/?)(think|thinking|thoughts?|reasoning|analysis|scratchpad|reflection)>`)

// withoutThoughts returns the lines with those blank that are reasoning, and the tag around it.
// A draft behind an edit is refused, and so is an edit above the end of reasoning that does not
// begin: which of them is meant is not certain. In a block, or behind a sign, a tag is text.
func withoutThoughts(lines []string) (out []string, tag string, err *Refusal) {
	edits := func(l string) bool { return isChange(l) || searchMarker.MatchString(l) }
	edit, block := false, false
	for i, next := 0, 0; i < len(lines); i++ {
		l := lines[i]
		if i < next {
			continue
		}
		m := thought.FindStringSubmatch(l)
		if m == nil || block || m[1] != "" && !edit {
			out, edit = append(out, l), edit || edits(l)
			block = searchMarker.MatchString(l) || block && !replaceMarker.MatchString(l)
			continue
		}
		end, behind := len(lines)-1, ""
		for k := i; k < len(lines) && m[1] == ""; k++ {
			if _, rest, ok := strings.Cut(lines[k], "</"+m[2]+">"); ok {
				end, behind = k, rest
				break
			}
		}
		if edit && (m[1] != "" || slices.ContainsFunc(lines[i:end+1], edits)) {
			return nil, "", malformed(0, "line %d, %q, makes an edit a part of reasoning, and another stands above it. Write only the edits that are meant.", i+1, cut(l))
		}
		out, tag, next = append(append(out, make([]string, end-i)...), behind), m[2], end+1
	}
	return out, tag, nil
}

// join makes one File of all parts that modify the same path, so that its hunks
// are applied together; those of a renamed file belong to its new name. A path that
// a patch both modifies and creates or deletes has no certain meaning.
func (p *Patch) join() *Refusal {
	var files []File
	at := map[string]int{}
	for _, f := range p.Files {
		i, seen := at[f.Path]
		switch {
		case !seen:
			at[f.Path] = len(files)
			files = append(files, f)
		case f.Op == Modify && (files[i].Op == Modify || files[i].Op == Rename):
			files[i].Hunks = append(files[i].Hunks, f.Hunks...)
			files[i].Mode = max(files[i].Mode, f.Mode)
		default:
			return malformed(0, "%s appears twice, once to %s and once to %s it. Write one or the other.", named(f.Path), files[i].Op, f.Op)
		}
	}
	for _, f := range files {
		if i, named := at[f.From]; f.Op == Rename && named && (files[i].Op == Modify || files[i].Op == Delete) {
			return malformed(0, "%s is renamed to %s, and another part is to %s it under its old name. Leave that out, or put its hunks below the rename.", f.From, f.Path, files[i].Op)
		}
	}
	p.Files = files
	return nil
}

// Name gives the part of a patch that names no file the name of the only file that the
// patch can be for.
func (p *Patch) Name(path string) {
	for i := range p.Files {
		if p.Files[i].Path != "" {
			continue
		}
		p.Files[i].Path = path
		for k := range p.Files {
			if f, other := &p.Files[i], &p.Files[k]; k != i && f.Op == Modify && other.Op == Modify && other.isCalled(path) {
				f.Hunks = append(f.Hunks, other.Hunks...)
				p.Files = append(p.Files[:k], p.Files[k+1:]...)
				return
			}
		}
		return
	}
}

func named(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}
