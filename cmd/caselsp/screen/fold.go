package screen

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// foldIndent stands before the rest of a line that is too long: deeper than what is printed is indented, and never the
// beginning of a row, where a region begins. So no text can pass for one by its length.
const foldIndent = "        "

// tabStop is how far apart the tab stops of terminals are.
const tabStop = 8

// maxRagged is how much of a row is left empty so that a word stays whole: a part of its width.
const maxRagged = 4

// fold breaks lines of text, which may have styles, into rows of a width, between words where there are some.
func fold(text string, width int) string {
	if width <= 2*len(foldIndent) { // no room to indent anything
		return text
	}
	var out []byte
	column := 0
	blank, blankColumn := 0, 0 // behind the last blank of the row; 0: none
	for text != "" {
		if strings.HasPrefix(text, "\x1b[") {
			if end := strings.IndexByte(text, 'm'); end > 0 {
				out, text = append(out, text[:end+1]...), text[end+1:]
				continue
			}
		}
		g := displaywidth.StringGraphemes(text)
		g.Next()
		value, w := g.Value(), g.Width()
		switch {
		case strings.HasSuffix(value, "\n"):
			w, column, blank = 0, 0, 0
		case value == "\t":
			w = tabStop - column%tabStop
		}
		if column+w > width {
			at, kept := len(out), 0
			if word := column - blankColumn; blank > 0 && value != " " && word <= width/maxRagged {
				at, kept = blank, word
			}
			out = slices.Insert(out, at, []byte("\n"+foldIndent)...)
			column, blank = len(foldIndent)+kept, 0
		}
		out, text = append(out, value...), text[len(value):]
		if column += w; value == " " {
			blank, blankColumn = len(out), column
		}
	}
	return string(out)
}
