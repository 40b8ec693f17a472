package agent

import (
	"strings"
	"testing"

	"caselsp/agent/workspace"
)

func TestUntouched(t *testing.T) {
	var entries []workspace.Entry
	for _, path := range []string{"README.md", "blog/views.py", "blog/urls.py", "shop/urls.py", "shop/models.py", "go.mod"} {
		entries = append(entries, workspace.Entry{Path: path})
	}
	changes := workspace.ChangeSet{Files: []workspace.Change{{Path: "blog/urls.py"}, {Path: "shop/goods.py", From: "shop/models.py"}}}
	for _, c := range []struct{ text, want string }{
		{"Added the route in blog/urls.py.", ""},
		{"Fixed the view (blog/views.py) and documented it in README.md.", "blog/views.py README.md"},
		{"Fixed views.py, `./blog/views.py` too.", "views.py blog/views.py"},
		{"The route is in urls.py.", ""},                     // one of two
		{"shop/urls.py was changed as well", "shop/urls.py"}, // the other
		{"Moved shop/models.py.", ""},
		{"Uses e.g. os.path and version 1.2.", ""},
		{"go.mod, go.mod", "go.mod"},
	} {
		if got := strings.Join(untouched([]string{c.text}, entries, changes), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
