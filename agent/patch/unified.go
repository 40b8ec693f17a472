package patch

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"caselsp/store/lazyregexp"
)

// reader reads unified diffs and patches of the *** Begin Patch format line by line.
// The file being read is the last of the patch, once there is one.
type reader struct {
	lines  []string
	i      int
	patch  *Patch
	names  names
	fresh  bool  // the last file has only git's extended headers so far
	codex  bool  // the lines are a patch of the *** Begin Patch format; of that:
	inFile bool  // between a "*** ... File:" line and the end of the patch
	begun  bool  // a *** Begin Patch has no *** End Patch yet
	prose  []int // the lines that are in no hunk and no header
	within []int // those of them between *** Begin Patch and *** End Patch
	above  int   // how many of these stand above the last hunk or header
	fences
}

func parseDiff(lines []string, exists names) (*Patch, *Refusal) {
	r := &reader{lines: lines, names: exists, patch: &Patch{}, codex: isCodex(lines)}
	ended := false
	if r.codex { // the marker at the end is meant as one, blanks before it or not
		last := len(lines) - 1
		for last > 0 && strings.TrimSpace(lines[last]) == "" {
			last--
		}
		verb, _ := order(strings.TrimSpace(lines[last]))
		if ended = verb == "end"; ended {
			r.lines = lines[:last]
		}
	}
	for r.i < len(r.lines) {
		if err := r.next(); err != nil {
			return nil, err
		}
	}
	switch {
	case len(r.patch.Files) > 0:
	case r.codex:
		return nil, unseen("it names no file. Each file begins with *** Update File: path, *** Add File: path or *** Delete File: path.")
	default:
		return nil, unseen("it holds neither a unified diff (--- a/file, +++ b/file, @@, lines that begin with ' ', '-' or '+') nor a SEARCH/REPLACE block.")
	}
	for _, f := range r.patch.Files {
		if len(f.Hunks) == 0 && f.Op == Modify && f.Mode == 0 {
			return nil, unseen("it names %s but holds no change of it.", named(f.Path))
		}
	}
	starred := func(i int) bool {
		return strings.Contains(plainer.Replace(lines[i]), "***") || strings.HasPrefix(lines[i], "---")
	}
	if i := slices.IndexFunc(r.within, starred); i >= 0 {
		return nil, malformed(0, "line %d, %q, between *** Begin Patch and *** End Patch, is no line of this format. A file begins with *** Update File: path, *** Add File: path or *** Delete File: path.", r.within[i]+1, cut(lines[r.within[i]]))
	}
	if r.patch.changes() {
		if err := leftover(lines, r.prose); err != nil {
			return nil, err
		}
	}
	if r.patch.short = r.patch.short || r.begun && !ended; r.begun && !ended && !(r.open == "" && slices.ContainsFunc(r.prose, func(i int) bool { return fence.MatchString(lines[i]) })) {
		if err := r.unended(); err != nil {
			return nil, err
		}
	}
	r.patch.open = r.open != "" && !ended && (r.begun || strings.HasPrefix(lines[len(lines)-1], "+"))
	return r.patch, nil
}

// next reads the header, hunk or line of prose at r.i.
func (r *reader) next() *Refusal {
	line := r.lines[r.i]
	verb, path := r.order(strings.TrimSpace(line)) // no body is read here
	switch {
	case verb != "":
		return r.directive(verb, path)
	case r.codex && !r.inFile && diffStart.MatchString(line) && len(r.patch.Files) > 0:
		return malformed(0, "it mixes a *** Begin Patch with a unified diff. Write all edits in one of the two formats.")
	case strings.HasPrefix(line, "diff --git "):
		old, path := gitPaths(line[len("diff --git "):])
		r.file(Modify, old, path)
		r.fresh = true
	case strings.HasPrefix(line, "@@@"):
		return malformed(r.hunk(), "it is a combined diff of a merge (@@@). Write a plain unified diff.")
	case strings.HasPrefix(line, "@@"):
		return r.readHunk(true)
	case fileHeaderAt(r.lines, r.i, false):
		r.fileHeader()
		if r.i < len(r.lines) && isBody(r.lines[r.i]) {
			return r.readHunk(false)
		}
		return nil
	case r.diff() && r.changesFollow():
		return r.readHunk(false)
	case r.fences.read(line):
		r.inFile = r.inFile && r.open != ""
		r.pass(r.i)
	case r.inFile && isBody(line):
		return malformed(r.hunk(), "line %d is in no hunk. Put a line @@ before it.", r.i+1)
	case r.fresh:
		if err := r.extended(line); err != nil {
			return err
		}
	default:
		r.pass(r.i)
	}
	r.i++
	return nil
}

