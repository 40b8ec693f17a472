package patch

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// directive recognises the lines that structure a patch of the *** Begin Patch
// format. In a body a line of text always has a mark before it, so only what
// begins a line counts there.
var directive = regexp.MustCompile(`(?i)^\*\*\* ?(?:(begin|end) patch|(add|update|delete) file: *(.*?)|(move) to: *(.*?)|(end of file))[ *]*$`)

// order returns what a line directs, in lower case ("" for a line that is no
// directive), and the path that it names.
func order(line string) (verb, path string) {
	m := directive.FindStringSubmatch(line)
	if m == nil {
		return "", ""
	}
	return strings.ToLower(m[1] + m[2] + m[4] + m[6]), strings.Trim(m[3]+m[5], "`\"' ")
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

// codex reads a patch of the format line by line.
type codex struct {
	lines  []string
	i      int
	patch  *Patch
	inFile bool // between a "*** ... File:" line and the end of the patch
	begun  bool // a *** Begin Patch has no *** End Patch yet
	fences
}

func parseCodex(lines []string) (*Patch, *Refusal) {
	// The marker at the end is meant as one, blanks before it or not.
	last := len(lines) - 1
	for last > 0 && strings.TrimSpace(lines[last]) == "" {
		last--
	}
	verb, _ := order(strings.TrimSpace(lines[last]))
	ended := verb == "end"
	if ended {
		lines = lines[:last]
	}
	r := &codex{lines: lines, patch: &Patch{}}
	for r.i < len(lines) {
		if err := r.next(); err != nil {
			return nil, err
		}
	}
	if len(r.patch.Files) == 0 {
		return nil, unseen("it names no file. Each file begins with *** Update File: path, *** Add File: path or *** Delete File: path.")
	}
	for _, f := range r.patch.Files {
		if f.Op == Modify && len(f.Hunks) == 0 {
			return nil, unseen("it names %s but holds no change of it.", named(f.Path))
		}
	}
	r.patch.open = r.open != "" && !ended && (r.begun || strings.HasPrefix(lines[len(lines)-1], "+"))
	return r.patch, nil
}

// next reads the directive, hunk or line of prose at r.i.
func (r *codex) next() *Refusal {
	line := r.lines[r.i]
	verb, path := order(strings.TrimSpace(line)) // no body is read here
	switch {
	case verb == "move":
		return r.move(path)
	case path != "":
		r.file(map[string]Op{"add": Create, "update": Modify, "delete": Delete}[verb], path)
		return r.afterName()
	case verb == "add" || verb == "update" || verb == "delete":
		return malformed(0, "line %d names no file.", r.i+1)
	case verb == "begin" || verb == "end":
		r.inFile, r.begun = false, verb == "begin"
	case r.inFile && strings.HasPrefix(line, "@@"):
		return r.readHunk()
	case strings.HasPrefix(line, "@@") && len(r.patch.Files) == 0:
		r.file(Modify, "")
		return r.readHunk()
	case r.fences.read(line):
		r.inFile = r.inFile && r.open != ""
	case r.inFile && isBody(line):
		return malformed(r.number(), "line %d is in no hunk. Put a line @@ before it.", r.i+1)
	case !r.inFile && isChange(line) && !r.other() && len(r.patch.Files) > 0:
		return stray(r.i, line)
	case !r.inFile && diffStart.MatchString(line):
		return malformed(0, "it mixes a *** Begin Patch with a unified diff. Write all edits in one of the two formats.")
	}
	r.i++
	return nil
}

func (r *codex) file(op Op, path string) {
	r.patch.Files = append(r.patch.Files, File{Op: op, Path: path})
	r.inFile = true
}

func (r *codex) last() *File { return &r.patch.Files[len(r.patch.Files)-1] }

// number counts the hunk being read within its file, for messages.
func (r *codex) number() int { return len(r.last().Hunks) + 1 }

// move reads "*** Move to:", which stands directly below "*** Update File:".
func (r *codex) move(path string) *Refusal {
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
func (r *codex) afterName() *Refusal {
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
		return r.readHunk()
	}
	r.inFile = f.Op != Delete
	return nil
}

// readNew reads the lines of a new file: each has its "+", except for blank ones,
// whose mark models drop.
func (r *codex) readNew(f *File) *Refusal {
	if strings.Trim(r.lines[r.i], "@ ") == "" {
		r.i++
	}
	start := r.i
	end, err := r.bodyEnd(start, 1)
	if err != nil {
		return err
	}
	r.i = end
	marked := end
	for marked > start && !strings.HasPrefix(r.lines[marked-1], "+") {
		marked--
	}
	var h Hunk
	for i := start; i < end; i++ {
		text, ok := strings.CutPrefix(r.lines[i], "+")
		blank := strings.TrimSpace(text) == ""
		switch {
		case ok || blank && i < marked:
			h.Lines = append(h.Lines, Line{Added, text})
		case isNoNewline(text):
			h.NewOpen = true
		case !blank && !r.prose(i, marked):
			return malformed(1, "line %d belongs to the new file %s and does not begin with +.", i+1, f.Path)
		}
	}
	if len(h.Lines) > 0 {
		f.Hunks = append(f.Hunks, h)
	}
	return nil
}

// prose reports whether line i is what a model says after a patch that it did
// not end: marked, the line after the last that has a mark, is blank.
func (r *codex) prose(i, marked int) bool { return i > marked && r.lines[marked] == "" }

// readHunk reads the anchors and the body of one hunk into the last file.
func (r *codex) readHunk() *Refusal {
	var h Hunk
	for ; r.i < len(r.lines); r.i++ {
		line := r.lines[r.i]
		if line == "" {
			continue // between anchors, or a first context line that says nothing
		}
		if !strings.HasPrefix(line, "@@") {
			break
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
	number, start := r.number(), r.i
	end, err := r.bodyEnd(start, number)
	if err != nil {
		return err
	}
	r.i = end
	for end > start && !isBody(r.lines[end-1]) { // prose, or blank context that lost its blank
		end--
	}
	for _, l := range r.lines[start:end] {
		h.put(l)
	}
	h.tail = adjoining(r.lines[end:r.i])
	switch {
	case len(h.Lines) > 0:
	case len(h.Anchors) > 0:
		return malformed(number, "hunk %d of %s has no lines.", number, named(r.last().Path))
	default:
		r.last().notes = append(r.last().notes, fmt.Sprintf("Line %d was passed over: no hunk follows it.", start))
		return nil
	}
	if r.i < len(r.lines) {
		if verb, _ := order(r.lines[r.i]); verb == "end of file" {
			h.AtEnd = true
			r.i++
		}
	}
	r.last().Hunks = append(r.last().Hunks, h)
	return nil
}

// bodyEnd finds the line after the body that begins at start: a directive, the
// next @@, the closing fence or the end of the text.
func (r *codex) bodyEnd(start, number int) (int, *Refusal) {
	for i := start; i < len(r.lines); i++ {
		if r.stops(i) {
			return i, nil
		}
		if yes, sure := r.ends(r.lines, i, r.stops); yes || !sure {
			if !sure {
				return i, uncertain(i+1, number)
			}
			return i, nil
		}
	}
	return len(r.lines), nil
}

// stops reports whether no body goes on at line i.
func (r *codex) stops(i int) bool {
	verb, _ := order(r.lines[i])
	return verb != "" || strings.HasPrefix(r.lines[i], "@@")
}
