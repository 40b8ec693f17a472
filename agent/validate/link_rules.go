package validate

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
)

// linkRules are about names that one file uses and another one defines. They
// say something only of a file that is judged with its project.
var linkRules = []Rule{{
	ID: "broken-link", Title: "An address of a file that is not there", Severity: Warning, Category: Integrity,
	Doc: "Relative addresses of links, images, scripts and styles lead to files of the project, from the page's own folder or, with a slash " +
		"before, from the site's: the folder that holds the home page or is called public, static, dist or www. Pages that a server fills " +
		"are left alone, as their addresses are routes; so are folders that are not in the project at all, which a build may make.",
	Bad:   "-- index.html --\n<a href=\"abuot.html\">About us</a>\n-- about.html --\n<p>We</p>\n",
	Good:  "-- index.html --\n<a href=\"about.html\">About us</a>\n-- about.html --\n<p>We</p>\n",
	Check: attributes(checkLink, "href", "src", "poster", "data", "srcset"),
}, {
	ID: "broken-fragment", Title: "A link to a place that its page does not have", Severity: Warning, Category: Integrity,
	Doc: "`#prices` leads to the element with that id, in this page or in the one that the address names. Places that a script makes are left alone, " +
		"`#top` is known to browsers.",
	Bad:   "-- index.html --\n<html><body><a href=\"#price\">Prices</a><h2 id=\"prices\">Prices</h2></body></html>\n",
	Good:  "-- index.html --\n<html><body><a href=\"#prices\">Prices</a><h2 id=\"prices\">Prices</h2></body></html>\n",
	Check: attributes(checkFragment, "href"),
}, {
	ID: "aria-reference", Title: "A reference to an id that is not there", Severity: Warning, Category: Integrity,
	Standards: []string{"WCAG 1.3.1"},
	Doc: "`aria-labelledby`, `aria-describedby`, `aria-controls`, `list` and `form` name elements of the same page by their ids. One that is missing there, and that no file of " +
		"the project has or makes, is a mistake.",
	Bad:  "<html><body><input aria-describedby=\"hnit\" aria-label=\"Name\"><p id=\"hint\">As in the passport</p></body></html>\n",
	Good: "<html><body><input aria-describedby=\"hint\" aria-label=\"Name\"><p id=\"hint\">As in the passport</p></body></html>\n",
	Check: attributes(checkReference, "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-flowto",
		"aria-activedescendant", "aria-details", "aria-errormessage", "list", "form"),
}, {
	ID: "unknown-id", Title: "A script looks for an id that no page has", Severity: Warning, Category: Integrity,
	Doc: "`getElementById` returns null, and what is done with it throws. Every page, template and script of the project is looked at; an id that any " +
		"of them might make is left alone.",
	Bad:   "-- index.html --\n<p id=\"intro\">Hello</p><script src=\"a.js\"></script>\n-- a.js --\ndocument.getElementById(\"into\").hidden = true;\n",
	Good:  "-- index.html --\n<p id=\"intro\">Hello</p><script src=\"a.js\"></script>\n-- a.js --\ndocument.getElementById(\"intro\").hidden = true;\n",
	Check: checkLookups,
}, {
	ID: "unknown-class", Title: "A class that looks like a misspelt one", Severity: Info, Category: Integrity,
	Doc: "No style sheet of the project has a rule for the class, no script names it, and one letter away there is a class that has one. " +
		"Pages with style sheets from elsewhere are left alone.",
	Bad:   "-- a.css --\n.navbar { margin: 0 }\n-- a.html --\n<body><link rel=\"stylesheet\" href=\"a.css\"><div class=\"navbra\">Menu</div></body>\n",
	Good:  "-- a.css --\n.navbar { margin: 0 }\n-- a.html --\n<body><link rel=\"stylesheet\" href=\"a.css\"><div class=\"navbar\">Menu</div></body>\n",
	Check: page(checkClasses),
}, {
	ID: "style-url", Title: "A style sheet names a file that is not there", Severity: Warning, Category: Integrity,
	Doc:   "`url()` and `@import` are read from the style sheet's own folder. Folders that are not in the project at all, which a build may make, are left alone.",
	Bad:   "-- css/a.css --\nbody { background: url(../img/bg.png) }\n-- img/back.png --\n",
	Good:  "-- css/a.css --\nbody { background: url(../img/back.png) }\n-- img/back.png --\n",
	Check: checkStyleURLs,
}, {
	ID: "broken-import", Title: "A script imports a file that is not there", Severity: Warning, Category: Integrity,
	Doc:   "Relative imports lead to files of the project; the endings of scripts, and `index` in a folder, may be left out. Other names are packages.",
	Bad:   "-- a.js --\nimport { sum } from \"./maths\";\nsum();\n-- math.js --\nexport const sum = () => 0;\n",
	Good:  "-- a.js --\nimport { sum } from \"./math\";\nsum();\n-- math.js --\nexport const sum = () => 0;\n",
	Check: checkModules,
}}

