package syntax

import (
	"slices"
	"strings"
)

// documentation is the first line of what is written about a declaration: of
// Python its documentation string, else the comment right above it.
func (t *Tree) documentation(n, body Node) string {
	switch t.lang {
	case HTML, JSON, JSONC:
		return ""
	case Python:
		if n.Kind() == "class_definition" || n.Kind() == "function_definition" {
			if text := docString(body); text != "" {
				return text
			}
		}
	}
	start, _ := t.extent(n)
	return t.commentAbove(t.body()[max(0, start-maxDoc):start])
}

// maxDoc is how many bytes before a declaration its comment may begin: hardly any comment is
// longer, and looking through the whole text for each declaration would take longest of all.
const maxDoc = 8 << 10

// docString is the first line of the text that a body of Python begins with.
func docString(body Node) string {
	for c := range body.Children() {
		if c.Kind() == "comment" {
			continue
		}
		text := ""
		if c.Kind() == "expression_statement" {
			text = c.Child("string").Text()
		}
		return firstLine(strings.Split(strings.Trim(strings.TrimLeft(text, "rRuU"), `"'`), "\n"))
	}
	return ""
}

// commentAbove is the first line of the comment at the end of a text, which has
// nothing but white space and attributes after it.
func (t *Tree) commentAbove(text string) string {
	text, last := cutLastLine(text)
	if strings.TrimSpace(last) != "" {
		return "" // something stands before it on its line
	}
	rest, last := cutLastLine(text)
	for text != "" && strings.HasPrefix(strings.TrimSpace(last), "#[") { // attributes of Rust and PHP
		text = rest
		rest, last = cutLastLine(text)
	}
	last = strings.TrimSpace(last)
	var lines []string // the last one first
	switch mark := t.lineComment(); {
	case strings.HasSuffix(last, "*/") && mark != "#":
		for {
			rest, last := cutLastLine(text)
			if lines = append(lines, last); strings.Contains(last, "/*") || rest == "" {
				break
			}
			text = rest
		}
		if !strings.HasPrefix(strings.TrimSpace(lines[len(lines)-1]), "/*") {
			return "" // of the code before it on its line
		}
	case mark != "":
		for rest, last := cutLastLine(text); text != "" && strings.HasPrefix(strings.TrimSpace(last), mark) && !strings.HasPrefix(strings.TrimSpace(last), "//!"); rest, last = cutLastLine(text) {
			lines, text = append(lines, last), rest
		}
	}
	slices.Reverse(lines)
	return firstLine(lines)
}

// cutLastLine returns a text without its last line and the line end before that, and the line.
func cutLastLine(text string) (rest, last string) {
	i := strings.LastIndexByte(text, '\n')
	return text[:max(i, 0)], text[i+1:]
}

// lineComment is what begins a comment that ends with its line; "" if there is none.
func (t *Tree) lineComment() string {
	switch t.lang {
	case Python, Ruby:
		return "#"
	case CSS:
		return ""
	}
	return "//"
}

// firstLine is the first line of a comment that says something to people.
func firstLine(lines []string) string {
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "//go:") || strings.HasPrefix(line, "#!") {
			continue
		}
		line = strings.TrimSpace(strings.TrimRight(strings.TrimLeft(line, "/*#!<"), "*/"))
		if strings.HasPrefix(line, "@") || strings.Trim(line, "-=_~ ") == "" {
			continue
		}
		return oneLine(line)
	}
	return ""
}
