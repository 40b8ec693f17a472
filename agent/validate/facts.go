package validate

import (
	"path"
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// statement collects the facts that one file states.
type statement struct {
	path string
	m    map[Key][]Site
}

func (s statement) add(kind Kind, name string, start, end int, detail string) {
	k := Key{kind, name}
	s.m[k] = append(s.m[k], Site{Path: s.path, Start: start, End: end, Detail: detail})
}

// fileFacts are those of any file.
func fileFacts(file string) statement {
	s := statement{file, map[Key][]Site{}}
	s.add(FileNamed, path.Base(file), 0, 0, file)
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		s.add(FolderAt, dir, 0, 0, "")
		if dir == "." || dir == "/" {
			break
		}
	}
	if path.Base(file) == "manage.py" {
		s.add(Framework, "", 0, 0, "")
	}
	return s
}

// facts returns what a file states.
func facts(f *File) map[Key][]Site {
	s := fileFacts(f.Path)
	switch f.Lang {
	case syntax.HTML:
		s.page(f)
	case syntax.CSS:
		s.classes(f)
	case syntax.JavaScript, syntax.TypeScript, syntax.TSX:
		s.scripts(f)
	case syntax.Python:
		s.python(f)
	}
	return s.m
}

func (s statement) page(f *File) {
	d := f.Page()
	if d == nil {
		return
	}
	for _, n := range d.Elements() {
		for _, name := range []string{"id", "name"} {
			a := n.Attr(name)
			if a == nil || name == "name" && !n.Is("a", "map") {
				continue
			}
			if !a.Dynamic {
				s.add(IDAt, s.path+"#"+a.Value, a.ValueStart, a.ValueEnd, "")
				s.add(IDNamed, a.Value, a.ValueStart, a.ValueEnd, "")
				continue
			}
			// Of id="row-{{ n }}" what stands before the output is known.
			s.add(IDNamed, "", a.ValueStart, a.ValueEnd, BeforeGap(a.Value))
		}
	}
	for _, n := range d.Elements("script") {
		if a := n.Attr("src"); a != nil {
			file, _, _ := strings.Cut(a.Value, "?")
			file = strings.TrimRight(file, "'\"%} ") // {% static 'a.js' %}
			s.add(ScriptUse, path.Base(file), a.ValueStart, a.ValueEnd, "")
		}
	}
	s.template(f)
	s.classes(f)
	s.scripts(f)
}

// BeforeGap returns what a value begins with before a template writes.
func BeforeGap(v string) string {
	if i := strings.IndexAny(v, "{<$"); i >= 0 {
		return v[:i]
	}
	return ""
}

// template states what other templates need to know of this one.
func (s statement) template(f *File) {
	var parts []string
	for _, o := range f.TemplateTags() {
		switch o.Name {
		case "extends":
			parts = append(parts, "extends "+o.Args)
		case "block", "include", "import", "from":
			name, _, _ := strings.Cut(o.Args, " ")
			parts = append(parts, o.Name+" "+name)
		}
	}
	s.add(Template, s.path, 0, 0, strings.Join(parts, "\n"))
}

func (s statement) classes(f *File) {
	for _, style := range f.Styles() {
		for _, r := range style.All {
			for _, sel := range r.Selectors {
				s.selector(sel)
			}
		}
	}
}

func (s statement) selector(sel *dom.Selector) {
	for i := range sel.Compounds {
		c := &sel.Compounds[i]
		for j, class := range c.Classes {
			s.add(ClassRule, class, c.ClassAt[j], c.ClassAt[j]+len(class), "")
		}
		for _, p := range c.Pseudos {
			for _, a := range p.Args {
				s.selector(a)
			}
		}
	}
}

// idWord finds ids in the HTML that scripts write.
var idWord = lazyregexp.New(`\bid=\\?["']?([\w-]+)`)

// scripts states the ids that a script gives to elements.
func (s statement) scripts(f *File) {
	for _, c := range f.Code(ecma.Languages...) {
		for _, n := range c.Nodes("string", "template_string", "jsx_attribute") {
			text := n.Text()
			for _, m := range idWord.FindAllStringSubmatch(text, -1) {
				s.add(IDNamed, m[1], 0, 0, "")
			}
			if p := n.Parent(); n.Kind() == "string" && !p.IsZero() && !isLookup(n) {
				if v := StringText(text); v != "" && !strings.ContainsAny(v, " <>") && len(v) < 80 {
					s.add(IDNamed, strings.TrimPrefix(v, "#"), 0, 0, "") // .id = "x", {id: "x"}, make("x")
				}
			}
		}
	}
}

