package agent

import (
	"context"
	"slices"
	"strings"

	"caselsp/agent/codemap"
	"caselsp/agent/syntax"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/store"
	"caselsp/store/lazyregexp"
)

// What is similar in words may still be of no use: a fix in Python does not mend JavaScript, and `AssertionError: NAME != NAME`
// says nothing of its cause. Only what is relevant is recalled.

const (
	// minLanguageShare is which part of the code files a language has at least that counts as one of the project: a
	// script beside sixty modules makes no project of two languages.
	minLanguageShare = 50
	// minShared is which part of its words a failure shares with the present one at least, where its signature says nothing.
	minShared = 2
)

// codeLanguage is the language whose solutions a file can use; "" for what is no code, or data.
func codeLanguage(file string) string {
	switch lang := syntax.OutlineLanguageOf(file); lang {
	case syntax.TypeScript, syntax.TSX:
		return string(syntax.JavaScript)
	case syntax.C:
		return string(syntax.CPP)
	case syntax.JSON, syntax.JSONC, syntax.Markdown, syntax.RST, syntax.Text, syntax.Unknown:
		return ""
	default:
		return string(lang)
	}
}

// markup are the languages that are a part of projects in any other: one file of theirs is enough.
var markup = map[string]bool{string(syntax.HTML): true, string(syntax.CSS): true}

// languageOf is the language in which a change has the most lines; "" where it changes no code.
func languageOf(changes []workspace.Change) (most string) {
	lines := map[string]int{}
	for _, c := range changes {
		if l := codeLanguage(c.Path); l != "" {
			lines[l] += 1 + strings.Count(c.Unified(), "\n")
		}
	}
	for l, n := range lines {
		if most == "" || n > lines[most] || n == lines[most] && l < most {
			most = l
		}
	}
	return most
}

// fileNamed is a name of a file in a text.
var fileNamed = lazyregexp.New(`[\w/.@-]*\w\.[A-Za-z]{1,5}\b`)

// writtenIn are lines that are written in one language only, for records of which nothing else tells their language.
var writtenIn = []struct {
	language string
	line     *lazyregexp.Regexp
}{
	{string(syntax.Go), lazyregexp.New(`(?m)^[-+ ]?\s*(func (\(\w+ [*\w.]+\) )?\w+\(.*\{$|if .*err != nil \{$|package \w+$)|\w+ := `)},
	{string(syntax.JavaScript), lazyregexp.New(`(?m)^[-+ ]?\s*((export |async )*function\*? ?\w*\(|(const|let) [\w{[].* = |import .* from ['"]|\}\);?$)|=> [{(]|(===|!==) `)},
	{string(syntax.Python), lazyregexp.New(`(?m)^[-+ ]?\s*((async )?def \w+\(.*:$|class \w+(\(.*\))?:$|from [\w.]+ import |(if|elif|for|while|with|except|try|else)\b[^{}]*:$|(pass|raise \w+.*)$)|\bself\.\w`)},
	{string(syntax.HTML), lazyregexp.New(`(?m)^[-+ ]?\s*</?[a-z][a-z0-9]*[ >]`)},
}

// languageOfPattern is the language of what is remembered; for a record that does not say it, that of the files which
// it names, and else of its lines of code. "" where nothing tells.
func languageOfPattern(p store.Pattern) string {
	if p.Language != "" {
		return p.Language
	}
	for _, text := range []string{p.Solution, p.Text} {
		for _, name := range fileNamed.FindAllString(text, -1) {
			if l := codeLanguage(name); l != "" {
				return l
			}
		}
	}
	for _, s := range writtenIn {
		if s.line.MatchString(p.Solution) {
			return s.language
		}
	}
	return ""
}

// languages are those in which the work is: of the failure that is told, or of the project and of what the task names. nil
// where there is no code yet: any is.
func (r *run) languages(ctx context.Context, kind, said string) map[string]bool {
	files, _, err := r.overlay.List(ctx, "", maxTreeFiles)
	if err != nil {
		return nil
	}
	count, all := map[string]int{}, 0
	var tree testreport.Tree
	for _, f := range files {
		tree = append(tree, f.Path)
		if l := codeLanguage(f.Path); l != "" && !codemap.Vendored(f.Path) {
			count[l]++
			all++
		}
	}
	if all == 0 {
		return nil
	}
	have, failed := map[string]bool{}, map[string]bool{}
	for l, n := range count {
		have[l] = n*minLanguageShare >= all || markup[l]
	}
	if kind == store.KindFailure {
		for _, trace := range testreport.Traces(said) {
			for _, f := range trace.In(tree).Frames {
				failed[codeLanguage(f.File)] = true
			}
		}
		delete(failed, "")
	}
	for _, name := range fileNamed.FindAllString(r.state.Task.Text, -1) {
		if l := codeLanguage(name); count[l] > 0 {
			have[l] = true
		}
	}
	if len(failed) == 0 {
		return have
	}
	for l := range markup {
		failed[l] = have[l] // a page may be what a test of code fails for
	}
	return failed
}

// relevant tells what may be recalled for a query. said is the output of the tests that failed; "" for a task.
func (r *run) relevant(ctx context.Context, kind, query, said string) func(store.Pattern) bool {
	have := r.languages(ctx, kind, said)
	known := map[string]bool{}
	for _, w := range telling(query) {
		known[w] = true
	}
	return func(p store.Pattern) bool {
		if l := languageOfPattern(p); have != nil && l != "" && !have[l] {
			return false
		}
		return kind != store.KindFailure || sharesCause(p, known)
	}
}

// sharesCause reports whether a remembered failure can be judged by its words: its signature says more than that two
// values differ, or its other words are for a good part those of the present failure.
func sharesCause(p store.Pattern, known map[string]bool) bool {
	signed := false
	for line := range strings.Lines(p.Text) {
		if p.Type == "" || !strings.HasPrefix(line, p.Type) {
			continue
		}
		if signed = true; !testreport.Hollow(line) {
			return true
		}
	}
	if !signed {
		return true
	}
	words, shared := telling(p.Text), 0
	for _, w := range words {
		if known[w] {
			shared++
		}
	}
	return shared > 0 && shared*minShared >= len(words)
}

// telling are the words of a failure that tell something of its cause, each once.
func telling(text string) (words []string) {
	for line := range strings.Lines(text) {
		if testreport.Hollow(line) {
			continue
		}
		for _, w := range word.FindAllString(line, -1) {
			if w = strings.ToLower(w); len(w) >= leastName-1 && !placeholderWord.MatchString(w) && !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// placeholderWord is a name that package general has put in place of one of a project, in lower case.
var placeholderWord = lazyregexp.New(`^_*(test_?)?(func|type|name|const|module|text|number|file|url|address)\d+$`)
