package workspace

// Diff returns the changes of lines that make b of a, in order, each as small as
// it can be: there is an equal line between any two of them, but no context in
// them. It is what an editor is sent; what people read is [Change.Unified].
func Diff(a, b string) []Hunk {
	from, to := splitLines(a), splitLines(b)
	var hunks []Hunk
	for _, s := range diffLines(from, to) {
		hunks = append(hunks, Hunk{s.lo + 1, s.newLo + 1, from[s.lo:s.hi], to[s.newLo:s.newHi]})
	}
	return hunks
}
