package obey

import (
	"strings"

	"caselsp/store/lazyregexp"
)

var (
	// What a variable of make can hold without being run: files that are compiled or read,
	// under names that say so, a version, and flags that load nothing.
	makeFiles = lazyregexp.New(`^([A-Za-z_]*_)?(SRCS?|SOURCES|OBJS?|OBJECTS|HDRS|HEADERS|FILES|DOCS)\s*[:?+]?=(\s+(\.?[A-Za-z0-9_][\w-]*/|\./)*[A-Za-z0-9_][\w-]*\.(c|cc|cpp|cxx|h|hh|hpp|hxx|o|s|S|f|f90|f95|m|mm|md|rst|txt))*\s*$`)
	makePlain = lazyregexp.New(`^(\.PHONY\s*:(\s+[A-Za-z_][\w-]*)*|([A-Za-z_]*_)?VERSION\s*[:?+]?=\s*[0-9]+(\.[0-9]+)*)\s*$`)
	makeFlags = lazyregexp.New(`^(C|CXX|CPP)FLAGS\s*[:?+]?=(\s+(-W[\w=-]*|-O[0-3sgz]?|-g[0-3]?|-std=[\w+]+|-I[\w./]+|-D\w+(=\w+)?|-pedantic|-fPIC|-pthread|-MMD|-MP))*\s*$`)

	// Where lists of files may go: into other variables and prerequisites, and into commands
	// that compile, link or remove them.
	makeRef     = `\$(?:[@<^+*?]|\([A-Za-z_]\w*(?::[%\w.]*=[%\w./]*)?\)|\([@<*][DF]\))`
	makeToken   = `(?:[\w./%+=-]|` + makeRef + `)+`
	makeOperand = `\s+(?:` + makeToken + `)`
	makeCompile = lazyregexp.New(`^\t[@-]?\s*(?:\$\((?:CC|CXX|FC|AR|LD|RM)\)|cc|c\+\+|gcc|g\+\+|clang|clang\+\+|gfortran|ar|ld|rm)(?:` + makeOperand + `)*\s*$`)
	makeCalls   = `\$\((?:patsubst|wildcard|addprefix|addsuffix|notdir|basename|sort)\s+(?:[\w./%*, +-]|` + makeRef + `)*\)`
	makeLine    = lazyregexp.New(`^(?:` + makeToken + `\s+)*` + makeToken + `\s*(?::|[:?+]?=|::)(?:\s*(?:` + makeToken + `|` + makeCalls + `|\|))*\s*$`)
	// What takes lists elsewhere: into other texts of make, the environment, or functions.
	makeElsewhere = lazyregexp.New(`^\s*(-?include|sinclude|load|-load|define|undefine|override|export|unexport|vpath)\b|(?:\b(?:SHELL|CC|CXX|FC|AR|LD|RM)|\.SHELLFLAGS)\s*[:?+!]*=.*\$|!=`)

	// Where a variable of several lines begins and ends. In between nothing is a comment: all of
	// it is expanded. An end behind a tab is none; a beginning is one wherever make could see it.
	makeDefine = lazyregexp.New(`(?m)^\s*(?:[a-z]+\s+)*define(?:\s|$)`)
	makeEndef  = lazyregexp.New(`^ *endef[ \t]*(?:#[^\n]*)?$`)
)

// inMakefile is the format of make: its recipes, and whatever is not plain, are commands.
// Lists of files are free only where every line that could name one is plainly harmless.
func inMakefile(text string) (string, bool) {
	if strings.Contains(text, "RECIPEPREFIX") { // then any character may begin a recipe
		return text, true
	}
	lines := logicalLines(text)
	free := !makeDefine.MatchString(text)
	for _, line := range lines {
		free = free && (makeRemark(line) || makeHarmless(line))
	}
	var rest []string
	depth := 0 // of define
	for _, line := range lines {
		inside := depth > 0
		switch {
		case makeDefine.MatchString(line):
			depth, inside = depth+1, true
		case inside && makeEndef.MatchString(line):
			depth--
		}
		plain := makeRemark(line) || makePlain.MatchString(line) || makeFlags.MatchString(line) || free && makeFiles.MatchString(line)
		if inside || !plain || strings.Contains(line, "\n") {
			rest = append(rest, strings.TrimRight(line, " \r"))
		}
	}
	return strings.Join(rest, "\n"), true
}

func makeRemark(line string) bool {
	return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#")
}

// makeHarmless reports whether a line does nothing with a list of files but to compile it.
func makeHarmless(line string) bool {
	switch {
	case makeElsewhere.MatchString(line):
		return false
	case !strings.Contains(line, "$"):
		return true
	case strings.HasPrefix(line, "\t"):
		return makeCompile.MatchString(line)
	}
	return makeLine.MatchString(line)
}
