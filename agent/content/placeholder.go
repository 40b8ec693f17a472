package content

import (
	"strings"
	"unicode"

	"caselsp/store/lazyregexp"
)

// The comments that a placeholder may hide in: a whole line, or a block comment
// anywhere in one ("def f() { /* existing code */ }").
var (
	lineComment  = lazyregexp.New(`^(?://+|#+|--+|;+|%+|<!--|/\*+|\*|\{#|\{/\*|<%#|"""|''')\s*(.*?)\s*(?:-->|\*+/\}?|#\}|%>|"""|''')?$`)
	blockComment = lazyregexp.New(`/\*+\s*(.*?)\s*\*+/|<!--\s*(.*?)\s*-->`)
)

// Placeholder finds a line of content, a file that a model wrote whole, that
// stands for text it left out ("# ... rest of the code unchanged"), and returns
// its number, from 1. Lines that were already in before are the file's own. A
// comment of nothing but dots counts only where there was text to leave out, and
// dots that are no comment never do: "..." is legal Python.
func Placeholder(content, before string) (line int, ok bool) {
	had := map[string]int{}
	for _, l := range Split(before).Bare {
		had[strings.TrimSpace(l)]++
	}
	for i, l := range Split(content).Bare {
		l = strings.TrimSpace(l)
		if !LeavesOut(l, before != "") {
			continue
		}
		if had[l]--; had[l] < 0 {
			return i + 1, true
		}
	}
	return 0, false
}

// LeavesOut reports whether a trimmed line holds a placeholder.
func LeavesOut(line string, dots bool) bool {
	var texts []string
	switch m := lineComment.FindStringSubmatch(line); {
	case m != nil:
		texts = append(texts, m[1])
	case strings.HasPrefix(line, "...") && strings.HasSuffix(line, "..."), strings.HasPrefix(line, "…") && strings.HasSuffix(line, "…"):
		dots = false // alone they mean something in some languages
		texts = append(texts, line)
	}
	for _, m := range blockComment.FindAllStringSubmatch(line, -1) {
		texts = append(texts, m[1]+m[2])
	}
	for _, t := range texts {
		if dots && OnlyDots(t) || standsFor(t) {
			return true
		}
	}
	return false
}

// OnlyDots reports whether a text is dots, at least three.
func OnlyDots(text string) bool {
	return strings.Trim(text, ".…") == "" && (strings.Contains(text, "...") || strings.Contains(text, "…"))
}

// maxNames is how many words a placeholder may have that are not of the vocabulary,
// behind "rest of" or "existing". Set by the lines of testdata/placeholder.txt.
const maxNames = 2

// The vocabulary of placeholders. A text of these words only, which names what is
// left out and says that it is, stands for it; any other word makes it a sentence.
const (
	whatWords = " rest remainder remaining existing previous other others original unchanged unmodified same omitted elided truncated snip snipped before above "
	restWords = " rest remainder remaining existing previous other original "
	stayWords = " unchanged unmodified same omitted elided truncated here stay stays remain remains before above is are brevity snip snipped "
	leftWords = " omitted elided truncated unchanged "
	nounWords = " code file files content contents implementation implementations method methods function functions import imports class classes logic body test tests section sections line lines " +
		"template templates markup html css style styles rule rules script field fields route routes props config configuration setting settings definition definitions module page component docstring setup "
	linkWords = " the a of this that these your my all any it its as in and for to from with keep goes go comes be exactly more etc "
)

// IsComment reports whether a trimmed line is one.
func IsComment(line string) bool { return lineComment.MatchString(line) }

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }

func in(words, word string) bool { return strings.Contains(words, " "+word+" ") }

// standsFor reports whether the text of a comment stands for text that was left out.
// An ellipsis in a sentence is none ("# Loading..."), nor is a comment in a comment. Beside dots, what is left out
// may have a name of its own: "... rest of the OrderService methods".
func standsFor(text string) bool {
	text = strings.Trim(strings.ToLower(strings.ReplaceAll(text, "…", "...")), "()[]<>*`-=: ")
	if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") {
		return false
	}
	lead, trail := strings.HasPrefix(text, "..."), strings.HasSuffix(text, "...")
	what, rest, stays, left, noun, names := false, false, false, false, false, 0
	for _, w := range strings.FieldsFunc(text, notWord) {
		rest, stays, left, noun = rest || in(restWords, w), stays || in(stayWords, w), left || in(leftWords, w), noun || in(nounWords, w)
		what = what || in(whatWords, w)
		if !in(whatWords+stayWords+nounWords+linkWords, w) && strings.Trim(w, "0123456789") != "" {
			if names++; !rest {
				return false // a sentence, not the name of what is left out
			}
		}
	}
	switch {
	case names > maxNames, names > 0 && !lead && !(trail && noun):
		return false
	case lead:
		return what || trail && noun
	case trail:
		return rest && (noun || stays || in(" rest remainder ", strings.Trim(strings.TrimSuffix(text, "..."), " ")))
	}
	return rest && stays || left && strings.HasSuffix(text, "for brevity")
}
