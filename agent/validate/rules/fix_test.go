package rules

import (
	"slices"
	"strings"
	"testing"

	"caselsp/agent/validate"
	"caselsp/agent/validate/validatetest"
)

// TestFixes shows that what a fix of an example leaves has the finding no more,
// and no other one that was not there.
func TestFixes(t *testing.T) {
	fixes := 0
	for i := range table {
		r := &table[i]
		name := r.File
		if name == "" {
			name = "page.html"
		}
		if strings.HasPrefix(r.Bad, "-- ") {
			continue
		}
		before := Default().Check(name, r.Bad)
		own := validatetest.OfRule(before, r.ID)
		edits, n := validate.Edits(own)
		after := apply(r.Bad, &validate.Fix{Edits: edits})
		if n == 0 {
			continue
		}
		fixes++
		if left := validatetest.OfRule(Default().Check(name, after), r.ID); len(left) > len(own)-n {
			t.Errorf("%s: after the fix it is still found:\n%s\n%s", r.ID, after, validatetest.Messages(left))
		}
		if fresh := validate.Introduced(before, Default().Check(name, after)); slices.ContainsFunc(fresh, func(f validate.Finding) bool { return f.Severity != validate.Info }) {
			t.Errorf("%s: the fix brings\n%s\n%s", r.ID, after, validatetest.Messages(fresh))
		}
	}
	if fixes < 20 {
		t.Errorf("only %d rules have a fix that an example shows", fixes)
	}
}

// TestDisable shows that the comment which a fix writes switches the rule off,
// and that none is offered where it would be no comment.
func TestDisable(t *testing.T) {
	for _, c := range []struct{ path, text, rule, want string }{
		{"a.html", "<p>\n\t<img src=a>\n</p>\n", "img-alt", "<p>\n\t<!-- caselsp-disable-next-line img-alt -->\n\t<img src=a>\n</p>\n"},
		{"a.html", "<p>\r\n<img src=a>\r\n", "img-alt", "<p>\r\n<!-- caselsp-disable-next-line img-alt -->\r\n<img src=a>\r\n"},
		{"a.html", "<p\n><img src=a>\n", "img-alt", ""},
		{"a.html", "<script>\n  debugger;\n</script>\n", "js-debugger", "<script>\n  // caselsp-disable-next-line js-debugger\n  debugger;\n</script>\n"},
		{"a.html", "<style>\na:focus { outline: 0 }\n</style>\n", "css-focus-outline", "<style>\n/* caselsp-disable-next-line css-focus-outline */\na:focus { outline: 0 }\n</style>\n"},
		{"a.css", "a:focus { outline: 0 }\n", "css-focus-outline", "/* caselsp-disable-next-line css-focus-outline */\na:focus { outline: 0 }\n"},
		{"a.js", "if (a) {\n  debugger;\n}\n", "js-debugger", "if (a) {\n  // caselsp-disable-next-line js-debugger\n  debugger;\n}\n"},
		{"a.js", "const a = `\n${(() => { debugger })()}`;\n", "js-debugger", ""},
	} {
		found := validatetest.OfRule(Default().Check(c.path, c.text), c.rule)
		if len(found) != 1 {
			t.Errorf("%q: %d findings of %s:\n%s", c.text, len(found), c.rule, validatetest.Messages(Default().Check(c.path, c.text)))
			continue
		}
		fix, got := validate.Disable(c.path, c.text, found[0]), ""
		if fix != nil {
			got = apply(c.text, fix)
			if left := validatetest.OfRule(Default().Check(c.path, got), c.rule); len(left) > 0 {
				t.Errorf("%q does not switch it off", got)
			}
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
