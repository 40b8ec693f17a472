package screen

import (
	"strings"

	"caselsp/agent/quote"

	"github.com/clipperhouse/displaywidth"
)

// Line is a text that is being typed, of one line or several. The zero value is empty.
type Line struct {
	text  string
	at    int      // of the cursor, in bytes
	sent  []string // the texts before it, the newest last
	back  int      // how many of them up the text is; 0: it is the one being typed
	draft string   // the one being typed, while another is shown
	yank  string   // what was cut last
	paste bool     // what comes is pasted: a line break is text
	cr    bool     // the last that was pasted is a carriage return: a line feed behind it is the same line break
	full  bool     // a text was not taken because it is too long
}

// maxLine is the longest text, in bytes: what is said to a task may be no longer.
const maxLine = 64 << 10

// maxSent is how many earlier texts are kept: more are not looked for with a key.
const maxSent = 100

// Press does what a key does. entered says that the text is complete: it is returned, and the next one begins.
func (l *Line) Press(k Key) (text string, entered bool) {
	l.full = false
	if l.paste {
		k = l.pasted(k)
	}
	switch k.Name {
	case "":
		l.insert(k.Text)
	case KeyEnter:
		if strings.HasSuffix(l.text[:l.at], `\`) {
			l.cut(l.at-1, l.at)
			l.insert("\n")
			return "", false
		}
		return l.enter(), true
	case KeyBreak:
		if l.text == "" { // no text begins with one
			return l.enter(), true
		}
		l.insert("\n")
	case KeyPaste, KeyPasted:
		l.paste, l.cr = k.Name == KeyPaste, false
	case KeyUp, KeyDown:
		l.vertical(k.Name)
	case KeyYank:
		l.insert(l.yank)
	default:
		l.move(k.Name)
	}
	return "", false
}

// pasted is a key within what is pasted: only the end of it is one.
func (l *Line) pasted(k Key) Key {
	feed := k.Name == KeyBreak && l.cr
	l.cr = k.Name == KeyEnter
	switch {
	case feed:
		return Key{Name: KeyNone}
	case k.Name == KeyEnter, k.Name == KeyBreak:
		return Key{Text: "\n"}
	case k.Name != "" && k.Name != KeyPasted:
		return Key{Name: KeyNone}
	}
	return k
}

// move moves the cursor, or cuts up to where it would move.
func (l *Line) move(name string) {
	switch name {
	case KeyBackspace:
		l.cut(l.left(), l.at)
	case KeyDelete:
		l.cut(l.at, l.right())
	case KeyCutBack:
		l.kill(l.home(), l.at)
	case KeyCutRest:
		l.kill(l.at, l.end())
	case KeyCutWord:
		l.kill(l.wordLeft(), l.at)
	case KeyCutNext:
		l.kill(l.at, l.wordRight())
	case KeyLeft:
		l.at = l.left()
	case KeyRight:
		l.at = l.right()
	case KeyWordLeft:
		l.at = l.wordLeft()
	case KeyWordRight:
		l.at = l.wordRight()
	case KeyHome:
		l.at = l.home()
	case KeyEnd:
		l.at = l.end()
	}
}

// insert puts text at the cursor; what does not show as what it is, is spelled out.
func (l *Line) insert(text string) {
	if !l.paste { // a key that is pressed for a completion
		text = strings.ReplaceAll(text, "\t", " ")
	}
	text = quote.Visible(text)
	if len(l.text)+len(text) > maxLine {
		l.full = true
		return
	}
	l.text = l.text[:l.at] + text + l.text[l.at:]
	l.at += len(text)
}

func (l *Line) cut(from, to int) {
	l.text, l.at = l.text[:from]+l.text[to:], from
}

// kill is cut for what can be put back.
func (l *Line) kill(from, to int) {
	if from < to {
		l.yank = l.text[from:to]
	}
	l.cut(from, to)
}

// clear forgets what is typed.
func (l *Line) clear() { l.text, l.at, l.back, l.draft, l.paste = "", 0, 0, "", false }

// enter ends the text.
func (l *Line) enter() string {
	text := l.text
	l.remember(text)
	l.clear()
	return text
}

// remember keeps a text for the key that goes back to it.
func (l *Line) remember(text string) {
	if strings.TrimSpace(text) != "" && (len(l.sent) == 0 || l.sent[len(l.sent)-1] != text) {
		l.sent = append(l.sent, text)
		l.sent = l.sent[max(0, len(l.sent)-maxSent):]
	}
}

// vertical goes to the line above or below within the text; from its first and last one, to an earlier text or a later one.
func (l *Line) vertical(key string) {
	home, end := l.home(), l.end()
	column := displaywidth.String(l.text[home:l.at])
	switch {
	case key == KeyUp && home > 0:
		l.at = home - 1
		l.at = l.home()
	case key == KeyDown && end < len(l.text):
		l.at = end + 1
	default:
		l.recall(key)
		return
	}
	end = l.end()
	for g := displaywidth.StringGraphemes(l.text[l.at:end]); g.Next() && column >= g.Width(); column -= g.Width() {
		l.at += len(g.Value())
	}
}

// recall shows an earlier text, or a later one.
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

// home is where the cursor's line begins.
func (l *Line) home() int { return strings.LastIndexByte(l.text[:l.at], '\n') + 1 }

// end is where the cursor's line ends.
func (l *Line) end() int {
	if i := strings.IndexByte(l.text[l.at:], '\n'); i >= 0 {
		return l.at + i
	}
	return len(l.text)
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

// maxMargin is the most columns that the further lines of a text are indented, to stand below its first one. Behind a longer
// prompt they are not: they would have no room.
const maxMargin = 16

// shownTab is how a tab of a pasted text is shown, wherever it stands.
const shownTab = "    "

// rows breaks prompt and text into rows of at most width columns, between words where there are some, and says where the
// cursor is in them. Of more than most rows those around the cursor are returned.
func (l *Line) rows(prompt string, width, most int) (rows []string, cursor, column int) {
	margin := displaywidth.String(prompt)
	if margin > min(maxMargin, width/2) {
		margin = 0
	}
	p := page{width: width}
	p.put(prompt)
	word := 0 // where the present one begins
	for at := 0; at < len(l.text); {
		g := displaywidth.StringGraphemes(l.text[at:])
		g.Next()
		value, w := g.Value(), g.Width()
		shown := value
		if value == "\t" {
			shown, w = shownTab, len(shownTab)
		}
		if value != "\n" {
			if at == word && value != " " && p.cells > margin {
				p.fit(displaywidth.String(l.text[at:at+wordLen(l.text[at:])]), margin)
			}
			p.fit(w, margin)
		}
		if at == l.at {
			cursor, column = len(p.rows), p.cells
		}
		if value == "\n" {
			p.next(margin)
		} else {
			p.row, p.cells = p.row+shown, p.cells+w
		}
		if at += len(value); value == " " || value == "\n" {
			word = at
		}
	}
	if l.at == len(l.text) {
		p.fit(1, margin) // the cursor has no room behind a full row
		cursor, column = len(p.rows), p.cells
	}
	rows = append(p.rows, p.row)
	first := min(max(0, cursor-most+1), max(0, len(rows)-most))
	return rows[first:min(len(rows), first+most)], cursor - first, column
}

// wordLen is the length of the word that a text begins with.
func wordLen(text string) int {
	if i := strings.IndexAny(text, " \n"); i >= 0 {
		return i
	}
	return len(text)
}

// page is rows of a width that are being filled.
type page struct {
	width int
	rows  []string
	row   string
	cells int
}

func (p *page) next(margin int) {
	p.rows, p.row, p.cells = append(p.rows, p.row), strings.Repeat(" ", margin), margin
}

// fit begins another row where there is no room for a width in this one, but in another one.
func (p *page) fit(w, margin int) {
	if p.cells+w > p.width && margin+w <= p.width {
		p.next(margin)
	}
}

// put adds a text, broken anywhere.
func (p *page) put(text string) {
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		p.fit(g.Width(), 0)
		p.row, p.cells = p.row+g.Value(), p.cells+g.Width()
	}
}
