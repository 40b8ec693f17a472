package html

import (
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// pictureRules are about images in several sizes, and about queries in attributes.
var pictureRules = []validate.Rule{{
	ID: "image-candidates", Title: "Invalid srcset or sizes", Severity: validate.Warning, Category: validate.Markup,
	Doc: "Each image in `srcset` has a width such as `480w` or a density such as `2x`, all of one kind. With widths, `sizes` says how wide the image is shown; without it, " +
		"browsers assume the width of the window and load too much.",
	Bad:   "<img src=\"/a.jpg\" srcset=\"/a.jpg 480w, /b.jpg 2x\" sizes=\"50vw\" alt=\"\">\n",
	Good:  "<img src=\"/a.jpg\" srcset=\"/a.jpg 480w, /b.jpg 960w\" sizes=\"(min-width: 60em) 50vw, 100vw\" alt=\"\">\n",
	Check: validate.Attributes(checkCandidates, "srcset", "imagesrcset", "sizes", "imagesizes"),
}, {
	ID: "unused-source", Title: "<source> that is never chosen", Severity: validate.Warning, Category: validate.Markup,
	Doc:   "Browsers use the first `<source>` that fits. One without `media` and `type` always fits, so those after it are never used; a `<source>` after the `<img>` is ignored.",
	Bad:   "<picture><source srcset=\"/a.webp\"><source srcset=\"/a.avif\" type=\"image/avif\"><img src=\"/a.png\" alt=\"A\"></picture>\n",
	Good:  "<picture><source srcset=\"/a.avif\" type=\"image/avif\"><source srcset=\"/a.webp\" type=\"image/webp\"><img src=\"/a.png\" alt=\"A\"></picture>\n",
	Check: validate.Elements(checkSources, "picture"),
}, {
	ID: "media-attribute", Title: "Invalid media query in a media attribute", Severity: validate.Warning, Category: validate.Markup,
	Doc: "A resource with a media query that is invalid, or that names an unknown medium, is never used.",
	Bad: "<link rel=\"stylesheet\" href=\"/a.css\" media=\"(min-width: 600)\">\n", Good: "<link rel=\"stylesheet\" href=\"/a.css\" media=\"(min-width: 600px)\">\n",
	Check: validate.Attributes(func(p *validate.Pass, n *dom.Node, a *dom.Attr) {
		if n.Space != dom.HTML || !n.Is("link", "source", "style", "meta") || a.Dynamic || a.Bound || unfilled(a.Value) {
			return
		}
		if fault := mediaFault(a.Value); fault != "" {
			p.Attribute(a, "This media query is never true: %s.", fault)
		}
	}, "media"),
}}

// candidate is one image of a srcset.
type candidate struct{ address, descriptor string }

// candidates takes a srcset apart, after HTML, 4.8.4.2.2.
func candidates(text string) []candidate {
	var list []candidate
	for {
		text = strings.TrimLeft(text, " \t\r\n\f,")
		if text == "" {
			return list
		}
		end := strings.IndexAny(text, " \t\r\n\f")
		if end < 0 {
			end = len(text)
		}
		c := candidate{address: text[:end]}
		text = text[end:]
		if strings.HasSuffix(c.address, ",") {
			c.address = strings.TrimRight(c.address, ",")
		} else {
			end, level := 0, 0
			for end < len(text) && (text[end] != ',' || level > 0) {
				switch text[end] {
				case '(':
					level++
				case ')':
					level--
				}
				end++
			}
			c.descriptor, text = strings.TrimSpace(text[:end]), text[end:]
		}
		list = append(list, c)
	}
}

var (
	widthForm  = lazyregexp.New(`^0*[1-9]\d*w$`)
	heightForm = lazyregexp.New(`^0*[1-9]\d*h$`)
)

// candidateFault says what is wrong with a list of images; "" where nothing is.
// Widths reports whether they have widths.
func candidateFault(list []candidate) (fault string, widths bool) {
	seen, dense := map[string]bool{}, 0
	for _, c := range list {
		wide, d := false, c.descriptor
		for _, w := range strings.Fields(d) {
			switch {
			case widthForm.MatchString(w) && !wide:
				wide, d = true, w
			case heightForm.MatchString(w):
			case strings.HasSuffix(w, "x") && len(strings.Fields(c.descriptor)) == 1 && isDensity(w[:len(w)-1]):
			default:
				return "unknown size " + strconv.Quote(c.descriptor) + ": write 480w or 2x", widths
			}
		}
		if !wide && strings.HasSuffix(d, "h") {
			return "a height is allowed only with a width", widths
		}
		if d == "" {
			d = "1x"
		}
		if !wide {
			dense++
			if v, err := strconv.ParseFloat(d[:len(d)-1], 64); err == nil {
				d = strconv.FormatFloat(v, 'f', -1, 64)
			}
		} else {
			widths = true
		}
		if seen[d] {
			return "two images have the size " + d, widths
		}
		seen[d] = true
	}
	if widths && dense > 0 {
		return "some images have a width and some have none", widths
	}
	return "", widths
}

func isDensity(text string) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && v >= 0 && numberForm.MatchString(text) && !strings.HasPrefix(text, "-")
}

