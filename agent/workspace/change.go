package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
)

// contextLines is how many unchanged lines a unified diff shows around a change:
// what every diff program does.
const contextLines = 3

// ChangeSet is what an overlay would change, sorted by path: what the user
// reviews.
type ChangeSet struct {
	Files []Change `json:"files"`
}

// Change is what would happen to one file. A file whose content cannot be shown
// as changed lines is Binary: it is no text, or the change is of its encoding. A
// change without hunks (binary, of an empty file, of the mode, a plain rename) is
// one decision: that on hunk 0.
type Change struct {
	Op     Op       `json:"op"`
	Path   string   `json:"path"`
	From   string   `json:"from,omitempty"`
	Before *Content `json:"before"` // nil: did not exist
	After  *Content `json:"after"`  // nil: deleted
	Binary bool     `json:"binary,omitempty"`
	Hunks  []Hunk   `json:"hunks,omitempty"`
}

// Hunk is a change of lines: Old at line OldLine of the text before became New at
// line NewLine of the text after; where Old is empty, New goes before that line.
// Lines count from 1 and end with "\n"; a lone "\r" ends none. Changes whose
// context would meet in a unified diff are one hunk, with the unchanged lines
// between them in Old and New: hunk i is the i-th "@@" of the diff.
type Hunk struct {
	OldLine int      `json:"old_line"`
	NewLine int      `json:"new_line"`
	Old     []string `json:"old,omitempty"` // lines with their endings
	New     []string `json:"new,omitempty"`
}

// ChangeSet returns what is staged as changes of what the user sees now.
func (o *Overlay) ChangeSet() ChangeSet {
	_ = o.Refresh(context.Background()) // a file that cannot be read is shown as it was staged; applying it says why
	var set ChangeSet
	for _, s := range o.State().Files {
		set.Files = append(set.Files, changeOf(s.Path, s.From, s.Base, s.Now))
	}
	return set
}

func changeOf(path, from string, before, after *Content) Change {
	c := Change{Op: opOf(before, after), Path: path, From: from, Before: before, After: after}
	if from != "" {
		c.Op = Rename
	}
	old, oldEnc, errOld := before.decode(path)
	text, newEnc, errNew := after.decode(path)
	changed := before != nil && after != nil && before.Hash != after.Hash
	switch {
	case errOld != nil || errNew != nil:
		c.Binary = true
	case changed && (old == text || reencoded(old, oldEnc, text, newEnc)):
		c.Binary = true
	default:
		c.Hunks = hunksOf(splitLines(old), splitLines(text))
	}
	return c
}

// reencoded reports whether two texts that are not empty are kept differently.
func reencoded(old string, oldEnc Encoding, text string, newEnc Encoding) bool {
	if old == "" || text == "" || oldEnc == newEnc {
		return false
	}
	ascii := Encoding{Charset: UTF8}
	return !(oldEnc == ascii && newEnc.Charset == Latin1 && !oldEnc.evident(old)) &&
		!(newEnc == ascii && oldEnc.Charset == Latin1 && !newEnc.evident(text))
}

func hunksOf(a, b []string) []Hunk {
	var joined []span
	for _, s := range diffLines(a, b) {
		if n := len(joined); n > 0 && s.lo-joined[n-1].hi <= 2*contextLines {
			joined[n-1].hi, joined[n-1].newHi = s.hi, s.newHi
		} else {
			joined = append(joined, s)
		}
	}
	var hunks []Hunk
	for _, s := range joined {
		hunks = append(hunks, Hunk{s.lo + 1, s.newLo + 1, a[s.lo:s.hi], b[s.newLo:s.newHi]})
	}
	return hunks
}

// Select returns the text before with only the accepted hunks carried out. All
// of them give the text after, none the text before. Of a binary change it
// returns the bytes of one or the other.
func (c Change) Select(accepted func(hunk int) bool) string {
	if c.Binary {
		chosen := c.Before
		if accepted(0) {
			chosen = c.After
		}
		if chosen == nil {
			return ""
		}
		return string(chosen.Data)
	}
	before, _ := c.Before.Text()
	lines := splitLines(before)
	var out strings.Builder
	at := 0
	for i, h := range c.Hunks {
		if !accepted(i) {
			continue
		}
		from := h.OldLine - 1
		out.WriteString(strings.Join(lines[at:from], ""))
		out.WriteString(strings.Join(h.New, ""))
		at = from + len(h.Old)
	}
	out.WriteString(strings.Join(lines[at:], ""))
	return out.String()
}

