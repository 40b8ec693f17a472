package agent

import (
	"slices"
	"strings"
	"testing"

	"caselsp/agent/codemap"
	"caselsp/agent/workspace"
)

func entriesOf(paths string) (list []workspace.Entry) {
	for _, p := range strings.Fields(paths) {
		list = append(list, workspace.Entry{Path: p, Size: 10})
	}
	return list
}

// TestConfiguration shows which words of a feature load configuration, and that words of everyday prose do not.
func TestConfiguration(t *testing.T) {
	const python = "pyproject.toml requirements.txt shop/settings.py shop/urls.py shop/wsgi.py shop/models.py docs/settings.md"
	const node = "package.json tsconfig.json src/index.ts src/routes.ts"
	many := "go.mod"
	for _, dir := range []string{"a", "b", "c", "d", "e", "f"} {
		many += " " + dir + "/urls.py"
	}
	for _, c := range []struct{ files, text, want, tooMany string }{
		{python, "Add the app orders to the installed apps", "pyproject.toml requirements.txt shop/settings.py shop/urls.py shop/wsgi.py", ""},
		{python, "A page that lists orders", "shop/urls.py", ""},
		{python, "Pin a dependency on requests", "pyproject.toml requirements.txt", ""},
		{python, "Return the total as a Decimal", "", ""},
		{node, "Deprecate the old version of parse and describe what it requires", "", ""}, // of what, the words do not say
		{node, "Skip scripts that the user has left out of the list of packages", "", ""},
		{node, "Raise the package version, and add an npm script for docs", "package.json tsconfig.json", ""},
		{node, "Add a route for health", "src/routes.ts", ""},
		{many, "Add a URL for the report", "", "urls.py"},
		{many, "Set up the database", "", "urls.py"},
	} {
		files, tooMany := configuration(entriesOf(c.files), c.text)
		if got := strings.Join(files, " "); c.tooMany == "" && got != c.want {
			t.Errorf("%q loads %q, want %q", c.text, got, c.want)
		}
		if said := strings.Join(tooMany, " "); !strings.HasPrefix(said, c.tooMany) || c.tooMany == "" && said != "" {
			t.Errorf("%q: of too many it says %q, want %q", c.text, said, c.tooMany)
		}
	}
}

// TestMappable shows that a map has no code of other people or of a tool, unless it is asked for.
func TestMappable(t *testing.T) {
	entries := entriesOf("src/a.js vendor/jquery.js static/app.min.js node_modules/x/i.js")
	if got := mappable(entries, codemap.Query{Text: "jquery"}); len(got) != 1 || !got["src/a.js"] {
		t.Errorf("the map is made of %v", got)
	}
	got := mappable(entries, codemap.Query{Paths: []string{"vendor/jquery.js"}})
	if !got["vendor/jquery.js"] || slices.Contains([]int{0, 1}, len(got)) {
		t.Errorf("with a file that is named, the map is made of %v", got)
	}
}
