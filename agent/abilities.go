package agent

import (
	"context"
	"slices"

	"caselsp/agent/ability"
	"caselsp/agent/permit"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/agent/workspace"
)

// newAbilities returns what changed files can do that neither they nor any other file of the
// project could do before. except are findings that the user is asked about anyway.
func (r *run) newAbilities(ctx context.Context, set workspace.ChangeSet, except []validate.Finding) ([]permit.NewAbility, error) {
	var found []permit.NewAbility
	for _, c := range set.Files {
		if c.After == nil {
			continue
		}
		after, ok := c.After.Text()
		if !ok {
			continue
		}
		before := map[ability.Ability]bool{}
		if c.Before != nil {
			if text, ok := c.Before.Text(); ok {
				for _, u := range ability.In(c.Path, text) {
					before[u.Ability] = true
				}
			}
		}
		for _, u := range ability.In(c.Path, after) {
			covered := slices.ContainsFunc(except, func(f validate.Finding) bool {
				return f.Path == c.Path && f.Start.Line <= u.Line && u.Line <= f.End.Line
			})
			if !before[u.Ability] && !covered {
				found = append(found, permit.NewAbility{Use: u, Path: c.Path})
			}
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	has, err := r.projectAbilities(ctx)
	return slices.DeleteFunc(found, func(n permit.NewAbility) bool { return has[n.Ability] }), err
}

// projectAbilities is what the user's own files can do, read once a run.
func (r *run) projectAbilities(ctx context.Context) (map[ability.Ability]bool, error) {
	if r.abilities != nil {
		return r.abilities, nil
	}
	o := r.a.Workspace.NewOverlay()
	defer o.Close()
	list, _, err := o.List(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(e workspace.Entry) bool {
		return e.Size > validate.MaxSource || syntax.LanguageOf(e.Path) == syntax.Unknown
	})
	uses := make([][]ability.Use, len(list))
	inParallel(len(list), func(n int) {
		if f, err := r.a.Workspace.Read(list[n].Path); err == nil && ctx.Err() == nil { // what cannot be read has no ability that is known
			uses[n] = ability.In(list[n].Path, f.Text)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.abilities = map[ability.Ability]bool{}
	for _, u := range slices.Concat(uses...) {
		r.abilities[u.Ability] = true
	}
	return r.abilities, nil
}

// able has it decided whether new abilities may stay.
func (r *run) able(found []permit.NewAbility, text string) (bool, error) {
	if len(found) == 0 {
		return true, nil
	}
	d, err := r.may().Abilities(found, text)
	if err != nil {
		return false, err
	}
	_, may, err := r.heed(d)
	return may, err
}
