package shell

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// changes judge programs that change files, where the policy eases that: they work on the
// private copy, and what they changed there is reviewed. ok is false for what such a judge
// does not know; the command is then judged as everywhere.
var changes map[string]func(words []word, s scope) (f finding, ok bool)

func init() {
	changes = map[string]func([]word, scope) (finding, bool){
		"rm":     changing(`^(-[rRfvidI]+|--recursive|--force|--verbose|--dir)$`, everyOne),
		"rmdir":  changing(`^(-[pv]+|--parents|--verbose|--ignore-fail-on-non-empty)$`, everyOne),
		"unlink": changing(`^$`, everyOne),
		"mv":     changing(`^(-[fnuv]+|--force|--no-clobber|--update|--verbose)$`, everyOne),
		"tee":    changing(`^(-[ai]+|--append)$`, everyOne),
		"touch":  changing(`^(-[acm]+|--no-create)$`, everyOne),
		"mkdir":  changing(`^(-[pv]+|--parents|--verbose)$`, everyOne),
		"cp":     changing(`^(-[apRrvudLPnfT]+|--archive|--recursive|--verbose|--update|--no-clobber|--force)$`, lastOne),
		"ranlib": changing(`^$`, everyOne),
		"strip":  changing(`^(-[gsSdx]|--strip-(all|debug|unneeded))$`, everyOne),
		"chmod":  chmod, "ar": ar, "ln": ln, "sed": sedInPlace, "perl": perlInPlace,
	}
}

// folders are the programs whose operands may be folders, and that give no file another content.
var folders = []string{"rm", "rmdir", "mkdir"}

// everyOne and lastOne say which operands a program changes; the others it reads.
func everyOne(n int) int { return 0 }
func lastOne(n int) int  { return n - 1 }

// changing makes a judge of a program with flags that match a pattern and operands that it
// changes from the first one on.
func changing(flags string, from func(n int) int) func([]word, scope) (finding, bool) {
	known := lazyregexp.New(flags)
	return func(words []word, s scope) (finding, bool) {
		var operands []word
		for i := 1; i < len(words); i++ {
			switch w := words[i]; {
			case w.text == "--" && w.plain():
				operands = append(operands, words[i+1:]...)
				i = len(words)
			case strings.HasPrefix(w.text, "-") && w.text != "-":
				if !known.MatchString(w.text) || !w.plain() {
					return finding{}, false
				}
			default:
				operands = append(operands, w)
			}
		}
		f := finding{decision: Allow, touches: reads | writes}
		var asked *finding // of the first operand for which the user is asked
		for i, w := range operands {
			why, what := "", touch(0)
			if i < from(len(operands)) {
				if why = read(w, s.depth); why != "" {
					what = outside
				}
			} else {
				why, what = changeable(w, s.depth)
				name := w.text
				if slices.Contains(folders, words[0].text) {
					name += "/"
				}
				f.writes = append(f.writes, name)
			}
			if why != "" && asked == nil {
				first := asks(f.touches|what, "%s", why)
				asked = &first
			}
		}
		if asked != nil {
			asked.writes = f.writes // the question names all of them
			return *asked, true
		}
		return f, len(operands) > 0
	}
}

// settled are the names with a dot that nothing obeys: they only keep files out of
// something, or hold what tools made.
var settled = lazyregexp.New(`^\.(gitignore|gitkeep|keep|dockerignore|prettierignore|eslintignore|npmignore|editorconfig|coverage(\..*)?|\w*_cache|cache|next|nuxt|turbo|parcel-cache|nyc_output|tox|nox|hypothesis|eggs|ipynb_checkpoints|DS_Store|build|dist|output|out|tmp|temp|test|tests|bak|orig|swp|.*\.sw[op])$`)

