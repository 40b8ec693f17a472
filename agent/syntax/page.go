package syntax

import (
	"slices"
	"sort"
	"strings"

	"caselsp/store/lazyregexp"

	"golang.org/x/net/html"
)

// page is an HTML text, taken apart into template tags and, around them, the
// tokens of HTML.
type page struct {
	text   string
	masked string // with the template tags blanked, and their outputs as letters: they stand for text
	tags   []templateTag
	tokens []htmlToken
	found  []htmlToken // as tokens, of templates whose language is not known too: for outlines, which judge nothing
	notes  []span      // comments of HTML and of templates
	broken []fault     // tags and comments that do not end, and template faults
	xml    bool        // XHTML: every element may close itself
}

type htmlKind uint8

const (
	startTag htmlKind = iota
	endTag
	selfClosed // <br/>, <path/>
	rawText    // the inside of a script, a style, a title, ...
)

type htmlToken struct {
	kind       htmlKind
	name       string // lower case
	start, end int
	nameEnd    int  // of a tag
	foreign    bool // inside svg or math
}

var (
	voidElements = nameSet("area base br col embed hr img input link meta param source track wbr")

	// optionalEnd need no end tag, optionalStart no start tag.
	optionalEnd = nameSet(`html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot
		tr td th`)
	optionalStart = nameSet("html head body tbody colgroup")

	knownElements = nameSet(`a abbr acronym address applet article aside audio b bdi bdo big blockquote button canvas
		center cite code data datalist del details dfn dialog dir div dl em fieldset figcaption figure font footer form
		frameset h1 h2 h3 h4 h5 h6 header hgroup i iframe ins kbd label legend main map mark marquee menu meter nav
		noframes noscript object ol output picture pre progress q ruby s samp script search section select slot small
		span strike strong style sub summary sup svg table template textarea time title tt u ul var video math`)

	rawElements = nameSet("iframe noembed noframes noscript script style textarea title xmp")
)

// serverMark tells of template languages whose tags are not known here, PHP, ERB
// and the like; outputMark of Handlebars and Go. Names that these have are those of variables, too, in Django: {{ block.super }}.
var (
	serverMark = lazyregexp.New(`<\?php|<\?=|<%`)
	tagLibrary = lazyregexp.New(`<[a-z]\w*:(?:include|if|object|label)\s`)
	outputMark = lazyregexp.New("^\\{\\{(?:[-~]?\\s*[#/^>]|-?\\s*(?:(?:if|range|with)\\s|(?:define|block|template)\\s+[\"`]|end\\s*-?\\}\\}|else\\b))")
)

// isForeign reports whether a text is a template of such a language.
func isForeign(text string) bool {
	if (strings.Contains(text, "<?") || strings.Contains(text, "<%")) && serverMark.MatchString(text) {
		return true
	}
	if (strings.Contains(text, ":include ") || strings.Contains(text, ":if ") || strings.Contains(text, ":object ") || strings.Contains(text, ":label ")) && tagLibrary.MatchString(text) {
		return true
	}
	for i := 0; ; i++ {
		at := strings.Index(text[i:], "{{")
		if at < 0 {
			return false
		}
		i += at
		// Most outputs are a name: the expression need not look at them.
		inside := strings.TrimLeft(text[i+2:min(len(text), i+2+maxTag)], "-~ \t\r\n\f")
		if inside != "" && strings.IndexByte("#/^>irwdbte", inside[0]) >= 0 && outputMark.MatchString(text[i:]) {
			return true
		}
	}
}

// readTags reads the template tags of a page, and no more.
func readTags(text string) *page {
	p := &page{text: text}
	p.tags, p.broken = readTemplate(text)
	masked := []byte(text)
	for _, t := range p.tags {
		fill := byte(' ')
		if t.kind == '{' {
			fill = 'x'
		}
		overwrite(masked[t.start:t.end], fill)
		if t.kind == '#' {
			p.notes = append(p.notes, span{t.start, t.end})
		}
	}
	p.masked = string(masked)
	p.broken = append(p.broken, pairBlocks(p.tags)...)
	return p
}

