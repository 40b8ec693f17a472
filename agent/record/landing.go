package record

import (
	"cmp"

	"caselsp/agent/action"
	"caselsp/agent/patch"
)

// LayerUse counts the hunks that one layer of the patch engine placed, and those
// of them that did not last.
type LayerUse struct {
	Layer      string `json:"layer"`
	Landed     int    `json:"landed"`
	Reverted   int    `json:"reverted"`    // taken back at once: the outcome did not parse, or overwrote a hidden secret
	RolledBack int    `json:"rolled_back"` // by ROLLBACK, or with the feature that failed
	Rejected   int    `json:"rejected"`    // in files where the user rejected changes and accepted none
}

// landing is one hunk that a PATCH_FILE placed.
type landing struct {
	layer, path   string
	feature, step int
	fate          fate
}

// fate is what became of a landing.
type fate int

const (
	stays fate = iota
	reverted
	rolledBack
)

// land folds the outcome of a PATCH_FILE.
func (p *State) land(c *Pending, b ActionDone) {
	for _, h := range b.Hunks {
		if h.Layer == patch.Unchanged {
			continue
		}
		l := landing{layer: h.Layer, path: cmp.Or(h.Path, pathOf(c.Args)), feature: p.Current, step: c.Step}
		if !b.OK {
			l.fate = reverted
		}
		p.landings = append(p.landings, l)
	}
}

// takeBack marks what landed in a feature from a step on.
func (p *State) takeBack(feature, from int) {
	for i := range p.landings {
		if l := &p.landings[i]; l.feature == feature && l.step >= from && l.fate == stays {
			l.fate = rolledBack
		}
	}
}

// CountLayers adds what became of this task's hunks to use, by layer.
func (p *State) CountLayers(use map[string]*LayerUse) {
	for _, l := range p.landings {
		u := use[l.layer]
		if u == nil {
			u = &LayerUse{Layer: l.layer}
			use[l.layer] = u
		}
		u.Landed++
		switch {
		case l.fate == reverted:
			u.Reverted++
		case l.fate == rolledBack:
			u.RolledBack++
		case p.Review.rejected(l.path):
			u.Rejected++
		}
	}
}

// countRefused folds whether patches of a file are refused in a row. What stages
// the file in whatever way ends the row.
func (f *Feature) countRefused(c *Pending, b ActionDone) {
	path := pathOf(c.Args)
	switch {
	case b.OK && (c.Action == action.PatchFileName || c.Action == action.WriteFileName):
		delete(f.Refused, path)
	case c.Action == action.PatchFileName && b.Refused != "":
		if f.Refused == nil {
			f.Refused = map[string]int{}
		}
		f.Refused[path]++
	}
}

// rejected reports whether the user rejected changes of a file and accepted none.
func (r *ReviewState) rejected(path string) bool {
	no := false
	for h, state := range r.Decided {
		if h.Kept != "" {
			continue
		}
		if h.Path == path && state == HunkAccepted {
			return false
		}
		no = no || h.Path == path && state == HunkRejected
	}
	return no
}
