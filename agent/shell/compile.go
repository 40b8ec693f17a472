package shell

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// compiler says which words a compiler may have: those that choose what is compiled and how.
// What makes a compiler load or start something of a given name (-fplugin, -B, -specs,
// -wrapper, -Xlinker, a linker, an annotation processor, @file) is no such word.
type compiler struct {
	flags    *lazyregexp.Regexp // without a value, or with one that names no file
	never    *lazyregexp.Regexp // of those, what loads or starts something
	valued   *lazyregexp.Regexp // the next word is a value that names no file
	value    *lazyregexp.Regexp
	folders  *lazyregexp.Regexp // a file or folders that are read, attached or as the next word
	output   *lazyregexp.Regexp // a file or folder that is written, attached or as the next word
	defaults []string           // what it writes without output
	runs     bool               // it runs code of the workspace: annotation processors
}

var cCompiler = compiler{
	flags: lazyregexp.New(`^(-c|-S|-E|-M|-MM|-MD|-MMD|-MP|-s|-w|-v|-ansi|-pipe|-g\w*|-O[0-3sgz]?|-Ofast|-W[a-zA-Z][\w+-]*(=[\w+-]+)?|-std=[\w+:]+|-pedantic|-pedantic-errors` +
		`|-f[a-z][\w-]*(=[\w,+-]+)?|-m(arch|tune|cpu|fpu|abi|float-abi)=[\w.+-]+|-m(32|64|avx\w*|sse[\d.]*|fma|bmi2?|thumb|native)|-D\w+(=[^\n]*)?|-U\w+|-l[\w.+-]+|-pthread|-shared|-static|-rdynamic|-pie|-no-pie` +
		`|-nostdlib|-nostartfiles|-nostdinc|-nodefaultlibs|-static-lib\w+|-dumpversion|-dumpmachine|-stdlib=\w+|-Wl,(--gc-sections|--as-needed|--no-undefined|-s|-z,\w+|-rpath,[\w.$/-]+|-rpath=[\w.$/-]+))$`),
	never:    lazyregexp.New(`^-f(no-)?([\w-]*plugin|use-ld|pass|load|lto-|linker|dump|profile-use|integrated-cc1|module)|^-Wl$|^-load|^-stdlib=.*[/]`),
	valued:   lazyregexp.New(`^-(x|MT|MQ|arch)$`),
	value:    lazyregexp.New(`^[\w.+][\w.+/-]*$`),
	folders:  lazyregexp.New(`^-(I|L|isystem|iquote|idirafter|include)`),
	output:   lazyregexp.New(`^-(o|MF)`),
	defaults: []string{"a.out", "*.o", "*.s", "*.d"},
}

var compilers = map[string]compiler{
	"gcc": cCompiler, "g++": cCompiler, "cc": cCompiler, "c++": cCompiler, "clang": cCompiler, "clang++": cCompiler,
	"rustc": {
		flags: lazyregexp.New(`^(-O|-g|-v|--test|--edition=\d{4}|--crate-type=\w[\w-]*|--crate-name=\w+|--emit=[\w,-]+|-C(opt-level|debuginfo|debug-assertions|overflow-checks|panic|target-cpu|lto|codegen-units|strip)=[\w-]+|-[AWDF]\w[\w:-]*|--explain|E\d{4}|--cap-lints=\w+|--error-format=\w+|--color=\w+)$`),
		never: nothing, valued: lazyregexp.New(`^(-C|-A|-W|-D|-F|--edition|--crate-type|--crate-name|--emit|--cfg)$`),
		value:   lazyregexp.New(`^((opt-level|debuginfo|debug-assertions|overflow-checks|panic|target-cpu|lto|codegen-units|strip)=[\w-]+|\d{4}|[a-z][\w:,-]*)$`),
		folders: nothing, output: lazyregexp.New(`^(-o|--out-dir=|--out-dir$)`), defaults: []string{anyFile},
	},
	"javac": {
		flags: lazyregexp.New(`^(-g(:\w+)?|-Xlint(:[\w,-]+)?|-nowarn|-parameters|-deprecation|-Werror|-verbose|-proc:none|-implicit:none|--enable-preview|-Xdiags:verbose|--release=\d+)$`),
		never: nothing, valued: lazyregexp.New(`^(--release|-source|-target|--source|--target|-encoding|-Xmaxerrs)$`), value: lazyregexp.New(`^[\w.-]+$`),
		folders: lazyregexp.New(`^(-cp|-classpath|--class-path|-sourcepath|--source-path|-p|--module-path)$`), output: lazyregexp.New(`^-d$`), defaults: []string{"*.class"}, runs: true,
	},
	"protoc": { // the languages that are built in: others are programs that it looks for
		flags: lazyregexp.New(`^(--include_imports|--include_source_info)$`), never: nothing, valued: nothing, value: nothing,
		folders: lazyregexp.New(`^(-I|--proto_path=)`), output: lazyregexp.New(`^--(cpp|java|python|pyi|csharp|objc|php|ruby|kotlin|descriptor_set)_out=`), defaults: []string{anyFile},
	},
}

