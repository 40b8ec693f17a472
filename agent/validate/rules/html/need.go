package html

import (
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// needRules are about attributes that belong together, or to other elements.
var needRules = []validate.Rule{{
	ID: "attribute-missing", Title: "Required attribute is missing", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"element-required-attributes"}},
	Doc: "A `<source>` without a URL offers nothing, a `<track>` without one shows nothing, `rel=\"preload\"` without `as` is loaded twice. Attributes that a template or a " +
		"script may add are not reported.",
	Bad:   "<video controls><source type=\"video/mp4\"></video>\n",
	Good:  "<video controls><source src=\"/talk.mp4\" type=\"video/mp4\"></video>\n",
	Check: validate.Elements(checkNeeds, needNames()...),
}, {
	ID: "attribute-alone", Title: "Attribute without effect: it needs another attribute", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"attribute-misuse"}},
	Doc: "`target` or `download` on a link without `href`, `sizes` without `srcset`, `defer` on a script without `src`: browsers ignore them. Add the other attribute, or " +
		"remove this one.",
	Bad:  "<script defer>start()</script>\n",
	Good: "<script src=\"/start.js\" defer></script>\n",
	Check: func(p *validate.Pass) {
		validate.Elements(checkAlone, aloneNames()...)(p)
		validate.Elements(checkPairs)(p)
	},
}, {
	ID: "attribute-unused", Title: "Attribute not allowed for this input type", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"input-attributes"}},
	Doc:     "`maxlength` has no effect on numbers, `placeholder` none on a checkbox, `readonly` none on a file field: each input type has its own attributes (HTML, 4.10.5).",
	Bad:     "<label>Age <input type=\"number\" maxlength=\"3\"></label>\n",
	Good:    "<label>Age <input type=\"number\" max=\"150\"></label>\n",
	Check:   validate.Elements(checkField, "input"),
}, {
	ID: "attribute-elsewhere", Title: "Attribute not allowed on this element", Severity: validate.Info, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"attribute-misuse"}},
	Doc: "HTML knows the attribute, but not on this element, where it has no effect. Use `data-…` for values that scripts need. Pages with a script framework are not " +
		"reported.",
	Bad:   "<div href=\"/prices\">Prices</div>\n",
	Good:  "<a href=\"/prices\">Prices</a>\n",
	Check: validate.Attributes(checkElsewhere),
}, {
	ID: "wrong-target", Title: "Reference to an element of the wrong kind", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"no-missing-references"}},
	Doc:     "`for` names a field, `form` a form, `list` a datalist, `usemap` a map: if the element with that id is of another kind, nothing happens.",
	Bad:     "<label for=\"mail\">Mail</label> <p id=\"mail\">ann@example.org</p>\n",
	Good:    "<label for=\"mail\">Mail</label> <input id=\"mail\" name=\"mail\">\n",
	Check:   validate.Attributes(checkTarget, "for", "form", "list", "usemap", "commandfor", "popovertarget"),
}, {
	ID: "repeated-element", Title: "Element or attribute that may occur only once", Severity: validate.Warning, Category: validate.Markup,
	Aliases: validate.Aliases{validate.HTMLValidate: {"element-permitted-occurrences"}},
	Doc:     "Of two encodings, two selected options of a single-choice list, two fields with `autofocus` or two default tracks, browsers use one and ignore the other.",
	Bad:     "<select name=\"size\"><option selected>S</option><option selected>M</option></select>\n",
	Good:    "<select name=\"size\"><option selected>S</option><option>M</option></select>\n",
	Check:   validate.Page(checkRepeated),
}}

// need says that an element with some attributes needs one of others. A word is
// the name of an attribute; name=value asks for a value among several, !name for
// an attribute that is not there.
type need struct {
	element  string
	when     []string
	oneOf    []string
	ancestor string // the element around it that the need is about; "" for any
}

