package a11y

import (
	"golang.org/x/text/language"
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// pageRules are about the page as a whole: its language, its title, what it
// does by itself.
var pageRules = []validate.Rule{{
	ID: "html-lang", Title: "Page without a language (missing lang attribute)", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 3.1.1", "ACT b5c3f8"},
	Aliases:   validate.Aliases{validate.Axe: {"html-has-lang"}, validate.ESLint: {"jsx-a11y/html-has-lang"}, validate.HTMLValidate: {"element-required-attributes"}},
	Doc: "Screen readers choose the voice by the `lang` of `<html>`; translation and hyphenation use it as well. `xml:lang` does not count. Fragments and templates that " +
		"extend others have no `<html>` and need none.",
	Bad:   "<!DOCTYPE html>\n<html><head><title>Hello</title></head><body>Hello</body></html>\n",
	Good:  "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Hello</title></head><body>Hello</body></html>\n",
	Check: validate.Page(checkPageLang),
}, {
	ID: "lang-valid", Title: "Invalid language tag", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 3.1.1", "WCAG 3.1.2", "ACT bf051a", "ACT de46e4"},
	Aliases:   validate.Aliases{validate.Axe: {"html-lang-valid", "valid-lang"}, validate.ESLint: {"jsx-a11y/lang"}},
	Doc: "`lang` holds a language tag such as `en`, `pt-BR` or `zh-Hant` whose first part is a registered language code, of two letters where one exists. Names of languages " +
		"and of countries are not language tags.",
	Bad:   "<html lang=\"english\"><head><title>Hello</title></head><body>Hello</body></html>\n",
	Good:  "<html lang=\"en-GB\"><head><title>Hello</title></head><body>Hello</body></html>\n",
	Check: validate.Elements(checkLang),
}, {
	ID: "page-title", Title: "Page without a title", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 2.4.2", "ACT 2779a5"},
	Aliases:   validate.Aliases{validate.Axe: {"document-title"}, validate.HTMLValidate: {"element-required-content"}, validate.HTMLHint: {"title-require"}},
	Doc: "The title is announced first, and it names the tab, the bookmark and the search result. Only whole pages need one: fragments, templates that extend others and pages " +
		"whose head comes from a template do not.",
	Bad:   "<!DOCTYPE html>\n<html lang=\"en\"><head></head><body>Hello</body></html>\n",
	Good:  "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Hello</title></head><body>Hello</body></html>\n",
	Check: validate.Page(checkTitle),
}, {
	ID: "meta-refresh", Title: "Automatic redirect or reload with a delay (meta refresh)", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 2.2.1", "ACT bc659a", "ACT bisz58"},
	Aliases:   validate.Aliases{validate.Axe: {"meta-refresh"}, validate.HTMLValidate: {"meta-refresh"}},
	Doc: "People who read slowly lose the page in the middle of a sentence. Redirect on the server or at once (`0;url=…`), and let the user reload. Delays of more than 20 " +
		"hours are reported by `meta-refresh-long`.",
	Bad:  "<meta http-equiv=\"refresh\" content=\"30\">\n",
	Good: "<meta http-equiv=\"refresh\" content=\"0; url=/new\">\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if delay, a := refresh(n); a != nil && delay > 0 && delay <= longRefresh && first(p, n) {
			p.Attribute(a, "The page redirects or reloads after %d seconds: redirect on the server, or let the user do it.", delay)
		}
	}, "meta"),
}, {
	ID: "meta-refresh-long", Title: "Automatic reload after more than 20 hours (meta refresh)", Severity: validate.Info, Category: validate.Accessibility,
	Standards: []string{"WCAG 2.2.4", "ACT bisz58"},
	Aliases:   validate.Aliases{validate.Axe: {"meta-refresh-no-exceptions"}},
	Doc:       "A delay of more than 20 hours affects few people, but it still replaces a page that somebody left open. Let the user reload.",
	Bad:       "<meta http-equiv=\"refresh\" content=\"86400\">\n",
	Good:      "<meta http-equiv=\"refresh\" content=\"0; url=/new\">\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if delay, a := refresh(n); a != nil && delay > longRefresh && first(p, n) {
			p.Attribute(a, "The page redirects or reloads after %d seconds: let the user reload.", delay)
		}
	}, "meta"),
}, {
	ID: "viewport-zoom", Title: "Viewport that disables zooming", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.4.4", "ACT b4f0c3"},
	Aliases:   validate.Aliases{validate.Axe: {"meta-viewport"}},
	Doc:       "People who need larger text must be able to zoom: do not set `user-scalable=no`, nor a `maximum-scale` below 2.",
	Bad:       "<meta name=\"viewport\" content=\"width=device-width, user-scalable=no\">\n",
	Good:      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
	Check:     validate.Elements(checkViewport, "meta"),
}, {
	ID: "media-autoplay", Title: "Sound that plays automatically", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.4.2"},
	Aliases:   validate.Aliases{validate.Axe: {"no-autoplay-audio"}, validate.HTMLValidate: {"no-autoplay"}},
	Doc:       "Sound over a screen reader's voice makes the page unusable until the user finds out how to stop it. Start muted, show `controls`, or wait for the user.",
	Bad:       "<audio src=\"/theme.mp3\" autoplay></audio>\n",
	Good:      "<video src=\"/loop.mp4\" autoplay muted loop></video>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if a := n.Attr("autoplay"); n.Is("audio", "video") && a != nil && !a.Conditional && !a.Bound && !n.May("muted") && !n.May("controls") && p.Access().Hidden(n) == dom.No {
			p.Element(n, "This plays sound automatically and cannot be stopped: add muted or controls, or remove autoplay.")
		}
	}, "audio", "video"),
}, {
	ID: "video-captions", Title: "Video without captions", Severity: validate.Info, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.2.2"},
	Aliases:   validate.Aliases{validate.Axe: {"video-caption"}, validate.ESLint: {"jsx-a11y/media-has-caption"}},
	Doc:       "Deaf users need captions: a `<track kind=\"captions\">`. A muted video needs none.",
	Bad:       "<video src=\"/talk.mp4\" controls></video>\n",
	Good:      "<video src=\"/talk.mp4\" controls><track kind=\"captions\" src=\"/talk.vtt\" srclang=\"en\"></video>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if !n.Is("video") || n.May("muted") || n.HasUnknown() || n.Attr("src") == nil && n.FirstChild == nil || p.Access().Scripted(n) {
			return
		}
		for c := range n.Elements() {
			if c.Is("track") {
				return
			}
		}
		p.Element(n, "This video has no captions: add <track kind=\"captions\">, or muted if it has no sound.")
	}, "video"),
}, {
	ID: "blink-marquee", Title: "Blinking or moving text (blink, marquee)", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 2.2.2"},
	Aliases:   validate.Aliases{validate.Axe: {"blink", "marquee"}, validate.ESLint: {"jsx-a11y/no-distracting-elements"}},
	Doc:       "Moving text is hard to read for many, and users cannot stop it. Both elements are obsolete; show the text.",
	Bad:       "<marquee>News!</marquee>\n",
	Good:      "<p>News!</p>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		p.Element(n, "<%s> moves text that users cannot stop: show the text as it is.", n.Name)
	}, "blink", "marquee"),
}}

