//go:build corpus

package patch_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// kinds are all ways to write a patch that are counted.
func kinds() []kind {
	var all []kind
	for _, f := range formats {
		all = append(all, around(f)...)
		all = append(all, within(f)...)
		all = append(all, twins(f)...)
		all = append(all, effects(f)...)
		all = append(all, mixed(f)...)
	}
	return slices.Concat(all, onlyUnified(), onlySearch(), onlyCodex())
}

// certain is what is expected of a patch that can be decoded: the place must be
// told by the lines, or by numbers beside lines that are as in the file.
func (c change) certain(exactNumbers bool) expectation {
	if exactNumbers || c.alone() {
		return must
	}
	return may
}

// numbers says whether a patch of this format carries line numbers this time.
func (s *source) numbers(format string) bool { return format == unified && s.IntN(2) == 0 }

// around are the envelopes that are put around a whole patch.
func around(format string) []kind {
	wrap := func(name string, f func(s *source, lines []string) []string) kind {
		return kind{name, format, true, func(s *source) (envelopeCase, bool) {
			numbers := s.numbers(format)
			return s.one(s.certain(numbers), s.change, f(s, s.write(format, numbers))), !s.has(fences)
		}}
	}
	return []kind{
		wrap("plain", func(_ *source, lines []string) []string { return lines }),
		wrap("fence and prose", func(s *source, lines []string) []string { return prose(s.Rand, fenced("diff", lines)) }),
		wrap("prose", func(s *source, lines []string) []string { return prose(s.Rand, lines) }),
		wrap("quoted", func(s *source, lines []string) []string {
			if s.IntN(2) == 0 {
				lines = fenced("diff", lines)
			}
			return prefixed("> ", lines)
		}),
		wrap("indented", func(s *source, lines []string) []string {
			return prefixed([]string{"    ", "  ", "\t"}[s.IntN(3)], lines)
		}),
		wrap("JSON string", func(s *source, lines []string) []string { return oneLine(s.IntN(2) == 0, lines) }),
		wrap("CRLF patch", func(_ *source, lines []string) []string {
			out := slices.Clone(lines)
			for i := range out {
				out[i] += "\r"
			}
			return out
		}),
		wrap("bullets in the fence", func(s *source, lines []string) []string {
			return fenced("diff", slices.Concat([]string{"- Keep the old name", "- Say what is wrong", ""}, lines))
		}),
		wrap("text behind, in the fence", func(s *source, lines []string) []string {
			return fenced("diff", append(slices.Clone(lines), "", "This keeps the old behaviour and is covered by the tests."))
		}),
		{"CRLF file", format, true, func(s *source) (envelopeCase, bool) {
			lines := s.write(format, s.numbers(format))
			c := s.change
			expect := c.certain(false)
			c.before, c.after = strings.ReplaceAll(c.before, "\n", "\r\n"), strings.ReplaceAll(c.after, "\n", "\r\n")
			return s.one(expect, c, lines), true
		}},
		{"Markdown with fences", format, true, markdown(format)},
	}
}

var (
	fences   = regexp.MustCompile("(?m)^\\s*(```|~~~)")
	entities = regexp.MustCompile(`&[a-z]+;|&#\d+;`)
	tagged   = regexp.MustCompile(`^<(?:[!a-zA-Z]|\?xml)`)
	dividers = regexp.MustCompile(`^(<{5,9}|>{5,9})( |$)|^={7}$|^-{7}$`)
	curlies  = regexp.MustCompile("[“”‘’]")
)

// has reports whether a line of the change matches.
func (c change) has(re *regexp.Regexp) bool {
	return c.any(func(l signed) bool { return re.MatchString(l.text) })
}

func (c change) any(f func(signed) bool) bool {
	return slices.ContainsFunc(c.hunks, func(h hunk) bool { return slices.ContainsFunc(h.lines, f) })
}

// markdown: a patch in a fence whose lines hold fences.
func markdown(format string) func(s *source) (envelopeCase, bool) {
	return func(s *source) (envelopeCase, bool) {
		c := newChange(s.path, s.before, s.after, []int{3, 6, 12}[s.IntN(3)])
		if !c.has(fences) {
			return envelopeCase{}, false
		}
		numbers := s.numbers(format)
		lines := c.write(format, numbers)
		switch s.IntN(3) {
		case 0:
			lines = fenced("diff", lines)
		case 1:
			lines = prose(s.Rand, fenced("diff", lines))
		case 2:
			lines = append(fenced("", lines), "", "The example is now complete.")
		}
		return s.one(c.certain(numbers), c, lines), true
	}
}

