package validate

import (
	"fmt"
	"strings"
)

// DocsPage is where the rules' documentation lies in this program's repository.
const DocsPage = "agent/validate/rules.md"

func (r *Rule) docs() string { return DocsPage + "#" + r.ID }

// Explain returns the documentation of one rule as Markdown, or of the rules that
// another tool calls by this name; "" if there is none.
func (s Suite) Explain(name string) string {
	if r, ok := s.Rule(name); ok {
		return r.markdown()
	}
	var parts []string
	for _, r := range s.Aliased(name) {
		parts = append(parts, r.markdown())
	}
	return strings.Join(parts, "\n")
}

// Docs returns the documentation of every rule of the suite as Markdown.
func (s Suite) Docs() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The rules\n\nGenerated from the rules themselves: `go test ./agent/validate/rules -update`.\n\n%d rules. "+
		"A comment switches a rule off: `caselsp-disable-line`, `caselsp-disable-next-line` or `caselsp-disable-file`, the rule's name,\n"+
		"and after `--` the reason. The setting `validate.rules` does so for a workspace: `{\"img-alt\": \"off\", \"css\": \"info\"}`.\n", len(s.known))
	for _, c := range Categories {
		fmt.Fprintf(&b, "\n## %s\n\n| rule | severity | what it finds | standards |\n|---|---|---|---|\n", c)
		for _, r := range s.known {
			if r.Category == c {
				fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", r.ID, r.ID, r.Severity, r.Title, strings.Join(r.Standards, ", "))
			}
		}
		for i := range s.known {
			if s.known[i].Category == c {
				b.WriteString("\n" + s.known[i].markdown())
			}
		}
	}
	return b.String()
}

func (r *Rule) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s (%s, %s", r.ID, r.Title, r.Category, r.Severity)
	for _, s := range r.Standards {
		b.WriteString(", " + s)
	}
	fmt.Fprintf(&b, ").\n\n%s\n", r.Doc)
	if len(r.Aliases) > 0 {
		fmt.Fprintf(&b, "\nOther names: %s.\n", r.Aliases)
	}
	lang := "html"
	if i := strings.LastIndexByte(r.File, '.'); i >= 0 {
		lang = r.File[i+1:]
	}
	fmt.Fprintf(&b, "\nWrong:\n\n```%s\n%s```\n\nRight:\n\n```%s\n%s```\n", lang, r.Bad, lang, r.Good)
	return b.String()
}