func checkPageLang(p *validate.Pass, d *dom.Document) {
	if !dom.IsPage(d) {
		return
	}
	n := d.Elements("html")[0]
	a := n.Attr("lang")
	switch {
	case a == nil && n.Opaque, n.Space != dom.HTML:
	case a == nil:
		p.Element(n, "The page does not declare its language: add lang to <html>.")
	case !a.Dynamic && strings.TrimSpace(a.Value) == "":
		p.Attribute(a, "The page's language is empty: name it, as in lang=\"en\".")
	}
}

// checkLang is about lang on the page and on the parts whose text is in it.
func checkLang(p *validate.Pass, n *dom.Node) {
	a := n.Attr("lang")
	if a == nil || a.Dynamic || a.Value == "" || knownLanguage(a.Value) {
		return
	}
	if n.Is("html") {
		if strings.TrimSpace(a.Value) == "" {
			return // html-lang says so
		}
	} else if !speaks(p.Access(), n) {
		return
	}
	p.Attribute(a, "Invalid language tag %q: write one such as en, de-CH or zh-Hant.", a.Value)
}

// knownLanguage reports whether the first part of a tag is registered as that
// of a language, in its shortest form.
func knownLanguage(tag string) bool {
	first, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if strings.TrimSpace(first) != first || first == "" {
		return false
	}
	if first == "und" || first == "mul" || first == "zxx" || first == "mis" || len(first) == 3 && first[0] == 'q' && first[1] <= 't' {
		return true
	}
	base, err := language.ParseBase(first)
	return err == nil && (len(first) == 2 || base.String() == first)
}

