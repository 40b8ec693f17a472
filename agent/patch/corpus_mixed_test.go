//go:build corpus

package patch_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// mixed are patches whose parts are in envelopes of their own, and patches with one
// slip of a kind that models make. A part may be refused with the rest; what must not be
// is that it is lost, or lands in the file of another part.
func mixed(format string) []kind {
	return []kind{
		{"headings", format, true, func(s *source) (envelopeCase, bool) { return s.parts(format, (*source).headed, nil) }},
		{"mixed headings", format, false, func(s *source) (envelopeCase, bool) { return s.parts(format, (*source).oddlyHeaded, nil) }},
		{"mixed envelopes", format, false, func(s *source) (envelopeCase, bool) { return s.parts(format, (*source).named, (*source).enveloped) }},
		{"mixed formats", format, false, func(s *source) (envelopeCase, bool) { return s.formats() }},
		{"mixed blocks", format, false, func(s *source) (envelopeCase, bool) { return s.mixedHunks(format) }},
		slip(format, "slip: a removed line", (*source).misquoted),
		slip(format, "slip: a line of context", (*source).misspelt),
		slip(format, "slip: a blank line more", (*source).blankMore),
		slip(format, "slip: a blank line less", (*source).blankLess),
		slip(format, "slip: indentation of a line", (*source).misindented),
		{"entities in new lines only", format, false, func(s *source) (envelopeCase, bool) { return s.entitiesAdded(format) }},
		{"two encodings of lines", format, false, func(s *source) (envelopeCase, bool) { return s.encodedTwice(format) }},
		{"indentation already applied", format, false, func(s *source) (envelopeCase, bool) { return s.reindented(format) }},
		{"there with other blanks", format, false, func(s *source) (envelopeCase, bool) { return s.thereWithBlanks(format) }},
	}
}

// body writes the hunks of a change without the name of its file.
func (s *source) body(format string, c change) []string {
	switch format {
	case search:
		return c.blocks(c, plainMarkers)[1:]
	case codex:
		return c.codexFile()[1:]
	}
	return c.unified(s.IntN(2) == 0)[2:]
}

// parts writes the files of a commit one below the other, each below a heading.
func (s *source) parts(format string, head func(*source, string, string) []string, wrap func(*source, []string) []string) (envelopeCase, bool) {
	changes := s.commit.changes
	if len(changes) < 2 {
		return envelopeCase{}, false
	}
	c := envelopeCase{expect: must, before: map[string]string{}, after: map[string]string{}}
	if wrap != nil {
		c.expect = may
	}
	var lines []string
	odd := s.IntN(len(changes))
	for i, ch := range changes {
		if ch.has(fences) || ch.has(dividers) || c.before[ch.path] != "" {
			return envelopeCase{}, false
		}
		c.before[ch.path], c.after[ch.path] = ch.before, ch.after
		if !ch.alone() {
			c.expect = may
		}
		part := slices.Concat(head(s, format, ch.path), s.body(format, ch))
		if wrap != nil && (i == odd || s.IntN(4) == 0) {
			part = wrap(s, part)
		} else if wrap == nil && format == search && s.IntN(3) == 0 {
			h := head(s, format, ch.path)
			part = slices.Concat(h, fenced("", s.body(format, ch)))
		}
		lines = append(append(lines, part...), "")
	}
	if strings.Contains(strings.Join(lines, "\n"), odds) {
		c.expect = may
		lines = strings.Split(strings.ReplaceAll(strings.Join(lines, "\n"), odds, ""), "\n")
	}
	if format == codex {
		lines = slices.Concat([]string{"*** Begin Patch"}, lines, []string{"*** End Patch"})
	}
	c.text = strings.Join(lines, "\n") + "\n"
	return c, true
}

// odds marks a heading that may be refused.
const odds = "\x01"

// named writes the name of a file as its format does.
func (s *source) named(format, path string) []string {
	switch format {
	case search:
		return []string{path}
	case codex:
		return []string{"*** Update File: " + path}
	}
	return []string{"--- a/" + path, "+++ b/" + path}
}

// headed writes it as prose does, on a line of its own.
func (s *source) headed(format, path string) []string {
	if format != search || s.IntN(6) == 0 {
		return s.named(format, path)
	}
	line := []string{"**%s**", "### `%s`", "`%s`:", "File: %s", "- %s", "1. `%s`", "// %s", "# %s", "<file path=\"%s\">", "%s:", "filename: `%s`", "*** Update File: %s", "2) %s (new check)", "%s (lines 1-3)", "// filepath: %s"}[s.IntN(15)]
	return []string{fmt.Sprintf(line, path)}
}

