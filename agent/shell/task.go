package shell

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// taskLine says which words a build tool may have whose operands are tasks.
type taskLine struct {
	first  *lazyregexp.Regexp // the first word, where it has to be one of its own
	words  *lazyregexp.Regexp // tasks and flags
	valued *lazyregexp.Regexp // flags whose value is the next word
	value  *lazyregexp.Regexp
	paths  bool // all other words that do not look like flags are paths
	only   bool // it only reads
}

// nothing matches no word.
var nothing = lazyregexp.New(`^\x00$`)

// justTask matches the usual names of builds and checks, as in [kin], for runners that take nothing else here.
var justTask = lazyregexp.New(`^(-[vqns]|--(verbose|quiet|list|dry-run|summary|silent)|(tests?|unit|check|lint|fmt|format|build|typecheck|types|vet|clean|ci|verify|docs?|cov|coverage|bench|all)([:-][\w:-]+)?)$`)

var taskValue = lazyregexp.New(`^[\w.,:*#$/-]+$`)

// taskWords are the tools whose operands are tasks that the project or plug-ins define: the
// usual ones for building and checking are known.
var taskWords = map[string]taskLine{
	"mvn": {
		words: lazyregexp.New(`^(-[qBoeU]|-ntp|-am|-amd|-T\d+C?|--(quiet|batch-mode|offline|no-transfer-progress|errors|fail-at-end|fail-fast)|-ff|-fae` +
			`|-D(test|it\.test)=[\w.,*#+-]+|-D(skipTests|skipITs|maven\.test\.skip|failIfNoTests|surefire\.failIfNoSpecifiedTests|checkstyle\.skip|style\.color)(=\w+)?` +
			`|clean|validate|compile|test-compile|test|package|verify|process-classes|dependency:tree|surefire:test|checkstyle:check|spotless:check|spotless:apply|pmd:check|spotbugs:check)$`),
		valued: lazyregexp.New(`^(-pl|--projects|-T|-rf)$`), value: taskValue,
	},
	"gradle": {
		words: lazyregexp.New(`^(-[qiws]|--(offline|quiet|info|warn|no-daemon|continue|stacktrace|rerun-tasks|parallel|console=plain|dry-run)|-m` +
			`|(:?[\w-]+:|:)*(test|build|check|assemble|classes|testClasses|clean|tasks|dependencies|projects|help|javadoc|jar|detekt|compile\w*|lint\w*|\w+Test|test\w+|spotless\w*|ktlint\w*))$`),
		valued: lazyregexp.New(`^(-x|--exclude-task|--tests)$`), value: taskValue,
	},
	"cmake": { // --build is in the table
		words:  lazyregexp.New(`^(-[SB][\w./-]+|--fresh|--version|-D\w+(:BOOL|:STRING)?=(ON|OFF|TRUE|FALSE|Debug|Release|RelWithDebInfo|MinSizeRel|\d+)|-G(Ninja|Unix Makefiles)|-Wno-dev)$`),
		valued: lazyregexp.New(`^-[SBG]$`), value: lazyregexp.New(`^[\w.][\w ./-]*$`), paths: true,
	},
	"clang-tidy": {
		words:  lazyregexp.New(`^(--|-I[\w.][\w./-]*|-std=[\w+]+|-D\w+(=\w+)?|-p=?[\w.][\w./-]*|-quiet|-checks=[\w*,.-]+)$`),
		valued: lazyregexp.New(`^-p$`), value: lazyregexp.New(`^[\w.][\w./-]*$`), paths: true,
	},
	"pre-commit": {
		first:  lazyregexp.New(`^run$`),
		words:  lazyregexp.New(`^(-[av]|--(all-files|verbose|show-diff-on-failure|color=\w+)|[a-z][\w-]*)$`),
		valued: lazyregexp.New(`^--files$`), value: lazyregexp.New(`^\w[\w./-]*$`),
	},
	"rake": {
		words:  lazyregexp.New(`^(test(:\w+)*|spec(:\w+)*|rubocop|lint|check|TEST=[\w./*-]+|SPEC=[\w./*-]+|TESTOPTS=-?[\w= /-]+|-[qtvs]|--trace)$`),
		valued: nothing, value: nothing,
	},
	"nx": { // the first operand says what is done
		first: lazyregexp.New(`^(test|lint|build|typecheck|e2e|check|run-many|affected|[\w@/-]+:(test|lint|build|typecheck|check|e2e)(:\w+)?)$`),
		words: lazyregexp.New(`^(--(all|skip-nx-cache|parallel|verbose|ci|coverage|watch=false|codeCoverage|nx-bail|fix)|--(parallel|projects|base|head|exclude|outputStyle|testFile|testNamePattern)=[\w@,./~^*-]+` +
			`|(--targets?=)?(test|lint|build|typecheck|e2e|check)(,(test|lint|build|typecheck|e2e|check))*|[a-z][\w-]*)$`),
		valued: lazyregexp.New(`^(-t|--targets?)$`), value: lazyregexp.New(`^(test|lint|build|typecheck|e2e|check)(,(test|lint|build|typecheck|e2e|check))*$`),
	},
	"just": {words: justTask, valued: nothing, value: nothing}, "task": {words: justTask, valued: nothing, value: nothing}, "poe": {words: justTask, valued: nothing, value: nothing},
	"less": {words: lazyregexp.New(`^-[FXRSNinr]+$`), valued: nothing, value: nothing, paths: true, only: true},
	"sqlite3": {
		words:  lazyregexp.New(`^(-(readonly|header|noheader|column|csv|json|line|list|batch)|(?i:select|explain query plan select) [\w\s.,*=<>!'"%()-]*;?|\.(schema|tables|indexes|databases)( \w+)?|[\w./-]+\.(db|sqlite|sqlite3)|:memory:)$`),
		valued: nothing, value: nothing, only: true,
	},
}

