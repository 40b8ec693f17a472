// Package quote shows texts that are not ours to people: what a model, a command or a file says is
// marked as such and whole, and what does not show as what it is is spelled out. [Words] are a
// model's: whoever prints them prints them marked.
//
// It decides nothing and does no I/O.
package quote

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a text that is not ours, such as a command line or what a model asks, as it
// stands within a line of ours: whole, between “ and ”, and with nothing in it that could
// pass for the end of the quotation or hide a part of the text. A line break is ⏎, a tab is
// ⇥; padding is counted: ⏎×200, ␣×80. These signs themselves, and whatever [Visible] does
// not let through, are spelled out.
func Text(text string) string {
	var b strings.Builder
	b.WriteString("“")
	for text = Visible(text); text != ""; {
		rest := strings.TrimLeft(text, " \t\n")
		if blank := text[:len(text)-len(rest)]; blank != "" {
			text = rest
			if lines := strings.Count(blank, "\n"); lines > 0 {
				b.WriteString(" " + counted('⏎', lines) + " ")
				blank = blank[strings.LastIndexByte(blank, '\n')+1:]
			}
			b.WriteString(blanks(blank, maxBlanks))
			continue
		}
		r, width := utf8.DecodeRuneInString(text)
		text = text[width:]
		if strings.ContainsRune("“”⏎⇥␣×\r", r) || unicode.Is(unicode.Zs, r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteString("”")
	return b.String()
}

// Lines returns a text that is not ours as lines of its own, each with a mark before
// it, so that none of them can pass for a line of ours. Empty lines that would push the
// rest out of sight are counted instead.
func Lines(text, mark string) string {
	var b strings.Builder
	empty := 0
	flush := func() {
		if empty > maxEmpty {
			fmt.Fprintf(&b, "%s⏎×%d\n", mark, empty)
		} else {
			b.WriteString(strings.Repeat(strings.TrimRight(mark, " ")+"\n", empty))
		}
		empty = 0
	}
	for line := range strings.Lines(strings.ReplaceAll(Visible(text), "\r", `\u{d}`)) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" {
			empty++
			continue
		}
		flush()
		b.WriteString(mark + blanks(line, maxIndent) + "\n")
	}
	flush()
	return b.String()
}

const (
	maxBlanks = 8  // more blanks side by side in a line are counted
	maxIndent = 40 // the same in a text that keeps its lines, where code is indented
	maxEmpty  = 2  // more empty lines one below the other are counted
)

// blanks returns a text with tabs shown and with runs of more than most blanks counted.
func blanks(text string, most int) string {
	var b strings.Builder
	for text != "" {
		rest := strings.TrimLeft(text, " ")
		switch n := len(text) - len(rest); {
		case n > most:
			b.WriteString(counted('␣', n))
		case n > 0:
			b.WriteString(text[:n])
		case most == maxBlanks && text[0] == '\t':
			b.WriteRune('⇥')
			rest = text[1:]
		default:
			end := len(text)
			if i := strings.IndexAny(text, " \t"); i > 0 {
				end = i
			} else if i == 0 {
				end = 1
			}
			b.WriteString(text[:end])
			rest = text[end:]
		}
		text = rest
	}
	return b.String()
}

// counted is a sign that stands for n blanks or line breaks.
func counted(sign rune, n int) string {
	if n == 1 {
		return string(sign)
	}
	return fmt.Sprintf("%c×%d", sign, n)
}