// speaks reports whether an element holds text, seen or read out, whose
// language its lang is: not that of a part with a lang of its own.
func speaks(a *dom.Access, n *dom.Node) bool {
	for c := range n.Children() {
		switch {
		case c.Unknown():
			return true
		case c.Kind == dom.Text && strings.TrimSpace(c.Text) != "" && a.Hidden(n) != dom.Yes:
			return true
		case c.Kind == dom.Element && c.Attr("lang") == nil:
			if role, _ := a.Role(c); role == "img" && a.Exposed(c) && !a.Nameless(c) || speaks(a, c) {
				return true
			}
		}
	}
	return false
}

func checkTitle(p *validate.Pass, d *dom.Document) {
	if !dom.IsPage(d) {
		return
	}
	html := d.Elements("html")[0]
	head := html
	for c := range html.Elements() {
		if c.Is("head") {
			head = c
		}
	}
	var title *dom.Node
	for _, n := range d.Elements("title") {
		if n.Space == dom.HTML && !n.Inert() && n.Within("svg") == nil && title == nil {
			title = n
		}
	}
	switch {
	case title == nil:
		for c := range head.Children() {
			if c.Unknown() || head == html && c.HasUnknown() {
				return // a template may write it
			}
		}
		if html.Is("html") && html.Space == dom.HTML && !onlyFrame(d) {
			p.Element(html, "The page has no title: add <title> to its head.")
		}
	case !title.HasUnknown() && strings.TrimSpace(title.InnerText()) == "":
		p.Element(title, "The page's title is empty: describe the page.")
	}
}

// onlyFrame reports whether the page is the skeleton of one that a script builds.
func onlyFrame(d *dom.Document) bool {
	return len(d.Elements("head")) == 0 && len(d.Elements("body")) == 0 && len(d.Elements()) < 2
}

// longRefresh is the delay, in seconds, above which WCAG 2.2.1 excepts a time
// limit: 20 hours.
const longRefresh = 72000

// refresh returns after how many seconds a meta element has the page go away;
// nil where it does not.
func refresh(n *dom.Node) (int, *dom.Attr) {
	a := n.Attr("content")
	if !n.Is("meta") || !strings.EqualFold(dom.AttributeText(n, "http-equiv"), "refresh") || a == nil || a.Dynamic {
		return 0, nil
	}
	text := strings.TrimLeft(a.Value, " \t\r\n\f")
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == 0 && !strings.HasPrefix(text, ".") {
		return 0, nil
	}
	rest := strings.TrimLeft(text[digits:], "0123456789.")
	if rest != "" && strings.IndexByte(";, \t\r\n\f", rest[0]) < 0 {
		return 0, nil // browsers do nothing
	}
	delay, err := strconv.Atoi("0" + text[:digits])
	if err != nil {
		return 0, nil
	}
	return delay, a
}

// first reports whether n is the first meta element that has the page go away:
// browsers obey one.
func first(p *validate.Pass, n *dom.Node) bool {
	for _, m := range p.Page().Elements("meta") {
		if _, a := refresh(m); a != nil {
			return m == n || m.Arm != nil
		}
	}
	return true
}

// checkViewport reads the viewport's directives as browsers do.
func checkViewport(p *validate.Pass, n *dom.Node) {
	a := n.Attr("content")
	if !strings.EqualFold(dom.AttributeText(n, "name"), "viewport") || a == nil || a.Dynamic {
		return
	}
	for _, part := range strings.FieldsFunc(a.Value, func(r rune) bool { return r == ',' || r == ';' }) {
		name, v, _ := strings.Cut(part, "=")
		name, v = strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(v))
		switch scale := viewportNumber(v); {
		case name == "user-scalable" && v != "yes" && scale > -1 && scale < 1:
			p.Attribute(a, "This disables zooming: remove user-scalable=%s.", v)
			return
		case name == "maximum-scale" && scale >= 0 && scale < 2:
			p.Attribute(a, "This limits zooming to less than 200 percent: remove maximum-scale=%s.", v)
			return
		}
	}
}

// viewportNumber reads a number as browsers do: words that they do not know are 0.
func viewportNumber(v string) float64 {
	switch v {
	case "yes":
		return 1
	case "device-width", "device-height":
		return 10
	}
	end := len(v) - len(strings.TrimLeft(v, "+-.0123456789"))
	f, err := strconv.ParseFloat(v[:end], 64)
	if err != nil {
		return 0
	}
	return f
}
