// Package obey says which files programs obey without being told to, and who obeys each: git
// runs hooks, editors run what lies in .vscode, package managers run scripts of a manifest,
// agents follow AGENTS.md. A change of such a file can make something run on the user's own
// machine long after the task has ended, so it takes the user's word.
//
// It goes by rules, and fails closed where it can: a dot file that no rule knows is obeyed,
// and so are configuration at the top of a project, and what becomes executable. names.txt has the classes of names with what obeys
// each; the harmless ones among dot files are its short list at the top. manifest.go and
// formats.go let ordinary edits of a manifest pass, such as a new dependency in package.json:
// what is left of the file without its harmless parts must be the same as before. lock.go knows
// two lists of packages; every change of another is obeyed. shadow.go has the new modules of Python that
// stand in front of others, with modules.txt. What a
// manifest may change unasked is data, too.
//
// It reads no file: it is given the texts.
package obey

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"caselsp/store/lazyregexp"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// File is a file as it is before or after a change.
type File struct {
	Text       string
	Binary     bool // it has no text
	Executable bool
}

// Change is what happens to one file.
type Change struct {
	Path          string // in its project, with slashes
	Before, After *File  // nil: there is none
}

// By says who obeys what a change does to a file and when, such as "git at every commit"; ""
// where nobody does. A change that cannot be judged, because a rule fails on it, counts as obeyed:
// the review shows it, and it takes the user's word.
func By(c Change) (who string) {
	defer func() {
		if recover() != nil {
			who = notJudged
		}
	}()
	return by(c)
}

func by(c Change) string {
	if c.After != nil && c.After.Executable && (c.Before == nil || !c.Before.Executable) {
		return madeExecutable
	}
	who := Named(c.Path)
	switch {
	case who != "" && c.harmless():
		return ""
	case who == "" && c.Before == nil && c.After != nil && Shadows(c.Path) != "":
		return shadowing
	}
	return who
}

// What obeys a file that no rule names.
const (
	madeExecutable = "the system: it becomes a program that runs by its name"
	notJudged      = "an unknown program: the change could not be judged"
	unknownDot     = "programs that read files with a dot by themselves: shells, editors, build tools"
	namedFile      = "the tool of that name, when it is started"
	atTop          = "the tool or shell that looks for it at the top of the project"
)

// toolFile are names such as Makefile and Jenkinsfile, which tools look for.
var toolFile = lazyregexp.New(`^[A-Z][A-Za-z]*file$`)

// topFile are names, in small letters, of configuration and of what Windows starts by name
// alone: tools look for it at the top of a project. Data in JSON and YAML, and scripts that
// somebody has to start, are not among them.
var topFile = lazyregexp.New(`\.(ini|cfg|conf|cnf|toml|rc|ps1|bat|cmd)$|(config|rc)\.([cm]?[jt]s|py|rb|php|lua)$`)

// Named says who obeys a file of that name, whatever is in it; "" where nobody does.
func Named(name string) string {
	low := fold(name)
	for _, r := range rules {
		if slices.ContainsFunc(r.patterns, func(p pattern) bool { return p.match(low) }) {
			return r.who
		}
	}
	base := path.Base(name)
	switch {
	case strings.HasPrefix(low, ".") || strings.Contains(low, "/."):
		return unknownDot
	case toolFile.MatchString(base):
		return namedFile
	case low == path.Base(low) && topFile.MatchString(low):
		return atTop
	}
	return ""
}

// fold writes a path as file systems and people compare names: without case, with one writing
// of each character (a long s is an s, a ligature its letters), and without what some file
// systems drop: invisible characters, dots and blanks at the end of a name.
func fold(name string) string {
	names := strings.Split(name, "/")
	for i, n := range names {
		n, _, _ = strings.Cut(n, ":") // a stream of NTFS
		names[i] = strings.TrimRight(foldText(n), " .")
	}
	return strings.Join(names, "/")
}

func foldText(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(name)
	}
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, name)
	name = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name)))
	return strings.ReplaceAll(name, "/", "_") // a sign that looks like one separates no folders
}

// rule is a class of names.
type rule struct {
	class    string // its heading in names.txt
	patterns []pattern
	who      string // "" for the harmless ones
}

