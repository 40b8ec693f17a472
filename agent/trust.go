package agent

import (
	"strings"

	"caselsp/agent/record"
)

// askTrust opens the question whether the workspace is trusted, if it is not. It
// is asked once when a run begins, while the user who gave the task is there. A thread
// only reads, so the task that it is handed over to asks.
func (r *run) askTrust() (asked bool, err error) {
	if r.trustAsked || r.state.OnlyReads || r.state.Task.Thread != "" {
		return false, nil
	}
	r.trustAsked = true
	untrusted, err := r.a.Untrusted()
	if err != nil || len(untrusted) == 0 {
		return false, err
	}
	return true, r.record(record.Asked{Question: record.Question{
		ID: record.TrustQuestion, Task: r.id, Subject: record.Trust{},
		Text: "Do you trust the files in " + strings.Join(untrusted, " and in ") + "?",
		Why: "In a folder that you trust, commands of the project run in the sandbox and results can be accepted into your files. " +
			"In one that you do not, caselsp only reads.",
	}})
}

// trustedMeanwhile answers the question about trust where the user has given it
// in another way since it was asked.
func (r *run) trustedMeanwhile(q record.Question) (bool, error) {
	if q.Kind() != record.KindTrust {
		return false, nil
	}
	r.trustAsked = true
	if untrusted, err := r.a.Untrusted(); err != nil || len(untrusted) > 0 {
		return false, err
	}
	return true, r.record(record.Answered{ID: q.ID, Answer: record.Answer{Text: record.Approve, By: "command"}})
}

// trusted keeps what the user says about the workspace.
func (r *run) trusted(a record.Answer) error {
	if a.Text != record.Approve {
		return nil
	}
	untrusted, err := r.a.Untrusted()
	if err != nil {
		return err
	}
	return r.a.Trust.Give(a.By, untrusted...)
}
