package a11y

import (
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// tableRules are about the cells of tables.
var tableRules = []validate.Rule{{
	ID: "table-headers", Title: "Table cell refers to a header that is not in its table", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "ACT a25f45"},
	Aliases:   validate.Aliases{validate.Axe: {"td-headers-attr"}},
	Doc:       "`headers` holds ids of header cells of the same table; with any other id the cell has no header.",
	Bad:       "<table><tr><th id=\"name\">Name</th></tr><tr><td headers=\"nam\">Ann</td></tr></table>\n",
	Good:      "<table><tr><th id=\"name\">Name</th></tr><tr><td headers=\"name\">Ann</td></tr></table>\n",
	Check:     validate.Attributes(checkHeaders, "headers"),
}, {
	ID: "table-header-cells", Title: "Table header without data cells", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.3.1", "ACT d0f69e"},
	Aliases:   validate.Aliases{validate.Axe: {"th-has-data-cells"}},
	Doc: "A column or row header without cells is an error in the table: a cell is missing, spans too far, or names another header. Tables filled by a template or a script " +
		"are not reported.",
	Bad:   "<table><tr><th>Rate</th><th>Value</th></tr><tr><td>15%</td></tr></table>\n",
	Good:  "<table><tr><th>Rate</th><th>Value</th></tr><tr><td>15%</td><td>9</td></tr></table>\n",
	Check: validate.Page(checkHeaderCells),
}}

// checkHeaders is about one cell.
func checkHeaders(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	table := n.Within("table")
	if table == nil || !n.Is("td", "th") || a.Dynamic {
		return
	}
	acc := p.Access()
	role, known := acc.Role(table)
	if !known || role != "table" && role != "grid" && role != "treegrid" || !acc.Exposed(table) || away(acc, table) {
		return
	}
	for _, w := range a.Words() {
		if !w.Sure {
			continue
		}
		cells := p.Page().ByID(w.Text)
		var cell *dom.Node
		for _, c := range cells {
			if c.Is("td", "th") && c.Within("table") == table {
				cell = c
			}
		}
		role := ""
		if cell != nil {
			role, _ = acc.Role(cell)
		}
		switch {
		case cell == n:
			p.Report(w.Start, w.End, "This cell names itself as its header.")
		case cell == nil && (table.HasUnknown() && dynamicIDs(table) || acc.ScriptWords()[w.Text]):
		case cell == nil:
			p.Report(w.Start, w.End, "No header cell of this table has the id %s.", w.Text)
		case role != "columnheader" && role != "rowheader" && !cell.Opaque && !cell.Is("th"):
			p.Report(w.Start, w.End, "The cell with the id %s is not a header: make it a <th>.", w.Text)
		}
	}
}

// dynamicIDs reports whether a template writes ids in an element.
func dynamicIDs(n *dom.Node) bool {
	for x := range n.Walk() {
		if a := x.Attr("id"); a != nil && a.Dynamic || x.Kind == dom.Tag && x.Unknown() || x.Opaque {
			return true
		}
	}
	return false
}

// away reports whether a style sheet moves an element off the page.
func away(a *dom.Access, n *dom.Node) bool {
	position, _ := a.Cascade.Value(n, "position", "")
	if position != "absolute" && position != "fixed" {
		return false
	}
	for _, side := range []string{"left", "top"} {
		if v, _ := a.Cascade.Value(n, side, ""); strings.HasPrefix(v, "-9") && len(v) >= 6 {
			return true
		}
	}
	return false
}

// maxSpan bounds how many columns a cell may span here; HTML allows 1000.
const maxSpan = 1000

// grid is a table's cells by their places.
type grid struct {
	cells   map[[2]int]*dom.Node // by row and column
	place   map[*dom.Node][2]int
	span    map[*dom.Node][2]int
	rows    int
	columns int
}

func checkHeaderCells(p *validate.Pass, d *dom.Document) {
	acc := p.Access()
	for _, n := range d.Elements() {
		role, known := acc.Role(n)
		if role != "table" && role != "grid" && role != "treegrid" || !known || !acc.Exposed(n) || n.HasUnknown() || n.Inert() || acc.Scripted(n) || looped(n) {
			continue
		}
		g := gridOf(acc, n)
		for _, cell := range g.headers(acc) {
			if !g.assigned(acc, cell) {
				p.Element(cell, "No cell belongs to this header: add the cells, or correct the spans and headers.")
			}
		}
	}
}

