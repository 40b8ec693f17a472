package shell

import (
	"path"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"

	"mvdan.cc/sh/v3/syntax"
)

// What starts without asking has to be a tool that is known, or something that the user
// wrote: a script of a manifest, a target of a makefile, a script of the project, as the user's files have it.
// Tests, sources and configuration that those load are what is worked on, and may be the
// model's own. This package does no I/O: a verdict names what it rests on, and who
// asks for it compares.

// Rest is something in the user's files that a line runs.
type Rest struct {
	// Manifest is the base name of the files that have it, with wildcards as path.Match
	// has them. None of those in the workspace may differ in it from the user's.
	Manifest string `json:"manifest"`
	// Entry is what of them is run, such as scripts.test; "" for all of the file.
	Entry string `json:"entry,omitempty"`
	// Script says that Manifest is no base name: it is the path of a program of the workspace,
	// or the last part of it, which has to be there among the user's own files. Without an ending it may
	// also be a Python module.
	Script bool `json:"script,omitempty"`
}

// Kin reports whether a script or a target has one of the usual names of builds and checks,
// alone or in front of a colon or dash: test, test:unit, lint-fix.
func kin(name string) bool {
	first, _, _ := strings.Cut(name, ":")
	if slices.Contains(targets, first) || slices.Contains(moreTargets, first) {
		return true
	}
	first, _, _ = strings.Cut(first, "-")
	return slices.Contains(targets, first) || slices.Contains(moreTargets, first)
}

// moreTargets are usual names that the policy has to ease.
var moreTargets = []string{"clean", "ci", "verify", "validate", "typecheck", "tsc", "eslint", "prettier", "stylelint", "unit", "integration", "e2e", "spec", "specs", "docs", "doc", "generate", "codegen", "gen",
	"analyze", "analyse", "audit-types", "fix", "style", "dist", "bundle", "static", "assets", "debug-build", "release-build", "dev-build", "precommit-check", "quality", "sanity", "smoke", "jest", "vitest", "pytest", "rspec", "cs", "stan", "phpstan", "phpunit", "phpcs", "phpcbf", "psalm", "rector", "ecs"}

// commanders are the programs that look the names of their operands up in a file of the
// project, with the files in which they do.
var commanders = map[string][]string{
	"make": {"GNUmakefile", "makefile", "Makefile", "*.mk", "*.mak", "Makefile.*"}, "gmake": {"GNUmakefile", "makefile", "Makefile", "*.mk", "*.mak", "Makefile.*"},
	"just": {"justfile", "Justfile", ".justfile", "*.just"}, "task": {"Taskfile.y*ml", "taskfile.y*ml", "Taskfile.dist.y*ml"},
	"tox": {"tox.ini", "tox.toml", "setup.cfg", "pyproject.toml"}, "nox": {"noxfile.py"}, "rake": {"Rakefile", "rakefile", "Rakefile.rb", "*.rake"},
	"gradle": {"*.gradle", "*.gradle.kts"}, "mvn": {"pom.xml"}, "invoke": {"tasks.py"},
	"ant": {"build.xml"}, "mix": {"mix.exs"}, "ninja": {"build.ninja"}, "rails": {"rails"}, "gulp": {"gulpfile.*"}, "grunt": {"[Gg]runtfile.*"},
	"hatch": {"pyproject.toml", "hatch.toml"}, "pdm": {"pyproject.toml"}, "poe": {"pyproject.toml", "poe_tasks.*"}, "rye": {"pyproject.toml"},
	"nx": {"nx.json", "project.json", "package.json"}, "pre-commit": {".pre-commit-config.yaml"},
}

// manifests are the files beside package.json that say how its scripts run.
var manifests = []Rest{{Manifest: "package.json", Entry: "config"}, {Manifest: ".npmrc"}, {Manifest: ".yarnrc*"}, {Manifest: ".pnpmfile.*"}, {Manifest: "bunfig.toml"}}

