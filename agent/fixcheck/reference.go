package fixcheck

import (
	_ "embed"
	"fmt"
	"strings"
)

// Reference is the reference of fix validators, as Markdown.
//
//go:embed README.md
var Reference string

// Docs is the table of a manifest's fields, as Markdown.
func Docs() string {
	var b strings.Builder
	b.WriteString("| field | must be | default | what it is |\n|---|---|---|---|\n")
	for _, f := range ManifestFields {
		otherwise := "none"
		switch {
		case f.Required:
			otherwise = "required"
		case f.Default != "":
			otherwise = "`" + f.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Must, otherwise, f.Doc)
	}
	return b.String()
}

// CheckDocs is the table of the built-in checks, as Markdown.
func CheckDocs() string {
	var b strings.Builder
	b.WriteString("| check | what it does |\n|---|---|\n")
	for _, c := range BuiltIn() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, c.Description)
	}
	return b.String()
}
