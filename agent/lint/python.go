package lint

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/validate"
	"caselsp/sandbox"
	"caselsp/store/lazyregexp"
)

// pylintLine asks for the report as JSON, which pylint 2 has as well as 3, and
// for the score, which only the text says. The text comes first: behind the file, pylint 2.16 ends
// without having written it.
// In a project of Django's it knows what Django adds to classes, where the plugin
// for that is there and the project does not choose plugins itself.
func pylintLine(tree []sandbox.File, files []string) string {
	plugins := ""
	if usesDjango(tree) {
		plugins = "plugins=; python3 -c 'import pylint_django' 2>/dev/null && plugins=--load-plugins=pylint_django\n"
	}
	return plugins + "pylint $plugins --output-format=text,json:" + reportFile + " --score=y --persistent=n --jobs=1 --" + quoted(files)
}

// usesDjango tells whether pylint is to know Django.
func usesDjango(tree []sandbox.File) (used bool) {
	for _, f := range tree {
		switch f.Path {
		case "manage.py":
			used = used || strings.Contains(string(f.Data), "django")
		case "pylintrc", ".pylintrc", "pylintrc.toml", ".pylintrc.toml", "pyproject.toml", "setup.cfg", "tox.ini":
			if strings.Contains(string(f.Data), "load-plugins") {
				return false
			}
		}
	}
	return used
}

var pylintScore = lazyregexp.New(`rated at (-?[0-9.]+)/10`)

// pylintSeverity maps the kinds of pylint's messages to severities. None is critical:
// the syntax rules find code that cannot run, and Bandit finds vulnerabilities.
var pylintSeverity = map[string]validate.Severity{"fatal": validate.Warning, "error": validate.Warning, "warning": validate.Warning, "refactor": validate.Info, "convention": validate.Info}

func readPylint(report, output string) ([]issue, error) {
	var list []struct {
		Type, Path, Symbol, Message string
		ID                          string `json:"message-id"`
		Line, Column                int
		EndLine, EndColumn          *int
	}
	if err := json.Unmarshal([]byte(report), &list); err != nil {
		return nil, err
	}
	var issues []issue
	for _, m := range list {
		i := issue{Reported: validate.Reported{
			Path: m.Path, Rule: m.Symbol, Severity: pylintSeverity[m.Type], Line: m.Line, Column: m.Column + 1, Message: m.Message,
			Docs: "https://pylint.readthedocs.io/en/stable/user_guide/messages/" + kindOf(m.ID) + "/" + m.Symbol + ".html",
		}}
		if m.EndLine != nil && m.EndColumn != nil {
			i.EndLine, i.EndColumn = *m.EndLine, *m.EndColumn+1
		}
		if i.Severity == "" {
			i.Severity = validate.Info
		}
		issues = append(issues, i)
	}
	if m := pylintScore.FindStringSubmatch(output); m != nil {
		if score, err := strconv.ParseFloat(m[1], 64); err == nil {
			issues = append(issues, issue{score: &score})
		}
	}
	return issues, nil
}

// kindOf is the folder of a message's page.
func kindOf(id string) string {
	for letter, kind := range map[string]string{"C": "convention", "R": "refactor", "W": "warning", "E": "error", "F": "fatal"} {
		if strings.HasPrefix(id, letter) {
			return kind
		}
	}
	return "all"
}

// banditLine takes the project's own configuration, which Bandit does not look for by itself.
//
// A code of 1 says that it has found something; --exit-zero is not known to Bandit 1.6.
func banditLine(tree []sandbox.File, files []string) string {
	own := ""
	switch {
	case configured(tree, "pyproject.toml", "bandit") != nil:
		own = "--configfile pyproject.toml "
	case slices.ContainsFunc(tree, func(f sandbox.File) bool { return f.Path == "bandit.yaml" }):
		own = "--configfile bandit.yaml "
	case slices.ContainsFunc(tree, func(f sandbox.File) bool { return f.Path == ".bandit" }):
		own = "--ini .bandit "
	}
	return "bandit " + own + "--quiet --format json --output " + reportFile + " --" + quoted(files) + "; code=$?; [ $code = 1 ] || exit $code"
}

func readBandit(report, _ string) ([]issue, error) {
	var all struct {
		Results []struct {
			Filename   string
			Text       string           `json:"issue_text"`
			Severity   string           `json:"issue_severity"`
			Confidence string           `json:"issue_confidence"`
			CWE        struct{ ID int } `json:"issue_cwe"`
			Line       int              `json:"line_number"`
			Range      []int            `json:"line_range"`
			Column     int              `json:"col_offset"`
			EndColumn  int              `json:"end_col_offset"`
			ID         string           `json:"test_id"`
			Info       string           `json:"more_info"`
		}
	}
	if report == "" {
		return nil, errNoReport
	}
	if err := json.Unmarshal([]byte(report), &all); err != nil {
		return nil, err
	}
	var issues []issue
	for _, r := range all.Results {
		if r.ID == "B101" && testFile.MatchString(r.Filename) {
			continue // an assert is how a test checks
		}
		i := issue{
			Reported: validate.Reported{Path: r.Filename, Rule: r.ID, Line: r.Line, Column: r.Column + 1, Message: r.Text, Docs: r.Info, Standards: cwe(r.CWE.ID)},
			severity: grade(r.Severity), confidence: grade(r.Confidence),
		}
		if last := len(r.Range) - 1; last == 0 && r.EndColumn > r.Column {
			i.EndLine, i.EndColumn = r.Line, r.EndColumn+1
		}
		issues = append(issues, i)
	}
	return issues, nil
}

// grade reads HIGH, MEDIUM and LOW; what is UNDEFINED is low.
func grade(text string) Grade {
	if g := Grade(strings.ToLower(text)); rank[g] > 0 {
		return g
	}
	return Low
}

func cwe(id int) []string {
	if id == 0 {
		return nil
	}
	return []string{"CWE-" + strconv.Itoa(id)}
}
