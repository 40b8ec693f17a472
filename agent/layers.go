package agent

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

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
	Rejected   int    `json:"rejected"`    // in files of which the user rejected changes and accepted none
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
func (p *progress) land(c *pendingAction, b ActionDone) {
	for _, h := range b.Hunks {
		if h.Layer == patch.Unchanged {
			continue
		}
		l := landing{layer: h.Layer, path: pathOf(c.Args), feature: p.cur, step: c.Step}
		if !b.OK {
			l.fate = reverted
		}
		p.landings = append(p.landings, l)
	}
}

// takeBack marks what landed in a feature from a step on.
func (p *progress) takeBack(feature, from int) {
	for i := range p.landings {
		if l := &p.landings[i]; l.feature == feature && l.step >= from && l.fate == stays {
			l.fate = rolledBack
		}
	}
}

// rejected reports whether the user rejected changes of a file and accepted none.
func (r *reviewProgress) rejected(path string) bool {
	no := false
	for h, state := range r.decided {
		if h.Path == path && state == Accepted {
			return false
		}
		no = no || h.Path == path && state == Refused
	}
	return no
}

// Layers counts, over the journals of tasks (of all, where none is named), what
// became of the hunks of patches, by the layer that placed them. Layers that
// placed none are left out. Journals that cannot be read are in the error, which
// joins them, and not in the counts.
func (a *Agent) Layers(ids ...string) ([]LayerUse, error) {
	var unread []error
	if len(ids) == 0 {
		all, err := a.Store.Tasks()
		if err != nil {
			return nil, err
		}
		ids = slices.DeleteFunc(all, func(id string) bool { return id == approvalsJournal })
	}
	use := map[string]*LayerUse{}
	for _, id := range ids {
		p, err := a.load(id)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		p.countLayers(use)
	}
	var counted []LayerUse
	for _, layer := range patch.Layers() {
		if u := use[layer]; u != nil {
			counted = append(counted, *u)
		}
	}
	return counted, errors.Join(unread...)
}

func (p *progress) countLayers(use map[string]*LayerUse) {
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
		case p.review.rejected(l.path):
			u.Rejected++
		}
	}
}

// refusedInRow is how many refused patches in a row on one file are enough: the
// model has another idea of the file than what is there (SPEC row E7).
const refusedInRow = 3

// countRefused folds whether patches of a file are refused in a row. What stages
// the file in whatever way ends the row.
func (f *feature) countRefused(c *pendingAction, b ActionDone) {
	path := pathOf(c.Args)
	switch {
	case b.OK && (c.Action == action.PatchFileName || c.Action == action.WriteFileName):
		delete(f.refused, path)
	case c.Action == action.PatchFileName && b.Refused != "":
		if f.refused == nil {
			f.refused = map[string]int{}
		}
		f.refused[path]++
	}
}

// refusedAgain is what CASE is told then.
var refusedAgain = regexp.MustCompile(`(?:^|\n)This was refused patch \d+ in a row on [^\n]*\. Do not patch it again: read it with ` +
	action.GetFullFileContent + `, then write it whole with ` + action.WriteFileName + `\.$`)

// writeWhole is what CASE is told with the third refused patch of a file in a
// row, and with each one after; "" before.
func (f *feature) writeWhole(path string) string {
	if f == nil || f.refused[path]+1 < refusedInRow {
		return ""
	}
	return fmt.Sprintf("\nThis was refused patch %d in a row on %s. Do not patch it again: read it with %s, then write it whole with %s.",
		f.refused[path]+1, path, action.GetFullFileContent, action.WriteFileName)
}

// refusalOf names why the text of an edit was refused; "" for other errors.
func refusalOf(err error) string {
	var refused *patch.Refusal
	var unparsed *action.Unparsed
	switch {
	case errors.As(err, &refused):
		return string(refused.Status)
	case errors.As(err, &unparsed):
		return "syntax"
	}
	return ""
}
