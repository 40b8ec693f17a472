package store

import "strings"

// margins are what stands at the beginning of lines beside indentation: marks of
// diffs, quotations, comments and tables, and quotes of the parts of a string.
const margins = " \t\"'+>|#*-"

var inMargin, beforeBreak = bytesOf(margins), bytesOf(" \t\r\"'+\\")

func bytesOf(text string) (in [256]bool) {
	for i := range len(text) {
		in[text[i]] = true
	}
	return in
}

// hasNumbers reports whether a line of a text begins with its number.
func hasNumbers(p *page) bool {
	next := 0
	for _, at := range p.marks {
		i := int(at)
		if i < next || p.text[i] != '\n' {
			continue
		}
		next = afterMargin(p.text, i+1)
		if next < len(p.text) && lineNumber(p.text[next:min(len(p.text), next+maxName)]) > 0 {
			return true
		}
	}
	return false
}

// lines is a way in which a text is broken into lines.
type lines int

const (
	quotedLines lines = iota // what joins strings stands at their ends
	brokenLines
	numberedLines
)

// joined undoes line breaks, with the operators that join strings before them and the
// margins after them, terminal escapes, and characters without width. In numbered
// lines, their numbers, or the names and numbers that grep writes, are margins too; nil
// where there are no margins. Broken lines go on as they ended: a + there is part of base64.
func joined(p *page, how lines) (edits []edit) {
	text, found, end := p.text, false, 0
	for _, at := range p.marks {
		i := int(at)
		if i < end || !breaking[text[i]] {
			continue
		}
		begin, stop := i, i+1
		switch c := text[i]; c {
		case '\n', '\\':
			if c == '\\' && (i+1 == len(text) || text[i+1] != 'n') {
				continue
			}
			if c == '\\' {
				stop++
				if strings.HasSuffix(text[end:begin], `\r`) {
					begin -= 2
				}
			}
			for begin > end && beforeBreak[text[begin-1]] && (how == quotedLines || text[begin-1] != '+') {
				begin--
			}
			stop = afterMargin(text, stop)
			if how == numberedLines {
				if n := lineNumber(text[stop:min(len(text), stop+maxName)]); n > 0 {
					found, stop = true, afterMargin(text, stop+n)
				}
			}
		case '\x1b':
			stop = i + terminalEscape(text[i:])
		case 0:
		default: // of a character without width, in UTF-8
			n := weightless(text[i:])
			if n == 0 {
				continue
			}
			stop = i + n
		}
		if edits == nil {
			edits = make([]edit, 0, len(p.marks))
		}
		edits = append(edits, edit{start: begin, end: stop})
		end = stop
	}
	if how == numberedLines && !found {
		return nil
	}
	return edits
}

var breaking = [256]bool{'\n': true, '\\': true, '\x1b': true, 0: true, 0xe2: true, 0xc2: true, 0xef: true}

func afterMargin(text string, i int) int {
	for i < len(text) && inMargin[text[i]] {
		i++
	}
	if i == len(text) || text[i] != "│"[0] {
		return i
	}
	for _, bar := range []string{"│ ", "│", "┃ ", "┃"} {
		if strings.HasPrefix(text[i:], bar) {
			return i + len(bar)
		}
	}
	return i
}

// lineNumber returns the length of the number of a line at the beginning of a text,
// with the name of a file before it and the sign after it; 0 if there is none.
func lineNumber(text string) int {
	if n := numberLength(text); n > 0 {
		return n
	}
	i := 0
	for i < len(text) && (nameByte(text[i]) || text[i] == '/') {
		i++
	}
	if i == 0 || i == len(text) || text[i] != ':' {
		return 0
	}
	n := numberLength(text[i+1:])
	if n == 0 {
		return 0
	}
	return i + 1 + n
}

// numberLength is the length of digits and a sign after them.
func numberLength(text string) int {
	const most = 7 // digits
	i := 0
	for i < len(text) && i <= most && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	if i == 0 || i > most {
		return 0
	}
	for j := i; j < len(text) && j <= i+2; j++ {
		if strings.IndexByte("|:)\t-", text[j]) >= 0 {
			return j + 1
		}
		if strings.HasPrefix(text[j:], "│") || strings.HasPrefix(text[j:], "→") {
			return j + len("│")
		}
		if text[j] != ' ' {
			break
		}
	}
	return 0
}

// terminalEscape returns the length of the escape sequence at the beginning of a text.
func terminalEscape(text string) int {
	const most = 256 // bytes
	text = text[:min(len(text), most)]
	if len(text) < 2 {
		return len(text)
	}
	switch text[1] {
	case '[':
		for i := 2; i < len(text); i++ {
			if text[i] >= 0x40 && text[i] <= 0x7e {
				return i + 1
			}
		}
	case ']', 'P', '_', '^':
		for i := 2; i < len(text); i++ {
			if text[i] == 7 {
				return i + 1
			}
			if text[i] == '\x1b' && i+1 < len(text) && text[i+1] == '\\' {
				return i + 2
			}
		}
	case '(', ')', '#':
		return min(3, len(text))
	}
	return 2
}

// weightless returns the length of a character without width at the beginning of a text.
func weightless(text string) int {
	for _, c := range []string{"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u200e", "\u200f", "\u2028"} {
		if strings.HasPrefix(text, c) {
			return len(c)
		}
	}
	return 0
}
