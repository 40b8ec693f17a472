package stack

import (
	"strings"

	"caselsp/store/lazyregexp"
)

// causes are the lines in which installers give their reason, the most telling first.
var causes = []*lazyregexp.Regexp{
	lazyregexp.New(`(?m)^ERROR: (No matching distribution found for .+)$`),
	lazyregexp.New(`(?m)^ERROR: (Package '.+' requires a different Python: .+)$`),
	lazyregexp.New(`(?m)^ERROR: (Cannot install .+ because these package versions have conflicting dependencies.*)$`),
	lazyregexp.New("(?m)^npm (?:error|ERR!) (`?npm ci`? can only install .+)$"),
	lazyregexp.New(`(?m)^npm (?:error|ERR!) (404\s+Not Found.+|404\s+'.+' is not in .+)$`),
	lazyregexp.New(`(?m)^npm (?:error|ERR!) (ERESOLVE .+|notarget No matching version .+|network request to \S+ failed.*|Unsupported platform .+|Unsupported engine .+)$`),
	lazyregexp.New(`(?m)^npm (?:error|ERR!) ([^\s].*[a-z].* .*)$`),
	lazyregexp.New(`(?m)^(?:\s*)error: (subprocess-exited-with-error)$`),
	lazyregexp.New(`(?m)^ERROR: (.+)$`),
	lazyregexp.New(`(?m)^go: (.+)$`),
}

// unreached says that an installer did not reach its index.
var unreached = lazyregexp.New(`(?i)NewConnectionError|ConnectTimeoutError|ProxyError|Name or service not known|Temporary failure in name resolution|\b(?:ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT)\b|connection refused|i/o timeout|Network is unreachable`)

// installers are the command lines that install packages.
var installers = lazyregexp.New(start + `(?:pip3?|poetry|pdm|uv(?: pip)?|npm|pnpm|yarn|go)(?: -\S+)* (?:install|add|sync|ci|i|get|mod download)(?:\s|$)`)

// Installs reports whether a command line installs packages.
func Installs(line string) bool { return installers.MatchString(line) }

// InstallCause is the reason in which an installer says why it failed, in one line; "" where
// no line stands out.
func InstallCause(output string) string {
	cause := ""
	for _, p := range causes {
		if m := p.FindStringSubmatch(output); m != nil {
			cause = strings.TrimSpace(m[1])
			break
		}
	}
	if unreached.MatchString(output) {
		cause = strings.TrimSuffix("the package index could not be reached: "+cause, ": ")
	}
	return cause
}

// InstallHint is what a model can do about a command of its own that installs and failed.
func InstallHint(output string) string {
	if !unreached.MatchString(output) {
		return "The installation failed"
	}
	return "Commands have no network. Name the package in the project's own file instead (dependencies or devDependencies of package.json, the requirements, go.mod): " +
		"what stands there is installed in the sandbox when a command or the tests need it, once the user agrees"
}

// What to do about an installation that failed.
const (
	adviceIndex    = "Check the index (sandbox.indexes.*) and this machine's network, then try again."
	adviceName     = "Correct the name or the version in the file that names it, or the index (sandbox.indexes.*)."
	adviceConflict = "Make the versions in the project's files fit each other and the sandbox's language."
	adviceBuild    = "Pin a version that has a built package: the sandbox lacks what this one is built with."
	adviceOther    = "Mend what the installer names, then try again."
)

// unnamed, conflicting and unbuilt are the reasons of installers by what can be done about them.
var (
	unnamed     = lazyregexp.New(`No matching distribution|404|No matching version|notarget`)
	conflicting = lazyregexp.New(`different Python|conflicting dependencies|can only install|ERESOLVE|Unsupported`)
	unbuilt     = lazyregexp.New(`subprocess-exited-with-error|Failed building wheel`)
)

// InstallFailure is the reason of an installer, as InstallCause has it, and what to do about it.
func InstallFailure(output string) (cause, advice string) {
	cause = InstallCause(output)
	switch {
	case cause == "":
		return "", ""
	case unreached.MatchString(output):
		return cause, adviceIndex
	case unnamed.MatchString(cause):
		return cause, adviceName
	case conflicting.MatchString(cause):
		return cause, adviceConflict
	case unbuilt.MatchString(cause):
		return cause, adviceBuild
	}
	return cause, adviceOther
}
