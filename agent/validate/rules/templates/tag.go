package templates

import (
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// tagRules are about template tags that do not work as they are written.
var tagRules = []validate.Rule{{
	ID: "block-twice", Title: "Duplicate template block", Severity: validate.Critical, Category: validate.Templates,
	Doc:  "Django and Jinja reject a template with two blocks of the same name.",
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
				p.Report(o.Start, o.End, "This template already has a block %s (line %d).", name, first)
			} else {
				seen[name] = p.Tree.Position(o.Start).Line + 1
			}
		}
	}),
}, {
	ID: "endblock-name", Title: "endblock with the wrong name", Severity: validate.Critical, Category: validate.Templates,
	Aliases: validate.Aliases{validate.DjLint: {"T003"}},
	Doc:     "The name after `endblock` must be that of the block it ends, or be left out.",
	Bad:     "{% block title %}A{% endblock content %}\n",
	Good:    "{% block title %}A{% endblock title %}\n",
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
	ID: "extends-first", Title: "{% extends %} is not the first tag", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "In Django `{% extends %}` must be the first tag, even before `{% load %}`. Jinja allows other tags before it and is not checked.",
	Bad:   "{% load static %}\n{% extends \"base.html\" %}\n",
	Good:  "{% extends \"base.html\" %}\n{% load static %}\n",
	Check: validate.Page(checkExtendsFirst),
}, {
	ID: "outside-block", Title: "Content outside any block of a child template", Severity: validate.Warning, Category: validate.Templates,
	Doc:   "A template that extends another one shows only its blocks: content outside them is silently dropped.",
	Bad:   "{% extends \"base.html\" %}\n<p>Hello</p>\n{% block content %}{% endblock %}\n",
	Good:  "{% extends \"base.html\" %}\n{% block content %}<p>Hello</p>{% endblock %}\n",
	Check: validate.Page(checkOutsideBlock),
}, {
	ID: "branch-order", Title: "Branch after {% else %}", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "After `{% else %}` an `{% if %}` has no other branch; Django and Jinja reject the template.",
	Bad:   "{% if a %}A{% else %}B{% elif c %}C{% endif %}\n",
	Good:  "{% if a %}A{% elif c %}C{% else %}B{% endif %}\n",
	Check: validate.Page(checkBranches),
}, {
	ID: "if-assignment", Title: "Single = in a template condition", Severity: validate.Critical, Category: validate.Templates,
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
	ID: "filter-blank", Title: "Space before a filter's argument", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "Django rejects `{{ x|default: \"a\" }}`: no space is allowed between a filter, its colon and its argument.",
	Bad:   "{% load static %}<p>{{ name|default: \"nobody\" }}</p>\n",
	Good:  "{% load static %}<p>{{ name|default:\"nobody\" }}</p>\n",
	Check: validate.EachTemplateTag(checkFilterBlank),
}, {
	ID: "call-parentheses", Title: "Call with parentheses in a Django template", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "Django calls callables by itself and rejects parentheses: write `{{ user.get_full_name }}`. Arguments need a filter or a tag.",
	Bad:   "{% load static %}<p>{{ user.get_full_name() }}</p>\n",
	Good:  "{% load static %}<p>{{ user.get_full_name }}</p>\n",
	Check: validate.EachTemplateTag(checkCall),
}, {
	ID: "load-missing", Title: "Missing {% load %} for a tag or filter", Severity: validate.Critical, Category: validate.Templates,
	Doc: "Django rejects the template. Each template loads the libraries it uses, even if it extends another. Libraries that the project's settings make available everywhere " +
		"are known.",
	Bad:   "{% csrf_token %}<link rel=\"stylesheet\" href=\"{% static 'site.css' %}\">\n",
	Good:  "{% load static %}{% csrf_token %}<link rel=\"stylesheet\" href=\"{% static 'site.css' %}\">\n",
	Check: validate.Page(checkLoads),
}, {
	ID: "obsolete-tag", Title: "Removed Django template tag", Severity: validate.Warning, Category: validate.Templates,
	Doc: "Django 4.0 removed `ifequal` and `ifnotequal`, earlier versions `staticfiles`, `admin_static` and `future`: newer versions reject the template.",
	Bad: "{% load staticfiles %}\n", Good: "{% load static %}\n",
	Check: validate.EachTemplateTag(checkObsoleteTag),
}, {
	ID: "url-unquoted", Title: "URL name without quotes", Severity: validate.Critical, Category: validate.Templates,
	Doc:  "Without quotes the name is a variable, which is empty, so no route is found.",
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
	ID: "for-else", Title: "Wrong word for an empty loop ({% else %} or {% empty %})", Severity: validate.Critical, Category: validate.Templates,
	Doc:   "The content for an empty loop comes after `{% empty %}` in Django and after `{% else %}` in Jinja; each rejects the other's word.",
	Bad:   "{% load static %}<ul>{% for p in posts %}<li>{{ p }}</li>{% else %}<li>None</li>{% endfor %}</ul>\n",
	Good:  "{% load static %}<ul>{% for p in posts %}<li>{{ p }}</li>{% empty %}<li>None</li>{% endfor %}</ul>\n",
	Check: validate.Page(checkForElse),
}, {
	ID: "comment-lines", Title: "{# #} comment over several lines", Severity: validate.Warning, Category: validate.Templates,
	Doc:  "In Django a `{# #}` comment ends on its line; over several lines it is shown to visitors. Write `{% comment %}`.",
	Bad:  "{% load static %}\n{# old:\nkeep #}\n",
	Good: "{% load static %}\n{% comment %} old:\nkeep {% endcomment %}\n",
	Check: validate.Page(func(p *validate.Pass, d *dom.Document) {
		for _, o := range p.TemplateTags() {
			text := p.Text[o.Start:o.End]
			if o.Kind == '#' && strings.HasPrefix(text, "{#") && strings.Contains(text, "\n") && p.Dialect() == validate.Django {
				p.Report(o.Start, o.End, "Django shows a {# #} comment over several lines: write {%% comment %%} … {%% endcomment %%}.")
			}
		}
	}),
}, {
	ID: "translate-tag", Title: "Template tag inside a translated block", Severity: validate.Critical, Category: validate.Templates,
	Doc: "Inside `{% blocktranslate %}` Django allows only plain variables and `{% plural %}`: it rejects tags and attribute lookups. Bind the value first: `{% blocktranslate " +
		"with url=… %}`.",
	Bad:   "{% load i18n %}{% blocktranslate %}See <a href=\"{% url 'help' %}\">help</a>{% endblocktranslate %}\n",
	Good:  "{% load i18n %}{% url 'help' as help %}{% blocktranslate %}See <a href=\"{{ help }}\">help</a>{% endblocktranslate %}\n",
	Check: validate.Page(checkTranslate),
}}

