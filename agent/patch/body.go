package patch

import (
	"regexp"
	"slices"
	"strings"
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
	// Behind the last marked line come blank context lines that lost their blank,
	// or prose. Here, where nothing can be lost but context, the counts decide.
	have := counts{len(h.Old()), len(h.New())}
	rest := r.lines[r.definite(start, end):end]
	prose := func(n int) {
		for i := end - len(rest) + n; i < end; i++ {
			r.prose = append(r.prose, i)
		}
	}
	if end == len(r.lines) && r.open != "" && (want.old > have.old+len(rest) || want.new > have.new+len(rest)) {
		return malformed(number, "hunk %d ends before it has the lines that its header counts, and the fence around it is not closed. Write the whole edit.", number)
	}
	n := want.old - have.old
	if n > 0 && n == want.new-have.new && n <= len(rest) && !slices.ContainsFunc(rest[:n], func(l string) bool { return heading(l) != "" }) {
		for _, l := range rest[:n] {
			h.put(l)
		}
		prose(n)
		return nil
	}
	prose(0)
	h.tail = adjoining(rest)
	return nil
}

// adjoining returns the lines up to the first blank one, fence or heading.
func adjoining(lines []string) []string {
	n := 0
	for n < len(lines) && strings.TrimSpace(lines[n]) != "" && !fence.MatchString(lines[n]) && heading(lines[n]) == "" {
		n++
	}
	return lines[:n]
}

// put appends one line of a body to the hunk.
func (h *Hunk) put(line string) {
	if line == "" {
		h.unsigned = append(h.unsigned, len(h.Lines))
		line = " "
	}
	kind, text := Kind(line[0]), line[1:]
	if isNoNewline(line) {
		if n := len(h.Lines); n > 0 {
			h.OldOpen = h.OldOpen || h.Lines[n-1].Kind != Added
			h.NewOpen = h.NewOpen || h.Lines[n-1].Kind != Removed
		}
		return
	}
	if kind != Context && kind != Removed && kind != Added {
		h.unsigned = append(h.unsigned, len(h.Lines))
		kind, text = Context, line
	}
	// The mark concerns the last line of a side only.
	h.OldOpen = h.OldOpen && kind == Added
	h.NewOpen = h.NewOpen && kind == Removed
	h.Lines = append(h.Lines, Line{kind, text})
}

// isNoNewline recognises "\ No newline at end of file", in any language.
func isNoNewline(line string) bool { return strings.HasPrefix(line, `\ `) }

// isBody reports whether a line carries one of the marks of a body.
func isBody(line string) bool {
	return line != "" && (line[0] == ' ' || line[0] == '+' || line[0] == '-' || isNoNewline(line))
}

// definite returns the index after the last line of a body that carries a mark.
func (r *reader) definite(start, end int) int {
	for end > start && !isBody(r.lines[end-1]) {
		end--
	}
	return end
}

// gitVersion stands below the mail signature that git format-patch writes.
var gitVersion = regexp.MustCompile(`^\d+\.\d+`)

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
