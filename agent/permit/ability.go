package permit

import (
	"fmt"

	"caselsp/agent/ability"
	"caselsp/agent/record"
)

// NewAbility is the first use of an ability that the project does not have.
type NewAbility struct {
	ability.Use
	Path string
}

// place names the line that needs the ability, and quotes it.
func (n NewAbility) place() string { return fmt.Sprintf("%s, line %d: %s", n.Path, n.Line+1, n.Text) }

// Abilities decides whether code may stay that can do what the project does not do yet. The
// user is asked once for each ability, and a yes holds for the project. text begins what the
// model is told after a no.
func (p *Permit) Abilities(found []NewAbility, text string) (Decision, error) {
	var notes Notes
	for _, n := range found {
		key := record.AbilityLeave(string(n.Ability))
		if p.State.Leaves[key] {
			continue
		}
		rule, entries, err := p.toleratedBy(key)
		if err != nil {
			return nil, err
		}
		notes.Approvals = append(notes.Approvals, entries...)
		if rule != "" {
			notes.Records = append(notes.Records, record.Tolerated{Key: key, Rule: rule})
			continue
		}
		if w := p.State.Pending.Withheld; w != nil {
			text += fmt.Sprintf(" The user does not want this project to %s (%s, line %d).", n.Ability, n.Path, n.Line+1)
			return Refused{Notes: notes, Outcome: record.ActionDone{Text: text + record.TheReason(w.Reason)}}, nil
		}
		id := fmt.Sprintf("q%d", p.State.Questions+1)
		if asked, recorded := p.Outside.AbilityAsked(id); recorded && !asked {
			continue // it was made by a version that did not ask
		}
		return Question{Notes: notes, Ask: record.Question{
			ID: id, Text: fmt.Sprintf("CASE lets the project %s, which it does not do yet", n.Ability),
			Why:     "A yes is kept for this project: it is not asked again. `caselsp approvals` lists it.",
			Subject: record.Ability{Name: string(n.Ability), Place: n.place()},
		}}, nil
	}
	return Allowed{Notes: notes}, nil
}
