package validate

import (
	"slices"
	"strings"
)

// Tool is another program that checks source code.
type Tool string

// The tools by whose names our rules can be found. [Term] is none: it marks the
// names that people search for.
const (
	Axe           Tool = "axe"
	Bandit        Tool = "Bandit"
	Biome         Tool = "Biome"
	DetectSecrets Tool = "detect-secrets"
	DjLint        Tool = "djLint"
	ESLint        Tool = "ESLint" // rules of plugins with their prefix: jsx-a11y/alt-text
	Gitleaks      Tool = "gitleaks"
	Gosec         Tool = "gosec"
	HTMLHint      Tool = "HTMLHint"
	HTMLValidate  Tool = "html-validate"
	Lighthouse    Tool = "Lighthouse"
	Pylint        Tool = "pylint"
	Ruff          Tool = "Ruff"
	Semgrep       Tool = "Semgrep"
	SonarQube     Tool = "SonarQube"
	Stylelint     Tool = "stylelint"
	Term          Tool = ""
)

// tools lists every tool in the order of the documentation; terms come first.
var tools = []Tool{Term, Axe, Bandit, Biome, DetectSecrets, DjLint, ESLint, Gitleaks, Gosec, HTMLHint, HTMLValidate, Lighthouse, Pylint, Ruff, Semgrep, SonarQube, Stylelint}

// Aliases are the names that a rule, or one that covers the same, has in other
// tools: "no-eval" of ESLint, "B307" of Bandit, "SSRF" as a term.
type Aliases map[Tool][]string

// names reports whether a tool calls the rule by a name. Case does not count.
// ESLint's rules are also found without the prefix of TypeScript's plugin, which
// has its own version of many of them.
func (a Aliases) names(tool Tool, name string) bool {
	if tool == ESLint {
		name = strings.TrimPrefix(name, "@typescript-eslint/")
	}
	return slices.ContainsFunc(a[tool], func(n string) bool {
		return strings.EqualFold(strings.TrimPrefix(n, "@typescript-eslint/"), name)
	})
}

// any reports whether some tool calls the rule by a name.
func (a Aliases) any(name string) bool {
	return slices.ContainsFunc(tools, func(t Tool) bool { return a.names(t, name) })
}

// String lists the names for people: "SSRF, gosec G107".
func (a Aliases) String() string {
	var list []string
	for _, t := range tools {
		for _, name := range a[t] {
			list = append(list, strings.TrimSpace(string(t)+" "+name))
		}
	}
	return strings.Join(list, ", ")
}

// Aliased returns the rules that some other tool calls by a name, such as
// no-eval, S608 or SSRF.
func (s Suite) Aliased(name string) []Rule {
	return slices.DeleteFunc(s.Rules(), func(r Rule) bool { return !r.Aliases.any(name) })
}