// oddlyHeaded writes it so that it may be missed.
func (s *source) oddlyHeaded(format, path string) []string {
	if s.IntN(3) == 0 {
		return append(s.named(format, path), odds)
	}
	base := path[strings.LastIndexByte(path, '/')+1:]
	lines := [][]string{
		{"And in `%s`:"}, {"Now the same in %s."}, {"%s", "", "This one is simple."}, {"In %s, line 12"}, {"| %s | changed |"}, {"Index: %s"}, {"*** File: %s"},
		{"** Update File: %s"}, {"+++ b/%s"}, {"--- a/%s"}, {"### Changes of %s"}, {"Next is `%s`.", "", "It needs this:"}, {"Update File: %s"}, {"<path>%s</path>"}, {"%s - the rest"},
	}[s.IntN(15)]
	out := []string{odds}
	if s.IntN(8) == 0 {
		path = base
	}
	for _, l := range lines {
		out = append(out, strings.ReplaceAll(l, "%s", path))
	}
	if format != search {
		out = append(out, "@@")
	}
	return out
}

// enveloped puts a part into an envelope that the others are not in.
func (s *source) enveloped(part []string) []string {
	switch s.IntN(9) {
	case 0:
		return prefixed("> ", part)
	case 1:
		return prefixed("    ", part)
	case 2:
		return oneLine(s.IntN(2) == 0, part)
	case 3:
		out := slices.Clone(part)
		for i := range out {
			out[i] = escaper.Replace(out[i])
		}
		return out
	case 4:
		return prefixed("# ", part)
	case 5:
		return []string{fmt.Sprintf(`{"patch": %s}`, oneLine(true, part)[0])}
	case 6:
		return prefixed("| ", part)
	case 7: // text before each header and marker
		return s.decorate(part, func(l string) string { return "Edit: " + l })
	}
	return s.decorate(part, func(l string) string {
		return []string{"**" + l + "**", "`" + l + "`", " " + l, "- " + l}[s.IntN(4)]
	})
}

var headers = regexp.MustCompile(`^(<{7}|>{7}|={7}$|@@|--- a/|\+\+\+ b/|\*\*\* )`)

// decorate changes the headers and markers of a part.
func (s *source) decorate(part []string, f func(string) string) []string {
	out := slices.Clone(part)
	all := s.IntN(2) == 0
	for i, l := range out {
		if headers.MatchString(l) && (all || s.IntN(2) == 0) {
			out[i] = f(l)
		}
	}
	return out
}

// formats writes each file of a commit in a format of its own.
func (s *source) formats() (envelopeCase, bool) {
	c, ok := s.parts(search, (*source).named, func(_ *source, part []string) []string { return part })
	if !ok {
		return c, false
	}
	var lines []string
	for _, ch := range s.commit.changes {
		f := formats[s.IntN(len(formats))]
		lines = slices.Concat(lines, s.named(f, ch.path), s.body(f, ch), []string{""})
	}
	c.text = strings.Join(lines, "\n")
	return c, true
}

// mixedHunks puts one hunk of several of a file into another envelope.
func (s *source) mixedHunks(format string) (envelopeCase, bool) {
	if len(s.hunks) < 2 || s.has(fences) || s.has(dividers) {
		return envelopeCase{}, false
	}
	lines := s.named(format, s.path)
	odd := s.IntN(len(s.hunks))
	for i := range s.hunks {
		one := s.change
		one.hunks = s.hunks[i : i+1]
		part := s.body(format, one)
		if i == odd {
			part = s.enveloped(part)
		}
		lines = append(lines, part...)
		if format == search {
			lines = append(lines, "")
		}
	}
	return s.one(may, s.change, lines), true
}

// slip makes a kind of a change of one line, or between two lines, of a patch.
func slip(format, name string, f func(*source, *hunk) bool) kind {
	return kind{name, format, false, func(s *source) (envelopeCase, bool) {
		c := s.change
		c.hunks = slices.Clone(c.hunks)
		h := &c.hunks[s.IntN(len(c.hunks))]
		h.lines = slices.Clone(h.lines)
		if !f(s, h) {
			return envelopeCase{}, false
		}
		return s.one(may, c, c.write(format, s.numbers(format))), !s.has(fences) && !s.has(dividers)
	}}
}

// some returns an index of a line that passes; -1 for none.
func (s *source) some(h *hunk, pass func(i int, l signed) bool) int {
	var all []int
	for i, l := range h.lines {
		if pass(i, l) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return -1
	}
	return all[s.IntN(len(all))]
}