// isLookup reports whether a string is what getElementById looks for.
func isLookup(n syntax.Node) bool {
	args := n.Parent()
	if args.IsZero() || args.Kind() != "arguments" {
		return false
	}
	f := args.Parent().Child("member_expression")
	return !f.IsZero() && strings.HasSuffix(f.Text(), ".getElementById")
}

// StringText takes the quotes off a string of a program.
func StringText(text string) string {
	if len(text) < 2 || strings.IndexByte("\"'`", text[0]) < 0 {
		return ""
	}
	return text[1 : len(text)-1]
}

// python states routes, template tags and what tells a project of Django's.
func (s statement) python(f *File) {
	if strings.Contains(s.path, "/templatetags/") || strings.HasPrefix(s.path, "templatetags/") {
		s.library(f)
	}
	if !strings.Contains(f.Text, "urlpatterns") && !strings.Contains(f.Text, "app_name") {
		return
	}
	space := ""
	for _, c := range f.Code(syntax.Python) {
		for _, n := range c.Nodes("assignment") {
			if left := n.Child("identifier"); !left.IsZero() && left.Text() == "app_name" {
				space = pythonString(n.Child("string"))
			}
		}
		for _, n := range c.Nodes("call") {
			s.route(c, n, space)
		}
	}
}

// route reads one call in a module of routes.
func (s statement) route(c *Code, n syntax.Node, space string) {
	callee := n.Child("identifier", "attribute")
	args := n.Child("argument_list")
	if callee.IsZero() || args.IsZero() {
		return
	}
	name := callee.Text()
	name = name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case name == "include":
		s.include(args)
	case name == "i18n_patterns" || name == "static":
	default:
		route := pythonKeyword(args, "name")
		if route == "" {
			if name == "register" || name == "format_suffix_patterns" || !slices.Contains([]string{"path", "re_path", "url"}, name) {
				s.add(OpenNames, space, 0, 0, "") // a router, or whatever makes patterns
			}
			return
		}
		start, end := c.Span(n)
		s.add(Namespace, space, 0, 0, "")
		if space != "" {
			route = space + ":" + route
		}
		s.add(Route, route, start, end, "")
	}
}

// authRoutes are the names of django.contrib.auth.urls.
var authRoutes = strings.Fields("login logout password_change password_change_done password_reset password_reset_done password_reset_confirm password_reset_complete")

func (s statement) include(args syntax.Node) {
	module := pythonString(args.Child("string"))
	switch {
	case module == "django.contrib.auth.urls":
		for _, name := range authRoutes {
			s.add(Route, name, 0, 0, "")
		}
	case pythonKeyword(args, "namespace") != "":
		s.add(OpenNames, pythonKeyword(args, "namespace"), 0, 0, "")
	case module == "":
		s.add(OpenNames, "", 0, 0, "*")
	default:
		s.add(OpenNames, "", 0, 0, module) // known where the module is one of the project's
	}
}

// library states what a module of template tags registers.
func (s statement) library(f *File) {
	var names []string
	for _, c := range f.Code(syntax.Python) {
		for _, n := range c.Nodes("decorated_definition") {
			def := n.Child("function_definition")
			if def.IsZero() || !strings.Contains(n.Text(), "register") {
				continue
			}
			names = append(names, def.Child("identifier").Text())
			for d := range n.Children() {
				if d.Kind() == "decorator" {
					names = append(names, pythonStrings(d)...)
				}
			}
		}
		for _, n := range c.Nodes("call") {
			if callee := n.Child("attribute"); !callee.IsZero() && strings.HasPrefix(callee.Text(), "register.") {
				names = append(names, pythonStrings(n)...)
				for a := range n.Child("argument_list").Children() {
					if a.Kind() == "identifier" {
						names = append(names, a.Text())
					}
				}
			}
		}
	}
	s.add(Library, strings.TrimSuffix(path.Base(f.Path), ".py"), 0, 0, strings.Join(names, " "))
}

func pythonStrings(n syntax.Node) []string {
	var list []string
	for x := range n.Walk() {
		if v := pythonString(x); v != "" {
			list = append(list, v)
		}
	}
	return list
}

// pythonString returns the value of a plain string; "" of anything else.
func pythonString(n syntax.Node) string {
	if n.IsZero() || n.Kind() != "string" {
		return ""
	}
	text := strings.TrimLeft(n.Text(), "rRbBuU")
	if len(text) >= 6 && (strings.HasPrefix(text, `"""`) || strings.HasPrefix(text, "'''")) {
		return text[3 : len(text)-3]
	}
	return StringText(text)
}

// pythonKeyword returns the string that a call passes by a keyword.
func pythonKeyword(args syntax.Node, name string) string {
	for a := range args.Children() {
		if a.Kind() == "keyword_argument" && a.Child("identifier").Text() == name {
			return pythonString(a.Child("string"))
		}
	}
	return ""
}
