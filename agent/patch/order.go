package patch

// inOrder applies the hunks before the first that depends on them, and that one and
// the rest to the result. It counts only where that hunk then fits as it is written.
// The report is nil otherwise.
func (a *application) inOrder(path, before string, stages int) (after string, report *Report) {
	k := 0
	for k < len(a.cands) && !a.depends(k) {
		k++
	}
	if k == len(a.cands) || stages == 0 {
		return "", nil
	}
	first, between, r := attempt(path, before, a.hunks[:k])
	if r != nil {
		return "", nil
	}
	second, after, r := attempt(path, between, a.hunks[k:])
	if later, then := second.inOrder(path, between, stages-1); then != nil {
		after, report = later, then
	} else if r != nil {
		return "", nil
	} else {
		report = second.report(path)
	}
	if l := report.Hunks[0].Layer; l != Exact && l != Whitespace {
		return "", nil
	}
	all := first.report(path)
	report.Hunks[0].Confidence *= byNeighbors
	all.Hunks = append(all.Hunks, report.Hunks...)
	all.Notes = append(all.Notes, a.name(k)+" was applied to what those before it write.")
	all.Notes = append(all.Notes, report.Notes...)
	return after, all
}

// depends reports whether each line that a hunk expects, as it is read, is in the
// file or written by a hunk before it, and some are not in the file.
func (a *application) depends(hunk int) bool {
	h := a.cands[hunk].Hunk
	if h == nil { // passed over
		h = &a.hunks[hunk]
	}
	written := map[string]bool{}
	for i := range hunk {
		for _, l := range a.hunks[i].added() {
			written[l] = true
		}
	}
	some := false
	for _, l := range h.Old() {
		if len(a.views.ix.lines(fold(l))) == 0 {
			if !written[l] {
				return false
			}
			some = true
		}
	}
	return some
}
