package fixcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// sameProgram judges that some file is another program than before. It compares syntax trees without comments: the
// blocks of Python are in its tree, indentation that means nothing is not. What it cannot compare has changed.
func sameProgram(c Claim) (string, float64) {
	if aboutLayout(c) {
		return "", 0
	}
	for _, f := range c.Files {
		if f.changed() && !sameCode(f) {
			return "", 0
		}
	}
	return fmt.Sprintf("only comments and layout have changed since the failure (%s), the code is the same as before: the tests would fail again", changedPaths(c.Files)), 0.95
}

// compared are the languages whose trees say all that a program does.
var compared = []syntax.Language{syntax.Python, syntax.Go, syntax.JavaScript, syntax.TypeScript, syntax.TSX}

// layoutWords begin words of failures that a change of comments or of layout can fix: those of linters, formatters and tests
// of source text.
var layoutWords = []string{
	"lint", "eslint", "tslint", "pylint", "golangci", "reformat", "formatted", "formatting", "formatter", "gofmt", "gofumpt", "goimports", "staticcheck", "prettier", "biome",
	"ruff", "flake8", "pycodestyle", "pydocstyle", "pep8", "isort", "yapf", "autopep8", "mypy", "pyright", "pytype", "bandit", "interrogate", "codespell",
	"indentation", "taberror", "unindent", "dedent", "whitespace", "newline", "comment", "docstring", "doctest", "license", "copyright", "shebang",
	"getsource", "lineno", "pragma", "noqa", "sourcemap", "stylelint", "editorconfig",
}

// aboutLayout reports whether the failure may be about what is not in a syntax tree.
func aboutLayout(c Claim) bool {
	for _, w := range words(c.ErrorType + " " + said(c.ErrorMessage)) {
		if slices.ContainsFunc(layoutWords, func(l string) bool { return strings.HasPrefix(w, l) }) {
			return true
		}
	}
	return false
}

// framework are lines that runners write around each failure, which say nothing of it.
var framework = lazyregexp.New(`(?m)^(?:=+ .*|-+ .*|_+ .*|(?:rootdir|plugins|platform|collected|cachedir|configfile|testpaths|asyncio):? .*|.*\bcoverage:.*|\s+at .*|\s*File ".*|Traceback .*|\s*~*\^+~*\s*)$`)

// said is the failure without what a runner writes around it.
func said(message string) string { return framework.ReplaceAllString(message, "") }

// sameCode reports whether both texts of a file are certainly the same program.
func sameCode(f File) bool {
	language := syntax.LanguageOf(f.Path)
	if f.Before == nil || f.After == nil || !slices.Contains(compared, language) || marked(*f.Before) != marked(*f.After) {
		return false
	}
	before, known := programOf(language, *f.Before)
	if !known {
		return false
	}
	after, known := programOf(language, *f.After)
	return known && slices.Equal(before.tokens, after.tokens) && slices.Equal(before.directives, after.directives)
}

// marked says which marks a text has that are not in its tree and that programs may stumble over.
func marked(text string) [3]bool {
	return [3]bool{strings.HasPrefix(text, "\ufeff"), strings.Contains(text, "\r"), strings.HasPrefix(text, "#!")}
}

// token is a node of a tree.
type token struct {
	depth int
	kind  string
	text  string // of a leaf, and of what is compared as a whole
}

// directive is a comment that a program reads, with its place between the tokens and its distance from them.
type directive struct {
	text          string
	token         int // that follows it
	above, behind int // lines from the token before it, and to the one that follows it
}

// program is a text without its layout and without comments for people.
type program struct {
	tokens     []token
	directives []directive
}

// programOf reads a program; known is false where its tree may not hold all of it.
func programOf(language syntax.Language, text string) (p program, known bool) {
	tree := syntax.Parse(language, text)
	root := tree.Root()
	if root.IsZero() || !tree.OK() || len(text) > syntax.MaxBytes || language == syntax.Go && cgo.MatchString(text) {
		return p, false
	}
	r := reading{text: text, examples: language == syntax.Go && goExample.MatchString(text)}
	known = r.node(root, 0)
	return program{r.tokens, r.placed(len(text))}, known
}

var (
	cgo       = lazyregexp.New(`(?m)^\s*(?:import\s+)?"C"`) // comments above it are C
	goExample = lazyregexp.New(`(?m)^func Example`)         // comments in it are what it must print
)

