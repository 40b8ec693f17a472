// Package general takes out of code and prose what belongs to one project only: its own names,
// modules, paths and values. What is left is what another project can learn from: the shape of the
// code, and the names of the language, its standard library and public packages.
//
// It hides how each language says what a name is. The same name becomes the same placeholder (func1,
// Type1, name1, CONST1, module1) in all texts of one [Names], so that the code can still be read. Where it is not
// known whose a name is, it is taken out. It does no input or output and knows no secrets: what must
// not be kept at all is the redaction's business.
package general

import (
	"fmt"
	"strings"
	"unicode"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// Project says what is a project's own.
type Project struct {
	// Module reports whether a name, as an import writes it, is a module of the project; relative ones
	// always are. nil: none else is.
	Module func(name string) bool
	// Declares reports whether a file of the project declares a name. nil: only those that are read do.
	Declares func(name string) bool
}

// Names are the placeholders of one record. It is not safe for concurrent use.
type Names struct {
	project Project
	own     map[string]string // name -> placeholder
	values  map[string]string // literal -> placeholder
	counts  map[string]int
	public  map[string]bool // names that public packages bind in the texts read
	local   map[string]bool // members that the texts read declare
	seen    string          // the texts, so that no placeholder is a name of theirs
}

// New returns the names of a record that speaks of code.
func New(p Project) *Names {
	return &Names{project: p, own: map[string]string{}, values: map[string]string{}, counts: map[string]int{}, public: map[string]bool{}, local: map[string]bool{}}
}

// Read takes note of a file's declarations and imports. All files of a record are read before one is rewritten.
func (n *Names) Read(path, text string) {
	n.seen += text + "\n"
	lang := syntax.LanguageOf(path)
	tree := syntax.Parse(lang, text)
	for node := range tree.Root().Walk() {
		if isImport[node.Kind()] {
			n.readImport(node)
		}
	}
	if facts := syntax.FactsOf(path, text); facts != nil {
		for _, d := range facts.Symbols {
			n.local[d.Name] = true
		}
	}
	for node := range tree.Root().Walk() {
		switch k := node.Kind(); {
		case (k == "attribute" || k == "member_expression") && n.assigned(node): // self.total = ..., order.total = ...
			n.local[last(node).Text()] = true
		case fieldKinds[k]: // type cart struct { total int }, class Cart { total = 0 }
			for c := range node.Children() {
				if identifierKinds[c.Kind()] {
					n.local[c.Text()] = true
				}
			}
		}
	}
}

// Code returns a text without what is the project's own. It has the same lines: only what is in them differs. Of
// lines that are not wanted it says nothing; nil wants all.
func (n *Names) Code(path, text string, wanted func(line int) bool) string {
	tree := syntax.Parse(syntax.LanguageOf(path), text)
	if tree.Root().IsZero() {
		return n.plain(text)
	}
	var b strings.Builder
	at := 0
	for node := range tree.Root().Walk() {
		start, end := node.Offsets()
		if start < at || end > len(text) {
			continue // within what was rewritten
		}
		if wanted != nil && !anyLine(tree.Position(start).Line+1, tree.Position(end).Line+1, wanted) {
			continue
		}
		instead, ok := n.node(node)
		if !ok {
			continue
		}
		b.WriteString(text[at:start])
		b.WriteString(instead + strings.Repeat("\n", max(strings.Count(text[start:end], "\n")-strings.Count(instead, "\n"), 0)))
		at = end
	}
	return b.String() + text[at:]
}

// anyLine reports whether one of some lines is wanted.
func anyLine(from, to int, wanted func(int) bool) bool {
	for i := from; i <= to; i++ {
		if wanted(i) {
			return true
		}
	}
	return false
}

// node returns what stands in place of a node; false where it stays, or where its parts are looked at.
func (n *Names) node(node syntax.Node) (string, bool) {
	switch k := node.Kind(); {
	case commentKinds[k]:
		text := node.Text()
		return commentOpening.FindString(text) + " …" + commentClosing.FindString(text), true
	case stringKinds[k]:
		return n.literal(node)
	case numberKinds[k]:
		return n.number(node.Text()), true
	case k == "jsx_text":
		if !strings.ContainsFunc(node.Text(), unicode.IsLetter) {
			return "", false
		}
		return n.value(strings.TrimSpace(node.Text())), true
	case identifierKinds[k]:
		if n.keeps(node) {
			return "", false
		}
		return n.name(node.Text(), roleOf(node)), true
	}
	return "", false
}

// name is the placeholder of a name.
func (n *Names) name(name, role string) string {
	if known := n.own[name]; known != "" {
		return known
	}
	lead := name[:len(name)-len(strings.TrimLeft(name, "_#$"))]
	bare := name[len(lead):]
	for _, test := range []string{"test_", "Test"} { // test runners find tests by it
		if strings.HasPrefix(bare, test) && len(bare) > len(test) {
			lead, bare = lead+test, bare[len(test):]
		}
	}
	switch {
	case bare == strings.ToUpper(bare) && len(bare) > 1 && strings.ContainsFunc(bare, unicode.IsUpper):
		role = "CONST"
	case unicode.IsUpper([]rune(bare + "a")[0]):
		if role == "func" {
			role = "Func"
		} else {
			role = "Type"
		}
	}
	p := n.fresh(lead + role)
	n.own[name] = p
	return p
}

// fresh numbers a placeholder. One that is a name of the texts itself is left out.
func (n *Names) fresh(prefix string) string {
	for {
		n.counts[prefix]++
		if p := fmt.Sprintf("%s%d", prefix, n.counts[prefix]); !strings.Contains(n.seen, p) {
			return p
		}
	}
}

var (
	commentOpening = lazyregexp.New(`^(//|#|/\*+|<!--|--)`)
	commentClosing = lazyregexp.New(`(\s*\*/|\s*-->)$`)
	directive      = lazyregexp.New(`%[-+#0-9.*]*[a-zA-Z%]|\{[^{}\s]*\}|\$\{[^{}]*\}`)
	wordish        = lazyregexp.New(`[\p{L}_$][\p{L}\p{Nd}_$]*`)
)

// value is the placeholder of a text, with its directives of formatting.
func (n *Names) value(text string) string {
	if !strings.ContainsFunc(text, unicode.IsLetter) || keptValues[strings.ToLower(text)] {
		return text
	}
	p := n.values[text]
	if p == "" {
		p = n.fresh("text")
		for _, d := range directive.FindAllString(text, -1) {
			if strings.HasPrefix(d, "%") || d == "{}" {
				p += " " + d
			}
		}
		n.values[text] = p
	}
	return p
}

// number is a number as it is kept: those that every program has, as they are.
func (n *Names) number(text string) string {
	if len(strings.TrimLeft(text, "-")) <= 2 || keptNumbers[text] {
		return text
	}
	p := n.values["number "+text]
	if p == "" {
		p = n.fresh("NUMBER")
		n.values["number "+text] = p
	}
	return p
}

var (
	quoted     = lazyregexp.New(`"[^"\n]*"|'[^'\n]*'|` + "`[^`\n]*`")
	longNumber = lazyregexp.New(`\b\d[\d_.]{2,}\b`)
)

// plain rewrites a text in a language without a grammar: whatever is quoted, and every name that no language or
// public package is known for.
func (n *Names) plain(text string) string {
	text = quoted.ReplaceAllStringFunc(text, func(q string) string { return q[:1] + n.value(q[1:len(q)-1]) + q[len(q)-1:] })
	text = wordish.ReplaceAllStringFunc(text, func(w string) string {
		if vocabulary[strings.ToLower(w)] || n.public[w] || n.placeholder(w) || !composed(w) && !n.declared(w) {
			return w
		}
		return n.name(w, "name")
	})
	return longNumber.ReplaceAllStringFunc(text, n.number)
}

// placeholder reports whether a word is one of ours.
func (n *Names) placeholder(word string) bool {
	bare := strings.TrimRight(word, "0123456789")
	return bare != word && n.counts[bare] > 0
}

// composed reports whether a word is a name of code rather than one of a language: it has several parts.
func composed(word string) bool {
	inner := strings.Trim(word, "_$")
	return strings.Contains(inner, "_") || strings.LastIndexFunc(inner, unicode.IsUpper) > 0 && inner != strings.ToUpper(inner)
}

func (n *Names) declared(name string) bool {
	return n.own[name] != "" || n.local[name] || n.project.Declares != nil && n.project.Declares(name)
}
