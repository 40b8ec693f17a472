package testreport

import (
	"fmt"
	"strings"

	"caselsp/store/lazyregexp"
)

const (
	// mostTraces are the bytes of traces that are told of one run: a few causes, told whole.
	mostTraces = 12 << 10
	// mostNames is how many tests are named in one line.
	mostNames = 30
)

// Failures tells what failed, shorter than a runner does: what is not old first, by name; a trace that
// several tests share once; of old failures the names alone. ok is false where the runner's own words say
// it as shortly, or where not all that failed is named.
func (r Report) Failures(old func(Test) bool) (text string, ok bool) {
	bad := r.Bad()
	if len(bad) == 0 || len(bad) != r.Failed+r.Errors {
		return "", false
	}
	var olds []string
	var groups []failure
	at := map[string]int{}
	for _, t := range bad {
		if old(t) {
			olds = with(olds, t.Name)
			continue
		}
		key := t.key()
		i, known := at[key]
		if !known {
			i, at[key] = len(groups), len(groups)
			groups = append(groups, failure{said: t.Message})
		} else {
			ok = true
		}
		groups[i].names = with(groups[i].names, t.Name)
	}
	if !ok && len(olds) == 0 {
		return "", false
	}
	var b strings.Builder
	if len(olds) > 0 && len(groups) > 0 {
		b.WriteString("These tests fail now, and did not fail in this way before the task:\n\n")
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "%s\n", named(g.names))
		if b.Len() < mostTraces {
			fmt.Fprintf(&b, "%s\n", g.said)
		}
		b.WriteString("\n")
	}
	switch n := len(olds); {
	case n > 0 && len(groups) > 0:
		fmt.Fprintf(&b, "%d more fail as they did before the task: %s\n\n", n, named(olds))
	case n > 0:
		fmt.Fprintf(&b, "%d fail as they did before the task, and no others: %s\n\n", n, named(olds))
	}
	return b.String() + r.String() + "\n", true
}

// failure is one cause with the tests that fail by it.
type failure struct {
	names []string
	said  string
}

// with adds a name where it is not the last one: a runner can tell of a test twice.
func with(names []string, name string) []string {
	if n := len(names); n > 0 && names[n-1] == name {
		return names
	}
	return append(names, name)
}

func named(names []string) string {
	if more := len(names) - mostNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), more)
	}
	return strings.Join(names, ", ")
}

// key is the same for tests that fail by the same error at the same place.
func (t Test) key() string {
	traces := Traces(t.Message)
	if len(traces) == 0 {
		return t.Message
	}
	last := traces[len(traces)-1]
	key := last.Type + ": " + last.Message
	if n := len(last.Frames); n > 0 {
		key += fmt.Sprintf(" %s:%d", last.Frames[n-1].File, last.Frames[n-1].Line)
	}
	return key
}

// fleeting is what differs between two runs of the same code: durations, times, addresses, temporary files.
var fleeting = lazyregexp.New(`\b\d+(?:\.\d+)? ?(?:ns|µs|ms|s|sec|secs|seconds)\b|\b\d\d:\d\d:\d\d(?:\.\d+)?\b|\b\d{4}-\d\d-\d\d\b|\b0x[0-9a-fA-F]+\b|/tmp/[^\s'":]+`)

// explained are the lines in which pytest explains an error, with the values that were compared.
var explained = lazyregexp.New(`(?m)^E {1,}(.*\S)`)

// Reason is why a test failed, without what differs from run to run: a line, or those in which its runner
// explains it; no code and no places.
func (t Test) Reason() (lines []string) {
	for _, m := range explained.FindAllStringSubmatch(t.Message, -1) {
		lines = append(lines, fleeting.ReplaceAllString(m[1], ""))
	}
	switch {
	case len(lines) > 0:
	case strings.Contains(t.Message, "Traceback (most recent call last)"), strings.Contains(t.Message, "goroutine "):
		lines = []string{fleeting.ReplaceAllString(t.Cause(), "")} // the rest is code and places
	default:
		for line := range strings.Lines(t.Message) {
			if line = strings.TrimSpace(line); line != "" && !scriptFrame.MatchString(line) {
				lines = append(lines, fleeting.ReplaceAllString(line, ""))
			}
		}
	}
	return lines
}
