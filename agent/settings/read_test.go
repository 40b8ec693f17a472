package settings

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// thisPackage is how the rest of the program imports the settings.
const thisPackage = "caselsp/agent/settings"

// TestEverySettingIsRead finds, in the types of the whole program, which fields of
// [Settings] are read outside of this package and of tests. A setting whose field
// nothing reads has no effect, whatever its documentation says.
func TestEverySettingIsRead(t *testing.T) {
	set := token.NewFileSet()
	own, info := check(t, set, thisPackage, ".", nil)
	places := fieldsOfSettings(info)
	if len(places) != len(entries) {
		t.Fatalf("the table has %d settings, and fields were found for %d", len(entries), len(places))
	}
	read := map[types.Object]bool{}
	root := filepath.Join("..", "..")
	for _, dir := range dirsImporting(t, root, thisPackage) {
		_, info := check(t, set, dir, dir, own)
		for object := range fieldsRead(info) {
			read[object] = true
		}
	}
	for _, e := range entries {
		field := places[e.Name]
		if method := throughMethod[e.Name]; method != "" {
			field, _, _ = types.LookupFieldOrMethod(own.Scope().Lookup("Model").Type(), true, own, method)
		}
		if !read[field] {
			t.Errorf("nothing reads the setting %s (%v)", e.Name, field)
		}
	}
}

// throughMethod are the settings that others read by a method of [Model].
var throughMethod = map[string]string{"model.roles": "For"}

// checked is a package with the types of its expressions.
type checked struct {
	*types.Info
	files []*ast.File
}

// check type-checks the package of a folder without its tests. Of what it imports
// only the settings are known; expressions of other types stay without type.
func check(t *testing.T, set *token.FileSet, path, dir string, own *types.Package) (*types.Package, checked) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	c := checked{Info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		c.files = append(c.files, f)
	}
	config := types.Config{Importer: onlySettings{own}, Error: func(error) {}, FakeImportC: true}
	pkg, _ := config.Check(path, set, c.files, c.Info) // what is not imported is an error, and no matter
	return pkg, c
}

// onlySettings imports the settings and nothing else.
type onlySettings struct{ own *types.Package }

// Import implements types.Importer.
func (i onlySettings) Import(path string) (*types.Package, error) {
	if path == thisPackage && i.own != nil {
		return i.own, nil
	}
	return nil, errors.New("not looked at")
}

// fieldsOfSettings returns the field behind each setting, as the table has it:
// define("name", kind, func(s *Settings) *T { return &s.Group.Field }, ...).
func fieldsOfSettings(c checked) map[string]types.Object {
	places := map[string]types.Object{}
	for _, f := range c.files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 3 {
				return true
			}
			callee, ok := call.Fun.(*ast.Ident)
			literal, isText := call.Args[0].(*ast.BasicLit)
			if !ok || !isText || callee.Name != "define" && callee.Name != "adding" {
				return true
			}
			name, err := strconv.Unquote(literal.Value)
			if err != nil {
				return true
			}
			ast.Inspect(call.Args[2], func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && places[name] == nil && c.Selections[s] != nil {
					places[name] = c.Selections[s].Obj() // the outermost: the last field of the path
				}
				return true
			})
			return true
		})
	}
	return places
}

// dirsImporting returns the folders below root, other than that of the settings,
// whose packages import a package outside of their tests.
func dirsImporting(t *testing.T, root, path string) []string {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || slices.Contains(dirs, filepath.Dir(name)):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if i.Path.Value == strconv.Quote(path) {
				dirs = append(dirs, filepath.Dir(name))
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) == 0 {
		t.Fatal("nothing imports the settings")
	}
	return dirs
}

// fieldsRead returns the fields that a package selects, but for those that it only
// assigns to.
func fieldsRead(c checked) map[types.Object]bool {
	read := map[types.Object]bool{}
	for _, f := range c.files {
		assigned := map[ast.Expr]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					assigned[left] = n.Tok == token.ASSIGN
				}
			case *ast.SelectorExpr:
				if s := c.Selections[n]; s != nil && !assigned[n] {
					read[s.Obj()] = true
				}
			}
			return true
		})
	}
	return read
}
