package html

import (
	"golang.org/x/net/html"
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// sourceRules are about how the markup itself is written: what the
// standard's tokenizer calls a parse error.
var sourceRules = []validate.Rule{{
	ID: "character-reference", Title: "Invalid character reference", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"unrecognized-char-ref"}},
	Doc:     "`&nbsp` without its semicolon, `&foobar;` and `&#0;` do not show what was meant. A plain `&` is fine: write `&amp;` only where a name follows.",
	Bad:     "<p>5&nbsp000 &euros; a year</p>\n",
	Good:    "<p>5&nbsp;000 &euro; a year, R&D included</p>\n",
	Check:   validate.Page(checkReferences),
}, {
	ID: "markup-slip", Title: "Malformed markup that browsers repair", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"no-raw-characters"}, validate.HTMLHint: {"spec-char-escape"}},
	Doc: "A `<` that opens no tag, attributes of an end tag, two attributes without a space between them, a quotation mark on one side only: browsers repair these by rules " +
		"that few people know.",
	Bad:   "<a href=\"/\"class=\"home\">Home</a>\n",
	Good:  "<a href=\"/\" class=\"home\">Home</a>\n",
	Check: validate.Page(checkSlips),
}, {
	ID: "doctype-old", Title: "Obsolete doctype", Severity: validate.Info, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"doctype-html"}, validate.HTMLHint: {"doctype-html5"}},
	Doc:     "`<!DOCTYPE html>` is the only doctype of HTML. Those of HTML 4 and XHTML still work but have no effect.",
	Bad:     "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/html4/strict.dtd\">\n<html lang=\"en\"><head><title>A</title></head></html>\n",
	Good:    "<!DOCTYPE html>\n<html lang=\"en\"><head><title>A</title></head></html>\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		seen := false
		for n := range d.Root.Walk() {
			if n.Kind != dom.Doctype {
				continue
			}
			text := strings.Join(strings.Fields(strings.ToLower(p.Text[n.Start:n.End])), " ")
			if seen || text != "<!doctype html>" && text != `<!doctype html system "about:legacy-compat">` && text != "<!doctype html system 'about:legacy-compat'>" {
				p.Report(n.Start, n.End, "This is not the HTML doctype: write <!DOCTYPE html>, once.")
			}
			seen = true
		}
	}),
}}

// referenceForm finds what may be a reference to a character.
var referenceForm = lazyregexp.New(`&(?:#[xX]?[0-9a-fA-F]*|[A-Za-z][A-Za-z0-9]*);?`)

// checkReferences looks at texts and at values of attributes.
func checkReferences(p *validate.Pass, d *dom.Document) {
	judge := func(start, end int, inValue bool) {
		source := d.Masked[start:end]
		if strings.IndexByte(source, '&') < 0 {
			return
		}
		for _, m := range referenceForm.FindAllStringIndex(source, -1) {
			if d.Masked[start+m[0]:start+m[1]] != p.Text[start+m[0]:start+m[1]] {
				continue
			}
			after := byte(0)
			if m[1] < len(source) {
				after = source[m[1]]
			}
			if fault := referenceFault(source[m[0]:m[1]], inValue, after); fault != "" {
				p.Report(start+m[0], start+m[1], "%s", fault)
			}
		}
	}
	for n := range d.Root.Walk() {
		if n.Kind == dom.Text && !dom.RawText[n.Parent.Name] {
			judge(n.Start, n.End, false)
		}
		for i := range n.Attrs {
			if a := &n.Attrs[i]; !a.Bound {
				judge(a.ValueStart, a.ValueEnd, true)
			}
		}
	}
}

// referenceFault says what is wrong with a reference; "" where nothing is.
func referenceFault(source string, inValue bool, after byte) string {
	closed := strings.HasSuffix(source, ";")
	name := strings.TrimSuffix(source[1:], ";")
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		return numberReference(source, digits, closed)
	}
	full, whole := html.UnescapeString("&"+name+";"), closed
	known := full != "&"+name+";"
	switch {
	case closed && !known:
		return "Unknown character " + source + ": write &amp; for a literal ampersand."
	case !whole && !inValue && known && html.UnescapeString("&"+name+" ") != "&"+name+" ":
		return source + " needs a semicolon."
	case !whole && inValue && after != '=' && known && html.UnescapeString("&"+name+" ") != "&"+name+" ":
		return source + " needs a semicolon, or &amp; for a literal ampersand."
	}
	return ""
}

