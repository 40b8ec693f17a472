package patch

import (
	"slices"
	"strconv"

	"github.com/aymanbagabas/go-udiff/lcs"

	"caselsp/agent/near"
	"caselsp/store/lazyregexp"
)

// The markers of a block. Other tools write five to nine signs, dashes and
// pluses, or a > after SEARCH; models mix them up.
var (
	searchMarker  = lazyregexp.New(`^(<{5,}|-{7}) ?(?:SEARCH|ORIGINAL)>?\s*$`)
	dividerMarker = lazyregexp.New(`^(={5,})\s*$`)
	decorated     = lazyregexp.New(`^\W*?(<{5,}|>{5,}) ?(?:SEARCH|ORIGINAL|REPLACE|UPDATED)\W*$`)
	replaceMarker = lazyregexp.New(`^(>{5,}|\+{7}) ?(?:REPLACE|UPDATED)\s*$`)
)

// parseBlocks reads SEARCH/REPLACE blocks. What is between the blocks is prose, see
// leftover.
func parseBlocks(lines []string, exists names) (*Patch, *Refusal) {
	p := &Patch{}
	path := ""
	var prose []int // all of it, and
	outside := 0    // where that before the current block begins
	blocks := 0
	for i := 0; i < len(lines); i++ {
		open := searchMarker.FindStringSubmatch(lines[i])
		if open == nil {
			prose = append(prose, i)
			continue
		}
		blocks++
		name, at, above := exists.above(lines[outside:i], blocks == 1)
		if at >= 0 {
			path = name
			prose = slices.DeleteFunc(prose, func(i int) bool { return i == outside+at || i == outside+at-1 && lines[i] == "--- a/"+name })
		}
		end, err := blockEnd(lines, i, len(open[1]), blocks)
		if err != nil {
			return nil, err
		}
		search, replace, err := cutBlock(lines[i+1:end], len(open[1]), blocks)
		if err != nil {
			return nil, err
		}
		search, line := stated(search)
		op := Modify
		if len(search) == 0 {
			op = Create
		}
		h := blockHunk(search, replace)
		h.Line, h.above = line, above
		p.Files = append(p.Files, File{Op: op, Path: path, Hunks: []Hunk{h}})
		i, outside = end, end+1
	}
	return p, leftover(lines, prose)
}

// startLine and endLine are what Roo writes above the old text, with a rule below.
var (
	startLine = lazyregexp.New(`^\s*:start_line: ?(\d+)\s*$`)
	endLine   = lazyregexp.New(`^\s*:end_line: ?\d+\s*$`)
	rule      = lazyregexp.New(`^\s*-{5,}\s*$`)
)

// stated takes the line number off an old text that begins with one; 0 for none.
func stated(search []string) (rest []string, line int) {
	if len(search) == 0 || !startLine.MatchString(search[0]) {
		return search, 0
	}
	line, _ = strconv.Atoi(startLine.FindStringSubmatch(search[0])[1])
	for _, re := range []*lazyregexp.Regexp{startLine, endLine, rule} {
		if len(search) > 0 && re.MatchString(search[0]) {
			search = search[1:]
		}
	}
	return search, line
}

// blockEnd finds the line that closes the block that begins at start. A closing
// marker of another length counts only where none of the same length comes
// before the next block: a longer marker lets a block hold shorter ones.
func blockEnd(lines []string, start, width, block int) (int, *Refusal) {
	other := 0
	for i := start + 1; i < len(lines); i++ {
		if m := searchMarker.FindStringSubmatch(lines[i]); m != nil && len(m[1]) == width {
			break
		}
		m := replaceMarker.FindStringSubmatch(lines[i])
		if m != nil && len(m[1]) == width {
			return i, nil
		}
		if m != nil && other == 0 {
			other = i
		}
	}
	if other > 0 {
		return other, nil
	}
	return 0, malformed(block, "block %d has no closing line. Each block ends with >>>>>>> REPLACE.", block)
}

// cutBlock cuts the body of a block at its divider. Text that holds a line of the
// same signs makes the cut uncertain, so it is refused.
func cutBlock(body []string, width, block int) (search, replace []string, err *Refusal) {
	var same, other []int
	for i, l := range body {
		if m := dividerMarker.FindStringSubmatch(l); m == nil {
			continue
		} else if len(m[1]) == width {
			same = append(same, i)
		} else {
			other = append(other, i)
		}
	}
	if len(same) == 0 {
		same = other
	}
	for _, l := range body {
		if m := decorated.FindStringSubmatch(l); m != nil && len(m[1]) == width {
			return nil, nil, malformed(block, "block %d holds the line %q, which looks like a marker. Write each marker at the beginning of a line of its own, and nothing else on it.", block, cut(l))
		}
	}
	switch len(same) {
	case 1:
		return body[:same[0]], body[same[0]+1:], nil
	case 0:
		return nil, nil, malformed(block, "block %d has no line ======= between the two texts.", block)
	}
	return nil, nil, malformed(block, "block %d has %d lines that could be the divider =======. Write this edit as a unified diff, "+
		"or give all three markers of the block the same greater length, such as nine signs.", block, len(same))
}

// halves are the two texts of a block.
type halves struct{ search, replace []string }

// blockHunk aligns the two texts of a block, so that only the lines that differ
// are written.
func blockHunk(search, replace []string) Hunk {
	var h Hunk
	put := func(kind Kind, lines []string) {
		for _, l := range lines {
			h.Lines = append(h.Lines, Line{kind, l})
		}
	}
	done := 0
	diffs := diffLines(search, replace)
	kept := said(search)
	for _, d := range diffs {
		kept -= said(search[d.Start:d.End])
	}
	s, _ := shallowest(search)
	if r, ok := shallowest(replace); ok && r > s && kept < leastSaid { // equal brackets are of other depths
		diffs = []lcs.Diff{{End: len(search), ReplEnd: len(replace)}}
	}
	for _, d := range diffs {
		put(Context, search[done:d.Start])
		put(Removed, search[d.Start:d.End])
		put(Added, replace[d.ReplStart:d.ReplEnd])
		done = d.End
	}
	put(Context, search[done:])
	h.block = &halves{search, replace}
	return h
}

// diffLines is lcs.DiffLines, but lines that both texts end with, and then those that they
// begin with, are the same lines: in the rest of the new text they may stand again.
func diffLines(search, replace []string) []lcs.Diff {
	if n := len(search); len(replace) > n && slices.Equal(replace[:n], search) {
		return []lcs.Diff{{Start: n, End: n, ReplStart: n, ReplEnd: len(replace)}}
	}
	end := 0
	for end < min(len(search), len(replace)) && search[len(search)-1-end] == replace[len(replace)-1-end] {
		end++
	}
	search, replace = search[:len(search)-end], replace[:len(replace)-end]
	from, _ := near.Common(search, replace)
	diffs := lcs.DiffLines(search[from:], replace[from:])
	for i, d := range diffs {
		diffs[i] = lcs.Diff{Start: d.Start + from, End: d.End + from, ReplStart: d.ReplStart + from, ReplEnd: d.ReplEnd + from}
	}
	return diffs
}