// compiles judges a compiler where the policy eases that. Its output counts as changed: a line that
// then runs it is asked for, and so is a later one, as it is not the user's own.
func (c compiler) compiles(words []word, s scope) (finding, bool) {
	f := finding{decision: Allow, touches: reads | writes}
	if c.runs {
		f.touches |= runs
	}
	for i := 1; i < len(words); i++ {
		w, why, what := words[i], "", touch(0)
		if w.status || expanded(w) || w.text == "" || strings.HasPrefix(w.text, "@") || w.glob && !anchored(w.text) || strings.HasPrefix(w.text, "-") && !w.plain() {
			return finding{}, false
		}
		value, n := word{}, 0
		switch {
		case c.output.MatchString(w.text):
			if value, n = attached(c.output, words[i:]); n == 0 {
				return finding{}, false
			}
			if value.text != "-" && value.text != "." {
				why, what = changeable(value, s.depth)
			}
			f.writes = append(f.writes, value.text)
			if strings.HasSuffix(w.text, "_out") || strings.Contains(w.text, "_out=") || strings.HasPrefix(w.text, "--out-dir") || c.runs {
				f.writes = append(f.writes, anyFile)
			}
			i += n - 1
		case c.folders.MatchString(w.text):
			if value, n = attached(c.folders, words[i:]); n == 0 {
				return finding{}, false
			}
			for part := range strings.SplitSeq(value.text, ":") {
				if w := (word{text: part, glob: value.glob}); why == "" && !strings.HasPrefix(part, "/usr/include/") {
					why, what = read(w, s.depth), outside
				}
			}
			i += n - 1
		case c.valued.MatchString(w.text) && i+1 < len(words) && words[i+1].plain() && c.value.MatchString(words[i+1].text) && inside(words[i+1], s.depth) == "":
			i++
		case c.flags.MatchString(w.text) && !c.never.MatchString(w.text):
			why, what = inside(w, s.depth), outside
		case strings.HasPrefix(w.text, "-"):
			return finding{}, false
		default:
			why, what = read(w, s.depth), outside
		}
		if why != "" {
			return asks(f.touches|what, "%s", why), true
		}
	}
	if !slices.ContainsFunc(words, func(w word) bool { return c.output.MatchString(w.text) }) {
		f.writes = c.defaults
	}
	return f, len(words) > 1
}

// attached returns the value of a flag, attached to it or as the next word, and how many words they are.
func attached(flag *lazyregexp.Regexp, words []word) (value word, n int) {
	name := flag.FindString(words[0].text)
	if rest := words[0].text[len(name):]; rest != "" {
		return word{text: strings.TrimPrefix(rest, "=")}, 1
	}
	if len(words) < 2 || strings.HasSuffix(name, "=") || strings.HasPrefix(words[1].text, "-") && words[1].text != "-" || !words[1].plain() {
		return word{}, 0
	}
	return words[1], 2
}
