package stack

import (
	"strings"

	"caselsp/store/lazyregexp"
)

// circles are the sentences by which languages say that modules import each other. The first
// group, where there is one, is the module that was caught half-made.
var circles = []*lazyregexp.Regexp{
	lazyregexp.New(`(?m)^.*(?:partially initialized module|from partially initialized module) '([\w.]+)'.*$`),
	lazyregexp.New(`(?m)^.*Accessing non-existent property '[^']+' of module exports inside circular dependency.*$`),
	lazyregexp.New(`(?m)^.*\bimport cycle not allowed\b.*$`),
}

var (
	pythonFrame = lazyregexp.New(`(?m)^\s*(?:File "([^"\n]+\.py)", line \d+|([^\s:"]+\.py):\d+: in <module>)`)
	goImports   = lazyregexp.New(`(?m)^\s*(?:package|imports) ([\w./-]+)(?: from \S+)?(?:: import cycle not allowed.*)?$`)
)

// mostCircle is how many members of a circle are named.
const mostCircle = 8

// Circle recognises a circular import in the output of a run and returns the line that says so,
// and the files or packages on the way round as far as the trace names them.
func Circle(output string, paths []string) (said string, way []string) {
	for i, pattern := range circles {
		m := pattern.FindString(output)
		if m == "" {
			continue
		}
		if i == 2 {
			return strings.TrimSpace(m), members(goImports, output, nil)
		}
		return strings.TrimSpace(m), members(pythonFrame, output, paths)
	}
	return "", nil
}

// members are the first groups of a pattern, each once; where paths are given, only those that
// are the project's.
func members(pattern *lazyregexp.Regexp, output string, paths []string) (list []string) {
	seen := map[string]bool{}
	for _, m := range pattern.FindAllStringSubmatch(output, -1) {
		name := strings.Join(m[1:], "")
		if paths != nil {
			name = projectPath(name, paths)
		}
		if name == "" || seen[name] || len(list) == mostCircle {
			continue
		}
		seen[name] = true
		list = append(list, name)
	}
	return list
}

// projectPath is the project's file that an absolute path of a trace is; "" for none.
func projectPath(name string, paths []string) string {
	best := ""
	for _, p := range paths {
		if (name == p || strings.HasSuffix(name, "/"+p)) && len(p) > len(best) {
			best = p
		}
	}
	return best
}
