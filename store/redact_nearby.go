package store

import "strings"

const (
	// aroundLines is how many lines before and after an edit are looked at with it: the
	// names of values, and what begins a list, stand there.
	aroundLines = 2

	// apart stands for the lines that are left out: it is in no secret.
	apart = "\n\x00\n"
)

// nearby adds edits that leave out the lines far from all edits: those have been looked
// at as they are. It leaves out nothing where a private key is, which may have any number
// of lines.
func nearby(text string, edits []edit) []edit {
	if len(edits) == 0 || strings.Contains(text, privateKey) {
		return edits
	}
	list := make([]edit, 0, len(edits)+8)
	line, to := -1, 0 // where the line of the last edit ends, and the last line that stays with it
	for _, e := range edits {
		if from := linesBefore(text, to, e.start); from > to {
			list = append(list, edit{to, from, apart})
		}
		list = append(list, e)
		if e.end <= line {
			continue
		}
		line = lineEnd(text, e.end)
		to = line
		for range aroundLines {
			to = lineEnd(text, min(to+1, len(text)))
		}
	}
	if to < len(text) {
		list = append(list, edit{to, len(text), apart})
	}
	return list
}

// linesBefore returns where the lines begin that are looked at with what stands at a
// place, from another place at the earliest.
func linesBefore(text string, from, at int) int {
	if at <= from {
		return from
	}
	for range aroundLines + 1 {
		n := strings.LastIndexByte(text[from:at], '\n')
		if n < 0 {
			return from
		}
		at = from + n
	}
	return at
}

// lineEnd returns where the line of a place ends.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}