// wants are the attributes that the standard requires.
var wants = readNeeds(`
source> srcset @picture
source> src @audio
source> src @video
track> src
bdo> dir
map> name
base> href target
object> data
meta> name http-equiv charset property itemprop
meta name=> content
meta http-equiv=> content
meta itemprop> content
link rel=> href imagesrcset
link rel=preload> as
meter> value
area href> alt aria-label aria-labelledby title
`)

// companions are the attributes that do nothing without another one.
var companions = readNeeds(`
a download> href
a ping> href
a target> href
a hreflang> href
area download> href
area ping> href
area target> href
area rel> href
img sizes> srcset
link imagesrcset> as=image
source sizes> srcset
link imagesizes> imagesrcset
link as> rel=preload,modulepreload
link integrity> rel=stylesheet,preload,modulepreload
link sizes> rel=icon,apple-touch-icon,apple-touch-icon-precomposed,shortcut
link disabled> rel=stylesheet
link blocking> rel=stylesheet,preload,modulepreload
link color> rel=mask-icon
script defer> src
script async !type> src
script integrity> src
script charset> src
`)

func readNeeds(text string) []need {
	var list []need
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		left, right, _ := strings.Cut(line, ">")
		words, others := strings.Fields(left), strings.Fields(right)
		n := need{element: words[0], when: words[1:]}
		for _, w := range others {
			if name, ok := strings.CutPrefix(w, "@"); ok {
				n.ancestor = name
			} else {
				n.oneOf = append(n.oneOf, w)
			}
		}
		list = append(list, n)
	}
	return list
}

func needNames() []string  { return namesOf(wants) }
func aloneNames() []string { return namesOf(companions) }

func namesOf(list []need) []string {
	var names []string
	for _, n := range list {
		if !slices.Contains(names, n.element) {
			names = append(names, n.element)
		}
	}
	return names
}

// holds reports whether an element has what a word asks for; sure is false
// where a template or a script decides.
func (w need) holds(n *dom.Node, word string) (has, sure bool) {
	if name, ok := strings.CutPrefix(word, "!"); ok {
		return n.Attr(name) == nil, !n.Opaque
	}
	name, values, valued := strings.Cut(word, "=")
	a := n.Attr(name)
	switch {
	case a == nil:
		return false, !n.Opaque
	case !valued:
		return true, true
	case a.Dynamic:
		return true, false
	case values == "":
		return strings.TrimSpace(a.Value) != "", true
	}
	for _, v := range strings.Split(values, ",") {
		if a.HasWord(v) {
			return true, true
		}
	}
	return false, true
}

// breaks reports whether an element is without what it needs, for sure.
func (w need) breaks(n *dom.Node) bool {
	if !n.Is(w.element) || w.ancestor != "" && !n.Parent.Is(w.ancestor) {
		return false
	}
	for _, word := range w.when {
		if has, sure := w.holds(n, word); !has || !sure {
			return false
		}
	}
	for _, word := range w.oneOf {
		if has, sure := w.holds(n, word); has || !sure {
			return false
		}
	}
	return true
}

func checkNeeds(p *validate.Pass, n *dom.Node) {
	if n.Space != dom.HTML || n.Inert() || p.Access().Scripted(n) || n.Is("area") && n.May("href") || dom.MayLoadLater(n) {
		return // area-alt is about areas
	}
	for _, w := range wants {
		if w.breaks(n) {
			p.Element(n, "This <%s> needs %s.", n.Name, strings.Join(w.oneOf, " or "))
			return
		}
	}
}

func checkAlone(p *validate.Pass, n *dom.Node) {
	if n.Space != dom.HTML || n.Inert() || p.Access().Scripted(n) || dom.MayLoadLater(n) {
		return
	}
	for _, w := range companions {
		a := (*dom.Attr)(nil)
		if len(w.when) > 0 {
			a = n.Attr(w.when[0])
		}
		if a != nil && !a.Conditional && w.breaks(n) && !(n.Is("script") && strings.EqualFold(dom.AttributeText(n, "type"), "module") && a.Name != "charset") {
			p.Attribute(a, "%s has no effect here without %s: add it, or remove this one.", a.Name, strings.ReplaceAll(strings.Join(w.oneOf, " or "), ",", " or "))
			return
		}
	}
}