// rests returns what of the user's files an allowed command runs.
func rests(words []word) []Rest {
	name := programOf([]string{words[0].text})
	if name == "php" && len(words) > 1 && words[1].text == "artisan" {
		return []Rest{{Manifest: "artisan", Script: true}}
	}
	if name == "go" || name == "cargo" {
		return nil
	}
	if script, _, ok := npmScript(words); ok {
		switch words[0].text {
		case "composer":
			return []Rest{{Manifest: "composer.json", Entry: "scripts." + script}}
		case "deno":
			return []Rest{{Manifest: "deno.json", Entry: "tasks." + script}, {Manifest: "deno.jsonc"}}
		}
		list := append([]Rest{{Manifest: "package.json", Entry: "scripts." + script}}, manifests...)
		if name == "turbo" {
			list = append(list, Rest{Manifest: "turbo.json"})
		}
		return list
	}
	var list []Rest
	for _, file := range commanders[name] {
		r := Rest{Manifest: file}
		switch file {
		case "pyproject.toml":
			r.Entry = "tool." + name
		case "package.json":
			r.Entry = "scripts"
		}
		list = append(list, r)
	}
	return list
}

var (
	npmFlag  = lazyregexp.New(`^(--(filter|scope|since|concurrency)=[\w@.*][\w@/.*-]*|--no-cache|--stream|--no-bail|--silent|-s|--if-present|-ws|--workspaces|--workspace=[\w@/.-]+|--no-update-notifier|--color|--no-color|-r|--recursive|--bun)$`)
	npmOwn   = []string{"npm", "yarn", "pnpm", "bun", "composer", "deno", "turbo", "lerna"}
	npmVerbs = []string{"test", "t", "tst"}
)

// npmScript returns the script of package.json that a command runs, and how many words name
// it; ok is false where it runs none.
func npmScript(words []word) (script string, n int, ok bool) {
	if !slices.Contains(npmOwn, words[0].text) {
		return "", 0, false
	}
	i, run := 1, false
	for i < len(words) && words[i].plain() {
		switch w := words[i].text; {
		case npmFlag.MatchString(w):
			if _, value, _ := strings.Cut(w, "="); inside(word{text: value}, 0) != "" {
				return "", 0, false
			}
			i++
		case (w == "-w" || w == "--workspace" || w == "--filter" || w == "-F") && i+1 < len(words):
			i += 2
		case (w == "--prefix" || w == "-C" || w == "--cwd" || w == "--dir") && i+1 < len(words) && inside(words[i+1], 0) == "":
			i += 2
		case strings.HasPrefix(w, "--prefix=") || strings.HasPrefix(w, "--cwd="):
			if _, folder, _ := strings.Cut(w, "="); inside(word{text: folder}, 0) != "" {
				return "", 0, false
			}
			i++
		case !run && (w == "task" && words[0].text == "deno" || words[0].text != "deno" && (w == "run" || w == "run-script")):
			i, run = i+1, true
		case strings.HasPrefix(w, "-"):
			return "", 0, false
		case (words[0].text == "bun" || words[0].text == "deno") && !run: // `bun test` is its own runner, `bun x.js` runs a file
			return "", 0, false
		case words[0].text == "lerna" && !run, (words[0].text == "turbo" || words[0].text == "lerna") && slices.ContainsFunc(words[i+1:], func(w word) bool { return !strings.HasPrefix(w.text, "-") }):
			return "", 0, false
		case !run && words[0].text == "composer":
			return w, i + 1, slices.Contains([]string{"test", "tests", "lint", "stan", "phpstan", "cs", "format", "phpunit", "check", "ci"}, w)
		case !run && words[0].text == "npm":
			return "test", i + 1, slices.Contains(npmVerbs, w)
		case !run && slices.Contains([]string{"t", "tst"}, w):
			return "test", i + 1, true
		default:
			return w, i + 1, run || kin(w) && w != "audit" && w != "fix" && w != "dist"
		}
	}
	return "", 0, false
}

var (
	activating  = lazyregexp.New(`^(\./)?\.?v?env/bin/activate$`)
	packageTool = lazyregexp.New(`^(\./)?node_modules/([\w-]+)/(bin|dist|lib)/([\w-]+?)(\.[cm]?js)?$`)
)

