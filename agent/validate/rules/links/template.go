package links

import (
	"maps"
	"path"
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// templateRules are about what templates name: other templates, blocks,
// routes, static files, tags.
var templateRules = []validate.Rule{{
	ID: "unknown-route", Title: "Unknown URL name (NoReverseMatch)", Severity: validate.Critical, Category: validate.Integrity,
	Doc: "`{% url %}` with an unknown name is an error when the page is rendered. The names of all `urlpatterns` of the project are known; namespaces from outside the " +
		"project, and names that an included package may define, are not checked.",
	Bad:   "-- urls.py --\nfrom django.urls import path\nurlpatterns = [path(\"\", home, name=\"home\")]\n-- templates/a.html --\n<a href=\"{% url 'hoem' %}\">Home</a>\n",
	Good:  "-- urls.py --\nfrom django.urls import path\nurlpatterns = [path(\"\", home, name=\"home\")]\n-- templates/a.html --\n<a href=\"{% url 'home' %}\">Home</a>\n",
	Check: validate.EachTemplateTag(checkRoute),
}, {
	ID: "unknown-template", Title: "Missing template (TemplateDoesNotExist)", Severity: validate.Critical, Category: validate.Integrity,
	Doc: "`{% extends %}` and `{% include %}` of a missing file fail when the page is rendered. Templates of installed packages are not in the project: a name whose folder " +
		"the project does not have passes.",
	Bad:   "-- templates/base.html --\n{% block c %}{% endblock %}\n-- templates/a.html --\n{% extends \"bsae.html\" %}{% block c %}A{% endblock %}\n",
	Good:  "-- templates/base.html --\n{% block c %}{% endblock %}\n-- templates/a.html --\n{% extends \"base.html\" %}{% block c %}A{% endblock %}\n",
	Check: validate.EachTemplateTag(checkTemplateName),
}, {
	ID: "unknown-block", Title: "Block not defined in the extended template", Severity: validate.Warning, Category: validate.Integrity,
	Doc:   "Its content is never shown. All templates in the inheritance chain are searched; if one of them is not in the project, or its name is computed, nothing is reported.",
	Bad:   "-- templates/base.html --\n{% block content %}{% endblock %}\n-- templates/a.html --\n{% extends \"base.html\" %}{% block contents %}A{% endblock %}\n",
	Good:  "-- templates/base.html --\n{% block content %}{% endblock %}\n-- templates/a.html --\n{% extends \"base.html\" %}{% block content %}A{% endblock %}\n",
	Check: checkBlocks, Keeps: []validate.Kept{heritageOf},
}, {
	ID: "unknown-static", Title: "Missing static file", Severity: validate.Warning, Category: validate.Integrity,
	Doc: "`{% static %}` and `url_for('static', …)` name files in a folder `static`. Files of installed packages are not in the project: a name whose folder the project " +
		"does not have passes, and so do files that a build creates.",
	Bad:   "-- static/css/site.css --\nbody { margin: 0 }\n-- templates/a.html --\n{% load static %}<link rel=\"stylesheet\" href=\"{% static 'css/stie.css' %}\">\n",
	Good:  "-- static/css/site.css --\nbody { margin: 0 }\n-- templates/a.html --\n{% load static %}<link rel=\"stylesheet\" href=\"{% static 'css/site.css' %}\">\n",
	Check: validate.EachTemplateTag(checkStatic),
}, {
	ID: "unknown-filter", Title: "Unknown template filter", Severity: validate.Critical, Category: validate.Integrity,
	Doc:   "Django rejects the template. Built-in filters and those of the project's `templatetags` are known; if a library of a package is loaded, nothing is reported.",
	Bad:   "-- shop/templatetags/money.py --\nfrom django import template\nregister = template.Library()\n\n@register.filter\ndef euros(value):\n    return value\n-- templates/a.html --\n{% load money %}<p>{{ price|euro }}</p>\n",
	Good:  "-- shop/templatetags/money.py --\nfrom django import template\nregister = template.Library()\n\n@register.filter\ndef euros(value):\n    return value\n-- templates/a.html --\n{% load money %}<p>{{ price|euros }}</p>\n",
	Check: validate.Page(checkFilters),
}}

func checkRoute(p *validate.Pass, o validate.TemplateTag) {
	if o.Name != "url" || p.Alone() {
		return
	}
	name, ok := validate.QuotedArgument(o.Args)
	if !ok || name == "" || p.Stated(validate.Route, name) || strings.ContainsAny(name, "./{") {
		return
	}
	space := ""
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		space = name[:i]
	}
	if !p.Stated(validate.Namespace, space) {
		return
	}
	for _, s := range p.Sites(validate.OpenNames, space) {
		if s.Detail == "" || !ownModule(p, s.Detail) {
			return
		}
	}
	p.Report(o.Start, o.End, "No route has the name %s.", name)
}

// ownModule reports whether a module of Python is one of the project's.
func ownModule(p *validate.Pass, module string) bool {
	file := strings.ReplaceAll(module, ".", "/")
	return len(p.Named(file+".py")) > 0 || len(p.Named(file+"/__init__.py")) > 0
}

