package dom

import (
	"strings"
)

// PlainRoles are the roles of elements that have one whatever their attributes,
// after HTML-AAM.
var PlainRoles = map[string]string{
	"address": "group", "article": "article", "aside": "complementary", "b": "generic", "bdi": "generic", "bdo": "generic", "blockquote": "blockquote",
	"body": "generic", "button": "button", "caption": "caption", "code": "code", "data": "generic", "datalist": "listbox", "dd": "definition", "del": "deletion",
	"details": "group", "dfn": "term", "dialog": "dialog", "div": "generic", "dt": "term", "em": "emphasis", "fieldset": "group", "figure": "figure",
	"h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading", "hgroup": "group", "hr": "separator", "html": "document",
	"i": "generic", "ins": "insertion", "li": "listitem", "main": "main", "mark": "mark", "math": "math", "menu": "list", "meter": "meter", "nav": "navigation", "ol": "list",
	"optgroup": "group", "option": "option", "output": "status", "p": "paragraph", "pre": "generic", "progress": "progressbar", "q": "generic", "s": "deletion",
	"samp": "generic", "search": "search", "small": "generic", "span": "generic", "strong": "strong", "sub": "subscript", "sup": "superscript",
	"table": "table", "tbody": "rowgroup", "tfoot": "rowgroup", "thead": "rowgroup", "textarea": "textbox", "time": "time", "u": "generic", "ul": "list",
}

// inputRoles are the roles of inputs by their type; others are text boxes.
var inputRoles = map[string]string{
	"button": "button", "checkbox": "checkbox", "image": "button", "number": "spinbutton", "radio": "radio", "range": "slider", "reset": "button",
	"search": "searchbox", "submit": "button", "hidden": "", "color": "", "date": "", "datetime-local": "", "file": "", "month": "", "password": "", "time": "", "week": "",
	"text": "textbox", "email": "textbox", "tel": "textbox", "url": "textbox", "": "textbox",
}

// ImplicitRole returns the role that an element has by itself.
func (a *Access) ImplicitRole(n *Node) string {
	if n.Space != HTML {
		if n.Name == "svg" {
			return "graphics-document"
		}
		return ""
	}
	switch n.Name {
	case "a", "area":
		if n.May("href") {
			return "link"
		}
		return "generic"
	case "header", "footer":
		if n.Within("article", "aside", "main", "nav", "section") != nil {
			return "generic"
		}
		return map[string]string{"header": "banner", "footer": "contentinfo"}[n.Name]
	case "section", "form":
		if n.May("aria-label") || n.May("aria-labelledby") || n.May("title") {
			return map[string]string{"section": "region", "form": "form"}[n.Name]
		}
		return map[string]string{"section": "generic", "form": "form"}[n.Name]
	case "img":
		if alt := n.Attr("alt"); alt != nil && !alt.Dynamic && alt.Value == "" && !n.Opaque {
			if a.KeepsRole(n) {
				return "img"
			}
			return "presentation"
		}
		return "img"
	case "input":
		return a.input(n)
	case "select":
		if n.Attr("multiple") != nil || n.Attr("size") != nil && AttributeText(n, "size") != "1" {
			return "listbox"
		}
		return "combobox"
	case "td", "th", "tr":
		return a.cell(n)
	case "li":
		// Only in a list it is an item: in a <ul role="tablist"> it is nothing.
		if n.Parent.Is("ul", "ol", "menu") {
			if role, known := a.Role(n.Parent); known && role != "list" && role != "directory" {
				return "generic"
			}
		}
	}
	return PlainRoles[n.Name]
}

func (a *Access) input(n *Node) string {
	at := n.Attr("type")
	kind := ""
	if at != nil {
		kind = strings.ToLower(strings.TrimSpace(at.Value))
	}
	role, ok := inputRoles[kind]
	if !ok {
		role = "textbox"
	}
	if n.Attr("list") != nil && (role == "textbox" || role == "searchbox") {
		return "combobox"
	}
	return role
}

// cell returns the role of a row or a cell: of a table that is a grid, or of
// one that is no table to assistive technology, it is another one.
func (a *Access) cell(n *Node) string {
	table := n.Within("table")
	if table == nil {
		return ""
	}
	role, _ := a.Role(table)
	switch {
	case role != "table" && role != "grid" && role != "treegrid":
		return ""
	case n.Name == "tr":
		return "row"
	case n.Name == "td" && role == "table":
		return "cell"
	case n.Name == "td":
		return "gridcell"
	}
	switch strings.ToLower(AttributeText(n, "scope")) {
	case "row", "rowgroup":
		return "rowheader"
	case "col", "colgroup":
		return "columnheader"
	}
	if row := n.Parent; row.Is("tr") && n.Prev != nil {
		for c := range row.Elements() {
			if c.Is("td") {
				return "rowheader"
			}
			if c == n {
				break
			}
		}
	}
	for c := range n.Parent.Elements() {
		if c.Is("td") {
			return "rowheader"
		}
	}
	return "columnheader"
}
