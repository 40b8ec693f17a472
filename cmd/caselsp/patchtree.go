package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"caselsp/agent/action"
	"caselsp/agent/patch"
	"caselsp/agent/workspace"
)

// The statuses of a file in a patch of several, beside those of a text.
const (
	statusHeld  patch.Status = "held_back" // it would apply; another file of the patch was refused
	statusError patch.Status = "error"     // the file cannot be read or written
)

// patchedFile is the result of a patch for one file; --json prints it.
type patchedFile struct {
	Path    string          `json:"path"`
	From    string          `json:"from,omitempty"` // of a rename
	Op      patch.Op        `json:"op"`
	Status  patch.Status    `json:"status"`
	Hunks   []patch.Landing `json:"hunks"`
	Message string          `json:"message,omitempty"`

	done   string // how it is certain that all of the part is there already; "" where it is not
	passed bool   // and it is passed over for that
}

// patchTree applies a patch to files. Everything is computed on an overlay first.
type patchTree struct {
	space   *workspace.Workspace
	overlay *workspace.Overlay
	only    string // the one file to change, whatever name the patch has for it; "" for those that it names
}

// openTree opens the folder, or the folder of a named file. A file that is named
// explicitly is followed through symbolic links, and must lie in the folder.
func openTree(dir, file string) (*patchTree, error) {
	t := &patchTree{}
	if file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		if real, err := filepath.EvalSymlinks(file); err == nil {
			file = real
		}
		if !within(dir, file) {
			return nil, usage(fmt.Errorf("%s lies outside of the folder %s, where a patch changes nothing: name its folder with --dir", file, dir))
		}
		dir, t.only = filepath.Dir(file), filepath.Base(file)
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			return nil, usage(fmt.Errorf("%s is a folder: name a file, or the folder with --dir", file))
		}
	}
	space, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	t.space, t.overlay = space, space.NewOverlay()
	return t, nil
}

// within reports whether a file lies in a folder, wherever links lead. The file
// itself need not exist.
func within(dir, file string) bool {
	real := func(path string) string {
		path, _ = filepath.Abs(path) // fails only without a working folder, and then nothing is within
		if followed, err := filepath.EvalSymlinks(path); err == nil {
			return followed
		}
		return path
	}
	rel, err := filepath.Rel(real(dir), filepath.Join(real(filepath.Dir(file)), filepath.Base(file)))
	return err == nil && filepath.IsLocal(rel)
}

func (t *patchTree) close() {
	t.overlay.Close()
	_ = t.space.Close() // nothing was written through it that is not flushed
}

// apply carries out the patch, or with check only determines its result. ok is true
// when nothing was refused.
func (t *patchTree) apply(ctx context.Context, text string, check bool) (files []patchedFile, ok bool) {
	parts, err := t.parts(text)
	if err != nil {
		var failed patchedFile
		failed.Path = t.only
		return []patchedFile{failed.refuse(err)}, false
	}
	files = make([]patchedFile, len(parts))
	for _, i := range byOrder(parts) {
		files[i] = t.stage(ctx, parts[i])
	}
	ok = passOver(files)
	if !check {
		t.sweep(files)
	}
	if ok && !check {
		if err := workspace.ApplyWhole(ctx, t.space, t.overlay.ChangeSet().Files); err != nil {
			for i := range files {
				files[i] = files[i].refuse(err)
			}
			return files, false
		}
	}
	for i := range files {
		if !ok && files[i].Status == statusApplied {
			files[i].Status = statusHeld
		}
	}
	return files, ok
}

// passOver passes over the files in which the patch is already, where it changes others: a run
// of it was killed in the middle, and this one completes it. It reports whether nothing is refused.
func passOver(files []patchedFile) (ok bool) {
	changes := slices.ContainsFunc(files, func(f patchedFile) bool { return f.Status == statusApplied })
	ok = true
	for i := range files {
		switch f := &files[i]; {
		case f.Status == statusApplied:
		case changes && f.done != "":
			f.Status, f.Message, f.passed = patch.AlreadyApplied, f.done, true
		default:
			ok = false
		}
	}
	return ok
}

// sweep removes what a patch that was killed left beside these files.
func (t *patchTree) sweep(files []patchedFile) {
	for _, f := range files {
		for _, name := range []string{f.Path, f.From} {
			if name != "" {
				_, _ = workspace.Sweep(t.space, name) // the patch says what is wrong with a name
			}
		}
	}
}

