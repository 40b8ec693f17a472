package secrets

import (
	"path"
	"strings"
	"sync"

	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// secrets is for rules that look for secrets in files that may hold them.
func secrets(check func(*validate.Pass)) func(*validate.Pass) {
	return func(p *validate.Pass) {
		if p.MayHoldSecrets() {
			check(p)
		}
	}
}

// keys is for rules that look for the exact formats of services' keys.
func keys(check func(*validate.Pass)) func(*validate.Pass) {
	return func(p *validate.Pass) {
		if p.MayHoldKeys() {
			check(p)
		}
	}
}

var (
	// assigning are the extensions of files without a grammar here in which people
	// give values to names: programs, scripts, configuration, and their samples.
	assigning = syntax.WordSet(`.env .envrc .yaml .yml .toml .ini .cfg .conf .config .cnf .properties .props .sh .bash .zsh .fish .ksh .ps1 .psm1 .bat .cmd .vbs .tf .tfvars .hcl .xml .plist .java .kt .kts .scala
		.groovy .gradle .rb .erb .php .cs .vb .fs .fsx .swift .m .mm .rs .c .h .cc .cpp .cxx .hpp .zig .nim .d .v .pl .pm .lua .r .jl .dart .ex .exs .erl .hs .ml .elm .clj .coffee .tcl .awk .sql .pem .key .txt .md .mdx .rst .adoc .log .csv .http
		.service .nix .mk .bazel .cmake .npmrc .netrc .pgpass .pypirc .vue .svelte .astro .proto .graphql .ipynb .json5 .jsonl .ndjson .har .j2 .jinja .jinja2 .tpl .tmpl .ejs .hbs .in .dist .example .sample .template .bak .old .orig .backup
		.local .dev .development .staging .prod .production .dockerfile .containerfile .kdl .cue .jsonnet .libsonnet .dhall .scss .sass .less`)

	// shellLike are the extensions and names of files in which NAME=value needs no
	// quotes.
	shellLike = syntax.WordSet(`.sh .bash .zsh .fish .ksh .envrc .mk .service .dockerfile .containerfile makefile gnumakefile dockerfile containerfile procfile .bashrc .zshrc .profile .bash_profile`)
	// settingFile are the extensions of configuration in which values need no quotes.
	settingFile = syntax.WordSet(`.env .yaml .yml .toml .ini .cfg .conf .cnf .properties .props .tfvars .netrc .pypirc .npmrc`)
)

// kindOf returns the extension of a file, or its whole name where it has none;
// Dockerfile.prod is a Dockerfile, and .env.example an .env.
func kindOf(file string) string {
	base := strings.ToLower(path.Base(file))
	first, _, _ := strings.Cut(base, ".")
	switch {
	case strings.Contains(base, ".env"):
		return ".env"
	case first == "dockerfile" || first == "containerfile" || first == "makefile":
		return first
	case path.Ext(base) != "":
		return path.Ext(base)
	}
	return base
}

// assigns reports whether names are given values in a file. Elsewhere only what is
// certain by its form is looked for.
func assigns(f *validate.File) bool {
	kind := kindOf(f.Path)
	return f.Lang != syntax.Unknown || !strings.HasPrefix(kind, ".") || strings.HasPrefix(path.Base(f.Path), ".") || assigning[kind]
}

// textKinds are the kinds of nodes that hold texts, and the comments.
var textKinds = []string{"string", "template_string", "interpreted_string_literal", "raw_string_literal", "rune_literal", "concatenated_string", "jsx_text", "string_fragment", "template_literal_type"}

// place is what a piece of a file is.
type place int

const (
	asCode place = iota
	asText
	asComment
)

// piece is a part of a text.
type piece struct{ start, end int }

// places tells what the parts of a file are. What is no program is text.
func places(f *validate.File) func(at int) place {
	switch f.Lang {
	case syntax.Python, syntax.JavaScript, syntax.TypeScript, syntax.TSX, syntax.Go:
	default:
		return func(int) place { return asText }
	}
	find := func(list []piece, at int) bool {
		for _, s := range list {
			if s.start <= at && at < s.end {
				return true
			}
		}
		return false
	}
	var texts, comments []piece
	for _, c := range f.Code() {
		for _, n := range c.Nodes(textKinds...) {
			start, end := c.Span(n)
			if p := n.Parent(); !p.IsZero() && p.Kind() == "expression_statement" && f.Lang == syntax.Python {
				comments = append(comments, piece{start, end}) // documentation
			}
			texts = append(texts, piece{start, end})
		}
		for _, n := range c.Nodes("comment") {
			start, end := c.Span(n)
			comments = append(comments, piece{start, end})
		}
	}
	return func(at int) place {
		switch {
		case find(comments, at):
			return asComment
		case find(texts, at):
			return asText
		}
		return asCode
	}
}

// underName is a value under a name: password = "…", "token": "…", setKey("…", "…").
type underName struct {
	name       string
	value      string
	start, end int // of the value
	quoted     bool
	sign       int // where the sign between the two ends
	speaks     speech
}

const (
	longestName   = 80  // of a name that is looked at, in bytes
	longestSecret = 512 // of a value
	leastSecret   = 3
)

// typeWords stand between a name and what it is given: var token string = "…".
var typeWords = syntax.WordSet("string str char var let const val text bytes byte any final public private static String Text Str")

// speech is what a name speaks of.
type speech uint8

const (
	ofSecret speech = 1 << iota
	ofPassword
)

// values returns the values under names that speak of something. Where two
// overlap, it is the first.
func values(f *validate.File, of speech) []underName {
	var list []underName
	last := 0
	for _, v := range givenOf.Of(f) {
		if v.speaks&of != 0 && v.sign >= last {
			list = append(list, v)
			last = v.start
		}
	}
	return list
}

// givenOf reads the values under names that speak of a secret or a password,
// by the look of each place with a sign of assignment: what is before it and what
// is behind it. Whether it is code or a text is the caller's to see.
var givenOf = validate.NewReading(func(f *validate.File) []underName {
	var list []underName
	text := f.Text
	for i := 0; i < len(text); i++ {
		if !signBytes[text[i]] || (text[i] == '|' || text[i] == '?') && (i == 0 || text[i-1] != text[i]) {
			continue // || and ??: what counts where nothing else is set
		}
		name := ""
		if text[i] == ',' {
			name = argumentBefore(text, i)
		} else {
			name = nameBefore(text, i)
		}
		if name == "" {
			continue
		}
		says := speechOf(name)
		if says == 0 {
			continue
		}
		if v, ok := valueBehind(text, i); ok {
			v.name, v.sign, v.speaks = name, i, says
			list = append(list, v)
		}
	}
	return list
})

// signBytes are those that a sign of assignment ends in.
var signBytes = [256]bool{'=': true, ':': true, ',': true, '>': true, '|': true, '?': true}

// maxSpeeches bounds how many names are known by heart: a project has some
// thousand that are not told by their letters to speak of nothing.
const maxSpeeches = 1 << 14

// speeches are the names that were judged before, as large expressions tell what a
// name speaks of.
var speeches = struct {
	sync.RWMutex
	of map[string]speech
}{of: map[string]speech{}}

// speaking finds the letters of which some are in every name that speaks of
// anything, in lower case: most names have none of them.
var speaking = sync.OnceValue(func() *validate.Automaton {
	var texts []string
	for _, e := range []*lazyregexp.Regexp{secretName, serviceName, passwordName} {
		list, ok := syntax.Literals(e.String())
		if !ok {
			panic("validate: an expression for names of secrets matches names of any letters")
		}
		texts = append(texts, list...)
	}
	return validate.NewAutomaton(map[validate.Needle][]string{1: texts})
})

func speechOf(name string) speech {
	if speaking().InFold(name) == 0 {
		return 0
	}
	speeches.RLock()
	says, known := speeches.of[name]
	speeches.RUnlock()
	if known {
		return says
	}
	if speaksOfSecret(name) {
		says |= ofSecret
	}
	if passwordName.MatchString(name) {
		says |= ofPassword
	}
	speeches.Lock()
	defer speeches.Unlock()
	if len(speeches.of) >= maxSpeeches {
		clear(speeches.of)
	}
	speeches.of[strings.Clone(name)] = says // not the file's own: that would be kept with it
	return says
}

// valueBehind reads what a sign at i gives: a text in quotes or a word.
func valueBehind(text string, i int) (underName, bool) {
	j := i + 1
	for j < len(text) && (text[j] == '=' || text[j] == ':' || text[j] == '>' || text[j] == '(') && j-i < 4 {
		j++
	}
	for n := 0; j < len(text) && strings.IndexByte(" \t\r\n\\", text[j]) >= 0 && n < 60; n++ {
		j++
	}
	for j < len(text) && strings.IndexByte("bBuUrRfF@$L", text[j]) >= 0 && j+1 < len(text) && (text[j+1] == '"' || text[j+1] == '\'') {
		j++
	}
	if j >= len(text) {
		return underName{}, false
	}
	quote := text[j]
	if quote == '\\' && j+1 < len(text) { // a text in a text: \"…\"
		j++
		quote = text[j]
	}
	if quote == '"' || quote == '\'' || quote == '`' {
		j++
		for end := j; end < len(text) && end-j <= longestSecret && text[end] != '\n'; end++ {
			if text[end] == quote && text[end-1] != '\\' || text[end] == '\\' && end+1 < len(text) && text[end+1] == quote {
				return underName{value: text[j:end], start: j, end: end, quoted: true}, end-j >= leastSecret
			}
		}
		return underName{}, false
	}
	if text[i] == ',' {
		return underName{}, false
	}
	end := j
	for end < len(text) && end-j <= longestSecret && strings.IndexByte(" \t\r\n'\"`;,<>()[]{}", text[end]) < 0 && (text[end] != '\\' || end+1 >= len(text) || text[end+1] != 'n') {
		end++
	}
	return underName{value: text[j:end], start: j, end: end}, end-j >= leastSecret
}

// nameBefore reads the name that stands before a sign at i.
func nameBefore(text string, i int) string {
	name, at := wordBefore(text, i)
	if typeWords[name] || strings.HasPrefix(name, "Option") || strings.HasPrefix(name, "Optional") {
		if before, _ := wordBefore(text, at); before != "" {
			return before
		}
	}
	return name
}

// argumentBefore reads the name that is the first argument of a call, before a
// comma at i: set("API_TOKEN", … Names in lists have nothing to do with what follows.
func argumentBefore(text string, i int) string {
	name, at := wordBefore(text, i)
	if at < 2 || i == 0 || strings.IndexByte("\"'`", text[i-1]) < 0 || strings.IndexByte("\"'`", text[at-1]) < 0 || text[at-2] != '(' || at < 3 || !wordByte(text[at-3]) {
		return ""
	}
	return name
}

// wordBefore reads the word before i, through quotes, brackets and signs.
func wordBefore(text string, i int) (string, int) {
	j := i
	for n := 0; j > 0 && n < 8 && strings.IndexByte(" \t:?!|=.+~\"'`])*\\", text[j-1]) >= 0; n++ {
		j--
	}
	end := j
	for j > 0 && end-j < longestName && wordByte(text[j-1]) {
		j--
	}
	return text[j:end], j
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.$", c) >= 0
}
