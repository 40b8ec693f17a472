package action

import (
	"errors"
	"strings"

	"caselsp/agent/patch"
)

// Said is the text for the model about an outcome, with our own words and what they
// quote kept apart: a file, a command's output or a user's answer may say anything,
// and never stands as if we said it.
type Said struct {
	Text  string // our words
	Mark  string // the name of the marks around Quote; "" where nothing is quoted
	Quote string // text from outside
	More  string // our words after the quote
}

// The marks around quotes.
const (
	MarkData   = "data"   // of the workspace: files, diffs, findings
	MarkOutput = "output" // of a command
	MarkAnswer = "answer" // of the user
)

// String is the whole as a model reads it, with the quote between marks.
func (s Said) String() string {
	if s.Mark == "" {
		return s.Text + s.More
	}
	return s.Text + Fence(s.Mark, s.Quote) + s.More
}

// Plain is the whole as a person reads it, without marks.
func (s Said) Plain() string {
	if s.Mark != "" && s.More != "" && !strings.HasSuffix(s.Quote, "\n") && !strings.HasPrefix(s.More, "\n") {
		return s.Text + s.Quote + "\n" + s.More
	}
	return s.Text + s.Quote + s.More
}

// with adds a line of ours directly behind. It goes into More: in Text, a second line of an edit is taken for a quote of an
// older version.
func (s Said) with(line string) Said {
	if s.Mark != "" && !strings.HasSuffix(s.More, "\n") {
		s.More += "\n"
	}
	s.More += line + "\n"
	return s
}

// And adds a sentence of ours at the end, on a line of its own; "" adds nothing.
func (s Said) And(sentence string) Said {
	switch {
	case sentence == "":
	case s.Mark != "":
		s.More += "\n\n" + sentence
	default:
		s.More += "\n" + sentence
	}
	return s
}

// Quoted is an answer that is all from outside.
func Quoted(text string) Said { return Said{Mark: MarkData, Quote: text} }

// Refused is the text for the model about an action that failed. Errors that show lines
// of files quote them.
func Refused(err error) Said {
	var refusal *patch.Refusal
	var unparsed *Unparsed
	var quoting *Quoting
	switch {
	case errors.As(err, &refusal) && refusal.Shown != "":
		return Said{Text: refusal.Message + "\n", Mark: MarkData, Quote: refusal.Shown, More: strings.TrimSuffix("\n"+refusal.Advice, "\n")}
	case errors.As(err, &unparsed):
		return Said{Text: unparsed.Message + "\n", Mark: MarkData, Quote: unparsed.Shown}
	case errors.As(err, &quoting):
		return Said{Text: quoting.Message + "\n", Mark: MarkData, Quote: quoting.Shown}
	}
	return Said{Text: err.Error()}
}