// within are the envelopes of each line.
func within(format string) []kind {
	lines := func(name string, exact bool, when func(c change) bool, f func(s *source, c change) change) kind {
		return kind{name, format, exact, func(s *source) (envelopeCase, bool) {
			if !when(s.change) {
				return envelopeCase{}, false
			}
			c, expect := f(s, s.change), s.certain(false)
			if name == "entities that are meant" && !tagged.MatchString(strings.TrimSpace(s.before)) {
				expect = may // nothing shows that they are
			}
			return s.one(expect, c, c.write(format, s.numbers(format))), true
		}}
	}
	encodable := func(c change) bool {
		return !c.has(entities) && c.any(func(l signed) bool { return l.sign != '+' && strings.ContainsAny(l.text, "<>&") })
	}
	quotable := func(c change) bool {
		return !c.has(curlies) && c.any(func(l signed) bool { return l.sign != '+' && strings.ContainsAny(l.text, `"'`) })
	}
	always := func(change) bool { return true }
	return []kind{
		lines("entities", false, encodable, func(s *source, c change) change { return c.mapped(escaped(s.IntN(3) == 0)) }),
		lines("entities that are meant", true, func(c change) bool { return !c.has(entities) }, func(s *source, c change) change {
			return s.appended(c, []string{" &lt;b&gt;", " a &amp;&amp; b", " x &gt; 0"}[s.IntN(3)])
		}),
		lines("curly quotes", false, quotable, func(_ *source, c change) change {
			return c.mapped(func(l signed) signed { return signed{l.sign, curly(l.text)} })
		}),
		lines("curly quotes that are meant", true, func(c change) bool { return !c.has(curlies) }, func(s *source, c change) change {
			return s.appended(c, []string{" “so”", " don’t"}[s.IntN(2)])
		}),
		lines("numbers in all lines", false, always, func(s *source, c change) change { return c.withNumbers(s.number(), true) }),
		{"tabs in a file of spaces", format, true, addedBlanks(format, "\t")},
		{"spaces in a file of tabs", format, true, addedBlanks(format, "    ")},
		{"line like a placeholder", format, true, likePlaceholder(format)},
		{"two envelopes", format, false, func(s *source) (envelopeCase, bool) {
			c := s.change
			if c.has(fences) {
				return envelopeCase{}, false
			}
			if encodable(c) && s.IntN(2) == 0 {
				c = c.mapped(escaped(s.IntN(3) == 0))
			} else if s.IntN(2) == 0 {
				c = c.withNumbers(s.number(), true)
			}
			lines := prose(s.Rand, fenced("", c.write(format, s.numbers(format))))
			if s.IntN(2) == 0 {
				lines = prefixed("> ", lines)
			} else {
				lines = oneLine(s.IntN(2) == 0, lines)
			}
			return s.one(s.certain(false), c, lines), true
		}},
	}
}

// number is how a line number is put before a line.
func (s *source) number() string {
	return []string{"%d| ", "%d: ", "%4d | ", "%6d\t", "%d|"}[s.IntN(5)]
}

// appended puts a text at the end of the lines that the change adds, in the patch
// and in what must come out.
func (s *source) appended(c change, text string) change {
	before, after := bare(c.before), bare(c.after)
	for _, h := range c.hunks {
		at := h.new - 1
		for _, l := range h.lines {
			if l.sign == '+' && l.text != "" {
				after[at] += text
			}
			if l.sign != '-' {
				at++
			}
		}
	}
	return newChange(c.path, strings.Join(before, "\n")+"\n", strings.Join(after, "\n")+"\n", 3)
}

// addedBlanks: lines are added whose indentation is not the file's, because they
// are another language: a recipe of make, a here-document, YAML.
func addedBlanks(format, indent string) func(s *source) (envelopeCase, bool) {
	texts := map[string][][]string{
		"\t":   {{"all: main.o", "\tcc -o main main.o"}, {"cat <<-EOF", "\tusage: tool [file]", "\t\t-v  say more", "\tEOF"}, {"x\ty\tz", "\t1\t2"}},
		"    ": {{"services:", "    web:", "        image: nginx"}, {"def f(x):", "    return x"}, {"    literal text", "      more of it"}},
	}[indent]
	other := map[string]string{"\t": "    ", "    ": "\t"}[indent]
	return func(s *source) (envelopeCase, bool) {
		if strings.Contains("\n"+s.before+s.after, "\n"+indent[:1]) || strings.Count(s.before, "\n"+other) < 5 {
			return envelopeCase{}, false
		}
		h := s.hunks[s.IntN(len(s.hunks))]
		at := h.new - 1 + len(h.newLines())/2
		text := texts[s.IntN(len(texts))]
		if s.IntN(2) == 0 && at > 0 { // all of it below a line of the file
			text = prefixed(indent, text)
		}
		after := slices.Insert(bare(s.after), at, text...)
		c := newChange(s.path, s.before, strings.Join(after, "\n")+"\n", 3)
		numbers := s.numbers(format)
		return s.one(c.certain(numbers), c, fenced("diff", c.write(format, numbers))), !c.has(fences)
	}
}