// isSite reports whether a page is a file of a static site: no server fills it.
func (p *Pass) isSite() bool {
	return !p.Alone() && len(p.occasions()) == 0 && !strings.Contains("/"+p.Path, "/templates/") && !p.holds(needServer)
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

// unescapeAddress resolves %20 and its like; false where one is broken. It is
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
func (p *Pass) siteRoots() []string {
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
		if p.hasFolder(dir) {
			roots = append(roots, dir)
		}
	}
	return roots
}

func (p *Pass) hasFolder(dir string) bool { return p.Stated(FolderAt, path.Clean(dir)) }

// leads reports whether a path is a file, a folder, or a page without its ending.
func (p *Pass) leads(file string) bool {
	return p.Exists(file) || p.hasFolder(file) || path.Ext(file) == "" && (p.Exists(file+".html") || p.Exists(file+".htm"))
}

// resolve looks for the file of an address: found, and whether it is certain
// that there should be one.
func (p *Pass) resolve(file string, rooted bool) (found string, certain bool) {
	if !rooted {
		if p.leads(file) {
			return file, true
		}
		return "", p.hasFolder(path.Dir(file))
	}
	roots := p.siteRoots()
	for _, root := range roots {
		if at := path.Join(root, file); p.leads(at) {
			return at, true
		}
	}
	first, rest, _ := strings.Cut(file, "/")
	for _, root := range roots {
		if rest != "" && p.hasFolder(path.Join(root, path.Dir(file))) && first != "" {
			return "", true
		}
	}
	return "", len(roots) > 0 && rest == "" && path.Ext(file) == ".html"
}

func checkLink(p *Pass, n *dom.Node, a *dom.Attr) {
	if !p.isSite() || a.Dynamic || n.Space != dom.HTML || len(p.Page().Elements("base")) > 0 || n.Inert() {
		return
	}
	rel := strings.ToLower(value(n, "rel"))
	switch {
	case a.Name == "srcset":
		for _, part := range strings.Split(a.Value, ",") {
			address, _, _ := strings.Cut(strings.TrimSpace(part), " ")
			p.link(a, address)
		}
		return
	case a.Name == "data" && !n.Is("object"), a.Name == "poster" && !n.Is("video"), a.Name == "src" && n.Is("input") && value(n, "type") != "image":
		return
	case n.Is("link") && (strings.Contains(rel, "canonical") || strings.Contains(rel, "dns-prefetch") || strings.Contains(rel, "preconnect") || strings.Contains(rel, "alternate")):
		return
	}
	p.link(a, a.Value)
}

func (p *Pass) link(a *dom.Attr, address string) {
	file, _, rooted, ok := target(p.Path, address)
	if !ok || file == p.Path || file == "." || file == "" {
		return
	}
	if rooted && path.Ext(file) == "" {
		return // a route, as likely as not
	}
	if found, certain := p.resolve(file, rooted); found == "" && certain {
		p.Report(a.ValueStart, a.ValueEnd, "There is no file %s.", file)
	}
}

