package obey

import (
	"strings"
	"testing"
)

// TestLocks goes through changes of lists of packages, each as pairs of a text and its other.
func TestLocks(t *testing.T) {
	const npm = `{"name": "x", "lockfileVersion": 3, "packages": {"": {"name": "x", "dependencies": {"a": "^1.0.0"}},
		"node_modules/a": {"version": "1.0.0", "resolved": "https://r.example/a/-/a-1.0.0.tgz", "integrity": "sha512-AAAA"}}}`
	sum := strings.Repeat("0", 64)
	rust := "version = 4\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://r.example/index\"\nchecksum = \"" + sum + "\"\n"
	for _, c := range []struct {
		path, text string
		edits      []string // old and new
		asks       bool
	}{
		{"package-lock.json", npm, []string{"1.0.0\", \"resolved", "1.1.0\", \"resolved", "a-1.0.0", "a-1.1.0", "AAAA", "BBBB", "^1.0.0", "^1.1.0"}, false},
		{"package-lock.json", npm, []string{"a-1.0.0", "a-1.1.0"}, true},
		{"package-lock.json", npm, []string{"AAAA", "BBBB"}, true},
		{"package-lock.json", npm, []string{`, "integrity": "sha512-AAAA"`, ""}, true},
		{"package-lock.json", npm, []string{"r.example/a/-/a", "r.example/evil/-/evil"}, true},
		{"package-lock.json", npm, []string{"node_modules/a", "node_modules/b"}, true},
		{"package-lock.json", npm, []string{"node_modules/a", "node_modules/b", "/a/-/a", "/b/-/b"}, false},
		{"package-lock.json", npm, []string{"node_modules/a", "node_modules/b", "/a/-/a", "/b/-/b", "r.example", "evil.example"}, true},
		{"package-lock.json", npm, []string{"node_modules/a", "node_modules/b", "/a/-/a", "/b/-/b", `"version"`, `"name": "evil", "version"`}, true},
		{"package-lock.json", npm, []string{`"version"`, `"link": true, "version"`}, true},
		{"package-lock.json", npm, []string{"node_modules/a", "node_modules/b", "/a/-/a", "/b/-/b", `"version"`, `"bin": {"b": "cli.js"}, "version"`}, false},
		{"package-lock.json", npm, []string{"node_modules/a", "node_modules/b", "/a/-/a", "/b/-/b", `"version"`, `"bin": {"b": "../../evil.js"}, "version"`}, true},
		{"package-lock.json", npm, []string{"^1.0.0", "file:evil.tgz"}, true},
		{"package-lock.json", npm, []string{`"version"`, `"unknown": 1, "version"`}, true},
		{"package-lock.json", npm, []string{`"lockfileVersion": 3`, `"lockfileVersion": 1`}, true},
		{"Cargo.lock", rust, []string{"1.0.0", "1.1.0", sum, strings.Repeat("1", 64)}, false},
		{"Cargo.lock", rust, []string{sum, strings.Repeat("1", 64)}, true},
		{"Cargo.lock", rust, []string{"1.0.0", "1.1.0", "r.example", "evil.example"}, true},
		{"Cargo.lock", rust, []string{"1.0.0", "1.1.0", "registry+", "git+"}, true},
		{"Cargo.lock", rust, []string{"checksum", "unknown"}, true},
		{"composer.lock", `{"packages": []}`, []string{"[]", `[{"name": "a/b", "dist": {"type": "path", "url": "x"}}]`}, true},
		{"poetry.lock", "a = 1\n", []string{"1", "2"}, true},
		{"Package.resolved", "{\"a\": 1}", []string{"1", "2"}, true},
		{"flake.lock", "{\"a\": 1}", []string{"1", "2"}, true},
		{"pylock.toml", "a = 1\n", []string{"1", "2"}, true},
		{"stack.yaml.lock", "a: 1\n", []string{"1", "2"}, true},
		{"conan.lock", "{\"a\": 1}", []string{"1", "2"}, true},
		{"gradle.lockfile", "a\n", []string{"a", "b"}, true},
	} {
		after := strings.NewReplacer(c.edits...).Replace(c.text)
		if after == c.text {
			t.Errorf("%s, %q: no edit", c.path, c.edits)
		}
		if by := By(Change{Path: c.path, Before: &File{Text: c.text}, After: &File{Text: after}}); (by != "") != c.asks {
			t.Errorf("%s, %q: obeyed by %q, to be asked: %v", c.path, c.edits, by, c.asks)
		}
		if By(Change{Path: c.path, After: &File{Text: c.text}}) == "" {
			t.Errorf("a new %s is obeyed by nobody", c.path)
		}
	}
}