// Accept returns what the file becomes when only the accepted hunks are carried
// out: Select in the file's encoding. Nil means that there is no file: a creation
// of which nothing, or a deletion of which everything was accepted. The error is
// an *Unencodable.
func (c Change) Accept(accepted func(hunk int) bool) (*Content, error) {
	all, none := true, true
	for i := range max(1, len(c.Hunks)) {
		if accepted(i) {
			none = false
		} else {
			all = false
		}
	}
	switch {
	case all:
		return c.After, nil
	case none:
		return c.Before, nil
	}
	kept := c.Before
	if kept == nil {
		kept = c.After
	}
	_, enc, _ := kept.decode(c.Path)
	if after, found, err := c.After.decode(c.Path); err == nil && found.evident(after) && c.After != nil {
		enc = found // the same, or the first that can hold what the hunks bring
	}
	data, err := enc.encodeExact(c.Select(accepted))
	if err != nil {
		err.(*Unencodable).Path = c.Path
		return nil, err
	}
	return NewContent(data, kept.Mode), nil
}

// Unified returns the change as a unified diff in git's form, which git and patch
// apply. What is kept in another encoding than UTF-8 is shown in UTF-8.
func (c Change) Unified() string {
	var out strings.Builder
	old := c.Path
	if c.From != "" {
		old = c.From
	}
	oldName, newName := diffName("a/"+old), diffName("b/"+c.Path)
	fmt.Fprintf(&out, "diff --git %s %s\n", oldName, newName)
	switch {
	case c.Before == nil && c.After != nil:
		fmt.Fprintf(&out, "new file mode %s\n", gitMode(c.After.Mode))
		oldName = "/dev/null"
	case c.After == nil && c.Before != nil:
		fmt.Fprintf(&out, "deleted file mode %s\n", gitMode(c.Before.Mode))
		newName = "/dev/null"
	case c.After != nil && executable(c.Before.Mode) != executable(c.After.Mode):
		fmt.Fprintf(&out, "old mode %s\nnew mode %s\n", gitMode(c.Before.Mode), gitMode(c.After.Mode))
	}
	if c.From != "" {
		fmt.Fprintf(&out, "rename from %s\nrename to %s\n", diffName(c.From), diffName(c.Path))
	}
	switch {
	case c.Binary && (c.Before == nil || c.After == nil || c.Before.Hash != c.After.Hash):
		fmt.Fprintf(&out, "Binary files %s and %s differ\n", oldName, newName)
	case len(c.Hunks) > 0:
		fmt.Fprintf(&out, "--- %s\n+++ %s\n", endName(oldName), endName(newName))
	}
	before, _ := c.Before.Text()
	lines := splitLines(before)
	for _, h := range c.Hunks {
		h.write(&out, lines)
	}
	return out.String()
}

// TextDiff returns how one text of a file became another, as a unified diff.
func TextDiff(path, before, after string) string {
	return changeOf(path, "", NewContent([]byte(before), newFileMode), NewContent([]byte(after), newFileMode)).Unified()
}

// write appends the hunk with its context from the lines before.
func (h Hunk) write(out *strings.Builder, before []string) {
	lo := h.OldLine - 1
	hi := lo + len(h.Old)
	lead := before[max(0, lo-contextLines):lo]
	trail := before[hi:min(len(before), hi+contextLines)]
	around := len(lead) + len(trail)
	fmt.Fprintf(out, "@@ -%s +%s @@\n", hunkRange(h.OldLine-len(lead), len(h.Old)+around), hunkRange(h.NewLine-len(lead), len(h.New)+around))
	writeLines(out, ' ', lead)
	at := 0
	for _, s := range diffLines(h.Old, h.New) {
		writeLines(out, ' ', h.Old[at:s.lo])
		writeLines(out, '-', h.Old[s.lo:s.hi])
		writeLines(out, '+', h.New[s.newLo:s.newHi])
		at = s.hi
	}
	writeLines(out, ' ', h.Old[at:])
	writeLines(out, ' ', trail)
}

// hunkRange names a range of lines as diffs do: one of no lines by the line
// before it.
func hunkRange(line, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", line-1)
	case 1:
		return fmt.Sprint(line)
	}
	return fmt.Sprintf("%d,%d", line, n)
}

func writeLines(out *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		out.WriteByte(mark)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// diffName quotes a name that would end early; no path holds a control character
// or a backslash.
func diffName(name string) string {
	if strings.Contains(name, `"`) {
		return `"` + strings.ReplaceAll(name, `"`, `\"`) + `"`
	}
	return name
}

// endName marks where a name with blanks ends, as git does for patch.
func endName(name string) string {
	if strings.Contains(name, " ") && name[0] != '"' {
		return name + "\t"
	}
	return name
}

func gitMode(mode fs.FileMode) string {
	if executable(mode) {
		return "100755"
	}
	return "100644"
}
