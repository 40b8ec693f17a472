package lint

import (
	"fmt"
	"strings"

	"caselsp/sandbox"
	"caselsp/store/lazyregexp"
)

// notRun says that a linter's report holds why it could not run.
type notRun struct{ said string }

// Error implements error.
func (n *notRun) Error() string { return n.said }

// trouble says in a line why a linter gave no report, and which package it lacked.
func trouble(l *Linter, result *sandbox.Result) (text, lacks string) {
	switch {
	case result.ExitCode == notFound && result.Advice == "":
		return fmt.Sprintf("%s is not in the sandbox: %s, or go on without it", l.Name, l.source()), ""
	case result.Advice != "":
		return fmt.Sprintf("%s did not run: %s", l.Name, result.Advice), ""
	case result.Status != sandbox.Exited:
		return strings.TrimSuffix(fmt.Sprintf("%s did not end by itself (%s): give it fewer files or more time. %s", l.Name, result.Status, telling(result.Output)), ". "), ""
	}
	return reason(l, result.Output)
}

// source says where a linter comes from that is not in the sandbox: Go's and Bandit are no packages
// of a project's.
func (l *Linter) source() string {
	if l.Profile == sandbox.Go || l == Bandit {
		return "install it where the sandbox finds it"
	}
	return "add it to the project's dependencies"
}

// lacking are the ways in which linters say that a package is not there that they are configured to use.
var lacking = []*lazyregexp.Regexp{
	lazyregexp.New(`Cannot find (?:package|module) ['"]((?:@[\w.-]+/)?[\w][\w.-]*)[^'"]*['"]`),
	lazyregexp.New(`couldn't find (?:the (?:plugin|config) )?"((?:@[\w.-]+/)?[\w][\w./-]*)"`),
	lazyregexp.New(`No module named ['"]?([\w]+)`),
	lazyregexp.New(`no required module provides package ([\w./-]+)`),
	lazyregexp.New(`([\w./-]+)@v[\w.+-]+: (?:Get "[^"]*": )?(?:module lookup disabled|dial tcp)`),
}

// reason says why a linter did not run, by what it said.
func reason(l *Linter, said string) (text, lacks string) {
	for _, pattern := range lacking {
		if m := pattern.FindStringSubmatch(said); m != nil {
			return fmt.Sprintf("%s did not run: it needs %s, which is not installed in the sandbox", l.Name, m[1]), m[1]
		}
	}
	if line := telling(said); line != "" {
		return fmt.Sprintf("%s did not run: %s", l.Name, line), ""
	}
	return l.Name + " did not run and did not say why", ""
}

// troubled are the words of a line that says what is wrong. Lines of a trace say where.
var (
	troubled = lazyregexp.New(`(?i)error|exception|cannot|can't|could not|unable|fail|fatal|panic|invalid|no such|not found|unknown|usage:`)
	ofTrace  = lazyregexp.New(`^(at |File "|Traceback |goroutine |\s*\^)`)
)

// longestTelling is how many bytes of a line are told.
const longestTelling = 240

// ofError begins a line with an error; a line in parentheses is a hint beside one.
var (
	ofError = lazyregexp.New(`(?i)^(?:[\w.]*(?:error|exception)\b|(?:fatal|panic|oops)\b)`)
	beside  = lazyregexp.New(`^\(.*\)$|^\(node:\d+\)`)
)

// telling is the first line of a program's output that is an error, else the last that says what is wrong,
// else the last one.
func telling(output string) string {
	said, last := "", ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || ofTrace.MatchString(line) || beside.MatchString(line):
		case ofError.MatchString(said):
		case troubled.MatchString(line):
			said, last = line, line
		default:
			last = line
		}
	}
	if said == "" {
		said = last
	}
	if len(said) > longestTelling {
		said = strings.ToValidUTF8(said[:longestTelling], "") + "…"
	}
	return said
}
