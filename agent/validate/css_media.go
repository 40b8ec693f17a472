package validate

import (
	"strings"

	"caselsp/agent/dom"
)

// cssMediaRules are about queries, and about what CSS has given up.
var cssMediaRules = authored([]Rule{{
	ID: "css-unknown-media-feature", Title: "A media query that asks for a feature that there is not", Severity: Warning, Category: Styles,
	Doc:  "A query with a feature that browsers do not know is never true, so that the rules in it never apply.",
	File: "a.css", Bad: "@media (max-widht: 40em) { nav { display: none; } }\n", Good: "@media (max-width: 40em) and (hover: hover) { nav { display: none; } }\n",
	Check: sheetRules(func(p *Pass, r *dom.Rule) {
		for _, q := range mediaTests(r) {
			if !q.known() && !strings.ContainsAny(q.feature, "\\_$") {
				p.Report(q.start, q.start+len(q.feature), "There is no media feature %s: the query is never true.%s", q.feature, meant(q.feature, knownFeature))
			}
		}
	}, "media"),
}, {
	ID: "css-invalid-media-query", Title: "A media query that is never true", Severity: Warning, Category: Styles,
	Doc:  "`(min-width: 600)` has no unit, `(hover: 1)` no such keyword, `(min-width)` no value and `(width == 600px)` one sign too many: browsers take such a query for one that is never true.",
	File: "a.css", Bad: "@media (min-width: 600) { nav { top: 0; } }\n", Good: "@media (min-width: 600px) and (400px <= height) { nav { top: 0; } }\n",
	Check: sheetRules(func(p *Pass, r *dom.Rule) {
		for _, q := range mediaTests(r) {
			if wrong := q.fault(); wrong != "" {
				p.Report(q.open, q.end, "This is never true: %s.", wrong)
			}
		}
	}, "media"),
}, {
	ID: "css-old-media-type", Title: "A media type that CSS has given up", Severity: Warning, Category: Styles,
	Doc:  "Browsers know `all`, `screen` and `print`. `handheld`, `tv`, `projection` and their like never match; ask for features instead, such as `(pointer: coarse)`.",
	File: "a.css", Bad: "@media handheld { nav { display: none; } }\n", Good: "@media screen and (pointer: coarse) { nav { display: none; } }\n",
	Check: sheetRules(func(p *Pass, r *dom.Rule) {
		level, first := 0, true
		for _, t := range significant(r.Prelude, r.PreludeEnd-len(r.Prelude)) {
			switch {
			case t.Kind == dom.Function || t.Text == "(":
				level++
			case t.Text == ")":
				level--
			case t.Text == ",":
				first = true
				continue
			case t.Kind == dom.Ident && level == 0 && containsWord("not only", strings.ToLower(t.Text)):
				continue
			case t.Kind == dom.Ident && level == 0 && first && containsWord("aural braille embossed handheld projection speech tty tv", strings.ToLower(t.Text)):
				p.Report(t.Start, t.End, "%s never matches: ask for a feature instead.", t.Text)
			}
			first = false
		}
	}, "media"),
}, {
	ID: "css-obsolete", Title: "A word that CSS has given up", Severity: Info, Category: Styles,
	Doc:  "Browsers keep it for old pages or have dropped it already: `overflow: overlay`, `text-decoration: blink`, `clip`, `@nest`, the first flexible boxes (`box-flex`), the keywords of `appearance` for single controls.",
	File: "a.css", Bad: "nav { overflow: overlay; }\n", Good: "nav { overflow: auto; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }\n",
	Check: checkObsolete,
}})

// mediaTest is one bracket of a media query: (min-width: 40em), (400px <= width).
type mediaTest struct {
	feature    string // in lower case
	start      int    // of the feature
	open, end  int    // of the bracket
	before     []dom.Token
	after      []dom.Token
	sign, back string // what stands behind the feature, and before it: :, <, <=, ==
}

func knownFeature(name string) bool {
	_, ok := cssKnown().features[strings.TrimPrefix(strings.TrimPrefix(name, "min-"), "max-")]
	return ok
}

// mediaTests takes the prelude of @media apart. What has a function of a tool,
// or a variable of one, is left out.
func mediaTests(r *dom.Rule) []mediaTest {
	var list []mediaTest
	tokens := significant(r.Prelude, r.PreludeEnd-len(r.Prelude))
	for i := 0; i < len(tokens); i++ {
		if tokens[i].Text != "(" {
			continue
		}
		end := i + 1
		for end < len(tokens) && tokens[end].Text != ")" && tokens[end].Text != "(" {
			if tokens[end].Kind == dom.Function {
				end = closingToken(tokens, end)
			} else {
				end++
			}
		}
		if end >= len(tokens) || tokens[end].Text != ")" || end == i+1 {
			continue
		}
		if q, ok := readTest(tokens[i+1 : end]); ok {
			q.open, q.end = tokens[i].Start, tokens[end].End
			list = append(list, q)
		}
		i = end
	}
	return list
}

// closingToken is the place behind the bracket that closes the function at a place.
func closingToken(tokens []dom.Token, at int) int {
	m := matcher{tokens: tokens}
	return m.closing(at)
}