// toolFile returns which tool an interpreter is given as a file: node node_modules/.bin/jest, php vendor/bin/phpunit, node
// node_modules/typescript/bin/tsc; "" for any other file.
func toolFile(words []word) string {
	if len(words) < 2 || !words[1].plain() {
		return ""
	}
	m := packageTool.FindStringSubmatch(words[1].text)
	switch name := interpreter(words[0].text); {
	case name == "node" && m != nil && (m[2] == m[4] || slices.Contains([]string{"typescript tsc", "vitest vitest", "eslint eslint", "prettier prettier"}, m[2]+" "+m[4])):
		return m[4]
	case name == "node" && strings.Contains(words[1].text, "node_modules/.bin/"), name == "php" && strings.Contains(words[1].text, "vendor/bin/"):
		return projectsOwn(words[1].text)
	}
	return ""
}

// started judges the programs that run something of the user's by its name, where the policy
// eases that.
func (j judge) started(words []word, s scope) (finding, bool) {
	if words[0].text == "bin/rails" || words[0].text == "./bin/rails" {
		f := j.words(renamed(words, "rails"), s).without()
		f.rests = append(f.rests, Rest{Manifest: "bin/rails", Script: true})
		return f, f.decision == Allow
	}
	if (words[0].text == "source" || words[0].text == ".") && len(words) == 2 && words[1].plain() && activating.MatchString(words[1].text) {
		return finding{decision: Allow, touches: reads | runs, rests: []Rest{{Manifest: path.Clean(words[1].text), Script: true}}}, true
	}
	if tool := toolFile(words); tool != "" {
		f := j.words(renamed(words[1:], tool), s).without()
		return f, f.decision == Allow && f.touches&runs != 0
	}
	if words[0].text == "php" && len(words) > 1 && words[1].text == "bin/phpunit" {
		f := j.words(renamed(words[1:], "phpunit"), s).without()
		f.rests = append(f.rests, Rest{Manifest: "bin/phpunit", Script: true})
		return f, f.decision == Allow
	}
	if program, sources := compiled(words); program {
		f := finding{decision: Allow, touches: reads | writes | runs, rests: sources}
		return f, !slices.ContainsFunc(words, func(w word) bool { return !w.plain() || leads(w, s.depth) })
	}
	if (words[0].text == "hatch" || words[0].text == "pdm" || words[0].text == "rye") && len(words) > 2 && words[1].text == "run" && words[2].plain() && kin(words[2].text) {
		f := sandboxPrograms[manifestEntry].judge(append([]word{{text: manifestEntry}}, words[3:]...), 1, s)
		return f.without(), f.decision == Allow
	}
	if script, n, ok := npmScript(words); ok {
		if !kin(script) {
			return finding{}, false
		}
		f := sandboxPrograms[manifestEntry].judge(append([]word{{text: manifestEntry}}, words[n:]...), 1, s)
		return f.without(), f.decision == Allow
	}
	return script(words, s)
}

// manifestEntry is the row in the table for the flags of scripts of manifests.
const manifestEntry = "manifest.entry"

// endings are the interpreters that run a script of the project, and how its name has to end.
var endings = map[string]string{"python": ".py", "node": ".js .mjs .cjs .ts .mts", "tsx": ".ts .js .mts .tsx", "ts-node": ".ts", "ruby": ".rb", "php": ".php", "perl": ".pl .t", "lua": ".lua", "sh": ".sh .bash", "bash": ".sh .bash", "dash": ".sh", "Rscript": ".R .r"}

// quiet are flags of interpreters that only say how they speak or where they look in the workspace.
// An interpreter has its own: -I takes the next word in one and none in another, and -E is program text.
var quiet = map[string]*lazyregexp.Regexp{
	"python": lazyregexp.New(`^(-[BuIEsOqb]|-W(d|default|error|ignore|always))$`),
	"ruby":   includes, "perl": includes,
	"sh": shellFlags, "bash": shellFlags, "dash": shellFlags,
}

var includes, shellFlags = lazyregexp.New(`^(-w|-I[\w./][\w./-]*)$`), lazyregexp.New(`^-([eux]{1,3})$`)

// dispatchers are scripts that every project of a kind has: what they do is in their arguments, which are judged.
var dispatchers = []string{"manage.py", "setup.py", "artisan"}