func checkFragment(p *Pass, n *dom.Node, a *dom.Attr) {
	if !n.Is("a", "area") || a.Dynamic || p.Alone() || len(p.Page().Elements("base")) > 0 {
		return
	}
	file, fragment, rooted, ok := target(p.Path, a.Value)
	if !ok || fragment == "" || strings.EqualFold(fragment, "top") || strings.HasPrefix(fragment, "!") || strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, ":~:") || strings.ContainsAny(fragment, "=&/?") {
		return
	}
	if file != p.Path {
		found, _ := p.resolve(file, rooted)
		if found == "" || !p.isSite() {
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
	if p.Stated(IDAt, file+"#"+fragment) || p.makesID(fragment) {
		return
	}
	other := p.Other(file)
	if other == nil || other.Page() == nil || !other.access().isWhole() || frameworked(other) || n.Attr("role") != nil && file == p.Path || n.Attr("data-toggle") != nil || n.Attr("data-bs-toggle") != nil {
		return
	}
	p.Report(a.ValueStart, a.ValueEnd, "No element of %s has the id %s.", path.Base(file), fragment)
}

// frameworked reports whether a script builds the page's elements.
func frameworked(f *File) bool { return f.built() }

func (f *File) readBuilt() bool {
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
}

// makesID reports whether any file of the project has or makes an element with
// an id, or may: a template writes a part of one.
func (p *Pass) makesID(id string) bool {
	if p.Stated(IDNamed, id) {
		return true
	}
	made := false
	p.ask(Key{IDNamed, ""}, func(l *factList) {
		made = slices.ContainsFunc(l.list, func(s statedBy) bool {
			return slices.ContainsFunc(s.sites, func(x Site) bool { return x.Detail != "" && strings.HasPrefix(id, x.Detail) })
		})
	})
	return made
}

// checkReference needs no project where the page is whole.
func checkReference(p *Pass, n *dom.Node, a *dom.Attr) {
	switch {
	case a.Dynamic || a.Bound || a.Conditional || n.Space != dom.HTML:
		return
	case a.Name == "aria-controls" && (n.May("aria-haspopup") || value(n, "aria-expanded") == "false" || value(n, "aria-selected") == "false"):
		return // it may be made when it opens
	case a.Name == "aria-errormessage" && value(n, "aria-invalid") != "true":
		return // nothing is wrong yet
	case a.Name == "list" && !n.Is("input"), a.Name == "form" && !n.Is("input", "button", "select", "textarea", "fieldset", "output"):
		return
	}
	acc := p.access()
	if !acc.isWhole() || frameworked(p.File) {
		return
	}
	for _, w := range a.Words() {
		if !w.Sure || len(p.Page().ByID(w.Text)) > 0 || acc.filled()[w.Text] || p.makesID(w.Text) || acc.hidden(n) == dom.Yes {
			continue
		}
		if p.Alone() && p.scripted() || p.dynamicID(w.Text) {
			continue
		}
		p.Report(w.Start, w.End, "No element has the id %s.", w.Text)
	}
}

// scripted reports whether the page loads scripts, which may make elements.
func (p *Pass) scripted() bool {
	for _, n := range p.Page().Elements("script") {
		if n.Attr("src") != nil {
			return true
		}
	}
	return false
}

// dynamicID reports whether a template of the page may write an id.
func (p *Pass) dynamicID(id string) bool {
	for _, n := range p.Page().Elements() {
		if a := n.Attr("id"); a != nil && a.Dynamic && strings.HasPrefix(id, beforeGap(a.Value)) {
			return true
		}
	}
	return false
}

func checkClasses(p *Pass, d *dom.Document) {
	if p.Alone() || !p.ownStyles(d) || frameworked(p.File) {
		return
	}
	acc := p.access()
	for _, n := range d.Elements() {
		a := n.Attr("class")
		if a == nil || a.Bound || n.Space != dom.HTML {
			continue
		}
		for _, w := range a.Words() {
			if !w.Sure || len(w.Text) < 5 || p.Stated(ClassRule, w.Text) || acc.filled()[w.Text] || p.makesID(w.Text) {
				continue
			}
			if near := p.nearClass(w.Text); near != "" {
				p.Report(w.Start, w.End, "No style sheet has a rule for the class %s: is %s meant?", w.Text, near)
			}
		}
	}
}

// ownStyles reports whether all style sheets of a page are the project's.
func (p *Pass) ownStyles(d *dom.Document) bool {
	own := false
	for _, l := range d.Elements("link") {
		if !strings.Contains(strings.ToLower(value(l, "rel")), "stylesheet") {
			continue
		}
		href := l.Attr("href")
		if href == nil || external(href.Value) || href.Dynamic {
			return false
		}
		own = true
	}
	return own && p.access().isWhole()
}

// nearClass returns the class with a rule that is one swap or one letter away.
func (p *Pass) nearClass(word string) string {
	try := func(w string) bool { return p.Stated(ClassRule, w) }
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

func checkStyleURLs(p *Pass) {
	if p.Alone() || p.Lang != syntax.CSS || strings.Contains(p.Text, "{%") || strings.Contains(p.Text, "{{") {
		return
	}
	for _, s := range p.Styles() {
		for _, r := range s.All {
			if r.At == "import" {
				p.tokens(dom.Tokens(p.Text[r.Start:r.PreludeEnd], r.Start), true)
			}
			for _, d := range r.Decls {
				p.tokens(dom.Tokens(p.Text[d.ValueStart:d.ValueEnd], d.ValueStart), false)
			}
		}
	}
}

// tokens looks for addresses among tokens; a string is one in @import only.
func (p *Pass) tokens(list []dom.Token, strs bool) {
	for _, t := range list {
		address, at := t.Target()
		if t.Kind == dom.String && strs {
			address, at = stringText(t.Text), 1
		}
		file, _, rooted, ok := target(p.Path, address)
		if !ok || rooted || address == "" || strings.HasPrefix(address, "~") || strings.HasPrefix(address, "#") || strings.HasPrefix(address, "@") || strings.HasPrefix(address, "data:") {
			continue
		}
		if found, certain := p.resolve(file, false); found == "" && certain && !(strs && (p.Exists(file+".css") || p.Exists(file+".scss"))) {
			p.Report(t.Start+at, t.Start+at+len(address), "There is no file %s.", file)
		}
	}
}