var singleEqual = lazyregexp.New(`[^=!<>]=[^=]`)

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
				p.Report(o.Start, o.End, "{%% extends %%} must be the first tag, and {%% %s %%} comes before it: move it up.", before.Name)
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
			p.Report(n.Start, end, "This template extends another one, so content outside its blocks is dropped: put it in a block.")
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
				p.Report(t.Start, t.End, "This {%% %s %%} comes after {%% else %%}, which is the last branch: move it up.", t.Name)
			}
			top.last = top.last || t.Name == "else"
		}
	}
}

var (
	blankArgument = lazyregexp.New(`\|\s*[a-z_]+(\s+:\s*|:\s+)[^\s}]`)
	calls         = lazyregexp.New(`[\w\])]\.?[A-Za-z_]\w*\(`)
)

func checkFilterBlank(p *validate.Pass, o validate.TemplateTag) {
	if o.Kind != '{' || p.Dialect() != validate.Django {
		return
	}
	code := p.Text[o.Start:o.End]
	plain := strings.Map(func(r rune) rune { return r }, validate.BlankStrings(code))
	for _, m := range blankArgument.FindAllStringSubmatchIndex(plain, -1) {
		p.Offer(o.Start+m[2], o.Start+m[3], &validate.Fix{Title: "Remove the space", Edits: []validate.Edit{{Start: o.Start + m[2], End: o.Start + m[3], New: ":"}}}, "Django allows no space between a filter and its argument.")
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
		p.Report(o.Start+m[0], o.Start+m[1], "Django calls callables by itself and rejects parentheses: remove them, or write a filter for the arguments.")
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
			p.Report(o.Start, o.End, "Django 4.0 removed {%% %s %%}: write {%% if a %s b %%}.", o.Name, map[string]string{"ifequal": "==", "ifnotequal": "!="}[o.Name])
		}
	case o.Name == "load":
		for _, old := range []string{"staticfiles", "admin_static"} {
			if slices.Contains(strings.Fields(o.Args), old) {
				at := o.Start + strings.Index(p.Text[o.Start:o.End], old)
				p.Offer(at, at+len(old), &validate.Fix{Title: "Load static instead", Edits: []validate.Edit{{Start: at, End: at + len(old), New: "static"}}}, "Django 3.0 removed the library %s: load static.", old)
			}
		}
		if strings.HasSuffix(o.Args, " from future") {
			p.Report(o.Start, o.End, "Django 1.9 removed the library future: remove this tag.")
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
			p.Report(t.Start, t.End, "{%% %s %%} allows no tag inside: bind its value before, and write {{ name }} here.", inside)
		}
	}
}
