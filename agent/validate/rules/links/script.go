package links

import (
	"path"
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// Rules about what scripts name: modules and elements. They ask about other
// files, and so run again when those change; what they look at is read once, with
// all else that is read of a script, and outlives its tree.

// mention is a string of a script that names something elsewhere.
type mention struct {
	name       string
	start, end int  // of the string, in the file
	inline     bool // it stands in a page
}

// mentions are those of one file.
type mentions struct {
	imports []mention // from "…"
	lookups []mention // document.getElementById("…")
}

// mentionsOf finds what a file's scripts name.
var mentionsOf = validate.NewReading(func(f *validate.File) mentions {
	var m mentions
	read := func(c *validate.Code, of syntax.Node) (mention, bool) {
		if of.IsZero() {
			return mention{}, false
		}
		start, end := c.Span(of)
		return mention{validate.StringText(of.Text()), start, end, c.Owner != nil}, true
	}
	for _, c := range f.Code(ecma.Languages...) {
		for _, n := range c.Nodes("import_statement", "export_statement") {
			if x, ok := read(c, n.Child("string")); ok {
				m.imports = append(m.imports, x)
			}
		}
		for _, n := range c.Nodes("call_expression") {
			callee, args := n.Child("member_expression"), n.Child("arguments")
			if callee.IsZero() || args.IsZero() || callee.Text() != "document.getElementById" {
				continue
			}
			if x, ok := read(c, args.Child("string")); ok {
				m.lookups = append(m.lookups, x)
			}
		}
	}
	return m
})

func checkLookups(p *validate.Pass) {
	if p.Alone() {
		return
	}
	for _, m := range mentionsOf.Of(p.File).lookups {
		if m.name == "" || strings.ContainsAny(m.name, " {\\") || makesID(p, m.name) || strings.Contains(p.Text[m.start:m.end], "{") || handlesLookup(p, m) {
			continue
		}
		if !m.inline && !p.Stated(validate.ScriptUse, path.Base(p.Path)) || m.inline && !p.Access().Whole() {
			continue // nobody knows which pages it meets
		}
		p.Report(m.start, m.end, "No element has the id %s, so this is null.", m.name)
	}
}

// handlesLookup reports whether the program asks whether it found something.
func handlesLookup(p *validate.Pass, m mention) bool {
	for _, c := range p.Code(ecma.Languages...) {
		for _, n := range c.Nodes("string") {
			if start, end := c.Span(n); start == m.start && end == m.end {
				return handled(n.Parent().Parent())
			}
		}
	}
	return false
}

// handled reports whether a program asks whether it found something.
func handled(n syntax.Node) bool {
	for p := n.Parent(); !p.IsZero(); p = p.Parent() {
		switch p.Kind() {
		case "if_statement", "ternary_expression", "optional_chain", "parenthesized_expression", "binary_expression", "unary_expression":
			return true
		case "variable_declarator":
			name := p.Child("identifier")
			return name.IsZero() || asked(p, name.Text())
		case "member_expression":
			if strings.Contains(p.Text(), "?.") {
				return true
			}
		case "expression_statement", "statement_block", "program":
			return false
		}
	}
	return false
}

// asked reports whether a condition speaks about a variable.
func asked(n syntax.Node, name string) bool {
	root := n
	for p := n.Parent(); !p.IsZero(); p = p.Parent() {
		root = p
	}
	for x := range root.Walk() {
		switch x.Kind() {
		case "parenthesized_expression", "binary_expression", "ternary_expression", "unary_expression":
			if strings.Contains(x.Text(), name) {
				return true
			}
		case "?.", "optional_chain":
			return true
		}
	}
	return false
}

// importEndings are what an import may leave out.
var importEndings = []string{".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".d.ts", ".json", ".vue", ".svelte", ".css", ".mts", ".cts"}

func checkModules(p *validate.Pass) {
	if p.Alone() {
		return
	}
	for _, m := range mentionsOf.Of(p.File).imports {
		if !m.inline {
			checkModule(p, m)
		}
	}
}

func checkModule(p *validate.Pass, m mention) {
	if !strings.HasPrefix(m.name, "./") && !strings.HasPrefix(m.name, "../") || strings.ContainsAny(m.name, "?!#*$") {
		return
	}
	file := path.Join(path.Dir(p.Path), m.name)
	if strings.HasPrefix(file, "..") || p.Exists(file) || hasFolder(p, file) || !hasFolder(p, path.Dir(file)) {
		return
	}
	stem := strings.TrimSuffix(file, path.Ext(file))
	for _, e := range importEndings {
		if p.Exists(file+e) || path.Ext(file) != "" && slices.Contains([]string{".js", ".mjs", ".cjs", ".jsx"}, path.Ext(file)) && p.Exists(stem+e) {
			return
		}
	}
	if e := path.Ext(file); e != "" && !slices.Contains(importEndings, e) {
		return // a plugin of a bundler, or a file that a build makes
	}
	p.Report(m.start, m.end, "The file %s does not exist.", file)
}
