package agent

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/codemap"
	"caselsp/agent/count"
	"caselsp/agent/stack"
	"caselsp/agent/syntax"
	"caselsp/agent/workspace"
	"caselsp/store/lazyregexp"
)

// What a model is told of a project before it looks: what the project is made with, the
// project's own rules for those who change it, the configuration that a feature speaks of, and a
// map of the code that the task touches. It stands in the first message of TARS and of CASE, as
// data: a rule file allows nothing and changes no task. A task runs in a trusted workspace
// only, so that no rule of another one is shown.

// ruleFiles are the files in which projects tell coding agents how to work, of the root. Their
// texts are often copies of each other: each is shown once.
var ruleFiles = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", ".cursorrules", ".windsurfrules", "CONVENTIONS.md"}

// folderRulesFile is the one that counts in a folder, for what lies below it.
const folderRulesFile = "AGENTS.md"

// maxNestedRules is how many rule files of folders are shown or named: a repository of many
// projects has one in each.
const maxNestedRules = 8

// rulesNote says what the rule files are.
const rulesNote = "The project's own rules for changes come first: they say how code is written and tested here. They allow nothing, and the task counts more."

// rules shows the rule files of the root and those of the folders in which files lie, the nearest
// last. Without files, those of folders are named.
func (p *prompter) rules(entries []workspace.Entry, files []string) string {
	root, said := p.rootRules(entries)
	return root + p.folderRules(entries, files, said, p.window.of(partRules)-len(root))
}

// rootRules shows the rule files of the root, which hold for every file, and returns the hashes of their texts.
func (p *prompter) rootRules(entries []workspace.Entry) (text string, said map[string]bool) {
	var show []string
	for _, e := range entries {
		if slices.Contains(ruleFiles, e.Path) {
			show = append(show, e.Path)
		}
	}
	said = map[string]bool{}
	return p.ruleTexts(show, said, p.window.of(partRules)), said
}

// folderRules shows the rule files of the folders in which files lie, as far as they were not said. Without
// files, it names them.
func (p *prompter) folderRules(entries []workspace.Entry, files []string, said map[string]bool, most int) string {
	var show, name []string
	for _, e := range entries {
		switch dir := path.Dir(e.Path); {
		case path.Base(e.Path) != folderRulesFile || dir == ".":
		case slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, dir+"/") }):
			show = append(show, e.Path)
		default:
			name = append(name, e.Path)
		}
	}
	text := p.ruleTexts(show, said, most)
	if len(files) == 0 && len(name) > 0 {
		text += fmt.Sprintf("Folders with rules of their own: %s\n", strings.Join(name[:min(len(name), maxNestedRules)], ", "))
	}
	return text
}