// looped reports whether a template decides about rows or cells.
func looped(n *dom.Node) bool {
	for c := range n.Walk() {
		if c.Arm != n.Arm || c.Custom() || c.Kind == dom.Element && c.Opaque || c.Kind == dom.Element && (c.Attr("v-for") != nil || c.Attr("v-if") != nil || c.Attr("ng-repeat") != nil || c.Attr("x-for") != nil) {
			return true
		}
	}
	return false
}

// gridOf places the cells of a table, after HTML's algorithm without its
// special cases for rowspan=0.
func gridOf(a *dom.Access, table *dom.Node) *grid {
	g := &grid{cells: map[[2]int]*dom.Node{}, place: map[*dom.Node][2]int{}, span: map[*dom.Node][2]int{}}
	var row func(n *dom.Node)
	row = func(n *dom.Node) {
		for c := range n.Elements() {
			role, _ := a.Role(c)
			if a.Hidden(c) == dom.Yes || c.Is("caption", "colgroup") {
				continue
			}
			if role == "row" || c.Is("tr") {
				g.row(a, c)
			} else if c.Is("thead", "tbody", "tfoot") || role == "rowgroup" || role == "" || role == "generic" || role == "presentation" || role == "none" {
				row(c)
			}
		}
	}
	row(table)
	return g
}

func (g *grid) row(a *dom.Access, n *dom.Node) {
	column := 0
	for c := range n.Elements() {
		role, _ := a.Role(c)
		if a.Hidden(c) == dom.Yes || !c.Is("td", "th") && role != "cell" && role != "gridcell" && role != "columnheader" && role != "rowheader" {
			continue
		}
		for g.cells[[2]int{g.rows, column}] != nil {
			column++
		}
		wide, high := span(c, "colspan"), span(c, "rowspan")
		g.place[c], g.span[c] = [2]int{g.rows, column}, [2]int{high, wide}
		for y := range min(high, maxSpan) {
			for x := range min(wide, maxSpan) {
				g.cells[[2]int{g.rows + y, column + x}] = c
			}
		}
		column += wide
		g.columns = max(g.columns, column)
	}
	g.rows++
}

func span(n *dom.Node, name string) int {
	v, err := strconv.Atoi(dom.AttributeText(n, name))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, maxSpan)
}

// headers are the header cells that assistive technology gets.
func (g *grid) headers(a *dom.Access) []*dom.Node {
	var list []*dom.Node
	for y := range g.rows {
		for x := range g.columns {
			c := g.cells[[2]int{y, x}]
			if c == nil || g.place[c] != [2]int{y, x} {
				continue
			}
			if role, known := a.Role(c); known && (role == "columnheader" || role == "rowheader") && a.Exposed(c) {
				list = append(list, c)
			}
		}
	}
	return list
}

// assigned reports whether any cell belongs to a header: below it, beside it, or
// by its headers attribute.
func (g *grid) assigned(a *dom.Access, header *dom.Node) bool {
	id := dom.AttributeText(header, "id")
	at, size := g.place[header], g.span[header]
	for cell, place := range g.place {
		if cell == header {
			continue
		}
		if h := cell.Attr("headers"); h != nil {
			for _, w := range strings.Fields(h.Value) {
				if w == id {
					return true
				}
			}
			continue
		}
		s := g.span[cell]
		below := place[0] > at[0] && place[1] < at[1]+size[1] && place[1]+s[1] > at[1]
		beside := place[1] > at[1] && place[0] < at[0]+size[0] && place[0]+s[0] > at[0]
		role, _ := a.Role(header)
		if role == "columnheader" && below || role == "rowheader" && beside || header.Attr("scope") == nil && header.Attr("role") == nil && beside && isData(a, cell) {
			return true
		}
	}
	return false
}

func isData(a *dom.Access, n *dom.Node) bool {
	role, _ := a.Role(n)
	return role == "cell" || role == "gridcell"
}