// reading collects the tokens of a tree.
type reading struct {
	text     string
	examples bool
	tokens   []token
	ends     []int // the offset behind each leaf
	starts   []int // and that of it
	leaves   []int // the token that each leaf is
	comments []syntax.Node
	at       int // the offset behind the last leaf or comment
}

// verbatim are parts of the names of nodes whose text is compared as it is: blanks in them count.
var verbatim = []string{"string", "template_substitution", "jsx_text", "regex", "char", "rune"}

func (r *reading) node(n syntax.Node, depth int) bool {
	kind := n.Kind()
	start, end := n.Offsets()
	switch {
	case kind == "ERROR" || n.Missing():
		return false
	case kind == "comment" || kind == "html_comment" || kind == "hash_bang_line":
		r.comments = append(r.comments, n)
		return r.leaf(start, end)
	case kind == "line_continuation":
		return r.leaf(start, end)
	}
	inner := syntax.Node{}
	for c := range n.Children() {
		inner = c
		break
	}
	if inner.IsZero() || n.Named() && syntax.ContainsAny(kind, verbatim) {
		if start == end {
			return true // made up by the parser, such as an end of a block
		}
		r.tokens = append(r.tokens, token{depth, kind, n.Text()})
		r.starts, r.ends, r.leaves = append(r.starts, start), append(r.ends, end), append(r.leaves, len(r.tokens)-1)
		return r.leaf(start, end)
	}
	r.tokens = append(r.tokens, token{depth: depth, kind: kind})
	for c := range n.Children() {
		if !r.node(c, depth+1) {
			return false
		}
	}
	return true
}

// leaf goes on behind a leaf. It reports false where text before it belongs to no leaf.
func (r *reading) leaf(start, end int) bool {
	between := ""
	if start > r.at {
		between = r.text[r.at:start]
	}
	r.at = max(r.at, end)
	return strings.Trim(between, " \t\r\n\f\\\ufeff") == ""
}

// placed returns the directives of a text.
func (r *reading) placed(size int) (list []directive) {
	for _, c := range r.comments {
		if !r.isDirective(c.Text()) {
			continue
		}
		start, end := c.Offsets()
		next, _ := slices.BinarySearchFunc(r.starts, start, func(a, b int) int { return cmp.Compare(a, b) })
		d := directive{text: c.Text(), token: next}
		if next > 0 {
			d.above = strings.Count(r.text[r.ends[next-1]:start], "\n")
		}
		if next < len(r.starts) {
			d.behind = strings.Count(r.text[min(end, r.starts[next]):r.starts[next]], "\n")
		}
		list = append(list, d)
	}
	return list
}

// ordinary are words that begin comments for people, before a colon.
var ordinary = []string{"note", "notes", "todo", "fixme", "xxx", "hack", "fix", "fixed", "bug", "bugfix", "warning", "important", "see", "example", "reason", "because", "why", "update", "updated", "change", "changed", "was", "now"}

var (
	// labelled is a comment that begins as one for a program may: with a mark, or with a word and a colon.
	labelled = lazyregexp.New(`^(?:[^\pL\pN\s"'(\[*=\-]|([\w.+-]+)\s*[:=])`)
	// tools are words that only comments for programs have.
	tools = lazyregexp.New(`(?i)\b(?:noqa|nosec|nolint|noinspection|nocover|pragma|no[- ]cover|type:|eslint|tslint|jslint|jshint|prettier|biome|istanbul|c8|v8 ignore|webpack\w*|vite|jest|vitest|mocha|ava|mypy|pyright|pylint|pyre|pytype|ruff|flake8|isort|fmt|yapf|black|coverage|coding|cython|distutils|doctest|globals?|exported?|jsx|flow|ts-\w+|sourcemappingurl|sourceurl|__pure__|pure|line \d|output|build|embed|generate|deprecated|lint|ignore|disable|enable|skip|xfail|codeql|sonar\w*|gosec|staticcheck)\b|[@#]\w`)
)

// isDirective reports whether a program may read a comment. It may be wrong for comments for people.
func (r *reading) isDirective(comment string) bool {
	if r.examples || strings.HasPrefix(comment, "#!") || strings.HasPrefix(comment, "///") || tools.MatchString(strings.TrimLeft(comment, "#/*! ")) {
		return true
	}
	for line := range strings.Lines(comment) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#/* \t"))
		if m := labelled.FindStringSubmatch(line); m != nil && !slices.Contains(ordinary, strings.ToLower(m[1])) {
			return true
		}
	}
	return false
}
