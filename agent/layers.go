package agent

import (
	"errors"
	"fmt"
	"slices"

	"caselsp/agent/action"
	"caselsp/agent/patch"
	"caselsp/agent/permit"
	"caselsp/agent/record"
)

// Layers counts, over the journals of tasks (of all, where none is named), what
// became of the hunks of patches, by the layer that placed them. Layers that
// placed none are left out. Journals that cannot be read are in the error, which
// joins them, and not in the counts.
func (a *Agent) Layers(ids ...string) ([]record.LayerUse, error) {
	var unread []error
	if len(ids) == 0 {
		all, err := a.Store.Tasks()
		if err != nil {
			return nil, err
		}
		ids = slices.DeleteFunc(all, func(id string) bool { return id == permit.Journal })
	}
	use := map[string]*record.LayerUse{}
	for _, id := range ids {
		p, err := a.load(id)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		p.CountLayers(use)
	}
	var counted []record.LayerUse
	for _, layer := range patch.Layers() {
		if u := use[layer]; u != nil {
			counted = append(counted, *u)
		}
	}
	return counted, errors.Join(unread...)
}

// refusedInRow is at how many refused patches in a row CASE is told to write the
// lines instead: by then the model's idea of the file differs from what is there.
const refusedInRow = 3

// writeInstead is what CASE is told with the third refused patch of a file of so many lines in a
// row, and with each one after: to write the lines concerned, or the whole of a short file; ""
// before.
func writeInstead(f *record.Feature, path string, lines int) string {
	if f == nil || f.Refused[path]+1 < refusedInRow {
		return ""
	}
	how := "read it with %s, then write it whole with %s."
	if lines > maxWhole {
		how = "read the lines concerned with %s, then write these with %s, by from and to."
	}
	return fmt.Sprintf("This was refused patch %d in a row on %s. Do not patch it again: ", f.Refused[path]+1, path) +
		fmt.Sprintf(how, action.GetFullFileContent, action.WriteFileName)
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
