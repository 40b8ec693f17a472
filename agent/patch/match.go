package patch

// place is where a layer would put a hunk.
type place struct {
	from, to   int   // the lines of the file, from 0, that the hunk covers: [from, to)
	at         []int // the line of the file that each old line of the hunk is, increasing; nil: from, from+1, ...
	confidence float64
}

// line returns the line of the file that the i-th old line of the hunk is.
func (p place) line(i int) int {
	if p.at == nil {
		return p.from + i
	}
	return p.at[i]
}

// layer finds all places that lines fit, in the order of the file. Layers stand
// in the order of their strictness, and the first that finds any place decides:
// what a laxer one finds besides cannot make an exact match less certain, nor
// choose among several.
type layer struct {
	name string
	find func(ix *index, want []string) []place
}

var layers = []layer{
	{Exact, exactPlaces},
}

func exactPlaces(ix *index, want []string) []place {
	var places []place
	for _, from := range ix.exact(want) {
		places = append(places, place{from: from, to: from + len(want), confidence: 1})
	}
	return places
}

// index knows the lines of a file by number: equal lines have equal numbers, so
// that hunks are compared without looking at text again.
type index struct {
	number map[string]int32
	ids    []int32   // of each line
	where  [][]int32 // of each number: its lines, in order
}

func newIndex(bare []string) *index {
	ix := &index{number: make(map[string]int32, len(bare)), ids: make([]int32, len(bare))}
	for i, l := range bare {
		id, ok := ix.number[l]
		if !ok {
			id = int32(len(ix.where))
			ix.number[l] = id
			ix.where = append(ix.where, nil)
		}
		ix.ids[i] = id
		ix.where[id] = append(ix.where[id], int32(i))
	}
	return ix
}

// exact returns the lines where want stands, in order; none for no lines.
func (ix *index) exact(want []string) []int {
	if len(want) == 0 {
		return nil
	}
	ids := make([]int32, len(want))
	rare := 0
	for i, l := range want {
		id, ok := ix.number[l]
		if !ok {
			return nil
		}
		ids[i] = id
		if len(ix.where[id]) < len(ix.where[ids[rare]]) {
			rare = i
		}
	}
	// Looking around the rarest line is nearly free in real files. In a file of
	// equal lines it would be quadratic; the search below never is.
	if seen := ix.where[ids[rare]]; len(seen)*len(ids) <= len(ix.ids) {
		return ix.around(seen, rare, ids)
	}
	return ix.sweep(ids)
}

// around tries the places at which the line want[rare] stands.
func (ix *index) around(seen []int32, rare int, want []int32) []int {
	var found []int
	for _, s := range seen {
		from := int(s) - rare
		if from < 0 || from+len(want) > len(ix.ids) {
			continue
		}
		k := 0
		for k < len(want) && ix.ids[from+k] == want[k] {
			k++
		}
		if k == len(want) {
			found = append(found, from)
		}
	}
	return found
}

// sweep is the search of Knuth, Morris and Pratt: linear whatever the lines.
func (ix *index) sweep(want []int32) []int {
	border := make([]int, len(want)+1) // border[k]: the longest proper border of want[:k]
	border[0] = -1
	for k, b := 0, -1; k < len(want); {
		for b >= 0 && want[b] != want[k] {
			b = border[b]
		}
		k, b = k+1, b+1
		border[k] = b
	}
	var found []int
	k := 0
	for i, id := range ix.ids {
		for k >= 0 && (k == len(want) || want[k] != id) {
			k = border[k]
		}
		if k++; k == len(want) {
			found = append(found, i+1-k)
		}
	}
	return found
}
