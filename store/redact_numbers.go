package store

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
)

// numbers undoes texts that are written as the numbers of their bytes, as dumps and
// arrays have them, line by line: hexadecimal with signs between, decimal, octal, and
// words of two bytes in either order, and of four. Each result reads all of them in one way.
func numbers(text string) (readings [][]edit) {
	var hex, decimal, octal, swapped []edit
	for _, block := range numberBlocks(text) {
		h, d, o, s := readNumbers(text, block)
		hex, decimal, octal, swapped = append(hex, h...), append(decimal, d...), append(octal, o...), append(swapped, s...)
	}
	for _, edits := range [][]edit{hex, decimal, octal, swapped} {
		if len(edits) >= minNumbers/2 {
			readings = append(readings, edits)
		}
	}
	return readings
}

// numberBlocks returns the runs of numbers in a text, each as the places of its
// numbers. A run goes on in the next line, where that has one, too.
func numberBlocks(text string) (blocks [][][2]int) {
	var block [][2]int
	flush := func() {
		if len(block) >= minNumbers/2 {
			blocks = append(blocks, block)
		}
		block = nil
	}
	for start := 0; start < len(text); {
		end := lineEnd(text, start)
		var run [][2]int
		if mayHaveRun(text[start:end]) {
			run = longestRun(text, start, end)
		}
		if len(run) == 0 {
			flush()
		} else {
			block = append(block, run...)
		}
		start = end + 1
	}
	flush()
	return blocks
}

// mayHaveRun reports whether two words that may be numbers follow each other in a line.
// Most lines have none, and longestRun takes four times as long to say so.
func mayHaveRun(line string) bool {
	const most = 8 // digits of a word of four bytes
	before := false
	for i := 0; i < len(line); {
		for i < len(line) && numberParts[line[i]] == gapPart {
			i++
		}
		from := i
		for i < len(line) && numberParts[line[i]] == digitPart {
			i++
		}
		n := i - from
		if i < len(line) && numberParts[line[i]] == otherPart {
			n = 0
			for i < len(line) && numberParts[line[i]] != gapPart {
				i++
			}
		}
		number := n > 0 && n <= most
		if number && before {
			return true
		}
		before = number
	}
	return false
}

// numberParts says what bytes are to mayHaveRun. A backslash ends a number and begins the
// next one.
var numberParts = func() (parts [256]byte) {
	for b := range parts {
		switch {
		case numberGap[b], b == '\\':
			parts[b] = gapPart
		case hexDigits[b] > 0, b == 'x', b == 'X':
			parts[b] = digitPart
		}
	}
	return parts
}()

const (
	otherPart byte = iota
	gapPart
	digitPart
)

// The digits of what od prints by itself, words of two bytes in octal, and of words of four bytes.
const (
	octalWord = 6
	longWord  = 8
)

// longestRun returns the longest run of numbers in a line. The address with which a
// line of a dump begins is none.
func longestRun(text string, start, end int) (longest [][2]int) {
	const least = 2
	var run [][2]int
	keep := func() {
		if len(run) > len(longest) && len(run) >= least {
			longest = append(longest[:0], run...)
		}
		run = run[:0]
	}
	for i := start; i < end; {
		if numberGap[text[i]] {
			i++
			continue
		}
		from := i
		if i+2 < end && (text[i] == '0' || text[i] == '\\') && text[i+1]|0x20 == 'x' {
			from += 2
		}
		to := from
		for to < end && hexDigits[text[to]] > 0 {
			to++
		}
		switch n := to - from; {
		case n == 0, to < end && !numberGap[text[to]] && text[to] != '\\':
			keep()
			for i = to; i < end && !numberGap[text[i]]; i++ {
			}
			continue
		case n > 4 && n != octalWord && n != longWord:
			keep() // an address, or a number of its own
		default:
			if last := len(run) - 1; last >= 0 && (n > 4 || run[last][1]-run[last][0] > 4) && n != run[last][1]-run[last][0] {
				keep() // an address before the words of its line
			}
			run = append(run, [2]int{from, to})
		}
		i = to
	}
	keep()
	return longest
}

var numberGap = func() (in [256]bool) {
	for _, c := range " \t,:-[]{}()|;#%\r" {
		in[c] = true
	}
	return in
}()

// readNumbers reads a run of numbers in all ways that fit parts of it. The edits take
// what stands between the numbers away.
func readNumbers(text string, block [][2]int) (hex, decimal, octal, swapped []edit) {
	read := func(base, digits int, most uint64, bytes int, order func(v uint64) string) (edits []edit) {
		var run []edit
		keep := func() {
			if len(run)*bytes >= minNumbers {
				edits = append(edits, run...)
			}
			run = run[:0]
		}
		for _, at := range block {
			word := text[at[0]:at[1]]
			v, err := strconv.ParseUint(word, base, 32)
			if err != nil || v > most || digits > 0 && len(word) != digits {
				keep()
				continue
			}
			before := at[0]
			if len(run) > 0 {
				before = run[len(run)-1].end
			}
			run = append(run, edit{before, at[1], order(v)})
		}
		keep()
		return edits
	}
	one := func(v uint64) string { return string([]byte{byte(v)}) }
	hex = append(read(16, 2, 0xff, 1, one), read(16, 4, 0xffff, 2, func(v uint64) string { return string([]byte{byte(v >> 8), byte(v)}) })...)
	slices.SortFunc(hex, func(a, b edit) int { return a.start - b.start })
	little := func(v uint64) string { return string([]byte{byte(v), byte(v >> 8)}) }
	swapped = slices.Concat(read(16, 4, 0xffff, 2, little), read(8, octalWord, 0xffff, 2, little),
		read(16, longWord, math.MaxUint32, 4, func(v uint64) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(v))) }))
	slices.SortFunc(swapped, func(a, b edit) int { return a.start - b.start })
	return hex, read(10, 0, 0xff, 1, one), read(8, 3, 0xff, 1, one), swapped
}
