package templates

import (
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// tagRules are about template tags that do not work as they are written.
var tagRules = []validate.Rule{{
	ID: "block-twice", Title: "A block that stands twice in one template", Severity: validate.Critical, Category: validate.Templates,
	Doc:  "Django and Jinja refuse a template in which two blocks have one name.",
	Bad:  "{% block title %}A{% endblock %}\n{% block title %}B{% endblock %}\n",
	Good: "{% block title %}A{% endblock %}\n{% block heading %}B{% endblock %}\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		seen := map[string]int{}
		for _, o := range p.TemplateTags() {
			name, _, _ := strings.Cut(o.Args, " ")
			if o.Name != "block" || name == "" {
				continue
			}
			if first, ok := seen[name]; ok {
				p.Report(o.Start, o.End, "The block %s stands in this template already (line %d).", name, first)
			} else {
				seen[name] = p.Tree.Position(o.Start).Line + 1
			}
		}
	}),
}, {
	ID: "endblock-name", Title: "An endblock that names another block", Severity: validate.Critical, Category: validate.Templates,
	Doc:  "The name behind `endblock` must be that of the block that it ends, or be left out.",
	Bad:  "{% block title %}A{% endblock content %}\n",
	Good: "{% block title %}A{% endblock title %}\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		tags := p.Tree.TemplateTags()
		for _, t := range tags {
			if t.Name != "endblock" || t.Partner < 0 || t.Args == "" {
				continue
			}
			name, _, _ := strings.Cut(tags[t.Partner].Args, " ")
			if strings.TrimSpace(t.Args) != name {
				p.Report(t.Start, t.End, "This ends the block %s, not %s: write {%% endblock %s %%}.", name, t.Args, name)
			}
		}
	}),
}, {
	ID: "extends-first", Title: "An extends behind another tag", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "In Django `{% extends %}` must be the first tag, also before `{% load %}`. Jinja lets other tags stand before it and is left alone.",
	Bad:   "{% load static %}\n{% extends \"base.html\" %}\n",
	Good:  "{% extends \"base.html\" %}\n{% load static %}\n",
	Check: validate.Page(checkExtendsFirst),
}, {
	ID: "outside-block", Title: "Content that no block holds", Severity: validate.Warning, Category: validate.Templates,
	Doc:   "A template that extends another one shows its blocks only: what stands outside is dropped without a word.",
	Bad:   "{% extends \"base.html\" %}\n<p>Hello</p>\n{% block content %}{% endblock %}\n",
	Good:  "{% extends \"base.html\" %}\n{% block content %}<p>Hello</p>{% endblock %}\n",
	Check: validate.Page(checkOutsideBlock),
}, {
	ID: "branch-order", Title: "A branch behind the last one", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "Behind `{% else %}` an `{% if %}` has no other branch; Django and Jinja refuse the template.",
	Bad:   "{% if a %}A{% else %}B{% elif c %}C{% endif %}\n",
	Good:  "{% if a %}A{% elif c %}C{% else %}B{% endif %}\n",
	Check: validate.Page(checkBranches),
}, {
	ID: "if-assignment", Title: "A condition with a single =", Severity: validate.Critical, Category: validate.Templates,
	Doc:  "`=` compares nothing in a template: write `==`.",
	Bad:  "{% if page = 'home' %}active{% endif %}\n",
	Good: "{% if page == 'home' %}active{% endif %}\n",
	Check: validate.EachTemplateTag(func(p *validate.Pass, o validate.TemplateTag) {
		if o.Name != "if" && o.Name != "elif" {
			return
		}
		code := validate.BlankStrings(p.Text[o.Start:o.End])
		if m := singleEqual.FindStringIndex(code); m != nil && !strings.ContainsAny(code[:m[0]], "(") {
			at := o.Start + m[0] + 1
			p.Offer(at, at+1, &validate.Fix{Title: "Write ==", Edits: []validate.Edit{{Start: at, End: at + 1, New: "=="}}}, "A single = compares nothing: write ==.")
		}
	}),
}, {
	ID: "filter-blank", Title: "A filter with a blank before its argument", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "Django refuses `{{ x|default: \"a\" }}`: no blank may stand between a filter, its colon and its argument.",
	Bad:   "{% load static %}<p>{{ name|default: \"nobody\" }}</p>\n",
	Good:  "{% load static %}<p>{{ name|default:\"nobody\" }}</p>\n",
	Check: validate.EachTemplateTag(checkFilterBlank),
}, {
	ID: "call-parentheses", Title: "A call in a template of Django's", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "Django calls what can be called by itself and refuses parentheses: `{{ user.get_full_name }}`. Arguments need a filter or a tag.",
	Bad:   "{% load static %}<p>{{ user.get_full_name() }}</p>\n",
	Good:  "{% load static %}<p>{{ user.get_full_name }}</p>\n",
	Check: validate.EachTemplateTag(checkCall),
}, {
	ID: "load-missing", Title: "A tag whose library is not loaded", Severity: validate.Critical, Category: validate.Templates,
	Doc: "Django refuses the template. Each template loads the libraries that it uses, also one that extends another. Libraries that the settings " +
		"make known everywhere are known in a project.",
	Bad:   "{% csrf_token %}<link rel=\"stylesheet\" href=\"{% static 'site.css' %}\">\n",
	Good:  "{% load static %}{% csrf_token %}<link rel=\"stylesheet\" href=\"{% static 'site.css' %}\">\n",
	Check: validate.Page(checkLoads),
}, {
	ID: "obsolete-tag", Title: "A template tag that Django has taken out", Severity: validate.Warning, Category: validate.Templates,
	Doc: "`ifequal` and `ifnotequal` went with Django 4.0, `staticfiles`, `admin_static` and `future` before: newer versions refuse the template.",
	Bad: "{% load staticfiles %}\n", Good: "{% load static %}\n",
	Check: validate.EachTemplateTag(checkObsoleteTag),
}, {
	ID: "url-unquoted", Title: "The name of a route without quotes", Severity: validate.Critical, Category: validate.Templates,
	Doc:  "Without quotes the name is taken for a variable, which is empty, and no route is found.",
	Bad:  "<a href=\"{% url blog-detail %}\">Blog</a>\n",
	Good: "<a href=\"{% url 'blog-detail' %}\">Blog</a>\n",
	Check: validate.EachTemplateTag(func(p *validate.Pass, o validate.TemplateTag) {
		name, _, _ := strings.Cut(o.Args, " ")
		if o.Name != "url" || name == "" || strings.ContainsAny(name, "'\".|_[(") {
			return
		}
		if strings.ContainsAny(name, "-:") || p.Stated(validate.Route, name) {
			p.Report(o.Start, o.End, "Without quotes %s is a variable: write {%% url '%s' %%}.", name, name)
		}
	}),
}, {
	ID: "for-else", Title: "An else in a loop of Django's", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "What a loop shows when there is nothing to loop over stands behind `{% empty %}` in Django and behind `{% else %}` in Jinja; each refuses the other's word.",
	Bad:   "{% load static %}<ul>{% for p in posts %}<li>{{ p }}</li>{% else %}<li>None</li>{% endfor %}</ul>\n",
	Good:  "{% load static %}<ul>{% for p in posts %}<li>{{ p }}</li>{% empty %}<li>None</li>{% endfor %}</ul>\n",
	Check: validate.Page(checkForElse),
}, {
	ID: "comment-lines", Title: "A short comment over several lines", Severity: validate.Warning, Category: validate.Templates,
	Doc:  "In Django `{# #}` is a comment on one line only; over several lines it is shown to everybody. Write `{% comment %}`.",
	Bad:  "{% load static %}\n{# old:\nkeep #}\n",
	Good: "{% load static %}\n{% comment %} old:\nkeep {% endcomment %}\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		for _, o := range p.TemplateTags() {
			text := p.Text[o.Start:o.End]
			if o.Kind == '#' && strings.HasPrefix(text, "{#") && strings.Contains(text, "\n") && p.Dialect() == validate.Django {
				p.Report(o.Start, o.End, "Django shows a {# #} that goes over several lines: write {%% comment %%} … {%% endcomment %%}.")
			}
		}
	}),
}, {
	ID: "translate-tag", Title: "A tag in a text that is to be translated", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "Between `{% blocktranslate %}` and its end Django allows outputs of plain variables and `{% plural %}` only: tags and attributes are refused. Bind the value before: `{% blocktranslate with url=… %}`.",
	Bad:   "{% load i18n %}{% blocktranslate %}See <a href=\"{% url 'help' %}\">help</a>{% endblocktranslate %}\n",
	Good:  "{% load i18n %}{% url 'help' as help %}{% blocktranslate %}See <a href=\"{{ help }}\">help</a>{% endblocktranslate %}\n",
	Check: validate.Page(checkTranslate),
}}

