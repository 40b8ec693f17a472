package obey

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// What CMake does not run: commands that list files, libraries and versions.
var (
	cmakeFree = []string{"cmake_minimum_required", "project", "add_executable", "add_library", "target_sources", "target_link_libraries",
		"target_include_directories", "target_compile_definitions", "target_compile_features", "enable_testing", "add_subdirectory", "find_package", "option", "add_test", "set"}
	cmakeSet = lazyregexp.New(`(?i)^(\w*(SRCS?|SOURCES|HEADERS|FILES|VERSION)|CMAKE_(C|CXX)_(STANDARD|STANDARD_REQUIRED|EXTENSIONS))$`)
	// A word that is no flag, leads nowhere else and reads no environment.
	cmakeWord = lazyregexp.New(`^"?[\w][\w./:+=<>${} -]*"?$|^"?\$\{\w+\}[\w./]*"?$`)
	// A test that runs what was built, by the name of its target.
	cmakeTest = lazyregexp.New(`(?i)^NAME \S+ COMMAND \w+$`)
	cmakeCall = lazyregexp.New(`^\s*([A-Za-z_]\w*)\s*\(`)
)

// inCMake is the format of CMakeLists.txt: a list of commands.
func inCMake(text string) (string, bool) {
	if strings.Contains(text, "[[") || strings.Contains(text, "[=") {
		return text, true // brackets hide where a command ends
	}
	var rest []string
	for text = withoutComments(text); strings.TrimSpace(text) != ""; {
		m := cmakeCall.FindStringSubmatch(text)
		if m == nil {
			return "", false
		}
		end := closing(text, len(m[0]))
		if end < 0 {
			return "", false
		}
		name, args := strings.ToLower(m[1]), strings.Join(strings.Fields(text[len(m[0]):end]), " ")
		if !plainCommand(name, args) {
			rest = append(rest, name+"("+args+")")
		}
		text = text[end+1:]
	}
	return strings.Join(rest, "\n"), true
}

// plainCommand reports whether a command only lists things.
func plainCommand(name, args string) bool {
	words := strings.Fields(args)
	if !slices.Contains(cmakeFree, name) || strings.Contains(args, "$<") || strings.Contains(args, "$ENV") || strings.Contains(args, "$CACHE") {
		return false
	}
	for _, w := range words {
		if !cmakeWord.MatchString(w) && !strings.HasPrefix(w, `"`) || strings.Contains(w, "..") {
			return false
		}
	}
	switch name {
	case "add_test":
		return cmakeTest.MatchString(args)
	case "set":
		return len(words) > 0 && cmakeSet.MatchString(words[0])
	case "find_package":
		return !slices.ContainsFunc(words, func(w string) bool { return slices.Contains([]string{"PATHS", "HINTS", "CONFIGS", "NAMES"}, w) })
	}
	return true
}

// closing returns where the parenthesis ends that is open at a place, -1 if nowhere.
func closing(text string, at int) int {
	depth, quoted := 1, false
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// withoutComments takes out what stands behind a #, to the end of its line.
func withoutComments(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			b.WriteByte(c)
			i++
		case c == '"':
			quoted = !quoted
		case c == '#' && !quoted:
			for i < len(text) && text[i] != '\n' {
				i++
			}
			if i == len(text) {
				return b.String()
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
