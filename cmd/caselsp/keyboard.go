package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"caselsp/cmd/caselsp/screen"

	winsize "github.com/moby/term"
)

// ownKeys are the keys of this process. As a rule the terminal itself edits a line and shows what is typed. While
// a task works, that would be wiped out by each line of progress: then this process edits the line, in the region below
// the progress (see [ownKeys.begin]).
type ownKeys struct {
	pump  sync.Once
	bytes chan []byte // as they are read; closed at the end of input
	left  []byte      // read and not yet taken; of the goroutine that reads lines
	part  []byte      // of a line that the terminal edits

	mu       sync.Mutex
	reading  bool // somebody takes the lines
	editing  bool // this process edits the line; else the terminal does
	ended    bool // it never does again: the process is about to end
	restore  func()
	switched chan struct{} // closed when editing changes
	region   *screen.Region
}

// errSwitched ends a read because another one edits the line now.
var errSwitched = errors.New("another one edits the line now")

// keyboard is the one of this process: nobody else reads its standard input.
var keyboard = &ownKeys{bytes: make(chan []byte), switched: make(chan struct{}), region: bottom}

// bottom is the lower end of this process's terminal.
var bottom = &screen.Region{}

// next implements keys.
func (k *ownKeys) next() (string, bool) {
	k.pump.Do(func() { go k.read() })
	for {
		k.mu.Lock()
		k.reading = true
		line, switched := k.plainLine, k.switched
		if k.editing {
			line = k.editedLine
		}
		k.mu.Unlock()
		text, err := line(switched)
		if err == nil {
			return text, true
		}
		if !errors.Is(err, errSwitched) {
			k.over()
			return text, text != ""
		}
	}
}

// editedLine reads a line that is edited in the region.
func (k *ownKeys) editedLine(switched <-chan struct{}) (string, error) {
	for {
		key, n := screen.NextKey(k.left)
		if n == 0 {
			if err := k.more(switched); err != nil {
				return "", err
			}
			continue
		}
		if text, entered, err := k.press(switched, key, n); entered || err != nil {
			return text, err
		}
	}
}

// press gives the region the key in the next n bytes of what is left, unless another one edits the line now.
func (k *ownKeys) press(switched <-chan struct{}, key screen.Key, n int) (text string, entered bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if closed(switched) {
		return "", false, errSwitched
	}
	k.left = k.left[n:]
	text, entered, end := k.region.Press(key)
	if end {
		err = io.EOF
	}
	return text, entered, err
}

// closed reports whether a channel is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// plainLine reads a line that the terminal has edited.
func (k *ownKeys) plainLine(switched <-chan struct{}) (string, error) {
	for {
		if closed(switched) {
			return "", errSwitched
		}
		line, rest, found := bytes.Cut(k.left, []byte{'\n'})
		k.part, k.left = append(k.part, line...), rest
		if found {
			text := strings.TrimSuffix(string(k.part), "\r")
			k.part = nil
			return text, nil
		}
		if err := k.more(switched); err != nil {
			text := ""
			if !errors.Is(err, errSwitched) { // the last line has no end
				text, k.part = string(k.part), nil
			}
			return text, err
		}
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

// more waits for what is typed next, and adds it to what is left; errSwitched once another one edits the line.
func (k *ownKeys) more(switched <-chan struct{}) error {
	if closed(switched) {
		return errSwitched
	}
	select {
	case chunk, ok := <-k.bytes:
		if !ok {
			return io.EOF
		}
		k.left = append(k.left, chunk...)
		return nil
	case <-switched:
		return errSwitched
	}
}

// begin has this process edit the line, in the region. It does so only where somebody takes the lines and the system lets it.
func (k *ownKeys) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.reading || k.ended {
		return
	}
	restore, err := editHere(os.Stdin) // again each time: a shell that stopped this process has changed it
	if err != nil || k.editing {
		return
	}
	k.editing, k.restore = true, restore
	k.turn()
	k.region.Edit(true)
}

// end hands the line back to the terminal.
func (k *ownKeys) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.editing {
		return
	}
	k.editing = false
	k.turn()
	k.region.Edit(false)
	k.restore()
}

// aside hands the line back while something is done; what was typed stays.
func (k *ownKeys) aside(do func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.editing {
		k.restore()
	}
	k.region.Aside(do)
}

// over is called at the end of input.
func (k *ownKeys) over() {
	k.end()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reading = false
}

// leave hands the line back for good: a signal ends this process, and the next one does so at once.
func (k *ownKeys) leave() {
	k.mu.Lock()
	k.ended = true
	k.mu.Unlock()
	k.end()
}

// turn ends the present read, so that the reader asks again whether this process edits the line. The caller holds k.mu.
func (k *ownKeys) turn() {
	close(k.switched)
	k.switched = make(chan struct{})
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

// aboveLine writes to a file, above the region.
type aboveLine struct{ f *os.File }

func (w aboveLine) Write(p []byte) (int, error) { return bottom.Above(w.f, p) }
