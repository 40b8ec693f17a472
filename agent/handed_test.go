package agent

import (
	"strings"
	"testing"

	"caselsp/agent/quote"
	"caselsp/agent/record"
)

// TestSaidBefore makes the text of a task of conversations in which models repeat themselves.
func TestSaidBefore(t *testing.T) {
	const proposal = "I would do this:\n\n- rename `double` to `twice` in calc.py, line 4\n- keep a deprecated alias for one release\n\nShall I?"
	for name, c := range map[string]struct {
		agreed string
		list   []record.Exchange
		want   string
	}{
		"the same words, wrapped anew": {
			"Rename double to twice in calc.py, line 4; keep a deprecated\nalias for one release.",
			[]record.Exchange{{Asked: "what would you do?", Answer: quote.Words(proposal)}, {Asked: "yes, do it"}},
			"What was said about it in the thread t:\nThe user:\n> what would you do?\nThe answer:\n> I would do this:\n>\n> [as above]\n>\n> Shall I?\nThe user:\n> yes, do it\n",
		},
		"an answer again": {
			"Do it.",
			[]record.Exchange{{Asked: "how?", Answer: quote.Words("Rename the function in calc.py and its callers.")}, {Asked: "sure?", Answer: quote.Words("Yes.\nRename the function in calc.py and its callers.")}},
			"What was said about it in the thread t:\nThe user:\n> how?\nThe answer:\n> Rename the function in calc.py and its callers.\nThe user:\n> sure?\nThe answer:\n> Yes.\n> [as above]\n",
		},
		"other words": {
			"Rename it.",
			[]record.Exchange{{Asked: "how?", Answer: quote.Words("x = 1\nx = 1")}},
			"What was said about it in the thread t:\nThe user:\n> how?\nThe answer:\n> x = 1\n> x = 1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := saidBefore("t", c.agreed, c.list); got != c.want {
				t.Errorf("the task is told\n%s\nnot\n%s", got, c.want)
			}
		})
	}
	long := record.Exchange{Asked: "q", Answer: quote.Words(strings.Repeat("word ", maxSaidBefore/8))}
	if got := saidBefore("t", "x", []record.Exchange{long, {Asked: "1", Answer: quote.Words(strings.Repeat("term ", maxSaidBefore/8))}, {Asked: "last"}}); !strings.Contains(got, "[1 earlier messages left out]") || len(got) > maxSaidBefore+200 {
		t.Errorf("a long conversation has %d bytes", len(got))
	}
}