// changeable returns "" when a word names files of the private copy that a command may
// change: none that is hidden, since programs obey such files, and not the whole tree. Otherwise it returns
// why the user is asked, and what else the command touches.
func changeable(w word, depth int) (why string, what touch) {
	if own(w.text) || slices.Contains(harmless, w.text) {
		return "", 0
	}
	text := strings.ReplaceAll(w.text, hole, "x")
	if why := writing.objects(word{text: text, glob: w.glob}, depth); why != "" {
		return why, outside
	}
	if w.status || w.open > member || text == "" {
		return fmt.Sprintf("It is known only when the command runs which file it changes (%s).", w.text), 0
	}
	if _, behind, found := strings.Cut(w.text, hole); found && w.open == member && strings.HasPrefix(behind, "/") {
		return fmt.Sprintf("It is known only when the command runs which file it changes (%s).", w.text), 0
	}
	if everything(text) || path.Clean(strings.TrimPrefix(text, root)) == "/" {
		return fmt.Sprintf("It changes or removes everything in a folder (%s).", w.text), 0
	}
	for part := range strings.SplitSeq(text, "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != ".." && !settled.MatchString(part) {
			return fmt.Sprintf("It changes %s; hidden files can configure programs.", w.text), obeyed
		}
		if installed.MatchString(part) {
			return fmt.Sprintf("It changes %s, which programs load by themselves.", w.text), obeyed
		}
	}
	if w.glob && !named.MatchString(path.Base(text)) && !named.MatchString(path.Dir(text)) {
		return fmt.Sprintf("It changes or removes everything in a folder (%s).", w.text), 0
	}
	return "", 0
}

// installed matches files and folders that interpreters load without being told to.
var installed = lazyregexp.New(`(?i)^(site-packages|dist-packages|(site|user)customize\.py|.*\.pth)$`)

// named matches what names something, beside wildcards.
var named = lazyregexp.New(`\w\w|\w\*|\*\.?\w|^\w$`)

var fileMode = lazyregexp.New(`^([ugoa]*[+=-][rwxX]+(,[ugoa]*[+=-][rwxX]+)*|0?[4-7][0-7][0-7])$`)

// chmod is allowed to change the modes of single files; a file that becomes executable is
// asked for when the result is accepted.
func chmod(words []word, s scope) (finding, bool) {
	if len(words) < 3 || !words[1].plain() || !fileMode.MatchString(words[1].text) {
		return finding{}, false
	}
	return changing(`^$`, everyOne)(append([]word{words[0]}, words[2:]...), s)
}

var arModes = lazyregexp.New(`^-?[rqd][csuvDUS]*$`)

// ar is allowed to make an archive.
func ar(words []word, s scope) (finding, bool) {
	if len(words) < 3 || !words[1].plain() || !arModes.MatchString(words[1].text) {
		return finding{}, false
	}
	for _, w := range words[3:] {
		if why := read(w, s.depth); why != "" {
			return asks(reads|writes|outside, "%s", why), true
		}
	}
	if slices.ContainsFunc(words[2:], func(w word) bool {
		return strings.HasPrefix(w.text, "-") || strings.HasPrefix(w.text, "@") || w.glob && !anchored(w.text)
	}) {
		return finding{}, false
	}
	return changing(`^$`, everyOne)([]word{words[0], words[2]}, s)
}

// ln is allowed to make one symbolic link that leads to the workspace.
func ln(words []word, s scope) (finding, bool) {
	if len(words) != 4 || !slices.Contains([]string{"-s", "-sf", "-sfn", "-sn"}, words[1].text) || !words[2].plain() || !words[3].plain() || strings.HasSuffix(words[3].text, "/") {
		return finding{}, false
	}
	if path.IsAbs(words[2].text) || read(word{text: path.Join(path.Dir(words[3].text), words[2].text)}, s.depth) != "" || read(words[2], s.depth+steps(path.Dir(words[3].text))) != "" {
		return finding{}, false
	}
	return changing(`^$`, everyOne)([]word{words[0], words[3]}, s)
}

var (
	sedFlags   = lazyregexp.New(`^(-[nErsuz]*i|-i[nErsuz]*|-i\.\w+|--in-place|--in-place=\.\w+|-[nErsuz]+|--quiet|--silent|--regexp-extended)$`)
	sedWith    = lazyregexp.New(`^(-[nErsuzi]*e|--expression)$`)
	sedInserts = lazyregexp.New(`^(\d+|\$|/([^/\\\n]|\\[^\n])*/)?\s*[aic]\\?\s*\S[^\n]*$`)
)

