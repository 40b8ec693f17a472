package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// goldmark reads the Markdown; it has no dependencies of its own. glamour, which
// also writes it for terminals, lost: it brings thirty modules, and the grammars
// of all languages, for pages that have headings, lists and tables.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

// page writes a Markdown document as text for a terminal.
type page struct {
	b      bytes.Buffer
	source []byte
	width  int
	color  bool
}

// renderMarkdown returns a document as text that is at most width columns wide,
// except for code. Without color it has no escape sequences.
func renderMarkdown(source string, width int, color bool) string {
	p := &page{source: []byte(source), width: width, color: color}
	p.blocks(markdown.Parser().Parse(text.NewReader(p.source)), "", "")
	return p.b.String()
}

// section returns the part of a document under the heading with this title, with
// the sections inside of it; "" where there is none.
func section(source, title string) string {
	data := []byte(source)
	start, level := -1, 0
	for n := markdown.Parser().Parse(text.NewReader(data)).FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Lines().Len() == 0 {
			continue
		}
		line := h.Lines().At(0)
		at := strings.LastIndexByte(source[:line.Start], '\n') + 1
		switch {
		case start < 0 && string(line.Value(data)) == title:
			start, level = at, h.Level
		case start >= 0 && h.Level <= level:
			return source[start:at]
		}
	}
	if start < 0 {
		return ""
	}
	return source[start:]
}

// blocks writes the blocks below a node: first stands before the first line, rest
// before all others.
func (p *page) blocks(parent ast.Node, first, rest string) {
	written, tight := false, false
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		start := p.b.Len()
		if written && !tight {
			p.b.WriteByte('\n')
		}
		after := p.b.Len()
		p.block(n, first, rest)
		if p.b.Len() == after { // nothing to be seen
			p.b.Truncate(start)
			continue
		}
		written, first = true, rest
		_, tight = n.(*ast.TextBlock)
	}
}

func (p *page) block(n ast.Node, first, rest string) {
	switch n := n.(type) {
	case *ast.Heading:
		title := p.words(n, bold)
		p.wrap(title, first, rest)
		if line := strings.Repeat("=-"[min(n.Level, 2)-1:min(n.Level, 2)], lengthOf(title)); n.Level < 3 && !p.color {
			p.b.WriteString(rest + line + "\n")
		}
	case *ast.HTMLBlock: // the marks of generated parts
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		for i := range n.Lines().Len() {
			at := n.Lines().At(i)
			p.b.WriteString(strings.TrimRight(rest+"    "+string(at.Value(p.source)), "\n") + "\n")
		}
	case *ast.List:
		p.list(n, rest)
	case *table.Table:
		p.table(n, rest)
	default:
		p.wrap(p.words(n, ""), first, rest)
	}
}

func (p *page) list(l *ast.List, indent string) {
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		p.blocks(item, indent+mark, indent+strings.Repeat(" ", len(mark)))
		if !l.IsTight && item.NextSibling() != nil {
			p.b.WriteByte('\n')
		}
	}
}

// lexeme is a word with the escape sequences of its style.
type lexeme struct {
	text  string
	width int
}

// words returns the inline content of a node, split at blanks.
func (p *page) words(n ast.Node, style string) []lexeme {
	w := wording{p: p}
	w.children(n, style)
	w.end()
	return w.list
}

// wording collects words.
type wording struct {
	p    *page
	list []lexeme
	open lexeme // the word that is being collected
}

func (w *wording) end() {
	if w.open.width > 0 {
		w.list = append(w.list, w.open)
	}
	w.open = lexeme{}
}

// add adds text in one style; blanks and line ends end words.
func (w *wording) add(s, style string) {
	for i, word := range strings.Split(strings.ReplaceAll(s, "\n", " "), " ") {
		if i > 0 {
			w.end()
		}
		if word == "" {
			continue
		}
		w.open.width += ansi.StringWidth(word)
		if style != "" && w.p.color {
			word = style + word + reset
		}
		w.open.text += word
	}
}

func (w *wording) children(n ast.Node, style string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.inline(c, style)
	}
}

