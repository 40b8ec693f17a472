package shell

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// finding is the judgement of one simple command.
type finding struct {
	decision Decision
	reason   string // why the user is asked
	rule     string // the setting that decided; "" for the built-in rules
	touches  touch
	packages []string
	shape    []string // its words as a shape has them; nil: an approval is never remembered
	tame     bool     // it only reads, whatever file names are added to it
	rests    []Rest   // what of the user's files it runs
	writes   []string // files that it writes
	apart    bool     // what it writes does not change what it runs itself
	certain  bool     // it is certain which program runs, where it is asked for

	redirected bool // its output goes to a file
	prints     bool // it changes no file but by that
}

func asks(t touch, format string, args ...any) finding {
	return finding{decision: Ask, reason: fmt.Sprintf(format, args...), touches: t}
}

// scope is the context of a command.
type scope struct {
	depth  int      // folders below the workspace's root
	feed   *command // the command whose output it reads
	inner  int      // how many commands wrap it
	python bool     // it is a module that python runs
	eased  bool     // see Policy.eased
}

// judge knows the policy.
type judge struct{ policy *Policy }

// command judges a simple command.
func (j judge) command(c *command) finding {
	if c.odd != "" {
		return asks(anything, "%s", c.odd)
	}
	s := scope{depth: c.depth, feed: c.feed, eased: j.policy.eased()}
	var f finding
	if s.eased {
		f = j.easy(c, s)
		if c.env && f.touches&runs == 0 && f.decision == Allow {
			f = asks(f.touches|anything, "It sets a variable for a program that could obey it (%s).", written(c.node))
		}
	} else {
		f = j.words(c.words, s)
	}
	if s.eased && f.decision == Allow && c.promptFed() {
		f = asks(anything, "%s", class("text").reason("sqlite3"))
	}
	if s.eased && slices.ContainsFunc(c.words, func(w word) bool { return leads(w, c.depth) }) && f.decision == Ask {
		f.touches |= outside
	}
	if s.eased && f.decision == Ask {
		f.touches |= wrapped(c.words) & leaves
	}
	if s.eased && f.decision == Ask && records(c.words) {
		f.reason += " The sandbox's copy has no .git: what git records there is lost."
	}
	f.certain = f.certain || len(c.words) > 0 && c.words[0].plain()
	f = j.all(f)
	if f.decision == Ask || len(f.rests) > 0 {
		if p := j.policy.allows(c); p != nil {
			return finding{decision: Allow, touches: f.touches, rule: p.setting}
		}
	}
	if f.decision == Allow && f.touches&(writes|runs) != 0 && !j.policy.isolated() {
		shape := f.shape
		if f.touches&runs == 0 {
			shape = nil
		}
		f = asks(f.touches, "It %s, and %s.", strings.Join(f.touches.words()[1:], " and "), j.policy.openness())
		f.shape = shape
	}
	if f.shape == nil && f.decision == Allow {
		f.shape = texts(c.words)
	}
	if slices.ContainsFunc(c.words, func(w word) bool { return w.status }) {
		f.shape = nil
	}
	return f
}

// leads reports whether a word may name something beyond the private copy, or a secret.
func leads(w word, depth int) bool {
	for _, part := range strings.FieldsFunc(w.text, func(r rune) bool { return strings.ContainsRune(" =,;:\"'()", r) }) {
		if read(word{text: strings.ReplaceAll(part, hole, "x"), glob: w.glob}, depth) != "" {
			return true
		}
	}
	return address.MatchString(w.text)
}

// texts quotes words in one canonical way.
func texts(words []word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = quote(w.text)
		if w.glob {
			list[i] = w.text
		}
	}
	return list
}

var (
	pythonName  = lazyregexp.New(`^python[23]?(\.\d+)?$`)
	projectTool = lazyregexp.New(`^(\./)?(\.?venv/bin|node_modules/\.bin|vendor/bin)/([\w-]+)$`)
)

// projectsOwn returns which tool a program in the workspace is, judged by the
// folders in which projects install tools; "" for any other program.
func projectsOwn(name string) string {
	if m := projectTool.FindStringSubmatch(name); m != nil {
		return m[3]
	}
	return map[string]string{"./gradlew": "gradle", "./mvnw": "mvn"}[name]
}

// words judges the words of a command, and says what of the user's files it runs.
func (j judge) words(words []word, s scope) finding {
	f := j.program(words, s)
	if f.decision == Allow && f.touches&runs != 0 && words[0].plain() {
		f.rests = append(f.rests, rests(words)...)
	}
	return f
}