// numberReference is referenceFault for references by number.
func numberReference(source, digits string, closed bool) string {
	base := 10
	if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
		digits, base = digits[1:], 16
	}
	if base == 10 {
		digits = digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789"))]
	}
	v, err := strconv.ParseUint(digits, base, 32)
	switch {
	case digits == "":
		return source + " names no character: write &amp;# for the literal text."
	case err != nil || v > 0x10ffff || v == 0 || v >= 0xd800 && v <= 0xdfff || v&0xfffe == 0xfffe || v >= 0xfdd0 && v <= 0xfdef || v >= 0x7f && v <= 0x9f || v < 0x20 && v != '\t' && v != '\n' && v != '\f':
		return source + " is not a character that a page can show."
	case !closed:
		return source + " needs a semicolon."
	}
	return ""
}

// checkSlips looks at tags, comments and texts.
func checkSlips(p *validate.Pass, d *dom.Document) {
	for n := range d.Root.Walk() {
		switch n.Kind {
		case dom.Text:
			slipInText(p, d, n)
		case dom.Comment:
			slipInComment(p, n)
		case dom.Element:
			slipInTag(p, d, n)
		}
	}
}

// slipInText finds a < that looks like a tag and is none.
func slipInText(p *validate.Pass, d *dom.Document, n *dom.Node) {
	if dom.RawText[n.Parent.Name] || n.Parent.Is("title", "textarea") {
		return
	}
	source := d.Masked[n.Start:n.End]
	for at := 0; ; at++ {
		i := strings.IndexByte(source[at:], '<')
		if i < 0 {
			return
		}
		at += i
		if at+1 >= len(source) || strings.IndexByte(" \t\r\n=<", source[at+1]) < 0 || n.End == len(p.Text) && at+1 == len(source) {
			p.Report(n.Start+at, n.Start+at+1, "This < opens no tag: write &lt; for a literal <.")
			return
		}
	}
}

// slipInComment finds what browsers drop as a comment, and comments in comments.
func slipInComment(p *validate.Pass, n *dom.Node) {
	source := p.Text[n.Start:n.End]
	switch {
	case strings.HasPrefix(source, "<!--"):
		if strings.Contains(n.Text, "<!--") && !strings.Contains(n.Text, "[if") {
			p.Report(n.Start, n.End, "Comments do not nest: this one ends at its first -->.")
		} else if !strings.HasSuffix(source, "-->") && !strings.HasSuffix(source, "--!>") {
			p.Report(n.Start, n.Start+4, "This comment has no end: write -->.")
		}
	case strings.HasPrefix(source, "<?xml") && n.Start == 0, strings.HasPrefix(source, "<![if"), strings.HasPrefix(source, "<![endif"), strings.HasPrefix(source, "<?php"):
	default:
		p.Report(n.Start, n.End, "Browsers read this as a comment.")
	}
}

// slipInTag looks at the signs between and around attributes, and at the end tag.
func slipInTag(p *validate.Pass, d *dom.Document, n *dom.Node) {
	for i := range n.Attrs {
		a := &n.Attrs[i]
		switch {
		case p.Text[a.Start] == '"' || p.Text[a.Start] == '\'':
			// The syntax rule says so.
		case i > 0 && a.Start == n.Attrs[i-1].End && n.Attrs[i-1].Quote != 0 && a.Start > 0 && d.Masked[a.Start-1] == n.Attrs[i-1].Quote:
			p.Report(a.Start, a.NameEnd, "Missing space before %s.", a.Name)
		case a.HasValue && a.Quote == 0 && !a.Dynamic && strings.ContainsAny(p.Text[a.ValueStart:a.ValueEnd], "\"'<=`") && !strings.HasPrefix(a.Value, "{"):
			p.Attribute(a, "This value holds a character that needs quotation marks.")
		}
	}
	if n.CloseStart >= n.End || n.Space != dom.HTML {
		return
	}
	if inside := strings.TrimRight(d.Masked[n.CloseStart:n.End], ">"); strings.HasPrefix(inside, "</") {
		if rest := strings.TrimSpace(inside[2:]); len(rest) > len(n.Name) && strings.EqualFold(rest[:len(n.Name)], n.Name) && strings.ContainsAny(rest[len(n.Name):len(n.Name)+1], " \t\r\n/") {
			p.Report(n.CloseStart, n.End, "An end tag has no attributes and no slash: write </%s>.", n.Name)
		}
	}
}
