package agent

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
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
	Task       record.Task
	Focus      string
	Listing    string
	Recalled   []string
	Plan       action.Plan
	Features   []string // all, with how they ended
	Feature    action.Feature
	Attempt    int
	Steps      int
	Correction *correction
	Failure    string
	Hypothesis *action.Hypothesis
	Log        []string
	Diff       string
	Tests      string
	Findings   string
	Verdicts   []string
	Reason     string
}

// correction is what the last verdict asks for.
type correction struct {
	Completion   int
	Issues       []string
	Instructions string
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

// conversation puts a prompt together: the parts that stay the same come first,
// so that a provider's cache of the beginning serves every call of a phase; the
// files as they are now come last.
func (p *prompter) conversation(system, user string, data prompted, tail string, shown []action.Shown) ([]llm.Message, error) {
	head, err := render(system, data)
	if err != nil {
		return nil, err
	}
	task, err := render(user, data)
	if err != nil {
		return nil, err
	}
	messages := []llm.Message{{Speaker: llm.System, Content: head}, {Speaker: llm.User, Content: task}}
	messages = append(messages, p.history(shown)...)
	if tail != "" {
		messages = append(messages, llm.Message{Speaker: llm.User, Content: tail})
	}
	return messages, nil
}

// keptTurns is how many of the latest turns go into a prompt in full; of older
// ones the result is cut to its first line. It is more than the steps of a round with the
// usual number of aids, so that a usual round is never cut.
const keptTurns = 24

// history renders the turns of this phase as messages. A file that was read and
// is shown at the end of the prompt is not given twice.
func (p *prompter) history(shown []action.Shown) []llm.Message {
	below := map[string]bool{}
	for _, s := range shown {
		below[s.Path] = true
	}
	var messages []llm.Message
	for i, t := range p.state.Turns {
		said := t.Said
		if t.OK && t.Full != "" && below[t.Full] {
			said = action.Said{Text: "It is shown at the end, as it is now."}
		}
		if i < len(p.state.Turns)-keptTurns {
			said = shortened(said)
		}
		result := said.String()
		switch {
		case t.Call.Name != "":
			call := t.Call
			if call.ID == "" {
				call.ID = fmt.Sprintf("call_%d", i+1) // some servers send none, all want one back
			}
			if t.Step > 0 {
				result = fmt.Sprintf("[step %d] %s", t.Step, result)
			}
			messages = append(messages,
				llm.Message{Speaker: llm.Assistant, Content: t.Reply, ToolCalls: []llm.ToolCall{call}},
				llm.Message{Speaker: llm.ToolReply, CallID: call.ID, Content: result})
		default:
			if t.Reply != "" {
				messages = append(messages, llm.Message{Speaker: llm.Assistant, Content: t.Reply})
			}
			messages = append(messages, llm.Message{Speaker: llm.User, Content: result})
		}
	}
	return messages
}

// shortened is the first line of what was said; of what was quoted, where that is all.
func shortened(s action.Said) action.Said {
	if text := record.FirstLine(s.Text); text != "" {
		return action.Said{Text: text}
	}
	return action.Said{Mark: s.Mark, Quote: record.FirstLine(s.Quote)}
}

// data fills in what every prompt may need.
func (p *prompter) data() prompted {
	d := prompted{Task: p.state.Task, Recalled: p.state.Recalled, Steps: p.limits.Steps}
	if f := p.state.Task.Focus; f != nil {
		d.Focus = describeFocus(f)
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
			mark = "failed: " + f.Reason
		case i == p.state.Current:
			mark = "now"
		}
		d.Features = append(d.Features, fmt.Sprintf("%s: %s (%s)", f.ID, f.Title, mark))
	}
	f := p.state.Feature()
	if f == nil {
		return d
	}
	d.Feature, d.Attempt, d.Log = f.Feature, f.Attempt, f.Log
	if t := p.state.LastTest; t != nil {
		d.Tests = t.Said.String()
		if !t.OK && !t.Skipped {
			d.Failure = t.Said.String()
		}
	}
	d.Hypothesis = p.state.Hypothesis
	for i, v := range f.Verdicts {
		d.Verdicts = append(d.Verdicts, fmt.Sprintf("attempt %d: %d percent: %s", i+1, *v.Completion, strings.Join(v.Issues, "; ")))
	}
	return d
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

func (p *prompter) planPrompt(ctx context.Context) ([]llm.Message, []action.Shown, error) {
	d := p.data()
	entries, more, err := p.overlay.List(ctx, "", maxPlanListing)
	if err != nil {
		return nil, nil, fmt.Errorf("the workspace cannot be listed: %w", err)
	}
	d.Listing = action.Listing(entries, more)
	m, err := p.conversation("plan.system.md", "plan.user.md", d, "", nil)
	return m, nil, err
}

// maxPlanListing is the number of files that TARS sees at once; it can list more by glob.
const maxPlanListing = 300

func (p *prompter) codePrompt() ([]llm.Message, []action.Shown, error) {
	d := p.data()
	if v := p.state.Verdict; v != nil {
		d.Correction = &correction{Completion: *v.Completion, Issues: v.Issues, Instructions: v.Instructions}
	}
	f := p.state.Feature()
	d.Log = f.Log[:max(0, len(f.Log)-p.state.Steps)] // this round's steps are in the conversation
	step := fmt.Sprintf("Round %d of %d, step %d of %d. What is the single next action?", f.Round, p.limits.Rounds, p.state.Steps+1, p.limits.Steps)
	tail, shown, err := p.filesNow(step)
	if err != nil {
		return nil, nil, err
	}
	m, err := p.conversation("code.system.md", "code.user.md", d, tail, shown)
	return m, shown, err
}

func (p *prompter) reflectPrompt() ([]llm.Message, []action.Shown, error) {
	d := p.data()
	d.Diff = p.featureDiff()
	tail, shown, err := p.filesNow("")
	if err != nil {
		return nil, nil, err
	}
	m, err := p.conversation("reflect.system.md", "reflect.user.md", d, tail, shown)
	return m, shown, err
}

func (p *prompter) verifyPrompt(ctx context.Context) ([]llm.Message, []action.Shown, error) {
	d := p.data()
	d.Diff = p.featureDiff()
	switch {
	case p.state.LastTest == nil:
		d.Tests = "No tests were run: the plan names none for this feature.\n"
	case p.state.LastTest.Skipped:
		d.Tests = "The tests were NOT run: " + d.Tests + "\n"
	}
	found, err := p.gate.introduced(ctx, p.workspace, p.overlay.ChangeSet())
	if err != nil {
		return nil, nil, err
	}
	d.Findings = action.Findings(append(found, p.state.LintFindings()...))
	m, err := p.conversation("verify.system.md", "verify.user.md", d, "", nil)
	return m, nil, err
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

// maxDiff bounds the diff in a prompt, in bytes: a larger one is cut, with the
// cut said, and the files can be read.
const maxDiff = 60 << 10

// featureDiff is what the feature changed so far, as a unified diff.
func (p *prompter) featureDiff() string {
	start, err := p.state.Feature().Start.State(p.blob)
	if err != nil {
		return "The diff cannot be made: " + err.Error() + "\n"
	}
	may := p.may
	var b strings.Builder
	for _, c := range workspace.Compare(start, p.overlay.State()).Files {
		if may.Hides(c.Path) || c.From != "" && may.Hides(c.From) {
			fmt.Fprintf(&b, "%s %s: it may hold secrets, so that its lines are not shown\n", c.Op, c.Path)
			continue
		}
		b.WriteString(c.Unified())
	}
	if b.Len() == 0 {
		return "Nothing was changed.\n"
	}
	return clip(b.String(), maxDiff)
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

// now is the data of the template now.md.
type now struct {
	Full, Summary, Missing []string
	Step                   string
}

// filesNow shows the files that the feature works with as they are now, the
// latest first, as far as they fit into the window; of the others the outline.
// It also says what was shown, by version: only that may be patched.
func (p *prompter) filesNow(step string) (string, []action.Shown, error) {
	budget := p.context * bytesPerToken / 2 // the other half is for the conversation and the answer
	data := now{Step: step}
	var shown []action.Shown
	known, may := p.state.Feature().Known, p.may
	for i := len(known) - 1; i >= 0; i-- {
		path := known[i]
		if key, err := p.workspace.Key(path); err == nil && may.Hides(key) && may.Exists(key) {
			data.Missing = append(data.Missing, path+": may hold secrets; to read it with "+action.GetFullFileContent+", the user is asked")
			continue
		}
		f, err := p.overlay.Read(path)
		if err != nil {
			reason := err.Error()
			if errors.Is(err, fs.ErrNotExist) {
				reason = "does not exist"
			}
			data.Missing = append(data.Missing, fmt.Sprintf("%s: %s", path, reason))
			continue
		}
		text, s, err := action.Show(path, f.Text, f.Hash, 0, 0)
		if err != nil || len(text) > budget {
			data.Summary = append(data.Summary, summary(path, f.Text))
			continue
		}
		budget -= len(text)
		data.Full = append(data.Full, text)
		shown = append(shown, s)
	}
	text, err := render("now.md", data)
	return text, shown, err
}

// summary is a file's outline, one symbol a line.
func summary(path, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%d lines)\n", path, strings.Count(text, "\n")+1)
	if lang := syntax.LanguageOf(path); lang != "" {
		for _, s := range syntax.Parse(lang, text).Outline() {
			fmt.Fprintf(&b, "%d-%d %s %s\n", s.StartLine+1, s.EndLine+1, s.Kind, s.Name)
		}
	}
	return clip(b.String(), maxSummary)
}

// maxSummary bounds one file's outline in bytes: about a hundred symbols.
const maxSummary = 6 << 10
