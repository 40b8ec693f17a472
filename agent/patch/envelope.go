package patch

import (
	"encoding/json"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// wrapping is something that a whole patch is wrapped in. It is taken off where
// the text without it holds a patch and the text as it is does not.
type wrapping struct {
	name string
	open func(lines []string) ([]string, bool)
}

var wrappings = []wrapping{
	{entities, unescaped},
	{"quoted or indented lines", unprefixed},
	{"a JSON string", unquotedJSON},
	{"line numbers before the signs", unsignedNumbers},
	{"a diff without @@", headed},
}

// maxWrappings bounds how many are taken off one after the other.
const maxWrappings = 3

// unwrap reads a text with at most so many wrappings around the patch.
func unwrap(lines []string, most int, exists names) (*Patch, *Refusal) {
	p, err := parseAs(lines, exists)
	if err == nil && p.open && p.changes() {
		return nil, malformed(0, "it ends in the middle: the fence around it is not closed, and neither is the edit. Write the whole edit.")
	}
	if most == 0 || err == nil && p.changes() || err != nil && !err.empty {
		return p, err
	}
	for _, w := range wrappings {
		in, ok := w.open(lines)
		if !ok {
			continue
		}
		switch q, e := unwrap(in, most-1, exists); {
		case e == nil && q.changes():
			q.seen = append([]string{w.name}, q.seen...)
			return q, nil
		case e != nil && !e.empty && err != nil:
			e.Note(readAs([]string{w.name}))
			return nil, e
		}
	}
	return p, err
}

// changes reports whether the patch asks for any change.
func (p *Patch) changes() bool {
	return slices.ContainsFunc(p.Files, func(f File) bool {
		return f.Op != Modify || f.Mode != 0 || slices.ContainsFunc(f.Hunks, func(h Hunk) bool { return h.changes() })
	})
}

// readAs says of what was read what it was wrapped in; "" for nothing.
func readAs(seen []string) string {
	if len(seen) == 0 {
		return ""
	}
	return " The edit was read as written in " + strings.Join(seen, ", in ") + "."
}

// prefixed matches the first line of a patch behind the signs of a quotation, or indented.
var prefixed = lazyregexp.New("^((?:[ \\t]*>)+ ?|[ \\t]+)(?:@@|--- \\S|\\+\\+\\+ \\S|diff --git |[<-]{5,9} ?(?:SEARCH|ORIGINAL)|\\*\\*\\* ?(?:Begin|Update|Add|Delete) |```|~~~)")

func unprefixed(lines []string) ([]string, bool) {
	i := slices.IndexFunc(lines, prefixed.MatchString)
	if i < 0 {
		return nil, false
	}
	prefix := prefixed.FindStringSubmatch(lines[i])[1]
	return changedLines(lines, func(l string) string {
		if l == strings.TrimRight(prefix, " ") {
			return ""
		}
		return strings.TrimPrefix(l, prefix)
	})
}

// structural matches, written with entities, what only the whole text can be wrapped
// in, or the marker of a block. Entities within lines are no wrapping: see readings.
var structural = lazyregexp.New(`(?m)\A\s*(?:\{\s*)?&(?:quot|#34);|^(?:&lt;){5,9} ?(?:SEARCH|ORIGINAL)|^&gt; ?(?:@@|---|diff )`)

func unescaped(lines []string) ([]string, bool) {
	if !structural.MatchString(strings.Join(lines, "\n")) {
		return nil, false
	}
	return changedLines(lines, plainEntities.Replace)
}

// unquotedJSON reads a text without line ends of its own: a JSON string, an object
// that holds one, or what is between its quotation marks.
func unquotedJSON(lines []string) ([]string, bool) {
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if !strings.Contains(text, `\n`) {
		return nil, false
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil && json.Unmarshal([]byte(`"`+text+`"`), &v) != nil {
		if strings.Contains(text, "\n") {
			return nil, false
		}
		v = plainEscapes.Replace(text)
	}
	if o, ok := v.(map[string]any); ok {
		longest := ""
		for _, in := range o {
			if s, ok := in.(string); ok && len(s) > len(longest) {
				longest = s
			}
		}
		v = longest
	}
	s, ok := v.(string)
	return patchLines(s), ok && strings.Contains(s, "\n")
}

// gutter matches what stands between a line's number and its sign, the longest first.
var gutters = []string{" | ", " |", "| ", "|", ": ", ":", "\t", "  ", " "}

var leadingNumber = lazyregexp.New(`^\s*\d+`)

// unsignedNumbers takes off numbers, and what follows them in every line, before the
// signs of the lines of hunks.
func unsignedNumbers(lines []string) ([]string, bool) {
	for _, g := range gutters {
		change := false
		out, ok := changedLines(lines, func(l string) string {
			n := leadingNumber.FindString(l)
			rest, ok := strings.CutPrefix(l[len(n):], g)
			switch {
			case n == "":
				return l
			case !ok && strings.TrimSpace(l[len(n):]) == "":
				return ""
			case !ok || rest != "" && !isBody(rest):
				return "@@@" // no other line of a patch begins so
			}
			change = change || rest != "" && rest[0] != ' '
			return rest
		})
		if ok && change && !slices.Contains(out, "@@@") {
			return out, true
		}
	}
	return nil, false
}

// headed puts a @@ before the lines of a diff that has none.
func headed(lines []string) ([]string, bool) {
	i := slices.IndexFunc(lines, isChange)
	if i < 0 {
		return nil, false
	}
	for i > 0 && isBody(lines[i-1]) {
		i--
	}
	for _, l := range lines[i:] {
		if fence.MatchString(l) && !isBody(l) {
			break
		}
		if l != "" && !isBody(l) {
			return nil, false
		}
	}
	return slices.Insert(slices.Clone(lines), i, "@@"), true
}

// changedLines reports whether f changes any line.
func changedLines(lines []string, f func(string) string) ([]string, bool) {
	out, changed := make([]string, len(lines)), false
	for i, l := range lines {
		out[i] = f(l)
		changed = changed || out[i] != l
	}
	return out, changed
}

var (
	plainEntities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`, "&#34;", `"`, "&#39;", "'", "&#x27;", "'", "&apos;", "'")
	plainEscapes  = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "", `\"`, `"`, `\\`, `\`, `\/`, "/")
)
