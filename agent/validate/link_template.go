package validate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"caselsp/agent/dom"
)

// linkTemplateRules are about what templates name: other templates, blocks,
// routes, static files, tags.
var linkTemplateRules = []Rule{{
	ID: "unknown-route", Title: "A route that no module names", Severity: Critical, Category: Integrity,
	Doc: "`{% url %}` of a name that is not there is an error when the page is shown. The names of all `urlpatterns` of the project are known; a namespace that " +
		"is none of the project's, and names that an included package may have, are left alone.",
	Bad:   "-- urls.py --\nfrom django.urls import path\nurlpatterns = [path(\"\", home, name=\"home\")]\n-- templates/a.html --\n<a href=\"{% url 'hoem' %}\">Home</a>\n",
	Good:  "-- urls.py --\nfrom django.urls import path\nurlpatterns = [path(\"\", home, name=\"home\")]\n-- templates/a.html --\n<a href=\"{% url 'home' %}\">Home</a>\n",
	Check: tags(checkRoute),
}, {
	ID: "unknown-template", Title: "A template that is not there", Severity: Critical, Category: Integrity,
	Doc: "`{% extends %}` and `{% include %}` of a file that is not there fail when the page is shown. Templates of installed packages are not in the project: a " +
		"name whose folder the project does not have is left alone.",
	Bad:   "-- templates/base.html --\n{% block c %}{% endblock %}\n-- templates/a.html --\n{% extends \"bsae.html\" %}{% block c %}A{% endblock %}\n",
	Good:  "-- templates/base.html --\n{% block c %}{% endblock %}\n-- templates/a.html --\n{% extends \"base.html\" %}{% block c %}A{% endblock %}\n",
	Check: tags(checkTemplateName),
}, {
	ID: "unknown-block", Title: "A block that the extended template does not have", Severity: Warning, Category: Integrity,
	Doc: "What stands in it is never shown. All templates that are extended, one after the other, are looked at; where one of them is not in the project, or its " +
		"name is computed, nothing is said.",
	Bad:   "-- templates/base.html --\n{% block content %}{% endblock %}\n-- templates/a.html --\n{% extends \"base.html\" %}{% block contents %}A{% endblock %}\n",
	Good:  "-- templates/base.html --\n{% block content %}{% endblock %}\n-- templates/a.html --\n{% extends \"base.html\" %}{% block content %}A{% endblock %}\n",
	Check: checkBlocks,
}, {
	ID: "unknown-static", Title: "A static file that is not there", Severity: Warning, Category: Integrity,
	Doc: "`{% static %}` and `url_for('static', …)` name files under a folder `static`. Files of installed packages are not in the project: " +
		"a name whose folder the project does not have is left alone, and so are files that a build makes.",
	Bad:   "-- static/css/site.css --\nbody { margin: 0 }\n-- templates/a.html --\n{% load static %}<link rel=\"stylesheet\" href=\"{% static 'css/stie.css' %}\">\n",
	Good:  "-- static/css/site.css --\nbody { margin: 0 }\n-- templates/a.html --\n{% load static %}<link rel=\"stylesheet\" href=\"{% static 'css/site.css' %}\">\n",
	Check: tags(checkStatic),
}, {
	ID: "unknown-filter", Title: "A filter that no loaded library has", Severity: Critical, Category: Integrity,
	Doc:   "Django refuses the template. Its own filters and those of the project's `templatetags` are known; where a library of a package is loaded, nothing is said.",
	Bad:   "-- shop/templatetags/money.py --\nfrom django import template\nregister = template.Library()\n\n@register.filter\ndef euros(value):\n    return value\n-- templates/a.html --\n{% load money %}<p>{{ price|euro }}</p>\n",
	Good:  "-- shop/templatetags/money.py --\nfrom django import template\nregister = template.Library()\n\n@register.filter\ndef euros(value):\n    return value\n-- templates/a.html --\n{% load money %}<p>{{ price|euros }}</p>\n",
	Check: page(checkFilters),
}}

