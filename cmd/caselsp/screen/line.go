package screen

import (
	"strings"

	"caselsp/agent/quote"

	"github.com/clipperhouse/displaywidth"
)

// Line is a line that is being typed. The zero value is empty.
type Line struct {
	text  string
	at    int      // of the cursor, in bytes
	sent  []string // the lines before it, the newest last
	back  int      // how many of them up the line is; 0: it is the one being typed
	draft string   // the one being typed, while another is shown
	paste bool     // what comes is pasted: a line break is text
}

// maxLine is the longest line, in bytes: what is said to a task may be no longer.
const maxLine = 64 << 10

// maxSent is how many earlier lines are kept: more are not looked for with a key.
const maxSent = 100

// Press does what a key does. entered says that the line is complete: it is returned, and the next one begins.
func (l *Line) Press(k Key) (text string, entered bool) {
	if l.paste && k.Name == KeyEnter {
		k = Key{Text: "\n"}
	}
	switch k.Name {
	case "":
		l.insert(k.Text)
	case KeyEnter:
		return l.enter(), true
	case KeyPaste, KeyPasted:
		l.paste = k.Name == KeyPaste
	case KeyUp, KeyDown:
		l.recall(k.Name)
	case KeyBackspace:
		l.cut(l.left(), l.at)
	case KeyDelete:
		l.cut(l.at, l.right())
	case KeyCutBack:
		l.cut(0, l.at)
	case KeyCutRest:
		l.cut(l.at, len(l.text))
	case KeyCutWord:
		l.cut(l.wordLeft(), l.at)
	case KeyLeft:
		l.at = l.left()
	case KeyRight:
		l.at = l.right()
	case KeyWordLeft:
		l.at = l.wordLeft()
	case KeyWordRight:
		l.at = l.wordRight()
	case KeyHome:
		l.at = 0
	case KeyEnd:
		l.at = len(l.text)
	}
	return "", false
}

// insert puts text at the cursor; what does not show as what it is, is spelled out.
func (l *Line) insert(text string) {
	text = quote.Visible(strings.ReplaceAll(text, "\t", " "))
	if len(l.text)+len(text) > maxLine {
		return
	}
	l.text = l.text[:l.at] + text + l.text[l.at:]
	l.at += len(text)
}

func (l *Line) cut(from, to int) {
	l.text, l.at = l.text[:from]+l.text[to:], from
}

// enter ends the line.
func (l *Line) enter() string {
	text := l.text
	if strings.TrimSpace(text) != "" && (len(l.sent) == 0 || l.sent[len(l.sent)-1] != text) {
		l.sent = append(l.sent, text)
		l.sent = l.sent[max(0, len(l.sent)-maxSent):]
	}
	l.text, l.at, l.back, l.draft = "", 0, 0, ""
	return text
}

// recall shows an earlier line, or a later one.
func (l *Line) recall(key string) {
	back := l.back + 1
	if key == KeyDown {
		back = l.back - 1
	}
	if back < 0 || back > len(l.sent) {
		return
	}
	if l.back == 0 {
		l.draft = l.text
	}
	l.back, l.text = back, l.draft
	if back > 0 {
		l.text = l.sent[len(l.sent)-back]
	}
	l.at = len(l.text)
}

// left is the place of the character before the cursor.
func (l *Line) left() int {
	last := 0
	for g := displaywidth.StringGraphemes(l.text[:l.at]); g.Next(); {
		last = len(g.Value())
	}
	return l.at - last
}

// right is the place behind the character at the cursor.
func (l *Line) right() int {
	if g := displaywidth.StringGraphemes(l.text[l.at:]); g.Next() {
		return l.at + len(g.Value())
	}
	return l.at
}

// wordLeft is where the word before the cursor begins.
func (l *Line) wordLeft() int {
	return strings.LastIndexAny(strings.TrimRight(l.text[:l.at], " \n"), " \n") + 1
}

// wordRight is where the word after the cursor ends.
func (l *Line) wordRight() int {
	rest := strings.TrimLeft(l.text[l.at:], " \n")
	skipped := len(l.text) - l.at - len(rest)
	if i := strings.IndexAny(rest, " \n"); i >= 0 {
		return l.at + skipped + i
	}
	return len(l.text)
}

// breakMark stands for a line break within the line.
const breakMark = "⏎"

// rows breaks prompt and text into rows of at most width columns, and says where the cursor is in them. Of more than
// most rows those around the cursor are returned.
func (l *Line) rows(prompt string, width, most int) (rows []string, cursor, column int) {
	row, cells := "", 0
	add := func(text string) {
		for g := displaywidth.StringGraphemes(text); g.Next(); {
			value, w := g.Value(), g.Width()
			if value == "\n" {
				value, w = breakMark, 1
			}
			if cells+w > width {
				rows, row, cells = append(rows, row), "", 0
			}
			row, cells = row+value, cells+w
		}
	}
	add(prompt)
	add(l.text[:l.at])
	if cells == width { // the cursor has no room behind a full row
		rows, row, cells = append(rows, row), "", 0
	}
	cursor, column = len(rows), cells
	add(l.text[l.at:])
	rows = append(rows, row)
	first := min(max(0, cursor-most+1), max(0, len(rows)-most))
	return rows[first:min(len(rows), first+most)], cursor - first, column
}
