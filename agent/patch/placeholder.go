package patch

import (
	"regexp"
	"strings"
)

// The comments that a placeholder may hide in: a whole line, or a block comment
// anywhere in one ("def f() { /* existing code */ }").
var (
	lineComment  = regexp.MustCompile(`^\s*(?://+|#+|--+|;+|%+|<!--|/\*+|\*|\{#|\{/\*|<%#|"""|''')\s*(.*?)\s*(?:-->|\*+/\}?|#\}|%>|"""|''')?\s*$`)
	blockComment = regexp.MustCompile(`/\*+\s*(.*?)\s*\*+/|<!--\s*(.*?)\s*-->`)
)

const thing = `(?:code|file|contents?|implementations?|methods?|functions?|imports?|class(?:es)?|logic|body|tests?|sections?|lines?|` +
	`templates?|markup|html|css|styles?|rules?|script|fields?|routes?|props|config(?:uration)?|settings|definitions?|module|page|component)`

// What stands for text that was left out. An ellipsis in a sentence is no
// placeholder ("# Loading...", "# wait for other threads..."): it must come with
// words that say that something is as it was.
var (
	onlyDots    = regexp.MustCompile(`^\.{3,}$`)
	dotsThenCue = regexp.MustCompile(`^\.{3,}.*\b(?:rest|remainder|remaining|existing|unchanged|unmodified|same|previous|omitted|elided|truncated|other|original|as before|as above)\b`)
	cueThenDots = regexp.MustCompile(`^(?:the |all |keep |your )*(?:(?:rest|remainder) of (?:the |this |your |my )?|existing |remaining |previous |unchanged |other )(?:[\w-]+ ){0,3}` + thing + `\b[^.]*\.{3,}$`)
	restStays   = regexp.MustCompile(`^(?:the |all )*(?:rest|remainder) of (?:the |this |your |my )?.{0,40}\b(?:unchanged|unmodified|omitted|as before|as is|(?:remains?|stays?|is|are) (?:the same|as)|(?:goes|comes|is) here|here)\b.{0,12}$`)
	thingStays  = regexp.MustCompile(`^(?:the |all |your )*(?:existing|remaining|previous|other) (?:[\w-]+ ){0,3}` + thing + ` (?:here|goes here|(?:remains?|stays?|is|are)?\s*(?:unchanged|unmodified|the same|omitted|as before|as is))\b.{0,12}$`)
	leftOut     = regexp.MustCompile(`^(?:(?:[\w-]+ ){0,2}` + thing + ` )?(?:omitted|truncated|elided|unchanged) for brevity\b.{0,12}$`)
)

// Placeholder finds a line of content, a file that a model wrote whole, that
// stands for text it left out ("# ... rest of the code unchanged"), and returns
// its number, from 1. Lines that were already in before are the file's own. A
// comment of nothing but dots counts only where there was text to leave out, and
// dots that are no comment never do: "..." is legal Python.
func Placeholder(content, before string) (line int, ok bool) {
	had := map[string]int{}
	for _, l := range split(before).bare {
		had[strings.TrimSpace(l)]++
	}
	for i, l := range split(content).bare {
		l = strings.TrimSpace(l)
		if !leavesOut(l, before != "") {
			continue
		}
		if had[l]--; had[l] < 0 {
			return i + 1, true
		}
	}
	return 0, false
}

// leavesOut reports whether a trimmed line holds a placeholder.
func leavesOut(line string, dots bool) bool {
	var comments []string
	if m := lineComment.FindStringSubmatch(line); m != nil {
		comments = append(comments, m[1])
	} else if strings.HasPrefix(line, "...") || strings.HasPrefix(line, "…") {
		// Outside of a comment only what no language could mean otherwise.
		bare := plain(line)
		return dotsThenCue.MatchString(bare) && strings.HasSuffix(bare, "...")
	}
	for _, m := range blockComment.FindAllStringSubmatch(line, -1) {
		comments = append(comments, m[1]+m[2])
	}
	for _, c := range comments {
		c = plain(c)
		if dots && onlyDots.MatchString(c) {
			return true
		}
		for _, cue := range []*regexp.Regexp{dotsThenCue, cueThenDots, restStays, thingStays, leftOut} {
			if cue.MatchString(c) {
				return true
			}
		}
	}
	return false
}

// plain takes off what models decorate placeholders with.
func plain(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, "…", "..."))
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "()[]<>*`-= "))
}
