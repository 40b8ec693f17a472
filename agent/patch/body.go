package patch

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// counts is the number of lines on the two sides of a hunk; -1: not said.
type counts struct{ old, new int }

// readBody reads the lines of a hunk. How many there are is read from the lines
// themselves, never from the header: models miscount, and a reader that trusts
// the counts drops the rest in silence. A line that begins with none of the
// marks is context whose leading blank got lost. That is safe, because context
// is only ever compared with the file.
func (r *reader) readBody(h *Hunk, want counts, number int) *Refusal {
	start := r.i
	end, err := r.bodyEnd(start, number)
	if err != nil {
		return err
	}
	r.i = end
	for i := start; i < r.definite(start, end); i++ {
		h.put(r.lines[i])
	}
	defer h.open()
	if i := r.disguised(start, end); i >= 0 && want != (counts{len(h.Old()), len(h.New())}) {
		return malformed(number, "line %d, %q, in hunk %d, is a header with a sign before it. Begin headers at the margin; where it is text, count the lines of the hunk in its own header.", i+1, cut(r.lines[i]), number)
	}
	// Behind the last marked line come blank context lines that lost their blank,
	// or prose. Here, where nothing can be lost but context, the counts decide.
	have := counts{len(h.Old()), len(h.New())}
	rest := r.lines[r.definite(start, end):end]
	prose := func(n int) {
		for i := end - len(rest) + n; i < end; i++ {
			r.pass(i)
		}
	}
	if old, now := want.old-have.old, want.new-have.new; end == len(r.lines) && r.open != "" && (old > 0 || now > 0) && (old != now || old > len(rest)) {
		return malformed(number, "hunk %d ends before it has the lines that its header counts, and the fence around it is not closed. Write the whole edit.", number)
	}
	blanks := 0
	for blanks < len(rest) && strings.TrimSpace(rest[blanks]) == "" {
		blanks++
	}
	if lost := want.new - have.new; want.old == have.old && blanks > 0 && blanks < len(rest) && lost == len(rest) {
		return malformed(number, "the header of hunk %d counts %d new lines, and it has %d: line %d, %q, behind it may be one that lost its sign.", number, want.new, have.new, end-len(rest)+blanks+1, cut(rest[blanks]))
	}
	r.patch.short = end == len(r.lines) && len(rest) == 0 && want.old > have.old && want.new > have.new
	n := want.old - have.old
	if n > 0 && n == want.new-have.new && n <= len(rest) && !slices.ContainsFunc(rest[:n], func(l string) bool { return heading(l) != "" }) {
		for _, l := range rest[:n] {
			h.put(l)
		}
		prose(n)
		return nil
	}
	prose(0)
	h.tail = adjoining(rest, end < len(r.lines) && strings.HasPrefix(r.lines[end], "@@"))
	return nil
}

// adjoining returns the lines up to the first blank one or fence, or heading where a hunk
// follows.
func adjoining(lines []string, hunk bool) []string {
	n := 0
	for n < len(lines) && strings.TrimSpace(lines[n]) != "" && !fence.MatchString(lines[n]) && !(hunk && heading(lines[n]) != "") {
		n++
	}
	return lines[:n]
}

// put appends one line of a body to the hunk.
func (h *Hunk) put(line string) {
	if rest, ok := strings.CutPrefix(line, noBreak); ok {
		line = " " + rest
	}
	if line == "" {
		h.unsigned = append(h.unsigned, len(h.Lines))
		line = " "
	}
	kind, text := Kind(line[0]), line[1:]
	if isNoNewline(line) {
		h.marks = append(h.marks, len(h.Lines)-1)
		return
	}
	if kind != Context && kind != Removed && kind != Added {
		h.unsigned = append(h.unsigned, len(h.Lines))
		kind, text = Context, line
	}
	h.Lines = append(h.Lines, Line{kind, text})
}

// open says which sides end without a newline: those whose last line is marked so.
func (h *Hunk) open() {
	ends := func(other Kind) bool {
		i := len(h.Lines) - 1
		for i >= 0 && h.Lines[i].Kind == other {
			i--
		}
		return i >= 0 && slices.Contains(h.marks, i)
	}
	h.OldOpen, h.NewOpen = ends(Added), ends(Removed)
}

// isNoNewline recognises "\ No newline at end of file", in any language.
func isNoNewline(line string) bool { return strings.HasPrefix(line, `\ `) }

// isBody reports whether a line carries one of the marks of a body.
func isBody(line string) bool {
	return line != "" && (line[0] == ' ' || line[0] == '+' || line[0] == '-' || isNoNewline(line) || strings.HasPrefix(line, noBreak))
}

// definite returns the index after the last line of a body that carries a mark.
func (r *reader) definite(start, end int) int {
	for end > start && !isBody(r.lines[end-1]) {
		end--
	}
	return end
}

