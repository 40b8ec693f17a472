package agent

import (
	"time"

	"caselsp/agent/record"
)

// Event is one record of a task's journal as it was written, and the task's
// status after it. Events are what the faces show.
type Event struct {
	Seq    int64
	Time   time.Time
	Body   record.Body
	Status record.Status
	// Text is a piece of a model's answer as it streams in; such an event has no
	// Body, is not journalled and its Seq is 0.
	Text string
	// Doing is a line about what takes long, such as building the sandbox's image or
	// waiting for a busy model server; such an event, too, has no Body.
	Doing string
}