// likePlaceholder: the file itself holds a line that looks like one for omitted text.
func likePlaceholder(format string) func(s *source) (envelopeCase, bool) {
	texts := []string{"// ... other related functions ...", "# ... rest of the code ...", "<!-- ... existing content ... -->", "...", "// ... existing code ..."}
	return func(s *source) (envelopeCase, bool) {
		h := s.hunks[s.IntN(len(s.hunks))]
		lead := 0
		for lead < len(h.lines) && h.lines[lead].sign == ' ' {
			lead++
		}
		if lead == 0 || strings.Contains(s.before, "...") {
			return envelopeCase{}, false
		}
		k, text := s.IntN(lead+1), texts[s.IntN(len(texts))]
		before := slices.Insert(bare(s.before), h.old-1+k, text)
		after := slices.Insert(bare(s.after), h.new-1+k, text)
		c := newChange(s.path, strings.Join(before, "\n")+"\n", strings.Join(after, "\n")+"\n", 3)
		numbers := s.numbers(format)
		return s.one(c.certain(numbers), c, c.write(format, numbers)), c.has(regexp.MustCompile(`\.\.\.`)) && !c.has(fences)
	}
}

// twins are the same envelopes around a patch that must not be applied.
func twins(format string) []kind {
	wrap := func(s *source, lines []string) []string {
		switch s.IntN(6) {
		case 0:
			return lines
		case 1:
			return prose(s.Rand, fenced("diff", lines))
		case 2:
			return prefixed("> ", lines)
		case 3:
			return prefixed("    ", lines)
		case 4:
			return oneLine(true, lines)
		}
		return fenced("", slices.Concat([]string{"- Fix it", ""}, lines))
	}
	write := func(s *source, c change, numbers bool) []string {
		if format == search {
			return c.blocks(c, []markers{plainMarkers, rooMarkers, conflictMarkers}[s.IntN(3)])
		}
		return c.write(format, numbers)
	}
	decorated := func(s *source) change {
		switch s.IntN(4) {
		case 0:
			return s.mapped(escaped(false))
		case 1:
			return s.withNumbers(s.number(), true)
		}
		return s.change
	}
	return []kind{
		{"twin: another file", format, false, func(s *source) (envelopeCase, bool) {
			c, d := decorated(s), s.stranger
			if d.path == s.path || !s.strange(d.before) {
				return envelopeCase{}, false
			}
			d.after = d.before
			return s.refuse(d, wrap(s, write(s, c, s.numbers(format)))), true
		}},
		{"twin: lines are gone", format, false, func(s *source) (envelopeCase, bool) {
			c := decorated(s)
			h := s.hunks[s.IntN(len(s.hunks))]
			c.before = strings.Join(slices.Delete(bare(s.before), h.old-1, h.old-1+len(h.oldLines())), "\n") + "\n"
			one := change{hunks: []hunk{h}}
			return s.refuse(c, wrap(s, write(s, c, s.numbers(format)))), one.strange(c.before)
		}},
		{"twin: two places", format, false, func(s *source) (envelopeCase, bool) {
			if !s.single() || !s.alone() || s.has(fences) {
				return envelopeCase{}, false
			}
			c := s.change // no numbers in its lines: they would say which place is meant
			if s.IntN(3) == 0 {
				c = s.mapped(escaped(false))
			}
			c.before += "\n" + strings.Join(s.hunks[0].oldLines(), "\n") + "\n"
			return s.refuse(c, wrap(s, c.write(format, false))), len(s.hunks[0].oldLines()) > 0
		}},
		{"twin: cut off", format, false, func(s *source) (envelopeCase, bool) { return s.cutOff(format) }},
	}
}

// strange reports whether a text lacks nearly all lines that a hunk looks for.
func (c change) strange(text string) bool {
	has := map[string]bool{}
	for _, l := range essences(bare(text)) {
		has[l] = true
	}
	for _, h := range c.hunks {
		n, found := 0, 0
		for _, l := range essences(h.oldLines()) {
			if len(l) >= 8 {
				n++
				if has[l] {
					found++
				}
			}
		}
		if n >= 2 && found*4 < n {
			return true
		}
	}
	return false
}

// cutOff ends the answer in the middle of a line that is added: the fence, the end
// markers and the rest of the counted lines are missing.
func (s *source) cutOff(format string) (envelopeCase, bool) {
	h := s.hunks[len(s.hunks)-1]
	last := h.lines[len(h.lines)-1]
	for i := range h.lines {
		if h.lines[i].sign == '+' {
			last = h.lines[i]
		}
	}
	if format == unified && h.lines[len(h.lines)-1].sign == '+' {
		return envelopeCase{}, false // the counts would be right
	}
	if last.sign != '+' || len(strings.TrimSpace(last.text)) < 6 || s.has(fences) {
		return envelopeCase{}, false
	}
	text := strings.Join(fenced("diff", s.write(format, true)), "\n")
	want := last.text
	if format != search {
		want = "+" + want
	}
	at := strings.LastIndex(text, "\n"+want+"\n")
	if at < 0 || format == search && at < strings.LastIndex(text, "\n=======\n") {
		return envelopeCase{}, false
	}
	at += len("\n"+want) - 1 - s.IntN(len(strings.TrimSpace(want))-2)
	c := s.refuse(s.change, nil)
	c.text = text[:at]
	return c, true
}

// gitHeader returns the lines that git writes above a file.
func (c change) gitHeader() []string {
	return []string{fmt.Sprintf("diff --git a/%s b/%s", c.path, c.path), "index 3b18e51..9daeafb 100644"}
}
