package agent

import (
	"time"
	"unicode/utf8"
)

const (
	// noticeTime is the shortest time in which a question is seen and a button or a key found. A
	// key that was on its way comes sooner.
	noticeTime = 400 * time.Millisecond
	// runeTime is what each character of a question adds: a twentieth of what people need to read
	// one, because whoever knows the command by its look is not to be held up.
	runeTime = 2 * time.Millisecond
	// MaxReadTime bounds it: nobody is helped by a prompt that takes no answer for longer.
	MaxReadTime = 2 * time.Second
)

// ReadTime is the shortest time in which a question can have been read that is shown as this
// text. An answer that comes sooner was meant for something else, and is none.
func ReadTime(text string) time.Duration {
	return min(noticeTime+time.Duration(utf8.RuneCountInString(text))*runeTime, MaxReadTime)
}
