package validate

import (
	"path"
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// unjudgedKinds are the extensions of source files for which there are no rules; in
// some of them secrets are looked for. Data, pictures and prose are none of them:
// nobody takes silence about those for praise.
var unjudgedKinds = strings.Fields(`
	.vue .svelte .astro .mdx .marko .riot
	.scss .sass .less .styl .pcss .postcss
	.ejs .hbs .handlebars .mustache .pug .jade .haml .slim .liquid .njk .erb .jsp .jspx .ftl .vm .tmpl .gohtml .templ .phtml .cshtml .razor .vbhtml
	.php .rb .rs .java .kt .kts .scala .groovy .clj .cs .fs .vb .swift .m .mm .c .h .cc .cpp .cxx .hpp .hh .zig .nim .d .dart
	.ex .exs .erl .hrl .hs .ml .mli .elm .lua .pl .pm .r .jl .coffee .sh .bash .zsh .fish .ps1 .bat .cmd .sql .proto .graphql .tf`)

// UnjudgedKind returns the extension of a source file that has no rules but perhaps
// those for secrets, such as ".vue"; "" for files that are judged, and for what is no
// source.
func UnjudgedKind(file string) string {
	if syntax.LanguageOf(file) != syntax.Unknown {
		return ""
	}
	if ext := strings.ToLower(path.Ext(file)); slices.Contains(unjudgedKinds, ext) {
		return ext
	}
	return ""
}

// All returns the paths of all files of the project, judged or not, sorted.
func (p *Project) All() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]string, 0, len(p.files))
	for file := range p.files {
		list = append(list, file)
	}
	slices.Sort(list)
	return list
}