// templates returns the files of a template's name: in a folder "templates" or
// "jinja2", or, where none is, wherever the path ends in it.
func templates(p *validate.Pass, name string) []string {
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
func ownFolder(p *validate.Pass, name string, words ...string) bool {
	dir := path.Dir(name)
	for file := range near(p, words) {
		if dir == "." || hasFolder(p, path.Join(file, dir)) {
			return true
		}
	}
	return false
}

// near yields the folders of the project that are called one of the words and
// lie beside the file's own folders or above.
func near(p *validate.Pass, words []string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for dir := path.Dir(p.Path); ; dir = path.Dir(dir) {
			for _, w := range words {
				at := path.Join(dir, w)
				if path.Base(dir) == w {
					at = dir
				}
				if hasFolder(p, at) && !yield(at) {
					return
				}
			}
			if dir == "." || dir == "/" {
				return
			}
		}
	}
}

func checkTemplateName(p *validate.Pass, o validate.TemplateTag) {
	if o.Name != "extends" && o.Name != "include" || p.Alone() {
		return
	}
	name, ok := validate.QuotedArgument(o.Args)
	if !ok || name == "" || strings.Contains(o.Args, "ignore missing") || strings.HasPrefix(name, ".") || len(templates(p, name)) > 0 || !strings.Contains("/"+p.Path, "/templates/") && !strings.Contains("/"+p.Path, "/jinja2/") {
		return
	}
	if path.Ext(name) == "" || !ownFolder(p, name, "templates", "jinja2") {
		return
	}
	p.Report(o.Start, o.End, "The template %s does not exist.", name)
}

// maxExtends bounds how many templates extend each other; a circle is longer.
const maxExtends = 20

// heritage is what a template says of those that it extends.
type heritage struct {
	parent string // the one that it names where it stands in no block; "" for none
	blocks []mention
}

// heritageOf finds the template that a page extends, and the page's blocks that
// stand in no other block.
var heritageOf = validate.NewReading(func(f *validate.File) heritage {
	var h heritage
	d := f.Page()
	if d == nil {
		return h
	}
	for _, t := range d.Templates() {
		if t.Name == "extends" && t.Arm == nil {
			h.parent = ""
			if name, ok := validate.QuotedArgument(t.Args); ok {
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
})

func checkBlocks(p *validate.Pass) {
	parent := heritageOf.Of(p.File).parent
	if p.Alone() || parent == "" {
		return
	}
	known := map[string]bool{}
	for range maxExtends {
		files := templates(p, parent)
		if len(files) != 1 || files[0] == p.Path {
			return
		}
		facts := p.Sites(validate.Template, files[0])
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
				if next, more = validate.QuotedArgument(rest); !more {
					return
				}
			}
		}
		if !more {
			judgeBlocks(p, known, path.Base(files[0]))
			return
		}
		parent = next
	}
}

// judgeBlocks reports the blocks that stand in no other block and are not known.
func judgeBlocks(p *validate.Pass, known map[string]bool, base string) {
	if strings.Contains(p.Text, "self.") && p.Dialect() == validate.Jinja {
		return // blocks are shown by name
	}
	for _, b := range heritageOf.Of(p.File).blocks {
		if !known[b.name] {
			p.Report(b.start, b.end, "No template in the inheritance chain, up to %s, has a block %s: its content is never shown.", base, b.name)
		}
	}
}

// builtStatic are names of folders that builds fill.
var builtStatic = []string{"dist", "build", "bundles", "CACHE", "gen", "webpack_bundles", "vendor", "node_modules"}

func checkStatic(p *validate.Pass, o validate.TemplateTag) {
	if p.Alone() {
		return
	}
	name, ok := "", false
	switch {
	case o.Name == "static":
		name, ok = validate.QuotedArgument(o.Args)
	case o.Kind == '{':
		inner := strings.Trim(p.Text[o.Start:o.End], "{}- \t")
		if rest, is := strings.CutPrefix(inner, "url_for("); is {
			kind, plain := validate.QuotedArgument(strings.Split(rest, ",")[0])
			if _, after, found := strings.Cut(rest, "filename="); found && plain && kind == "static" && strings.HasSuffix(inner, ")") {
				name, ok = validate.QuotedArgument(strings.Split(strings.TrimSuffix(after, ")"), ",")[0])
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
	if !ownFolder(p, name, "static", "assets") {
		return
	}
	p.Report(o.Start, o.End, "The static file %s does not exist.", name)
}

func checkFilters(p *validate.Pass, d *dom.Document) {
	if p.Alone() || p.Dialect() != validate.Django {
		return
	}
	known := map[string]bool{}
	for _, o := range p.TemplateTags() {
		if o.Name != "load" {
			continue
		}
		words := strings.Fields(o.Args)
		if i := slices.Index(words, "from"); i >= 0 && i+1 < len(words) {
			for _, w := range words[:i] {
				known[w] = true
			}
			continue
		}
		for _, w := range words {
			if slices.Contains(validate.DjangoLibraries, w) {
				continue
			}
			sites := p.Sites(validate.Library, w)
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
	if len(known) == 0 && !p.Stated(validate.Framework, "") {
		return // builtins of the settings are not known
	}
	for _, o := range p.TemplateTags() {
		if o.Kind != '{' {
			continue
		}
		for _, f := range o.Filters(p.Text) {
			if !known[f.Text] && !slices.Contains(validate.DjangoFilters, f.Text) && validate.LibraryFilters[f.Text] == "" {
				if near := syntax.Closest(f.Text, append(slices.Sorted(maps.Keys(known)), validate.DjangoFilters...)); near != "" {
					p.Report(f.Start, f.End, "Unknown filter %s: did you mean %s?", f.Text, near)
				}
			}
		}
	}
}
