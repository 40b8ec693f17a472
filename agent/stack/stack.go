// Package stack knows how projects are tested: which command runs a project's tests and what
// says so ([Tests]), whether a command line is a test run at all ([What]), what a runner's
// output means when it is not plainly a pass or a failure ([Read]), and what was lacking where
// the tests could not run ([Lack]): a program, a package, a version, the network.
//
// It is a package of its own because the loop, the fold and the prompts ask it the same
// questions. It does no I/O, runs nothing and installs nothing; it counts no tests: that is
// testreport's.
package stack

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// File is one file of a project. Text may be left out where [Described] says no.
type File struct{ Path, Text string }

// Candidate is a command that runs a project's tests, with what says so.
type Candidate struct {
	Command string `json:"command"`
	Program string `json:"program"`        // that it starts with: where the sandbox has none, the next candidate is tried
	File    string `json:"file"`           // the evidence
	Line    int    `json:"line,omitempty"` // from 1; 0: the file as a whole
	// Script is what the command runs, as its manifest has it: commands with && between them; "" where none is known.
	Script string `json:"script,omitempty"`
}

// String is the command with its evidence, as people and models read it.
func (c Candidate) String() string { return fmt.Sprintf("`%s` (%s)", c.Command, place(c.File, c.Line)) }

// place is a file, with the line where one says it.
func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// manifests are the files whose text tells how a project is tested.
var manifests = []string{
	"pyproject.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "noxfile.py", "manage.py",
	"package.json", "go.mod", "Makefile", "makefile", "GNUmakefile", "Cargo.toml", "composer.json", "justfile",
}

// wanted reports whether the text of a file is needed. Those of a project's root are, and of
// the folder below it for projects that hold one in a folder.
func wanted(name string) bool {
	return strings.Count(name, "/") <= 1 && slices.Contains(manifests, path.Base(name))
}

// Tests returns the commands that may run a project's tests, the best first; none where the
// project shows no tests. Where a root names none, the folders below it are asked.
func Tests(files []File) []Candidate {
	below := folders(files)
	rooted := slices.ContainsFunc(files, func(f File) bool { return wanted(f.Path) && !strings.Contains(f.Path, "/") })
	if found := testsIn(files); len(found) > 0 && (rooted || len(below) == 0) {
		return found
	}
	var all []Candidate
	for _, folder := range below {
		var inside []File
		for _, f := range files {
			if rest, ok := strings.CutPrefix(f.Path, folder+"/"); ok {
				inside = append(inside, File{Path: rest, Text: f.Text})
			}
		}
		for _, c := range testsIn(inside) {
			c.Command, c.File = "cd "+folder+" && "+c.Command, folder+"/"+c.File
			all = append(all, c)
		}
	}
	return all
}

