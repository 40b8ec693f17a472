package syntax

import (
	"strings"
	"unicode/utf8"

	"caselsp/store/lazyregexp"

	"github.com/evanw/esbuild/pkg/api"
)

// esbuild recurses: a text that nests a hundred thousand levels deep overflows
// the stack, which ends the process, and one of some thousand nested scopes
// takes seconds. Texts that could be such are measured by their tree first.
const (
	maxDepth    = 1000     // levels of a tree; people's code has below 200, minified code a few hundred
	shallowSize = 64 << 10 // bytes; what nests without brackets in so short a text does no harm
	openDepth   = 256      // brackets open at once, strings and comments counted too
	longRun     = 4096     // bytes without any of ; , { } as only chains such as a=>a=> have them
)

// tooDeep reports whether the text must be kept from a recursive parser.
func (t *Tree) tooDeep() bool {
	return mayBeDeep(t.body()) && (len(t.nodes().list) == 0 || t.nodes().depth() > maxDepth)
}

func mayBeDeep(text string) bool {
	if len(text) > shallowSize {
		return true
	}
	open, run := 0, 0
	for i := range len(text) {
		run++
		switch text[i] {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		}
		switch text[i] {
		case ';', ',', '{', '}':
			run = 0
		}
		if open > openDepth || run > longRun {
			return true
		}
	}
	return false
}

// scriptFaults judges JavaScript and TypeScript. A text may be of a dialect
// that is not told by its name (JSX in .js, the older decorators in .ts): it is
// wrong only where every dialect finds it wrong, and the one that got furthest
// tells why.
func (t *Tree) scriptFaults() []fault {
	if t.tooDeep() {
		return t.nodes().faults()
	}
	const oldDecorators = `{"compilerOptions":{"experimentalDecorators":true}}`
	var dialects []api.TransformOptions
	switch t.lang {
	case JavaScript:
		dialects = []api.TransformOptions{{Loader: api.LoaderJS}, {Loader: api.LoaderJSX}}
	case TypeScript:
		dialects = []api.TransformOptions{{Loader: api.LoaderTS}, {Loader: api.LoaderTS, TsconfigRaw: oldDecorators}}
	case TSX:
		dialects = []api.TransformOptions{{Loader: api.LoaderTSX}, {Loader: api.LoaderTSX, TsconfigRaw: oldDecorators}}
	}
	var best []fault
	for _, d := range dialects {
		faults := transform(t.body(), d, func(e, _ []api.Message) []api.Message { return e })
		if len(faults) == 0 {
			return nil
		}
		if best == nil || faults[0].start > best[0].start {
			best = faults
		}
	}
	if t.foreignScript(best[0].start) {
		return nil
	}
	return best
}

// foreignScript reports whether a script that does not parse at offset is one
// in a language that adds to JavaScript: Flow's types, or a template's tags.
func (t *Tree) foreignScript(offset int) bool {
	text := t.body()
	around := text[max(offset-1, 0):min(offset+2, len(text))]
	return strings.Contains(text[:min(len(text), 2000)], "@flow") || strings.Contains(around, "{{") ||
		strings.Contains(text, "{%") && strings.Contains(text, "%}")
}

// styleFaults judges CSS by those of esbuild's warnings that are about syntax.
func (t *Tree) styleFaults() []fault {
	text := t.body()
	if strings.Contains(text, "{%") || strings.Contains(text, "{{") {
		return nil // a template of CSS
	}
	if t.tooDeep() {
		return t.nodes().faults()
	}
	faults := transform(text, api.TransformOptions{Loader: api.LoaderCSS}, func(errors, warnings []api.Message) []api.Message {
		for _, w := range warnings {
			if w.ID == "css-syntax-error" && !strings.HasPrefix(w.Text, `"composes"`) {
				errors = append(errors, w)
			}
		}
		return errors
	})
	kept := faults[:0]
	for _, f := range faults {
		if !isOldHack(text, f.start) && !isBracedProperty(text, f.start) {
			kept = append(kept, f)
		}
	}
	return kept
}

// bracedProperty is a custom property with a block as its value, which esbuild
// takes for a nested rule.
var bracedProperty = lazyregexp.New(`--[\w-]+\s*:$`)

func isBracedProperty(text string, offset int) bool {
	return bracedProperty.MatchString(text[max(offset-200, 0):offset]) && strings.HasPrefix(strings.TrimSpace(text[offset:]), "{")
}

// isOldHack reports whether the fault is a mark that hides a declaration from
// all browsers but old Internet Explorers, such as `*zoom: 1`: wrong by the
// letter, meant by the author, and in half of the older style sheets.
func isOldHack(text string, offset int) bool {
	before := strings.TrimRight(text[:offset], " \t\r\n")
	if before != "" && !strings.HasSuffix(before, ";") && !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, "*/") {
		return false
	}
	rest := text[offset:]
	if len(rest) < 2 || !strings.ContainsRune("*#+!$&", rune(rest[0])) {
		return false
	}
	name := strings.TrimLeft(rest[1:], "-abcdefghijklmnopqrstuvwxyz")
	return len(name) < len(rest)-1 && strings.HasPrefix(strings.TrimLeft(name, " "), ":")
}

// notSyntax begins errors of esbuild that a type checker may leave to others:
// declaration files leave constants without a value.
const notSyntax = `The constant "`

func transform(text string, options api.TransformOptions, pick func(errors, warnings []api.Message) []api.Message) []fault {
	options.LogLevel = api.LogLevelSilent
	options.LogLimit = maxErrors
	options.Target = api.ESNext
	options.JSX = api.JSXPreserve
	result := api.Transform(text, options)
	var faults []fault
	for _, m := range pick(result.Errors, result.Warnings) {
		if m.Location == nil || strings.HasPrefix(m.Text, "panic:") ||
			options.Loader == api.LoaderTS && strings.HasPrefix(m.Text, notSyntax) {
			continue
		}
		start := min(esbuildOffset(text, m.Location.Line, m.Location.Column), len(text))
		faults = append(faults, fault{m.Text, start, min(start+m.Location.Length, len(text))})
	}
	return faults
}

// esbuildOffset turns a line (1-based) and a column (in bytes) of esbuild into
// an offset. Its lines end at JavaScript's line ends: two more than others'.
func esbuildOffset(text string, line, column int) int {
	for i := 0; i < len(text) && line > 1; {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch r {
		case '\r':
			if i < len(text) && text[i] == '\n' {
				i++
			}
			fallthrough
		case '\n', '\u2028', '\u2029':
			line--
			if line == 1 {
				return i + column
			}
		}
	}
	return column
}
