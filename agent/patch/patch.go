// Package patch turns the text of an edit, as a language model writes it, into
// edits of a file's text, or says precisely why it does not.
//
// It hides how edits are written (unified diffs, SEARCH/REPLACE blocks, patches of
// the *** Begin Patch format, told apart by themselves), how the place of a hunk is
// found and proven, and how new lines are fitted to the file. It never guesses between two places, never
// applies a part of what was asked for, never writes a line that the edit did
// not change, and never does I/O: texts come in and go out as strings.
//
// An edit is written in an envelope, which is a grammar of its own:
//
//	text    = { wrapping } patch             quoting, indentation, JSON (envelope.go)
//	patch   = { prose | fence | file }       no line with a sign is a fence (body.go)
//	file    = name { hunk }                  unified.go, searchreplace.go, codex.go
//	hunk    = [ header ] { line } [ prose ]  body.go
//	line    = sign text                      numbers, entities, parts (readings.go)
//
// Each wrapping, and each reading of lines, counts only where what is in it is a
// patch, or in the file, and the text as it is written is not. What is left over is
// refused or named in a note, and never dropped in silence.
//
// The way through it: [Parse] reads the text into hunks. [File.Apply] looks where the
// old lines of each hunk are in the file, in layers from strict to lax, line by
// line (match.go); where they stand nowhere it tries other readings of them, then
// aligns them with the file (align.go, similar.go) and asks what the alignment
// proves (prove.go). Then it settles on one place by lines, numbers, sections and
// the order of hunks (settle.go), or refuses and says what would help (explain.go).
// Hunks that need what earlier ones write come after them (order.go). New lines are
// given the form of the file where the hunk has another (refit.go), and only lines
// that change are written (package content). The thresholds are in thresholds.go.
package patch

import (
	_ "embed"
	"slices"
	"strings"
)

// Patch is what one text of edits asks for.
type Patch struct {
	Files []File

	seen []string // what it was wrapped in
	open bool     // it ends within a fence and within an edit
	// short: its last hunk has fewer lines than are counted, or its end marker is missing.
	// That is certain where the text does not even end its last line.
	short bool
}

// Op says what happens to a file.
type Op string

// The operations on files.
const (
	Modify Op = "modify"
	Create Op = "create" // the file is new, or is empty
	Delete Op = "delete"
	Rename Op = "rename" // From becomes Path; hunks, if any, apply to the content of From
)

// File is the part of a patch that concerns one file.
type File struct {
	Op    Op
	Path  string // as written, without the prefixes a/ and b/; "" when the patch names no file; not checked in any way
	From  string // of a Rename: the old path
	Mode  uint32 // the permission bits and type the patch asks for, as git writes them (0o100755); 0 when it does not say
	Hunks []Hunk

	seen  []string // what the patch was wrapped in
	notes []string // about what was passed over when it was read
}

// Kind says what a line of a hunk is.
type Kind byte

// The kinds of lines, as a unified diff marks them.
const (
	Context Kind = ' '
	Removed Kind = '-'
	Added   Kind = '+'
)

// Line is one line of a hunk, without its line ending.
type Line struct {
	Kind Kind
	Text string
}

// Hunk is one change at one place of a file.
type Hunk struct {
	Line    int    // the line of the file, from 1, where the hunk says that it begins; 0: it does not say
	Section string // what stood after the second @@, usually the enclosing function
	// Anchors are lines, trimmed, that stand before the hunk in the file, in this
	// order and not next to each other: "@@ class A", "@@ def m". The last may be
	// the hunk's own first line.
	Anchors []string
	AtEnd   bool // the hunk's last line is the last of the file
	Lines   []Line
	// OldOpen and NewOpen: the last old, or new, line was marked as having no
	// newline because the file ends there.
	OldOpen, NewOpen bool

	unsigned []int    // which of the lines were written without a sign, not even that of context
	cutOff   bool     // it ends with a change, or nearly, and the patch has no end marker
	tail     []string // the lines without a sign directly behind the last
	block    *halves  // of a SEARCH/REPLACE block
	above    []mention
	marks    []int // the lines that "\\ No newline at end of file" stood below
}

// Old returns the lines that the hunk expects in the file.
func (h *Hunk) Old() []string { return h.texts(Context, Removed) }

// New returns the lines that are to be there afterwards.
func (h *Hunk) New() []string { return h.texts(Context, Added) }

func (h *Hunk) added() []string { return h.texts(Added) }

func (h *Hunk) texts(kinds ...Kind) []string {
	lines := make([]string, 0, len(h.Lines))
	for _, l := range h.Lines {
		if slices.Contains(kinds, l.Kind) {
			lines = append(lines, l.Text)
		}
	}
	return lines
}

// changes reports whether the hunk changes anything.
func (h *Hunk) changes() bool { return h.trailing() < len(h.Lines) || h.OldOpen != h.NewOpen }

// trailing counts the context lines after the last change.
func (h *Hunk) trailing() int {
	n := 0
	for n < len(h.Lines) && h.Lines[len(h.Lines)-1-n].Kind == Context {
		n++
	}
	return n
}

// Report says where the hunks of a file landed, in the order of the patch.
type Report struct {
	Hunks []Landing
	Notes []string // sentences for the model: which hunks were passed over and why, and what was read otherwise than it is written
}

// Landing is the place of one hunk.
type Landing struct {
	Line       int     `json:"line"`           // from 1, in the result: where the hunk's first line is, context included
	Layer      string  `json:"layer"`          // the layer that found the place, or Unchanged
	Confidence float64 `json:"confidence"`     // 0 to 1; 1: the hunk is as the file, and no other place fits
	Margin     float64 `json:"margin"`         // 0 to 1: how much less fits the next best place, as a share of what the old lines say
	Path       string  `json:"path,omitempty"` // of the file, as the patch names it
}

// The layers that a Landing names.
const (
	Exact       = "exact"       // every old line is in the file as written, but for its line ending
	Whitespace  = "whitespace"  // but for white space at line ends
	Indentation = "indentation" // but for the indentation; new lines are indented as the file is
	Elided      = "context"     // some lines of context are missing, in the file or in the hunk
	Similarity  = "similarity"  // some old lines are misquoted
	Unchanged   = "unchanged"   // the hunk has only context: there was nothing to place
)

// Layers returns the names of the layers that place hunks, strictest first.
func Layers() []string { return []string{Exact, Whitespace, Indentation, Elided, Similarity} }

// Reference is the reference of the patch engine as Markdown, for `caselsp help`.
//
//go:embed README.md
var Reference string

var (
	//go:embed unified.md
	unifiedText string
	//go:embed searchreplace.md
	searchReplaceText string
	//go:embed codex.md
	codexText string
	//go:embed files.md
	filesText string
	//go:embed teach.md
	teachText string
)

// Teach returns what a model needs to be told to write one of the two formats
// that caselsp asks for, in as few words as it can be: it is sent with every request.
func Teach() string { return teachText }

// Lessons returns the same at length, with files that are made, deleted or renamed, and the
// *** Begin Patch format, which some models were trained on.
func Lessons() string {
	return strings.Join([]string{unifiedText, searchReplaceText, filesText, codexText}, "\n")
}
