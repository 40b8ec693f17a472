package links

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// addressRules are about names that one file uses and another one defines. They
// say something only of a file that is judged with its project.
var addressRules = []validate.Rule{{
	ID: "broken-link", Title: "Broken link: the file does not exist", Severity: validate.Warning, Category: validate.Integrity,
	Doc: "Relative URLs of links, images, scripts and style sheets name files of the project, from the page's own folder or, with a leading slash, from the site's root: the " +
		"folder that holds the home page or is called public, static, dist or www. Pages rendered by a server are not checked, since their URLs are routes; neither are " +
		"folders missing from the project, which a build may create.",
	Bad:   "-- index.html --\n<a href=\"abuot.html\">About us</a>\n-- about.html --\n<p>We</p>\n",
	Good:  "-- index.html --\n<a href=\"about.html\">About us</a>\n-- about.html --\n<p>We</p>\n",
	Check: validate.Attributes(checkLink, "href", "src", "poster", "data", "srcset"),
}, {
	ID: "broken-fragment", Title: "Broken fragment link: the page has no such id", Severity: validate.Warning, Category: validate.Integrity,
	Doc:   "`#prices` leads to the element with that id, in this page or in the linked one. Targets created by a script are not reported; browsers know `#top`.",
	Bad:   "-- index.html --\n<html><body><a href=\"#price\">Prices</a><h2 id=\"prices\">Prices</h2></body></html>\n",
	Good:  "-- index.html --\n<html><body><a href=\"#prices\">Prices</a><h2 id=\"prices\">Prices</h2></body></html>\n",
	Check: validate.Attributes(checkFragment, "href"),
}, {
	ID: "aria-reference", Title: "Reference to a missing id", Severity: validate.Warning, Category: validate.Integrity,
	Standards: []string{"WCAG 1.3.1"},
	Aliases:   validate.Aliases{validate.Axe: {"aria-valid-attr-value"}, validate.HTMLValidate: {"no-missing-references"}},
	Doc: "`aria-labelledby`, `aria-describedby`, `aria-controls`, `list` and `form` name elements of the same page by their ids. An id that is missing there, and that no file " +
		"of the project defines or creates, is an error.",
	Bad:  "<html><body><input aria-describedby=\"hnit\" aria-label=\"Name\"><p id=\"hint\">As in the passport</p></body></html>\n",
	Good: "<html><body><input aria-describedby=\"hint\" aria-label=\"Name\"><p id=\"hint\">As in the passport</p></body></html>\n",
	Check: validate.Attributes(checkReference, "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-flowto",
		"aria-activedescendant", "aria-details", "aria-errormessage", "list", "form"),
}, {
	ID: "unknown-id", Title: "Script looks up an id that no page has", Severity: validate.Warning, Category: validate.Integrity,
	Doc:   "`getElementById` returns null, and using it throws. All pages, templates and scripts of the project are searched; an id that any of them may create passes.",
	Bad:   "-- index.html --\n<p id=\"intro\">Hello</p><script src=\"a.js\"></script>\n-- a.js --\ndocument.getElementById(\"into\").hidden = true;\n",
	Good:  "-- index.html --\n<p id=\"intro\">Hello</p><script src=\"a.js\"></script>\n-- a.js --\ndocument.getElementById(\"intro\").hidden = true;\n",
	Check: checkLookups, Keeps: []validate.Kept{mentionsOf},
}, {
	ID: "unknown-class", Title: "Unknown class name (likely misspelt)", Severity: validate.Info, Category: validate.Integrity,
	Doc: "No style sheet of the project has a rule for the class, no script names it, and a class that differs by one letter does have one. Pages with external style sheets " +
		"are not checked.",
	Bad:   "-- a.css --\n.navbar { margin: 0 }\n-- a.html --\n<body><link rel=\"stylesheet\" href=\"a.css\"><div class=\"navbra\">Menu</div></body>\n",
	Good:  "-- a.css --\n.navbar { margin: 0 }\n-- a.html --\n<body><link rel=\"stylesheet\" href=\"a.css\"><div class=\"navbar\">Menu</div></body>\n",
	Check: validate.Page(checkClasses),
}, {
	ID: "style-url", Title: "Style sheet refers to a missing file", Severity: validate.Warning, Category: validate.Integrity,
	Doc:   "`url()` and `@import` are resolved from the folder of the style sheet. Folders missing from the project, which a build may create, are not checked.",
	Bad:   "-- css/a.css --\nbody { background: url(../img/bg.png) }\n-- img/back.png --\n",
	Good:  "-- css/a.css --\nbody { background: url(../img/back.png) }\n-- img/back.png --\n",
	Check: checkStyleURLs,
}, {
	ID: "broken-import", Title: "Import of a missing file", Severity: validate.Warning, Category: validate.Integrity,
	Aliases: validate.Aliases{validate.ESLint: {"import/no-unresolved"}},
	Doc:     "Relative imports name files of the project; the extensions of scripts, and `index` in a folder, may be left out. Other names are packages.",
	Bad:     "-- a.js --\nimport { sum } from \"./maths\";\nsum();\n-- math.js --\nexport const sum = () => 0;\n",
	Good:    "-- a.js --\nimport { sum } from \"./math\";\nsum();\n-- math.js --\nexport const sum = () => 0;\n",
	Check:   checkModules, Keeps: []validate.Kept{mentionsOf},
}}

