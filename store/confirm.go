package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
)

// The values of settings that editors have handed over. Both buckets are created with
// their first entry, so that older databases need no change.
var (
	confirmedBucket = []byte("confirmed-settings") // setting, NUL, value -> SettingValue
	waitingBucket   = []byte("waiting-settings")   // folders -> list of SettingValue
)

const (
	// maxWaiting bounds what is kept for one workspace: a project may write any number of
	// values, and nobody reads more.
	maxWaiting = 100

	// maxNoted bounds for how many workspaces values are kept; the oldest are forgotten.
	maxNoted = 50
)

// SettingValue is a value of a setting that an editor has handed over: it waits for the
// user, or the user has confirmed it.
type SettingValue struct {
	Setting string    `json:"setting"`
	Value   string    `json:"value"`
	From    string    `json:"from"`    // which editor, and how
	Folders string    `json:"folders"` // that were open in it
	At      time.Time `json:"at"`      // when it was handed over, or confirmed
	By      string    `json:"by,omitempty"`
}

func (v SettingValue) key() []byte { return []byte(v.Setting + "\x00" + v.Value) }

// Confirmed returns the values that the user has confirmed, by setting.
func (t *Trust) Confirmed() ([]SettingValue, error) {
	var list []SettingValue
	err := t.read(confirmedBucket, func(_, v []byte) error {
		var one SettingValue
		if err := json.Unmarshal(v, &one); err != nil {
			return err
		}
		list = append(list, one)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the confirmed settings: %w", err)
	}
	return list, nil
}

// Confirm keeps a value as confirmed.
func (t *Trust) Confirm(v SettingValue) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	err = t.write(confirmedBucket, func(b *bolt.Bucket) error { return b.Put(v.key(), text) })
	if err != nil {
		return fmt.Errorf("confirm %s: %w", v.Setting, err)
	}
	return nil
}

// Unconfirm has a value wait again. It changes nothing for one that was not confirmed.
func (t *Trust) Unconfirm(v SettingValue) error {
	if err := t.write(confirmedBucket, func(b *bolt.Bucket) error { return b.Delete(v.key()) }); err != nil {
		return fmt.Errorf("withdraw %s: %w", v.Setting, err)
	}
	return nil
}

// Waiting returns the values that wait for the user, by the folders that were open.
func (t *Trust) Waiting() ([]SettingValue, error) {
	var all []SettingValue
	err := t.read(waitingBucket, func(_, v []byte) error {
		var list []SettingValue
		if err := json.Unmarshal(v, &list); err != nil {
			return err
		}
		all = append(all, list...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the settings that wait: %w", err)
	}
	return all, nil
}

// Note keeps the values that wait in a workspace, in place of those that waited there
// before. Where nothing has changed, nothing is written.
func (t *Trust) Note(folders string, list []SettingValue) error {
	if len(list) > maxWaiting {
		list = list[:maxWaiting]
	}
	all, err := t.Waiting()
	if err != nil {
		return err
	}
	before := slices.DeleteFunc(slices.Clone(all), func(v SettingValue) bool { return v.Folders != folders })
	same := func(a, b SettingValue) bool {
		a.At = b.At
		return reflect.DeepEqual(a, b)
	}
	if slices.EqualFunc(before, list, same) {
		return nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	err = t.write(waitingBucket, func(b *bolt.Bucket) error {
		if len(list) == 0 {
			return b.Delete([]byte(folders))
		}
		for _, old := range tooMany(all, folders) {
			if err := b.Delete([]byte(old)); err != nil {
				return err
			}
		}
		return b.Put([]byte(folders), text)
	})
	if err != nil {
		return fmt.Errorf("note the settings of %s: %w", folders, err)
	}
	return nil
}

// tooMany returns the folders whose values make room for those of one more workspace.
func tooMany(all []SettingValue, next string) []string {
	var noted []SettingValue
	for _, v := range all {
		if v.Folders != next && !slices.ContainsFunc(noted, func(n SettingValue) bool { return n.Folders == v.Folders }) {
			noted = append(noted, v)
		}
	}
	slices.SortFunc(noted, func(a, b SettingValue) int { return a.At.Compare(b.At) })
	var list []string
	for i := 0; i <= len(noted)-maxNoted; i++ {
		list = append(list, noted[i].Folders)
	}
	return list
}
