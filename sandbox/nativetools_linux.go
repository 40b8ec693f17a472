//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tool is something that the bundled image has and this machine may lack.
type tool struct {
	profile Profile
	name    string // of a program; where module is set, of something that Python imports
	module  bool
	debian  string // the package of Debian, and of what comes from it, that has it
}

// tools are what the native engine looks for: what the profiles of the image have
// that tasks need.
var tools = []tool{
	{Python, "python3", false, "python3"},
	{Python, "pytest", true, "python3-pytest"},
	{Python, "pytest_cov", true, "python3-pytest-cov"},
	{Python, "hypothesis", true, "python3-hypothesis"},
	{Python, "coverage", true, "python3-coverage"},
	{Python, "pylint", true, "pylint"},
	{Python, "bandit", true, "bandit"},
	{Python, "pip", true, "python3-pip"},
	{Go, "go", false, "golang-go"},
	{Node, "node", false, "nodejs"},
	{Node, "npm", false, "npm"},
}

// test is a command that fails where the tool is not there. Python itself has to
// be 3.11 or newer.
func (t tool) test() string {
	switch {
	case t.module:
		return fmt.Sprintf(`python3 -c 'import importlib.util as u, sys; sys.exit(u.find_spec("%s") is None)'`, t.name)
	case t.name == "python3":
		return `python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'`
	}
	return "command -v " + t.name
}

// Tools says what of the profiles' tools this machine has where commands see
// it: what a container brings along, the native engine cannot.
func (n *NativeEngine) Tools(ctx context.Context) ([]Toolset, error) {
	var line strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&line, "{ %s; } >/dev/null 2>&1 || echo %s\n", t.test(), t.name)
	}
	res, err := n.Run(ctx, Command{Line: line.String()})
	if err != nil {
		return nil, err
	}
	missing := strings.Fields(res.Output)
	var sets []Toolset
	for _, p := range Profiles {
		s := Toolset{Profile: p}
		var lacks []tool
		for _, t := range tools {
			if t.profile == p && slices.Contains(missing, t.name) {
				s.Lacks, lacks = append(s.Lacks, t.name), append(lacks, t)
			} else if t.profile == p {
				s.Has = append(s.Has, t.name)
			}
		}
		s.Advice = n.toolAdvice(lacks)
		sets = append(sets, s)
	}
	return sets, nil
}

// The ways in which shells and Python say that something is not there. What is
// not a plain name is not one of ours.
var missingTool = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^(?:/bin/)?(?:sh|dash|bash): (?:line )?(?:\d+: )?([\w.+-]{1,40}): (?:command )?not found$`),
	regexp.MustCompile(`(?m)^(?:/usr/bin/)?env: .?([\w.+-]{1,40}).?: No such file or directory$`),
	regexp.MustCompile(`No module named '?([\w-]{1,40})'?`),
	regexp.MustCompile(`unrecognized arguments: --(cov)\b`),
}

// lookBack is how much of the end of an output is searched for what is missing: a
// program that lacks a tool says so in its last lines.
const lookBack = 8 << 10

// advise says what a failed command did not find on this machine, and what the
// user can do; "" where it failed for another reason.
func (n *NativeEngine) advise(res *Result) string {
	if res.Status != Exited || res.ExitCode == 0 {
		return ""
	}
	end := res.Output[max(0, len(res.Output)-lookBack):]
	for i, pattern := range missingTool {
		for _, m := range pattern.FindAllStringSubmatch(end, -1) {
			name, module := m[1], i >= 2
			switch name {
			case "python":
				name = "python3"
			case "cov":
				name = "pytest_cov"
			}
			known := slices.IndexFunc(tools, func(t tool) bool { return t.name == name && (t.module == module || t.module) })
			if known >= 0 {
				return n.toolAdvice(tools[known : known+1])
			}
			if folder := hiddenFolder(name); folder != "" && !module {
				return fmt.Sprintf("%s is in %s, which the native sandbox does not show: add %q to sandbox.folders in your settings", name, folder, folder)
			}
		}
	}
	return ""
}

// toolAdvice says what to do for tools that are missing.
func (n *NativeEngine) toolAdvice(lacks []tool) string {
	var names, packages []string
	for _, t := range lacks {
		name := t.name
		if t.name == "python3" {
			name = "Python 3.11 or newer (python3)"
			if folder := hiddenFolder("python3"); folder != "" && !slices.Contains(n.folders, folder) {
				return fmt.Sprintf("commands find no %s: they see this machine's programs in /usr alone. Add %q to sandbox.folders in your settings, or install the package python3", name, folder)
			}
		}
		names, packages = append(names, name), append(packages, t.debian)
	}
	if names == nil {
		return ""
	}
	text := "this machine has no " + strings.Join(names, ", ") + " where commands see it, and the native sandbox brings none along: install it, as with apt-get install " + strings.Join(packages, " ")
	if lacks[0].profile == Python && lacks[0].module {
		text += ", or name it in the project's requirements, which are installed for the sandbox"
	} else {
		text += ", or name the folder above its bin folder in sandbox.folders"
	}
	return text + "; or use Docker, whose image has it (sandbox.engine)"
}

// hiddenFolder returns the folder above the bin folder in which the user has a
// program that commands do not see, or "". Folders that hold more than programs
// are not named: untrusted code could read them.
func hiddenFolder(program string) string {
	path, err := exec.LookPath(program)
	if err != nil || !filepath.IsAbs(path) {
		return ""
	}
	if bin := filepath.Dir(path); filepath.Base(bin) == "shims" { // pyenv's, asdf's or mise's
		for _, versions := range []string{"versions/*/bin", "installs/*/*/bin"} {
			if found, _ := filepath.Glob(filepath.Join(filepath.Dir(bin), versions, program)); found != nil {
				path = found[len(found)-1]
			}
		}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Base(filepath.Dir(real)) == "bin" {
		path = real
	}
	bin := filepath.Dir(path)
	folder := filepath.Dir(bin)
	home, _ := os.UserHomeDir() // none: nothing lies in it
	shared := []string{"/", "/usr", "/usr/local", "/opt", home, filepath.Join(home, ".local"), filepath.Dir(home)}
	if filepath.Base(bin) != "bin" || slices.Contains(shared, folder) || folderLacks([]string{folder}) != nil {
		return ""
	}
	return folder
}
