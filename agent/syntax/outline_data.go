package syntax

import (
	"encoding/json"
	"fmt"
	"strings"

	"caselsp/store/lazyregexp"
)

// jsonOutlineDepth is how many levels of keys an outline shows: a package.json
// needs two, and further down are data.
const jsonOutlineDepth = 2

// jsonOutline returns the keys of the outer objects.
func (t *Tree) jsonOutline() []Symbol {
	text := t.body()
	if t.lang == JSONC {
		text = string(PlainJSON([]byte(text)))
	}
	d := json.NewDecoder(strings.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil
	}
	return t.keys(d, text, 1)
}

// keys reads an object whose opening brace was read. It returns what it has
// where the text does not parse further.
func (t *Tree) keys(d *json.Decoder, text string, depth int) []Symbol {
	var symbols []Symbol
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			break
		}
		s := Symbol{Name: name, Kind: "key", StartLine: t.at(int(d.InputOffset()) - 1).Line}
		start := int(d.InputOffset())
		value := strings.TrimLeft(text[start:], " \t\r\n:")
		if depth < jsonOutlineDepth && strings.HasPrefix(value, "{") {
			d.Token()
			s.Children = t.keys(d, text, depth+1)
		} else {
			var raw json.RawMessage
			if d.Decode(&raw) != nil {
				break
			}
			s.Signature = oneLine(string(raw[:min(len(raw), maxSignature)]))
		}
		s.EndLine = t.at(int(d.InputOffset()) - 1).Line
		symbols = append(symbols, s)
	}
	d.Token() // the closing brace
	return symbols
}

// landmarks are the elements that people find their way in a page by, besides
// those with an id.
var landmarks = nameSet("header nav main section article aside footer form table dialog template h1 h2 h3 h4 h5 h6")

// idAttribute is what an address names an element by, and nameAttribute what it names a link by in older pages.
var idAttribute, nameAttribute = pageAttribute("id"), pageAttribute("name")

func pageAttribute(name string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)\s` + name + `\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))`)
}

// pageEntry is a tag of a page that may become a symbol.
type pageEntry struct {
	symbol     Symbol
	name       string // of the element or of the template's tag
	shown      bool
	start, end int
}

// pageOutline returns elements and template blocks as they nest. It goes by
// the tags alone: what is not closed ends where its parent does.
func (t *Tree) pageOutline() []Symbol {
	p := t.page()
	var root []Symbol
	var open []pageEntry
	add := func(e pageEntry) {
		for i := len(open) - 1; i >= 0; i-- {
			if open[i].shown {
				open[i].symbol.Children = append(open[i].symbol.Children, e.symbol)
				return
			}
		}
		root = append(root, e.symbol)
	}
	closeTo := func(n, end int) {
		for len(open) > n {
			e := open[len(open)-1]
			open = open[:len(open)-1]
			if e.shown {
				e.symbol.EndLine = t.at(max(end-1, 0)).Line
				t.nameHeading(&e, end)
				add(e)
			}
		}
	}
	for _, e := range t.pageEntries() {
		switch {
		case strings.HasPrefix(e.name, "/"):
			for i := len(open) - 1; i >= 0 && i >= len(open)-maxNesting; i-- {
				if open[i].name == e.name[1:] {
					closeTo(i+1, e.start)
					closeTo(i, e.end)
					break
				}
			}
		case e.name == "":
			add(e)
		default:
			open = append(open, e)
		}
	}
	closeTo(0, len(p.text))
	return root
}

// pageEntries returns the tags of HTML and of the template in document order.
// The name of what ends begins with a slash, the name of what has no inside is empty.
func (t *Tree) pageEntries() []pageEntry {
	p := t.page()
	var entries []pageEntry
	tags := p.tags
	for _, token := range p.found {
		for len(tags) > 0 && tags[0].start < token.start {
			entries = t.templateEntry(entries, tags[0])
			tags = tags[1:]
		}
		if token.kind != rawText {
			entries = append(entries, t.elementEntry(token))
		}
	}
	for _, tag := range tags {
		entries = t.templateEntry(entries, tag)
	}
	return entries
}

func (t *Tree) elementEntry(token htmlToken) pageEntry {
	e := pageEntry{name: token.name, start: token.start, end: token.end}
	if token.kind == endTag {
		e.name = "/" + token.name
		return e
	}
	source := t.page().text[token.start:token.end]
	id := ""
	if m := idAttribute.FindStringSubmatch(source); m != nil {
		id = m[1] + m[2] + m[3]
	} else if m := nameAttribute.FindStringSubmatch(source); m != nil && token.name == "a" {
		id = m[1] + m[2] + m[3]
	}
	e.shown = id != "" || landmarks[token.name]
	e.symbol = t.symbolAt(token.name, "element", source, token.start)
	if id != "" {
		e.symbol.Name += "#" + id
	}
	if token.kind == selfClosed || voidElements[token.name] {
		e.name = ""
		if !e.shown {
			e.name = "/" // closes nothing, shows nothing
		}
	}
	return e
}

func (t *Tree) symbolAt(name, kind, source string, start int) Symbol {
	return Symbol{
		Name: name, Kind: kind, Signature: oneLine(source[:min(len(source), 2*maxSignature)]),
		StartLine: t.at(start).Line, EndLine: t.at(start + len(source) - 1).Line,
	}
}

func (t *Tree) templateEntry(entries []pageEntry, tag templateTag) []pageEntry {
	source := t.page().text[tag.start:tag.end]
	e := pageEntry{start: tag.start, end: tag.end, shown: true}
	argument := strings.Trim(tag.args, `"'`)
	switch tag.name {
	case "block":
		e.name = "{block"
		e.symbol = t.symbolAt(argument, "block", source, tag.start)
	case "endblock":
		e.name = "/{block"
	case "extends", "include", "load", "import", "from":
		e.symbol = t.symbolAt(argument, "import", source, tag.start)
	default:
		return entries
	}
	return append(entries, e)
}

// markup are tags, and breaks those that divide words.
var (
	markup = lazyregexp.New(`<[^>]*>`)
	breaks = lazyregexp.New(`(?i)<(?:br|wbr|p|div)\b`)
)

// nameHeading adds to a heading's name what it says.
func (t *Tree) nameHeading(e *pageEntry, end int) {
	if len(e.name) == 2 && e.name[0] == 'h' && e.name != "hr" && e.end < end {
		inside := t.page().text[e.end:min(end, e.end+maxSignature)]
		if i := strings.LastIndex(inside, "</"); i >= 0 {
			inside = inside[:i]
		}
		e.symbol.Name = oneLine(fmt.Sprintf("%s %s", e.symbol.Name, markup.ReplaceAllString(breaks.ReplaceAllString(inside, " $0"), "")))
	}
}
