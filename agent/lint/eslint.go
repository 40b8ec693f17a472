package lint

import (
	_ "embed"
	"encoding/json"
	"path"
	"strings"

	"caselsp/agent/validate"
	"caselsp/sandbox"
)

// eslintConfig is what ESLint runs with where a project has no configuration of
// its own.
//
//go:embed eslint.config.txt
var eslintConfig string

// eslintConfigFile is the name of eslintConfig in the copy.
const eslintConfigFile = ".caselsp-eslint.config.mjs"

// eslintSetup adds the configuration where the project has none.
func eslintSetup(tree []sandbox.File) []sandbox.File {
	for _, f := range tree {
		base := path.Base(f.Path)
		if strings.HasPrefix(base, "eslint.config.") || strings.HasPrefix(base, ".eslintrc") || f.Path == "package.json" && strings.Contains(string(f.Data), `"eslintConfig"`) {
			return nil
		}
	}
	return []sandbox.File{{Path: eslintConfigFile, Mode: 0o644, Data: []byte(eslintConfig)}}
}

// eslintLine takes the project's ESLint where its dependencies are there, and
// tells an old kind of configuration from the new one. The bundled configuration
// finds the packages beside ESLint itself.
func eslintLine(_ []sandbox.File, files []string) string {
	return `eslint=./node_modules/.bin/eslint; [ -x $eslint ] || eslint=$(command -v eslint) || { echo 'eslint: not found' >&2; exit 127; }
LINT_MODULES=$(dirname "$(dirname "$(dirname "$(readlink -f "$eslint")")")")/; export LINT_MODULES
config=
if [ -e ` + eslintConfigFile + ` ]; then config='--config ` + eslintConfigFile + `'
elif ! ls eslint.config.* >/dev/null 2>&1; then ESLINT_USE_FLAT_CONFIG=false; export ESLINT_USE_FLAT_CONFIG; fi
"$eslint" $config --no-error-on-unmatched-pattern --format json --output-file ` + reportFile + " --" + quoted(files)
}

func readESLint(report, _ string) ([]issue, error) {
	var list []struct {
		FilePath string
		Messages []struct {
			RuleID             *string `json:"ruleId"`
			Severity           int
			Message            string
			Line, Column       int
			EndLine, EndColumn int
			Fatal              bool
		}
	}
	if report == "" {
		return nil, errNoReport
	}
	if err := json.Unmarshal([]byte(report), &list); err != nil {
		return nil, err
	}
	var issues []issue
	for _, f := range list {
		for _, m := range f.Messages {
			i := issue{Reported: validate.Reported{Path: f.FilePath, Rule: "parse", Severity: validate.Warning, Line: m.Line, Column: m.Column, EndLine: m.EndLine, EndColumn: m.EndColumn, Message: m.Message}}
			if m.RuleID != nil {
				i.Rule = *m.RuleID
				i.Docs = eslintDocs(i.Rule)
			} else if !m.Fatal {
				continue // the file is ignored by the project
			}
			if m.Severity < 2 {
				i.Severity = validate.Info
			}
			issues = append(issues, i)
		}
	}
	return issues, nil
}

// eslintDocs is the page of a rule; "" of plugins whose page is not known.
func eslintDocs(rule string) string {
	plugin, name, found := strings.Cut(rule, "/")
	switch {
	case !found:
		return "https://eslint.org/docs/latest/rules/" + rule
	case plugin == "@typescript-eslint":
		return "https://typescript-eslint.io/rules/" + name
	}
	return ""
}
