package record

import (
	"encoding/json"
	"slices"

	"caselsp/agent/action"
)

// Tolerated says that a rule is allowed in a file by what the user said in an
// earlier task.
type Tolerated struct {
	Key  string `json:"key"`  // as objection has it
	Rule string `json:"rule"` // the id of the approval
}

// applyLeave folds the answer to a question for leave.
func (p *State) applyLeave(key string, a Answer) {
	if a.Text == Deny {
		if p.Pending != nil {
			p.Pending.Withheld = &a
		}
		return
	}
	p.grant(key)
}

// applyFewer folds the answer to whether less may be tested than before.
func (p *State) applyFewer(lost map[string]int, a Answer) {
	if a.Text == Deny {
		return
	}
	if p.FewerTests == nil {
		p.FewerTests = map[string]int{}
	}
	for what, n := range lost {
		p.FewerTests[what] = max(n, p.FewerTests[what])
	}
}

// AbilityLeave is the key under which an ability is allowed, in a task and for the project.
func AbilityLeave(name string) string { return "ability: " + name }

// grant gives leave for the rest of the task.
func (p *State) grant(key string) {
	if p.Leaves == nil {
		p.Leaves = map[string]bool{}
	}
	p.Leaves[key] = true
}

// declare folds which secrets a staged edit has placeholders for.
func (p *State) declare(c *Pending) {
	var args struct {
		Path, From, To string
		Secrets        []string
	}
	// Of another verb, or a WRITE_FILE by lines, whose from is a number: no names
	// are lost by what does not decode.
	_ = json.Unmarshal(c.Args, &args)
	if p.Placeholders == nil {
		p.Placeholders = map[string][]string{}
	}
	switch c.Action {
	case action.WriteFileName, action.PatchFileName:
		for _, name := range args.Secrets {
			if !slices.Contains(p.Placeholders[args.Path], name) {
				p.Placeholders[args.Path] = append(p.Placeholders[args.Path], name)
			}
		}
	case action.RenameFileName:
		p.Placeholders[args.To] = p.Placeholders[args.From]
		delete(p.Placeholders, args.From)
	case action.DeleteFileName:
		delete(p.Placeholders, args.Path)
	}
}
