package main

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	winsize "github.com/moby/term"
	"golang.org/x/term"
)

// ownKeys are the keys of this process. As a rule the terminal itself edits a line and shows what is typed. While
// a task works, that would be wiped out by each line of progress: then this process edits the line, below the progress and
// behind the status (see [ownKeys.begin]), with the keys of golang.org/x/term.
type ownKeys struct {
	pump  sync.Once
	bytes chan []byte // as they are read; closed at the end of input
	left  []byte      // read and not yet taken; of the goroutine that reads lines
	part  []byte      // of a line that the terminal edits

	mu       sync.Mutex
	reading  bool           // somebody takes the lines
	line     *term.Terminal // nil: the terminal edits
	out      *os.File       // where the line is
	restore  func()
	switched chan struct{} // closed when line changes
}

// editing is who edits the line, until another one does: what it reads is never taken in another's way.
type editing struct {
	*ownKeys
	ended <-chan struct{}
	ours  bool // this process edits
}

// errSwitched ends a read because another one edits the line now.
var errSwitched = errors.New("another one edits the line now")

// promptRoom is how many columns the status leaves to what is typed: a word or two, before the line wraps.
const promptRoom = 24

// promptMark is between the status and what is typed.
const promptMark = " › "

// keyboard is the one of this process: nobody else reads its standard input.
var keyboard = &ownKeys{bytes: make(chan []byte), switched: make(chan struct{})}

// next implements keys.
func (k *ownKeys) next() (string, bool) {
	k.pump.Do(func() { go k.read() })
	for {
		k.mu.Lock()
		k.reading = true
		line, now := k.line, editing{k, k.switched, k.line != nil}
		k.mu.Unlock()
		text, err := now.plainLine, error(nil)
		if line != nil {
			text = line.ReadLine
		}
		var got string
		if got, err = text(); err == nil {
			if line != nil && got != "" { // the task says what it was told: once is enough
				_, _ = line.Write([]byte("\x1b[A\r\x1b[J"))
			}
			return got, true
		}
		if !errors.Is(err, errSwitched) {
			k.over()
			return got, got != ""
		}
	}
}

// plainLine reads a line that the terminal has edited.
func (k editing) plainLine() (string, error) {
	var b [1]byte
	for {
		if _, err := k.Read(b[:]); err != nil {
			text := ""
			if !errors.Is(err, errSwitched) { // the last line has no end
				text, k.part = string(k.part), nil
			}
			return text, err
		}
		if b[0] == '\n' {
			text := strings.TrimSuffix(string(k.part), "\r")
			k.part = nil
			return text, nil
		}
		k.part = append(k.part, b[0])
	}
}

// read reads to the end of input.
func (k *ownKeys) read() {
	defer close(k.bytes)
	for {
		buf := make([]byte, 4096)
		n, err := os.Stdin.Read(buf)
		if n > 0 {
			k.bytes <- buf[:n]
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader for who edits the line; errSwitched once that is another one.
func (k editing) Read(p []byte) (int, error) {
	select {
	case <-k.ended:
		return 0, errSwitched
	default:
	}
	if len(k.left) == 0 {
		select {
		case chunk, ok := <-k.bytes:
			if !ok {
				return 0, io.EOF
			}
			k.left = chunk
		case <-k.ended:
			return 0, errSwitched
		}
	}
	n := copy(p, k.left)
	k.left = k.left[n:]
	if k.ours {
		for i, b := range p[:n] {
			if b == '\n' { // as the terminal hands on the key Enter
				p[i] = '\r'
			}
		}
	}
	return n, nil
}

// begin has this process edit the line on out, behind a status, or renews the status. It does so only where somebody takes
// the lines and the system lets it.
func (k *ownKeys) begin(out *os.File, status string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.reading {
		return
	}
	width, height := 80, 24
	if size, err := winsize.GetWinsize(out.Fd()); err == nil && size.Width > 0 {
		width, height = int(size.Width), int(size.Height)
	}
	restore, err := editHere(os.Stdin) // again each time: a shell that stopped this process has changed it
	if err != nil {
		return
	}
	prompt := cutTo(status, width-promptRoom) + promptMark
	if k.line == nil {
		k.turn()
		k.out, k.restore = out, restore
		k.line = term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{editing{k, k.switched, true}, out}, prompt)
	}
	_ = k.line.SetSize(width, height) // fails with the terminal itself
	k.line.SetPrompt(prompt)
	_, _ = k.line.Write(nil) // draws it
}

// end hands the line back to the terminal.
func (k *ownKeys) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.line == nil {
		return
	}
	k.line = nil
	k.turn()
	_, _ = io.WriteString(k.out, "\r\x1b[J")
	k.restore()
}

// over is called at the end of input.
func (k *ownKeys) over() {
	k.end()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reading = false
}

// turn has who reads now look again who edits.
func (k *ownKeys) turn() {
	close(k.switched)
	k.switched = make(chan struct{})
}

// edits reports whether this process edits the line.
func (k *ownKeys) edits() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.line != nil
}

// flush implements keys.
func (*ownKeys) flush() { flushInput(os.Stdin) }

// hide implements keys.
func (k *ownKeys) hide() (show func()) {
	k.end()
	fd := os.Stdin.Fd()
	state, err := winsize.SaveState(fd)
	if err != nil || winsize.DisableEcho(fd, state) != nil {
		return func() {}
	}
	return func() { _ = winsize.RestoreTerminal(fd, state) }
}

// aboveLine writes to a file, above the line that is edited.
type aboveLine struct{ f *os.File }

func (w aboveLine) Write(p []byte) (int, error) {
	keyboard.mu.Lock()
	line := keyboard.line
	keyboard.mu.Unlock()
	if line != nil {
		return line.Write(p)
	}
	return w.f.Write(p)
}

// cutTo is a text of at most n runes, at least one.
func cutTo(text string, n int) string {
	n = max(n, 1)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}
