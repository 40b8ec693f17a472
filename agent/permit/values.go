package permit

import (
	"encoding/json"
	"fmt"
	"strings"

	"caselsp/store"
)

// A value that is no secret (the site's name, the region of a server) is asked for once and
// remembered for the project, under the name that the question gave it. It lies in the
// journal of approvals, because the user decided it, too.

// Values returns what is remembered for the project, by name.
func (a *Approvals) Values() (map[string]string, error) {
	records, err := a.Journal.Records()
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, rec := range records {
		if rec.Kind != kindValue {
			continue
		}
		var v valueGiven
		if err := json.Unmarshal(rec.Body, &v); err != nil {
			return nil, fmt.Errorf("approval %d cannot be read: %w", rec.Seq, err)
		}
		values[v.Name] = v.Value
		if v.Value == "" || strings.Contains(v.Value, store.Redacted) { // it was a secret after all
			delete(values, v.Name)
		}
	}
	return values, nil
}

// KeepValue remembers a value for the project.
func (a *Approvals) KeepValue(name, value string) error {
	_, err := a.Journal.Append(kindValue, valueGiven{Name: name, Value: value})
	return err
}

// ForgetValue has a value be asked for again; false where none of that name is remembered.
func (a *Approvals) ForgetValue(name string) (bool, error) {
	values, err := a.Values()
	if _, known := values[name]; err != nil || !known {
		return false, err
	}
	err = a.KeepValue(name, "")
	return err == nil, err
}

// KeepFilled notes which secrets were filled into a file of the user's.
func (a *Approvals) KeepFilled(path string, names []string) error {
	_, err := a.Journal.Append(kindFilled, secretsFilled{Path: path, Names: names})
	return err
}

// Filled returns the names of the secrets that were filled into files of the workspace.
func (a *Approvals) Filled() ([]string, error) {
	records, err := a.Journal.Records()
	var names []string
	for _, rec := range records {
		var filled secretsFilled
		if rec.Kind != kindFilled || json.Unmarshal(rec.Body, &filled) != nil {
			continue
		}
		names = append(names, filled.Names...)
	}
	return names, err
}
