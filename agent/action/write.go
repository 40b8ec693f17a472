package action

import (
	"cmp"
	"context"
	_ "embed" // the texts for the model
	"errors"
	"fmt"
	"slices"

	"caselsp/agent/content"
	"caselsp/agent/patch"
	"caselsp/agent/workspace"
	"caselsp/store/lazyregexp"
)

// The names of the verbs, as models see them.
const (
	WriteFileName      = "WRITE_FILE"
	PatchFileName      = "PATCH_FILE"
	GetFullFileContent = "GET_FULL_FILE_CONTENT"
	RunCommandName     = "RUN_COMMAND"
	RequestUserInput   = "REQUEST_USER_INPUT"
	TarsCheckpoint     = "TARS_CHECKPOINT"
	RollbackName       = "ROLLBACK"
	FinishFeatureName  = "FINISH_FEATURE"
	AbortName          = "ABORT"
	AnswerName         = "ANSWER"
	HandOverName       = "HAND_OVER"
	DeleteFileName     = "DELETE_FILE"
	RenameFileName     = "RENAME_FILE"
	ListFilesName      = "LIST_FILES"
	SearchTextName     = "SEARCH_TEXT"
	OutlineName        = "OUTLINE"
	DiagnosticsName    = "DIAGNOSTICS"
	RecallName         = "RECALL"
	GitStatusName      = "GIT_STATUS"
	GitDiffName        = "GIT_DIFF"
	SubmitPlanName     = "SUBMIT_PLAN"
	SubmitVerdictName  = "SUBMIT_VERDICT"
	SubmitFixName      = "SUBMIT_HYPOTHESIS"
	SubmitAdviceName   = "SUBMIT_ADVICE"
	SubmitCheckName    = "SUBMIT_VALIDATOR"
)

//go:embed write.md
var writeText string

// WriteFile writes a whole file, or lines From to To of a version that was shown.
type WriteFile struct {
	local
	Path    string `json:"path"`
	Content string `json:"content"`
	From    int    `json:"from,omitempty"`
	To      int    `json:"to,omitempty"`

	Secrets []string `json:"secrets,omitempty" doc:"Names for which {{ NAME }} stands in configuration, never in code."`
}

// WriteFileVerb is the verb whose arguments are WriteFile.
var WriteFileVerb = register[WriteFile](WriteFileName, Edits, writeText)

// Check implements Args.
func (a WriteFile) Check() error {
	var wrong faults
	if (a.From == 0) != (a.To == 0) || a.From < 0 || a.To < a.From {
		wrong.add("from", "from and to must both be left out, or 1 <= from <= to; got from %d, to %d", a.From, a.To)
	}
	wrong.note("path", checkPath(a.Path))
	wrong.note("secrets", checkPlaceholders(a.Path, a.Content, a.Secrets))
	return wrong.err()
}

// Reads implements Reach: the diff shows what the file held.
func (a WriteFile) Reads() []Place { return []Place{File(a.Path)} }

// Changes implements Reach.
func (a WriteFile) Changes() []Place { return []Place{File(a.Path)} }

// Do implements Doer.
func (a WriteFile) Do(_ context.Context, s *Scope) (Result, error) {
	f, exists, err := s.current(a.Path)
	if err != nil {
		return Result{}, err
	}
	if line, found := content.Placeholder(a.Content, f.Text); found {
		return Result{}, fmt.Errorf("nothing was changed: line %d of the content stands for code that was left out. Write every line, or use %s for a part of the file", line, PatchFileName)
	}
	shown, known := s.shown(a.Path)
	text, note := a.Content, ""
	if named := (Range{a.From, a.To}); exists && a.From > 0 && shown.Hash == f.Hash && shown.moved(a.From, a.To) {
		if now, certain := shown.shifted(named, f.Text, a.Content); certain {
			a.From, a.To = now.From, now.To
			note = fmt.Sprintf("Lines %d to %d, as they were shown to you, are lines %d to %d now: these were written.\n", named.From, named.To, now.From, now.To)
		}
	}
	switch {
	case a.From > 0 && !exists:
		return Result{}, fmt.Errorf("%s does not exist: leave out from and to to create it", a.Path)
	case a.From > 0 && !shown.covers(f.Hash, a.From, a.To):
		return Result{}, s.unseen(fmt.Sprintf("nothing was changed: lines %d to %d of the present %s were not shown to you.", a.From, a.To, a.Path), a.Path, f, []Range{{a.From, a.To}})
	case a.From > 0 && note == "" && shown.moved(a.From, a.To):
		return Result{}, s.unseen(fmt.Sprintf("nothing was changed: an edit before made %s longer or shorter, so that lines %d to %d have other numbers than were shown to you.", a.Path, a.From, a.To), a.Path, f, []Range{{a.From, a.To}})
	case a.From > 0:
		if text, err = content.ReplaceLines(f.Text, a.From, a.To, a.Content); err != nil {
			return Result{}, err
		}
	case exists && known && shown.Hash != f.Hash:
		return Result{}, fmt.Errorf("%s changed after it was shown to you (the user may be typing): read it again with %s, then write it", a.Path, GetFullFileContent)
	case exists && (known || s.env.Touched != nil && s.env.Touched(a.Path)) && !shown.covers(f.Hash, 1, LineCount(f.Text)):
		return Result{}, s.unseen(fmt.Sprintf("nothing was changed: %s has lines that were not shown to you, and this would write over them.", a.Path), a.Path, f, []Range{{1, LineCount(f.Text)}})
	case exists:
		text = content.Rewrite(f.Text, a.Content)
	}
	r, err := s.stage(a.Path, f, exists, text, false)
	if err == nil && a.From == 0 {
		r.Shown.Full, r.Shown.Moved = true, nil // the model wrote every line
		r.Shown.Seen = []Placed{{1, 1, LineCount(text)}}
	}
	r.Said.Text = note + r.Said.Text
	return r, err
}