// fieldAttributes say for which kinds of input an attribute is.
var fieldAttributes = func() map[string][]string {
	const text, date, number = "text search tel url email password", "date month week time datetime-local", "number range"
	m := map[string][]string{}
	for name, kinds := range map[string]string{
		"accept": "file", "alt": "image", "capture": "file", "checked": "checkbox radio", "dirname": "text search tel url email hidden password submit",
		"formaction": "submit image", "formenctype": "submit image", "formmethod": "submit image", "formnovalidate": "submit image", "formtarget": "submit image",
		"height": "image", "width": "image", "src": "image", "list": "text search tel url email color " + date + " " + number,
		"max": date + " " + number, "min": date + " " + number, "step": date + " " + number, "maxlength": text, "minlength": text,
		"multiple": "email file", "pattern": text, "placeholder": text + " number", "readonly": text + " number " + date,
		"required": text + " number checkbox radio file " + date, "size": text, "popovertarget": "button submit image reset",
	} {
		m[name] = strings.Fields(kinds)
	}
	return m
}()

func checkField(p *validate.Pass, n *dom.Node) {
	kind := n.Attr("type")
	name := "text"
	if kind != nil {
		name = strings.ToLower(strings.TrimSpace(kind.Value))
	}
	if n.Space != dom.HTML || kind == nil && n.Opaque || kind != nil && (kind.Dynamic || kind.Conditional || !slices.Contains(dom.EnumAttributes["input"]["type"], name)) {
		return
	}
	for i := range n.Attrs {
		a := &n.Attrs[i]
		if kinds := fieldAttributes[a.Name]; kinds != nil && !a.Bound && !slices.Contains(kinds, name) && !(name == "file" && a.Name == "value") {
			p.Attribute(a, "%s has no effect on a field of type %s.", a.Name, name)
			return
		}
	}
}

func checkElsewhere(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	if n.Space != dom.HTML || a.Bound || n.Opaque || n.Attr("is") != nil || !slices.Contains(dom.HTMLElements, n.Name) || dom.OwnsAttribute(n.Name, a.Name) || !knownAttributes[a.Name] {
		return
	}
	if n.May("property") || n.May("typeof") || n.May("about") || n.May("resource") || n.May("vocab") || !p.PlainHTML() {
		return // RDFa has href and src on any element
	}
	p.Report(a.Start, a.NameEnd, "%s has no effect on <%s>: keep values of your own in data-%s.", a.Name, n.Name, a.Name)
}

// knownAttributes are all attributes of HTML that belong to some elements only.
var knownAttributes = func() map[string]bool {
	m := map[string]bool{}
	for _, list := range dom.OwnAttributes {
		for _, name := range list {
			m[name] = true
		}
	}
	for _, name := range dom.GlobalAttributes {
		delete(m, name)
	}
	for _, name := range strings.Fields("property media onload attributionsrc color") {
		delete(m, name) // other standards have them elsewhere, too
	}
	return m
}()

// targets says which elements an attribute may name.
var targets = map[string][]string{
	"for": {"button", "input", "meter", "output", "progress", "select", "textarea"}, "form": {"form"}, "list": {"datalist"},
}