func readTest(tokens []dom.Token) (mediaTest, bool) {
	q := mediaTest{}
	at := -1
	for i, t := range tokens {
		if t.Kind == dom.Ident && t.Text[0] != '-' && (i == 0 || strings.Contains("<>=", tokens[i-1].Text)) && (at < 0 || knownFeature(strings.ToLower(t.Text))) {
			at = i
		}
		if t.Kind == dom.AtKeyword || t.Text == "$" || t.Text == "{" || t.Text == "#" || t.Text == "*" || t.Text == "+" {
			return q, false
		}
	}
	if at < 0 {
		return q, false
	}
	q.feature, q.start = strings.ToLower(tokens[at].Text), tokens[at].Start
	q.before, q.after = tokens[:at], tokens[at+1:]
	for len(q.after) > 0 && strings.Contains(":<>=", q.after[0].Text) {
		q.sign += q.after[0].Text
		q.after = q.after[1:]
	}
	for n := len(q.before); n > 0 && strings.Contains("<>=", q.before[n-1].Text); n = len(q.before) {
		q.back = q.before[n-1].Text + q.back
		q.before = q.before[:n-1]
	}
	return q, len(q.after) == 0 || q.sign != ""
}

func (q *mediaTest) known() bool { return knownFeature(q.feature) }

// fault says why a query is never true; "" where it may be.
func (q *mediaTest) fault() string {
	base := strings.TrimPrefix(strings.TrimPrefix(q.feature, "min-"), "max-")
	prefixed := base != q.feature
	syntax := cssKnown().features[base]
	if !q.known() || syntax == "" {
		return ""
	}
	ranged := strings.HasPrefix(syntax, "<")
	switch compares := strings.ContainsAny(q.sign+q.back, "<>=") && !strings.HasPrefix(q.sign, ":"); {
	case prefixed && !ranged:
		return base + " has no min- and max-"
	case prefixed && compares:
		return "min- and max- go with a colon only"
	case prefixed && q.sign == "":
		return q.feature + " needs a value"
	case compares && !ranged:
		return base + " cannot be compared"
	case q.sign != "" && !containsWord(": < <= > >= =", q.sign) || q.back != "" && !containsWord("< <= > >= =", q.back):
		return "there is no sign " + q.sign + q.back
	}
	for _, value := range [][]dom.Token{q.before, q.after} {
		if text := tokenText(value); len(value) > 0 && !judgedElsewhere(value) && !cssKnown().suits(syntax, text) {
			if cssKnown().suits(syntax, text+"px") {
				return text + " needs a unit, such as px"
			}
			return q.feature + " does not take the value " + clip(text)
		}
	}
	return ""
}

func tokenText(tokens []dom.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// judgedElsewhere reports whether a value has functions, variables or vendors' words.
func judgedElsewhere(tokens []dom.Token) bool {
	for _, t := range tokens {
		if t.Kind == dom.Function && !cssMath[strings.ToLower(strings.TrimSuffix(t.Text, "("))] || t.Kind == dom.Ident && strings.ContainsAny(t.Text[:1], "-_$") {
			return true
		}
	}
	return false
}

// obsoleteWords are keywords that CSS has given up, by property.
var obsoleteWords = map[string]map[string]bool{
	"overflow": words("overlay"), "overflow-x": words("overlay"), "overflow-y": words("overlay"),
	"text-decoration": words("blink"), "text-decoration-line": words("blink"), "word-break": words("break-word"),
	"appearance":      words("searchfield textarea push-button slider-horizontal checkbox radio square-button menulist listbox meter progress-bar button"),
	"text-justify":    words("distribute"),
	"image-rendering": words("optimizespeed optimizequality"),
}

// obsoleteProperties are those that CSS has given up, and what takes their place.
var obsoleteProperties = map[string]string{
	"clip": "clip-path", "box-flex": "flex", "box-pack": "justify-content", "box-align": "align-items", "box-orient": "flex-direction", "box-direction": "flex-direction",
	"box-ordinal-group": "order", "box-lines": "flex-wrap", "box-flex-group": "flex", "scroll-snap-coordinate": "scroll-snap-align", "scroll-snap-destination": "scroll-padding",
	"scroll-snap-points-x": "scroll-snap-align", "scroll-snap-points-y": "scroll-snap-align", "ime-mode": "an attribute of the input", "azimuth": "nothing",
}

func checkObsolete(p *Pass) {
	decls(func(p *Pass, r *dom.Rule, d *dom.Decl) {
		prefix, _ := vendor(d.Name)
		if instead := obsoleteProperties[d.Name]; instead != "" && prefix == "" && !(d.Name == "clip" && hides(r)) && !again(r, d) {
			p.Report(d.Start, d.NameEnd, "CSS has given %s up: write %s.", d.Name, instead)
		}
		level := 0
		for _, t := range dom.Tokens(d.Value, d.ValueStart) {
			if t.Kind == dom.Function || t.Text == "(" {
				level++
			} else if t.Text == ")" {
				level--
			} else if t.Kind == dom.Ident && level == 0 && obsoleteWords[d.Name][strings.ToLower(t.Text)] && !again(r, d) {
				p.Report(t.Start, t.End, "CSS has given this value of %s up.", d.Name)
			}
		}
	})(p)
	sheetRules(func(p *Pass, r *dom.Rule) {
		p.Report(r.Start, r.Start+1+len(r.At), "CSS has given @%s up.", r.At)
	}, "nest", "viewport", "document")(p)
}

// hides reports whether a rule is the well-known one that hides text from all
// but screen readers, for which clip is there for old browsers.
func hides(r *dom.Rule) bool {
	if r == nil {
		return false
	}
	d := r.Decl("position")
	return d != nil && (d.Value == "absolute" || d.Value == "fixed")
}
