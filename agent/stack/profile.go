package stack

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// Fact is something that a project's files say about how it is made, such as a framework, a
// linter or a build command, with the line that says so.
type Fact struct {
	Kind FactKind
	Name string // "Django", "ruff", "npm run build"
	File string // the evidence
	Line int    // from 1; 0: the file as a whole
}

// FactKind is what a fact is about.
type FactKind string

// The kinds of facts.
const (
	Framework FactKind = "framework"
	Linter    FactKind = "linter"
	Build     FactKind = "build"
)

// String is the fact as a person reads it.
func (f Fact) String() string { return fmt.Sprintf("%s (%s)", f.Name, place(f.File, f.Line)) }

// described are further files whose text [Profile] reads: what a project depends on and how
// it is checked.
var described = lazyregexp.New(`^(requirements[\w.-]*\.txt|setup\.py|Pipfile(\.lock)?|(poetry|uv|pdm)\.lock|build\.gradle(\.kts)?|pom\.xml|Gemfile|\.flake8|ruff\.toml|\.ruff\.toml|mypy\.ini|\.pylintrc|\.golangci\.ya?ml|biome\.json|` +
	`\.?eslint(rc|\.config)[\w.]*|\.prettierrc[\w.]*|\.pre-commit-config\.yaml|rustfmt\.toml|\.rubocop\.yml|phpcs\.xml|phpstan\.neon)$`)

// Described reports whether [Profile] needs the text of a file: of the root's and of those of
// the folder below it.
func Described(name string) bool {
	return wanted(name) || strings.Count(name, "/") <= 1 && described.MatchString(path.Base(name))
}

// dependency is a package whose presence among the dependencies says which framework is used.
type dependency struct{ name, framework string }

// What is looked for in the manifests of each language.
var (
	pythonFrameworks = []dependency{
		{"django", "Django"}, {"djangorestframework", "Django REST framework"}, {"flask", "Flask"}, {"fastapi", "FastAPI"}, {"starlette", "Starlette"}, {"aiohttp", "aiohttp"},
		{"tornado", "Tornado"}, {"sqlalchemy", "SQLAlchemy"}, {"celery", "Celery"}, {"pydantic", "pydantic"}, {"click", "click"}, {"typer", "typer"}, {"numpy", "NumPy"}, {"pandas", "pandas"}, {"jinja2", "Jinja"},
	}
	nodeFrameworks = []dependency{
		{"react", "React"}, {"next", "Next.js"}, {"vue", "Vue"}, {"nuxt", "Nuxt"}, {"@angular/core", "Angular"}, {"svelte", "Svelte"}, {"express", "Express"}, {"koa", "Koa"}, {"fastify", "Fastify"},
		{"@nestjs/core", "NestJS"}, {"typescript", "TypeScript"}, {"vite", "Vite"}, {"webpack", "webpack"}, {"tailwindcss", "Tailwind CSS"}, {"jquery", "jQuery"},
		{"jest", "Jest"}, {"vitest", "Vitest"}, {"mocha", "Mocha"},
	}
	goFrameworks = []dependency{
		{"github.com/gin-gonic/gin", "gin"}, {"github.com/labstack/echo", "echo"}, {"github.com/gofiber/fiber", "fiber"}, {"github.com/gorilla/mux", "gorilla/mux"}, {"github.com/go-chi/chi", "chi"},
		{"github.com/spf13/cobra", "cobra"}, {"gorm.io/gorm", "GORM"}, {"google.golang.org/grpc", "gRPC"}, {"github.com/stretchr/testify", "testify"},
	}
	otherFrameworks = []dependency{
		{"rails", "Rails"}, {"sinatra", "Sinatra"}, {"rspec", "RSpec"}, {"laravel/framework", "Laravel"}, {"symfony/framework-bundle", "Symfony"}, {"phpunit/phpunit", "PHPUnit"},
		{"spring-boot", "Spring Boot"}, {"junit", "JUnit"}, {"tokio", "tokio"}, {"axum", "axum"}, {"actix-web", "actix-web"}, {"serde", "serde"},
	}
)

// manifestsOf are the files in which dependencies of a language stand, and how one is written there;
// %s is its name.
var manifestsOf = []struct {
	files        *lazyregexp.Regexp
	line         string
	dependencies []dependency
}{
	{lazyregexp.New(`^(requirements[\w.-]*\.txt|pyproject\.toml|setup\.(cfg|py)|Pipfile|tox\.ini)$`), `(?mi)^[^#\n]*?(?:^|["'\s=,\[])%s(?:\[[\w,-]*\])?\s*(?:["',;=<>~!]|$)`, pythonFrameworks},
	{lazyregexp.New(`^package\.json$`), `(?m)"%s"\s*:\s*"`, nodeFrameworks},
	{lazyregexp.New(`^go\.mod$`), `(?m)^(?:require)?\s+%s(?:/v\d+)? v`, goFrameworks},
	{lazyregexp.New(`^(Cargo\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(\.kts)?)$`), `(?m)(?:^|["'\s:>])%s(?:["'\s:<-]|$)`, otherFrameworks},
}

