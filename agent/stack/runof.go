package stack

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// composed are the signs by which a shell line is more than one plain command.
const composed = ";&|<>`$(){}\n\\"

// viaModule begins the line of a Python runner that is started as a module, or of a package of Node.
var viaModule = lazyregexp.New(`^(?:python3? -m |npx (?:--no-install )?)`)

// Runs reports whether a command line names a program that runs tests.
func Runs(line string) bool { return runners.MatchString(line) }

// RunsAlone reports whether a command line is a run of tests and nothing beside it.
func RunsAlone(line string) bool { return Runs(line) && !strings.ContainsAny(line, composed) }

// RunOf reports whether a command line is a run of one of the candidates, or of a part of what it runs: the same runner, in
// the same folder, with whatever arguments, and nothing beside it.
func RunOf(line string, candidates []Candidate) bool {
	for _, c := range candidates {
		folder, command := apart(c.Command)
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), folder)
		if !ok || strings.ContainsAny(rest, composed) {
			continue
		}
		if rest == command || slices.ContainsFunc(append(c.parts(), command), func(part string) bool { return runner(rest) != "" && runner(rest) == runner(part) }) {
			return true
		}
	}
	return false
}

// then stands between commands of which each runs where the one before it succeeded.
const then = " && "

// parts are the plain commands of a candidate's script. One in which the shell does more than run a program is left out.
func (c Candidate) parts() (parts []string) {
	for part := range strings.SplitSeq(c.Script, "&&") {
		if part = variables.ReplaceAllString(strings.TrimSpace(part), ""); !strings.ContainsAny(part, composed) {
			parts = append(parts, part)
		}
	}
	return parts
}

// variables are set for the program behind them.
var variables = lazyregexp.New(`^(?:cross-env )?(?:\w+=[\w./:,=-]* )+`)

// apart cuts the change of the folder off a candidate's command.
func apart(command string) (folder, rest string) {
	if i := strings.Index(command, then); i >= 0 && strings.HasPrefix(command, "cd ") {
		return command[:i+len(then)], command[i+len(then):]
	}
	return "", command
}

// runner is the runner with which a plain command begins, without its arguments; "" where it
// begins with none.
func runner(command string) string {
	command = strings.ReplaceAll(viaModule.ReplaceAllString(command, ""), " run ", " ")
	at := runners.FindStringIndex(command)
	if at == nil || at[0] != 0 {
		return ""
	}
	return strings.TrimSpace(command[:at[1]])
}