func checkCandidates(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	if n.Space != dom.HTML || !n.Is("img", "source", "link") || a.Dynamic || a.Bound || unfilled(a.Value) || n.Inert() {
		return
	}
	if n.Is("link") && a.Name == "sizes" {
		return // of an icon
	}
	if strings.HasSuffix(a.Name, "sizes") {
		if fault := sizesFault(n, a.Value); fault != "" {
			p.Attribute(a, "Browsers cannot use this srcset: %s.", fault)
		}
		return
	}
	list := candidates(a.Value)
	fault, widths := candidateFault(list)
	sizes := strings.Replace(a.Name, "srcset", "sizes", 1)
	switch {
	case len(list) == 0:
		p.Attribute(a, "This list of images is empty.")
	case fault != "":
		p.Attribute(a, "Browsers cannot use this srcset: %s.", fault)
	case widths && !n.May(sizes) && !late(n) && !dom.MayLoadLater(n):
		p.Attribute(a, "With widths, %s must say how wide the image is shown.", sizes)
	}
}

// lengthUnits are the units of CSS's lengths.
var lengthUnits = syntax.WordSet(`em rem ex rex ch rch cap rcap ic ric lh rlh vw vh vi vb vmin vmax svw svh svi svb svmin svmax lvw lvh lvi lvb lvmin lvmax
	dvw dvh dvi dvb dvmin dvmax cqw cqh cqi cqb cqmin cqmax cm mm q in pc pt px`)

// sizesFault judges the value of sizes, after HTML, 4.8.4.2.2.
func sizesFault(n *dom.Node, text string) string {
	var parts [][]dom.Token
	level, start := 0, 0
	tokens := dom.Significant(text, 0)
	for i, t := range tokens {
		switch {
		case t.Kind == dom.Function || t.Text == "(":
			level++
		case t.Text == ")":
			level--
		case t.Text == "," && level == 0:
			parts, start = append(parts, tokens[start:i]), i+1
		}
		if t.Text == "{" || t.Text == "}" || level < 0 {
			return "its brackets do not match"
		}
	}
	parts = append(parts, tokens[start:])
	if level != 0 {
		return "its brackets do not match"
	}
	if first := parts[0]; len(first) == 1 && strings.EqualFold(first[0].Text, "auto") {
		if !late(n) {
			return "auto requires loading=\"lazy\""
		}
		if parts = parts[1:]; len(parts) == 0 {
			return ""
		}
	}
	for i, part := range parts {
		if fault := sizeFault(part, i == len(parts)-1); fault != "" {
			return fault
		}
	}
	return ""
}

// late reports whether an image, or that of a source, may be loaded when it is
// seen: then browsers know how wide it is shown.
func late(n *dom.Node) bool {
	if n.Is("source") {
		for c := range n.Parent.Elements() {
			if c.Is("img") {
				return c.May("loading")
			}
		}
	}
	return n.Is("img") && n.May("loading")
}

