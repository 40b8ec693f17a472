package lint

import (
	"fmt"
	"strings"
	"testing"

	"caselsp/sandbox"
)

// TestAbsent: what linters say because a package is not in the sandbox is information; a module of the
// project's own that is not there is not excused, nor is any other fault of the file.
func TestAbsent(t *testing.T) {
	tree := []sandbox.File{{Path: "shop/__init__.py"}, {Path: "shop/cart.py", Data: []byte(strings.Repeat("x = 1\n", 9))}, {Path: "plain.py", Data: []byte("x = 1\n")}}
	for _, c := range []struct {
		linter       *Linter
		report, want string
	}{
		{Mypy, `shop/cart.py:1:1: error: Cannot find implementation or library stub for module named "yaml"  [import-not-found]
shop/cart.py:1:1: note: See https://mypy.readthedocs.io/
shop/cart.py:2:1: error: Cannot find implementation or library stub for module named "shop.prices"  [import-not-found]
shop/cart.py:3:1: error: Class cannot subclass "Loader" (has type "Any")  [misc]
shop/cart.py:4:1: error: Returning Any from function declared to return "int"  [no-any-return]
shop/cart.py:5:1: error: Name "missing" is not defined  [name-defined]
shop/cart.py:6:1: error: Only concrete class can be given  [misc]
plain.py:1:1: error: Returning Any from function declared to return "int"  [no-any-return]
`, "shop/cart.py:1 info; shop/cart.py:2 warning; shop/cart.py:3 info; shop/cart.py:4 info; shop/cart.py:5 warning; shop/cart.py:6 warning; plain.py:1 warning"},
		{Pylint, `[{"type": "error", "path": "shop/cart.py", "symbol": "import-error", "line": 1, "column": 0, "message": "Unable to import 'yaml'", "message-id": "E0401"},
{"type": "error", "path": "shop/cart.py", "symbol": "import-error", "line": 2, "column": 0, "message": "Unable to import 'shop.prices'", "message-id": "E0401"},
{"type": "error", "path": "shop/cart.py", "symbol": "undefined-variable", "line": 3, "column": 0, "message": "Undefined variable 'yaml'", "message-id": "E0602"}]`,
			"shop/cart.py:1 info; shop/cart.py:2 warning; shop/cart.py:3 warning"},
	} {
		r := c.linter.Read(tree, []string{"shop/cart.py", "plain.py"}, &sandbox.Result{Status: sandbox.Exited, Changes: []sandbox.Change{{Path: reportFile, Data: []byte(c.report)}}}, Policy{})
		got := map[string][]string{}
		for _, f := range r.Findings {
			got[f.Path] = append(got[f.Path], fmt.Sprintf("%s:%d %s", f.Path, f.Start.Line+1, f.Severity))
		}
		if said := strings.Join(append(got["shop/cart.py"], got["plain.py"]...), "; "); said != c.want || r.Trouble != "" {
			t.Errorf("%s:\n got %s (%s)\nwant %s", c.linter.Name, said, r.Trouble, c.want)
		}
	}
}
