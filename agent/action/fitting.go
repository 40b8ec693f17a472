package action

import (
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/count"
	"caselsp/agent/patch"
)

// maxFitting is how many parts of a refused patch are tried one by one: a patch of more is better sent in parts.
const maxFitting = 20

// tellFitting adds to the refusal of one file's part of a patch what of the rest fits. All of a patch is staged or nothing
// (E3), so that the rest is sent again: the model should know that it need not be written anew.
func (s *Scope) tellFitting(files []patch.File, refused int, err error) error {
	var fit []string
	refusal := (*patch.Refusal)(nil)
	if part := files[refused]; errors.As(err, &refusal) && refusal.Hunk > 0 && len(part.Hunks) <= maxFitting {
		var hunks []string
		for i := range part.Hunks {
			alone := part
			alone.Hunks = part.Hunks[i : i+1]
			if i != refusal.Hunk-1 && s.fits(alone) {
				hunks = append(hunks, fmt.Sprint(i+1))
			}
		}
		if len(hunks) > 0 {
			fit = append(fit, fmt.Sprintf("%s %s of %s", plural(len(hunks), "hunk"), strings.Join(hunks, ", "), part.Path))
		}
	}
	for i, part := range files[:min(len(files), maxFitting)] {
		if i < refused || i > refused && s.fits(part) { // those before it are staged by now, until it is taken back
			fit = append(fit, fmt.Sprintf("the %s for %s", count.Of(len(part.Hunks), "hunk"), part.Path))
		}
	}
	if len(fit) == 0 {
		return err
	}
	said := fmt.Sprintf(" Nothing of the patch is staged. What fits as it is: %s. Send that again, with the rest corrected or left out.", strings.Join(fit, "; "))
	switch quoting := (*Quoting)(nil); {
	case refusal != nil:
		refusal.Note(said)
	case errors.As(err, &quoting):
		quoting.Message = strings.TrimSpace(said) + "\n" + quoting.Message
	default:
		return fmt.Errorf("%w.%s", err, said)
	}
	return err
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// fits reports whether the part of a patch for one file could be staged.
func (s *Scope) fits(part patch.File) bool {
	f, exists, err := s.current(part.Path)
	if err != nil || !exists {
		return false
	}
	part.Op = patch.Modify
	text, report, err := part.Apply(f.Text)
	return err == nil && s.sure(f, part, text, report.Hunks) == nil
}