func (w *wording) inline(n ast.Node, style string) {
	switch n := n.(type) {
	case *ast.Text:
		w.add(string(n.Segment.Value(w.p.source)), style)
		if n.SoftLineBreak() || n.HardLineBreak() {
			w.end()
		}
	case *ast.String:
		w.add(string(n.Value), style)
	case *ast.CodeSpan:
		if w.p.color {
			w.children(n, cyan)
			return
		}
		w.add("`", "")
		w.children(n, "")
		w.add("`", "")
	case *ast.Emphasis:
		w.children(n, bold)
	case *ast.Link:
		w.children(n, style)
		if to := string(n.Destination); !strings.HasPrefix(to, "#") {
			w.add(" ("+to+")", "")
		}
	case *ast.AutoLink:
		w.add(string(n.URL(w.p.source)), style)
	case *ast.Image:
		w.add("[picture: ", "")
		w.children(n, style)
		w.add("]", "")
	default:
		w.children(n, style)
	}
}

// lengthOf is how many columns words take on one line.
func lengthOf(words []lexeme) int {
	n := max(len(words)-1, 0)
	for _, w := range words {
		n += w.width
	}
	return n
}

// fill breaks words into lines of at most width columns.
func fill(words []lexeme, width int) (lines []lexeme) {
	var line lexeme
	for _, w := range words {
		if line.width > 0 && line.width+1+w.width > width {
			lines = append(lines, line)
			line = lexeme{}
		}
		if line.width > 0 {
			line.text += " "
			line.width++
		}
		line.text += w.text
		line.width += w.width
	}
	if line.width > 0 {
		lines = append(lines, line)
	}
	return lines
}

// wrap writes a paragraph.
func (p *page) wrap(words []lexeme, first, rest string) {
	for _, line := range fill(words, p.width-ansi.StringWidth(rest)) {
		p.b.WriteString(first + line.text + "\n")
		first = rest
	}
}

const (
	columnGap = 2  // blanks between the columns of a table
	narrowest = 20 // columns that a cell may be wrapped to; below it, rows become records
)

// table writes a table in columns where they fit, and as a record for each row
// where they do not.
func (p *page) table(t *table.Table, indent string) {
	var rows [][][]lexeme
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var cells [][]lexeme
		style := ""
		if _, head := row.(*table.TableHeader); head {
			style = bold
		}
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, p.words(cell, style))
		}
		rows = append(rows, cells)
	}
	widths, ok := columns(rows, p.width-len(indent))
	if !ok {
		p.records(rows, indent)
		return
	}
	for i, row := range rows {
		if p.row(row, widths, indent); i == 0 {
			p.rule(row, widths, indent)
		}
	}
}

// rule underlines the head of a table, unless the head is empty.
func (p *page) rule(head [][]lexeme, widths []int, indent string) {
	var lines []string
	named := false
	for i, width := range widths {
		lines, named = append(lines, strings.Repeat("─", width)), named || len(head[i]) > 0
	}
	if named {
		p.b.WriteString(indent + strings.Join(lines, strings.Repeat(" ", columnGap)) + "\n")
	}
}

// columns returns the widths of a table's columns within a total; false where a
// column would have to be narrower than its longest word, or than is readable.
func columns(rows [][][]lexeme, total int) ([]int, bool) {
	widths, least := make([]int, len(rows[0])), make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], lengthOf(cell))
			for _, w := range cell {
				least[i] = max(least[i], w.width)
			}
		}
	}
	sum := columnGap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	for ; sum > total; sum-- {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= max(least[widest], narrowest) {
			return nil, false
		}
		widths[widest]--
	}
	return widths, true
}

// row writes one row of a table, its cells wrapped.
func (p *page) row(cells [][]lexeme, widths []int, indent string) {
	wrapped, height := make([][]lexeme, len(cells)), 0
	for i, cell := range cells {
		wrapped[i] = fill(cell, widths[i])
		height = max(height, len(wrapped[i]))
	}
	for line := range height {
		var b strings.Builder
		b.WriteString(indent)
		blanks := 0
		for i, cell := range wrapped {
			width := 0
			if line < len(cell) && cell[line].width > 0 {
				b.WriteString(strings.Repeat(" ", blanks) + cell[line].text)
				blanks, width = 0, cell[line].width
			}
			blanks += widths[i] - width + columnGap
		}
		p.b.WriteString(b.String() + "\n")
	}
}

// records writes each row as its first cell, with the others below it under the
// names of their columns.
func (p *page) records(rows [][][]lexeme, indent string) {
	for i, row := range rows[1:] {
		if i > 0 {
			p.b.WriteByte('\n')
		}
		p.wrap(row[0], indent, indent+"  ")
		for k, cell := range row[1:] {
			if len(cell) == 0 {
				continue
			}
			name := slices.Clone(rows[0][k+1])
			name[len(name)-1].text += ":"
			name[len(name)-1].width++
			p.wrap(append(name, cell...), indent+"  ", indent+"    ")
		}
	}
}