//go:embed patch.md
var patchText string

// PatchFile changes parts of files by a unified diff or SEARCH/REPLACE blocks.
type PatchFile struct {
	local
	Path  string `json:"path,omitempty" doc:"If the patch names none."`
	Patch string `json:"patch"`

	Secrets []string `json:"secrets,omitempty" doc:"As in WRITE_FILE."`
}

// PatchFileVerb is the verb whose arguments are PatchFile.
var PatchFileVerb = register[PatchFile](PatchFileName, Edits, patchText+"\n"+patch.Teach())

// Check implements Args.
func (a PatchFile) Check() error {
	var wrong faults
	if a.Patch == "" {
		wrong.add("patch", "patch is empty: give a unified diff or SEARCH/REPLACE blocks")
	}
	if a.Path != "" {
		wrong.note("path", checkPath(a.Path))
	} else if _, err := a.files(); errors.Is(err, errUnnamed) {
		wrong.note("path", err)
	}
	for _, p := range a.Paths() {
		wrong.note("secrets", checkPlaceholders(p, a.Patch, a.Secrets))
	}
	return wrong.err()
}

// Paths returns the files that the patch is for; of one that cannot be read, those that are known.
func (a PatchFile) Paths() []string {
	files, err := a.files()
	switch {
	case err != nil && a.Path != "":
		return []string{a.Path}
	case err != nil:
		return nil
	}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return paths
}

// Reads implements Reach: the diff shows what the files held, and the names of all are
// looked through for one that does not exist.
func (a PatchFile) Reads() []Place { return append(a.places(), FileNames("")) }

// Changes implements Reach.
func (a PatchFile) Changes() []Place { return a.places() }

func (a PatchFile) places() (places []Place) {
	for _, p := range a.Paths() {
		places = append(places, File(p))
	}
	return places
}

// Do implements Doer. What it staged before an error is taken back by its caller.
func (a PatchFile) Do(ctx context.Context, s *Scope) (all Result, err error) {
	files, err := a.filesAmong(func(path string) bool { _, exists, _ := s.current(path); return exists })
	if err == nil && len(files) != len(a.Paths()) {
		err = errUnnamed // a name that only the workspace tells from prose
	}
	if err != nil {
		if _, exists, _ := s.current(a.Path); a.Path != "" && !exists && errors.Is(err, patch.Malformed) {
			return all, s.missing(ctx, a.Path)
		}
		return all, err
	}
	for i, f := range files {
		r, err := s.patch(ctx, f)
		if refusal := (*patch.Refusal)(nil); len(files) > 1 && errors.As(err, &refusal) {
			refusal.Message = f.Path + ": " + refusal.Message
		}
		all.add(r)
		if err != nil {
			return all, s.tellFitting(files, i, err)
		}
	}
	return all, nil
}

// missing is the error for a file to be patched that does not exist.
func (s *Scope) missing(ctx context.Context, path string) error {
	files, _, err := s.List(ctx, "", 0)
	if err != nil {
		return err
	}
	named := Namesakes(files, path)
	if named == "" {
		return fmt.Errorf("%s does not exist, so it cannot be patched: create it with %s", path, WriteFileName)
	}
	return &Quoting{Message: fmt.Sprintf("%s does not exist, so it cannot be patched. Name the file that is meant with its folder, or create this one with %s. Files of that name:", path, WriteFileName), Shown: named}
}