// gitVersion stands below the mail signature that git format-patch writes.
var gitVersion = lazyregexp.New(`^\d+\.\d+`)

// disguised returns the line of a body that is a header behind a sign, where the next line
// has another sign; -1 for none. Among lines with the same sign it is text.
func (r *reader) disguised(start, end int) int {
	for i := start; i < end; i++ {
		if signedHeader.MatchString(r.lines[i]) && (i+1 == len(r.lines) || r.lines[i+1] == "" || r.lines[i+1][0] != r.lines[i][0] || fileHeaderAt(r.lines, i+1, true)) {
			return i
		}
	}
	return -1
}

var signedHeader = lazyregexp.New(`^[-+] ?(?:@@$|@@ -\d+(?:,\d+)? \+\d|diff --git a/|--- a/|\+\+\+ b/|\*\*\* (?:Add|Update|Delete) File: )`)

// bodyEnd finds the line after the body that begins at start: the next header,
// a mail signature, the closing fence or the end of the text.
func (r *reader) bodyEnd(start, number int) (int, *Refusal) {
	for i := start; i < len(r.lines); i++ {
		line := r.lines[i]
		switch {
		case r.header(i), !r.codex && fileHeaderAt(r.lines, i, true):
			return i, nil
		case line == "-- " && i+1 < len(r.lines) && gitVersion.MatchString(r.lines[i+1]):
			return i, nil
		}
		switch yes, sure := r.fences.ends(r.lines, i, r.head); {
		case !sure:
			return i, malformed(number, "line %d, in hunk %d, begins with a code fence; it could be the end of the patch or a line of the file. "+
				"Begin every line of a hunk with ' ', '-' or '+'.", i+1, number)
		case yes:
			return i, nil
		}
	}
	return len(r.lines), nil
}

// head reports whether line i begins a hunk or a file, outside of a body.
func (r *reader) head(i int) bool {
	return r.header(i) || !r.codex && fileHeaderAt(r.lines, i, false)
}

// header reports whether line i begins a hunk or a file, whatever comes next.
func (r *reader) header(i int) bool {
	verb, _ := r.order(r.lines[i])
	return verb != "" || strings.HasPrefix(r.lines[i], "@@") || !r.codex && strings.HasPrefix(r.lines[i], "diff --git ")
}

var fence = lazyregexp.New("^\\s*(`{3,}|~{3,})\\s*([^`\\s]*)[^`]*$")

// fences follows the code fences around a patch, line by line outside of bodies.
// In a body a line with a sign never is a fence: see ends.
type fences struct {
	open  string // the signs of the fence that is open; "" outside
	label string // what it says that it holds, in lower case
}

// read looks at a line outside of a body and reports whether it is a fence.
func (f *fences) read(line string) bool {
	m := fence.FindStringSubmatch(line)
	switch {
	case m == nil:
		return false
	case f.open != "" && m[2] == "":
		*f = fences{}
	default:
		*f = fences{m[1], strings.ToLower(m[2])}
	}
	return true
}

// other reports whether the open fence holds something else than a patch.
func (f *fences) other() bool { return f.open != "" && f.label != "" && !f.diff() }

// diff reports whether the open fence says that it holds a patch.
func (f *fences) diff() bool { return f.label == "diff" || f.label == "patch" || f.label == "udiff" }

// mayClose reports whether a line of a body can be the fence that closes the patch:
// it has no sign, not even that of context, and no label.
func (f *fences) mayClose(line string) bool {
	m := fence.FindStringSubmatch(line)
	return m != nil && line[0] == m[1][0] && m[2] == "" && strings.HasPrefix(m[1], f.open)
}

// ends reports whether line i of a body closes the patch. It can as well be a line
// of context that lost its blank, and is that where another hunk of the file
// follows it, or changes and then another fence. sure is false where a fence is open,
// changes follow and no fence does.
func (f *fences) ends(lines []string, i int, head func(int) bool) (yes, sure bool) {
	if !f.mayClose(lines[i]) {
		return false, true
	}
	changes := false
	for k := i + 1; k < len(lines); k++ {
		switch {
		case head(k):
			return !changes && !strings.HasPrefix(lines[k], "@@"), true
		case isChange(lines[k]):
			changes = true
		case fence.MatchString(lines[k]) && !isBody(lines[k]):
			return !changes, true
		}
	}
	return !changes, !changes || f.open == ""
}

// isChange reports whether a line adds or removes text, and is no bullet or rule
// of prose.
func isChange(line string) bool {
	if line == "" || line[0] != '+' && line[0] != '-' || strings.Trim(line, "+- ") == "" || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") {
		return false
	}
	return !strings.HasPrefix(line[1:], " ") || strings.HasPrefix(line[2:], " ")
}
