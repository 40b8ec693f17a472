package patch

import (
	"slices"
	"strings"
)

// enclosed returns which place is the only one in the hunk's section, or after
// all of its anchors, or at the end of the file if the hunk says so; -1 where
// none or several are.
func (c *candidate) enclosed(v *views) int {
	sections := c.Anchors
	if c.Section != "" {
		sections = append(slices.Clone(sections), c.Section)
	}
	in := make([]int, c.places()) // in how many of the sections each place is
	for _, s := range sections {
		c.count(v, strings.TrimSpace(s), in)
	}
	only := -1
	for i, n := range in {
		if n < len(sections) || c.AtEnd && c.place(i).to < len(v.bare) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = i
	}
	return only
}

// count adds one for each place that is in a section. The nearest line before it
// that is indented as the section's line is, and begins with a word as it does,
// must be the section's own: that is how diff tools find what they write after @@.
func (c *candidate) count(v *views, section string, in []int) {
	starts := map[string]bool{} // the indentations of lines that begin so
	for _, l := range v.bare {
		if strings.HasPrefix(strings.TrimSpace(l), section) {
			starts[indent(l)] = true
		}
	}
	within := false
	for i, k := 0, 0; i < len(v.bare) && k < len(in); i++ {
		for ; k < len(in) && c.place(k).from == i; k++ {
			if within {
				in[k]++
			}
		}
		l := v.bare[i]
		if body := strings.TrimSpace(l); body != "" && starts[indent(l)] && !notWord([]rune(body)[0]) {
			within = strings.HasPrefix(body, section)
		}
	}
}