// aimsOut matches names of scripts that are made to reach beyond the workspace.
var aimsOut = lazyregexp.New(`(?i)deploy|publish|release|push|upload|install|provision|destroy|teardown|rollback|login|notify|mail|sync|bootstrap|prod`)

var moduleName = lazyregexp.New(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$`)

// script judges a program of the project that is started by its name, by itself or by an
// interpreter. It may run as long as it is the user's own, and its arguments stay in the workspace.
func script(words []word, s scope) (finding, bool) {
	name, file, rest := interpreter(words[0].text), words[0], words[1:]
	if (name == "npx" || name == "bunx") && len(rest) > 0 && (rest[0].text == "tsx" || rest[0].text == "ts-node") {
		name, rest = rest[0].text, rest[1:]
	}
	module := false
	if ends, ok := endings[name]; ok {
		for len(rest) > 0 && quiet[name] != nil && quiet[name].MatchString(rest[0].text) {
			if include, ok := strings.CutPrefix(rest[0].text, "-I"); ok && inside(word{text: include}, s.depth) != "" {
				return finding{}, false
			}
			rest = rest[1:]
		}
		if len(rest) > 1 && name == "python" && rest[0].text == "-m" {
			if _, n := lookup(risks, rest[1:]); n > 0 || !moduleName.MatchString(rest[1].text) { // one without a dot could be of the standard library
				return finding{}, false
			}
			module, rest = true, rest[1:]
		}
		if len(rest) == 0 || !module && !slices.Contains(strings.Fields(ends), path.Ext(rest[0].text)) || slices.Contains(dispatchers, path.Base(rest[0].text)) {
			return finding{}, false
		}
		file, rest = rest[0], rest[1:]
		if file.text == "" || strings.IndexByte("-+@", file.text[0]) >= 0 { // -rx.rb is a flag that loads a file
			return finding{}, false
		}
	} else if !strings.Contains(file.text, "/") {
		return finding{}, false
	}
	if aimsOut.MatchString(path.Base(file.text)) {
		return finding{}, false
	}
	p := path.Clean(file.text)
	if module {
		p = strings.ReplaceAll(file.text, ".", "/")
	}
	if !file.plain() || path.IsAbs(p) || strings.HasPrefix(p, ".") || climbs(file.text, s.depth) || inside(file, s.depth) != "" {
		return finding{}, false
	}
	for _, w := range rest {
		if w.glob || w.status || leads(w, s.depth) {
			return finding{}, false
		}
	}
	for strings.HasPrefix(p, "../") {
		p = p[3:]
	}
	return finding{decision: Allow, touches: reads | writes | runs, rests: []Rest{{Manifest: p, Script: true}}}, true
}

var (
	localPackage = lazyregexp.New(`^(\.{1,2}(/[\w.-]+)*/?|[\w./-]+\.go)$`)
	generated    = lazyregexp.New(`^(-[vxn]|\.{1,2}(/[\w.-]+)*/?|[\w-][\w./-]*\.go)$`)
	setupVerb    = lazyregexp.New(`^(build|build_ext|build_py|check|test|clean|sdist|bdist_wheel|--inplace|-[iqfv]|--(force|quiet|verbose|version|name))$`)
	cargoFlag    = lazyregexp.New(`^(-q|--quiet|--release|--offline|--locked|--bin|--example|-p|--package|[\w-]+)$`)
)

// compiled reports whether a command compiles and runs a program of the project, with the sources that it rests on.
func compiled(words []word) (bool, []Rest) {
	switch {
	case len(words) > 2 && words[0].text == "go" && words[1].text == "run" && localPackage.MatchString(words[2].text):
		return true, []Rest{{Manifest: "*.go"}, {Manifest: "go.mod"}, {Manifest: "go.work"}}
	case len(words) > 1 && words[0].text == "go" && words[1].text == "generate" && !slices.ContainsFunc(words[2:], func(w word) bool { return !generated.MatchString(w.text) }):
		return true, []Rest{{Manifest: "*.go"}, {Manifest: "go.mod"}, {Manifest: "go.work"}, {Manifest: "*.sh"}, {Manifest: "*.py"}, {Manifest: "*.pl"}} // what its comments start
	case len(words) > 2 && interpreter(words[0].text) == "python" && words[1].text == "setup.py" && setupVerb.MatchString(words[2].text) && !slices.ContainsFunc(words[3:], func(w word) bool { return !setupVerb.MatchString(w.text) }):
		return true, []Rest{{Manifest: "setup.py", Script: true}, {Manifest: "setup.cfg"}}
	case len(words) > 1 && words[0].text == "cargo" && words[1].text == "run":
		for _, w := range words[2:] {
			if w.text == "--" {
				break
			}
			if !cargoFlag.MatchString(w.text) {
				return false, nil
			}
		}
		return true, []Rest{{Manifest: "*.rs"}, {Manifest: "Cargo.toml"}, {Manifest: "config.toml"}}
	}
	return false, nil
}

// Starts returns the files that a line starts by name: programs of the workspace, the
// scripts that interpreters are given, and the modules that python runs, as paths. What a runner of tests loads
// it does not start. A name may have a variable or a wildcard. A line that cannot be parsed starts all of its words.
func Starts(line string) (files []string) {
	file, _, err := parse(line)
	if err != nil {
		return strings.Fields(line)
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			words := looseWords(call)
			files = append(files, startedBy(words)...)
			_, texts := unwrap(words)
			for _, text := range texts {
				if len(text) < len(line) {
					files = append(files, Starts(text)...)
				}
			}
		}
		return true
	})
	return files
}

// starters run the files that are their operands, beside shells and interpreters.
var starters = []string{"tsx", "ts-node", "babel-node", "nodemon", "esno", "jiti", "bun", "deno", "java", "dotnet", "Rscript", "julia"}

// testRuns are the words behind an interpreter that make it a runner of tests, or a tool that only reads its operands.
var testRuns = map[string][]string{"node": {"--test", "--check", "-c"}, "tsx": {"--test"}, "bun": {"test"}, "deno": {"test", "lint", "fmt", "check"}}

var onlyVariable = lazyregexp.New(`^(\$+(\([^)]*\)|\{[^}]*\}|\w+|[@<^*?])|` + unknown + `)$`)

// startedBy returns the files that one command starts.
func startedBy(words []string) (files []string) {
	starts := strings.HasPrefix(words[0], "$") || strings.Contains(words[0], unknown) || words[0] == "." || words[0] == "source"
	if strings.Contains(words[0], "/") {
		files = append(files, path.Clean(words[0]))
	}
	name := ""
	for i, w := range words {
		switch {
		case starts && w == "-m" && i+1 < len(words) && (name == "" || name == "python"):
			if module := words[i+1]; slices.Contains(modules, module) {
				return files
			} else if p := strings.ReplaceAll(module, ".", "/"); module != "" {
				return append(files, p+".py", p+"/__main__.py", p+"/__init__.py")
			}
		case starts && slices.Contains(testRuns[name], w):
			return files
		case i > 0 && starts && onlyVariable.MatchString(w): // any for a shell; others are mostly given flags
			if name == "" || slices.Contains(shells, name) {
				files = append(files, "*.sh", "*.bash")
			}
		case i > 0 && starts && !strings.HasPrefix(w, "-"):
			files = append(files, path.Clean(w))
		}
		if one := interpreter(programOf([]string{w})); slices.Contains(starters, one) || slices.Contains(shells, one) || slices.Contains(interpreters, one) { // behind whatever starts it
			starts, name = true, one
		}
	}
	return files
}

// overwritten returns why what a command rests on may be changed by the line, or "".
func (w *walker) overwritten(c *command, r Rest) string {
	for _, other := range w.commands {
		if other == c && c.result.apart {
			continue
		}
		for _, p := range other.result.writes {
			p = path.Clean(strings.TrimPrefix(p, root+"/"))
			base, _ := path.Match(r.Manifest, path.Base(p))
			glob, _ := path.Match(path.Base(p), path.Base(r.Manifest))
			if base || glob || strings.Contains(p, hole) || r.Script && strings.Contains("/"+r.Manifest, "/"+path.Base(p)) {
				return "It runs what it may have changed itself (" + r.Manifest + ")."
			}
		}
	}
	return ""
}