// isSite reports whether a page is a file of a static site: no server fills it.
func isSite(p *validate.Pass) bool {
	return !p.Alone() && len(p.TemplateTags()) == 0 && !strings.Contains("/"+p.Path, "/templates/") && !p.Holds(validate.NeedleServer)
}

// target takes an address apart: the path in the project that it leads to, and
// its fragment. False where it leads elsewhere, or nobody knows where.
func target(from, address string) (file, fragment string, rooted, ok bool) {
	address = strings.TrimSpace(address)
	if address == "" || strings.HasPrefix(address, "//") || strings.ContainsAny(address, "{}$<>`\\|") {
		return "", "", false, false
	}
	address, fragment, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	if i := strings.IndexByte(address, ':'); i >= 0 && !strings.Contains(address[:i], "/") {
		return "", "", false, false // https:, mailto:, tel:
	}
	name, sure := unescapeAddress(address)
	fragment, plain := unescapeAddress(fragment)
	switch {
	case !sure || !plain:
		return "", "", false, false
	case name == "":
		return from, fragment, false, true
	case strings.HasPrefix(name, "/"):
		return strings.TrimPrefix(path.Clean(name), "/"), fragment, true, true
	}
	joined := path.Join(path.Dir(from), name)
	if strings.HasPrefix(joined, "..") {
		return "", "", false, false
	}
	return joined, fragment, false, true
}

// unescapeAddress resolves percent-encoding such as %20; false if one is malformed. It is
// not net/url's: that package can open connections, and this one cannot.
func unescapeAddress(s string) (string, bool) {
	if !strings.Contains(s, "%") {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		code, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(code))
		i += 2
	}
	return b.String(), true
}

