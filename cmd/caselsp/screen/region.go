package screen

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"caselsp/agent/quote"

	"github.com/charmbracelet/x/ansi"
	"github.com/moby/term"
)

// Frame is what a region shows.
type Frame struct {
	Rows   []string // the status, with styles; each is cut to the terminal
	Prompt string   // stands before what is typed; without styles
	Hint   string   // stands where nothing is typed yet, with styles
}

// View makes the frame for a terminal of a size. typing says that a person types into the region.
type View func(width, height int, typing bool) Frame

// Prompt asks a person for a text.
type Prompt struct {
	Text    string // stands before what is typed; without styles
	Hint    string // stands where nothing is typed yet, with styles
	Message bool   // what is typed is a message: what was typed before stays, and so do the earlier ones
	Again   bool   // it is shown once more: the key that goes back finds what was typed in vain
	Leave   string // says how to leave, where Ctrl+C is a key: it empties the text, and ends the input where it comes twice
}

// Terminal is where a region is drawn.
type Terminal struct {
	io.Writer
	Size    func() (width, height int)
	Reflows bool // it wraps lines anew when it is made narrower; others cut them
}

// The size of a terminal that does not say its own.
const usualWidth, usualHeight = 80, 24

// Of is the terminal that a file is.
func Of(f *os.File) Terminal {
	return Terminal{Writer: f, Reflows: reflows(os.Getenv), Size: func() (int, int) {
		if size, err := term.GetWinsize(f.Fd()); err == nil && size.Width > 0 && size.Height > 0 {
			return int(size.Width), int(size.Height)
		}
		return usualWidth, usualHeight
	}}
}

// reflows reports whether the terminal wraps lines anew when it is made narrower. All that are in use do, but xterm, which
// says its name in a variable of its own, and the console of Linux.
func reflows(env func(string) string) bool {
	return env("TERM") != "linux" && (env("XTERM_VERSION") == "" || env("TMUX") != "")
}

// Region is the lower end of a terminal. The zero value shows nothing. Its methods may be called from anywhere.
type Region struct {
	mu     sync.Mutex
	tty    Terminal
	view   View // nil: nothing is shown
	typing bool
	line   Line    // a message, which stays while a question is asked
	asked  *Prompt // nil: what is typed is a message in the view
	answer Line
	warned bool   // the last key has said how to leave
	begun  bool   // what was printed while nothing was shown ends within a line
	part   []byte // printed, without the end of its line, which keeps it from being drawn
	drawn  drawing
}

// drawing is what is on the screen.
type drawing struct {
	text   string
	width  int   // of the terminal
	cells  []int // of each row
	cursor int   // its row
	column int
	pastes bool // the terminal marks what is pasted
}

// Show shows a view, or another one.
func (r *Region) Show(on Terminal, v View) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tty, r.view = on, v
	r.draw("")
}

// Redraw draws the view again: it shows the time, or the terminal has another size.
func (r *Region) Redraw() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draw("")
}

// Aside takes the view away while something else is done at the terminal, and draws it where the cursor is then. What is
// printed meanwhile waits.
func (r *Region) Aside(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.erase()
	do()
	r.draw("")
}

// Hide removes the region. What is printed next stands in its place.
func (r *Region) Hide() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.view == nil {
		return
	}
	r.view = nil
	r.closed()
}

// closed ends the region, where nothing is to be shown any more.
func (r *Region) closed() {
	if r.shown() {
		r.draw("")
		return
	}
	r.erase()
	if r.part != nil {
		_, _ = r.tty.Write(r.part)
	}
	r.part = nil
}

// shown reports whether there is something to show.
func (r *Region) shown() bool { return r.view != nil || r.asked != nil }

// Ask shows a prompt, in the place of the view. An answer begins empty: what was typed before it was typed for something else.
func (r *Region) Ask(on Terminal, p Prompt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var before []string
	if p.Again {
		before = r.answer.sent
	}
	r.tty, r.asked, r.warned, r.answer = on, &p, false, Line{sent: before}
	r.draw("")
}

// Asked ends a prompt. Where it has no answer it stays, as what was asked.
func (r *Region) Asked() {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.asked == nil:
	case r.asked.Message:
		r.asked = nil
		r.closed()
	default:
		r.print(r.said(""))
	}
}

