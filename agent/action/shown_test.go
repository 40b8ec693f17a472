package action

import (
	"slices"
	"strings"
	"testing"
)

// TestMoved checks which lines have other numbers than the model was shown.
func TestMoved(t *testing.T) {
	const before = "a\nb\nc\nd\ne\n"
	for name, c := range map[string]struct {
		after []string // the edits, one after the other
		again Shown    // what was shown after them
		want  []Range
	}{
		"as many lines":         {after: []string{"a\nB\nc\nd\ne\n"}},
		"one more":              {after: []string{"a\nb\nb\nc\nd\ne\n"}, want: []Range{{3, 6}}},
		"one less":              {after: []string{"a\nb\nd\ne\n"}, want: []Range{{3, 4}}},
		"at the end":            {after: []string{"a\nb\nc\nd\ne\nf\n"}, want: []Range{{6, 6}}},
		"a later one before it": {after: []string{"a\nb\nc\nd\nd\ne\n", "a\nx\nb\nc\nd\nd\ne\n"}, want: []Range{{2, 7}}},
		"a later one behind it": {after: []string{"a\nx\nb\nc\nd\ne\n", "a\nx\nb\nc\nd\ne\nf\n"}, want: []Range{{2, 7}}},
		"a part shown again":    {after: []string{"a\nb\nb\nc\nd\ne\n"}, again: Shown{Ranges: []Range{{4, 5}}}, want: []Range{{3, 3}, {6, 6}}},
		"all shown again":       {after: []string{"a\nb\nb\nc\nd\ne\n"}, again: Shown{Full: true}},
	} {
		for _, s := range []Shown{{Path: "f", Hash: before, Full: true}, {Path: "f", Hash: before, Ranges: []Range{{1, 5}}}} {
			text := before
			for _, after := range c.after {
				s, text = s.Carry(after, text, after), after
			}
			if c.again.Full || c.again.Ranges != nil {
				more := c.again
				more.Path, more.Hash = "f", text
				s = s.With(more)
			}
			if !slices.Equal(s.Moved, c.want) {
				t.Errorf("%s: %v of %q have moved, not %v", name, s.Moved, strings.Split(text, "\n"), c.want)
			}
		}
	}
}