var singleEqual = syntax.Expr(`[^=!<>]=[^=]`)

func checkExtendsFirst(p *validate.Pass, d *dom.Document) {
	if p.Dialect() == validate.Jinja {
		return
	}
	before := validate.TemplateTag{}
	for _, o := range p.TemplateTags() {
		if o.Kind == '#' {
			continue
		}
		if o.Name == "extends" {
			if before.Name == "load" || before.Name != "" && p.Dialect() == validate.Django {
				p.Report(o.Start, o.End, "{%% extends %%} must be the first tag, and {%% %s %%} stands before it: move it up.", before.Name)
			}
			return
		}
		if before.Name == "" {
			before = o
		}
	}
}

func checkOutsideBlock(p *validate.Pass, d *dom.Document) {
	extends := false
	for _, t := range d.Templates() {
		if t.Name == "extends" && t.Arm == nil {
			extends = true
		}
	}
	if !extends {
		return
	}
	for n := d.Root.FirstChild; n != nil; n = n.Next {
		if n.Arm != nil || n.Kind == dom.Comment || n.Kind == dom.Text && strings.TrimSpace(strings.TrimPrefix(n.Text, "\ufeff")) == "" {
			continue
		}
		if n.Kind == dom.Text || n.Kind == dom.Element || n.Kind == dom.Output {
			end := n.End
			if n.Kind == dom.Element {
				end = n.OpenEnd
			}
			p.Report(n.Start, end, "This template extends another one, so what stands outside of its blocks is dropped: put it into a block.")
			return // one for all
		}
	}
}