// Recall gives a person earlier messages, which the key that goes back finds.
func (r *Region) Recall(texts []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range texts {
		r.line.remember(quote.Visible(text))
	}
}

// typed is the text that is being typed.
func (r *Region) typed() *Line {
	if r.asked != nil && !r.asked.Message {
		return &r.answer
	}
	return &r.line
}

// erase takes what is drawn off the screen.
func (r *Region) erase() {
	if r.drawn.cells == nil {
		return
	}
	width, _ := r.tty.Size()
	text := r.back(width)
	switch {
	case len(r.drawn.cells) > 1, width != r.drawn.width:
		text += clears
	default:
		text += "\x1b[K"
	}
	if r.drawn.pastes {
		text += pastesUnmarked
	}
	_, _ = io.WriteString(r.tty, text) // a terminal that has gone needs nothing
	r.drawn = drawing{}
}

// Edit has a person type into the region, or no longer: what was typed comes back with the next time.
func (r *Region) Edit(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.typing = on
	r.draw("")
}

// Press gives the region a key; see [Line.Press]. over says that it ends the input.
func (r *Region) Press(k Key) (text string, entered, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.typed()
	if k.Name == KeyEOF && l.text == "" {
		return "", false, true
	}
	if k.Name == KeyInterrupt && r.asked != nil && r.asked.Leave != "" {
		return "", false, r.interrupt(l)
	}
	r.warned = false
	if k.Name == KeyEOF {
		k.Name = KeyDelete
	}
	text, entered = l.Press(k)
	switch {
	case l.full:
		r.draw(fmt.Sprintf("  (not taken: a text can be %d KiB at most)\n", maxLine>>10))
	case entered && r.asked != nil: // it stays, as it was typed
		r.print(r.said(text))
	default:
		r.draw("")
	}
	return text, entered, false
}

// print ends a prompt, and prints a text in its place.
func (r *Region) print(text string) {
	if r.asked = nil; r.view != nil {
		r.draw(text)
		return
	}
	width, _ := r.tty.Size()
	_, _ = io.WriteString(r.tty, r.back(width)+overwriting(text)+"\x1b[J")
	r.drawn.cells, r.drawn.cursor = []int{0}, 0
	r.closed()
}

// clears clears the screen from the beginning of a row. Not at once: where that is all of the screen, tmux keeps a copy in what
// has scrolled by.
const clears = "\x1b[K\n\x1b[J\x1b[1A"

// overwriting has lines take the place of what is on the screen.
func overwriting(text string) string { return "\x1b[K" + strings.ReplaceAll(text, "\n", "\n\x1b[K") }

// interrupt is Ctrl+C as a key. It reports whether it ends the input.
func (r *Region) interrupt(l *Line) (over bool) {
	switch {
	case l.text != "":
		l.clear()
		r.draw("")
	case r.warned:
		return true
	default:
		r.warned = true
		r.draw(r.asked.Leave + "\n")
	}
	return false
}

// said is the prompt with an answer, as it was typed.
func (r *Region) said(text string) string {
	width, _ := r.tty.Size()
	above, prompt := promptRows(r.asked.Text, width)
	l := Line{text: text, at: len(text)}
	rows, _, _ := l.rows(prompt, max(1, width-1), len(text)+len(prompt)+1)
	for _, row := range rows {
		above = append(above, strings.TrimRight(row, " "))
	}
	return strings.Join(above, "\n") + "\n"
}

// promptRows breaks a prompt between words: the last row is the one behind which a person types.
func promptRows(text string, width int) (above []string, prompt string) {
	rows := strings.Split(fold(text, max(1, width-1)), "\n")
	last := len(rows) - 1
	return rows[:last:last], rows[last]
}

// Above prints to f, above the region. A line is printed when its end has come; the rest of one that is longer than a
// row is indented.
func (r *Region) Above(f io.Writer, p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.shown() {
		return len(p), r.below(f, p)
	}
	r.part = append(r.part, p...)
	if end := bytes.LastIndexByte(r.part, '\n') + 1; end > 0 {
		whole := string(r.part[:end])
		r.part = append([]byte(nil), r.part[end:]...)
		r.draw(whole)
	}
	return len(p), nil
}

