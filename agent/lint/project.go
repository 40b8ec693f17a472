package lint

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/validate"
	"caselsp/sandbox"
	"caselsp/store/lazyregexp"

	"github.com/pelletier/go-toml/v2"
)

// What some projects use and others would be annoyed by: types and formatting.
var (
	Mypy     = &Linter{Name: "mypy", Profile: sandbox.Python, extensions: []string{".py", ".pyi"}, line: mypyLine, used: usesPython("mypy", "mypy.ini", ".mypy.ini"), read: readMypy, excludes: outsideMypy}
	Black    = &Linter{Name: "black", Profile: sandbox.Python, extensions: []string{".py", ".pyi"}, line: blackLine, used: usesPython("black"), read: readBlack, excludes: outsideBlack}
	Prettier = &Linter{
		Name: "prettier", Profile: sandbox.Node, line: prettierLine, used: usesPrettier, read: readPrettier,
		extensions: []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".css", ".scss", ".less", ".vue", ".json", ".md", ".yaml", ".yml"},
	}
)

// usesPython tells whether a project uses a tool of Python: by a file of the tool's
// own, a section of setup.cfg or pyproject.toml, a requirement or a hook of pre-commit.
func usesPython(tool string, own ...string) func(tree []sandbox.File) bool {
	section := regexp.MustCompile(`(?m)^\[` + tool + `(-[^\]]*)?\]`)
	requirement := regexp.MustCompile(`(?mi)^\s*` + tool + `\s*([\[<>=!~;@#]|$)`)
	return func(tree []sandbox.File) bool {
		return slices.ContainsFunc(tree, func(f sandbox.File) bool {
			switch {
			case slices.Contains(own, f.Path):
				return true
			case f.Path == "setup.cfg" || f.Path == "tox.ini":
				return section.Match(f.Data)
			case f.Path == "pyproject.toml":
				var file struct{ Tool map[string]any }
				return toml.Unmarshal(f.Data, &file) == nil && file.Tool[tool] != nil
			case path.Dir(f.Path) == "requirements" || strings.HasPrefix(f.Path, "requirements"):
				return path.Ext(f.Path) == ".txt" && requirement.Match(f.Data)
			}
			return hooked(f, tool)
		})
	}
}

// hooked reports whether a file is pre-commit's and names a tool.
func hooked(f sandbox.File, tool string) bool {
	return f.Path == ".pre-commit-config.yaml" && regexp.MustCompile(`(?m)^\s*-?\s*id:\s*`+tool+`\s*$`).Match(f.Data)
}

// usesPrettier does the same for Prettier.
func usesPrettier(tree []sandbox.File) bool {
	return slices.ContainsFunc(tree, func(f sandbox.File) bool {
		if strings.HasPrefix(f.Path, ".prettierrc") || strings.HasPrefix(f.Path, "prettier.config.") {
			return true
		}
		var file struct {
			Prettier                      any
			Dependencies, DevDependencies map[string]string
		}
		if f.Path == "package.json" && json.Unmarshal(f.Data, &file) == nil {
			return file.Prettier != nil || file.Dependencies["prettier"] != "" || file.DevDependencies["prettier"] != ""
		}
		return hooked(f, "prettier")
	})
}

// present is the beginning of a line for a program that has no report of its own:
// what a shell says of one that is not there must not be taken for its report.
func present(program string) string {
	return "command -v " + program + " >/dev/null || { echo '" + program + ": not found' >&2; exit 127; }\n"
}

func mypyLine(_ []sandbox.File, files []string) string {
	return present("mypy") + "mypy --no-error-summary --no-color-output --show-column-numbers --show-error-codes --no-pretty --no-incremental --cache-dir=/dev/null --" +
		quoted(files) + " >" + reportFile + "; [ $? -le 1 ]"
}

var mypyMessage = lazyregexp.New(`(?m)^(.+?):(\d+):(\d+): (error|note): (.*?)(?:  \[([a-z0-9-]+)\])?$`)

func readMypy(report, _ string) ([]issue, error) {
	var issues []issue
	for _, m := range mypyMessage.FindAllStringSubmatch(report, -1) {
		line, column := number(m[2]), number(m[3])
		if m[4] == "note" { // of the error above it
			if n := len(issues); n > 0 && issues[n-1].Line == line {
				issues[n-1].Message += ". " + m[5]
			}
			continue
		}
		i := issue{Reported: validate.Reported{Path: m[1], Rule: m[6], Severity: validate.Warning, Line: line, Column: column, Message: m[5]}}
		if i.Rule == "" {
			i.Rule = "error"
		} else {
			i.Docs = "https://mypy.readthedocs.io/en/stable/_refs.html#code-" + i.Rule
		}
		issues = append(issues, i)
	}
	return issues, nil
}

// blackLine takes the project's black, or else the image's, which is not where
// Django looks for one.
func blackLine(_ []sandbox.File, files []string) string {
	return "PATH=\"$PATH:/usr/local/lib/black\"\n" + present("black") + "black --diff --quiet --no-color --" + quoted(files) + " >" + reportFile
}

// maxHunk is how many lines of a hunk a message has: it shows the way, the model
// knows the rest.
const maxHunk = 24

var hunkHeader = lazyregexp.New(`^@@ -(\d+)`)

// readBlack makes a finding of each hunk of black's diff.
func readBlack(report, _ string) ([]issue, error) {
	var issues []issue
	file := ""
	for line := range strings.Lines(report) {
		line = strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(line, "--- "); ok {
			file, _, _ = strings.Cut(name, "\t")
		} else if m := hunkHeader.FindStringSubmatch(line); m != nil {
			i := layout(file, "black writes it so, and the project uses black:")
			i.Line = number(m[1])
			issues = append(issues, i)
		} else if n := len(issues); n > 0 && !strings.HasPrefix(line, "+++ ") && strings.Count(issues[n-1].Message, "\n") < maxHunk {
			issues[n-1].Message += "\n" + line
		}
	}
	return issues, nil
}

// prettierLine leaves out what the project has Prettier ignore, as Prettier does.
func prettierLine(_ []sandbox.File, files []string) string {
	return "PATH=\"$PWD/node_modules/.bin:$PATH\"\n" + present("prettier") +
		"prettier --list-different --no-error-on-unmatched-pattern --" + quoted(files) + " >" + reportFile + "; [ $? -le 1 ]"
}

func readPrettier(report, _ string) ([]issue, error) {
	var issues []issue
	for name := range strings.Lines(report) {
		name = strings.TrimRight(name, "\r\n")
		issues = append(issues, layout(name, "Prettier would lay it out in another way, and the project uses Prettier: run npx prettier --write "+strconv.Quote(name)))
	}
	return issues, nil
}

// layout is a place that a formatter would write in another way.
func layout(file, message string) issue {
	return issue{Reported: validate.Reported{Path: file, Rule: "layout", Severity: validate.Warning, Line: 1, Column: 1, Message: message}}
}