func checkBranches(p *validate.Pass, d *dom.Document) {
	type block struct {
		name string
		last bool
	}
	var open []block
	for _, t := range p.Tree.TemplateTags() {
		switch {
		case t.Kind != '%':
		case t.Partner >= 0 && !strings.HasPrefix(t.Name, "end"):
			open = append(open, block{name: t.Name})
		case t.Partner >= 0 && len(open) > 0:
			open = open[:len(open)-1]
		case len(open) > 0 && open[len(open)-1].name == "if" && t.Middle:
			top := &open[len(open)-1]
			if top.last && (t.Name == "elif" || t.Name == "else") {
				p.Report(t.Start, t.End, "This {%% %s %%} stands behind {%% else %%}, which is the last branch: move it up.", t.Name)
			}
			top.last = top.last || t.Name == "else"
		}
	}
}

var (
	blankArgument = syntax.Expr(`\|\s*[a-z_]+(\s+:\s*|:\s+)[^\s}]`)
	calls         = syntax.Expr(`[\w\])]\.?[A-Za-z_]\w*\(`)
)

func checkFilterBlank(p *validate.Pass, o validate.TemplateTag) {
	if o.Kind != '{' || p.Dialect() != validate.Django {
		return
	}
	code := p.Text[o.Start:o.End]
	plain := strings.Map(func(r rune) rune { return r }, validate.BlankStrings(code))
	for _, m := range blankArgument.FindAllStringSubmatchIndex(plain) {
		p.Offer(o.Start+m[2], o.Start+m[3], &validate.Fix{Title: "Remove the blank", Edits: []validate.Edit{{Start: o.Start + m[2], End: o.Start + m[3], New: ":"}}}, "Django allows no blank between a filter and its argument.")
	}
}

func checkCall(p *validate.Pass, o validate.TemplateTag) {
	if p.Dialect() != validate.Django || o.Kind != '{' && !slices.Contains([]string{"if", "elif", "for", "with"}, o.Name) {
		return
	}
	code := validate.BlankStrings(p.Text[o.Start:o.End])
	i := strings.IndexByte(code, '(')
	if i < 0 || i > 0 && (code[i-1] == '_' && i > 1 && code[i-2] == ' ') {
		return // _("text")
	}
	if m := calls.FindStringIndex(code); m != nil {
		p.Report(o.Start+m[0], o.Start+m[1], "Django calls by itself and refuses parentheses: drop them, or write a filter for the arguments.")
	}
}

// libraryTags says which library of Django's holds a tag or a filter.
var libraryTags = map[string]string{
	"static": "static", "get_static_prefix": "static", "get_media_prefix": "static",
	"translate": "i18n", "blocktranslate": "i18n", "blocktrans": "i18n", "get_current_language": "i18n", "get_available_languages": "i18n", "get_language_info": "i18n",
	"localtime": "tz", "timezone": "tz", "get_current_timezone": "tz", "localize": "l10n",
}