// sizeFault judges one size: a condition and a length, and of the last a length.
func sizeFault(part []dom.Token, last bool) string {
	at := len(part)
	if at == 0 {
		return "a size is missing"
	}
	if part[at-1].Text == ")" { // calc(…), or a condition without a length
		level := 0
		for at > 0 {
			at--
			if part[at].Text == ")" {
				level++
			} else if part[at].Text == "(" || part[at].Kind == dom.Function {
				if level--; level == 0 {
					break
				}
			}
		}
		if part[at].Kind != dom.Function {
			return "a length is missing after a condition"
		}
		name := strings.ToLower(strings.TrimSuffix(part[at].Text, "("))
		if !dom.CSSMath[name] && name != "var" && name != "env" {
			return "unknown length " + name + "()"
		}
	} else {
		at--
		t := part[at]
		number, unit := t.Unit()
		v, err := strconv.ParseFloat(strings.TrimPrefix(number, "+"), 64)
		switch {
		case t.Kind == dom.Number && err == nil && v == 0:
		case t.Kind == dom.Percent:
			return "a length cannot be in percent: take vw"
		case t.Kind != dom.Dimension || !lengthUnits[unit]:
			return "unknown length " + strconv.Quote(t.Text)
		case err == nil && v < 0:
			return "a length cannot be below 0"
		}
	}
	condition := dom.TokenText(part[:at])
	switch {
	case last && condition == "":
		return ""
	case condition == "":
		return "only the last size has no condition"
	}
	return mediaFault(condition)
}

// mediaWords are the media that browsers know, and what may stand before one.
var mediaWords = syntax.WordSet("all screen print")

// mediaFault says why a list of media queries is never true; "" where it may be.
func mediaFault(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	sheet := dom.ParseSheet("@media "+text+" {}", 0)
	if len(sheet.Rules) != 1 || strings.ContainsAny(text, ";{}") || strings.Count(text, "(") != strings.Count(text, ")") {
		return "its brackets do not match"
	}
	for _, q := range dom.MediaTests(sheet.Rules[0]) {
		if fault := q.Fault(); fault != "" {
			return fault
		}
		if !q.Known() && q.Feature[0] != '-' {
			return "unknown media feature " + q.Feature
		}
	}
	level, want := 0, true // whether a medium or a bracket must follow
	for _, t := range append(dom.Significant(text, 0), dom.Token{Kind: dom.Mark, Text: ","}) {
		word := strings.ToLower(t.Text)
		switch {
		case t.Text == ")":
			level--
		case t.Kind == dom.Function && (word == "and(" || word == "or(" || word == "not("):
			return "a space is missing after " + strings.TrimSuffix(word, "(")
		case t.Kind == dom.Function || t.Text == "(":
			if level++; level == 1 {
				want = false
			}
		case level > 0:
		case t.Text == ",":
			if want {
				return "a query is missing beside a comma or an and"
			}
			want = true
		case t.Kind != dom.Ident:
			return strconv.Quote(t.Text) + " is not allowed here"
		case word == "and" || word == "or" || word == "not" || word == "only":
			want = true
		case !mediaWords[word]:
			return "unknown medium " + word
		default:
			want = false
		}
	}
	return ""
}

func checkSources(p *validate.Pass, n *dom.Node) {
	if n.HasUnknown() || n.Inert() || n.Space != dom.HTML {
		return
	}
	var always, img *dom.Node
	for c := range n.Elements() {
		switch {
		case c.Arm != n.Arm || c.Opaque:
			return
		case c.Is("img") && img != nil:
			p.Element(c, "A <picture> shows one <img> (line %d).", p.Tree.Position(img.Start).Line+1)
			return
		case c.Is("source") && img != nil:
			p.Element(c, "Browsers ignore a <source> after the <img>.")
			return
		case c.Is("img"):
			img = c
		}
		if always != nil && (c.Is("source") || c.Is("img") && c.Attr("srcset") != nil) {
			p.Element(always, "This source always fits, so the following ones are never used: add media or type.")
			return
		}
		media := strings.ToLower(strings.TrimSpace(dom.AttributeText(c, "media")))
		if c.Is("source") && !c.May("type") && (c.Attr("media") == nil || !c.Attr("media").Dynamic && (media == "" || media == "all")) {
			always = c
		}
	}
}