// pass takes a line for prose. There is none within a *** Begin Patch.
func (r *reader) pass(i int) {
	r.prose = append(r.prose, i)
	if r.codex && r.begun {
		r.within = append(r.within, i)
	}
}

// headline begins the file, or notes those, that the prose above a hunk names.
func (r *reader) headline() (above []mention) {
	var lines []string
	for _, i := range r.prose[r.above:] {
		lines = append(lines, r.lines[i])
	}
	name, at, above := r.names.above(lines, len(r.patch.Files) == 0)
	if at >= 0 {
		r.prose = slices.Delete(r.prose, r.above+at, r.above+at+1)
	}
	if r.above = len(r.prose); at >= 0 && (len(r.patch.Files) == 0 || r.last().Path != name) {
		r.file(Modify, "", name)
	}
	return above
}

// changesFollow reports whether a hunk without a header begins at r.i.
func (r *reader) changesFollow() bool {
	if !isBody(r.lines[r.i]) {
		return false
	}
	for i := r.i; i < len(r.lines) && !r.head(i) && !r.mayClose(r.lines[i]); i++ {
		if isChange(r.lines[i]) || strings.HasPrefix(r.lines[i], "+") {
			return true
		}
	}
	return false
}

// hunk numbers the hunk being read within its file, for messages.
func (r *reader) hunk() int {
	if len(r.patch.Files) == 0 {
		return 1
	}
	return len(r.last().Hunks) + 1
}

func (r *reader) last() *File { return &r.patch.Files[len(r.patch.Files)-1] }

func (r *reader) file(op Op, from, path string) *File {
	r.patch.Files = append(r.patch.Files, File{Op: op, Path: path})
	r.inFile, r.above = r.codex, len(r.prose)
	f := r.last()
	if from != path && op == Rename {
		f.From = from
	}
	return f
}

// extended reads one of git's headers between "diff --git" and the hunks.
func (r *reader) extended(line string) *Refusal {
	f := r.last()
	rest := func(prefix string) (string, bool) { return strings.CutPrefix(line, prefix) }
	if v, ok := rest("rename from "); ok {
		f.Op, f.From = Rename, unquote(v)
	} else if v, ok := rest("rename to "); ok {
		f.Op, f.Path = Rename, unquote(v)
	} else if v, ok := rest("new file mode "); ok {
		f.Op, f.Mode = Create, mode(v)
	} else if _, ok := rest("deleted file mode "); ok {
		f.Op = Delete
	} else if v, ok := rest("new mode "); ok {
		f.Mode = mode(v)
	} else if _, ok := rest("copy from "); ok {
		return malformed(0, "copying files is not supported. Write %s as a new file.", named(f.Path))
	} else if strings.HasPrefix(line, "GIT binary patch") || strings.HasPrefix(line, "Binary files ") {
		return malformed(0, "%s is a binary file there. Only text can be patched.", named(f.Path))
	} else if !strings.HasPrefix(line, "old mode ") {
		r.pass(r.i)
	}
	return nil
}

func mode(octal string) uint32 {
	m, err := strconv.ParseUint(strings.TrimSpace(octal), 8, 32)
	if err != nil {
		return ^uint32(0) // which no file may have
	}
	return uint32(m)
}

// fileHeaderAt tells a file header from the removal of a line that begins with
// "-- " (a comment in SQL and Lua): within a body only the whole sequence of
// both names and a hunk counts, or both names of one file as git writes them.
func fileHeaderAt(lines []string, i int, inBody bool) bool {
	at := func(k int, prefix string) bool { return i+k < len(lines) && strings.HasPrefix(lines[i+k], prefix) }
	if at(0, "--- ") && at(1, "+++ ") {
		old, path, git := stripPrefixes(headerPath(lines[i][4:]), headerPath(lines[i+1][4:]))
		return !inBody || at(2, "@@") || git && (old == path || old == devNull || path == devNull)
	}
	return (!inBody && (at(0, "--- ") || at(0, "+++ ")) || at(0, "--- a/") || at(0, "+++ b/")) && at(1, "@@")
}

