package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// document is one version of a text that is open in the editor. It never
// changes: a change of the text makes another.
type document struct {
	URI      uri.URI
	Language string
	Version  int32 // the client's own number
	Text     string

	// Broken says why the text may not be the editor's any more; "" while all is
	// well. A broken document must not be the base of an edit.
	Broken string

	starts []int
}

// newDocument returns a document; its strings are its own.
func newDocument(u uri.URI, language string, version int32, text string) *document {
	return &document{URI: u, Language: language, Version: version, Text: text, starts: lineStarts(text)}
}

// mapper returns the mapper of the document's text.
func (d *document) mapper(e encoding) mapper { return mapper{d.Text, d.starts, e} }

// file returns the path of the document; false for one that is not a file.
func (d *document) file() (string, bool) { return fileOf(d.URI) }

// change is one content change of a didChange notification.
type change struct {
	Range *struct{ Start, End place } `json:"range"` // nil: the whole text
	Text  *string                     `json:"text"`
}

// place is a position as it came: in 64 bits, so that a negative or an enormous
// number can be told from a good one. The protocol package refuses such a range
// and then takes the change for one of the whole text, which would lose the file.
type place struct {
	Line      int64 `json:"line"`
	Character int64 `json:"character"`
}

// changes are the params of a didChange notification, up to the changes.
type changes struct {
	TextDocument struct {
		URI     uri.URI `json:"uri"`
		Version *int32  `json:"version"` // some clients send null
	} `json:"textDocument"`
	ContentChanges json.RawMessage `json:"contentChanges"`
}

// whole returns the text of the last change that replaces everything, and the
// changes after it.
func whole(list []change) (text *string, after []change) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Range == nil {
			return list[i].Text, list[i+1:]
		}
	}
	return nil, list
}

// changed returns the document after the changes. One that makes no sense
// leaves the text as it was before the notification, and the document broken:
// nothing that follows can be believed until the whole text comes again.
func (d *document) changed(version int32, raw []byte, e encoding) *document {
	next := *d
	next.Version = version
	var list []change
	if err := json.Unmarshal(raw, &list); err != nil {
		next.Broken = "a change could not be read: " + err.Error()
		return &next
	}
	text, list := whole(list)
	if text != nil {
		next.Broken, next.Text, next.starts = "", *text, lineStarts(*text)
	}
	if next.Broken != "" || len(list) == 0 {
		return &next
	}
	ed := editing{[]byte(next.Text), slices.Clone(next.starts)}
	for _, c := range list {
		if err := ed.apply(c, e); err != nil {
			next.Broken = err.Error()
			return &next
		}
	}
	next.Text, next.starts = string(ed.text), ed.starts
	return &next
}

// editing is a text while a notification's changes are applied to it, in place:
// an editor that replaces ten thousand words sends ten thousand changes at once.
type editing struct {
	text   []byte
	starts []int
}

// apply carries out one change. The end of its range may lie anywhere, as
// editors say "to the end" with enormous numbers; its beginning may not: an
// edit that begins behind the text was made on another one.
func (ed *editing) apply(c change, e encoding) error {
	if c.Text == nil {
		return errors.New("a change has no text")
	}
	start, end := c.Range.Start, c.Range.End
	switch {
	case start.Line < 0 || start.Character < 0 || end.Line < 0 || end.Character < 0:
		return fmt.Errorf("a change at a negative position, %d:%d to %d:%d", start.Line, start.Character, end.Line, end.Character)
	case start.Line > int64(len(ed.starts)):
		return fmt.Errorf("a change begins in line %d of a text of %d lines", start.Line+1, len(ed.starts))
	case end.Line < start.Line || end.Line == start.Line && end.Character < start.Character:
		return fmt.Errorf("a change ends at %d:%d, before it begins at %d:%d", end.Line, end.Character, start.Line, start.Character)
	}
	ed.splice(offsetOf(ed.text, ed.starts, start.position(), e), offsetOf(ed.text, ed.starts, end.position(), e), *c.Text)
	return nil
}

// position returns p with what does not fit cut to what means "the end".
func (p place) position() protocol.Position {
	const end = 1<<32 - 1
	return protocol.Position{Line: uint32(min(p.Line, end)), Character: uint32(min(p.Character, end))}
}

// splice replaces the bytes from start to end and keeps the line starts right:
// those before start stay, those behind end move, those between are found anew,
// with both seams, where a \r and a \n may have come together or parted.
func (ed *editing) splice(start, end int, with string) {
	ed.text = slices.Replace(ed.text, start, end, []byte(with)...)
	from, _ := slices.BinarySearch(ed.starts, start)
	to, _ := slices.BinarySearch(ed.starts, end+1)
	delta := len(with) - (end - start)
	for i := to; i < len(ed.starts); i++ {
		ed.starts[i] += delta
	}
	var found []int
	for i := start; i <= start+len(with); i++ {
		if startsLine(ed.text, i) {
			found = append(found, i)
		}
	}
	ed.starts = slices.Replace(ed.starts, from, to, found...)
}