// below prints to f while nothing is shown: whole lines are broken between words, the beginning of one is printed at once.
func (r *Region) below(f io.Writer, p []byte) error {
	width := 0
	if tty, ok := f.(*os.File); ok {
		if size, err := term.GetWinsize(tty.Fd()); err == nil {
			width = int(size.Width)
		}
	}
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		whole := strings.HasSuffix(line, "\n")
		if whole && !r.begun {
			line = foldProse(line, width)
		}
		b.WriteString(line)
		r.begun = !whole
	}
	_, err := io.WriteString(f, b.String())
	return err
}

// maxTyped is how many rows of what is typed are shown, and half of a terminal at most: a long message must not push the
// rest off the screen.
const maxTyped = 12

// The switches of a terminal for pasted text, and for what is too wide: cut instead of wrapped.
const (
	pastesMarked, pastesUnmarked = "\x1b[?2004h", "\x1b[?2004l"
	cuts, wraps                  = "\x1b[?7l", "\x1b[?7h"
)

// draw draws the region below text that is printed, which ends with a line break.
func (r *Region) draw(above string) {
	if !r.shown() {
		r.erase()
		return
	}
	width, height := r.tty.Size()
	rows, now := r.layout(width, height)
	if above == "" && now.text == r.drawn.text && now.width == r.drawn.width && now.cursor == r.drawn.cursor && now.column == r.drawn.column {
		return // nothing a person selects is taken from them
	}
	var b strings.Builder
	b.WriteString(r.back(width))
	if r.drawn.cells != nil && width != r.drawn.width { // rows that the terminal has wrapped
		b.WriteString(clears)
	}
	if above != "" {
		b.WriteString(overwriting(fold(above, width)))
	}
	switch {
	case r.typing && !r.drawn.pastes:
		b.WriteString(pastesMarked)
	case !r.typing && r.drawn.pastes:
		b.WriteString(pastesUnmarked)
	}
	b.WriteString(cuts + strings.Join(rows, "\x1b[K\r\n") + "\x1b[J" + wraps + "\r")
	if up := len(rows) - 1 - now.cursor; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	if now.column > 0 {
		fmt.Fprintf(&b, "\x1b[%dC", now.column)
	}
	_, _ = io.WriteString(r.tty, b.String())
	r.drawn = now
}

// layout makes the rows for a size. The last is that of the cursor, or of what is typed.
func (r *Region) layout(width, height int) (rows []string, d drawing) {
	f := r.frame(width, height)
	room := max(1, width-1) // a terminal wraps, or stays, behind a full row
	for _, row := range f.Rows {
		rows = append(rows, ansi.Truncate(row, room, "…"))
	}
	d = drawing{width: width, cursor: len(rows), pastes: r.typing}
	typed := []string{""}
	if l := r.typed(); r.typing {
		var cursor int
		typed, cursor, d.column = l.rows(f.Prompt, room, max(1, min(maxTyped, height/2)))
		d.cursor += cursor
		if l.text == "" {
			typed[0] = ansi.Truncate(typed[0]+f.Hint, room, "…")
		}
	}
	rows = append(rows, typed...)
	for _, row := range rows {
		d.cells = append(d.cells, ansi.StringWidth(row))
	}
	d.text = strings.Join(rows, "\n")
	return rows, d
}

// frame is what is shown in a terminal of a size: a prompt, where there is one.
func (r *Region) frame(width, height int) Frame {
	if r.asked == nil {
		return r.view(width, height, r.typing)
	}
	above, prompt := promptRows(r.asked.Text, width)
	return Frame{Rows: above, Prompt: prompt, Hint: r.asked.Hint}
}

// back moves the cursor to the beginning of the region, in a terminal that has a width now.
func (r *Region) back(width int) string {
	up := r.drawn.cursor
	if r.tty.Reflows && width < r.drawn.width && width > 0 {
		up = r.drawn.column / width
		for _, cells := range r.drawn.cells[:r.drawn.cursor] {
			up += max(1, (cells+width-1)/width)
		}
	}
	if up == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", up)
}
