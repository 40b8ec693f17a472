package action

import (
	_ "embed" // the text for the model
	"errors"
	"fmt"
	"strings"
)

//go:embed handover.md
var handOverText string

// HandOver hands a conversation over to a task, which the user has agreed to.
type HandOver struct {
	words
	Task string `json:"task" doc:"What is to be done, complete, as was agreed: behaviour, files, what stays as it is."`
}

// HandOverVerb is the verb whose arguments are HandOver.
var HandOverVerb = register[HandOver](HandOverName, Submits, handOverText)

// maxHandOver bounds what was agreed in bytes: a task with room for the conversation behind it.
const maxHandOver = 8 << 10

// Check implements Args.
func (a HandOver) Check() error {
	switch {
	case strings.TrimSpace(a.Task) == "":
		return errors.New("task is empty: write what was agreed")
	case len(a.Task) > maxHandOver:
		return fmt.Errorf("task has %d bytes; at most %d are taken: the conversation is given along", len(a.Task), maxHandOver)
	}
	return nil
}
