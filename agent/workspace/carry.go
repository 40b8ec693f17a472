package workspace

import (
	"errors"
	"fmt"
	"io/fs"
)

// Carry stages a change that was made on another state of the files: before became after,
// under the change's path. It is merged into what the overlay shows. Where that is other in
// the same lines, nothing is staged, and the error says why.
func (o *Overlay) Carry(c Change, before, after *Content) error {
	from := c.Path
	if c.From != "" {
		from = c.From
	}
	now, err := o.Bytes(from)
	if errors.Is(err, fs.ErrNotExist) {
		now, err = nil, nil
	}
	if err != nil {
		return err
	}
	switch {
	case before == nil && now != nil && !same(now, after):
		return fmt.Errorf("there is another file %s now", from)
	case before != nil && now == nil && after != nil:
		return fmt.Errorf("there is no file %s now", from)
	case after == nil && now == nil:
		return nil
	}
	merged := after
	if now != nil {
		var dropped []Hunk
		if merged, dropped = rebaseContent(before, now, after); len(dropped) > 0 {
			return fmt.Errorf("the lines that it changes in %s are others now", from)
		}
	}
	if merged == nil {
		_, err = o.Delete(from)
		return err
	}
	if c.From != "" {
		if _, err := o.Rename(c.From, c.Path); err != nil {
			return err
		}
	}
	_, err = o.WriteBytes(c.Path, merged.Data, merged.Mode)
	return err
}