// program finds out who judges a command, and asks that one.
func (j judge) program(words []word, s scope) finding {
	if len(words) == 0 || !words[0].plain() {
		return asks(anything, "It is not known which program it runs.")
	}
	if s.inner > maxDepth {
		return asks(anything, "It nests commands too deeply to follow.")
	}
	name := words[0].text
	if tool := projectsOwn(name); tool != "" {
		f := j.words(renamed(words, tool), s)
		if f.decision == Allow && f.touches&runs == 0 {
			return asks(anything, "It is not known what %s does.", name)
		}
		f.shape = nil
		return f
	}
	if pythonName.MatchString(name) && name != "python" {
		return j.words(renamed(words, "python"), s).named(name)
	}
	if slices.Contains(onlyModules, name) && !s.python {
		return asks(anything, "It is not known what %s does.", name)
	}
	if name == "./manage.py" {
		s.python = true
		return j.words(managed(words), s).named(name)
	}
	if s.eased {
		if f, ok := j.eases(words, s); ok {
			return f
		}
	}
	if run, ok := wraps[name]; ok {
		if f, ok := run(j, words, s); ok {
			return f
		}
	}
	if run, ok := specials[name]; ok {
		return run(words, s)
	}
	if f, ok := j.installs(words); ok {
		return f
	}
	if p, n := lookup(programs, words); p != nil {
		return p.judge(words, n, s)
	}
	return j.unknown(words, s)
}

// named returns a finding for a program that has another name on the line.
func (f finding) named(name string) finding {
	if len(f.shape) > 0 {
		f.shape[0] = name
	}
	return f
}

// onlyModules are the names in the table that are Python modules, not programs.
var onlyModules = []string{"manage.py", "unittest", "json.tool", "py_compile", "compileall", "doctest", manifestEntry}

// versioned are the programs that print their version and do nothing else when
// the only argument is --version or this short flag.
var versioned = map[string]string{
	"python": "-V", "node": "-v", "npm": "-v", "npx": "-v", "git": "-v", "pip": "-V", "pip3": "-V", "java": "-version", "javac": "-version", "pnpm": "-v",
	"ruby": "-v", "php": "-v", "gcc": "", "clang": "", "make": "-v", "cmake": "", "rg": "-V", "grep": "-V", "bash": "", "docker": "-v", "jq": "", "sed": "", "awk": "",
	"tar": "", "curl": "-V", "uv": "-V", "rustc": "-V", "deno": "-V", "bun": "-v", "tsc": "-v", "jest": "", "eslint": "-v", "prettier": "", "django-admin": "",
}

// unknown judges a command that the table of known programs does not have.
func (j judge) unknown(words []word, s scope) finding {
	name := words[0].text
	if short, ok := versioned[name]; ok && len(words) == 2 && words[1].plain() && (words[1].text == "--version" || short != "" && words[1].text == short) {
		return finding{decision: Allow, touches: reads}
	}
	if c, n := lookup(risks, words); n > 0 {
		if c == "name" && name == "go" && slices.ContainsFunc(words[n:], func(w word) bool { return strings.Contains(w.text, "@") }) {
			c = "install" // go run MODULE@VERSION
		}
		f := asks(classes[c].touches, "%s", c.reason(join(words[:n])))
		if why := reaches(words[n:], s); why != "" {
			f.reason, f.touches = why, f.touches|outside
		}
		if c == "name" && rememberedTargets(words) {
			f.shape = narrow(words, s)
		}
		return f
	}
	if strings.Contains(name, "/") {
		return asks(anything, "%s", class("script").reason(name))
	}
	f := asks(anything, "It is not known what %s does.", name)
	f.shape = narrow(words, s)
	return f
}

// rememberedTargets reports whether an approval of a target that the project
// defines may be remembered. For scripts of package.json it may not: the next edit
// can change what `npm run x` does.
func rememberedTargets(words []word) bool {
	return words[0].text == "make" || words[0].text == "just"
}

// reaches returns why words reach outside of the workspace, or "".
func reaches(words []word, s scope) string {
	for _, w := range words {
		if strings.HasPrefix(w.text, "-") || address.MatchString(w.text) {
			continue
		}
		if why := reaching.objects(w, s.depth); why != "" && !strings.ContainsAny(w.text, " \n(){};") {
			return why
		}
	}
	return ""
}

func join(words []word) string { return strings.Join(texts(words), " ") }