// read reads the rest: the tokens of HTML around the template tags, which only
// judges of the whole page and its comments ask for.
func (p *page) read() *page {
	head := strings.ToLower(p.masked[:min(len(p.masked), 1000)])
	p.xml = strings.Contains(head, "<?xml") || strings.Contains(head, "//dtd xhtml")
	lexical := p.tokenize()
	if p.broken != nil && p.showsTemplates() {
		p.broken = nil
	}
	p.found = p.tokens
	if isForeign(p.text) {
		p.broken, p.tokens = nil, nil
	} else {
		p.broken = append(p.broken, lexical...)
	}
	return p
}

// showsTemplates reports whether the page is one about templates: all template
// tags stand in its code samples.
func (p *page) showsTemplates() bool {
	if !strings.Contains(p.masked, "<html") {
		return false
	}
	at, inside := 0, 0
	for _, t := range p.tags {
		for _, m := range codeSample.FindAllStringSubmatchIndex(p.masked[at:t.start], -1) {
			if m[2] >= 0 {
				inside = max(inside-1, 0)
			} else {
				inside++
			}
		}
		if at = t.start; t.kind == '%' && inside == 0 {
			return false
		}
	}
	return true
}

// codeSample is a tag of an element that shows code.
var codeSample = lazyregexp.New(`<(/)?(?:pre|code)\b`)