// patch stages the part of a patch for one file.
func (s *Scope) patch(ctx context.Context, part patch.File) (Result, error) {
	f, exists, err := s.current(part.Path)
	switch {
	case err != nil:
		return Result{}, err
	case !exists:
		return Result{}, s.missing(ctx, part.Path)
	}
	part.Op = patch.Modify // also an empty file that the patch believes to be new
	text, report, err := part.Apply(f.Text)
	if err != nil {
		return Result{}, err
	}
	if err := s.sure(f, part, text, report.Hunks); err != nil {
		return Result{}, err
	}
	asWritten := !slices.ContainsFunc(report.Hunks, func(l patch.Landing) bool { return l.Layer != patch.Exact && l.Layer != patch.Unchanged })
	r, err := s.stage(part.Path, f, true, text, !asWritten)
	r.Hunks = report.Hunks
	for _, note := range report.Notes {
		r.Said = r.Said.with(note)
	}
	return r, err
}

// sure refuses a patch that changes lines of which the model was not shown the present
// text, unless every hunk quotes its lines exactly and they are in the file only once:
// who writes from memory finds the right place by luck only. text is what it would make
// of the file.
func (s *Scope) sure(f workspace.File, part patch.File, text string, landed []patch.Landing) error {
	known, _ := s.shown(part.Path)
	line, blind := known.unseen(f.Hash, f.Text, text)
	if !blind {
		return nil
	}
	exact := !slices.ContainsFunc(landed, func(l patch.Landing) bool { return l.Layer != patch.Exact && l.Layer != patch.Unchanged })
	for i := range part.Hunks {
		exact = exact && occurrences(f.Text, part.Hunks[i].Old()) == 1
	}
	if exact {
		return nil
	}
	return s.unseen(fmt.Sprintf("nothing was changed: line %d of %s, where the patch lands, was not shown to you as it is now, and the patch does not quote its place exactly, or the place is not the only one.", line, part.Path), part.Path, f, touched(f.Text, text))
}

// add appends the outcome of the next file.
func (r *Result) add(next Result) {
	if r.Shown == nil {
		next.Hunks = append(r.Hunks, next.Hunks...)
		*r = next
		return
	}
	if r.Said.Mark == "" && next.Said.Mark == "" {
		r.Said.More += next.Said.Text + next.Said.More
	} else {
		r.Said.Text += next.Said.Text
		r.Said.More += next.Said.More
	}
	r.Said.Mark, r.Said.Quote = cmp.Or(r.Said.Mark, next.Said.Mark), r.Said.Quote+next.Said.Quote
	r.Note += ", " + next.Note
	r.Diff += next.Diff
	r.Hunks = append(r.Hunks, next.Hunks...)
	if next.Shown != nil {
		r.Also = append(r.Also, *next.Shown)
	}
}

// errUnnamed says that a patch does not say which file it changes.
var errUnnamed = errors.New("the patch does not name a file that it changes: put its name above its hunks; where it is the only one, path does")

// First is the file that the patch is about, the first of several.
func (a PatchFile) First() string {
	if paths := a.Paths(); a.Path == "" && len(paths) > 0 {
		return paths[0]
	}
	return a.Path
}

// files parses the patch. One for a single file need not name it where Path does; one for several
// names them all. Where Path is given, it is one of them.
func (a PatchFile) files() ([]patch.File, error) {
	files, err := a.filesAmong(nil)
	if err != nil && a.Path == "" { // a line of words may be a name: whether it is, the workspace says
		if spaced, still := a.filesAmong(mayBeName); still == nil {
			return spaced, nil
		}
	}
	return files, err
}

// mayBeName reports whether a line may be the name of a file with blanks in it.
func mayBeName(line string) bool { return spacedName.MatchString(line) }

// spacedName is such a name: words, the last of which has an extension.
var spacedName = lazyregexp.New(`^[^<>|:*?"\\]{1,200}[^<>|:*?"\\. ]\.[A-Za-z][A-Za-z0-9]{0,9}$`)

// filesAmong is files where it is known which names exist.
func (a PatchFile) filesAmong(exists func(path string) bool) ([]patch.File, error) {
	p, err := patch.Parse(a.Patch, exists)
	if err != nil {
		return nil, err
	}
	if len(p.Files) == 1 {
		p.Name(a.Path)
	}
	named := false
	for _, f := range p.Files {
		named = named || f.Path == a.Path
		switch {
		case f.Op == patch.Delete:
			return nil, fmt.Errorf("the patch deletes %s: use %s for that", f.Path, DeleteFileName)
		case f.Op == patch.Rename:
			return nil, fmt.Errorf("the patch renames %s: use %s for that", f.From, RenameFileName)
		case f.Op == patch.Modify && f.Mode != 0:
			return nil, fmt.Errorf("the patch changes the mode of %s: use %s with chmod for that", f.Path, RunCommandName)
		case checkPath(f.Path) != nil:
			return nil, errUnnamed
		}
	}
	if !named && a.Path != "" {
		return nil, fmt.Errorf("path is %s but the patch names %s: make them the same", a.Path, p.Files[0].Path)
	}
	return p.Files, nil
}