func checkRoute(p *Pass, o occasion) {
	if o.name != "url" || p.Alone() {
		return
	}
	name, ok := quotedArg(o.args)
	if !ok || name == "" || p.Stated(Route, name) || strings.ContainsAny(name, "./{") {
		return
	}
	space := ""
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		space = name[:i]
	}
	if !p.Stated(Namespace, space) {
		return
	}
	for _, s := range p.Sites(OpenNames, space) {
		if s.Detail == "" || !p.ownModule(s.Detail) {
			return
		}
	}
	p.Report(o.start, o.end, "No route has the name %s.", name)
}

// ownModule reports whether a module of Python is one of the project's.
func (p *Pass) ownModule(module string) bool {
	file := strings.ReplaceAll(module, ".", "/")
	return len(p.Named(file+".py")) > 0 || len(p.Named(file+"/__init__.py")) > 0
}

// templates returns the files of a template's name: in a folder "templates" or
// "jinja2", or, where none is, wherever the path ends in it.
func (p *Pass) templates(name string) []string {
	all := p.Named(name)
	var proper []string
	for _, file := range all {
		rest := strings.TrimSuffix(file, "/"+name)
		if base := path.Base(rest); rest != file && (base == "templates" || base == "jinja2" || base == "views") {
			proper = append(proper, file)
		}
	}
	if len(proper) > 0 {
		return proper
	}
	return all
}

// ownFolder reports whether the project has the folder of a name, seen from any
// of the folders that are called one of the words.
func (p *Pass) ownFolder(name string, words ...string) bool {
	dir := path.Dir(name)
	for file := range p.near(words) {
		if dir == "." || p.hasFolder(path.Join(file, dir)) {
			return true
		}
	}
	return false
}

// near yields the folders of the project that are called one of the words and
// lie beside the file's own folders or above.
func (p *Pass) near(words []string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for dir := path.Dir(p.Path); ; dir = path.Dir(dir) {
			for _, w := range words {
				at := path.Join(dir, w)
				if path.Base(dir) == w {
					at = dir
				}
				if p.hasFolder(at) && !yield(at) {
					return
				}
			}
			if dir == "." || dir == "/" {
				return
			}
		}
	}
}

func checkTemplateName(p *Pass, o occasion) {
	if o.name != "extends" && o.name != "include" || p.Alone() {
		return
	}
	name, ok := quotedArg(o.args)
	if !ok || name == "" || strings.Contains(o.args, "ignore missing") || strings.HasPrefix(name, ".") || len(p.templates(name)) > 0 || !strings.Contains("/"+p.Path, "/templates/") && !strings.Contains("/"+p.Path, "/jinja2/") {
		return
	}
	if path.Ext(name) == "" || !p.ownFolder(name, "templates", "jinja2") {
		return
	}
	p.Report(o.start, o.end, "There is no template %s.", name)
}

// maxExtends bounds how many templates extend each other; a circle is longer.
const maxExtends = 20

// heritage is what a template says of those that it extends.
type heritage struct {
	parent string // the one that it names where it stands in no block; "" for none
	blocks []mention
}

// readHeritage finds the template that the page extends, and the page's blocks
// that stand in no other block.
func (f *File) readHeritage() heritage {
	var h heritage
	d := f.Page()
	if d == nil {
		return h
	}
	for _, t := range d.Templates() {
		if t.Name == "extends" && t.Arm == nil {
			h.parent = ""
			if name, ok := quotedArg(t.Args); ok {
				h.parent = name
			}
		}
	}
	depth := 0
	for _, t := range f.Tree.TemplateTags() {
		switch {
		case t.Name == "block" && t.Partner >= 0:
			if name, _, _ := strings.Cut(t.Args, " "); depth == 0 {
				h.blocks = append(h.blocks, mention{name: name, start: t.Start, end: t.End})
			}
			depth++
		case t.Name == "endblock":
			depth--
		}
	}
	return h
}

func checkBlocks(p *Pass) {
	parent := p.heritage().parent
	if p.Alone() || parent == "" {
		return
	}
	known := map[string]bool{}
	for range maxExtends {
		files := p.templates(parent)
		if len(files) != 1 || files[0] == p.Path {
			return
		}
		facts := p.Sites(Template, files[0])
		if len(facts) != 1 {
			return
		}
		next, more := "", false
		for _, line := range strings.Split(facts[0].Detail, "\n") {
			word, rest, _ := strings.Cut(line, " ")
			switch word {
			case "block":
				known[rest] = true
			case "extends":
				if next, more = quotedArg(rest); !more {
					return
				}
			}
		}
		if !more {
			p.judgeBlocks(known, path.Base(files[0]))
			return
		}
		parent = next
	}
}

