package action

import (
	"fmt"
	"strings"
	"testing"
)

// longClass is a file with imports, a constant and a class of 40 methods.
func longClass() string {
	var b strings.Builder
	b.WriteString("import os\nimport sys\nfrom typing import (\n    Any,\n    Dict,\n)\n\nLIMIT = 10\n\n\nclass Shop:\n    name = \"\"\n")
	for i := range 40 {
		fmt.Fprintf(&b, "\n    def method_%02d(self, first: int, second: Dict[str, Any], third: str = \"a longer default\") -> None:\n        def inner():\n            pass\n", i)
	}
	return b.String()
}

// TestOutlineOf: an outline shows what fits, in shorter forms where it is long, and the methods of
// a large class before imports and signatures.
func TestOutlineOf(t *testing.T) {
	for _, c := range []struct {
		most      int
		want, not []string
	}{
		{0, []string{"shop.py (172 lines)\n", "1-6 import os; import sys; from typing import ( Any, Dict, )\n", "8-8 LIMIT = 10\n", "    15-16 def inner()\n"}, []string{"left out"}},
		{5000, []string{"  14-16 def method_00(self, first: int", "method_39(self", "[left out: imports, variables and fields]\n"}, []string{"import os", "inner"}},
		{1500, []string{"11-172 class Shop\n", "  14-16 method method_00\n", "method_39\n", "signatures]\n"}, []string{"first: int"}},
		{150, []string{"11-172 class Shop\n", "all but the outermost"}, []string{"method_00"}},
	} {
		got := OutlineOf("shop.py", longClass(), c.most)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("at most %d bytes: no %q in\n%s", c.most, want, got)
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("at most %d bytes: %q in\n%s", c.most, not, got)
			}
		}
		if c.most > 0 && len(got) > c.most {
			t.Errorf("%d bytes, at most %d are wanted", len(got), c.most)
		}
	}
	if got := OutlineOf("notes.txt", "one\ntwo\n", 0); got != "" {
		t.Errorf("a text without headings has the outline %q", got)
	}
	if got := OutlineOf("HISTORY.md", strings.Repeat("1.0\n===\n\n* a\n\n", 40), 200); !strings.HasSuffix(got, "\n[more is left out]\n") || len(got) > 200 {
		t.Errorf("a long list of headings is cut to %q", got)
	}
}
