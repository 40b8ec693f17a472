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

// ownKeys are the keys of this process. While a prompt waits or a task works, this process edits what is typed, in the region
// below what is printed (see [ownKeys.begin]). Else the terminal itself does: for secrets, where nothing may be shown, and where
// the system or the streams do not let this process.
type ownKeys struct {
	pump  sync.Once
	bytes chan []byte // as they are read; closed at the end of input
	left  []byte      // read and not yet taken; of the goroutine that reads lines
	part  []byte      // of a line that the terminal edits
	alone bool        // what is left came as one byte: a key, and not a line that a program has written

	mu       sync.Mutex
	reading  bool // somebody takes the lines
	gone     bool // the end of input has come
	kept     bool // this process edits the line also while nothing is shown: what is typed then is a message
	hidden   bool // a secret is typed
	leaves   bool // Ctrl+C is a key
	first    bool // the next key is the first since this process edits the line
	editing  bool // this process edits the line; else the terminal does
	ended    bool // it never does again: the process is about to end
	restore  func()
	switched chan struct{} // closed when editing changes
	region   *screen.Region
	tty      screen.Terminal // where prompts are shown; none where standard error goes elsewhere
}

// errSwitched ends a read because another one edits the line now.
var errSwitched = errors.New("another one edits the line now")

// keyboard is the one of this process: nobody else reads its standard input.
var keyboard = &ownKeys{bytes: make(chan []byte), switched: make(chan struct{}), region: bottom, tty: promptTerminal()}

// promptTerminal is standard error, where it is a terminal.
func promptTerminal() screen.Terminal {
	if !isTerminal(os.Stderr) {
		return screen.Terminal{}
	}
	return screen.Of(os.Stderr)
}

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
	if key.Name == screen.KeyBreak && n == 1 && !k.alone { // of a line that a program has written, or that was typed before this process edits
		key.Name = screen.KeyEnter
	}
	if key.Name == screen.KeyNull && k.first {
		key.Name = screen.KeyEOF
	}
	k.first = false
	text, entered, end := k.region.Press(key)
	if entered || end {
		k.uninterrupt()
	}
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
		k.alone = len(k.left) == 0 && len(chunk) == 1
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
	if k.reading && !k.hidden {
		k.edit()
	}
}

// edit is begin for whoever holds k.mu, and reports whether this process edits the line.
func (k *ownKeys) edit() bool {
	if k.ended || k.gone {
		return false
	}
	restore, err := editHere(os.Stdin, k.leaves) // again each time: a shell that stopped this process has changed it
	if err != nil {
		return k.editing
	}
	if !k.editing {
		k.editing, k.restore, k.first = true, restore, true
		k.turn()
		k.region.Edit(true)
	}
	return true
}

// keep has this process edit the line until the function that it returns is called, also while nothing is shown.
func (k *ownKeys) keep() (done func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = true
	return func() {
		k.mu.Lock()
		k.kept = false
		k.mu.Unlock()
		k.rest()
	}
}

// rest hands the line back to the terminal, where nothing is shown.
func (k *ownKeys) rest() {
	k.mu.Lock()
	kept := k.kept
	k.mu.Unlock()
	if !kept {
		k.end()
	}
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

// ask implements keys: a person answers in the region.
func (k *ownKeys) ask(p screen.Prompt) (done func(), asked bool) {
	if k.tty.Writer == nil {
		return nil, false
	}
	k.mu.Lock()
	k.leaves = p.Leave != ""
	if k.hidden || !k.edit() {
		k.leaves = false
		k.mu.Unlock()
		return nil, false
	}
	k.region.Ask(k.tty, p)
	k.mu.Unlock()
	unwatch := seenBelow.begin()
	return func() {
		unwatch()
		k.region.Asked()
		k.mu.Lock()
		k.uninterrupt()
		k.mu.Unlock()
		if !seenBelow.on() {
			k.rest()
		}
	}, true
}

// uninterrupt makes Ctrl+C a signal again. The caller holds k.mu.
func (k *ownKeys) uninterrupt() {
	if k.leaves = false; k.editing {
		_, _ = editHere(os.Stdin, false)
	}
}

// recall implements keys.
func (k *ownKeys) recall(texts []string) { k.region.Recall(texts) }

// aside hands the line back while something is done; what was typed stays.
func (k *ownKeys) aside(do func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.editing {
		k.restore()
	}
	k.region.Aside(do)
	if k.editing {
		k.edit()
	}
}

// over is called at the end of input.
func (k *ownKeys) over() {
	k.end()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reading, k.gone = false, true
}

// leave hands the line back for good: a signal ends this process, and the next one does so at once.
func (k *ownKeys) leave() {
	k.mu.Lock()
	k.ended = true
	k.mu.Unlock()
	k.end()
}

// again lets this process edit the line once more, after leave: what the signal has stopped was a part of its work.
func (k *ownKeys) again() {
	k.mu.Lock()
	k.ended = false
	k.mu.Unlock()
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
	k.mu.Lock()
	k.hidden = true
	k.mu.Unlock()
	k.end()
	fd := os.Stdin.Fd()
	state, err := winsize.SaveState(fd)
	if err != nil || winsize.DisableEcho(fd, state) != nil {
		state = nil
	}
	return func() {
		if state != nil {
			_ = winsize.RestoreTerminal(fd, state)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.hidden = false; k.kept {
			k.edit()
		}
	}
}

// aboveLine writes to a file, above the region.
type aboveLine struct{ f *os.File }

func (w aboveLine) Write(p []byte) (int, error) { return bottom.Above(w.f, p) }
