package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"caselsp/store"
)

// A value that is no secret (the site's name, the region of a server) is asked for
// once and remembered for the project, under the name that the question gave it
// (SPEC row S6). It lies beside the approvals: it is what the user decided, too.

// valueQuery begins what a recording has of a value that was known.
const valueQuery = "the value of "

// Values returns what is remembered for the project, by name.
func (a *Agent) Values() (map[string]string, error) {
	records, err := a.Store.Journal(approvalsJournal).Records()
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

// ForgetValue has a value be asked for again; false where none of that name is remembered.
func (a *Agent) ForgetValue(name string) (bool, error) {
	values, err := a.Values()
	if _, known := values[name]; err != nil || !known {
		return false, err
	}
	_, err = a.Store.Journal(approvalsJournal).Append(kindValue, valueGiven{Name: name})
	return err == nil, err
}

// valueOf looks a value up; a replay has it from the recording.
func (r *run) valueOf(ctx context.Context, name string) (value string, known bool, err error) {
	if name == "" {
		return "", false, nil
	}
	if r.a.Recall != nil {
		found, err := r.a.Recall(ctx, valueQuery+name)
		if err != nil || len(found) != 1 {
			return "", false, err
		}
		return found[0], true, nil
	}
	values, err := r.a.Values()
	value, known = values[name]
	return value, known, err
}

// rememberValue keeps the answer to a question that has a name.
func (r *run) rememberValue(name, value string) error {
	if name == "" || r.a.Recall != nil {
		return nil
	}
	_, err := r.a.Store.Journal(approvalsJournal).Append(kindValue, valueGiven{Name: name, Value: value})
	return err
}
