package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// structDocs are the structs that the Go files of a folder declare, with their comments, by name.
func structDocs(t *testing.T, dir string) (structs map[string]*ast.StructType, docs map[string]string, kinds []string) {
	structs, docs = map[string]*ast.StructType{}, map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "kind" && d.Recv != nil && types.ExprString(d.Type.Results.List[0].Type) == "string" {
					kinds = append(kinds, types.ExprString(d.Recv.List[0].Type))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						if body, ok := s.Type.(*ast.StructType); ok {
							structs[s.Name.Name], docs[s.Name.Name] = body, d.Doc.Text()
						}
					}
				}
			}
		}
	}
	slices.Sort(kinds)
	return structs, docs, kinds
}

// eventDocs documents the bodies of events, from their declarations.
func eventDocs(t *testing.T) string {
	structs, docs, kinds := structDocs(t, filepath.Join("..", "..", "agent", "record"))
	var b strings.Builder
	for _, kind := range kinds {
		if structs[kind] == nil {
			continue
		}
		fmt.Fprintf(&b, "### %s\n\n%s\n\n%s\n", kind, oneLine(docs[kind]), fieldTable(structs[kind]))
	}
	return b.String()
}

// resultDocs documents the last line.
func resultDocs(t *testing.T) string {
	structs, _, _ := structDocs(t, ".")
	return fieldTable(structs["runResult"])
}

// fieldTable lists the fields of a struct under their names in JSON.
func fieldTable(s *ast.StructType) string {
	var b strings.Builder
	for _, f := range s.Fields.List {
		tag := ""
		if f.Tag != nil {
			if text, err := strconv.Unquote(f.Tag.Value); err == nil {
				tag, _, _ = strings.Cut(reflect.StructTag(text).Get("json"), ",")
			}
		}
		names := []string{tag}
		if tag == "-" {
			continue
		}
		if tag == "" {
			names = []string{types.ExprString(f.Type)} // embedded: its fields stand here
			for i, n := range f.Names {
				if i == 0 {
					names = nil
				}
				if n.IsExported() {
					names = append(names, n.Name)
				}
			}
		}
		for _, name := range names {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, jsonType(f.Type), strings.ReplaceAll(oneLine(f.Doc.Text()+" "+f.Comment.Text()), "|", "\\|"))
		}
	}
	if b.Len() == 0 {
		return "It has no fields."
	}
	return "| field | type | what |\n|---|---|---|\n" + b.String()
}

// jsonType names a Go type as JSON has it.
func jsonType(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return jsonType(e.X)
	case *ast.ArrayType:
		return "list of " + jsonType(e.Elt)
	case *ast.MapType:
		return "object of " + jsonType(e.Value)
	}
	switch name := types.ExprString(e); name {
	case "string", "bool":
		return name
	case "int", "int64", "float64":
		return "number"
	case "time.Time":
		return "time"
	case "json.RawMessage":
		return "JSON"
	case "record.Phase", "Phase":
		return "string"
	default:
		return "`" + name[strings.LastIndex(name, ".")+1:] + "`"
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