// parts reads the patch. With a file named on the command line, it must be for that
// file only.
func (t *patchTree) parts(text string) ([]patch.File, error) {
	p, err := patch.Parse(text, func(path string) bool {
		_, err := t.overlay.Read(path)
		return err == nil || filepath.Ext(path) != "" && !errors.Is(err, fs.ErrNotExist) // one that is no text
	})
	if err != nil {
		return nil, err
	}
	if names := ring(p.Files); names != nil {
		return nil, &patch.Refusal{Status: patch.Malformed, Message: fmt.Sprintf("The patch renames files to each other's names (%s). Rename one of them to another name first, in a patch of its own.", strings.Join(names, " -> "))}
	}
	if t.only == "" {
		for _, f := range p.Files {
			if f.Path == "" {
				return nil, &patch.Refusal{Status: patch.Malformed, Message: "The patch does not name the file. Name it: caselsp patch FILE."}
			}
		}
		return p.Files, nil
	}
	f, left, err := choose(p, t.only)
	switch {
	case err != nil:
		return nil, err
	case left > 0:
		return nil, &patch.Refusal{Status: patch.Malformed, Message: fmt.Sprintf("The patch names %d files. Leave out FILE to change them all.", left+1)}
	case f.Op == patch.Rename:
		return nil, &patch.Refusal{Status: patch.Malformed, Message: fmt.Sprintf("The patch renames %s to %s. Leave out FILE to do that.", f.From, f.Path)}
	}
	f.Path = t.only
	return []patch.File{*f}, nil
}

// renames returns the new names of the files that the parts rename, by the old ones.
func renames(parts []patch.File) map[string]string {
	to := map[string]string{}
	for _, p := range parts {
		if p.Op == patch.Rename {
			to[p.From] = p.Path
		}
	}
	return to
}

// ring returns the names of files that are renamed to each other's names, the first one
// twice; nil where none are.
func ring(parts []patch.File) []string {
	to := renames(parts)
	for _, from := range slices.Sorted(maps.Keys(to)) {
		names := []string{from}
		for next, ok := to[from]; ok && len(names) <= len(to); next, ok = to[next] {
			if names = append(names, next); next == from {
				return names
			}
		}
	}
	return nil
}

// byOrder returns the indices of the parts in the order in which they are carried
// out: parts that free a name come before parts that take one.
func byOrder(parts []patch.File) []int {
	rank := map[patch.Op]int{patch.Rename: 0, patch.Delete: 1, patch.Modify: 2, patch.Create: 3}
	to := renames(parts)
	waits := func(p patch.File) (n int) { // for so many renames, each of which frees a name for the next
		for next, ok := to[p.Path]; ok && p.Op == patch.Rename; next, ok = to[next] {
			n++
		}
		return n
	}
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank[parts[a].Op], rank[parts[b].Op]), cmp.Compare(waits(parts[a]), waits(parts[b])))
	})
	return order
}

// stage carries out the part of one file on the overlay.
func (t *patchTree) stage(ctx context.Context, f patch.File) patchedFile {
	done := patchedFile{Path: f.Path, From: f.From, Op: f.Op, Status: statusApplied, Hunks: []patch.Landing{}}
	origin := f.Path
	if f.Op == patch.Rename {
		origin = f.From
	}
	now, err := t.overlay.Read(origin)
	exists := err == nil
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Op != patch.Create:
		refusal := t.missing(ctx, origin)
		done.done = t.gone(f, refusal)
		return done.refuse(refusal)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return done.refuse(err)
	case exists && f.Op == patch.Create && now.Text == "" && len(f.Hunks) == 0:
		done.done = "It is already there, and empty."
		return done.refuse(&patch.Refusal{Status: patch.AlreadyApplied, Message: origin + " is already there, and empty."})
	}
	bytes := reencode(&f)
	after, report, err := f.Apply(now.Text)
	if errors.Is(err, patch.AlreadyApplied) {
		if _, there := f.Before(now.Text); there && sameMode(f, now) {
			done.done = "All of its hunks are already in the file."
		}
	}
	if err != nil {
		return done.refuse(err)
	}
	done.Hunks, done.Message = append(done.Hunks, report.Hunks...), strings.Join(report.Notes, " ")
	if f.Op != patch.Delete && len(f.Hunks) > 0 {
		if err := action.Parses(f.Path, now.Text, exists, after); err != nil {
			done.Hunks = []patch.Landing{}
			done.Status, done.Message = statusSyntax, err.Error()
			return done
		}
	}
	if err := t.write(f, now, after, bytes); err != nil {
		return done.refuse(err)
	}
	return done
}

// gone says how it is certain that a part was carried out whose file does not exist: it was
// renamed, or deleted and no other file has its name. "" where it is not.
func (t *patchTree) gone(f patch.File, refusal error) string {
	var missing *patch.Refusal
	switch {
	case f.Op == patch.Rename:
		now, err := t.overlay.Read(f.Path)
		if err != nil {
			return ""
		}
		if _, there := f.Before(now.Text); there && sameMode(f, now) {
			return "It is already renamed."
		}
	case f.Op == patch.Delete && errors.As(refusal, &missing) && missing.Shown == "":
		return "It is already deleted."
	}
	return ""
}

