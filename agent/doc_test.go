package agent

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPackageComment shows that the files and functions that the package comment names are
// there: who follows it must not be led astray.
func TestPackageComment(t *testing.T) {
	known := map[string]bool{}
	for name, dir := range map[string]string{"": ".", "permit": "permit"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no files: %v", dir, err)
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				of := name
				if name == "" && fn.Recv != nil {
					if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
						of = star.X.(*ast.Ident).Name
					}
				}
				known[of+"."+fn.Name.Name] = true
			}
		}
	}
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\b(?:run|Agent|permit)\.\w+|[\w/]+\.go\b`).FindAllString(string(text), -1)
	if len(named) < 40 {
		t.Errorf("only %d names are found", len(named))
	}
	for _, name := range named {
		if strings.HasSuffix(name, ".go") {
			if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if !known[name] {
			t.Errorf("%s is not there", name)
		}
	}
}
