package permit

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/agent/shell"
	"caselsp/agent/testreport"
	"caselsp/agent/workspace"
	"caselsp/store/lazyregexp"
)

// A run of tests executes whatever the agent has written: that is what it is for. So an approval
// of one for a task outlasts edits of code and tests. It ends with what would make the same words
// mean something else: a script of a manifest, a recipe, configuration that the runner obeys, a
// program that the line starts.

// runsTests is what is said of a run of tests that can be allowed for a task.
const runsTests = "Tests execute the code and the tests as the agent has changed them. Allowed for this task, this line runs again after each edit; " +
	"you are asked again when the agent changes what the line itself obeys: scripts of manifests, configuration, programs that it starts."

// byScript is the verdict on a line that is, word for word, a script of the user's package.json:
// that on running the script by its name. Without pre and post scripts it does less than npm would.
// ok is false for any other line, and for one that a setting asks for.
func (p *Permit) byScript(line string, v shell.Verdict, policy shell.Policy) (by shell.Verdict, ok bool) {
	if v.Decision != shell.Ask || slices.ContainsFunc(v.Parts, func(p shell.Part) bool { return p.Rule != shell.BuiltIn }) {
		return v, false
	}
	f, err := p.Workspace.Read("package.json")
	if err != nil {
		return v, false
	}
	var manifest struct{ Scripts map[string]json.RawMessage }
	_ = json.Unmarshal([]byte(f.Text), &manifest) // one that cannot be read has no scripts
	var names []string
	for name, raw := range manifest.Scripts {
		var script string
		if json.Unmarshal(raw, &script) == nil && script == line && plainScript.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if by := shell.Explain("npm run "+name, policy); by.Decision == shell.Allow && len(by.Rests) > 0 {
			by.Reason = fmt.Sprintf("It is the script %q of your package.json.", name)
			return by, true
		}
	}
	return v, false
}

// plainScript matches names that are one word in every shell, and no flag.
var plainScript = lazyregexp.New(`^\w[\w:.-]*$`)

// defines reports whether a change alters what a run of tests is: not which code it tests, but what its words mean.
func (p *Permit) defines(line string, v shell.Verdict, c workspace.Change) bool {
	if toolFolder.MatchString(c.Path) || (Files{}).Obeyed(p.State, p.Workspace, p.Workspace.Links(), c).By != "" {
		return true
	}
	if isTests(c.Path) {
		return false
	}
	if slices.Contains(shell.Files(line), c.Path) {
		return true
	}
	r := rests{permit: p, line: line, changes: []workspace.Change{c}, writes: v.Writes, seen: map[string]bool{}}
	if r.programs(v.Runs) != "" {
		return true
	}
	return slices.ContainsFunc(v.Rests, func(rest shell.Rest) bool {
		if rest.Script {
			return strings.HasSuffix("/"+c.Path, "/"+rest.Manifest)
		}
		return r.one(rest) != ""
	})
}

// isTests reports whether a file holds tests, by its name.
func isTests(name string) bool {
	base, _, _ := strings.Cut(path.Base(name), ".")
	return testreport.IsTest(name) || (base == "test" || base == "tests") && slices.Contains(testEndings, path.Ext(name))
}

// testEndings are those of programs that a runner or an interpreter is given as tests.
var testEndings = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".py", ".rb", ".php"}