// siteRoots are the folders that addresses with a slash before may begin at.
func siteRoots(p *validate.Pass) []string {
	roots := []string{}
	for dir := path.Dir(p.Path); ; dir = path.Dir(dir) {
		base := path.Base(dir)
		if p.Exists(path.Join(dir, "index.html")) || slices.Contains([]string{"public", "static", "dist", "www", "docs", "htdocs", "site", "_site", "build", "out"}, base) {
			roots = append(roots, dir)
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	for _, dir := range []string{"public", "static", "src", "www", "dist"} {
		if hasFolder(p, dir) {
			roots = append(roots, dir)
		}
	}
	return roots
}

func hasFolder(p *validate.Pass, dir string) bool {
	return p.Stated(validate.FolderAt, path.Clean(dir))
}

// leads reports whether a path is a file, a folder, or a page without its ending.
func leads(p *validate.Pass, file string) bool {
	return p.Exists(file) || hasFolder(p, file) || path.Ext(file) == "" && (p.Exists(file+".html") || p.Exists(file+".htm"))
}

// resolve looks for the file of an address: found, and whether it is certain
// that there should be one.
func resolve(p *validate.Pass, file string, rooted bool) (found string, certain bool) {
	if !rooted {
		if leads(p, file) {
			return file, true
		}
		return "", hasFolder(p, path.Dir(file))
	}
	roots := siteRoots(p)
	for _, root := range roots {
		if at := path.Join(root, file); leads(p, at) {
			return at, true
		}
	}
	first, rest, _ := strings.Cut(file, "/")
	for _, root := range roots {
		if rest != "" && hasFolder(p, path.Join(root, path.Dir(file))) && first != "" {
			return "", true
		}
	}
	return "", len(roots) > 0 && rest == "" && path.Ext(file) == ".html"
}

func checkLink(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	if !isSite(p) || a.Dynamic || n.Space != dom.HTML || len(p.Page().Elements("base")) > 0 || n.Inert() {
		return
	}
	rel := strings.ToLower(dom.AttributeText(n, "rel"))
	switch {
	case a.Name == "srcset":
		for _, part := range strings.Split(a.Value, ",") {
			address, _, _ := strings.Cut(strings.TrimSpace(part), " ")
			link(p, a, address)
		}
		return
	case a.Name == "data" && !n.Is("object"), a.Name == "poster" && !n.Is("video"), a.Name == "src" && n.Is("input") && dom.AttributeText(n, "type") != "image":
		return
	case n.Is("link") && (strings.Contains(rel, "canonical") || strings.Contains(rel, "dns-prefetch") || strings.Contains(rel, "preconnect") || strings.Contains(rel, "alternate")):
		return
	}
	link(p, a, a.Value)
}

func link(p *validate.Pass, a *dom.Attr, address string) {
	file, _, rooted, ok := target(p.Path, address)
	if !ok || file == p.Path || file == "." || file == "" {
		return
	}
	if rooted && path.Ext(file) == "" {
		return // a route, as likely as not
	}
	if found, certain := resolve(p, file, rooted); found == "" && certain {
		p.Report(a.ValueStart, a.ValueEnd, "The file %s does not exist.", file)
	}
}

func checkFragment(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	if !n.Is("a", "area") || a.Dynamic || p.Alone() || len(p.Page().Elements("base")) > 0 {
		return
	}
	file, fragment, rooted, ok := target(p.Path, a.Value)
	if !ok || fragment == "" || strings.EqualFold(fragment, "top") || strings.HasPrefix(fragment, "!") || strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, ":~:") || strings.ContainsAny(fragment, "=&/?") {
		return
	}
	if file != p.Path {
		found, _ := resolve(p, file, rooted)
		if found == "" || !isSite(p) {
			return
		}
		if !p.Exists(found) {
			found = path.Join(found, "index.html")
			if !p.Exists(found) {
				return
			}
		}
		file = found
	}
	if p.Stated(validate.IDAt, file+"#"+fragment) || makesID(p, fragment) {
		return
	}
	other := p.Other(file)
	if other == nil || other.Page() == nil || !other.Access().Whole() || frameworked.Of(other) || n.Attr("role") != nil && file == p.Path || n.Attr("data-toggle") != nil || n.Attr("data-bs-toggle") != nil {
		return
	}
	p.Report(a.ValueStart, a.ValueEnd, "No element of %s has the id %s.", path.Base(file), fragment)
}

// frameworked tells whether a script builds the page's elements.
var frameworked = validate.NewReading(func(f *validate.File) bool {
	for _, n := range f.Page().Elements() {
		if n.Custom() && n.Space == dom.HTML {
			return true
		}
		for i := range n.Attrs {
			if a := &n.Attrs[i]; a.Bound || strings.HasPrefix(a.Name, "v-") || strings.HasPrefix(a.Name, "ng-") || strings.HasPrefix(a.Name, "x-") {
				return true
			}
		}
	}
	return false
})

// makesID reports whether any file of the project has or makes an element with
// an id, or may: a template writes a part of one.
func makesID(p *validate.Pass, id string) bool {
	if p.Stated(validate.IDNamed, id) {
		return true
	}
	return p.AnySite(validate.IDNamed, "", func(s validate.Site) bool { return s.Detail != "" && strings.HasPrefix(id, s.Detail) })
}

// checkReference needs no project where the page is whole.
func checkReference(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	switch {
	case a.Dynamic || a.Bound || a.Conditional || n.Space != dom.HTML:
		return
	case a.Name == "aria-controls" && (n.May("aria-haspopup") || dom.AttributeText(n, "aria-expanded") == "false" || dom.AttributeText(n, "aria-selected") == "false"):
		return // it may be made when it opens
	case a.Name == "aria-errormessage" && dom.AttributeText(n, "aria-invalid") != "true":
		return // nothing is wrong yet
	case a.Name == "list" && !n.Is("input"), a.Name == "form" && !n.Is("input", "button", "select", "textarea", "fieldset", "output"):
		return
	}
	acc := p.Access()
	if !acc.Whole() || frameworked.Of(p.File) {
		return
	}
	for _, w := range a.Words() {
		if !w.Sure || len(p.Page().ByID(w.Text)) > 0 || acc.ScriptWords()[w.Text] || makesID(p, w.Text) || acc.Hidden(n) == dom.Yes {
			continue
		}
		if p.Alone() && p.Scripted() || dynamicID(p, w.Text) {
			continue
		}
		p.Report(w.Start, w.End, "No element has the id %s.", w.Text)
	}
}

// dynamicID reports whether a template of the page may write an id.
func dynamicID(p *validate.Pass, id string) bool {
	for _, n := range p.Page().Elements() {
		if a := n.Attr("id"); a != nil && a.Dynamic && strings.HasPrefix(id, validate.BeforeGap(a.Value)) {
			return true
		}
	}
	return false
}

func checkClasses(p *validate.Pass, d *dom.Document) {
	if p.Alone() || !ownStyles(p, d) || frameworked.Of(p.File) {
		return
	}
	acc := p.Access()
	for _, n := range d.Elements() {
		a := n.Attr("class")
		if a == nil || a.Bound || n.Space != dom.HTML {
			continue
		}
		for _, w := range a.Words() {
			if !w.Sure || len(w.Text) < 5 || p.Stated(validate.ClassRule, w.Text) || acc.ScriptWords()[w.Text] || makesID(p, w.Text) {
				continue
			}
			if near := nearClass(p, w.Text); near != "" {
				p.Report(w.Start, w.End, "No style sheet has a rule for the class %s: did you mean %s?", w.Text, near)
			}
		}
	}
}

// ownStyles reports whether all style sheets of a page are the project's.
func ownStyles(p *validate.Pass, d *dom.Document) bool {
	own := false
	for _, l := range d.Elements("link") {
		if !strings.Contains(strings.ToLower(dom.AttributeText(l, "rel")), "stylesheet") {
			continue
		}
		href := l.Attr("href")
		if href == nil || dom.IsExternal(href.Value) || href.Dynamic {
			return false
		}
		own = true
	}
	return own && p.Access().Whole()
}

// nearClass returns the class with a rule that is one swap or one letter away.
func nearClass(p *validate.Pass, word string) string {
	try := func(w string) bool { return p.Stated(validate.ClassRule, w) }
	for i := range word {
		if i+1 < len(word) {
			if w := word[:i] + word[i+1:i+2] + word[i:i+1] + word[i+2:]; w != word && try(w) {
				return w
			}
		}
		if digit := word[i] >= '0' && word[i] <= '9'; !digit && i > 0 && i < len(word)-1 && word[i-1] != '-' {
			if w := word[:i] + word[i+1:]; try(w) {
				return w
			}
		}
	}
	return ""
}

func checkStyleURLs(p *validate.Pass) {
	if p.Alone() || p.Lang != syntax.CSS || strings.Contains(p.Text, "{%") || strings.Contains(p.Text, "{{") {
		return
	}
	for _, s := range p.Styles() {
		for _, r := range s.All {
			if r.At == "import" {
				tokens(p, dom.Tokens(p.Text[r.Start:r.PreludeEnd], r.Start), true)
			}
			for _, d := range r.Decls {
				tokens(p, dom.Tokens(p.Text[d.ValueStart:d.ValueEnd], d.ValueStart), false)
			}
		}
	}
}

// tokens looks for addresses among tokens; a string is one in @import only.
func tokens(p *validate.Pass, list []dom.Token, strs bool) {
	for _, t := range list {
		address, at := t.Target()
		if t.Kind == dom.String && strs {
			address, at = validate.StringText(t.Text), 1
		}
		file, _, rooted, ok := target(p.Path, address)
		if !ok || rooted || address == "" || strings.HasPrefix(address, "~") || strings.HasPrefix(address, "#") || strings.HasPrefix(address, "@") || strings.HasPrefix(address, "data:") {
			continue
		}
		if found, certain := resolve(p, file, false); found == "" && certain && !(strs && (p.Exists(file+".css") || p.Exists(file+".scss"))) {
			p.Report(t.Start+at, t.Start+at+len(address), "The file %s does not exist.", file)
		}
	}
}
