package lsp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/review"
	"caselsp/lsp/wire"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// arguments are those of a command. Editors send what their users can type:
// ["text"], words that belong together, ["{\"task\": ...}"], [{...}], one object
// in the place of the list, or nothing.
type arguments struct {
	words  []string
	fields map[string]json.RawMessage
}

// executeParams are the params of workspace/executeCommand. The library insists
// on a list of arguments.
type executeParams struct {
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments"`
}

// parseArguments reads the arguments of a command.
func parseArguments(raw json.RawMessage) (arguments, error) {
	a := arguments{fields: map[string]json.RawMessage{}}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return a, nil
	}
	list := []json.RawMessage{raw}
	if raw[0] == '[' {
		if err := json.Unmarshal(raw, &list); err != nil {
			return a, fmt.Errorf("the arguments cannot be read: %w", err)
		}
	}
	for _, one := range list {
		if err := a.add(one); err != nil {
			return a, err
		}
	}
	return a, nil
}

// add takes in one argument.
func (a *arguments) add(one json.RawMessage) error {
	one = bytes.TrimSpace(one)
	var text string
	switch {
	case len(one) == 0 || string(one) == "null":
		return nil
	case json.Unmarshal(one, &text) == nil:
		// Helix and Kakoune pass an object as the text that was typed.
		if inner := strings.TrimSpace(text); strings.HasPrefix(inner, "{") && json.Valid([]byte(inner)) {
			return a.add(json.RawMessage(inner))
		}
		a.words = append(a.words, text)
		return nil
	case one[0] == '[':
		inner, err := parseArguments(one)
		a.words = append(a.words, inner.words...)
		for name, value := range inner.fields {
			a.fields[name] = value
		}
		return err
	case one[0] == '{':
		return json.Unmarshal(one, &a.fields)
	}
	a.words = append(a.words, string(one)) // a number, true or false
	return nil
}

// check refuses arguments that are not those of the command whose fields are given.
func (a arguments) check(fields []Field) error {
	for _, name := range slices.Sorted(maps.Keys(a.fields)) {
		raw := a.fields[name]
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			return fmt.Errorf("unknown argument %.80q: the arguments are %s", name, cmp.Or(strings.Join(namesOf(fields), ", "), "none"))
		}
		text, _ := a.field(name)
		composed := raw[0] == '{' || raw[0] == '['
		switch {
		case string(raw) == "null":
		case fields[i].kind == flag:
			if text != "true" && text != "false" {
				return fmt.Errorf("%s must be true or false", name)
			}
		case composed != (fields[i].kind == object):
			return fmt.Errorf("%s has the wrong type (%.40s)", name, raw)
		case !composed && len(text) > maxText:
			return fmt.Errorf("%s has %d bytes; at most %d are taken", name, len(text), maxText)
		}
	}
	return nil
}

// maxText is the longest text of an argument in bytes: far above what
// the commands take, which check it again more narrowly.
const maxText = 1 << 20

// text returns a field, or all the words where there is no such field.
func (a arguments) text(name string) string {
	if value, ok := a.field(name); ok {
		return value
	}
	return strings.TrimSpace(strings.Join(a.words, " "))
}

// field returns a field as text.
func (a arguments) field(name string) (string, bool) {
	raw, ok := a.fields[name]
	if !ok || string(raw) == "null" {
		return "", false
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	return string(raw), true
}

// flag returns a field that is true or false.
func (a arguments) flag(name string) bool {
	value, _ := a.field(name)
	return value == "true"
}

// flagOr is flag, with what holds where it is not given.
func (a arguments) flagOr(name string, otherwise bool) bool {
	if _, given := a.field(name); given {
		return a.flag(name)
	}
	return otherwise
}

// uri returns the field uri.
func (a arguments) uri() (uri.URI, bool) {
	value, ok := a.field("uri")
	return uri.URI(value), ok && value != ""
}

// rangeOf returns the field range; false if it is missing or cannot be read.
func (a arguments) rangeOf() (protocol.Range, bool) {
	var r protocol.Range
	raw, ok := a.fields["range"]
	return r, ok && string(raw) != "null" && wire.Decode(raw, &r) == nil
}

// selection reads which hunks are meant: {task, file, hunk}, or the same as words
// in any order. Hunks count from 1, as people and the review document do.
func (a arguments) selection() (task string, sel review.Selection, err error) {
	task, _ = a.field("task")
	sel.Hunk = review.AllHunks
	sel.File, _ = a.field("file")
	sel.Kept, _ = a.field("kept")
	number, named := a.field("hunk")
	for _, w := range a.words {
		switch _, err := strconv.Atoi(w); {
		case err == nil && !named:
			number, named = w, true
		case task == "" && isTaskID(w):
			task = w
		case sel.File == "":
			sel.File = w
		default:
			return "", sel, fmt.Errorf("%q is one word too many: give {\"task\": …, \"file\": …, \"hunk\": …}", w)
		}
	}
	if !named || number == "" {
		return task, sel, nil
	}
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < 1:
		return "", sel, fmt.Errorf("%q is not a hunk number: hunks count from 1", number)
	case sel.File == "":
		return "", sel, fmt.Errorf("hunk %d of which file? Give {\"file\": …, \"hunk\": %d}", n, n)
	}
	sel.Hunk = n - 1
	return task, sel, nil
}

// isTaskID reports whether a word looks like a task's id, as the agent makes them.
func isTaskID(word string) bool {
	day, rest, _ := strings.Cut(word, "-")
	_, err := strconv.Atoi(day)
	return err == nil && len(day) == 8 && strings.Count(rest, "-") == 1
}
