package agent

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"caselsp/agent/action"
	"caselsp/agent/llm"
	"caselsp/agent/permit"
	"caselsp/agent/record"
	"caselsp/agent/syntax"
	"caselsp/agent/workspace"
)

//go:embed prompts/*.md
var promptFiles embed.FS

// prompts are the templates by file name. They are strict: a field that is
// missing is an error, and a test renders every one.
var prompts = template.Must(template.New("prompts").Option("missingkey=error").Funcs(template.FuncMap{"data": asData, "bullets": bullets}).ParseFS(promptFiles, "prompts/*.md"))

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

func render(name string, data any) (string, error) {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return b.String(), nil
}

// prompted is what the templates may use; each uses a part of it.
type prompted struct {
	Task      record.Task
	Focus     string
	Listing   string
	Recalled  []string
	Plan      action.Plan
	Features  []string // all, with how they ended
	Feature   action.Feature
	Attempt   int
	Steps     int
	Failure   string
	Log       []string
	Diff      string
	Tests     string
	TestNotes []string
	Findings  string
	Verdicts  []string
	Reason    string
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
	context   int // tokens that fit into the model's window
}

func (r *run) prompter() *prompter {
	return &prompter{
		state: r.state, overlay: r.overlay, workspace: r.a.Workspace, blob: r.a.Store.Blob, may: r.may(), gate: &r.gate,
		limits: r.a.Limits, context: r.a.Context,
	}
}

// conversation puts a prompt together: what stays the same as long as the role is asked
// comes first, then the talk, which only grows, so that each request begins with the one
// before it and a provider's cache serves that.
func (p *prompter) conversation(system, user string, data prompted) ([]llm.Message, error) {
	head, err := render(system, data)
	if err != nil {
		return nil, err
	}
	task, err := render(user, data)
	if err != nil {
		return nil, err
	}
	talk, err := talked(p.state.Talk)
	return append([]llm.Message{{Speaker: llm.System, Content: head}, {Speaker: llm.User, Content: task}}, talk...), err
}

// data fills in what every prompt may need.
func (p *prompter) data() prompted {
	d := prompted{Task: p.state.Task, Recalled: p.state.Recalled, Steps: p.limits.Steps}
	if said := p.state.Heard(); len(said) > 0 {
		d.Task.Text += "\n\nWhat the user said since. It counts as the task does, and more where they differ:\n" + bullets(said)
	}
	if f := p.state.Task.Focus; f != nil {
		d.Focus = describeFocus(f)
	}
	if e := p.state.Task.Follows; e != nil {
		d.Focus += describeEarlier(e)
	}
	if p.state.Plan != nil {
		d.Plan = *p.state.Plan
	}
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
		d.Features = append(d.Features, fmt.Sprintf("%s: %s (%s)", f.ID, f.Title, mark))
	}
	f := p.state.Feature()
	if f == nil {
		return d
	}
	d.Feature, d.Attempt, d.Log = f.Feature, f.Attempt, plainLog(f.Log)
	if t := p.state.LastTest; t != nil {
		d.Tests = t.Said.String()
		if !t.OK && !t.Skipped {
			d.Failure = t.Said.String()
		}
	}
	d.TestNotes = f.TestNotes()
	for i, v := range f.Verdicts {
		d.Verdicts = append(d.Verdicts, fmt.Sprintf("attempt %d: %d percent: %s", i+1, *v.Completion, strings.Join(v.Issues, "; ")))
	}
	return d
}

// plainLog is a work log as a model reads it.
func plainLog(lines []record.LogLine) (list []string) {
	for _, l := range lines {
		list = append(list, l.Plain())
	}
	return list
}

// describeFocus describes the place that a task speaks of.
func describeFocus(f *record.Focus) string {
	var b strings.Builder
	fmt.Fprintf(&b, "It speaks of %s, lines %d to %d.\n", f.Path, f.FromLine, f.ToLine)
	if f.Diagnostic != "" {
		source := f.Source
		if source == "" {
			source = "a language server"
		}
		fmt.Fprintf(&b, "There, %s reports:\n%s\n", source, asData(f.Diagnostic))
	}
	if f.Text != "" {
		fmt.Fprintf(&b, "The lines read:\n%s\n", asData(strings.TrimRight(f.Text, "\r\n")))
	}
	return b.String()
}

