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

// command begins a command line, which a person may copy.
const command = "caselsp "

// foldProse is fold for what is printed while nothing stands below it: lines with a command line stay whole, since the
// terminal copies a line whole that it wraps itself.
func foldProse(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, command) {
			line = fold(line, width)
		}
		b.WriteString(line)
	}
	return b.String()
}

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
			if word := column - blankColumn; blank > 0 && value != " " && len(foldIndent)+word+w <= width {
				at, kept = blank, word
			}
			out = slices.Insert(out, at, []byte("\n"+foldIndent)...)
			column, blank = len(foldIndent)+kept, 0
			if value == " " { // the break stands for it
				text = text[len(value):]
				continue
			}
		}
		out, text = append(out, value...), text[len(value):]
		if column += w; value == " " {
			blank, blankColumn = len(out), column
		}
	}
	return string(out)
}
