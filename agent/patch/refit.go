package patch

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/agent/content"
)

// fitting knows how the lines of a hunk differ in form (indentation, white space
// at line ends, signs) from the lines of the file that they are, and gives the
// new lines the file's form. What the hunk did not get wrong it leaves alone.
type fitting struct {
	quotes []quote
	right  bool // the new lines are indented as the file is, whatever the old ones are
	levels
	slip  *quote          // the only old line that is misquoted: new lines in its stead may be so, too
	signs map[rune]string // signs of the hunk that are plain ones in the file
	meant map[rune]bool   // signs of the hunk that the file has as well
}

// quote is the indentation of an old line in the hunk and in the file.
type quote struct {
	kind       Kind
	said, have string
	old        int // which of the old lines it is
}

// style is what a text indents with.
type style struct {
	tabs, blanks bool
	unit         int // the blanks of one level
}

const (
	usualUnit = 4 // blanks of one level, where nothing tells
	widest    = 8 // more blanks than that align, they do not indent
)

// styleOf looks at the indentation of lines. A single blank is none: it stands
// before the * of a comment.
func styleOf(lines []string) style {
	var s style
	for _, l := range lines {
		in := indent(l)
		switch {
		case len(in) == len(l):
		case strings.HasPrefix(in, "\t"):
			s.tabs = true
		case len(in) >= 2:
			s.blanks = true
			s.unit = gcd(s.unit, len(in))
		}
	}
	if s.unit < 2 || s.unit > widest {
		s.unit = usualUnit
	}
	return s
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// indent returns the white space that a line begins with.
func indent(l string) string { return l[:len(l)-len(strings.TrimLeft(l, " \t"))] }

// plainTexts are the endings of the names of texts in which a tab means something
// else than a level.
var plainTexts = strings.Fields(".txt .text .mk .mak .am .in .tsv .tab .csv .diff .patch .md .markdown .rst .golden .out .log .gitconfig .gitmodules")

// isSource reports whether the indentation of a text is a matter of its style:
// it has a name with an ending, and not one of a plain text, or is a script.
func isSource(file, text string) bool {
	ext := strings.ToLower(path.Ext(file))
	return ext != "" && !slices.Contains(plainTexts, ext) || strings.HasPrefix(text, "#!")
}

// levels is what one level of indentation is in a patch and in the file, where
// one of them uses tabs and the other blanks; else both are "".
type levels struct{ from, to string }

// fittings learns from the old lines of all hunks and the lines that they are.
func (a *application) fittings() ([]*fitting, *Refusal) {
	fits := make([]*fitting, len(a.cands))
	for i := range a.cands {
		if a.cands[i].Hunk == nil {
			continue
		}
		if fits[i] = a.learn(&a.cands[i], a.places[i]); fits[i].flat(&a.cands[i]) {
			return nil, a.unsettled(i, "has no indentation, and its lines have some in the file")
		}
	}
	if r := a.share(fits); r != nil {
		return nil, r
	}
	for i, f := range fits {
		switch c := &a.cands[i]; {
		case f == nil:
		case len(f.wrong()) > 0:
			if f.right = f.isRight(a.doc.Bare, c, a.places[i]); !a.source && !f.right && f.alone() && slices.ContainsFunc(c.added(), func(l string) bool { return f.line(l) != l }) {
				return nil, a.unsettled(i, "quotes one line in another indentation than the file has")
			}
		default:
			f.right = true // as they were written
			if as := a.unseen(styleOf(c.added())); as != (levels{}) && !f.shows() && !literal(a.doc.Bare, a.places[i].to, c) {
				f.levels, f.right = as, false
			}
		}
	}
	return fits, nil
}

// unsettled refuses a hunk of which nothing tells how its new lines are to be indented.
func (a *application) unsettled(i int, why string) *Refusal {
	return &Refusal{Status: Malformed, Hunk: i + 1, Message: fmt.Sprintf("%s %s: how deep its new lines are to be is not certain. Write all lines with the indentation of the file.", a.name(i), why)}
}

// alone reports whether one line of context only is indented otherwise than the file's: in a
// text of paragraphs, unlike in a program, that shows nothing of other lines.
func (f *fitting) alone() bool {
	wrong := f.wrong()
	return len(wrong) == 1 && wrong[0].kind == Context
}

// flat reports whether the hunk has lost all indentation, and that of its new lines is not
// that of all its old ones.
func (f *fitting) flat(c *candidate) bool {
	various, some := false, false
	for _, q := range f.quotes {
		if q.said != "" {
			return false
		}
		various, some = various || q.have != f.quotes[0].have, some || q.have != ""
	}
	last := ""
	for _, l := range c.new {
		if indent(l) != "" {
			return false
		}
		various, last = various || strings.HasSuffix(last, ":") && l != "" && !strings.HasPrefix(l, "-"), l
	}
	return some && various && slices.ContainsFunc(c.added(), func(l string) bool { return l != "" })
}

// unseen returns the levels of a hunk whose old lines show no indentation: new lines
// that are all indented in a way that no line of a source is are a slip.
func (a *application) unseen(added style) levels {
	tabs, blanks := added.tabs && !added.blanks, added.blanks && !added.tabs
	switch {
	case a.source && tabs && a.style.blanks && !a.style.tabs:
		return levels{"\t", strings.Repeat(" ", a.style.unit)}
	case a.source && blanks && a.style.tabs && !a.style.blanks:
		return levels{strings.Repeat(" ", added.unit), "\t"}
	}
	return levels{}
}

// learn compares the old lines of a hunk with those of the file.
func (a *application) learn(c *candidate, p place) *fitting {
	f := &fitting{signs: map[rune]string{}, meant: map[rune]bool{}}
	old := -1
	for _, l := range c.Lines {
		if l.Kind == Added {
			continue
		}
		old++
		line := p.line(old)
		if line < 0 || strings.TrimSpace(l.Text) == "" || fold(l.Text) != a.views.folded[line] {
			continue
		}
		have := a.doc.Bare[line]
		if p.at == nil || weight(a.views.folded[line]) >= leastSaid { // a bracket was perhaps taken for another one
			said := l.Text
			if !strings.Contains(have, noBreak) {
				said = strings.ReplaceAll(said, noBreak, " ")
			}
			f.quotes = append(f.quotes, quote{l.Kind, indent(said), indent(have), old})
		}
		f.learnSigns(l.Text, have)
	}
	f.learnLevels()
	return f
}

// learnSigns notes which typographic signs of a line the file has as well, and which
// are plain ones there.
func (f *fitting) learnSigns(said, have string) {
	for _, r := range said {
		if plain := plainSign(r); strings.ContainsRune(have, r) {
			f.meant[r] = true
		} else if plain != string(r) && string(r) != content.ByteOrderMark { // that of the file stands before its first line only
			f.signs[r] = plain
		}
	}
}

// learnLevels finds out whether the hunk indents with tabs where the file has
// blanks, or the reverse.
func (f *fitting) learnLevels() {
	tabbed, blanked := 0, 0 // the blanks of one level, in the file and in the hunk
	for _, q := range f.quotes {
		switch {
		case q.said == "" || q.have == "" || q.said[0] == q.have[0]:
		case q.said[0] == '\t':
			tabbed = gcd(tabbed, len(q.have)/tabs(q.said))
		default:
			blanked = gcd(blanked, len(q.said)/tabs(q.have))
		}
	}
	switch {
	case tabbed > 0:
		f.levels = levels{"\t", strings.Repeat(" ", tabbed)}
	case blanked > 0:
		f.levels = levels{strings.Repeat(" ", blanked), "\t"}
	}
}

func tabs(in string) int { return max(1, strings.Count(in, "\t")) }

// wrong returns the old lines that are not indented as in the file.
func (f *fitting) wrong() []quote {
	return slices.DeleteFunc(slices.Clone(f.quotes), func(q quote) bool { return q.said == q.have })
}

// isRight reports whether the new lines of the hunk are indented as the file is,
// though its old ones are not.
func (f *fitting) isRight(bare []string, c *candidate, p place) bool {
	if f.slipped() {
		return true
	}
	if f.misaligned() {
		return !f.shifted(c)
	}
	if f.from == "" && f.moved() {
		return false
	}
	if f.asFile(bare, c, p) || f.known(c.added()) {
		return true
	}
	added := styleOf(c.added())
	switch {
	case strings.HasPrefix(f.to, "\t"):
		return added.tabs && !added.blanks
	case f.to != "":
		return added.blanks && !added.tabs
	}
	return false
}

// asFile reports whether the new text of the hunk is as deep as the lines of the file
// at its place, though its old text is not.
func (f *fitting) asFile(bare []string, c *candidate, p place) bool {
	have, _ := shallowest(bare[p.from:p.to])
	old, _ := shallowest(c.old)
	now, ok := shallowest(c.new)
	return ok && now == have && old != have
}

// moved reports whether the lines of context are indented otherwise than the
// file's, all of them that are indented at all: the hunk's new text has them as
// well, so it was written as a whole in that indentation.
func (f *fitting) moved() bool {
	context := 0
	for _, q := range f.quotes {
		if q.kind == Context && q.said+q.have != "" {
			if q.said == q.have {
				return false
			}
			context++
		}
	}
	return context >= 2
}

// slipped takes the only old line out that is not indented as in the file: that is a slip
// of one line, of the first most often, and says nothing of the new ones.
func (f *fitting) slipped() bool {
	wrong := f.wrong()
	if len(wrong) != 1 {
		return false
	}
	q, i := wrong[0], slices.Index(f.quotes, wrong[0])
	rest := slices.Delete(slices.Clone(f.quotes), i, i+1)
	trimmed := i == 0 && len(rest) > 0 && strings.HasSuffix(q.have, q.said)
	// Of lines at the margin, another width of levels is not seen.
	shown := q.said == "" || q.have == "" || slices.ContainsFunc(rest, func(o quote) bool { return o.said != "" })
	// No shift and no other width moves one line from the margin and not the next.
	margin := q.have == "" && slices.ContainsFunc(rest, func(o quote) bool { return o.said == "" })
	if !trimmed && !margin && (len(rest) < 2 || !shown) {
		return false
	}
	f.slip, f.quotes = &q, rest
	return true
}

// known reports whether the new lines are as deep as lines of the file that the hunk
// quotes otherwise, and none is as deep as it quotes these.
func (f *fitting) known(added []string) bool {
	found := false
	for _, q := range f.quotes {
		if q.said == q.have {
			continue
		}
		if slices.ContainsFunc(added, func(l string) bool { return strings.TrimSpace(l) != "" && indent(l) == q.said }) {
			return false
		}
		found = found || slices.ContainsFunc(added, func(l string) bool { return strings.TrimSpace(l) != "" && indent(l) == q.have }) &&
			!slices.ContainsFunc(f.quotes, func(o quote) bool { return o.said == q.have })
	}
	return found
}

// shifted reports whether the new lines of a misaligned hunk are a blank too deep
// as well: they are as deep as its context is, which no line of the file is.
func (f *fitting) shifted(c *candidate) bool {
	least, ok := shallowest(c.added())
	said := slices.ContainsFunc(f.quotes, func(q quote) bool { return len(q.said) == least && q.said != q.have })
	have := slices.ContainsFunc(f.quotes, func(q quote) bool { return len(q.have) == least })
	return ok && said && !have
}

// misaligned reports whether the hunk has got the column of signs wrong: each
// line of context has one blank too many or too few, and the lines that carry a
// sign are as they should be.
func (f *fitting) misaligned() bool {
	wrong := f.wrong()
	return len(wrong) > 0 && !slices.ContainsFunc(wrong, func(q quote) bool {
		return q.kind != Context || q.said != q.have+" " && q.said+" " != q.have
	})
}

// noBreak is what some editors and models write in the place of a blank.
const noBreak = "\u00a0"

// line returns a new line in the form of the file.
func (f *fitting) line(l string) string {
	if f.signs[[]rune(noBreak)[0]] != "" {
		l = strings.ReplaceAll(l, noBreak, " ")
	}
	in := indent(l)
	body := l[len(in):]
	switch {
	case body == "" && in != "" && len(f.quotes) > 0 && !slices.ContainsFunc(f.quotes, func(q quote) bool { return q.said != in+q.have }):
		return "" // the whole hunk is as much deeper
	case body == "" && !f.right:
		return f.level(in) // a blank line is not moved along with the others
	}
	if len(f.signs) > 0 {
		var b strings.Builder
		for _, r := range body {
			if plain, ok := f.signs[r]; ok {
				b.WriteString(plain)
			} else {
				b.WriteRune(r)
			}
		}
		body = b.String()
	}
	return f.indent(in) + body
}

// indent returns what an indentation of the hunk is in the file. One that old
// lines have is looked up; of others, what they are more or less than the nearest
// known one is added or taken off.
func (f *fitting) indent(in string) string {
	if f.right || slices.ContainsFunc(f.quotes, func(q quote) bool { return q.said == in && q.have == in }) {
		return in
	}
	best := quote{}
	known, distance := false, 0
	right := slices.ContainsFunc(f.quotes, func(q quote) bool { return q.said == q.have && q.said != "" }) // then others are slips
	for _, q := range f.quotes {
		if q.said == in {
			return q.have
		}
		if right && q.said != q.have {
			continue
		}
		common := strings.HasPrefix(in, q.said) || strings.HasPrefix(q.said, in)
		if d := max(len(in)-len(q.said), len(q.said)-len(in)); common && (!known || d < distance) {
			best, known, distance = q, true, d
		}
	}
	if !known {
		return f.level(in)
	}
	if more, ok := strings.CutPrefix(in, best.said); ok {
		return best.have + f.level(more)
	}
	less := f.level(best.said[len(in):])
	return best.have[:max(0, len(best.have)-len(less))]
}

// level converts indentation from the hunk's levels to the file's.
func (f *fitting) level(in string) string {
	if f.from == "" {
		return in
	}
	return strings.ReplaceAll(in, f.from, f.to)
}

// block returns the new lines of a block in the form of the file.
func (f *fitting) block(b block) []string {
	added := b.added
	out := make([]string, len(added))
	for k, l := range added {
		out[k] = f.line(l)
	}
	other := func(q quote) bool { return q.said == f.slip.said }
	if s := f.slip; s != nil && s.kind == Removed && s.old >= b.from && s.old < b.to && (s.old == 0 || !slices.ContainsFunc(f.quotes, other)) {
		as := func(l string) bool { return indent(l) == s.said }
		for k := range out {
			if as(added[k]) && (k == 0 && s.old == 0 || !slices.ContainsFunc(added, func(l string) bool { return !as(l) })) {
				out[k] = s.have + strings.TrimPrefix(out[k], s.said)
			}
		}
	}
	return out
}
