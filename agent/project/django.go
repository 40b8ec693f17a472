package project

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"caselsp/agent/syntax"
)

const (
	installedApps = "INSTALLED_APPS"
	rootURLs      = "ROOT_URLCONF"
	urlPatterns   = "urlpatterns"
)

// findApps reads the lists of apps of all settings modules.
func (p *project) findApps(order []*file) {
	for _, f := range order {
		p.items(f, installedApps, 0, func(from *file, m syntax.Mark) { p.addApp(from, m) })
	}
}

// items visits the strings of a list, and those of the lists that it takes in.
func (p *project) items(f *file, list string, depth int, visit func(*file, syntax.Mark)) {
	for _, m := range f.lists[list] {
		switch {
		case m.Kind != syntax.MarkItem:
		case m.To == "":
			visit(f, m)
		case depth < maxChain:
			found := p.resolve(f, m.To, 0)
			if found.file != nil && found.name != "" && (found.file != f || found.name != list) {
				p.items(found.file, found.name, depth+1, visit)
			}
		}
	}
}

// addApp takes in an entry of a settings module.
func (p *project) addApp(from *file, m syntax.Mark) {
	a := p.app(from, m.Value)
	place := Place{from.path, m.Line}
	for i := range p.apps {
		if old := &p.apps[i]; old.Name == a.Name && old.Path == a.Path {
			if !slices.Contains(old.Settings, place) {
				old.Settings = append(old.Settings, place)
			}
			return
		}
	}
	a.Settings = []Place{place}
	p.apps = append(p.apps, a)
}

// app is what an entry of INSTALLED_APPS stands for: a package, or the configuration of one.
func (p *project) app(from *file, entry string) App {
	name, class := entry, ""
	if i := strings.LastIndexByte(entry, '.'); i >= 0 && i+1 < len(entry) && unicode.IsUpper(rune(entry[i+1])) {
		class = entry[i+1:]
		name = strings.TrimSuffix(entry[:i], ".apps")
	}
	dir := p.folder(from, name)
	configured, ok := syntax.Mark{}, false
	if class != "" {
		if f := p.module(from, strings.TrimSuffix(entry, "."+class)); f != nil {
			if configured, ok = f.classes[class]; ok && configured.Args["name"] != "" {
				name = configured.Args["name"]
				dir = p.folder(f, name)
			}
		}
	} else if f := p.files[path.Join(dir, "apps.py")]; f != nil && dir != "" {
		for _, c := range f.classes { // its only configuration is used where none is named
			if len(f.classes) == 1 && strings.HasSuffix(c.Words[0], "AppConfig") {
				configured = c
			}
		}
	}
	label := configured.Args["label"]
	if label == "" {
		label = name[strings.LastIndexByte(name, '.')+1:]
	}
	return App{Name: name, Label: label, Path: dir}
}