func checkLoads(p *validate.Pass, d *dom.Document) {
	if p.Dialect() != validate.Django {
		return
	}
	loaded := map[string]bool{}
	certain := false
	for _, o := range p.TemplateTags() {
		switch {
		case o.Name == "load":
			words := strings.Fields(o.Args)
			if i := slices.Index(words, "from"); i >= 0 && i+1 < len(words) {
				for _, w := range words[:i] {
					loaded["name "+w] = true
				}
				loaded["some "+words[i+1]] = true
				continue
			}
			for _, w := range words {
				loaded[w] = true
			}
		case o.Name == "csrf_token" || o.Name == "url" || o.Name == "extends" || o.Name == "include":
			certain = true
		}
	}
	for library := range loaded {
		certain = certain || !strings.Contains(library, " ")
	}
	if !certain {
		return
	}
	check := func(library, name string, start, end int) {
		if library == "" || loaded[library] || loaded["name "+name] || othersMay(loaded, library) {
			return
		}
		loaded[library] = true // once is enough
		p.Report(start, end, "%s is in a library that is not loaded: write {%% load %s %%} before it.", name, library)
	}
	for _, o := range p.TemplateTags() {
		if o.Kind == '%' {
			check(libraryTags[o.Name], o.Name, o.Start, o.End)
		}
		for _, f := range o.Filters(p.Text) {
			check(validate.LibraryFilters[f.Text], f.Text, f.Start, f.End)
		}
	}
}

// othersMay reports whether a library that is loaded, and that is none of
// Django's, may hold what is looked for, too.
func othersMay(loaded map[string]bool, library string) bool {
	for name := range loaded {
		if name == "staticfiles" && library == "static" || name == "admin_static" && library == "static" {
			return true
		}
		if !strings.Contains(name, " ") && !slices.Contains(validate.DjangoLibraries, name) && library != "static" && library != "i18n" {
			return true
		}
	}
	return false
}

func checkObsoleteTag(p *validate.Pass, o validate.TemplateTag) {
	switch {
	case o.Name == "ifequal" || o.Name == "ifnotequal":
		if p.Dialect() != validate.Jinja {
			p.Report(o.Start, o.End, "{%% %s %%} is gone since Django 4.0: write {%% if a %s b %%}.", o.Name, map[string]string{"ifequal": "==", "ifnotequal": "!="}[o.Name])
		}
	case o.Name == "load":
		for _, old := range []string{"staticfiles", "admin_static"} {
			if slices.Contains(strings.Fields(o.Args), old) {
				at := o.Start + strings.Index(p.Text[o.Start:o.End], old)
				p.Offer(at, at+len(old), &validate.Fix{Title: "Load static instead", Edits: []validate.Edit{{Start: at, End: at + len(old), New: "static"}}}, "The library %s is gone since Django 3.0: load static.", old)
			}
		}
		if strings.HasSuffix(o.Args, " from future") {
			p.Report(o.Start, o.End, "The library future is gone since Django 1.9: drop this tag.")
		}
	}
}

func checkForElse(p *validate.Pass, d *dom.Document) {
	speech := p.Dialect()
	var open []string
	for _, t := range p.Tree.TemplateTags() {
		switch {
		case t.Kind != '%':
		case t.Partner >= 0 && !strings.HasPrefix(t.Name, "end"):
			open = append(open, t.Name)
		case t.Partner >= 0 && len(open) > 0:
			open = open[:len(open)-1]
		case len(open) > 0 && open[len(open)-1] == "for" && (t.Name == "else" && speech == validate.Django || t.Name == "empty" && speech == validate.Jinja):
			other := map[string]string{"else": "{% empty %}", "empty": "{% else %}"}[t.Name]
			p.Report(t.Start, t.End, "A loop has no {%% %s %%} here: write %s.", t.Name, other)
		}
	}
}

func checkTranslate(p *validate.Pass, d *dom.Document) {
	inside := ""
	for _, t := range p.Tree.TemplateTags() {
		switch {
		case t.Name == "blocktranslate" || t.Name == "blocktrans":
			inside = t.Name
		case t.Name == "endblocktranslate" || t.Name == "endblocktrans":
			inside = ""
		case inside == "" || t.Kind == '#' || t.Name == "plural":
		case t.Kind == '%' && t.Name != "":
			p.Report(t.Start, t.End, "No tag may stand in {%% %s %%}: bind its value before, and write {{ name }} here.", inside)
		}
	}
}
