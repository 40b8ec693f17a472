package shell

import (
	"regexp"
	"strings"
)

// taskLine says which words a build tool may have whose operands are tasks.
type taskLine struct {
	words  *regexp.Regexp // tasks and flags
	valued *regexp.Regexp // flags whose value is the next word
	value  *regexp.Regexp
	paths  bool // all other words that do not look like flags are paths
	only   bool // it only reads
}

// nothing matches no word.
var nothing = regexp.MustCompile(`^\x00$`)

var taskValue = regexp.MustCompile(`^[\w.,:*#$/-]+$`)

// taskWords are the tools whose operands are tasks that the project or plug-ins define: the
// usual ones for building and checking are known.
var taskWords = map[string]taskLine{
	"mvn": {
		words: regexp.MustCompile(`^(-[qBoeU]|-ntp|-am|-amd|-T\d+C?|--(quiet|batch-mode|offline|no-transfer-progress|errors|fail-at-end|fail-fast)|-ff|-fae` +
			`|-D(test|it\.test)=[\w.,*#+-]+|-D(skipTests|skipITs|maven\.test\.skip|failIfNoTests|surefire\.failIfNoSpecifiedTests|checkstyle\.skip|style\.color)(=\w+)?` +
			`|clean|validate|compile|test-compile|test|package|verify|process-classes|dependency:tree|surefire:test|checkstyle:check|spotless:check|spotless:apply|pmd:check|spotbugs:check)$`),
		valued: regexp.MustCompile(`^(-pl|--projects|-T|-rf)$`), value: taskValue,
	},
	"gradle": {
		words: regexp.MustCompile(`^(-[qiws]|--(offline|quiet|info|warn|no-daemon|continue|stacktrace|rerun-tasks|parallel|console=plain|dry-run)|-m` +
			`|(:?[\w-]+:|:)*(test|build|check|assemble|classes|testClasses|clean|tasks|dependencies|projects|help|javadoc|jar|detekt|compile\w*|lint\w*|\w+Test|test\w+|spotless\w*|ktlint\w*))$`),
		valued: regexp.MustCompile(`^(-x|--exclude-task|--tests)$`), value: taskValue,
	},
	"cmake": { // --build is in the table
		words:  regexp.MustCompile(`^(-[SB][\w./-]+|--fresh|--version|-D\w+(:BOOL|:STRING)?=(ON|OFF|TRUE|FALSE|Debug|Release|RelWithDebInfo|MinSizeRel|\d+)|-G(Ninja|Unix Makefiles)|-Wno-dev)$`),
		valued: regexp.MustCompile(`^-[SBG]$`), value: regexp.MustCompile(`^[\w.][\w ./-]*$`), paths: true,
	},
	"clang-tidy": {
		words:  regexp.MustCompile(`^(--|-I[\w.][\w./-]*|-std=[\w+]+|-D\w+(=\w+)?|-p=?[\w.][\w./-]*|-quiet|-checks=[\w*,.-]+)$`),
		valued: regexp.MustCompile(`^-p$`), value: regexp.MustCompile(`^[\w.][\w./-]*$`), paths: true,
	},
	"less": {words: regexp.MustCompile(`^-[FXRSNinr]+$`), valued: nothing, value: nothing, paths: true, only: true},
	"sqlite3": {
		words:  regexp.MustCompile(`^(-(readonly|header|noheader|column|csv|json|line|list|batch)|(?i:select|explain query plan select) [\w\s.,*=<>!'"%()-]*;?|\.(schema|tables|indexes|databases)( \w+)?|[\w./-]+\.(db|sqlite|sqlite3)|:memory:)$`),
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

// sqlTrouble matches what a query needs to read or write other files, or to load code.
var sqlTrouble = regexp.MustCompile(`(?i)writefile|readfile|load_extension|edit|tokenizer|attach|zipfile|fsdir|into|pragma`)
