package agent

import (
	"errors"
	"fmt"
	"strings"

	"caselsp/agent/record"
	"caselsp/agent/review"
)

const (
	// maxFollowedReport and maxFollowedDiff bound what a follow-up is told of the task before
	// it, in bytes: more is read where it is needed.
	maxFollowedReport = 6 << 10
	maxFollowedDiff   = 16 << 10
)

// Last returns the id of the workspace's newest task.
func (a *Agent) Last() (string, error) {
	all, err := a.History()
	if len(all) == 0 {
		return "", errors.Join(errors.New("there is no task in this workspace yet"), err)
	}
	return all[len(all)-1].Task.ID, nil
}

// Follows returns what a task is told that follows another one (the newest where id is ""):
// its text, its report and its changes, with what the user decided about them.
func (a *Agent) Follows(id string) (*record.Earlier, error) {
	if id == "" {
		last, err := a.Last()
		if err != nil {
			return nil, err
		}
		id = last
	}
	p, err := a.load(id)
	if err != nil {
		return nil, err
	}
	report, err := a.Report(id)
	if err != nil {
		return nil, err
	}
	e := &record.Earlier{Task: id, Text: p.Task.Text, State: p.Phase, Report: cutText(report, maxFollowedReport, "")}
	rev, err := review.Of(p, a.Store.Blob, a.obeyed(p))
	if errors.Is(err, review.ErrNoReview) {
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	r := a.newRun(id, nil) // its leave to read files is not that of the task that follows
	defer r.overlay.Close()
	may := r.may()
	var diff strings.Builder
	for _, f := range rev.Files {
		c := f.Change
		if may.Hides(c.Path) || c.From != "" && may.Hides(c.From) {
			fmt.Fprintf(&diff, "%s %s (%s): it may hold secrets, so that its lines are not shown\n", c.Op, c.Path, f.Standing())
			continue
		}
		fmt.Fprintf(&diff, "%s %s (%s)\n%s", c.Op, c.Path, f.Standing(), c.Unified())
	}
	e.Diff = cutText(diff.String(), maxFollowedDiff, "")
	return e, nil
}

// describeEarlier describes the task that another one follows.
func (p *prompter) describeEarlier(e *record.Earlier) string {
	var b strings.Builder
	fmt.Fprintf(&b, "It follows an earlier task, which is %s:\n%s\n", e.State, asData(p.window.text(partFocus, e.Text, "")))
	fmt.Fprintf(&b, "The report of that task:\n%s\n", asData(p.window.text(partFocus, e.Report, "")))
	if e.Diff != "" {
		fmt.Fprintf(&b, "Its changes, with what the user decided; what was not accepted is not in the files:\n%s\n", asData(p.window.text(partPlan, e.Diff, ": read the files")))
	}
	return b.String()
}
