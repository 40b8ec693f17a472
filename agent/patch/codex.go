package patch

import (
	"slices"
	"strconv"
	"strings"

	"caselsp/store/lazyregexp"
)

// directive recognises the lines that structure a patch of the *** Begin Patch
// format. In a body a line of text always has a mark before it, so only what
// begins a line counts there.
var directive = lazyregexp.New(`(?i)^\*\*\* ?(?:(begin|end) patch|(add|update|delete) file: *(.*?)|(move) to: *(.*?)|(end of file))[ *]*$`)

// diffStart matches a line that only a unified diff has.
var diffStart = lazyregexp.New(`^(@@ -\d|diff --git )`)

// order returns what a line directs, in lower case ("" for a line that is no
// directive), and the path that it names.
func order(line string) (verb, path string) {
	m := directive.FindStringSubmatch(line)
	if m == nil {
		return "", ""
	}
	return strings.ToLower(m[1] + m[2] + m[4] + m[6]), strings.Trim(m[3]+m[5], "`\"' ")
}

// order is that of a line in a patch of this format; "" in others.
func (r *reader) order(line string) (verb, path string) {
	if !r.codex {
		return "", ""
	}
	return order(line)
}

// isCodex reports whether a text is a patch of this format. Between its two
// outer lines a model may as well have written a unified diff, which names its
// files itself.
func isCodex(lines []string) bool {
	outer, diff := false, false
	for i, l := range lines {
		begin, _ := order(strings.TrimSpace(l))
		_, path := order(l)
		switch {
		case path != "":
			return true
		case begin == "begin":
			outer = true
		case diffStart.MatchString(l), fileHeaderAt(lines, i, false):
			diff = true
		}
	}
	return outer && !diff
}

// directive reads a line that structures the patch.
func (r *reader) directive(verb, path string) *Refusal {
	switch {
	case verb == "move":
		return r.move(path)
	case path != "":
		r.file(map[string]Op{"add": Create, "update": Modify, "delete": Delete}[verb], "", path)
		return r.afterName()
	case verb == "add" || verb == "update" || verb == "delete":
		return malformed(0, "line %d names no file.", r.i+1)
	case verb == "begin" || verb == "end":
		r.inFile, r.begun = false, verb == "begin"
	}
	r.i++
	return nil
}

// truncation matches what stands where a text was cut off.
var truncation = lazyregexp.New(`(?i)^\s*(?:\.{3}|…)|\b(?:truncated|continued)\b`)

// unended looks at the last hunk of a patch without *** End Patch: whether it was cut off shows
// by less context below its changes than above them.
func (r *reader) unended() *Refusal {
	f := r.last()
	if len(f.Hunks) == 0 {
		return nil
	}
	h := &f.Hunks[len(f.Hunks)-1]
	if f.Op == Create || !h.changes() {
		return malformed(len(f.Hunks), "it has no *** End Patch and may be cut off within %s. Write the whole edit.", f.Path)
	}
	above := slices.IndexFunc(h.Lines, func(l Line) bool { return l.Kind != Context })
	h.cutOff = slices.ContainsFunc(r.prose, func(i int) bool { return truncation.MatchString(r.lines[i]) }) || h.trailing() < max(1, min(above, fullContext))
	return nil
}

// move reads "*** Move to:", which stands directly below "*** Update File:".
func (r *reader) move(path string) *Refusal {
	if !r.inFile || r.last().Op != Modify || len(r.last().Hunks) > 0 || path == "" {
		return malformed(0, "line %d: *** Move to: path belongs directly below *** Update File: path.", r.i+1)
	}
	if f := r.last(); f.Path != path {
		f.Op, f.From, f.Path = Rename, f.Path, path
	}
	return r.afterName()
}

// afterName reads on after the line at r.i, which named a file: the first hunk
// needs no @@.
func (r *reader) afterName() *Refusal {
	f := r.last()
	r.i++
	for f.Op != Delete && r.i < len(r.lines) && r.lines[r.i] == "" {
		r.i++
	}
	switch {
	case r.i == len(r.lines):
	case f.Op == Create:
		return r.readNew(f)
	case isBody(r.lines[r.i]): // of a deletion: the lines that it is to remove
		return r.readHunk(false)
	}
	r.inFile = f.Op != Delete
	return nil
}

// readNew reads the lines of a new file: each has its "+", except for blank ones,
// whose mark models drop.
func (r *reader) readNew(f *File) *Refusal {
	if strings.Trim(r.lines[r.i], "@ ") == "" {
		r.i++
	}
	start := r.i
	var h Hunk
	if err := r.readBody(&h, counts{-1, -1}, 1); err != nil {
		return err
	}
	for i := range h.Lines {
		if l := &h.Lines[i]; l.Kind == Removed || l.Kind == Context && strings.TrimSpace(l.Text) != "" {
			return malformed(1, "line %d belongs to the new file %s and does not begin with +.", start+i+1, f.Path)
		}
		h.Lines[i].Kind = Added
	}
	if len(h.tail) > 0 {
		return malformed(1, "line %d belongs to the new file %s and does not begin with +.", start+len(h.Lines)+1, f.Path)
	}
	if len(h.Lines) > 0 {
		f.Hunks = append(f.Hunks, h)
	}
	return nil
}

// readAnchors reads the lines with @@ above a hunk.
func (r *reader) readAnchors(h *Hunk) {
	for ; r.i < len(r.lines); r.i++ {
		line := r.lines[r.i]
		if line == "" {
			continue // between anchors, or a first context line that says nothing
		}
		if !strings.HasPrefix(line, "@@") {
			return
		}
		if m := ranges.FindStringSubmatch(line); m != nil { // a unified diff's header: models mix them up
			h.Line, _ = strconv.Atoi(m[1])
			line = m[5]
		}
		line = strings.TrimSpace(strings.TrimPrefix(line, "@@"))
		if anchor := strings.TrimSpace(strings.TrimSuffix(line, "@@")); anchor != "" {
			h.Anchors = append(h.Anchors, anchor)
		}
	}
}