// plainFolder is a folder whose name needs no quotes in a shell.
var plainFolder = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// folders are the folders below the root that hold a manifest, in order.
func folders(files []File) []string {
	var list []string
	for _, f := range files {
		if dir := path.Dir(f.Path); dir != "." && wanted(f.Path) && plainFolder.MatchString(dir) {
			list = append(list, dir)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// testsIn is Tests for the root alone.
func testsIn(files []File) []Candidate {
	p := project{files: files}
	return slices.Concat(p.python(), p.golang(), p.node(), p.others(), p.makefile())
}

// project answers for a list of files.
type project struct{ files []File }

// text returns the text of a file, and whether it is there.
func (p project) text(name string) (string, bool) {
	for _, f := range p.files {
		if f.Path == name {
			return f.Text, true
		}
	}
	return "", false
}

// any reports whether a path matches, outside of folders that hold other people's code.
func (p project) any(pattern *lazyregexp.Regexp) bool {
	return slices.ContainsFunc(p.files, func(f File) bool { return pattern.MatchString(f.Path) && !foreign.MatchString(f.Path) })
}

// foreign are folders of other people's code.
var foreign = lazyregexp.New(`(^|/)(node_modules|vendor|third_party|site-packages|\.venv|venv)/`)

// lineOf returns the line, from 1, of the first match of a pattern; 0 for none.
func lineOf(text string, pattern *lazyregexp.Regexp) int {
	at := pattern.FindStringIndex(text)
	if at == nil {
		return 0
	}
	match := text[at[0]:at[1]]
	lead := len(match) - len(strings.TrimLeft(match, "\r\n"))
	return 1 + strings.Count(text[:at[0]+lead], "\n")
}

var (
	goTests     = lazyregexp.New(`_test\.go$`)
	goModule    = lazyregexp.New(`(?m)^module\s`)
	scriptTests = lazyregexp.New(`(^|/)[^/]+[._-]test\.[cm]?js$|(^|/)test\.[cm]?js$|(^|/)test/[^/]+\.[cm]?js$`)
	makeTarget  = lazyregexp.New(`(?m)^(test|check)\s*:([^=]|$)`)
	testScript  = lazyregexp.New(`"test"\s*:`)
)

func (p project) golang() []Candidate {
	text, ok := p.text("go.mod")
	if !ok || !p.any(goTests) {
		return nil
	}
	return []Candidate{{Command: "go test ./...", Program: "go", File: "go.mod", Line: lineOf(text, goModule)}}
}

// noScript is what npm init writes where there are no tests.
const noScript = "no test specified"

// node asks package.json and, where it names no script, the names of files. A package manager
// that the project names comes first; npm, which the sandbox has, runs the same script.
func (p project) node() []Candidate {
	text, ok := p.text("package.json")
	if !ok {
		return nil
	}
	var file struct {
		Scripts        map[string]string
		PackageManager string
	}
	if json.Unmarshal([]byte(text), &file) != nil {
		return nil
	}
	script := file.Scripts["test"]
	if script == "" || strings.Contains(script, noScript) {
		if !p.any(scriptTests) {
			return nil
		}
		return []Candidate{{Command: "node --test", Program: "node", File: "package.json"}}
	}
	line := lineOf(text, testScript)
	managers := []string{"npm"}
	for name, lock := range map[string]string{"pnpm": "pnpm-lock.yaml", "yarn": "yarn.lock"} {
		if _, locked := p.text(lock); locked || strings.HasPrefix(file.PackageManager, name+"@") {
			managers = []string{name, "npm"}
		}
	}
	var list []Candidate
	for _, m := range managers {
		list = append(list, Candidate{Command: m + " test", Program: m, File: "package.json", Line: line, Script: script})
	}
	return list
}

// builders are the manifests of languages whose build tool runs the tests.
var builders = []struct{ file, program, command string }{
	{"Cargo.toml", "cargo", "cargo test"}, {"mix.exs", "mix", "mix test"}, {"deno.json", "deno", "deno test"},
	{"gradlew", "./gradlew", "./gradlew test"}, {"pom.xml", "mvn", "mvn -q test"}, {"build.gradle", "gradle", "gradle test"},
	{".rspec", "rspec", "rspec"}, {"phpunit.xml", "phpunit", "phpunit"}, {"phpunit.xml.dist", "phpunit", "phpunit"},
}

func (p project) others() []Candidate {
	for _, b := range builders {
		if _, ok := p.text(b.file); ok {
			return []Candidate{{Command: b.command, Program: b.program, File: b.file}}
		}
	}
	return nil
}

// recipe is what the target of a Makefile runs that a pattern finds.
func recipe(text string, target *lazyregexp.Regexp) string {
	_, rest, _ := strings.Cut(text[target.FindStringIndex(text)[0]:], "\n")
	var lines []string
	for line := range strings.Lines(rest) {
		command, ok := strings.CutPrefix(line, "\t")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimLeft(strings.TrimSpace(command), "@-+"))
	}
	return strings.Join(lines, then)
}

func (p project) makefile() []Candidate {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		text, _ := p.text(name)
		if m := makeTarget.FindStringSubmatch(text); m != nil {
			return []Candidate{{Command: "make " + m[1], Program: "make", File: name, Line: lineOf(text, makeTarget), Script: recipe(text, makeTarget)}}
		}
	}
	return nil
}
