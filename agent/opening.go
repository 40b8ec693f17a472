package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/codemap"
	"caselsp/agent/count"
	"caselsp/agent/record"
	"caselsp/agent/workspace"
)

// What a role works on can change while it is asked: the user types, files appear. So it is
// told once, by a record, and its requests stay append-only: TARS the files of the workspace,
// the verifier the diff, the tests and the findings, the reflector the failure. Where a role
// is asked about the same feature again, its conversation goes on with what changed since.

// open tells the role of the present phase what it works on, where it was not told yet.
func (r *run) open(name string, fill func(*prompter, *prompted) error) (opened bool, err error) {
	if r.state.Opened {
		return false, nil
	}
	p := r.prompter()
	d := p.data()
	if err := fill(p, &d); err != nil {
		return false, err
	}
	text, err := render(name, d)
	if err != nil {
		return false, err
	}
	return true, r.record(record.FilesShown{Opens: true, Text: text})
}

// planOpening is the workspace, as TARS first sees it.
func (r *run) planOpening(ctx context.Context) func(*prompter, *prompted) error {
	ctx = workspace.AtOnce(ctx)
	return func(p *prompter, d *prompted) error {
		entries, more, err := p.entries(ctx)
		if err != nil {
			return err
		}
		d.Listing = p.listing(entries, more, maxPlanListing)
		d.Made, d.Rules = p.madeWith(entries), p.rules(entries, nil)
		about := d.Task.Text
		if said := r.state.Thread.Latest(); said != "" {
			about = said
		}
		shown := slices.Collect(maps.Keys(r.state.ShownNow())) // by the message of a thread
		d.Map, err = r.codeMap(ctx, p, entries, codemap.Query{Text: about}, planMap, shown, d.Listing)
		d.Recalled = p.window.first(partRecalled, d.Recalled)
		if err == nil {
			d.Known, err = r.knownOf(ctx, p, entries)
		}
		return err
	}
}

// maxPlanListing bounds the list of files that TARS begins with, in bytes: about 250; it can
// list more by glob.
const maxPlanListing = 12 << 10

// entries are the files of the workspace.
func (p *prompter) entries(ctx context.Context) (list []workspace.Entry, more bool, err error) {
	if list, more, err = p.overlay.List(ctx, "", workspace.MaxEntries); err != nil {
		return nil, false, fmt.Errorf("the workspace cannot be listed: %w", err)
	}
	return list, more, nil
}

// listing is the first list of files, with folders of data collapsed.
func (p *prompter) listing(entries []workspace.Entry, more bool, most int) string {
	return action.Overview(entries, more, min(most, p.window.of(partListing)))
}

// worked fills in what a feature's diff, log and tests are since the role was told last.
func (p *prompter) worked(d *prompted) {
	since, from, again := p.state.Told()
	d.Again = again
	d.Diff = p.diffSince(since)
	d.Log = p.window.last(partLog, d.Log[min(from, len(d.Log)):])
}

func splitOpening(p *prompter, d *prompted) error {
	d.Diff, d.Log = p.featureDiff(), p.window.last(partLog, d.Log)
	return nil
}

func reflectOpening(p *prompter, d *prompted) error {
	p.worked(d)
	d.Failure = headAndTail(d.Failure, p.window.of(partTests))
	d.Recalled = p.window.first(partRecalled, d.Recalled)
	return nil
}

func verifyOpening(ctx context.Context) func(*prompter, *prompted) error {
	return func(p *prompter, d *prompted) error {
		p.worked(d)
		d.Tests = testsText(p.state)
		d.Tests = headAndTail(d.Tests, p.window.of(partTests))
		d.TestNotes = append(slices.Clip(d.TestNotes), p.fewerTests()...)
		d.TestNotes = slices.DeleteFunc(d.TestNotes, func(note string) bool {
			return strings.Contains(d.Tests, note) || p.state.LastTest != nil && p.state.LastTest.Results != nil && note == p.state.LastTest.Results.Report.String()
		})
		entries, _, err := p.entries(ctx)
		if err != nil {
			return err
		}
		changes := p.overlay.ChangeSet()
		d.Untouched = p.window.first(partFindings, untouched(p.state.Feature().ClaimsDone(), entries, changes))
		found, err := p.gate.introduced(ctx, p.workspace, changes)
		if err != nil {
			return err
		}
		orphaned, err := orphans(ctx, p.overlay, p.may.Hides)
		if err != nil {
			return err
		}
		d.Findings = p.window.text(partFindings, action.Findings(slices.Concat(found, p.state.LintFindings(), orphaned)), ": "+action.DiagnosticsName+" shows those of one file")
		return nil
	}
}

// untouched are the files that a text names, by their paths or the ends of them, and that changes leave as they were. A
// name that several files have counts where none of them has changed. Whether the text says that they were changed, its
// reader sees.
func untouched(texts []string, entries []workspace.Entry, changes workspace.ChangeSet) (names []string) {
	changed := map[string]bool{}
	for _, f := range changes.Files {
		changed[f.Path], changed[f.From] = true, true
	}
	for _, text := range texts {
		for _, name := range fileNamed.FindAllString(text, -1) {
			name = strings.TrimPrefix(name, "./")
			is := func(p string) bool { return p == name || strings.HasSuffix(p, "/"+name) }
			there := slices.ContainsFunc(entries, func(e workspace.Entry) bool { return is(e.Path) })
			if there && !slices.Contains(names, name) && !slices.ContainsFunc(slices.Collect(maps.Keys(changed)), is) {
				names = append(names, name)
			}
		}
	}
	return names
}