// sameMode reports whether a file has the mode that a part asks for.
func sameMode(f patch.File, now workspace.File) bool {
	return f.Mode == 0 || (uint32(now.Mode)^f.Mode)&0o100 == 0
}

// missing refuses a part for a file that does not exist.
func (t *patchTree) missing(ctx context.Context, path string) error {
	files, _, err := t.overlay.List(ctx, "", 0)
	if err != nil {
		return err
	}
	r := &patch.Refusal{Status: patch.NotFound, Shown: action.Namesakes(files, path)}
	const made = "A new file begins with --- /dev/null, *** Add File: or an empty SEARCH."
	if r.Message = path + " does not exist. " + made; r.Shown != "" {
		r.Message = path + " does not exist. Name the file that is meant with its folder. " + made + " Files of that name:"
	}
	return r
}

// write stages the result of a part. bytes is true when the text of a new file is
// not UTF-8.
func (t *patchTree) write(f patch.File, now workspace.File, after string, bytes bool) error {
	if f.Op == patch.Delete {
		_, err := t.overlay.Delete(f.Path)
		return err
	}
	if f.Op == patch.Rename {
		if there, err := t.overlay.Read(f.Path); err == nil && there.Text == after && sameMode(f, there) { // a rename that was killed after its first step
			_, err := t.overlay.Delete(f.From)
			return err
		}
		if _, err := t.overlay.Rename(f.From, f.Path); err != nil {
			return err
		}
	}
	if bytes {
		_, err := t.overlay.WriteBytes(f.Path, []byte(after), fs.FileMode(f.Mode).Perm())
		return err
	}
	if after != now.Text || f.Op == patch.Create {
		if _, err := t.overlay.Write(f.Path, after); err != nil {
			return err
		}
	}
	if f.Mode == 0 {
		return nil
	}
	enc := now.Encoding
	if f.Op == patch.Create {
		enc = workspace.Encoding{Charset: workspace.UTF8}
	}
	data, err := enc.Encode(after)
	if err == nil {
		_, err = t.overlay.WriteBytes(f.Path, data, fs.FileMode(f.Mode).Perm())
	}
	return err
}

// reencode decodes the hunks for a file that is not UTF-8, as the overlay decodes such
// files: git writes their bytes into the patch. The bytes of a new file are kept, and
// bytes is true.
func reencode(f *patch.File) (bytes bool) {
	for i := range f.Hunks {
		lines := slices.Clone(f.Hunks[i].Lines)
		for k, l := range lines {
			if utf8.ValidString(l.Text) {
				continue
			}
			if f.Op == patch.Create {
				return true
			}
			if text, _, err := workspace.Decode([]byte(l.Text)); err == nil {
				lines[k].Text = text
			}
		}
		f.Hunks[i].Lines = lines
	}
	return false
}

// refuse sets the status and the message for an error.
func (p patchedFile) refuse(err error) patchedFile {
	p.Status, p.Message, p.Hunks = statusError, err.Error(), []patch.Landing{}
	var refusal *patch.Refusal
	if errors.As(err, &refusal) {
		p.Status = refusal.Status
	}
	return p
}

// text describes the result for a person.
func (p patchedFile) text(check bool) string {
	name := p.Path
	if p.From != "" {
		name = p.From + " -> " + p.Path
	}
	if name == "" {
		name = "the patch"
	}
	verb := map[patch.Op]string{patch.Create: "created", patch.Delete: "deleted", patch.Rename: "renamed"}[p.Op]
	verb = cmp.Or(verb, "changed")
	var b strings.Builder
	switch {
	case p.Status == statusApplied && check:
		fmt.Fprintf(&b, "%s: would be %s\n", name, verb)
	case p.Status == statusApplied:
		fmt.Fprintf(&b, "%s: %s\n", name, verb)
	case p.passed:
		fmt.Fprintf(&b, "%s: passed over\n", name)
	case p.Status == statusHeld:
		fmt.Fprintf(&b, "%s: could be %s, but all files of a patch are changed or none\n", name, verb)
	default:
		fmt.Fprintf(&b, "%s: refused: %s\n", name, strings.ReplaceAll(string(p.Status), "_", " "))
	}
	for _, h := range p.Hunks {
		if h.Line == 0 {
			fmt.Fprintf(&b, "  %s\n", h.Layer)
		} else {
			fmt.Fprintf(&b, "  line %d: %s, confidence %.2f\n", h.Line, h.Layer, h.Confidence)
		}
	}
	for line := range strings.Lines(p.Message) {
		b.WriteString("  " + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}
