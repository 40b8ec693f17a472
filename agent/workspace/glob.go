package workspace

import (
	"fmt"
	"path"
	"strings"
)

// maxAlternatives is how many patterns the braces of one glob may stand for. No
// person writes more, and nested braces multiply.
const maxAlternatives = 64

// glob is a set of patterns, one of which a path must match. Each is cut at its
// slashes; "**" stands for any number of folders, at the end for at least one name.
type glob [][]string

// parseGlob understands *, ?, [a-z], [!a-z], {a,b} and **. As in .gitignore and
// in ripgrep, a pattern without a slash is about the name of a file wherever it
// lies, and "src/" is everything below src. An empty pattern is every file.
func parseGlob(pattern string) (glob, error) {
	if pattern == "" {
		return glob{{"**"}}, nil
	}
	alternatives, err := expandBraces(pattern)
	if err != nil {
		return nil, err
	}
	var g glob
	for _, p := range alternatives {
		p = strings.TrimPrefix(p, "./")
		if strings.HasSuffix(p, "/") {
			p += "**"
		}
		if !strings.Contains(p, "/") {
			p = "**/" + p
		}
		segments := strings.Split(strings.TrimPrefix(p, "/"), "/")
		for i, s := range segments {
			segments[i] = goClass(s)
			if _, err := path.Match(segments[i], ""); err != nil {
				return nil, fmt.Errorf("glob %q: %w: close every [ or write \\[", pattern, err)
			}
		}
		g = append(g, segments)
	}
	return g, nil
}

// match reports whether a path matches.
func (g glob) match(p string) bool {
	names := strings.Split(p, "/")
	for _, segments := range g {
		if matchSegments(segments, names) {
			return true
		}
	}
	return false
}

// matchSegments matches a pattern that was checked before. It tries at most
// every pair of a segment and a name once, whatever the pattern.
func matchSegments(segments, names []string) bool {
	// reach[i]: the segments so far can stand for the first i names.
	reach := make([]bool, len(names)+1)
	reach[0] = true
	for s, segment := range segments {
		next := make([]bool, len(names)+1)
		if segment == "**" {
			open := false
			for i := range next {
				next[i] = open || reach[i] && s < len(segments)-1
				open = open || reach[i]
			}
		} else {
			for i, name := range names {
				if reach[i] {
					next[i+1], _ = path.Match(segment, name)
				}
			}
		}
		reach = next
	}
	return reach[len(names)]
}

// goClass writes the negated classes of shells, [!a], as path.Match has them.
func goClass(segment string) string {
	var out strings.Builder
	for i := 0; i < len(segment); i++ {
		out.WriteByte(segment[i])
		switch {
		case segment[i] == '\\' && i+1 < len(segment):
			i++
			out.WriteByte(segment[i])
		case segment[i] == '[' && i+1 < len(segment) && segment[i+1] == '!':
			i++
			out.WriteByte('^')
		}
	}
	return out.String()
}

// expandBraces returns the patterns that one with {a,b} stands for.
func expandBraces(pattern string) ([]string, error) {
	list := []string{pattern}
	for i := 0; i < len(list); {
		open, commas, end := findBraces(list[i])
		if open < 0 {
			i++
			continue
		}
		p := list[i]
		var parts []string
		from := open + 1
		for _, c := range append(commas, end) {
			parts = append(parts, p[:open]+p[from:c]+p[end+1:])
			from = c + 1
		}
		list = append(list[:i], append(parts, list[i+1:]...)...)
		if len(list) > maxAlternatives {
			return nil, fmt.Errorf("glob %q stands for more than %d patterns: use fewer braces", pattern, maxAlternatives)
		}
	}
	return list, nil
}

// findBraces returns the places of the first pair of braces and of the commas
// between them; open is -1 where there is none.
func findBraces(p string) (open int, commas []int, end int) {
	open = -1
	depth := 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '{':
			if depth++; depth == 1 {
				open, commas = i, nil
			}
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		case '}':
			if depth--; depth == 0 {
				return open, commas, i
			}
			depth = max(depth, 0)
		}
	}
	return -1, nil, 0
}
