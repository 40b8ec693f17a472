package general

import (
	"strconv"
	"strings"

	"caselsp/store/lazyregexp"
)

var hunkHead = lazyregexp.New(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// Core returns the hunks of a unified diff without the names of its files, each line as it is in before or after:
// what [Names.Code] made of the file's two versions.
func Core(unified, before, after string) string {
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	line := func(lines []string, i int) string {
		if i < 1 || i > len(lines) {
			return "…" // the diff is not of these texts: nothing of it is kept
		}
		return strings.TrimRight(lines[i-1], "\r")
	}
	var b strings.Builder
	keep := func(sign, text string) {
		if strings.TrimSpace(text) != "" { // also the rest of a text of several lines
			b.WriteString(sign + text + "\n")
		}
	}
	at, to := 0, 0
	for l := range strings.Lines(unified) {
		if m := hunkHead.FindStringSubmatch(l); m != nil {
			at, _ = strconv.Atoi(m[1])
			to, _ = strconv.Atoi(m[2])
			b.WriteString("@@\n")
			continue
		}
		if b.Len() == 0 {
			continue
		}
		switch l[0] {
		case '-':
			keep("-", line(old, at))
			at++
		case '+':
			keep("+", line(now, to))
			to++
		case ' ', '\n':
			keep(" ", line(now, to))
			at, to = at+1, to+1
		}
	}
	return b.String()
}

// Wanted are the lines of both versions that a unified diff shows.
func Wanted(unified string) (before, after func(line int) bool) {
	old, now := map[int]bool{}, map[int]bool{}
	at, to := 0, 0
	for l := range strings.Lines(unified) {
		if m := hunkHead.FindStringSubmatch(l); m != nil {
			at, _ = strconv.Atoi(m[1])
			to, _ = strconv.Atoi(m[2])
			continue
		}
		switch l[0] {
		case '-':
			old[at] = true
			at++
		case '+':
			now[to] = true
			to++
		case ' ', '\n':
			now[to] = true
			at, to = at+1, to+1
		}
	}
	return func(i int) bool { return old[i] }, func(i int) bool { return now[i] }
}
