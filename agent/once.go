package agent

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/llm"
	"caselsp/store/lazyregexp"
)

// What stands in a conversation is not said again: where a message holds lines that one
// before it has, a line says where they are. So a file that is read again, the output of a
// command that fails alike, and a test's failure that CASE has seen cost what differs in
// them. A reference never stands for lines of a diff, nor across the marks of a quote or a heading, and that to lines of
// a file names the file. It is done to the messages and nowhere else, so that nothing is forgotten; the
// journal keeps results whole. What a message becomes depends on those before it
// alone, so that requests still begin with the one before.

const (
	// leastRun is how many bytes of lines are worth a reference: a shorter one costs as much.
	leastRun = 200
	// mostPlaces is how many places of a line are compared: a line like "}" has hundreds.
	mostPlaces = 32
	// maxLabel bounds what a reference says of the message that it leads to, in bytes.
	maxLabel = 80
)

// fence is a line that begins or ends a quote.
var fence = lazyregexp.New(`^</?(data|output|answer)(-\d+)?>$`)

// numbered returns a line of a file and its number, as readings show it; 0 for a line without one. All lines of a
// conversation come through here with each request, so that an expression would take most of its time.
func numbered(line string) (text string, number int) {
	rest := strings.TrimLeft(line, " ")
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	text, ok := strings.CutPrefix(rest[digits:], "  ")
	if digits == 0 || !ok {
		return line, 0
	}
	number, _ = strconv.Atoi(rest[:digits])
	return text, number
}

// spoken is a line that was said: its text without a number, and the number, 0 for none.
type spoken struct {
	text   string
	number int
	label  string
	by     int  // the message
	diff   bool // a line of a diff
	fence  bool
}

// repeats reports whether a line says what another one said: numbers are new where that had none,
// because lines are written by them.
func (l spoken) repeats(said spoken) bool {
	return l.text == said.text && (l.number == 0 || said.number > 0) && !l.fence
}

// once knows the lines that were said.
type once struct {
	lines  []spoken
	places map[string][]int
}

// sayOnce replaces in each message the lines that stand in a message before it.
func sayOnce(messages []llm.Message) []llm.Message {
	o := once{places: map[string][]int{}}
	calls := map[string]llm.ToolCall{}
	for i := range messages {
		m := &messages[i]
		for _, c := range m.ToolCalls {
			calls[c.ID] = c
		}
		switch m.Speaker {
		case llm.User:
			m.Content = o.say(m.Content, labelOf(m.Content), i)
		case llm.ToolReply:
			m.Content = o.say(m.Content, callLabel(calls[m.CallID]), i)
		}
	}
	return messages
}

// labelOf names a message by its first line.
func labelOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(strings.TrimLeft(shorten(line, maxLabel), "# "))
}

// callLabel names a result by its call.
func callLabel(c llm.ToolCall) string {
	var args struct{ Path, Command, Pattern, Glob string }
	_ = json.Unmarshal([]byte(c.Arguments), &args) // a call that cannot be read is named by its verb
	about := args.Path + args.Command + args.Pattern
	if about == "" {
		about = args.Glob
	}
	about, _, _ = strings.Cut(about, "\n")
	return strings.TrimSpace(c.Name + " " + shorten(about, maxLabel))
}

func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// say returns the text without what was said, and notes the rest as said.
func (o *once) say(text, label string, by int) string {
	raw := strings.Split(text, "\n")
	lines := make([]spoken, len(raw))
	within := false // what is quoted
	for i, line := range raw {
		switch {
		case strings.HasPrefix(line, "<"):
			within = fence.MatchString(line) && !strings.HasPrefix(line, "</")
		case !within && heads(raw, i):
			label = labelOf(line)
		}
		lines[i] = spoken{label: label, by: by}
		lines[i].text, lines[i].number = numbered(line)
		lines[i].fence = strings.HasPrefix(lines[i].text, "<") && fence.MatchString(lines[i].text) || lines[i].number == 0 && heads(raw, i)
	}
	captions(lines)
	markDiffs(lines)
	var out []string
	var fresh []spoken
	for i := 0; i < len(lines); {
		if at, n := o.longest(lines[i:]); n > 0 {
			out = append(out, o.reference(lines[i:i+n], o.lines[at:at+n]))
			i += n
			continue
		}
		out = append(out, raw[i])
		fresh = append(fresh, lines[i])
		i++
	}
	// Only now: what repeats within a message, such as two like functions of a file, is shown, because
	// they are read and edited as what they are.
	for _, l := range fresh {
		o.note(l)
	}
	return strings.Join(out, "\n")
}

