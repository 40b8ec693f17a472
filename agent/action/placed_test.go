package action

import "testing"

// TestShifted: lines named by the numbers under which they were shown are found after the model's own
// edits, where the new text repeats one of them and none of the lines that have the numbers now.
func TestShifted(t *testing.T) {
	const before = "import os\nfirst = 1\nsecond = 2\nthird = 3\nfourth = 4\n"
	const after = "import os\nimport sys\nimport re\nfirst = 1\nsecond = 2\nthird = 3\nfourth = 4\n"
	for name, c := range map[string]struct {
		shown   Shown
		named   Range
		content string
		again   *Shown
		want    Range // none: it is not certain
	}{
		"repeats a line that was shown":       {shown: Shown{Full: true}, named: Range{3, 4}, content: "second = 2\nthird = 33\n", want: Range{5, 6}},
		"a range of it was shown":             {shown: Shown{Ranges: []Range{{1, 4}}}, named: Range{3, 4}, content: "second = 2\nthird = 33\n", want: Range{5, 6}},
		"the range was not shown":             {shown: Shown{Ranges: []Range{{1, 2}}}, named: Range{3, 4}, content: "second = 2\nthird = 33\n"},
		"repeats none":                        {shown: Shown{Full: true}, named: Range{3, 4}, content: "other\n"},
		"repeats what has the numbers now":    {shown: Shown{Full: true}, named: Range{3, 4}, content: "import re\nfirst = 11\nthird = 3\n"},
		"repeats both":                        {shown: Shown{Full: true}, named: Range{3, 4}, content: "first = 1\nthird = 3\n"},
		"a line that was changed is in it":    {shown: Shown{Full: true}, named: Range{1, 2}, content: "first = 1\n"},
		"shown again under their numbers":     {shown: Shown{Full: true}, named: Range{3, 4}, content: "second = 2\n", again: &Shown{Ranges: []Range{{5, 6}}}},
		"behind the end of what there is":     {shown: Shown{Full: true}, named: Range{6, 9}, content: "fourth = 4\n"},
		"others were shown again beside them": {shown: Shown{Full: true}, named: Range{3, 4}, content: "second = 2\n", again: &Shown{Ranges: []Range{{1, 2}}}, want: Range{5, 6}},
	} {
		s := c.shown
		s.Path, s.Hash = "f", before
		if s = s.Carry(after, before, after); c.again != nil {
			c.again.Path, c.again.Hash = "f", after
			s = s.With(*c.again)
		}
		if name == "a line that was changed is in it" {
			const changed = "import os, sys\nimport sys\nimport re\nfirst = 1\nsecond = 2\nthird = 3\nfourth = 4\n"
			s = s.Carry(changed, after, changed)
		}
		got, certain := s.shifted(c.named, after, c.content)
		if !certain {
			got = Range{}
		}
		if got != c.want {
			t.Errorf("%s: %v, not %v; seen %v", name, got, c.want, s.Seen)
		}
	}
}