// folder finds the folder of a package; "" where it is not part of the project.
func (p *project) folder(from *file, name string) string {
	at := strings.ReplaceAll(name, ".", "/")
	for dir := path.Dir(from.path); ; dir = path.Dir(dir) {
		if found := path.Join(dir, at); p.dirs[found] {
			return found
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	if f := p.module(from, name); f != nil && path.Base(f.path) == "__init__.py" {
		return path.Dir(f.path)
	}
	return ""
}

// appOf is the app in whose folder a file lies, the nearest one.
func (p *project) appOf(file string) (found App, ok bool) {
	for _, a := range p.apps {
		if a.Path != "" && strings.HasPrefix(file, a.Path+"/") && len(a.Path) >= len(found.Path) {
			found, ok = a, true
		}
	}
	return found, ok
}

// roots are the classes from which models come, and what models of them are.
var roots = map[string]string{
	"django.db.models.Model": Django, "django.contrib.gis.db.models.Model": Django,
	"sqlalchemy.orm.DeclarativeBase": sqlalchemy, "sqlalchemy.orm.DeclarativeBaseNoMeta": sqlalchemy,
	"peewee.Model": "peewee_model", "tortoise.models.Model": "tortoise_model", "sqlmodel.SQLModel": sqlmodel,
	"mongoengine.Document": "mongoengine_model", "beanie.Document": "beanie_model",
	"sequelize#Model": "sequelize_model",
}

// makers are the calls that make such a class or, with the name behind it, an object that has one.
var makers = map[string]string{
	"sqlalchemy.orm.declarative_base": "", "sqlalchemy.ext.declarative.declarative_base": "", "sqlalchemy.ext.automap.automap_base": "",
	"flask_sqlalchemy.SQLAlchemy": "Model",
}

// Kinds of models that are asked about here or by others.
const (
	Django     = "django_model"
	sqlalchemy = "sqlalchemy_model"
	sqlmodel   = "sqlmodel_model" // a class is a table only where it says table=True
)

// noModels end the names of what the modules of models hold beside models.
var noModels = []string{"Manager", "QuerySet", "Field", "Choices", "Mixin", "Admin", "Form"}

// findModels lists the classes that come from one of the roots, and the calls that declare models.
func (p *project) findModels(order []*file) {
	for _, f := range order {
		for _, m := range f.marks {
			switch {
			case m.Kind == syntax.MarkClass:
				if kind := p.kindOf(f, m.Name, 0); kind != "" && f.classes[m.Name].Line == m.Line {
					p.addModel(f, m, kind)
				}
			case m.Kind == syntax.MarkModel && p.mongoose(f, m.On):
				p.state.Models = append(p.state.Models, Model{Kind: "mongoose_model", Name: m.Name, Place: Place{f.path, m.Line}})
			case m.Kind == syntax.MarkModel && m.Value == "define" && p.sequelize(f, m.On):
				p.state.Models = append(p.state.Models, Model{Kind: "sequelize_model", Name: m.Name, Place: Place{f.path, m.Line}})
			}
		}
	}
}

// mongoose reports whether a name is the module mongoose.
func (p *project) mongoose(f *file, name string) bool {
	return strings.HasPrefix(p.resolveScript(f, name, 0).external, "mongoose#")
}

// sequelize reports whether a name is a connection of Sequelize: one that is made, or what models are
// given as a parameter of this name.
func (p *project) sequelize(f *file, name string) bool {
	found := p.resolveScript(f, name, 0)
	if found.file != nil {
		if made, ok := found.file.made[found.name]; ok {
			return strings.HasPrefix(p.resolveScript(found.file, made.Value, 0).external, "sequelize#")
		}
	}
	return name == "sequelize"
}

// kindOf says what models a class is one of; "" where it is none.
func (p *project) kindOf(f *file, class string, depth int) string {
	at := point{f.path, class}
	if kind, ok := p.kinds[at]; ok || depth > maxChain {
		return kind
	}
	p.kinds[at] = "" // of one that is its own base
	for _, base := range f.classes[class].Words {
		if kind := p.kindOfBase(f, base, depth+1); kind != "" {
			p.kinds[at] = kind
			return kind
		}
	}
	return ""
}

func (p *project) kindOfBase(f *file, base string, depth int) string {
	found := p.resolveIn(f, base)
	if found.file == nil {
		return p.outside(f, found.external)
	}
	if _, ok := found.file.classes[found.name]; ok {
		return p.kindOf(found.file, found.name, depth)
	}
	first, rest, _ := strings.Cut(found.name, ".")
	if made, ok := found.file.made[first]; ok {
		full := p.resolve(found.file, made.Value, 0).external
		if member, ok := makers[full]; ok && member == rest {
			return sqlalchemy
		}
	}
	return ""
}

// resolveIn is resolve for the language of a file.
func (p *project) resolveIn(f *file, name string) named {
	if syntax.LanguageOf(f.path) == syntax.Python {
		return p.resolve(f, name, 0)
	}
	return p.resolveScript(f, name, 0)
}

// outside says what a class of another package makes of those that come from it. A base that a
// Django file takes from a module of models is a model.
func (p *project) outside(f *file, full string) string {
	if kind := roots[full]; kind != "" {
		return kind
	}
	module, name := full, ""
	if i := strings.LastIndexByte(full, '.'); i > 0 {
		module, name = full[:i], full[i+1:]
	}
	uses := slices.ContainsFunc(f.imports, func(m string) bool { return m == "django" || strings.HasPrefix(m, "django.") })
	models := strings.HasSuffix(module, ".models") && !strings.HasPrefix(module, "django.db") && !strings.HasPrefix(module, "django.contrib.gis")
	if !models || !uses && !strings.HasPrefix(module, "django.") || slices.ContainsFunc(noModels, func(end string) bool { return strings.HasSuffix(name, end) }) {
		return ""
	}
	return Django
}

// addModel takes in a class that is a model.
func (p *project) addModel(f *file, m syntax.Mark, kind string) {
	model := Model{Kind: kind, Abstract: m.Args["abstract"] == "True" || m.Args["__abstract__"] == "True", Place: Place{f.path, m.Line}}
	switch kind {
	case sqlmodel:
		if m.Args["table"] != "True" {
			return
		}
	case sqlalchemy:
		for _, base := range m.Words {
			model.Abstract = model.Abstract || roots[p.resolve(f, base, 0).external] != ""
		}
	case Django:
		a, ok := p.appOf(f.path)
		label := m.Args["app_label"]
		if label == "" {
			label = a.Label
		}
		if !ok {
			model.Unregistered = len(p.apps) > 0 && m.Args["app_label"] == ""
			if label == "" {
				label = folderLabel(f.path)
			}
		}
		model.Name = join(label, m.Name)
	}
	if model.Name == "" {
		model.Name = join(moduleOf(f.path), m.Name)
	}
	p.state.Models = append(p.state.Models, model)
}

// folderLabel is the name of the package in which a module of models lies.
func folderLabel(file string) string {
	dir := path.Dir(file)
	if path.Base(dir) == "models" {
		dir = path.Dir(dir)
	}
	if dir == "." {
		return ""
	}
	return path.Base(dir)
}

// moduleOf is the name of a module by its path.
func moduleOf(file string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(file, path.Ext(file)), "/__init__")
	return strings.ReplaceAll(name, "/", ".")
}

// findURLs lists the URLs of Django: those of the root modules, with those that they include. Lists that
// nothing includes are roots too, for projects whose settings name none.
func (p *project) findURLs(order []*file) {
	included, begun := map[point]bool{}, map[point]bool{}
	for _, f := range order {
		for _, list := range f.lists {
			for _, m := range list {
				if at, ok := p.included(f, m); ok {
					included[at] = true
				}
			}
		}
	}
	begin := func(f *file) {
		if at := (point{f.path, urlPatterns}); !begun[at] {
			begun[at] = true
			p.expand(at, "/", nil)
		}
	}
	for _, f := range order {
		for _, m := range f.marks {
			if root := p.module(f, m.Value); m.Kind == syntax.MarkSetting && m.Name == rootURLs && root != nil {
				begin(root)
			}
		}
	}
	for _, f := range order {
		if len(f.lists[urlPatterns]) > 0 && !included[point{f.path, urlPatterns}] {
			begin(f)
		}
	}
}

// included is the list that an entry leads to, where that is part of the project.
func (p *project) included(f *file, m syntax.Mark) (point, bool) {
	if module := m.Args["module"]; module != "" {
		if to := p.module(f, module); to != nil {
			return point{to.path, urlPatterns}, true
		}
		return point{}, false
	}
	ref := m.Args["include"]
	if ref == "" {
		return point{}, false
	}
	found := p.resolve(f, ref, 0)
	switch {
	case found.file == nil:
		return point{}, false
	case found.name == "":
		return point{found.file.path, urlPatterns}, true
	}
	return point{found.file.path, strings.TrimSuffix(found.name, ".urls")}, true
}

// expand lists the entries of a list behind a prefix. within are the lists that it is included in.
func (p *project) expand(at point, prefix string, within []point) {
	if slices.Contains(within, at) || len(within) > maxChain {
		return
	}
	f, within := p.files[at.file], append(slices.Clip(within), at)
	for _, m := range f.lists[at.name] {
		if m.Kind != syntax.MarkURL {
			continue
		}
		r := Route{Path: prefix + strings.TrimPrefix(m.Value, "/"), View: m.To, Name: m.Args["name"], Framework: "django", Place: Place{f.path, m.Line}}
		to, ok := p.included(f, m)
		switch {
		case ok && p.serves(to):
			p.expand(to, r.Path, within)
			continue
		case m.Args["module"] != "":
			r.View = "include(" + m.Args["module"] + ")"
		case m.Args["include"] != "":
			r.View = "include(" + m.Args["include"] + ")"
		}
		p.addRoute(r)
	}
	for _, m := range f.marks { // of a router of Django's REST framework
		if m.Kind == syntax.MarkRoute && m.On == at.name && m.Args["views"] != "" {
			p.addRoute(Route{Path: prefix + strings.Trim(m.Value, "/") + "/", View: m.To, Framework: "django", Place: Place{f.path, m.Line}})
		}
	}
}

// serves reports whether a name is a list of URLs or a router with entries.
func (p *project) serves(at point) bool {
	f := p.files[at.file]
	return len(f.lists[at.name]) > 0 || slices.ContainsFunc(f.marks, func(m syntax.Mark) bool {
		return m.Kind == syntax.MarkRoute && m.On == at.name && m.Args["views"] != ""
	})
}

// addRoute takes in a route.
func (p *project) addRoute(r Route) {
	if len(p.state.Routes) >= maxRoutes {
		p.state.More = true
		return
	}
	p.state.Routes = append(p.state.Routes, r)
}
