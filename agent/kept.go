package agent

import (
	"fmt"
	"strings"

	"caselsp/agent/record"
)

// keptText is the part of the report about work that is kept, in Markdown: what it is, why it
// is not in the result, and what the user can do with it.
func keptText(p *record.State) string {
	if len(p.Kept) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## Kept, not verified\n\nThe work of features that failed is not in the result. It is kept, and nothing of it is written unless you accept it.\n")
	for _, k := range p.Kept {
		fmt.Fprintf(&b, "\n**%s** (%s) failed: %s\n\n", k.ID, k.Title, k.Words.After(k.Reason))
		for _, path := range k.Paths() {
			fmt.Fprintf(&b, "* %s\n", path)
		}
	}
	fmt.Fprintf(&b, "\nWhat you can do:\n\n")
	for _, way := range WaysWithKept(p.Task.ID, p.Kept[0].ID, "") {
		fmt.Fprintf(&b, "* %s\n", way)
	}
	return b.String()
}

// WaysWithKept says what the user can do with kept work of a task, in a terminal and in an
// editor. id is one that is kept, flags are those that a resume needs, each followed by a blank.
func WaysWithKept(task, id, flags string) []string {
	return []string{
		fmt.Sprintf("read it: `caselsp review --show %s`; in the editor caselsp.review", task),
		fmt.Sprintf("accept it or parts of it: `caselsp review --accept --kept %s [--file FILE [--hunk N]] %s`; in the editor by the actions on its lines in the review document", id, task),
		fmt.Sprintf("have it tried again, with this work as its beginning: `caselsp resume %s%s`; in the editor caselsp.resume", flags, task),
	}
}