// tricky matches flags by which programs are likely to run something.
var tricky = lazyregexp.New(`(?i)^-(-?(c|e|x|exec|eval|command|run|code|script|init|plugin|load|config|rsh|pager|hook|pre|post|program|filter|shell)\b|.*(exec|program|command|hook|plugin|shell|script))`)

// narrow is the shape of an unknown command: exactly its words, none of which may
// contain program text, a path outside of the workspace or a secret.
func narrow(words []word, s scope) []string {
	for _, w := range words {
		if !w.plain() || tricky.MatchString(w.text) || strings.ContainsAny(w.text, " \t\n;|&<>$`()") || inside(w, s.depth) != "" || address.MatchString(w.text) {
			return nil
		}
	}
	if !bare.MatchString(words[0].text) {
		return nil
	}
	return texts(words)
}

// objection says why a known program is asked for; no text: it is not.
type objection struct {
	text    string // a sentence for the user
	unknown bool   // it is not known what the program does with a word
}

// unknown is the objection to a word that the table does not have.
func (p *program) unknown(what string) objection {
	return objection{fmt.Sprintf("It is not known what %s does with %s.", p.name, what), true}
}

// judge checks the flags and operands of a known program; its name has n words.
func (p *program) judge(words []word, n int, s scope) finding {
	f := finding{decision: Allow, touches: p.touches, tame: p.tame}
	shape := texts(words[:n])
	fail := func(why objection) finding {
		bad := asks(p.touches|anything, "%s", why.text)
		c, known := lookup(risks, words)
		if p.class != "" {
			c, known = p.class, n
		}
		if known > 0 && why.unknown {
			bad.reason, bad.touches = c.reason(join(words[:known])), p.touches|classes[c].touches
		}
		return bad
	}
	var rest []word
	takes := p.takes
	for i := n; i < len(words); {
		w := words[i]
		switch {
		case w.text == "--" && p.through:
			shape = append(shape, w.text)
			i++
		case w.text == "--":
			rest = append(rest, words[i+1:]...)
			for _, flag := range words[i+1:] { // flags for another program, such as make behind cmake --build
				if p.touches&runs != 0 && strings.HasPrefix(flag.text, "-") {
					return fail(p.unknown(flag.text))
				}
			}
			shape = append(shape, texts(words[i:])...)
			i = len(words)
		case p.counts && whole.MatchString(w.text) && strings.HasPrefix(w.text, "-"):
			shape = append(shape, w.text)
			i++
		case len(w.text) < 2 || w.text[0] != '-':
			rest = append(rest, w)
			shape = append(shape, texts(words[i:i+1])...)
			i++
		default:
			flags, why := p.flag(words[i:])
			if why.text != "" {
				return fail(why)
			}
			for _, fl := range flags {
				if why := p.value(fl, s); why.text != "" {
					return fail(why)
				}
				if f.wrote(fl); p.takes == pattern && givesPattern(fl.name) {
					takes = paths
				}
			}
			last := flags[len(flags)-1]
			shape = append(shape, p.shapeOf(words[i:i+last.used], flags)...)
			i += last.used
		}
	}
	if why := p.operands(takes, rest, s); why.text != "" {
		return fail(why)
	}
	f.shape = shape
	if p.class != "" {
		f.decision, f.reason = Ask, p.class.reason(p.name)
		for _, w := range rest {
			if strings.HasPrefix(w.text, "-") {
				f.shape = nil
			}
		}
	}
	return f
}

// wrote notes the file that a flag has the program write.
func (f *finding) wrote(by flagged) {
	if by.kind == '>' && by.has {
		f.writes = append(f.writes, by.value.text)
	}
}

// value checks the value of a flag.
func (p *program) value(f flagged, s scope) objection {
	if !f.has {
		return objection{}
	}
	if f.value.status {
		return objection{text: fmt.Sprintf("The value of %s is known only when the command runs.", f.name)}
	}
	switch f.kind {
	case '>':
		if s.eased && own(f.value.text) && !f.value.glob {
			return objection{}
		}
		return objection{text: writable(f.value, s.depth)}
	case '~':
		return p.free(f, s)
	case ':':
		required := slices.Contains(preloads, f.name) && registers.MatchString(f.value.text)
		if !plainName.MatchString(f.value.text) && !required {
			return objection{text: fmt.Sprintf("The value of %s may name a file that %s would load (%s).", f.name, p.name, f.value.text)}
		}
		return objection{}
	}
	if f.value.glob {
		return objection{text: fmt.Sprintf("The value of %s is known only when the command runs.", f.name)}
	}
	return objection{text: inside(f.value, s.depth)}
}

