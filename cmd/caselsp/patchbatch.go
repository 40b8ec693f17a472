package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"caselsp/agent/action"
	"caselsp/agent/patch"
)

// maxBatchLine bounds a line of --batch, in bytes. It has room for a 10 MB file and
// its patch with every character escaped.
const maxBatchLine = 64 << 20

// The statuses of a patch beside those of patch.Refusal.
const (
	statusApplied patch.Status = "applied"
	statusSyntax  patch.Status = "syntax" // the file parsed before and would not parse afterwards
)

// batchAnswer is one line of --batch's output.
type batchAnswer struct {
	ID      json.RawMessage `json:"id"`     // as it was given; null if there was none
	Status  patch.Status    `json:"status"` // statusApplied, or why nothing was changed
	After   string          `json:"after"`  // the result; where nothing was changed, the text before; "" of a deleted file
	Hunks   []patch.Landing `json:"hunks"`  // in the order of the patch; none where nothing was changed
	Message string          `json:"message"`
	Micros  int64           `json:"micros"` // time for reading and applying the patch, without JSON and the syntax check
}

// patchBatch answers every line of in with one of out, in their order, at once.
func patchBatch(in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 1<<16)
	w := bufio.NewWriter(out)
	enc := newEncoder(w)
	enc.SetEscapeHTML(false)
	for {
		line, err := readLine(r)
		if len(bytes.TrimSpace(line)) > 0 {
			if err := enc.Encode(answerLine(line)); err != nil {
				return err
			}
		}
		if r.Buffered() == 0 || err != nil {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// readLine reads a line of any length, but keeps only one byte more than the limit.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxBatchLine+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func answerLine(line []byte) batchAnswer {
	a := batchAnswer{ID: json.RawMessage("null"), Hunks: []patch.Landing{}}
	c, err := readCase(line, &a.ID)
	a.After = c.before
	if err != nil {
		a.Status, a.Message = patch.Malformed, "The line cannot be read: "+err.Error()
		return a
	}
	start := time.Now()
	var file *patch.File
	after, report, left := c.before, &patch.Report{}, 0
	p, err := patch.Parse(c.patch, func(name string) bool { return name == c.path })
	if err == nil {
		file, left, err = choose(p, c.path)
	}
	if err == nil {
		if c.path != "" && file.Op != patch.Rename {
			file.Path = c.path
		}
		after, report, err = file.Apply(c.before)
	}
	a.Micros = time.Since(start).Microseconds()
	var refusal *patch.Refusal
	if errors.As(err, &refusal) {
		a.Status, a.Message = refusal.Status, refusal.Error()
		return a
	}
	if err := c.parses(file, after); err != nil {
		a.Status, a.Message = statusSyntax, err.Error()
		return a
	}
	a.Status, a.After, a.Message = statusApplied, after, appliedMessage(file, report, left)
	a.Hunks = append(a.Hunks, report.Hunks...)
	return a
}

// batchCase is one line of --batch's input.
type batchCase struct{ path, before, patch string }

func readCase(line []byte, id *json.RawMessage) (c batchCase, err error) {
	switch {
	case len(line) > maxBatchLine:
		return c, fmt.Errorf("it is longer than %d bytes", maxBatchLine)
	case !utf8.Valid(line):
		return c, errors.New("it is not UTF-8; texts in other encodings are converted first")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return c, fmt.Errorf("it is not a JSON object: %w", err)
	}
	if given, ok := fields["id"]; ok {
		*id = given
	}
	for _, f := range []struct {
		name string
		into *string
	}{{"path", &c.path}, {"before", &c.before}, {"patch", &c.patch}} {
		raw := fields[f.name]
		switch {
		case raw == nil && f.name == "patch":
			return c, errors.New(`it has no "patch"`)
		case raw == nil:
		case json.Unmarshal(raw, f.into) != nil:
			return c, fmt.Errorf("%q is not a string", f.name)
		case loneSurrogate(raw):
			return c, fmt.Errorf("%q contains half of a surrogate pair, which is not a character", f.name)
		}
	}
	return c, nil
}

// loneSurrogate reports whether a JSON string escapes one half of a surrogate pair:
// encoding/json would replace it, and change a line that the patch does not touch.
func loneSurrogate(raw []byte) bool {
	half := func(i int) byte { // 'h', 'l' or 0: which half the escape at i is
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' || raw[i+2]|0x20 != 'd' {
			return 0
		}
		switch c := raw[i+3] | 0x20; {
		case c == '8' || c == '9' || c == 'a' || c == 'b':
			return 'h'
		case c >= 'c':
			return 'l'
		}
		return 0
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		switch half(i) {
		case 'l':
			return true
		case 'h':
			if half(i+6) != 'l' {
				return true
			}
			i += 11
		default:
			i++ // skip the escaped character: it may be a backslash
		}
	}
	return false
}

// choose returns the part of a patch for the file at path, and how many other files
// the patch names. A patch of one file is for path whatever name it uses, because
// models shorten names. In a patch of several files, it is the one with that path.
func choose(p *patch.Patch, path string) (file *patch.File, left int, err error) {
	p.Name(path)
	left = len(p.Files) - 1
	if left == 0 {
		return &p.Files[0], 0, nil
	}
	for _, same := range []func(a string) bool{
		func(a string) bool { return a == path },
		func(a string) bool {
			return a != "" && (strings.HasSuffix(path, "/"+a) || strings.HasSuffix(a, "/"+path))
		},
	} {
		var found []*patch.File
		for i := range p.Files {
			if f := &p.Files[i]; same(f.Path) || f.Op == patch.Rename && same(f.From) {
				found = append(found, f)
			}
		}
		if len(found) == 1 {
			return found[0], left, nil
		}
	}
	return nil, left, &patch.Refusal{Status: patch.Malformed, Message: fmt.Sprintf("The patch names %d files, none of which is certainly %q.", len(p.Files), path)}
}

// parses checks the syntax of the result, in the language of the file's name.
func (c *batchCase) parses(file *patch.File, after string) error {
	if file.Op == patch.Delete {
		return nil
	}
	return action.Parses(file.Path, c.before, c.before != "" || file.Op != patch.Create, after)
}

// appliedMessage says what the resulting text does not show.
func appliedMessage(f *patch.File, report *patch.Report, left int) string {
	says := report.Notes
	switch f.Op {
	case patch.Delete:
		says = append(says, "The patch deletes the file.")
	case patch.Rename:
		says = append(says, fmt.Sprintf("The patch renames %s to %s.", f.From, f.Path))
	}
	if left > 0 {
		says = append(says, fmt.Sprintf("The patch changes other files too: %d.", left))
	}
	return strings.Join(says, " ")
}