func (t taskLine) judge(words []word, s scope) (finding, bool) {
	f := finding{decision: Allow, touches: reads | writes | runs}
	if t.only {
		f.touches = reads
	}
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case i == 1 && t.first != nil:
			if !w.plain() || !t.first.MatchString(w.text) {
				return finding{}, false
			}
		case w.glob && !t.paths || w.status || w.open != closed:
			return finding{}, false
		case t.valued.MatchString(w.text) && i+1 < len(words) && t.value.MatchString(words[i+1].text):
			i++
		case t.words.MatchString(w.text) && inside(w, s.depth) == "":
		case !t.paths || w.text == "" || strings.IndexByte("-+@", w.text[0]) >= 0 || inside(w, s.depth) != "":
			return finding{}, false
		}
	}
	return f, len(words) > 1 || words[0].text == "less"
}

// shorter judges cmake --build by what it is without its target, where that has one of the usual names of builds and checks.
func (j judge) shorter(words []word, s scope) (finding, bool) {
	if len(words) < 4 || words[0].text != "cmake" || words[1].text != "--build" {
		return finding{}, false
	}
	i := slices.IndexFunc(words, func(w word) bool { return w.text == "--target" || w.text == "-t" })
	if i < 2 || i+1 >= len(words) || !words[i+1].plain() || !kin(words[i+1].text) {
		return finding{}, false
	}
	f := j.words(slices.Concat(words[:i], words[i+2:]), s).without()
	return f, f.decision == Allow
}

// promptless are the words by which sqlite3 takes no commands from its input, which may start programs.
var promptless = lazyregexp.New(`(?i)^(select|explain|\.(schema|tables|indexes|databases))`)

// promptFed reports whether a command gives sqlite3 commands by its input.
func (c *command) promptFed() bool {
	return c.fed && slices.ContainsFunc(c.words, func(w word) bool { return w.text == "sqlite3" }) &&
		!slices.ContainsFunc(c.words, func(w word) bool { return promptless.MatchString(w.text) })
}

// sqlTrouble matches what a query needs to read or write other files, or to load code.
var sqlTrouble = lazyregexp.New(`(?i)writefile|readfile|load_extension|edit|tokenizer|attach|zipfile|fsdir|into|pragma`)
