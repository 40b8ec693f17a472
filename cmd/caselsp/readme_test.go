package main

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"caselsp/agent/settings"
	"caselsp/lsp"

	"github.com/spf13/cobra"
)

// TestReadme keeps the README's generated parts equal to what the code says;
// -update rewrites them.
func TestReadme(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for name, section := range map[string]string{
		"commands": commandTable(), "cli": cliSection(), "settings": settings.Docs(), "map": codeMap(t),
	} {
		between := regexp.MustCompile(`(?s)(<!-- begin ` + name + ` -->\n).*?(<!-- end ` + name + ` -->)`)
		if !between.MatchString(text) {
			t.Fatalf("the README has no section %s", name)
		}
		text = between.ReplaceAllString(text, "${1}"+strings.ReplaceAll(strings.TrimSpace(section), "$", "$$")+"\n${2}")
	}
	if text == string(data) {
		return
	}
	if !*update {
		t.Fatal("the README is stale: run make generate")
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func commandTable() string {
	var b strings.Builder
	b.WriteString("Every command answers at once and takes its arguments as `[\"text\"]`, as words, as one object or as none; `task` may be\nleft out where only one fits.\n\n| id | arguments | does |\n|---|---|---|\n")
	for _, c := range lsp.Commands() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.ID, c.Arguments, c.Does)
	}
	return b.String()
}

// cliSection lists the subcommands with their flags, and the exit codes.
func cliSection() string {
	var b strings.Builder
	root := rootCommand()
	b.WriteString("| command | does |\n|---|---|\n")
	for _, c := range root.Commands() {
		if !c.Hidden && c.Name() != "help" {
			fmt.Fprintf(&b, "| `caselsp %s` | %s |\n", strings.ReplaceAll(c.Use, "|", `\|`), c.Short)
		}
	}
	b.WriteString("\n```text\n")
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		if flags := c.LocalNonPersistentFlags().FlagUsages(); c != root && flags != "" {
			fmt.Fprintf(&b, "caselsp %s\n%s", c.Name(), flags)
		} else if c == root {
			fmt.Fprintf(&b, "for every command\n%s", c.PersistentFlags().FlagUsages())
		}
	}
	b.WriteString("```\n\n| exit code | means |\n|---|---|\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "| %d | %s |\n", c.Code, c.Text)
	}
	return b.String()
}

// codeMap lists the packages with the first sentence of their documentation.
func codeMap(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| package | what it is |\n|---|---|\n")
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name == "testdata" || name == "bin" || name == "demo" || strings.HasPrefix(name, ".") && name != ".." {
			return filepath.SkipDir
		}
		first := synopsis(t, path)
		if first == "" {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		_, rest, _ := strings.Cut(first, " ") // Package or Command
		_, rest, _ = strings.Cut(rest, " ")   // its name
		fmt.Fprintf(&b, "| `%s` | %s |\n", filepath.ToSlash(rel), strings.ReplaceAll(rest, "\n", " "))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// synopsis is the first sentence of a folder's package comment; "" where it
// holds no package.
func synopsis(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if f.Doc != nil {
			return new(doc.Package).Synopsis(f.Doc.Text())
		}
	}
	return ""
}