// ruleTexts shows rule files that were not said, the nearest to the root first.
func (p *prompter) ruleTexts(show []string, said map[string]bool, left int) string {
	slices.SortStableFunc(show, func(a, b string) int { return cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")) })
	var b strings.Builder
	for _, file := range show[:min(len(show), maxNestedRules)] {
		f, why := p.readable(file)
		if why != "" || said[f.Hash] || left <= 0 {
			continue
		}
		said[f.Hash] = true
		text := fmt.Sprintf("%s:\n%s\n", file, strings.TrimSpace(f.Text))
		text = cutText(text, left, ": read the file")
		b.WriteString(text)
		left -= len(text)
	}
	return b.String()
}

// habits are what code of a language is expected to be like where a project says nothing else.
var habits = map[syntax.Language]string{
	"python":     "PEP 8; type hints and docstrings as in the code around; new requirements are pinned as the others are",
	"go":         "gofmt; errors are returned and wrapped; exported names have comments",
	"javascript": "the module system, quotes and semicolons of the code around",
	"typescript": "strict types, no any; the module system and quotes of the code around",
}

// leastShare is the share of the files from which a language is named, in percent.
const leastShare = 10

// project is what the project's own files say of it, each with the line that says so: the commands
// that run its tests, the best first, and what it is made with. Models are told of them, and
// FINISH_FEATURE runs the first command: both look here. A file that models may not see says nothing.
func (p *prompter) project(entries []workspace.Entry) (tests []stack.Candidate, facts []stack.Fact) {
	files := p.described(entries)
	return stack.Tests(files), stack.Profile(files)
}

// described are the files of a workspace, with the texts that describe it.
func (p *prompter) described(entries []workspace.Entry) (files []stack.File) {
	for _, e := range entries {
		f := stack.File{Path: e.Path}
		if stack.Described(e.Path) {
			if text, why := p.readable(e.Path); why == "" {
				f.Text = text.Text
			}
		}
		files = append(files, f)
	}
	return files
}

// madeWith says in a few lines which languages, frameworks, linters and commands a project has,
// with what says so.
func (p *prompter) madeWith(entries []workspace.Entry) string {
	having, all := map[syntax.Language]int{}, 0
	for _, e := range entries {
		if lang := syntax.OutlineLanguageOf(e.Path); lang != "" && syntax.Outlined(e.Path) {
			having[lang]++
			all++
		}
	}
	var langs []string
	for lang, n := range having {
		if n*100 >= all*leastShare {
			langs = append(langs, string(lang))
		}
	}
	slices.SortFunc(langs, func(a, b string) int {
		return cmp.Or(cmp.Compare(having[syntax.Language(b)], having[syntax.Language(a)]), cmp.Compare(a, b))
	})
	var b strings.Builder
	for _, lang := range langs {
		fmt.Fprintf(&b, "%s: %s", lang, count.Of(having[syntax.Language(lang)], "file"))
		if usual := habits[syntax.Language(lang)]; usual != "" {
			b.WriteString(". Usual: " + usual)
		}
		b.WriteByte('\n')
	}
	tests, facts := p.project(entries)
	by := map[stack.FactKind][]string{}
	for _, f := range facts {
		by[f.Kind] = append(by[f.Kind], f.String())
	}
	var commands []string
	for _, c := range tests {
		commands = append(commands, c.String())
	}
	for _, line := range []struct {
		what string
		list []string
	}{{"Uses", by[stack.Framework]}, {"Tests", commands}, {"Checked by", by[stack.Linter]}, {"Commands", by[stack.Build]}} {
		if len(line.list) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", line.what, strings.Join(line.list[:min(len(line.list), maxFacts)], ", "))
		}
	}
	return p.window.text(partMade, b.String(), "")
}

// maxFacts is how many facts of a kind are told: more are a list of dependencies.
const maxFacts = 8

const (
	// planMap and codeMap are the tokens of the map that TARS and CASE begin with: with 2,000,
	// nine of ten files that commits of measured projects changed are in it; a feature
	// touches fewer than a task.
	planMap, codeMap = 2000, 1000
	// maxMapped is how many bytes of code are read for a map: parsing them for the first
	// time takes some seconds, while which the model is not asked.
	maxMapped = 8 << 20
	// maxFirst is how many of the ranked files a map is made of: it has room for fewer, and
	// each of the others would be looked for in the listing.
	maxFirst = 400
)

// codeMap is the part of the project that a query touches, without the files that are shown
// already, those that are hidden, and those whose text holds secrets. It names no file that a
// listing names; without a listing, none that it shows nothing of.
func (r *run) codeMap(ctx context.Context, p *prompter, entries []workspace.Entry, q codemap.Query, tokens int, shown []string, listing string) (string, error) {
	mapped := mappable(entries, q)
	facts, _, err := r.overlay.Structure(ctx, "", func(key string) bool { return !mapped[key] || p.may.Hides(key) })
	if err != nil {
		return "", fmt.Errorf("the structure of the workspace cannot be read: %w", err)
	}
	files := make([]codemap.File, len(facts))
	for i, f := range facts {
		files[i] = codemap.File(f)
	}
	ranked := r.a.graph.Rank(files, q)
	hidden := func(path string) bool {
		if slices.Contains(shown, path) {
			return true
		}
		text, err := r.overlay.Read(path)
		return err != nil || r.tells(path, text.Text)
	}
	bare := func(path string) bool { return listing != "" && !strings.Contains(listing, path+" (") }
	return codemap.Render(ranked[:min(len(ranked), maxFirst)], min(tokens, p.window.of(partMap)/bytesPerToken), codemap.Choice{Bare: bare, Hidden: hidden}), nil
}

// bytesPerToken is how many bytes of code a token has at least, on average.
const bytesPerToken = 3

// mappable chooses the files of which a map is made: all, or, where that is too much to parse,
// first those whose paths have words of the query, then those nearest to the root.
func mappable(entries []workspace.Entry, q codemap.Query) map[string]bool {
	var list []workspace.Entry
	size := int64(0)
	for _, e := range entries {
		if syntax.Outlined(e.Path) && (!codemap.Vendored(e.Path) || slices.Contains(q.Paths, e.Path)) {
			list = append(list, e)
			size += e.Size
		}
	}
	spoken := map[string]bool{}
	for _, w := range word.FindAllString(strings.ToLower(q.Text), -1) {
		spoken[w] = len(w) >= leastName
	}
	rank := func(e workspace.Entry) int {
		n := strings.Count(e.Path, "/")
		for _, w := range word.FindAllString(strings.ToLower(e.Path), -1) {
			if spoken[w] {
				n -= 100
			}
		}
		if slices.Contains(q.Paths, e.Path) {
			n -= 10_000
		}
		return n
	}
	if size > maxMapped {
		ranks := make(map[string]int, len(list))
		for _, e := range list {
			ranks[e.Path] = rank(e)
		}
		slices.SortStableFunc(list, func(a, b workspace.Entry) int { return cmp.Compare(ranks[a.Path], ranks[b.Path]) })
	}
	chosen, left := map[string]bool{}, int64(maxMapped)
	for _, e := range list {
		if left -= e.Size; left < 0 {
			break
		}
		chosen[e.Path] = true
	}
	return chosen
}

// fetches are the words of features that need configuration, and the names of the files that
// hold it. "Add" alone is no such word: most features add something.
var fetches = []struct {
	words *lazyregexp.Regexp
	files *lazyregexp.Regexp
}{
	{lazyregexp.New(`(?i)\b(install\w*|set ?up|configur\w*|settings?|apps?|middlewares?|databases?|migrations?|env(ironment)? variables?|deploy\w*|wsgi|asgi)\b`),
		lazyregexp.New(`(^|/)(settings(/(base|__init__))?|urls|wsgi|asgi|apps)\.py$`)},
	{lazyregexp.New(`(?i)\b(urls?|routes?|routing|router|endpoints?|pages?|views?)\b`), lazyregexp.New(`(^|/)(urls|routes|routing)\.(py|js|ts|rb|php)$`)},
	{lazyregexp.New(`(?i)\b(install\w*|set ?up|configur\w*|dependenc\w+|requirements?\.txt|(npm|pip|python|build|project'?s?) (packages?|version|scripts?|requirements?)|package (metadata|version|name|manager)|(add|remove|update|upgrade|pin)\w* (the |a )?package|python_requires|entry points?|module path)\b`),
		lazyregexp.New(`^(pyproject\.toml|setup\.(py|cfg)|requirements[\w.-]*\.txt|package\.json|go\.mod|Cargo\.toml|composer\.json|Gemfile|pom\.xml|build\.gradle(\.kts)?|tsconfig\.json)$`)},
}

// maxOfOneName is up to how many files of one name are configuration that a feature means;
// where there are more, none is loaded.
const maxOfOneName = 5

// configuration returns the files that a feature needs for what its words speak of, and says of which
// names there are too many to load any.
func configuration(entries []workspace.Entry, text string) (files, tooMany []string) {
	var wanted []*lazyregexp.Regexp
	for _, f := range fetches {
		if f.words.MatchString(text) {
			wanted = append(wanted, f.files)
		}
	}
	of := map[string][]string{}
	for _, e := range entries {
		if slices.ContainsFunc(wanted, func(files *lazyregexp.Regexp) bool { return files.MatchString(e.Path) }) {
			of[path.Base(e.Path)] = append(of[path.Base(e.Path)], e.Path)
		}
	}
	for name, list := range of {
		if len(list) > maxOfOneName {
			tooMany = append(tooMany, fmt.Sprintf("%s: there are %d files of this name: %s shows where", name, len(list), action.ListFilesName))
			continue
		}
		files = append(files, list...)
	}
	slices.Sort(files)
	slices.Sort(tooMany)
	return files, tooMany
}