//go:embed names.txt
var namesText string

var rules = parseRules(namesText)

func parseRules(text string) []rule {
	var list []rule
	class := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '[' && strings.HasSuffix(line, "]"):
			class = line[1 : len(line)-1]
			continue
		}
		names, who, found := strings.Cut(line, " : ")
		if !found {
			panic(fmt.Sprintf("names.txt: %q has no \" : \"", line))
		}
		r := rule{class: class, who: who}
		if class == harmless {
			r.who = ""
		}
		for word := range strings.FieldsSeq(names) {
			r.patterns = append(r.patterns, parsePattern(word))
		}
		list = append(list, r)
	}
	return list
}

// harmless is the class of names that nobody obeys.
const harmless = "harmless"

// pattern is one of the globs of a class.
type pattern struct {
	glob   string // for what it is about: a name, the name of a folder, or a path
	about  string // one of the kinds below
	simple bool   // it has no signs: what it is about is the same text
	head   string // what stands before the first sign, so that most texts are told apart at once
	tail   string // and behind the last
	plain  bool   // of names without an ending only
	open   bool   // its end is open, so that it would match texts and sources about such files
}

// What a pattern is about.
const (
	aName   = "a file's name"
	aFolder = "the name of a folder that the file lies in"
	aPath   = "the end of a path"
	aTop    = "a path from the top"
)

// signs are what a glob has beside plain text.
const signs = `*?[]{},\\`

// noEnding stands in names.txt for a name without an ending, which is most often a script.
const noEnding = "<plain>"

func parsePattern(word string) pattern {
	p := pattern{plain: strings.Contains(word, noEnding), open: strings.HasSuffix(word, "*") || strings.HasSuffix(word, "*}")}
	p.glob = strings.ReplaceAll(word, noEnding, "*")
	if !doublestar.ValidatePattern(p.glob) {
		panic(fmt.Sprintf("names.txt: %q is no pattern", word))
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(p.glob, "/"), "/")
	switch {
	case p.glob[0] == '/':
		if p.about = aTop; strings.HasSuffix(p.glob, "/") {
			inner += "/**/*"
		}
	case strings.HasSuffix(p.glob, "/"):
		if p.about = aFolder; strings.Contains(inner, "/") {
			p.about, inner = aPath, "**/"+inner+"/**/*"
		}
	case strings.Contains(inner, "/"):
		p.about, inner = aPath, "**/"+inner
	default:
		p.about = aName
	}
	p.glob = inner
	first, last := strings.IndexAny(inner, signs), strings.LastIndexAny(inner, signs)
	if p.simple = first < 0; !p.simple {
		p.head, p.tail = inner[:first], strings.TrimPrefix(inner[last+1:], "/") // a **/ stands for nothing, too
	}
	return p
}

var (
	// documents are the endings of texts for people.
	documents = []string{".md", ".rst", ".adoc", ".html", ".pdf", ".png", ".svg"}
	// sources are the endings of code that is built into programs.
	sources = []string{".go", ".java", ".c", ".h", ".cc", ".cpp", ".rs", ".swift", ".kt", ".tsx", ".jsx", ".vue", ".css", ".scss", ".less"}
)

// match reports whether a path, in small letters, fits.
func (p pattern) match(low string) bool {
	base, end := path.Base(low), path.Ext(low)
	switch {
	case p.plain && end != "", p.open && (slices.Contains(documents, end) || slices.Contains(sources, end)):
		return false
	case p.about == aName:
		return p.fits(base)
	case p.about == aFolder && !strings.HasPrefix(p.glob, ".") && slices.Contains(documents, end):
		return false
	case p.about == aFolder:
		for dir := range strings.SplitSeq(low[:len(low)-len(base)], "/") {
			if p.fits(dir) {
				return true
			}
		}
		return false
	}
	return p.fits(low)
}

func (p pattern) fits(text string) bool {
	if p.simple {
		return p.glob == text
	}
	return strings.HasPrefix(text, p.head) && strings.HasSuffix(text, p.tail) && doublestar.MatchUnvalidated(p.glob, text)
}
