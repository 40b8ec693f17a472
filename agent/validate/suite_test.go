package validate

import (
	"strings"
	"testing"
)

// TestPanic checks that a rule that panics does so where it is asked, whichever
// processor it runs on, and that it runs again the next time.
func TestPanic(t *testing.T) {
	calls := 0
	suite := Suite{rules: []Rule{{ID: "calm", Check: func(*Pass) {}}, {ID: "panics", Check: func(p *Pass) {
		if calls++; calls == 1 {
			panic("out of order")
		}
		p.Report(0, 1, "found")
	}}}}
	project := NewProject(suite)
	project.Set("a.html", strings.Repeat("<p>A text that is worth a second processor.</p>\n", alone/40))
	func() {
		defer func() {
			if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "out of order\n") {
				t.Errorf("recovered %q", r)
			}
		}()
		project.Findings("a.html")
	}()
	if found := project.Findings("a.html"); len(found) != 1 {
		t.Errorf("the second time it finds %+v", found)
	}
}