// sedInPlace is allowed to edit files with a script that neither runs programs nor writes
// other files.
func sedInPlace(words []word, s scope) (finding, bool) {
	var scripts []string
	inPlace := false
	files := []word{words[0]}
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w.text == "" && w.quoted && inPlace && i == 2: // as on macOS: here a file without a name
		case strings.HasPrefix(w.text, "-") && !w.plain():
			return finding{}, false
		case sedWith.MatchString(w.text) && i+1 < len(words) && words[i+1].plain():
			inPlace = inPlace || strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "i")
			i++
			scripts = append(scripts, words[i].text)
		case sedFlags.MatchString(w.text):
			inPlace = inPlace || strings.HasPrefix(w.text, "--in-place") || !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "i")
		case strings.HasPrefix(w.text, "-"):
			return finding{}, false
		default:
			files = append(files, w)
		}
	}
	if len(scripts) == 0 && len(files) > 1 && files[1].plain() {
		scripts, files = []string{files[1].text}, append([]word{words[0]}, files[2:]...)
	}
	if !inPlace || len(scripts) == 0 || slices.ContainsFunc(scripts, func(s string) bool { return !sedPrints(s) && !sedInserts.MatchString(s) }) {
		return finding{}, false
	}
	f, ok := changing(`^$`, everyOne)(files, s)
	f.tame = f.decision == Allow
	if len(files) == 1 { // xargs adds them
		return finding{decision: Allow, touches: reads | writes, tame: true, writes: []string{"*"}}, true
	}
	return f, ok
}

// narrowed reports whether the tests of find select something by name.
func narrowed(words []word) bool {
	for i, w := range words[:len(words)-1] {
		if slices.Contains([]string{"-name", "-iname", "-path", "-ipath", "-wholename"}, w.text) && findsNamed.MatchString(words[i+1].text) && !strings.Contains(words[i+1].text, ".git") &&
			!slices.ContainsFunc(words, func(w word) bool {
				return w.text == "!" || w.text == "-not" || w.text == "-o" || w.text == "-or" || w.text == ","
			}) {
			return true
		}
	}
	return false
}

var findsNamed = lazyregexp.New(`\w\w`)

var (
	perlFlags = lazyregexp.New(`^(-(pi|i|p|pie|pe|ie|0pi|0777pi)(\.bak)?|-e|-0|-0777)$`)
	perlPlain []*lazyregexp.Regexp
)

func init() {
	for _, separator := range []string{"/", "#", "|", ","} {
		part := strings.ReplaceAll(`(?:[^\n\\$@{}`+"`"+`SEP]|\\[^\n]|\$[0-9&])*\$?`, "SEP", regexp.QuoteMeta(separator))
		q := regexp.QuoteMeta(separator)
		perlPlain = append(perlPlain, lazyregexp.New(`^s`+q+part+q+part+q+`[gimsx]*;?$`))
	}
}

// perlInPlace is allowed to edit files by one substitution that has no code in it.
func perlInPlace(words []word, s scope) (finding, bool) {
	flags, program := "", ""
	files := []word{words[0]}
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case program == "" && w.plain() && perlFlags.MatchString(w.text):
			if flags += w.text; strings.HasSuffix(w.text, "e") && i+1 < len(words) && words[i+1].plain() {
				i++
				program = words[i].text
			}
		case strings.HasPrefix(w.text, "-"):
			return finding{}, false
		default:
			files = append(files, w)
		}
	}
	if !strings.Contains(flags, "p") || !strings.Contains(flags, "i") || !slices.ContainsFunc(perlPlain, func(r *lazyregexp.Regexp) bool { return r.MatchString(program) }) {
		return finding{}, false
	}
	for _, w := range files[1:] {
		if strings.ContainsAny(w.text, "|<>") { // perl opens such an operand as a command
			return finding{}, false
		}
	}
	return changing(`^$`, everyOne)(files, s)
}