// fileHeader reads "---" and "+++" lines and what they say about the file.
func (r *reader) fileHeader() {
	old, path := "", ""
	if v, ok := strings.CutPrefix(r.lines[r.i], "--- "); ok {
		old = headerPath(v)
		r.i++
	}
	if v, ok := strings.CutPrefix(r.lines[r.i], "+++ "); ok {
		path = headerPath(v)
		r.i++
	}
	old, path = cmp.Or(old, path), cmp.Or(path, old)
	op, gitStyle := Modify, false
	old, path, gitStyle = stripPrefixes(old, path)
	switch {
	case old == devNull:
		op = Create
	case path == devNull:
		op, path = Delete, old
	case gitStyle && old != path:
		op = Rename
	}
	fresh := r.fresh
	r.above = len(r.prose)
	if r.fresh = false; !fresh || !r.last().isCalled(path) {
		r.file(op, old, path)
		return
	}
	// git's own headers came first and say more: keep them where they do.
	f := r.last()
	switch f.Op {
	case Modify:
		f.Op, f.Path = op, path
		if op == Rename {
			f.From = old
		}
	case Create, Delete:
		f.Path = path
	}
}

const devNull = "/dev/null"

// headerPath cuts the time stamp that diff writes after a tab.
func headerPath(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	return unquote(strings.TrimSpace(s))
}

// unquote undoes git's quoting of unusual file names.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, `"`) {
		if u, err := strconv.Unquote(s); err == nil {
			return u
		}
	}
	return s
}

// stripPrefixes removes a/ and b/ where both sides have theirs (or are
// /dev/null): a folder may really be called a.
func stripPrefixes(old, path string) (string, string, bool) {
	o, okOld := strings.CutPrefix(old, "a/")
	p, okPath := strings.CutPrefix(path, "b/")
	switch {
	case okOld && okPath:
		return o, p, true
	case old == devNull && okPath:
		return old, p, true
	case path == devNull && okOld:
		return o, path, true
	case okOld && old == path: // only one header was there, or both sides say a/
		return o, o, false
	}
	return old, path, false
}

// gitPaths splits "a/x b/x". With blanks in the names only equal halves are
// certain; the headers that follow name the file otherwise.
func gitPaths(s string) (old, path string) {
	s = strings.TrimSpace(s)
	if before, after, ok := strings.Cut(s, " b/"); ok && strings.HasPrefix(s, "a/") && !strings.Contains(after, " b/") {
		return before[2:], after
	}
	if n := len(s) / 2; len(s)%2 == 1 && s[n] == ' ' {
		old, path, _ = stripPrefixes(unquote(s[:n]), unquote(s[n+1:]))
		return old, path
	}
	return s, s
}

// ranges reads the numbers of a hunk header; the second @@ may be missing.
var ranges = lazyregexp.New(`^@@\s*-(\d+)(?:,\s*(\d+))?\s+\+(\d+)(?:,\s*(\d+))?\s*(?:@@)?(.*)$`)

// oddRange matches a range whose first sign is not the plain minus.
var oddRange = lazyregexp.New(`^[^\w\s]\s*\d+(?:,\d+)? ?\+\d+`)

// readHunk reads one hunk into the last file; a patch without file headers has
// one file without a name.
func (r *reader) readHunk(header bool) *Refusal {
	r.fresh = false
	above := r.above
	h := Hunk{above: r.headline()}
	if len(r.patch.Files) == 0 {
		r.file(Modify, "", "")
	}
	want := counts{-1, -1}
	switch line := r.lines[r.i]; {
	case r.codex:
		r.readAnchors(&h)
	case header:
		r.i++
		if m := ranges.FindStringSubmatch(line); m != nil {
			h.Line, _ = strconv.Atoi(m[1])
			want = counts{countOf(m[2]), countOf(m[4])}
			h.Section = strings.TrimSpace(m[5])
		} else {
			h.Section = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(line, "@@"), "@@")) // may begin with an @ of its own
		}
	}
	number := r.hunk()
	if text := strings.Join(append(h.Anchors, h.Section), ""); strings.Count(text, `\n`) > 1 || oddRange.MatchString(html.UnescapeString(text)) {
		return malformed(number, "the header of hunk %d, %q, holds the hunk as one line. Write each line of it on a line of its own.", number, cut(text))
	}
	if err := r.readBody(&h, want, number); err != nil {
		return err
	}
	f := r.last()
	switch {
	case len(h.Lines) > 0:
	case h.Section != "" || h.Anchors != nil || want.old > 0 || want.new > 0:
		err := unseen("hunk %d of %s has no lines.", number, named(f.Path))
		err.Hunk = number
		return err
	default:
		f.notes = append(f.notes, fmt.Sprintf("Line %d was passed over: no hunk follows it.", r.i))
		if h.above != nil { // what it speaks of stands above the next one
			r.above = above
		}
		return nil
	}
	if r.i < len(r.lines) {
		if verb, _ := r.order(r.lines[r.i]); verb == "end of file" {
			h.AtEnd = true
			r.i++
		}
	}
	f.Hunks = append(f.Hunks, h)
	return nil
}

func countOf(s string) int {
	if s == "" {
		return 1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}
