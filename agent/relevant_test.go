package agent

import (
	"strings"
	"testing"

	"caselsp/store"
)

// TestLanguageOfPattern tells the language of records that do not say it.
func TestLanguageOfPattern(t *testing.T) {
	for _, c := range []struct{ want, text, solution string }{
		{"python", "KeyError: NAME", "@@\n-    return name1[name2]\n+    return name1.get(name2)\n+\n+    def func1(self):\n"},
		{"python", "x", "@@\n-    pass\n+    retry()\n"},
		{"python", "x", "@@\n+def func1(name1=None):\n     name1 = name1 or []\n"},
		{"python", "x", "@@\n-        return self.total\n+        return self.total + 1\n"},
		{"go", "panic: runtime error", "@@\n+\tif err != nil {\n+\t\treturn err\n+\t}\n"},
		{"go", "x", "@@\n-\tname1 := name2\n+\tname1 = name2\n"},
		{"javascript", "TypeError", "@@\n-  const name1 = name2.map((x) => x.id)\n+  const name1 = await name2.map((x) => x.id)\n"},
		{"javascript", "x", "@@\n-  if (a == b) {\n+  if (a === b) {\n"},
		{"html", "x", "@@\n-<img src=\"text1\">\n+<img src=\"text1\" alt=\"text2\">\n"},
		{"javascript", "TypeError at file1.ts", "Handle it."},
		{"python", "fails in file1.py", "Handle it."},
		{"", "AssertionError", "Try twice."},
		{"", "README.md", "Write it."},
		{"", "x", "@@\n-  timeout: 3\n+  timeout: 30\n"},
	} {
		if got := languageOfPattern(store.Pattern{Text: c.text, Solution: c.solution}); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.text, c.solution, got, c.want)
		}
	}
}

// TestSharesCause holds which remembered failures can be the cause of a present one.
func TestSharesCause(t *testing.T) {
	now := map[string]bool{}
	for _, w := range telling("AssertionError: NAME != NAME\nreturn parse(value).toISOString()") {
		now[w] = true
	}
	for text, want := range map[string]bool{
		"AssertionError: NAME != NAME":                                    false,
		"AssertionError: NAME != NAME\nself.assertEqual(name1, name2)":    false,
		"AssertionError: NAME != NAME\nreturn func1(value).toISOString()": true,
		"TypeError: name1.map is not a function":                          true, // it says something: its similarity decides
	} {
		if got := sharesCause(store.Pattern{Type: strings.SplitN(text, ":", 2)[0], Text: text}, now); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
