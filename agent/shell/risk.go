package shell

import "strings"

// touch is what a command can touch: a set.
type touch uint

const (
	reads    touch = 1 << iota // files of the workspace's copy
	writes                     // the same files; changes come back as staged edits
	runs                       // code of the workspace
	network                    // other machines
	outside                    // files outside of the workspace
	secrets                    // keys, tokens, the environment
	history                    // git's history, branches, remotes
	system                     // processes and settings of the machine
	anything                   // unknown
	obeyed                     // files that programs obey by themselves
)

// Network is the entry of a verdict's Touches for a line that can reach other machines.
const Network = "tries to reach the network"

var touchWords = []string{
	"reads files of the workspace", "changes files of the workspace", "runs code of the workspace", Network,
	"touches files outside of the workspace", "may show secrets", "changes git's history, branches or remotes",
	"touches processes or settings of the machine", "can do anything that the sandbox permits",
	"changes files that programs obey",
}

// words describes a set.
func (t touch) words() (list []string) {
	for i, w := range touchWords {
		if t&(1<<i) != 0 {
			list = append(list, w)
		}
	}
	return list
}

// class is why a program is asked for.
type class string

// classes are the reasons, each to be completed with the program's name.
var classes = map[class]struct {
	reason  string
	touches touch
}{
	"discard":  {"It can remove or overwrite files or changes (%s).", writes},
	"write":    {"It writes files (%s).", writes},
	"history":  {"It changes git's history, branches, settings or remotes (%s).", history},
	"network":  {"It reaches other machines (%s).", network},
	"install":  {"It adds or changes dependencies, or runs programs that it downloads (%s).", network | writes},
	"name":     {"It runs a script or target that the project defines, which can do anything (%s).", runs | writes},
	"text":     {"It runs program text from its arguments or from a file (%s).", anything},
	"script":   {"It runs other programs (%s).", anything},
	"secret":   {"It may show or change secrets or the environment (%s).", secrets},
	"system":   {"It changes the system, its processes or this shell (%s).", system},
	"database": {"It changes a database or the project in ways that are not known (%s).", writes | runs},
	"endless":  {"It waits for input or runs until it is stopped (%s).", runs},
}

func (c class) reason(name string) string { return strings.Replace(classes[c].reason, "%s", name, 1) }