func checkTarget(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	id := strings.TrimSpace(a.Value)
	if n.Space != dom.HTML || a.Dynamic || a.Bound || id == "" || n.Inert() {
		return
	}
	kinds := targets[a.Name]
	switch {
	case a.Name == "for" && !n.Is("label"), a.Name == "list" && !n.Is("input"), a.Name == "form" && !n.Is("button", "fieldset", "input", "object", "output", "select", "textarea"):
		return
	case a.Name == "usemap":
		checkMap(p, n, a, strings.TrimPrefix(id, "#"))
		return
	}
	found := p.Page().ByID(id)
	if (a.Name == "commandfor" || a.Name == "popovertarget") && len(found) == 0 && p.Access().Whole() && !p.Scripted() && !p.Access().ScriptWords()[id] {
		p.Attribute(a, "No element has the id %s.", id)
	}
	if kinds == nil || len(found) == 0 {
		return
	}
	for _, o := range found {
		if o.Is(kinds...) && !(o.Is("input") && a.Name == "for" && strings.EqualFold(dom.AttributeText(o, "type"), "hidden")) || o.Custom() || o.Opaque || o.Space != dom.HTML {
			return
		}
	}
	p.Attribute(a, "%s names a <%s> (line %d), to which it cannot refer.", a.Name, found[0].Name, p.Tree.Position(found[0].Start).Line+1)
}

func checkMap(p *validate.Pass, n *dom.Node, a *dom.Attr, name string) {
	for _, m := range p.Page().Elements("map") {
		if at := m.Attr("name"); at != nil && (at.Dynamic || strings.EqualFold(at.Value, name)) || m.Opaque {
			return
		}
	}
	if n.Is("img", "object") && name != "" && p.Access().Whole() && !p.Access().ScriptWords()[name] {
		p.Attribute(a, "No <map> has the name %s.", name)
	}
}

// checkRepeated looks for what counts only once in its list or its page.
func checkRepeated(p *validate.Pass, d *dom.Document) {
	once := func(list []*dom.Node, message string) {
		var first *dom.Node
		for _, n := range list {
			if n.Inert() || n.Space != dom.HTML {
				continue
			}
			if first != nil && first.Arm == n.Arm && n.Arm == nil {
				p.Element(n, message, p.Tree.Position(first.Start).Line+1)
			} else if first == nil {
				first = n
			}
		}
	}
	var charsets []*dom.Node
	for _, n := range d.Elements("meta") {
		if n.Attr("charset") != nil || strings.EqualFold(dom.AttributeText(n, "http-equiv"), "content-type") {
			charsets = append(charsets, n)
		}
	}
	var descriptions []*dom.Node
	for _, n := range d.Elements("meta") {
		if strings.EqualFold(dom.AttributeText(n, "name"), "description") && !n.May("lang") {
			descriptions = append(descriptions, n)
		}
	}
	once(descriptions, "The page already has a description (line %d).")
	once(charsets, "The page already declares its encoding (line %d).")
	for _, n := range d.Elements("select") {
		if n.May("multiple") || n.HasUnknown() {
			continue
		}
		var chosen []*dom.Node
		for c := range n.Walk() {
			if a := c.Attr("selected"); c.Is("option") && a != nil && !a.Conditional && !a.Bound {
				chosen = append(chosen, c)
			}
		}
		once(chosen, "An option of this list is already selected (line %d).")
	}
	for _, n := range d.Elements("audio", "video") {
		var defaults []*dom.Node
		for c := range n.Elements() {
			if a := c.Attr("default"); c.Is("track") && a != nil && !a.Conditional {
				defaults = append(defaults, c)
			}
		}
		once(defaults, "A track is already the default (line %d).")
	}
	var focused []*dom.Node
	for _, n := range d.Elements() {
		if a := n.Attr("autofocus"); a != nil && !a.Conditional && !a.Bound && n.Within("dialog") == nil && n.Attr("popover") == nil && !withinPopover(n) {
			focused = append(focused, n)
		}
	}
	once(focused, "An element already has autofocus (line %d).")
}

func withinPopover(n *dom.Node) bool {
	for o := range n.Ancestors() {
		if o.Attr("popover") != nil {
			return true
		}
	}
	return false
}
