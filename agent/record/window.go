package record

import "fmt"

// WindowTold says how large a window the servers of the task's models give them, where the settings leave that to them and
// it is smaller than what is counted on. It is recorded where it is another than before.
type WindowTold struct {
	Tokens  int    `json:"tokens,omitempty"`  // of a request with its answer; 0: they do not say, or more
	Enlarge string `json:"enlarge,omitempty"` // how the server is told to give more, for people; "": not known
	At      Place  `json:"at"`
}

func (WindowTold) kind() string { return "window" }

// Told is what the user is told; "" where the servers do not say.
func (b WindowTold) Told() string {
	if b.Tokens == 0 {
		return ""
	}
	return fmt.Sprintf("the server gives the model a window of %d tokens: requests are made to fit", b.Tokens)
}

// applyWindow folds how large the window is, and that the conversation was fitted into it.
func (p *State) applyWindow(body Body) {
	switch b := body.(type) {
	case WindowTold:
		p.Window = b
	case Compacted:
		p.applyCompacted(b)
	}
}