var (
	plainName   = lazyregexp.New(`^[\w,-]+$`)
	registers   = lazyregexp.New(`^[\w-]+/(register|esm|cjs)$`) // ts-node/register, tsx/esm: a package, since it is required
	preloads    = []string{"-r", "--require", "--import", "--loader", "--experimental-loader"}
	linkerFlags = lazyregexp.New(`^(-[sw]|-X [\w./-]+=[\w.:+-]*)( (-[sw]|-X [\w./-]+=[\w.:+-]*))*$`)
	// compilerFlags print what the compiler decides, or switch optimization off.
	compilerFlags = lazyregexp.New(`^((all|[\w./]+)=)?-([NlS]|m(=\d)?)( -([NlS]|m(=\d)?))*$`)
	noPlugin      = lazyregexp.New(`^no:[\w.-]+$`)
)

// free checks a value that is text. A program that runs code could take it for a
// path, so for such programs it must not lead out of the workspace.
func (p *program) free(f flagged, s scope) objection {
	switch {
	case f.value.glob && !strings.HasPrefix(f.name, "--"):
		return objection{text: fmt.Sprintf("The value of %s is known only when the command runs.", f.name)}
	case f.name == "-gcflags" && !compilerFlags.MatchString(f.value.text), f.name == "-ldflags" && !linkerFlags.MatchString(f.value.text), p.name == "pytest" && f.name == "-p" && !noPlugin.MatchString(f.value.text):
		return p.unknown(f.name + " " + f.value.text)
	case p.touches&runs != 0:
		return objection{text: inside(word{text: f.value.text}, s.depth)}
	}
	return objection{}
}

// shapeOf returns flags as a shape has them. Text that does not change what the
// command does is left open.
func (p *program) shapeOf(words []word, flags []flagged) (shape []string) {
	last := flags[len(flags)-1]
	if p.takes != message || last.kind != '~' || !last.has {
		return texts(words)
	}
	for _, f := range flags {
		shape = append(shape, f.name)
	}
	return append(shape, anyText)
}

// givesPattern reports whether a flag of grep or rg gives the pattern, or makes it
// unnecessary, so that all operands are paths.
func givesPattern(flag string) bool {
	return slices.Contains([]string{"-e", "-f", "--regexp", "--file", "--files", "--type-list"}, flag)
}

// operands checks the words that are not flags.
func (p *program) operands(takes operand, rest []word, s scope) objection {
	switch {
	case (takes == none || takes == message) && len(rest) > 0:
		return p.unknown(rest[0].text)
	case takes == single && len(rest) > 1:
		return objection{text: fmt.Sprintf("It would write to %s.", rest[1].text)}
	case takes == pattern && len(rest) > 0:
		if !rest[0].plain() {
			return objection{text: fmt.Sprintf("The shell would expand a word of it (%s).", rest[0].text)}
		}
		rest = rest[1:]
	}
	for i, w := range rest {
		if why := p.operand(takes, w, i == len(rest)-1, s); why.text != "" {
			return why
		}
	}
	return objection{}
}

func (p *program) operand(takes operand, w word, last bool, s scope) objection {
	if w.status {
		return objection{text: "A word of it is known only when the command runs ($?)."}
	}
	if strings.HasPrefix(w.text, "@") && (p.touches&runs != 0 || p.name == "strings") {
		return objection{text: fmt.Sprintf("It may take flags from a file (%s).", w.text)}
	}
	if w.glob && (takes != paths && takes != pattern && takes != copied || !p.tame && !anchored(w.text)) {
		return objection{text: fmt.Sprintf("A file name that the wildcard %s matches could be taken for a flag; write ./%s.", w.text, w.text)}
	}
	switch {
	case takes == text:
		return objection{}
	case takes == format && !strings.HasPrefix(w.text, "+"):
		return p.unknown(w.text)
	case takes == format:
		return objection{}
	case takes == write, takes == copied && last:
		return objection{text: writable(w, s.depth)}
	}
	if p.touches == reads && p.class == "" && library(w, s) {
		return objection{}
	}
	return objection{text: inside(w, s.depth)}
}

// anchored reports whether what a wildcard finds begins with something that
// makes it no flag.
func anchored(glob string) bool { return strings.IndexAny(glob, "*?[-") > 0 }

var whole = lazyregexp.New(`^-?\d+$`)
