package record

import (
	"fmt"
	"strings"
)

// Committed says that what the user accepted of a result was committed to git, or why it was not.
type Committed struct {
	Hash    string   `json:"hash,omitempty"`
	Branch  string   `json:"branch,omitempty"`
	Files   []string `json:"files,omitempty"`
	Ignored []string `json:"ignored,omitempty"` // left out of it, because git ignores them
	Reason  string   `json:"reason,omitempty"`  // why nothing was committed
}

func (Committed) kind() string { return "committed" }

// shortHash is how much of a hash names a commit to people.
const shortHash = 8

// Short is the commit as people name it.
func (c Committed) Short() string { return c.Hash[:min(len(c.Hash), shortHash)] }

// Told says in one sentence what became of the commit.
func (c Committed) Told() string {
	if c.Hash == "" {
		return "Nothing was committed: " + c.Reason
	}
	text := fmt.Sprintf("Committed as %s on %s", c.Short(), c.Branch)
	if len(c.Ignored) > 0 {
		text += ", without " + strings.Join(c.Ignored, ", ") + ", which git ignores"
	}
	return text
}