// tokenize reads the tokens; their offsets are the sums of the raw lengths.
func (p *page) tokenize() []fault {
	var faults []fault
	z := html.NewTokenizer(strings.NewReader(p.masked))
	offset, foreign := 0, 0
	for {
		kind := z.Next()
		raw := len(z.Raw())
		t := htmlToken{start: offset, end: offset + raw, foreign: foreign > 0}
		switch kind {
		case html.ErrorToken:
			return append(faults, p.unterminated(offset)...)
		case html.CommentToken:
			faults = append(faults, p.comment(t.start, t.end)...)
		case html.TextToken:
			if n := len(p.tokens); n > 0 && p.tokens[n-1].kind == startTag && rawElements[p.tokens[n-1].name] && p.tokens[n-1].end == offset {
				t.kind, t.name = rawText, p.tokens[n-1].name
				p.tokens = append(p.tokens, t)
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			t.name = string(name)
			t.nameEnd = t.start + 2 + strings.IndexAny(p.masked[t.start+2:t.end], " \t\r\n\f/>")
			t.kind = map[html.TokenType]htmlKind{html.EndTagToken: endTag, html.SelfClosingTagToken: selfClosed}[kind]
			if !p.isDynamic(t) {
				p.tokens = append(p.tokens, t)
				faults = append(faults, p.attributes(t)...)
			}
			if t.name == "svg" || t.name == "math" {
				switch t.kind {
				case startTag:
					foreign++
				case endTag:
					foreign = max(foreign-1, 0)
				}
				z.AllowCDATA(foreign > 0)
			} else if foreign > 0 {
				z.NextIsNotRawText()
			}
		}
		offset += raw
	}
}

// isDynamic reports whether a template writes a part of the tag's name, so
// that nobody knows what it opens or closes: <h{{ level }}>.
func (p *page) isDynamic(t htmlToken) bool {
	if strings.Contains(p.text[t.start:t.nameEnd], "{") {
		return true
	}
	known := knownElements[t.name] || optionalEnd[t.name] || voidElements[t.name] || rawElements[t.name]
	return !known && p.text[t.nameEnd] == '{'
}

// unterminated says what the text ends in the middle of.
func (p *page) unterminated(offset int) []fault {
	rest := strings.TrimRight(p.masked[min(offset, len(p.masked)):], " \t\r\n\f")
	if rest == "" {
		return nil
	}
	name := strings.IndexAny(rest, " \t\r\n\f/>\"'=")
	if name < 2 {
		name = len(rest)
	}
	return []fault{{"this tag is not closed: > is missing", offset, offset + min(name, len(rest))}}
}

func (p *page) comment(start, end int) []fault {
	raw := p.masked[start:end]
	if !strings.HasPrefix(raw, "<!--") {
		if !strings.HasSuffix(raw, ">") {
			return []fault{{"this declaration is not closed: > is missing", start, min(start+2, end)}}
		}
		return nil
	}
	p.notes = append(p.notes, span{start, end})
	if closed := strings.HasSuffix(raw, "-->") || strings.HasSuffix(raw, "--!>") || raw == "<!-->"; !closed {
		return []fault{{"this comment is not closed: --> is missing", start, start + len("<!--")}}
	}
	return nil
}

// comments returns the comments of the page, those of its scripts and styles too.
func (p *page) comments() []span {
	notes := slices.Clone(p.notes)
	for i, t := range p.tokens {
		if t.kind != rawText || i == 0 {
			continue
		}
		lang := Unknown
		switch t.name {
		case "script":
			if isScript(p.masked[p.tokens[i-1].start:p.tokens[i-1].end]) {
				lang = JavaScript
			}
		case "style":
			lang = CSS
		}
		inner := Parse(lang, p.masked[t.start:t.end])
		for _, s := range inner.commentSpans() {
			notes = append(notes, span{t.start + s.start, t.start + s.end})
		}
	}
	slices.SortFunc(notes, func(a, b span) int { return a.start - b.start })
	return notes
}

var scriptType = lazyregexp.New(`(?i)\stype\s*=\s*["']?([^"'\s>]*)`)

// isScript reports whether a script's start tag makes its inside JavaScript.
func isScript(tag string) bool {
	m := scriptType.FindStringSubmatch(tag)
	return m == nil || m[1] == "" || m[1] == "module" || strings.Contains(strings.ToLower(m[1]), "javascript")
}

// attributes finds quotes that are not closed and tags that run into the next
// one: both show as a quote or a < where the name of an attribute should be.
func (p *page) attributes(t htmlToken) []fault {
	raw := p.masked[t.start:t.end]
	i := t.nameEnd - t.start
	suspect := -1 // the quote of the last value that holds markup
	for i < len(raw)-1 {
		switch c := raw[i]; {
		case strings.IndexByte(" \t\r\n\f/", c) >= 0:
			i++
			continue
		case c == '"' || c == '\'' || c == '<':
			return p.badAttribute(t, t.start+i, suspect)
		}
		end := i + strings.IndexAny(raw[i+1:], " \t\r\n\f/>=") + 1
		if j := strings.IndexAny(raw[i:end], `"'<`); j >= 0 {
			return p.badAttribute(t, t.start+i+j, suspect)
		}
		value := end + len(raw[end:]) - len(strings.TrimLeft(raw[end:], " \t\r\n\f"))
		if i = end; raw[value] != '=' {
			continue
		}
		i = value + 1 + len(raw[value+1:]) - len(strings.TrimLeft(raw[value+1:], " \t\r\n\f"))
		if i >= len(raw)-1 {
			break
		}
		length := 0
		if q := raw[i]; q == '"' || q == '\'' {
			length = strings.IndexByte(raw[i+1:], q) + 2
			if length < 2 {
				break
			}
			if strings.ContainsAny(raw[i:i+length], "<>") {
				suspect = t.start + i
			}
		} else if length = strings.IndexAny(raw[i:], " \t\r\n\f>"); strings.Count(raw[i:i+length], `"`)%2 == 1 {
			return p.badAttribute(t, t.start+i+strings.IndexByte(raw[i:i+length], '"'), suspect)
		}
		i += length
	}
	return nil
}

// badAttribute judges a quote or a < at offset in a tag. A template's branches
// may hold pieces of one tag that do not fit together as text.
func (p *page) badAttribute(t htmlToken, offset, suspect int) []fault {
	first := sort.Search(len(p.tags), func(i int) bool { return p.tags[i].start > t.start })
	for _, tag := range p.tags[first:] {
		if tag.start >= t.end {
			break
		}
		if tag.kind == '%' && (p.masked[offset] == '<' || middleTags[tag.name]) {
			return nil
		}
	}
	switch {
	case suspect >= 0:
		return []fault{{"this attribute's quote is not closed", suspect, suspect + 1}}
	case p.masked[offset] == '<':
		return []fault{{"this tag is not closed: > is missing", t.start, t.nameEnd}}
	}
	return []fault{{"this quote does not belong here: an attribute's value begins after =", offset, offset + 1}}
}

// overwrite fills b, except its line ends.
func overwrite(b []byte, fill byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = fill
		}
	}
}
