// Package syntax tells what a text is made of, whatever the language: its
// syntax errors, its tree, its outline and its comments.
//
// It hides which parser does what: tree-sitter gives the trees of all
// languages, but its grammars forgive too much and say too little to judge a
// text by. Errors come from parsers that are as exact as the languages' own:
// esbuild's (JavaScript, TypeScript, CSS), go/parser, encoding/json, a
// recogniser of Python's grammar, and the HTML standard's tokenizer with a
// check of its own for what is open and what is closed around template tags.
//
// It never fails, does no input or output, and never panics, whatever the
// bytes. Where it cannot be sure that a text is wrong, it is silent: a good
// file that is called broken costs an agent its work, a missed mistake is
// found by the test run.
package syntax

import (
	"sort"
	"strings"
	"sync"
)

// MaxBytes is the size above which a text is not parsed: its Tree has no
// errors, no outline and no nodes. Source that people write is far below;
// what is above is generated, and would block an editor for seconds.
const MaxBytes = 4 << 20

// maxErrors bounds the errors of one text. A text with more needs only the first ones.
const maxErrors = 100

// Position is a place in a text. Lines end where the Language Server Protocol
// says that they end: at \n, \r\n and \r.
type Position struct {
	Line   int `json:"line"`   // 0-based
	Byte   int `json:"byte"`   // 0-based, in bytes of the line
	Offset int `json:"offset"` // 0-based, in bytes of the text
}

// Error is a mistake in a text's syntax. Message says what is wrong and, where
// that is certain, what to write.
type Error struct {
	Message    string
	Start, End Position // Start <= End; equal where something is missing
}

// Tree is a parsed text. It is safe for concurrent use, holds no memory
// outside Go's heap, and does each part of the work when it is first asked for.
type Tree struct {
	lang  Language
	text  string
	lines func() lineIndex

	errors func() []Error
	nodes  func() *nodes
	tags   func() *page // its template tags and what is masked; the rest is for page alone
	page   func() *page
}

// Parse parses text as lang. Of an [Unknown] language, and of a text above
// [MaxBytes], it returns a tree that is empty and without errors.
func Parse(lang Language, text string) *Tree {
	t := &Tree{lang: lang, text: text}
	t.lines = sync.OnceValue(func() lineIndex { return indexLines(text) })
	if len(text) > MaxBytes {
		t.lang = Unknown
	}
	t.nodes = sync.OnceValue(t.grow)
	t.tags = sync.OnceValue(func() *page { return readTags(t.body()) })
	t.page = sync.OnceValue(func() *page { return t.tags().read() })
	t.errors = sync.OnceValue(func() []Error { return t.ordered(t.check()) })
	return t
}

// Language returns the language that the text was parsed as; [Unknown] where it was not.
func (t *Tree) Language() Language { return t.lang }

// Text returns the text that was parsed.
func (t *Tree) Text() string { return t.text }

// Errors returns the text's syntax errors in the order of their places, at
// most 100. The slice is shared: do not change it.
func (t *Tree) Errors() []Error { return t.errors() }

// OK reports whether the text has no syntax errors.
func (t *Tree) OK() bool { return len(t.errors()) == 0 }

// Position returns the place of a byte offset, which is clamped to the text.
func (t *Tree) Position(offset int) Position { return t.lines().position(offset) }

// fault is an error with offsets into the body (see Tree.body).
type fault struct {
	message    string
	start, end int
}

// bom is the byte-order mark that some editors begin UTF-8 files with.
const bom = "\ufeff"

// body is the text that the parsers see: without its byte-order mark, which
// is no part of any language.
func (t *Tree) body() string { return strings.TrimPrefix(t.text, bom) }

// at turns an offset into the body into a position.
func (t *Tree) at(offset int) Position {
	return t.lines().position(offset + len(t.text) - len(t.body()))
}

func (t *Tree) check() []fault {
	switch t.lang {
	case Python:
		return pythonFaults(t.body())
	case JavaScript, TypeScript, TSX:
		return t.scriptFaults()
	case CSS:
		return t.styleFaults()
	case Go:
		return goFaults(t.body())
	case JSON, JSONC:
		return jsonFaults(t.body(), t.lang == JSONC)
	case HTML:
		return t.page().faults()
	}
	return nil
}

// ordered turns faults into errors. What is missing at the end of the text is
// shown where its last line ends, not below it.
func (t *Tree) ordered(faults []fault) []Error {
	last := len(strings.TrimRight(t.body(), " \t\r\n\f"))
	for i, f := range faults {
		if f.start >= last {
			faults[i].start, faults[i].end = last, last
		}
	}
	sort.SliceStable(faults, func(i, j int) bool { return faults[i].start < faults[j].start })
	if len(faults) > maxErrors {
		faults = faults[:maxErrors]
	}
	var errs []Error
	for _, f := range faults {
		e := Error{f.message, t.at(f.start), t.at(f.end)}
		if e.End.Offset < e.Start.Offset {
			e.End = e.Start
		}
		errs = append(errs, e)
	}
	return errs
}

// lineIndex holds the offset of each line's first byte, and the text's length.
type lineIndex struct {
	starts []int
	length int
}

func indexLines(text string) lineIndex {
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return lineIndex{starts, len(text)}
}

func (x lineIndex) position(offset int) Position {
	offset = min(max(offset, 0), x.length)
	line := sort.SearchInts(x.starts, offset+1) - 1
	return Position{line, offset - x.starts[line], offset}
}