// linters are the files that say by which tools a project is checked; those without a pattern
// say so by being there.
var linters = []struct {
	name    string
	files   *lazyregexp.Regexp
	pattern *lazyregexp.Regexp
}{
	{"ruff", lazyregexp.New(`^\.?ruff\.toml$`), nil},
	{"ruff", lazyregexp.New(`^pyproject\.toml$`), lazyregexp.New(`(?m)^\[tool\.ruff[.\]]`)},
	{"black", lazyregexp.New(`^pyproject\.toml$`), lazyregexp.New(`(?m)^\[tool\.black\]`)},
	{"mypy", lazyregexp.New(`^mypy\.ini$`), nil},
	{"mypy", lazyregexp.New(`^(pyproject\.toml|setup\.cfg)$`), lazyregexp.New(`(?m)^\[(tool\.)?mypy\]`)},
	{"pyright", lazyregexp.New(`^pyproject\.toml$`), lazyregexp.New(`(?m)^\[tool\.pyright\]`)},
	{"pylint", lazyregexp.New(`^\.pylintrc$`), nil},
	{"flake8", lazyregexp.New(`^\.flake8$`), nil},
	{"flake8", lazyregexp.New(`^(setup\.cfg|tox\.ini)$`), lazyregexp.New(`(?m)^\[flake8\]`)},
	{"ESLint", lazyregexp.New(`^\.?eslint(rc|\.config)[\w.]*$`), nil},
	{"ESLint", lazyregexp.New(`^package\.json$`), lazyregexp.New(`(?m)"(eslintConfig|eslint|standard)"\s*:`)},
	{"Prettier", lazyregexp.New(`^\.prettierrc[\w.]*$`), nil},
	{"Prettier", lazyregexp.New(`^package\.json$`), lazyregexp.New(`(?m)"prettier"\s*:`)},
	{"Biome", lazyregexp.New(`^biome\.json$`), nil},
	{"golangci-lint", lazyregexp.New(`^\.golangci\.ya?ml$`), nil},
	{"RuboCop", lazyregexp.New(`^\.rubocop\.yml$`), nil},
	{"PHPStan", lazyregexp.New(`^phpstan\.neon$`), nil},
	{"pre-commit", lazyregexp.New(`^\.pre-commit-config\.yaml$`), nil},
}

// Profile returns what a project's manifests say about its frameworks, its linters and its
// build commands, each once, in the order of the kinds and of the files.
func Profile(files []File) []Fact {
	var list []Fact
	seen := map[string]bool{}
	add := func(f Fact) {
		if key := string(f.Kind) + " " + f.Name; !seen[key] {
			seen[key] = true
			list = append(list, f)
		}
	}
	for _, f := range files {
		if foreign.MatchString(f.Path) || !Described(f.Path) {
			continue
		}
		for _, fact := range slices.Concat(frameworksIn(f), lintersIn(f), buildsIn(f)) {
			add(fact)
		}
	}
	order := map[FactKind]int{Framework: 0, Linter: 1, Build: 2}
	slices.SortStableFunc(list, func(a, b Fact) int { return cmp.Compare(order[a.Kind], order[b.Kind]) })
	return list
}

func frameworksIn(f File) (list []Fact) {
	base := path.Base(f.Path)
	if base == "manage.py" {
		if at := lazyregexp.New(`DJANGO_SETTINGS_MODULE`); at.MatchString(f.Text) {
			list = append(list, Fact{Framework, "Django", f.Path, lineOf(f.Text, at)})
		}
	}
	for _, m := range manifestsOf {
		if !m.files.MatchString(base) {
			continue
		}
		for _, d := range m.dependencies {
			if line := lineOf(f.Text, lazyregexp.New(fmt.Sprintf(m.line, regexp.QuoteMeta(d.name)))); line > 0 {
				list = append(list, Fact{Framework, d.framework, f.Path, line})
			}
		}
	}
	return list
}

func lintersIn(f File) (list []Fact) {
	for _, l := range linters {
		if !l.files.MatchString(path.Base(f.Path)) {
			continue
		}
		if l.pattern == nil {
			list = append(list, Fact{Linter, l.name, f.Path, 0})
		} else if line := lineOf(f.Text, l.pattern); line > 0 {
			list = append(list, Fact{Linter, l.name, f.Path, line})
		}
	}
	return list
}

// buildNames are the names of scripts and targets by which projects are built, checked or made anew.
var buildNames = lazyregexp.New(`^(build|lint|check|compile|typecheck|type-check|format|fmt|generate|docs)$`)

// target is a rule of a Makefile.
var target = lazyregexp.New(`(?m)^([A-Za-z][\w-]*)[ \t]*:([^=]|$)`)

// buildsIn are the scripts of a package.json and the targets of a Makefile, at the root.
func buildsIn(f File) (list []Fact) {
	switch f.Path {
	case "package.json":
		var manifest struct {
			Scripts map[string]string `json:"scripts"`
		}
		if json.Unmarshal([]byte(f.Text), &manifest) != nil {
			return nil
		}
		for name := range manifest.Scripts {
			if buildNames.MatchString(name) {
				list = append(list, Fact{Build, "npm run " + name, f.Path, lineOf(f.Text, lazyregexp.New(`"`+name+`"\s*:`))})
			}
		}
		slices.SortFunc(list, func(a, b Fact) int { return cmp.Compare(a.Line, b.Line) })
	case "Makefile", "makefile", "GNUmakefile":
		for _, at := range target.FindAllStringSubmatchIndex(f.Text, -1) {
			if name := f.Text[at[2]:at[3]]; buildNames.MatchString(name) {
				list = append(list, Fact{Build, "make " + name, f.Path, 1 + strings.Count(f.Text[:at[2]], "\n")})
			}
		}
	}
	return list
}