// shortPass is the outcome of tests that pass: of what they say, the last lines sum up.
func shortPass(said action.Said) action.Said {
	var lines []string
	for line := range strings.Lines(said.Quote) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	if more := len(lines) - passLines; more > 0 {
		said.Quote = fmt.Sprintf("[%s left out]\n%s", count.Of(more, "line"), strings.Join(lines[more:], ""))
	}
	return said
}

// passLines is how many lines of tests that pass are shown: runners sum up in one to three.
const passLines = 4

// openFeature shows CASE the project's rules, the files that the plan names for the feature
// and the configuration that it speaks of, as far as they fit, of larger ones the outline and
// the ranges that matter, and a map of the code around them.
func (r *run) openFeature(ctx context.Context) error {
	ctx = workspace.AtOnce(ctx)
	p, f := r.prompter(), r.state.Feature()
	entries, _, err := p.entries(ctx)
	if err != nil {
		return err
	}
	about := f.Title + "\n" + f.Description
	fetched, missing := configuration(entries, about)
	files := f.Files
	if plan := r.state.Plan; len(files) == 0 && plan != nil && len(r.state.Features) == 1 {
		files = slices.DeleteFunc(slices.Concat(plan.Change), func(path string) bool { return slices.Contains(fetched, path) })
	}
	o := opening{p: p, left: p.window.of(partOpening), about: about}
	o.Opens = true
	o.addRules(entries, f.Files)
	if f.Test != "" {
		o.Text += "Its tests: " + f.Test + "\n"
	}
	o.Text += r.failedBefore()
	var named []string
	for _, path := range slices.Concat(files, fetched) {
		if slices.Contains(named, path) {
			continue
		}
		named = append(named, path)
		file, why := p.readable(path)
		if why == "" {
			r.seeFixture(path, file.Text)
			why = o.show(path, file)
		}
		if why != "" {
			missing = append(missing, path+": "+why)
		}
	}
	switch {
	case len(files) > 0:
		o.Text += "The files that the plan names for this feature, as they are now. Read others as you need them.\n"
	default:
		o.Text += "The plan names no files for this feature: look for what you need.\n"
	}
	if focus := p.state.Task.Focus; focus != nil && focus.Text != "" && !slices.Contains(named, focus.Path) {
		o.Quote += fmt.Sprintf("%s, lines %d to %d\n%s\n", focus.Path, focus.FromLine, focus.ToLine, p.window.text(partFocus, focus.Text, ""))
	}
	around, err := r.codeMap(ctx, p, entries, codemap.Query{Text: about, Paths: files}, codeMap, named, "")
	if err != nil {
		return err
	}
	if around != "" {
		o.Quote += "Other code that the feature may touch:\n" + around
	}
	if len(missing) > 0 {
		o.More = "\nNot shown:\n" + bullets(p.window.first(partLog, missing))
	}
	return r.record(o.FilesShown)
}

// addRules keeps the rules of the root for the beginning of every feature's conversation, where they are
// the same, and adds those of the feature's folders. Where the rules of the root have changed since the
// first feature, they are added, too.
func (o *opening) addRules(entries []workspace.Entry, files []string) {
	root, said := o.p.rootRules(entries)
	rules := o.p.folderRules(entries, files, said, o.p.window.of(partRules)-len(root))
	switch known := o.p.state.Rules; {
	case known == nil:
		o.Rules = &root
	case *known != root:
		rules = root + rules
	}
	if rules != "" {
		o.Text += rulesNote + "\n"
		o.Quote += rules + "\n"
	}
}

// failedBefore says which tests failed before the task, where TARS has run them; "" for none.
func (r *run) failedBefore() string {
	b, known := r.state.Baseline(r.state.TestLine())
	if !known || !b.Usable || b.OK {
		return ""
	}
	text := "Before the task, these tests failed"
	if len(b.Failing) > 0 {
		text += ": " + record.NamedTests(b.Failing)
	}
	return text + "\n"
}

// opening is the message with the files that CASE begins with, as it grows.
type opening struct {
	record.FilesShown
	p     *prompter
	left  int    // bytes
	about string // of the feature
}

// show adds a file, or says why not.
func (o *opening) show(path string, f workspace.File) (why string) {
	text, shown, err := action.Show(path, f.Text, f.Hash, 0, 0, min(o.left, o.p.window.of(partWhole)))
	if err == nil && len(text) <= min(o.left, o.p.window.of(partWhole)) {
		o.add(text+"\n", shown)
		return ""
	}
	outline := o.p.outline(path, f.Text)
	if len(outline) > o.left {
		return fmt.Sprintf("too large to be shown here (%d bytes)", len(f.Text))
	}
	matters := o.p.matters(path, f.Text, o.about, o.p.state.Task.Text)
	what := "here are its outline and the lines that seem to matter. Read others by range."
	if len(matters) == 0 {
		what = "here is its outline. Read the lines that you need by range."
	}
	o.add(fmt.Sprintf("%s is long: %s\n%s\n", path, what, outline), action.Shown{})
	for _, lines := range matters {
		text, shown, err := action.Show(path, f.Text, f.Hash, lines.From, lines.To, min(o.left, o.p.window.of(partWhole)))
		if err == nil && len(text) <= o.left {
			o.add(text+"\n", shown)
		}
	}
	return ""
}

// outline is a file's outline, in its share of the window.
func (p *prompter) outline(path, text string) string {
	if outline := action.OutlineOf(path, text, p.window.of(partOutline)); outline != "" {
		return outline
	}
	return fmt.Sprintf("%s (%s) declares nothing.\n", path, count.Of(action.LineCount(text), "line"))
}

func (o *opening) add(text string, shown action.Shown) {
	o.Quote += text
	o.left -= len(text)
	if shown.Hash != "" {
		o.Shown = append(o.Shown, shown)
	}
}