// misspell exchanges, leaves out or doubles a letter.
func (s *source) misspell(text string) string {
	at := []int{}
	for i := 1; i+1 < len(text); i++ {
		if letter(text[i]) && letter(text[i-1]) && text[i] != text[i-1] {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return text
	}
	i := at[s.IntN(len(at))]
	switch s.IntN(3) {
	case 0:
		return text[:i-1] + text[i:i+1] + text[i-1:i] + text[i+1:]
	case 1:
		return text[:i] + text[i+1:]
	}
	return text[:i] + text[i:i+1] + text[i:]
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (s *source) misquoted(h *hunk) bool {
	i := s.some(h, func(_ int, l signed) bool { return l.sign == '-' && len(strings.TrimSpace(l.text)) > 3 })
	if i < 0 {
		return false
	}
	was := h.lines[i].text
	h.lines[i].text = s.misspell(was)
	return h.lines[i].text != was
}

func (s *source) misspelt(h *hunk) bool {
	i := s.some(h, func(_ int, l signed) bool { return l.sign == ' ' && len(strings.TrimSpace(l.text)) > 3 })
	if i < 0 {
		return false
	}
	was := h.lines[i].text
	h.lines[i].text = s.misspell(was)
	return h.lines[i].text != was
}

func (s *source) blankMore(h *hunk) bool {
	h.lines = slices.Insert(h.lines, s.IntN(len(h.lines)+1), signed{' ', ""})
	return true
}

func (s *source) blankLess(h *hunk) bool {
	i := s.some(h, func(_ int, l signed) bool { return l.sign == ' ' && l.text == "" })
	if i >= 0 {
		h.lines = slices.Delete(h.lines, i, i+1)
	}
	return i >= 0
}

func (s *source) misindented(h *hunk) bool {
	i := s.some(h, func(_ int, l signed) bool { return l.sign != '+' && strings.TrimSpace(l.text) != "" })
	if i < 0 {
		return false
	}
	l := h.lines[i].text
	switch in := l[:indentOf(l)]; {
	case in == "" || s.IntN(3) == 0:
		h.lines[i].text = []string{" ", "  ", "    ", "\t"}[s.IntN(4)] + l
	case s.IntN(2) == 0:
		h.lines[i].text = l[1:]
	default:
		h.lines[i].text = strings.TrimLeft(l, " \t")
	}
	return true
}

// entitiesAdded: an encoder went over all lines, and only new ones show it.
func (s *source) entitiesAdded(format string) (envelopeCase, bool) {
	signs := func(l signed) bool { return strings.ContainsAny(l.text, "<>&") }
	if s.has(entities) || strings.Contains(s.before, "</") || s.any(func(l signed) bool { return l.sign != '+' && signs(l) }) || !s.any(signs) {
		return envelopeCase{}, false
	}
	c := s.mapped(escaped(false))
	return s.one(may, c, c.write(format, s.numbers(format))), !s.has(fences)
}

// encodedTwice: two encodings of lines at once.
func (s *source) encodedTwice(format string) (envelopeCase, bool) {
	if s.has(entities) || s.has(fences) || !s.any(func(l signed) bool { return strings.ContainsAny(l.text, "<>&\"'") }) {
		return envelopeCase{}, false
	}
	c := s.mapped(escaped(true))
	switch s.IntN(3) {
	case 0:
		c = c.withNumbers(s.number(), s.IntN(3) > 0)
	case 1:
		c = c.mapped(func(l signed) signed { return signed{l.sign, strings.ReplaceAll(l.text, `"`, `\"`)} })
	case 2:
		c = c.mapped(func(l signed) signed { return signed{l.sign, curly(l.text)} })
	}
	return s.one(may, c, c.write(format, s.numbers(format))), true
}

// reindented: the change only indents otherwise, and is already there.
func (s *source) reindented(format string) (envelopeCase, bool) {
	h := s.hunks[s.IntN(len(s.hunks))]
	text := bare(s.before)
	from := h.old - 1 + s.IntN(max(1, len(h.oldLines())-2))
	to := min(from+1+s.IntN(3), len(text)-1)
	old := slices.Clone(text)
	for i := from; i < to; i++ {
		if strings.TrimSpace(old[i]) != "" {
			old[i] = strings.Repeat(" ", 1+s.IntN(4)) + old[i]
		}
	}
	c := newChange(s.path, strings.Join(old, "\n")+"\n", s.before, 3)
	c.before = s.before
	return s.one(done, c, c.write(format, s.numbers(format))), len(c.hunks) == 1 && !s.has(fences) && !s.has(dividers)
}

// thereWithBlanks: what the change adds is there, with white space at a line's end.
func (s *source) thereWithBlanks(format string) (envelopeCase, bool) {
	c := s.change
	text := bare(s.after)
	n := 0
	for _, h := range s.hunks {
		at := h.new - 1
		for _, l := range h.lines {
			if l.sign == '-' {
				continue
			}
			if l.sign == '+' && strings.TrimSpace(l.text) != "" && s.IntN(2) == 0 {
				text[at] += " "
				n++
			}
			at++
		}
	}
	c.before = strings.Join(text, "\n") + "\n"
	c.after = c.before
	return s.one(done, c, c.write(format, s.numbers(format))), n > 0 && !s.has(fences) && !s.has(dividers) && s.fresh(s.after)
}
