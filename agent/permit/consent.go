package permit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"caselsp/agent/settings"
	"caselsp/store"
)

// Confirmed returns the values of editors' settings that the user has confirmed.
func (t *Trust) Confirmed() ([]store.SettingValue, error) {
	if t == nil || t.Kept == nil {
		return nil, nil
	}
	return t.Kept.Confirmed()
}

// Waiting returns the values of editors' settings that wait for the user, each once:
// those of a workspace with these folders, or of all where none are given.
func (t *Trust) Waiting(folders ...string) ([]store.SettingValue, error) {
	if t == nil || t.Kept == nil {
		return nil, nil
	}
	all, err := t.Kept.Waiting()
	if err != nil {
		return nil, err
	}
	confirmed, err := t.Kept.Confirmed()
	if err != nil {
		return nil, err
	}
	var list []store.SettingValue
	for _, v := range all {
		same := func(c store.SettingValue) bool { return valueOf(c) == valueOf(v) }
		if folders != nil && v.Folders != strings.Join(folders, ", ") {
			continue
		}
		if !slices.ContainsFunc(confirmed, same) && !slices.ContainsFunc(list, same) {
			list = append(list, v)
		}
	}
	return list, nil
}

// Note keeps the values that wait in a workspace, so that the user can be asked for each.
func (t *Trust) Note(folders []string, pending []settings.Pending) error {
	var list []store.SettingValue
	in := strings.Join(folders, ", ")
	for _, p := range pending {
		list = append(list, store.SettingValue{Setting: p.Setting, Value: p.Text, From: p.From, Folders: in, At: time.Now().Round(0).UTC()})
	}
	return t.Kept.Note(in, list)
}

// Confirm keeps a value that waits as confirmed. It is named by its [settings.Value.ID].
func (t *Trust) Confirm(id, by string) (store.SettingValue, error) {
	list, err := t.Waiting()
	if err != nil {
		return store.SettingValue{}, err
	}
	v, err := named(id, list)
	if err != nil {
		return v, fmt.Errorf("no setting waits under the name %q: %w", id, err)
	}
	v.At, v.By = time.Now().Round(0).UTC(), by
	return v, t.Kept.Confirm(v)
}

// Unconfirm has a confirmed value wait again.
func (t *Trust) Unconfirm(id string) (store.SettingValue, error) {
	list, err := t.Confirmed()
	if err != nil {
		return store.SettingValue{}, err
	}
	v, err := named(id, list)
	if err != nil {
		return v, fmt.Errorf("no setting is confirmed under the name %q: %w", id, err)
	}
	return v, t.Kept.Unconfirm(v)
}

// valueOf returns what is confirmed of a value that is kept.
func valueOf(v store.SettingValue) settings.Value {
	return settings.Value{Setting: v.Setting, Text: v.Value}
}

// IDOf is the name of a value that is kept.
func IDOf(v store.SettingValue) string { return valueOf(v).ID() }

// errSettings is where the names of values are listed.
var errSettings = errors.New("`caselsp trust --list` lists the settings")

// named finds the one value with an id. Two values with the same id are
// refused: whoever made them alike wants one to be confirmed as the other.
func named(id string, list []store.SettingValue) (found store.SettingValue, err error) {
	err = errSettings
	for _, v := range list {
		switch {
		case IDOf(v) != id:
		case err == nil:
			return store.SettingValue{}, errors.New("two settings have this name, so neither is meant")
		default:
			found, err = v, nil
		}
	}
	return found, err
}