func (p *prompter) planPrompt(ctx context.Context) ([]llm.Message, error) {
	d := p.data()
	entries, more, err := p.overlay.List(ctx, "", maxPlanListing)
	if err != nil {
		return nil, fmt.Errorf("the workspace cannot be listed: %w", err)
	}
	d.Listing = action.Listing(entries, more)
	return p.conversation("plan.system.md", "plan.user.md", d)
}

// maxPlanListing is the number of files that TARS sees at once; it can list more by glob.
const maxPlanListing = 300

func (p *prompter) codePrompt(context.Context) ([]llm.Message, error) {
	if p.state.Task.Single {
		return p.conversation("single.system.md", "single.user.md", p.data())
	}
	return p.conversation("code.system.md", "code.user.md", p.data())
}

func (p *prompter) reflectPrompt(context.Context) ([]llm.Message, error) {
	d := p.data()
	d.Diff = p.featureDiff()
	return p.conversation("reflect.system.md", "reflect.user.md", d)
}

func (p *prompter) verifyPrompt(ctx context.Context) ([]llm.Message, error) {
	d := p.data()
	d.Diff = p.featureDiff()
	d.Tests = testsText(p.state)
	d.TestNotes = append(slices.Clip(d.TestNotes), p.fewerTests()...)
	found, err := p.gate.introduced(ctx, p.workspace, p.overlay.ChangeSet())
	if err != nil {
		return nil, err
	}
	d.Findings = action.Findings(append(found, p.state.LintFindings()...))
	return p.conversation("verify.system.md", "verify.user.md", d)
}

func (p *prompter) advicePrompt(reason string) ([]llm.Message, error) {
	d := p.data()
	d.Reason, d.Diff = reason, p.featureDiff()
	head, err := render("advise.system.md", d)
	if err != nil {
		return nil, err
	}
	body, err := render("advise.user.md", d)
	return []llm.Message{{Speaker: llm.System, Content: head}, {Speaker: llm.User, Content: body}}, err
}

// maxDiff bounds the diff in a prompt, in bytes, and in a small window a quarter of that:
// a larger one is cut, with the cut said, and the files can be read.
const maxDiff = 60 << 10

// unchangedDiff stands for the diff of a feature that has changed nothing.
const unchangedDiff = "Nothing was changed.\n"

// featureDiff is what the feature changed so far, as a unified diff.
func (p *prompter) featureDiff() string {
	start, err := p.state.Feature().Start.State(p.blob)
	if err != nil {
		return "The diff cannot be made: " + err.Error() + "\n"
	}
	return p.diffOf(start, p.overlay.State())
}

// diffOf is what changed from one staged state to another.
func (p *prompter) diffOf(start, end workspace.State) string {
	may := p.may
	var b strings.Builder
	for _, c := range workspace.Compare(start, end).Files {
		if may.Hides(c.Path) || c.From != "" && may.Hides(c.From) {
			fmt.Fprintf(&b, "%s %s: it may hold secrets, so that its lines are not shown\n", c.Op, c.Path)
			continue
		}
		b.WriteString(c.Unified())
	}
	if b.Len() == 0 {
		return unchangedDiff
	}
	return clip(b.String(), min(maxDiff, p.context*bytesPerToken/4))
}

// clip cuts a text at a line end and says so.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := strings.ToValidUTF8(s[:most], "")
	if i := strings.LastIndexByte(cut, '\n'); i >= 0 {
		cut = cut[:i+1]
	}
	return fmt.Sprintf("%s[%d more bytes are left out]\n", cut, len(s)-len(cut))
}

// summary is a file's outline, one symbol a line.
func summary(path, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%d lines)\n", path, strings.Count(text, "\n")+1)
	if lang := syntax.OutlineLanguageOf(path); lang != "" {
		for _, s := range syntax.Parse(lang, text).Outline() {
			fmt.Fprintf(&b, "%d-%d %s %s\n", s.StartLine+1, s.EndLine+1, s.Kind, s.Name)
		}
	}
	return clip(b.String(), maxSummary)
}

// maxSummary bounds one file's outline in bytes: about a hundred symbols.
const maxSummary = 6 << 10