// heads reports whether a line is a heading: what stands below it would else belong to the one before.
func heads(raw []string, i int) bool {
	return strings.HasPrefix(strings.TrimLeft(raw[i], "#"), " ") && strings.HasPrefix(raw[i], "#") && (i == 0 || strings.TrimSpace(raw[i-1]) == "")
}

// captions has the lines of a file name what stands above them: a message may show several files.
func captions(lines []spoken) {
	caption := ""
	for i := range lines {
		l := &lines[i]
		switch {
		case l.number > 0 && caption != "" && !strings.Contains(l.label, caption):
			l.label += ", " + caption
		case l.number == 0 && !l.fence && strings.TrimSpace(l.text) != "":
			caption, _, _ = strings.Cut(shorten(strings.TrimSuffix(strings.TrimSpace(l.text), ":"), maxLabel), " (")
		}
	}
}

var (
	// hunkHead begins the lines of a diff that are marked, and diffLine is one of those that follow.
	hunkHead = lazyregexp.New(`^@@ -\d+(,\d+)? \+\d+(,\d+)? @@`)
	diffLine = lazyregexp.New(`^(?:[ +\\-]|diff --git |index |new file |deleted file |similarity |rename |$)`)
)

// markDiffs marks the lines of diffs: they are to be judged, so that none gives way to a reference.
func markDiffs(lines []spoken) {
	inside := false
	for i, l := range lines {
		inside = strings.HasPrefix(l.text, "@@ ") && hunkHead.MatchString(l.text) || inside && diffLine.MatchString(l.text)
		lines[i].diff = inside
	}
}

func (o *once) note(l spoken) {
	if !l.fence && strings.TrimSpace(l.text) != "" {
		o.places[l.text] = append(o.places[l.text], len(o.lines))
	}
	o.lines = append(o.lines, l)
}

// longest finds where the most of the lines that follow were said, and how many; 0 where
// they are too few.
func (o *once) longest(next []spoken) (at, n int) {
	if next[0].diff || next[0].fence {
		return 0, 0
	}
	places := o.places[next[0].text]
	most := 0
	for _, p := range places[max(0, len(places)-mostPlaces):] {
		size, k := 0, 0
		for k < len(next) && p+k < len(o.lines) && !next[k].diff && !next[k].fence && o.lines[p+k].by == o.lines[p].by && next[k].repeats(o.lines[p+k]) {
			size += len(next[k].text) + 1
			k++
		}
		if size >= leastRun && size > most {
			at, n, most = p, k, size
		}
	}
	for n > 1 && next[n-1].text == "" && next[n-1].number == 0 { // between parts of a message, and no line of a file
		n--
	}
	return at, n
}

// reference says where lines stand.
func (o *once) reference(lines, said []spoken) string {
	where := "above"
	if said[0].label != lines[0].label && said[0].by != lines[0].by {
		where = "above, in: " + said[0].label
	}
	from, to := ends(lines)
	if from == 0 {
		return fmt.Sprintf("[%s as %s]", count.Of(len(lines), "line"), where)
	}
	what := fmt.Sprintf("[lines %d to %d stand %s", from, to, where)
	if a, b := ends(said); a != from && a > 0 {
		return what + fmt.Sprintf(", as %d to %d]", a, b)
	}
	return what + "]"
}

// ends are the first and the last number of lines; 0 where one has none.
func ends(lines []spoken) (from, to int) {
	from, to = lines[0].number, lines[len(lines)-1].number
	if from == 0 || to == 0 || to-from != len(lines)-1 {
		return 0, 0
	}
	return from, to
}
