package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// KindValidator is a fix validator: Text is what it is found by, and Trials and Successes are how often the tests ran after
// one of its verdicts, and how often they agreed with it.
const KindValidator = "validator"

// kinds are the kinds of patterns.
var kinds = []string{KindPattern, KindFailure, KindValidator}

// The weight of a validator is the mean of a Beta distribution, as a share of what it begins with: the tests are expected to
// agree with four of its first five verdicts.
const (
	priorRight = 4
	priorWrong = 1

	// retireTrials and retireMean are when a validator is retired: after four verdicts of which the tests have agreed with
	// none, or more of which they have agreed with fewer than half, with the expected ones counted.
	retireTrials = 4
	retireMean   = 0.5
)

// Standing is what the record of a validator makes of it.
type Standing struct {
	Right, Wrong int     // verdicts with which the tests agreed, and did not
	Similarity   float64 // to what was asked for, from 0 to 1; 0 where it is not similar
}

// StandingOf returns the standing of a validator as it is kept.
func StandingOf(p Pattern) Standing {
	return Standing{Right: p.Successes, Wrong: p.Trials - p.Successes}
}

// mean is that of the Beta distribution of how often the tests agree.
func (s Standing) mean() float64 {
	return float64(priorRight+s.Right) / float64(priorRight+priorWrong+s.Right+s.Wrong)
}

// Weight is what the confidence of a verdict is multiplied by, from 0 to 1.
func (s Standing) Weight() float64 {
	return min(1, s.mean()*(priorRight+priorWrong)/priorRight)
}

// Retired reports whether the validator is too often wrong to be asked.
func (s Standing) Retired() bool { return s.Right+s.Wrong >= retireTrials && s.mean() < retireMean }

// Validators keeps the validators that it does not know, and returns the standing of all of them by id, with how similar each is to a
// text. An empty text finds none.
func (m *Memory) Validators(ctx context.Context, list []Pattern, text string) (map[string]Standing, error) {
	var fresh []Pattern
	known := map[string]Standing{}
	err := m.look(func(tx *bolt.Tx) {
		for _, p := range list {
			if old := readPattern(tx, p.ID); old == nil {
				fresh = append(fresh, p)
			} else {
				known[p.ID] = StandingOf(old.Pattern)
			}
		}
	})
	if err == nil && len(fresh) > 0 {
		err = m.change(func(tx *bolt.Tx) (err error) {
			for _, p := range fresh {
				p.Kind = KindValidator
				p, wrong := m.checked(p)
				if wrong == nil {
					wrong = m.put(tx, p)
				}
				err = errors.Join(err, wrong)
			}
			return err
		})
	}
	if err != nil {
		return known, fmt.Errorf("keep the validators: %w", err)
	}
	for _, p := range fresh {
		known[p.ID] = Standing{}
	}
	found, err := m.similarAmong(ctx, known, text)
	for _, f := range found {
		s := known[f.id]
		s.Similarity = f.similarity
		known[f.id] = s
	}
	return known, err
}

// similarAmong finds which of some validators are similar to a text. Memory has rows of others, too: of earlier versions, and of
// other workspaces.
func (m *Memory) similarAmong(ctx context.Context, known map[string]Standing, text string) (found []match, err error) {
	among := map[string]bool{}
	for id := range known {
		among[id] = true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	err = m.search(ctx, wanted{kind: KindValidator, text: text}, len(among), among, func(_ *bolt.Tx, similar []match) { found = similar })
	if err != nil {
		return nil, fmt.Errorf("find validators: %w", err)
	}
	return found, nil
}

// look reads in a transaction.
func (m *Memory) look(fn func(*bolt.Tx)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.view(func(tx *bolt.Tx) error { fn(tx); return nil })
}

// generatedBucket has the validators that models have written: name -> what agent makes of them. Files of older versions have
// none.
var generatedBucket = []byte("validators")

// maxKeptValidators is how many are kept: each costs a run, and more than that nobody has approved.
const maxKeptValidators = 500

// KeptValidator is a validator that a model has written.
type KeptValidator struct {
	Name string
	Text []byte
}

// KeepValidator keeps a validator in place of the one of its name.
func (m *Memory) KeepValidator(name string, text []byte) error {
	err := m.change(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(generatedBucket)
		if err != nil {
			return err
		}
		if b.Get([]byte(name)) == nil && b.Stats().KeyN >= maxKeptValidators {
			return fmt.Errorf("there are %d generated validators: remove some with `caselsp fixcheck remove NAME`", maxKeptValidators)
		}
		return b.Put([]byte(name), text)
	})
	if err != nil {
		return fmt.Errorf("keep the validator %s: %w", name, err)
	}
	return nil
}

// KeptValidators returns what is kept, by name.
func (m *Memory) KeptValidators() (list []KeptValidator, err error) {
	err = m.look(func(tx *bolt.Tx) {
		if b := tx.Bucket(generatedBucket); b != nil {
			_ = b.ForEach(func(k, v []byte) error { // fn gives no error
				list = append(list, KeptValidator{string(k), slices.Clone(v)})
				return nil
			})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read the generated validators: %w", err)
	}
	return list, nil
}

// DropValidator removes one, and reports whether it was there.
func (m *Memory) DropValidator(name string) (there bool, err error) {
	err = m.change(func(tx *bolt.Tx) error {
		b := tx.Bucket(generatedBucket)
		if there = b != nil && b.Get([]byte(name)) != nil; !there {
			return nil
		}
		return b.Delete([]byte(name))
	})
	if err != nil {
		return false, fmt.Errorf("remove the validator %s: %w", name, err)
	}
	return there, nil
}
