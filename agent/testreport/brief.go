package testreport

import (
	"fmt"
	"strings"

	"caselsp/store/lazyregexp"
)

// Brief is the output of a test run as a model reads it: without what it says of tests that passed ([WithoutPassed]), with
// the totals of node's runner in one line, and each failure once where the runner prints it in its place and again at
// the end.
func Brief(output string) string { return withoutRepeats(joinTotals(WithoutPassed(output))) }

// total is one of the lines in which node's runner sums up, or node-tap's.
var total = lazyregexp.New(`^(?:ℹ|#) (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d+)(?:\.\d+)?\s*$`)

// leastTotals is how many such lines in a row are totals.
const leastTotals = 4

// joinTotals makes one line of node's totals, without those that are 0 and tell nothing.
func joinTotals(output string) string {
	lines := strings.Split(output, "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		last := i
		var said []string
		for ; last < len(lines); last++ {
			m := total.FindStringSubmatch(lines[last])
			if m == nil {
				break
			}
			if name, n := m[1], m[2]; name == "tests" || name == "pass" || name == "fail" || n != "0" && name != "suites" && name != "duration_ms" {
				said = append(said, name+" "+n)
			}
		}
		if last-i < leastTotals {
			out = append(out, lines[i])
			continue
		}
		out = append(out, strings.Join(said, ", "))
		i = last - 1
	}
	return strings.Join(out, "\n")
}

const (
	// leastRepeat is how many bytes of lines are worth a note in their place.
	leastRepeat = 200
	// repeatPlaces is how many places of a line are compared: of one like "}" there are hundreds.
	repeatPlaces = 16
)

// withoutRepeats leaves out runs of lines that stood before, whatever their indentation, and says so.
func withoutRepeats(output string) string {
	lines := strings.Split(output, "\n")
	plain := make([]string, len(lines))
	places := map[string][]int{}
	var out []string
	for i := range lines {
		plain[i] = strings.TrimSpace(lines[i])
	}
	for i := 0; i < len(lines); {
		n, size := 0, 0
		for _, at := range places[plain[i]] {
			k, bytes := 0, 0
			for at+k < i && i+k < len(lines) && plain[at+k] == plain[i+k] {
				bytes += len(plain[i+k])
				k++
			}
			if bytes > size {
				n, size = k, bytes
			}
		}
		if plain[i] != "" && size >= leastRepeat {
			out = append(out, fmt.Sprintf("[%d lines as above, beginning with %q]", n, beginning(plain[i])))
			i += n
			continue
		}
		if at := places[plain[i]]; plain[i] != "" && len(at) < repeatPlaces {
			places[plain[i]] = append(at, i)
		}
		out = append(out, lines[i])
		i++
	}
	return strings.Join(out, "\n")
}

// beginning is the beginning of a line, fit for a note.
func beginning(line string) string {
	const most = 60
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}
