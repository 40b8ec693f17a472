package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// Import adds what another memory has exported, and returns how much of it is new: what is remembered already stays as it
// is, whatever the import says of it. All are checked before
// the first is kept: nothing is kept where one of them is wrong. Where ctx ends or a write fails, added counts what is kept. source says where they come from.
//
// Of what an import says only the content is believed. The id is made of it. The counts of a record that helped elsewhere are
// not taken over, so that it must show its worth here like any other; those of one that is useless are, so that
// it stays so. No time is in the future.
func (m *Memory) Import(ctx context.Context, source string, patterns []Kept) (added int, err error) {
	err = ctx.Err()
	if len(patterns) > maxPatterns {
		return 0, fmt.Errorf("import into the memory: there are %d records, and %d are kept at most: import fewer", len(patterns), maxPatterns)
	}
	checked := slices.Clone(patterns)
	for i := range checked {
		var wrong error
		if checked[i], wrong = m.imported(source, checked[i]); wrong != nil {
			err = errors.Join(err, fmt.Errorf("pattern %d: %w", i+1, wrong))
		}
	}
	for from := 0; err == nil && from < len(checked); from += importBatch {
		to := min(from+importBatch, len(checked))
		var n int
		if n, err = m.importSome(checked[from:to], patterns[from:to]); err == nil {
			added += n
			err = ctx.Err()
		}
	}
	if err != nil && added > 0 {
		return added, fmt.Errorf("import into the memory: %d new records are kept; import the same again to add the others: %w", added, err)
	}
	if err != nil {
		return 0, fmt.Errorf("import into the memory: %w", err)
	}
	return added, nil
}

// importBatch is how many records one transaction of an import adds. bbolt splits its pages at the end of a transaction, so
// that one insertion takes as long as there were insertions before it: 100,000 in one transaction did not end within
// ten minutes. Between two of them other processes get the lock.
const importBatch = 500

// importSome adds some of an import in one transaction. patterns are the same as checked, as the import has them.
func (m *Memory) importSome(checked, patterns []Kept) (added int, err error) {
	err = m.change(func(tx *bolt.Tx) error {
		added = 0
		for i, p := range checked {
			if isKept(tx, p.ID, p.Pattern) || isKept(tx, patterns[i].ID, p.Pattern) {
				continue
			}
			if err := m.put(tx, p.Pattern); err != nil {
				return err
			}
			if err := putPattern(tx.Bucket(patternsBucket), p); err != nil {
				return err
			}
			added++
		}
		return nil
	})
	return added, err
}

// maxImportedCount bounds what an import says of tasks that something did not help: more says nothing more.
const maxImportedCount = 1000

// imported is a record of an import as it is kept.
func (m *Memory) imported(source string, p Kept) (Kept, error) {
	useless := p.Useless()
	p.ID, p.Task, p.Source, p.Uses, p.Taught = "", "", source, 0, 0
	if useless {
		p.Trials, p.Successes, p.Ignored = min(p.Trials, maxImportedCount), min(p.Successes, maxImportedCount), min(p.Ignored, maxImportedCount)
	} else {
		p.Trials, p.Successes, p.Ignored = 0, 0, 0
	}
	if now := m.clock().Round(0).UTC(); p.Created.IsZero() || p.Created.After(now) {
		p.Created = now
	}
	var err error
	p.Pattern, err = m.checked(p.Pattern)
	switch {
	case err != nil:
	case len(p.Type) > maxKind || len(p.Language) > maxKind:
		err = fmt.Errorf("its type or language is longer than %d bytes", maxKind)
	case p.Kind != KindPattern && p.Kind != KindFailure: // no export has others, and whoever approves a validator sees its program
		err = fmt.Errorf("its kind is %q: only %q and %q are imported", p.Kind, KindPattern, KindFailure)
	}
	p.ID = lessonID(p.Pattern)
	return p, err
}

// isKept reports whether a pattern is remembered under an id. Ids of older versions are made otherwise, so the content decides
// where it is not the one that is made of it.
func isKept(tx *bolt.Tx, id string, p Pattern) bool {
	old := readPattern(tx, id)
	return old != nil && (id == p.ID || old.Kind == p.Kind && old.Type == p.Type && old.Text == p.Text && old.Solution == p.Solution)
}

// Unreadable returns the ids of records that cannot be read, sorted. [Memory.Forget] deletes them.
func (m *Memory) Unreadable(ctx context.Context) (ids []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err = m.each(func(id string, v []byte) {
		if _, ok := decodePattern(id, v); !ok {
			ids = append(ids, id)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read the memory: %w", err)
	}
	return ids, nil
}

// SayUnreadable names the records that cannot be read and says what to do about them; "" for none.
func (m *Memory) SayUnreadable(ctx context.Context) (string, error) {
	ids, err := m.Unreadable(ctx)
	return AdviseUnreadable(ids), err
}

// unreadMet says once which records cannot be read. All are looked at when it is asked first: whoever recalls some of them would never meet the others.
func (m *Memory) unreadMet() string {
	m.mu.Lock()
	told, looked := m.told, m.looked
	m.looked = true
	m.mu.Unlock()
	if told {
		return ""
	}
	var all []string
	if !looked {
		all, _ = m.Unreadable(context.Background()) // a recall says what is wrong with the memory as a whole
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all, m.met = append(all, m.met...), nil
	m.told = len(all) > 0
	return AdviseUnreadable(all)
}

// AdviseUnreadable names records that cannot be read and what to do about them. It is empty if there are no such records.
func AdviseUnreadable(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return fmt.Sprintf("memory: %d of its records cannot be read and are left out (%s). Delete them: `caselsp memory forget %[2]s`", len(ids), strings.Join(ids, " "))
}
