package obey

import (
	"strings"
	"testing"
)

// TestLocks goes through changes of lists of packages, each as pairs of a text and its other.
func TestLocks(t *testing.T) {
	const npm = `{"name": "x", "lockfileVersion": 3, "packages": {"": {"name": "x", "dependencies": {"a": "^1.0.0"}},
		"node_modules/a": {"version": "1.0.0", "resolved": "https://r.example/a/-/a-1.0.0.tgz", "integrity": "sha512-AAAA"}}}`
	// npm workspaces list their own folders beside what is installed.
	const spaces = `{"packages": {"": {"workspaces": ["apps/*"]}, "apps/web": {"version": "1.0.0"}, "node_modules/web": {"resolved": "apps/web", "link": true}}}`
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
		{"package-lock.json", spaces, []string{"1.0.0", "1.0.1"}, true},
		{"package-lock.json", spaces, []string{`"apps/web": {`, `"a": {"version": "1.0.0"}, "apps/web": {`}, true},
		{"package-lock.json", spaces, []string{`"apps/web": {`, `"node_modules": {}, "apps/web": {`}, true},
		{"package-lock.json", spaces, []string{`"apps/web": {`, `"node_modules/": {}, "apps/web": {`}, true},
		{"package-lock.json", npm, []string{`"node_modules/a": {`, `"x": 1, "node_modules/a": {`}, true},
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

// TestOdd: texts that are no manifest, whatever the name of the file says, are obeyed or
// harmless, and end no program.
func TestOdd(t *testing.T) {
	texts := []string{"", "{", "{}", "[]", "null", "1", "\x00", "{\"packages\": []}", "{\"packages\": {\"x\": 1}}", "{\"packages\": {\"\": 1, \"/\": {}}}", "{\"dependencies\": {\"\": \"\", \"a\": \"@\"}}",
		"[[package]]\n", "[[package]]\nname = \"\"\n", "\"\" = 1\n", "a:\n", "\\", "\\\n", "#\\\n", "define\n", "define X\n", "endef\n", "require (\n", "<a", "</a>", "<a><b/>", "(", "if(\n", "\t", "@\n==\n-r\n"}
	for _, m := range manifests {
		for _, name := range m.names {
			name = strings.ReplaceAll(name, "*", "a")
			for _, before := range texts {
				for _, after := range []string{"", "{}", before + before, "a\n" + before} {
					if who := By(Change{Path: name, Before: &File{Text: before}, After: &File{Text: after}}); who == notJudged {
						t.Errorf("%s from %q to %q cannot be judged", name, before, after)
					}
				}
			}
		}
	}
}

// TestBarrier: a rule that fails on a text locks no change away, it makes it one to be asked for.
func TestBarrier(t *testing.T) {
	real := manifests
	t.Cleanup(func() { manifests = real })
	manifests = []manifest{{names: []string{"package.json"}, same: func(_, after string) bool { return after[len(after)] == 0 }}}
	if who := By(Change{Path: "package.json", Before: &File{Text: "a"}, After: &File{Text: "b"}}); who != notJudged {
		t.Errorf("a change that cannot be judged is obeyed by %q", who)
	}
}
