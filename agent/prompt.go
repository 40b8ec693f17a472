package agent

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

//go:embed prompts/*.md
var promptFiles embed.FS

// prompts are the templates by file name. They are strict: a field that is
// missing is an error, and a test renders every one.
var prompts = template.Must(template.New("prompts").Option("missingkey=error").Funcs(template.FuncMap{"data": asData, "bullets": bullets, "numbered": enumerated}).ParseFS(promptFiles, "prompts/*.md"))

// asData marks a text as one from outside.
func asData(text string) string { return action.Fence("data", text) }

// bullets makes a list of texts.
func bullets(texts []string) string {
	var b strings.Builder
	for _, t := range texts {
		fmt.Fprintf(&b, "- %s\n", t)
	}
	return b.String()
}

// enumerated makes a list of texts with numbers from 1.
func enumerated(texts []string) string {
	var b strings.Builder
	for i, t := range texts {
		fmt.Fprintf(&b, "%d. %s\n", i+1, t)
	}
	return b.String()
}

func render(name string, data any) (string, error) {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return b.String(), nil
}

// prompted is what the templates may use; each uses a part of it.
type prompted struct {
	Claims    []shownClaim // that a failure was fixed
	Refused   string       // why the last validator is not kept
	ErrorType string
	Task      record.Task
	Focus     string
	Listing   string
	Made      string // with what the project is made
	Rules     string // the project's own
	Map       string // of the code that the task touches
	Known     string // of the project as a whole
	Recalled  []string
	PlanText  string
	Features  []string // all; what changes while a task goes on stands in the other two
	Ended     []string // those that have ended, and how
	Marked    []string // all, with how they ended
	Feature   action.Feature
	Attempt   int
	Steps     int
	Again     bool // the role was told of an earlier state of the feature
	Failure   string
	Log       []string
	Diff      string
	Tests     string
	Findings  string
	TestNotes []string
	Claimed   []string // what CASE says it fixed, the latest last
	Untouched []string // files that CASE names there, and has not changed
	Reason    string
	Class     string // the type of the task, and what it asks
}

// prompter makes the prompts of a task from its state. It only reads.
type prompter struct {
	state     *record.State
	overlay   *workspace.Overlay
	workspace *workspace.Workspace
	blob      record.Blobs
	may       *permit.Permit
	gate      *gate
	limits    record.Limits
	window    window
}

func (r *run) prompter() *prompter {
	return &prompter{
		state: r.state, overlay: r.overlay, workspace: r.a.Workspace, blob: r.a.Store.Blob, may: r.may(), gate: &r.gate,
		limits: r.a.Limits, window: r.window(),
	}
}

// conversation puts a prompt together: what stays the same as long as the role is asked
// comes first, then the talk, which only grows, so that each request begins with the one
// before it and a provider's cache serves that.
func (p *prompter) conversation(system, user string) ([]llm.Message, error) {
	return p.conversationOn(p.data(), system, user)
}

// conversationOn is conversation with what does not change while the role is asked.
func (p *prompter) conversationOn(data prompted, system, user string) ([]llm.Message, error) {
	head, err := render(system, data)
	if err != nil {
		return nil, err
	}
	task, err := render(user, data)
	if err != nil {
		return nil, err
	}
	talk, err := p.talked(p.state.Talk)
	return sayOnce(append([]llm.Message{{Speaker: llm.System, Content: head}, {Speaker: llm.User, Content: task}}, talk...)), err
}

// data fills in what every prompt may need.
func (p *prompter) data() prompted {
	d := prompted{Class: p.class(), Task: p.state.Task, Recalled: p.state.Recalled, Steps: p.limits.Steps}
	if said := p.state.Heard(); len(said) > 0 {
		d.Task.Text += "\n\nWhat the user said since. It counts as the task does, and more where they differ:\n" + bullets(said)
	}
	if f := p.state.Task.Focus; f != nil {
		d.Focus = p.describeFocus(f)
	}
	if e := p.state.Task.Follows; e != nil {
		d.Focus += p.describeEarlier(e)
	}
	if p.state.Rules != nil {
		d.Rules = *p.state.Rules
	}
	if p.state.Plan != nil {
		d.PlanText = p.planText(p.state.Plan)
	}
	p.features(&d)
	f := p.state.Feature()
	if f == nil {
		return d
	}
	d.Feature, d.Attempt, d.Log = f.Feature, f.Attempt, plainLog(f.Log)
	d.Feature.Description = p.window.text(partFeature, f.Description, "")
	if t := p.state.LastTest; t != nil {
		said, _ := p.state.TestsSaid()
		d.Tests = said.String()
		if !t.OK && !t.Skipped {
			d.Failure = d.Tests
		}
	}
	d.TestNotes, d.Claimed = f.TestNotes(), f.Claimed[max(0, len(f.Claimed)-maxClaimed):]
	return d
}

// maxClaimed is how many claims to have fixed a failure the verifier reads: the last ones are about what there is now.
const maxClaimed = 3

