package screen

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

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
	line   Line
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
	r.erase()
	_, _ = r.tty.Write(r.part)
	r.view, r.part = nil, nil
}

// erase takes what is drawn off the screen.
func (r *Region) erase() {
	if r.drawn.cells == nil {
		return
	}
	width, _ := r.tty.Size()
	text := r.back(width) + "\x1b[J"
	if r.drawn.pastes {
		text += pastesUnmarked
	}
	_, _ = io.WriteString(r.tty, text) // a terminal that has gone needs nothing
	r.drawn = drawing{}
}

// Edit has a person type into the region, or no longer: what was typed is forgotten then.
func (r *Region) Edit(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !on {
		r.line.text, r.line.at, r.line.back = "", 0, 0
	}
	r.typing = on
	r.draw("")
}

// Press gives the region a key; see [Line.Press]. over says that it ends the input.
func (r *Region) Press(k Key) (text string, entered, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k.Name == KeyEOF && r.line.text == "" {
		return "", false, true
	}
	if k.Name == KeyEOF {
		k.Name = KeyDelete
	}
	text, entered = r.line.Press(k)
	r.draw("")
	return text, entered, false
}

// Above prints to f, above the region. A line is printed when its end has come; the rest of one that is longer than a
// row is indented.
func (r *Region) Above(f io.Writer, p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.view == nil {
		return f.Write(p)
	}
	r.part = append(r.part, p...)
	if end := bytes.LastIndexByte(r.part, '\n') + 1; end > 0 {
		whole := string(r.part[:end])
		r.part = append([]byte(nil), r.part[end:]...)
		r.draw(whole)
	}
	return len(p), nil
}

// maxTyped is how many rows of what is typed are shown: a long message must not push the rest off the screen.
const maxTyped = 6

// The switches of a terminal for pasted text, and for what is too wide: cut instead of wrapped.
const (
	pastesMarked, pastesUnmarked = "\x1b[?2004h", "\x1b[?2004l"
	cuts, wraps                  = "\x1b[?7l", "\x1b[?7h"
)

// draw draws the region below text that is printed, which ends with a line break.
func (r *Region) draw(above string) {
	if r.view == nil {
		return
	}
	width, height := r.tty.Size()
	rows, now := r.layout(width, height)
	if above == "" && now.text == r.drawn.text && now.width == r.drawn.width && now.cursor == r.drawn.cursor && now.column == r.drawn.column {
		return // nothing a person selects is taken from them
	}
	var b strings.Builder
	b.WriteString(r.back(width))
	if above != "" || width != r.drawn.width {
		b.WriteString("\x1b[J" + fold(above, width))
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
	f := r.view(width, height, r.typing)
	room := max(1, width-1) // a terminal wraps, or stays, behind a full row
	for _, row := range f.Rows {
		rows = append(rows, ansi.Truncate(row, room, "…"))
	}
	d = drawing{width: width, cursor: len(rows), pastes: r.typing}
	typed := []string{""}
	if r.typing {
		var cursor int
		typed, cursor, d.column = r.line.rows(f.Prompt, room, maxTyped)
		d.cursor += cursor
		if r.line.text == "" {
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
