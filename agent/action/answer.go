package action

import (
	_ "embed" // the text for the model
	"errors"
	"fmt"
	"strings"
)

//go:embed answer.md
var answerText string

// Reply ends a task that is a question with the answer in words.
type Reply struct {
	words
	Text string `json:"text" doc:"Markdown, with the files and lines it rests on."`
}

// AnswerVerb is the verb whose arguments are Reply.
var AnswerVerb = register[Reply](AnswerName, Submits, answerText)

// maxReply bounds an answer in bytes: some pages, which a person still reads.
const maxReply = 16 << 10

// Check implements Args.
func (a Reply) Check() error {
	switch {
	case strings.TrimSpace(a.Text) == "":
		return errors.New("text is empty: write the answer to the user's question")
	case len(a.Text) > maxReply:
		return fmt.Errorf("text has %d bytes; at most %d are shown: answer more briefly", len(a.Text), maxReply)
	}
	return nil
}