// features lists the features of the plan. Where they stand is told apart from them, so that
// requests about different features begin alike.
func (p *prompter) features(d *prompted) {
	for i, f := range p.state.Features {
		mark := "later"
		switch {
		case f.OK:
			mark = "done"
		case f.Ended:
			mark = "failed: " + f.Words.PlainAfter(f.Reason)
		case i == p.state.Current:
			mark = "now"
		}
		if f.Ended {
			d.Ended = append(d.Ended, f.ID+": "+mark)
		}
		d.Features = append(d.Features, f.ID+": "+f.Title)
		d.Marked = append(d.Marked, fmt.Sprintf("%s: %s (%s)", f.ID, f.Title, mark))
	}
	d.Features, d.Ended, d.Marked = p.window.first(partFeature, d.Features), p.window.first(partFeature, d.Ended), p.window.first(partFeature, d.Marked)
}

// planText is the plan as CASE reads it.
func (p *prompter) planText(plan *action.Plan) string {
	text := plan.Analysis + "\n"
	if len(plan.Steps) > 0 {
		text += "\nSteps:\n" + bullets(plan.Steps)
	}
	if len(plan.Considerations) > 0 {
		text += "\nConsiderations:\n" + bullets(plan.Considerations)
	}
	return p.window.text(partPlan, text, "")
}

// plainLog is a work log as a model reads it.
func plainLog(lines []record.LogLine) (list []string) {
	for _, l := range lines {
		list = append(list, l.Plain())
	}
	return list
}

// describeFocus describes the place that a task speaks of. CASE is shown its lines with the
// file.
func (p *prompter) describeFocus(f *record.Focus) string {
	var b strings.Builder
	fmt.Fprintf(&b, "It speaks of %s, lines %d to %d.\n", f.Path, f.FromLine, f.ToLine)
	if f.Diagnostic != "" {
		source := f.Source
		if source == "" {
			source = "a language server"
		}
		fmt.Fprintf(&b, "There, %s reports:\n%s\n", source, asData(p.window.text(partFocus, f.Diagnostic, "")))
	}
	if f.Text != "" && p.state.Phase == record.Planning {
		fmt.Fprintf(&b, "The lines read:\n%s\n", asData(p.window.text(partFocus, strings.TrimRight(f.Text, "\r\n"), ": read the file")))
	}
	return b.String()
}

func (p *prompter) planPrompt() ([]llm.Message, error) {
	return p.conversation("plan.system.md", "plan.user.md")
}

func (p *prompter) codePrompt() ([]llm.Message, error) {
	if p.state.Task.Single {
		return p.conversation("single.system.md", "single.user.md")
	}
	return p.conversation("code.system.md", "code.user.md")
}

func (p *prompter) reflectPrompt() ([]llm.Message, error) {
	return p.conversation("reflect.system.md", "reflect.user.md")
}

func (p *prompter) verifyPrompt() ([]llm.Message, error) {
	return p.conversation("verify.system.md", "verify.user.md")
}

func (p *prompter) advicePrompt(reason string) ([]llm.Message, error) {
	d := p.data()
	d.Reason, d.Diff = p.window.text(partReason, reason, ""), p.featureDiff()
	d.Log, d.Tests = p.window.last(partLog, d.Log), headAndTail(d.Tests, p.window.of(partTests))
	head, err := render("advise.system.md", d)
	if err != nil {
		return nil, err
	}
	body, err := render("advise.user.md", d)
	return sayOnce([]llm.Message{{Speaker: llm.System, Content: head}, {Speaker: llm.User, Content: body}}), err
}

// maxDiff bounds the diff in a prompt, in bytes, below its share of the window: of a larger
// one, whole files are left out and named.
const maxDiff = 60 << 10

// unchangedDiff stands for the diff of a feature that has changed nothing.
const unchangedDiff = "Nothing was changed.\n"

// featureDiff is what the feature changed so far, as a unified diff.
func (p *prompter) featureDiff() string { return p.diffSince(p.state.Feature().Start) }

// diffSince is what changed since something was staged.
func (p *prompter) diffSince(since record.Staged) string {
	start, err := since.State(p.blob)
	if err != nil {
		return "The diff cannot be made: " + err.Error() + "\n"
	}
	return p.diffOf(start, p.overlay.State())
}

// diffOf is what changed from one staged state to another.
func (p *prompter) diffOf(start, end workspace.State) string {
	may, left := p.may, min(maxDiff, p.window.of(partDiff))
	var b strings.Builder
	var out []string
	for _, c := range workspace.Compare(start, end).Files {
		if may.Hides(c.Path) || c.From != "" && may.Hides(c.From) {
			fmt.Fprintf(&b, "%s %s: it may hold secrets, so that its lines are not shown\n", c.Op, c.Path)
			continue
		}
		diff := c.Unified()
		if len(diff) > left {
			out = append(out, fmt.Sprintf("%s %s: %d bytes of diff", c.Op, c.Path, len(diff)))
			continue
		}
		left -= len(diff)
		b.WriteString(diff)
	}
	if len(out) > 0 {
		b.WriteString("Left out, because the diff is too long: read these files.\n" + bullets(p.window.first(partLog, out)))
	}
	if b.Len() == 0 {
		return unchangedDiff
	}
	return b.String()
}
