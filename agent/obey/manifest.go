package obey

import (
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// harmless reports whether a change of a file that programs obey touches nothing that they
// obey. It is known of the formats below and of existing files only; of new ones too where
// the format says so.
func (c Change) harmless() bool {
	before, after := c.Before, c.After
	if after == nil || after.Binary || before != nil && before.Binary {
		return false
	}
	low := fold(c.Path)
	i := slices.IndexFunc(manifests, func(m manifest) bool {
		return slices.ContainsFunc(m.names, func(n string) bool { return doublestar.MatchUnvalidated("**/"+n, low) })
	})
	if i < 0 {
		return false
	}
	m := manifests[i]
	text := m.empty
	switch {
	case before != nil:
		text = before.Text
	case m.empty == "":
		return false
	}
	if m.same != nil {
		return m.same(text, after.Text)
	}
	was, okBefore := m.rest(text)
	is, okAfter := m.rest(after.Text)
	return okBefore && okAfter && was == is
}

// manifest is a format of files that programs obey in parts.
type manifest struct {
	names []string // globs in small letters, at any depth
	// rest returns what of a text programs obey, in a form that can be compared; false where
	// the text cannot be understood.
	rest func(text string) (string, bool)
	// same, where it is set, compares two texts instead: what a change may do depends on both.
	same func(before, after string) bool
	// empty is the text that a new file is compared with; "": a new one is always obeyed.
	empty string
}

var manifests = []manifest{
	{names: []string{"package.json"}, rest: inJSON(`
		name version description keywords author contributors maintainers license licenses homepage repository bugs funding private
		main module browser types typings typesVersions type exports imports sideEffects files engines os cpu browserslist
		peerDependenciesMeta dependenciesMeta.*.optional man directories.lib directories.doc directories.man directories.example directories.test jsdelivr unpkg readme $schema
		dependencies.*=version devDependencies.*=version peerDependencies.*=version optionalDependencies.*=version`)},
	{names: []string{"composer.json"}, rest: inJSON(`
		name version description keywords homepage license authors support funding readme time type suggest abandoned archive
		require.*=version require-dev.*=version conflict.*=version minimum-stability prefer-stable
		autoload.psr-4 autoload.psr-0 autoload-dev.psr-4 autoload-dev.psr-0 autoload.classmap autoload.exclude-from-classmap
		config.sort-packages config.optimize-autoloader config.preferred-install config.platform extra.branch-alias`)},
	{names: []string{"deno.json", "deno.jsonc"}, rest: inJSON(`name version license exports compilerOptions lint.include lint.exclude lint.rules fmt exclude include publish imports.*=version`)},
	{names: []string{"tsconfig*.json", "jsconfig.json"}, rest: inJSON(`$schema display compilerOptions !compilerOptions.plugins files include exclude references watchOptions typeAcquisition compileOnSave angularCompilerOptions`), empty: "{}"},
	{names: []string{"pyproject.toml"}, rest: inTOML(`
		project.name project.version project.description project.readme project.license project.license-files project.authors project.maintainers
		project.keywords project.classifiers project.urls project.requires-python project.dynamic
		project.dependencies=requirements project.optional-dependencies.*=requirements dependency-groups.*=requirements
		tool.black tool.ruff tool.pyright tool.basedpyright tool.docformatter tool.interrogate tool.codespell tool.typos tool.vulture tool.deptry tool.bandit tool.autopep8 tool.autoflake
		tool.isort.profile tool.isort.line_length tool.isort.known_first_party tool.isort.known_third_party tool.isort.skip tool.isort.skip_glob tool.isort.src_paths
		tool.mypy.strict tool.mypy.python_version tool.mypy.files tool.mypy.exclude tool.mypy.overrides tool.mypy.ignore_missing_imports tool.mypy.warn_* tool.mypy.disallow_* tool.mypy.check_* tool.mypy.no_* tool.mypy.show_* tool.mypy.pretty
		tool.coverage.report tool.coverage.html tool.coverage.xml tool.coverage.paths tool.coverage.run.source tool.coverage.run.branch tool.coverage.run.omit tool.coverage.run.include
		tool.pytest.ini_options.testpaths tool.pytest.ini_options.minversion tool.pytest.ini_options.markers tool.pytest.ini_options.python_* tool.pytest.ini_options.asyncio_* tool.pytest.ini_options.log_* tool.pytest.ini_options.xfail_strict tool.pytest.ini_options.norecursedirs tool.pytest.ini_options.filterwarnings
		tool.poetry.name tool.poetry.version tool.poetry.description tool.poetry.authors tool.poetry.maintainers tool.poetry.license tool.poetry.readme tool.poetry.homepage tool.poetry.repository tool.poetry.documentation tool.poetry.keywords tool.poetry.classifiers tool.poetry.urls tool.poetry.extras tool.poetry.package-mode
		tool.poetry.dependencies.*=version tool.poetry.dev-dependencies.*=version tool.poetry.group.*.dependencies.*=version tool.poetry.group.*.optional
		tool.uv.dev-dependencies=requirements tool.pdm.dev-dependencies.*=requirements`)},
	{names: []string{"cargo.toml"}, rest: inTOML(`
		package.name package.version package.edition package.rust-version package.description package.authors package.license package.license-file package.homepage package.repository package.documentation
		package.readme package.keywords package.categories package.exclude package.include package.publish package.default-run package.autobins package.autotests package.autoexamples package.autobenches package.resolver package.metadata.docs
		dependencies.*=version dev-dependencies.*=version build-dependencies.*=version target.*.dependencies.*=version target.*.dev-dependencies.*=version workspace.dependencies.*=version
		features workspace.members workspace.exclude workspace.default-members workspace.resolver workspace.package lints workspace.lints
		profile.*.opt-level profile.*.debug profile.*.lto profile.*.panic profile.*.strip profile.*.codegen-units profile.*.incremental profile.*.overflow-checks profile.*.debug-assertions profile.*.inherits
		lib.name lib.path lib.crate-type lib.doc lib.doctest lib.test lib.bench bin example test bench`)},
	{names: []string{"pubspec.yaml", "pubspec.yml"}, rest: plainly(inLines(pubspecLine, "#"))},
	{names: []string{"package-lock.json", "npm-shrinkwrap.json"}, same: sameNPM},
	{names: []string{"cargo.lock"}, same: sameRust},
	{names: []string{"go.mod", "go.work"}, rest: plainly(inGoMod)},
	{names: []string{"pom.xml"}, rest: inXML(pomFree)},
	{names: []string{"*.csproj", "*.fsproj", "*.vbproj", "directory.packages.props"}, rest: inXML(csprojFree)},
	{names: []string{"*requirements*.txt", "requirements*.in", "requirements/*.txt", "requirements/*.in", "constraints*.txt"}, rest: plainly(inLines(requirementLine, "#"))},
	{names: []string{"gemfile", "gems.rb"}, rest: plainly(inLines(gemLine, "#"))},
	{names: []string{"build.gradle", "build.gradle.kts"}, rest: plainly(inLines(gradleLine, "//"))},
	{names: []string{"build.sbt"}, rest: plainly(inLines(sbtLine, "//"))},
	{names: []string{"makefile", "gnumakefile", "*.mk"}, rest: plainly(inMakefile)},
	{names: []string{"cmakelists.txt"}, rest: plainly(inCMake)},
}
