package syntax

import "strings"

// A condition of the preprocessor may hold a part of a declaration, such as the base of a class or one of two heads of a
// function. Where the grammar has no place for it, its directives are blanked, and all of its branches but
// the first, unless they are parts of one list.

// condition is an #if that is open, with where its branches begin: the tokens after its directives.
type condition struct {
	directives []int
	nested     bool
}

// blankConditions overwrites the conditions that hold parts of declarations with blanks. One that holds other conditions
// stays.
func (m *macroText) blankConditions() {
	var open []condition
	for i := range m.tokens {
		if m.text[m.tokens[i].start] != '#' {
			continue
		}
		switch name := directive(m.at(i)); name {
		case "if", "ifdef", "ifndef":
			open = append(open, condition{directives: []int{i}})
		case "else", "elif", "elifdef", "elifndef", "endif":
			if len(open) == 0 {
				return // the text has a part of a condition only
			}
			c := &open[len(open)-1]
			if c.directives = append(c.directives, i); name == "endif" {
				if !c.nested && m.inParts(c.directives) {
					m.blankCondition(c.directives)
				}
				if open = open[:len(open)-1]; len(open) > 0 {
					open[len(open)-1].nested = true
				}
			}
		}
	}
}

// directive is the name of a directive of the preprocessor.
func directive(text string) string {
	text = strings.TrimLeft(text[1:], " \t")
	end := 0
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	return text[:end]
}

// inParts reports whether a branch holds a part of a declaration only: no statement, or braces that do
// not close where others can take its place.
func (m *macroText) inParts(directives []int) bool {
	parts := false
	for k, from := range directives[:len(directives)-1] {
		depth, whole, tokens := 0, false, 0
		for i := from + 1; i < directives[k+1]; i++ {
			at := m.at(i)
			switch tokens++; {
			case at[0] == '#':
				whole, tokens = true, tokens-1
			case at == ";":
				whole = true
			case at == "{":
				whole = true
				depth++
			case at == "}":
				whole = true
				depth--
			}
		}
		if tokens > 0 && !whole || depth != 0 && len(directives) > 2 {
			parts = true
		}
	}
	return parts
}

func (m *macroText) blankCondition(directives []int) {
	end := directives[len(directives)-1]
	for k, at := range directives {
		m.blank(at, at+1)
		if k == 0 || at == end {
			continue
		}
		if last := m.at(at - 1); last != "," {
			m.blank(at+1, directives[k+1])
		}
	}
}