// judgeBlocks reports the blocks that stand in no other block and are not known.
func (p *Pass) judgeBlocks(known map[string]bool, base string) {
	if strings.Contains(p.Text, "self.") && p.dialect() == jinja {
		return // blocks are shown by name
	}
	for _, b := range p.heritage().blocks {
		if !known[b.name] {
			p.Report(b.start, b.end, "No template that this one extends, up to %s, has a block %s: what stands here is never shown.", base, b.name)
		}
	}
}

// builtStatic are names of folders that builds fill.
var builtStatic = []string{"dist", "build", "bundles", "CACHE", "gen", "webpack_bundles", "vendor", "node_modules"}

func checkStatic(p *Pass, o occasion) {
	if p.Alone() {
		return
	}
	name, ok := "", false
	switch {
	case o.name == "static":
		name, ok = quotedArg(o.args)
	case o.kind == '{':
		inner := strings.Trim(p.Text[o.start:o.end], "{}- \t")
		if rest, is := strings.CutPrefix(inner, "url_for("); is {
			kind, plain := quotedArg(strings.Split(rest, ",")[0])
			if _, after, found := strings.Cut(rest, "filename="); found && plain && kind == "static" && strings.HasSuffix(inner, ")") {
				name, ok = quotedArg(strings.Split(strings.TrimSuffix(after, ")"), ",")[0])
			}
		}
	}
	if !ok || name == "" || strings.ContainsAny(name, "{}%*") || strings.HasSuffix(name, "/") {
		return
	}
	name = strings.TrimPrefix(name, "/")
	first, _, _ := strings.Cut(name, "/")
	if len(p.Named("static/"+name)) > 0 || len(p.Named(name)) > 0 || slices.Contains(builtStatic, first) || path.Ext(name) == "" {
		return
	}
	if !p.ownFolder(name, "static", "assets") {
		return
	}
	p.Report(o.start, o.end, "There is no static file %s.", name)
}

// djangoFilters are those that need no library.
var djangoFilters = strings.Fields(`add addslashes capfirst center cut date default default_if_none dictsort dictsortreversed divisibleby escape
	escapejs escapeseq filesizeformat first floatformat force_escape get_digit iriencode join json_script last length length_is linebreaks
	linebreaksbr linenumbers ljust lower make_list phone2numeric pluralize pprint random rjust safe safeseq slice slugify stringformat
	striptags time timesince timeuntil title truncatechars truncatechars_html truncatewords truncatewords_html unordered_list upper
	urlencode urlize urlizetrunc wordcount wordwrap yesno`)

func checkFilters(p *Pass, d *dom.Document) {
	if p.Alone() || p.dialect() != django {
		return
	}
	known := map[string]bool{}
	for _, o := range p.occasions() {
		if o.name != "load" {
			continue
		}
		words := strings.Fields(o.args)
		if i := slices.Index(words, "from"); i >= 0 && i+1 < len(words) {
			for _, w := range words[:i] {
				known[w] = true
			}
			continue
		}
		for _, w := range words {
			if slices.Contains(djangoLibraries, w) {
				continue
			}
			sites := p.Sites(Library, w)
			if len(sites) == 0 {
				return // a package's
			}
			for _, s := range sites {
				for _, name := range strings.Fields(s.Detail) {
					known[name] = true
				}
			}
		}
	}
	if len(known) == 0 && !p.Stated(Framework, "") {
		return // builtins of the settings are not known
	}
	for _, o := range p.occasions() {
		if o.kind != '{' {
			continue
		}
		for _, f := range o.filters(p.Text) {
			if !known[f.Text] && !slices.Contains(djangoFilters, f.Text) && libraryFilters[f.Text] == "" {
				if near := closest(f.Text, append(slices.Sorted(maps.Keys(known)), djangoFilters...)); near != "" {
					p.Report(f.Start, f.End, "No loaded library has a filter %s: is %s meant?", f.Text, near)
				}
			}
		}
	}
}
