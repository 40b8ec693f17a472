package workspace

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxAlternatives is how many patterns the braces of one glob may stand for. No
// person writes more, and braces next to braces multiply.
const maxAlternatives = 64

// glob is a pattern that a path must match, as doublestar has them.
type glob string

// everyFile is what an empty pattern means.
const everyFile glob = "**/*"

// parseGlob understands *, ?, [a-z], [!a-z], {a,b} and **. As in .gitignore and
// in ripgrep, a pattern without a slash is about the name of a file wherever it
// lies, and "src/" is everything below src. An empty pattern is every file.
func parseGlob(pattern string) (glob, error) {
	if pattern == "" {
		return everyFile, nil
	}
	if !doublestar.ValidatePattern(pattern) {
		return "", fmt.Errorf("glob %q: syntax error in pattern: close every [ and {, or write \\[ and \\{", pattern)
	}
	if alternatives(pattern) > maxAlternatives {
		return "", fmt.Errorf("glob %q stands for more than %d patterns: use fewer braces", pattern, maxAlternatives)
	}
	p := strings.TrimPrefix(pattern, "./")
	if strings.HasSuffix(p, "/") {
		p += "**"
	}
	if !strings.Contains(p, "/") {
		p = "**/" + p
	}
	return asGit(strings.TrimPrefix(p, "/")), nil
}

// match reports whether a path matches.
func (g glob) match(p string) bool {
	return g == everyFile || doublestar.MatchUnvalidated(string(g), p)
}

// within returns the folder, with a slash at its end, that all paths lie in that match; "" where
// there is none.
func (g glob) within() string {
	fixed := string(g)
	if i := strings.IndexAny(fixed, `*?[{\`); i >= 0 {
		fixed = fixed[:i]
	}
	return fixed[:strings.LastIndexByte(fixed, '/')+1]
}

// flat reports whether all paths that match lie in the folder of within itself.
func (g glob) flat() bool {
	rest := string(g)[len(g.within()):]
	return rest != "" && !strings.Contains(rest, "/") && !strings.Contains(rest, "**")
}

// Glob is a pattern for files, as in .gitignore: one without a slash is about the name of a
// file wherever it lies.
type Glob struct{ glob glob }

// ParseGlob reads a pattern. The error says what is wrong with it.
func ParseGlob(pattern string) (Glob, error) {
	g, err := parseGlob(pattern)
	return Glob{g}, err
}

// Match reports whether a path of the workspace matches, whatever the case of its letters.
func (g Glob) Match(p string) bool {
	return glob(strings.ToLower(string(g.glob))).match(strings.ToLower(p))
}

// asGit writes a pattern so that doublestar reads it as git and ripgrep do: a ** at
// the end stands for at least one name, and [!a] for no slash.
func asGit(pattern string) glob {
	if strings.HasSuffix(pattern, "/**") {
		pattern += "/*"
	}
	return glob(rewrite(pattern, func(before, c byte) string {
		if before == '[' && (c == '!' || c == '^') {
			return string(c) + "/"
		}
		return string(c)
	}))
}

// withoutBraces escapes braces, which mean nothing in a .gitignore.
func withoutBraces(pattern string) string {
	return rewrite(pattern, func(_, c byte) string {
		if c == '{' || c == '}' {
			return `\` + string(c)
		}
		return string(c)
	})
}

// rewrite replaces each byte of a pattern that is not escaped by what with returns
// for it; before is the byte before it, 0 where that is escaped.
func rewrite(pattern string, with func(before, c byte) string) string {
	var out strings.Builder
	before := byte(0)
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			out.WriteString(pattern[i : i+2])
			i, before = i+1, 0
			continue
		}
		out.WriteString(with(before, pattern[i]))
		before = pattern[i]
	}
	return out.String()
}

// alternatives returns how many patterns the braces of a valid one stand for, and
// something above maxAlternatives where they are more.
func alternatives(pattern string) int {
	type braces struct{ outer, sum int }
	var open []braces
	product := 1
	rewrite(pattern, func(_, c byte) string {
		switch last := len(open) - 1; {
		case c == '{':
			open = append(open, braces{outer: product})
			product = 1
		case c == ',' && last >= 0:
			open[last].sum += product
			product = 1
		case c == '}' && last >= 0:
			product = min(open[last].outer*(open[last].sum+product), maxAlternatives+1)
			open = open[:last]
		}
		return ""
	})
	return product
}
