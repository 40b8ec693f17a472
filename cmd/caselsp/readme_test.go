package main

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"caselsp/agent/fixcheck"
	"caselsp/agent/settings"
	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
	"caselsp/lsp"
	"caselsp/store/secret"

	"github.com/spf13/cobra"
)

// generated are the documents with generated parts: by file, the text of each part
// by its name.
func generated(t *testing.T) map[string]map[string]string {
	return map[string]map[string]string{
		"README.md":                {"map": codeMap(t), "editors": editorTable(t)},
		"cmd/caselsp/README.md":    {"cli": cliSection(), "exit": exitTable(), "commands": commandTable(), "settings": settings.Docs()},
		"agent/record/README.md":   {"result": resultDocs(t), "kinds": eventDocs(t)},
		"store/README.md":          {"formats": secret.Docs()},
		"agent/fixcheck/README.md": {"fields": fixcheck.Docs(), "checks": fixcheck.CheckDocs()},
	}
}

// TestReadme keeps the generated parts of the documents equal to what the code
// says; -update rewrites them.
func TestReadme(t *testing.T) {
	if *update { // the test of the rules compares it
		if err := os.WriteFile(filepath.FromSlash("../../"+validate.DocsPage), []byte(rules.Default().Docs()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, parts := range generated(t) {
		path := filepath.Join("..", "..", filepath.FromSlash(name))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for part, section := range parts {
			between := regexp.MustCompile(`(?s)(<!-- begin ` + part + ` -->\n).*?(<!-- end ` + part + ` -->)`)
			if !between.MatchString(text) {
				t.Fatalf("%s has no generated part %s", name, part)
			}
			text = between.ReplaceAllString(text, "${1}"+strings.ReplaceAll(strings.TrimSpace(section), "$", "$$")+"\n${2}")
		}
		switch {
		case text == string(data):
		case !*update:
			t.Errorf("%s is stale: run make generate", name)
		default:
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// documents returns the paths of all Markdown documents about this program, from
// the root of the repository.
func documents(t *testing.T) []string {
	var list []string
	err := fs.WalkDir(house(), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (skipped(p) || p == "cmd/caselsp/demo") {
			return fs.SkipDir
		}
		if d != nil && d.Name() == "README.md" {
			list = append(list, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// frontDoor is the largest size of the README in bytes: a stranger reads it
// whole. What is longer belongs into a reference beside its package.
const frontDoor = 14 << 10

// TestReadmeLinks looks whether what the documents link to is there, and whether
// the README is still a front door that leads to each of them.
func TestReadmeLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	var front string
	for _, name := range documents(t) {
		text, err := fs.ReadFile(house(), name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "README.md" {
			front = string(text)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := fs.Stat(house(), path.Join(path.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
	for _, name := range documents(t) {
		if name != "README.md" && !strings.Contains(front, "]("+name+")") {
			t.Errorf("the README does not lead to %s", name)
		}
	}
	if len(front) > frontDoor {
		t.Errorf("the README has %d bytes, more than %d", len(front), frontDoor)
	}
}

// TestReadmeExamples runs the examples of the documents that show what a command
// answers, and compares the answers.
func TestReadmeExamples(t *testing.T) {
	need(t, "bash")
	blocks, micros := regexp.MustCompile("(?s)\n```console\n(.*?)\n```"), regexp.MustCompile(`"micros":\d+`)
	ran := 0
	for _, name := range documents(t) {
		text, err := fs.ReadFile(house(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks.FindAllStringSubmatch(string(text), -1) {
			for example := range strings.SplitSeq("\n"+block[1], "\n$ ") {
				command, want, answers := strings.Cut(example, "\n")
				if command == "" || !answers {
					continue
				}
				cmd := exec.CommandContext(t.Context(), "bash", "-c", command)
				cmd.Dir = t.TempDir()
				cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + cmd.Dir}
				out, _ := cmd.CombinedOutput() // the exit code of a refusal is not 0
				ran++
				if got := micros.ReplaceAllString(strings.TrimSpace(string(out)), ""); got != micros.ReplaceAllString(want, "") {
					t.Errorf("%s: %s\n got %s\nwant %s", name, command, got, want)
				}
			}
		}
	}
	if ran == 0 {
		t.Error("no document has an example")
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

// cliSection lists the subcommands with their flags.
func cliSection() string {
	var b strings.Builder
	root := rootCommand()
	root.InitDefaultHelpCmd()
	b.WriteString("| command | does |\n|---|---|\n")
	for _, c := range root.Commands() {
		if !c.Hidden {
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
	b.WriteString("```\n")
	return b.String()
}

// exitTable lists the exit codes.
func exitTable() string {
	var b strings.Builder
	b.WriteString("| exit code | meaning |\n|---|---|\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "| %d | %s |\n", c.Code, c.Text)
	}
	return b.String()
}

// codeMap lists the packages with the first sentence of their documentation, up
// to its first colon or semicolon. Packages below another one that is below
// agent's are its parts and are left to it.
func codeMap(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| package | what it is |\n|---|---|\n")
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name == "testdata" || name == "bin" || name == "dist" || name == "demo" || strings.HasPrefix(name, ".") && name != ".." {
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
		name := filepath.ToSlash(rel)
		if strings.Count(name, "/") > 2 {
			return nil
		}
		clause := regexp.MustCompile(`^[^:;]*`).FindString(strings.ReplaceAll(rest, "\n", " "))
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, strings.TrimSuffix(clause, "."))
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
