package screen

import (
	"strings"
	"unicode/utf8"
)

// Key is one that a person has pressed: text, or a key with a name.
type Key struct{ Text, Name string }

// The names of keys, by what they do.
const (
	KeyEnter     = "enter"
	KeyBreak     = "line break" // within the text
	KeyBackspace = "backspace"
	KeyDelete    = "delete"
	KeyLeft      = "left"
	KeyRight     = "right"
	KeyWordLeft  = "word left"
	KeyWordRight = "word right"
	KeyHome      = "home"
	KeyEnd       = "end"
	KeyUp        = "up"
	KeyDown      = "down"
	KeyCutBack   = "cut to the beginning"
	KeyCutRest   = "cut to the end"
	KeyCutWord   = "cut a word"
	KeyCutNext   = "cut the next word"
	KeyYank      = "put back what was cut"
	KeyInterrupt = "interrupt"    // Ctrl+C, where it sends no signal
	KeyPaste     = "paste"        // what follows is pasted
	KeyPasted    = "pasted"       // the end of it
	KeyEOF       = "end of input" // or delete, where the line is not empty
	KeyNull      = "null"         // Ctrl+Space, or what Linux makes of the end of input that came before the keys were handed over
	KeyNone      = "no effect"    // a key that does nothing here
)

// controls are the names of control characters.
var controls = map[byte]string{
	'\r': KeyEnter, '\n': KeyBreak, 0x7f: KeyBackspace, ctrl('h'): KeyBackspace, ctrl('a'): KeyHome, ctrl('e'): KeyEnd,
	ctrl('b'): KeyLeft, ctrl('f'): KeyRight, ctrl('p'): KeyUp, ctrl('n'): KeyDown, ctrl('u'): KeyCutBack, ctrl('k'): KeyCutRest,
	ctrl('w'): KeyCutWord, ctrl('y'): KeyYank, ctrl('d'): KeyEOF, ctrl('c'): KeyInterrupt, 0: KeyNull,
}

func ctrl(letter byte) byte { return letter & 0x1f }

// sequences are the names of what terminals send behind ESC.
var sequences = map[string]string{
	"[A": KeyUp, "[B": KeyDown, "[C": KeyRight, "[D": KeyLeft, "[H": KeyHome, "[F": KeyEnd,
	"OA": KeyUp, "OB": KeyDown, "OC": KeyRight, "OD": KeyLeft, "OH": KeyHome, "OF": KeyEnd,
	"[1~": KeyHome, "[7~": KeyHome, "[4~": KeyEnd, "[8~": KeyEnd, "[3~": KeyDelete,
	"[1;5C": KeyWordRight, "[1;3C": KeyWordRight, "[1;5D": KeyWordLeft, "[1;3D": KeyWordLeft,
	"[200~": KeyPaste, "[201~": KeyPasted,
	"b": KeyWordLeft, "f": KeyWordRight, "d": KeyCutNext, "\x7f": KeyCutWord, "\r": KeyBreak, "\n": KeyBreak,
	"[13;2u": KeyBreak, "[13;3u": KeyBreak, "[27;2;13~": KeyBreak, "[27;3;13~": KeyBreak, // Shift and Alt with Enter
}

// maxSequence is the longest key sequence in bytes: what is longer was not sent by a key.
const maxSequence = 32

// NextKey returns the first key of what a terminal has sent, and how many bytes it takes; 0 where its end has not come yet.
func NextKey(p []byte) (k Key, n int) {
	switch {
	case len(p) == 0:
		return Key{}, 0
	case p[0] == 0x1b:
		return sequence(p)
	case p[0] == '\t':
		return Key{Text: "\t"}, 1
	case p[0] < ' ' || p[0] == 0x7f:
		if name := controls[p[0]]; name != "" {
			return Key{Name: name}, 1
		}
		return Key{Name: KeyNone}, 1
	}
	for n < len(p) && p[n] >= ' ' && p[n] != 0x7f { // what came together is typed together: a character may be several runes
		if !utf8.FullRune(p[n:]) {
			break
		}
		_, width := utf8.DecodeRune(p[n:])
		n += width
	}
	return Key{Text: strings.ToValidUTF8(string(p[:n]), "")}, n
}

// sequence is NextKey of what begins with ESC.
func sequence(p []byte) (Key, int) {
	if len(p) == 1 {
		return Key{}, 0
	}
	end := 2
	switch {
	case p[1] == '\r', p[1] == '\n': // Alt+Enter
	case p[1] < ' ': // the key Escape, and then another one
		return Key{Name: KeyNone}, 1
	case p[1] == 'O':
		end = 3
	case p[1] == '[':
		for end = 3; end <= len(p) && end < maxSequence && (p[end-1] < '@' || p[end-1] > '~'); end++ {
		}
	}
	if end > len(p) {
		return Key{}, 0
	}
	if name := sequences[string(p[1:end])]; name != "" {
		return Key{Name: name}, end
	}
	return Key{Name: KeyNone}, end
}
