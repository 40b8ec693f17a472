package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"caselsp/agent/llm"
	"caselsp/store/lazyregexp"
)

// action is a tool call found in a text.
type action struct {
	name string
	args string // a JSON object
	rest string // what the reply said beside it
}

// maxObjects bounds how many places of a reply are looked at; more make a
// listing of code, and looking at each costs time quadratic in its length.
const maxObjects = 200

// Parse finds the one JSON action in a reply: an object that names one of
// tools under "action", "tool" or "name", with its arguments under "args",
// "arguments" or "parameters", or next to the name. Fences and prose around it
// do not matter, and JSON is repaired where that is certain (see mend).
//
// It returns the call and true; nil and false when the reply holds no such
// object; and an error, in words for the model, when there is one that cannot
// be read, when there are several, or when there is no such tool.
func Parse(content string, tools []llm.Tool) ([]llm.ToolCall, bool, error) {
	a, ok, err := find(content, tools)
	if err != nil || !ok {
		return nil, false, err
	}
	return []llm.ToolCall{{Name: a.name, Arguments: a.args}}, true, nil
}

// find is Parse with what stood around the action.
func find(content string, tools []llm.Tool) (action, bool, error) {
	s := search{text: withoutThoughts(content), tools: tools}
	if err := s.run(); err != nil {
		return action{}, false, err
	}
	switch {
	case len(s.found) == 1:
		a := s.found[0]
		if a.rest == "" {
			a.rest = around(s.text, s.start, s.end)
		}
		return a, true, nil
	case len(s.found) > 1:
		names := make([]string, len(s.found))
		for i, a := range s.found {
			names[i] = a.name
		}
		return action{}, false, fmt.Errorf("the reply holds %d different actions (%s). Reply with the next one alone",
			len(names), strings.Join(names, ", "))
	case s.unknown != "":
		return action{}, false, fmt.Errorf("there is no action %q. Choose one of: %s", s.unknown, nameList(tools))
	}
	return action{}, false, nil
}

// search is one pass over a reply.
type search struct {
	text  string
	tools []llm.Tool

	found      []action // different ones
	start, end int      // of the first one's object
	unknown    string   // the name in an object that looks like an action of another set
}

func (s *search) run() error {
	looked := 0
	for at := 0; at < len(s.text); {
		i := strings.IndexByte(s.text[at:], '{')
		if i < 0 {
			return nil
		}
		start := at + i
		at = start + 1
		if !opening.MatchString(s.text[start:min(start+maxOpening, len(s.text))]) {
			continue
		}
		if looked++; looked > maxObjects {
			return fmt.Errorf("the reply holds more than %d pieces in braces. Reply with one JSON action and nothing else", maxObjects)
		}
		size, closed := extent(s.text[start:])
		object := s.text[start : start+size]
		if !json.Valid([]byte(object)) {
			if !s.mentions(object) {
				if closed {
					at = start + size
				}
				continue
			}
			// An object inside of this one may look like an action and be, say,
			// the content of a file: what cannot be read whole is not entered.
			var err error
			if object, err = mend(object); err != nil {
				return fmt.Errorf("the JSON of the action is not valid: %w. Reply with one valid JSON object: "+
					`newlines in strings are written \n, quotes \", backslashes \\`, err)
			}
		}
		s.take(object, start, start+size)
		at = start + size
	}
	return nil
}

// opening is how a JSON object begins, or one with single or no quotes.
var opening = lazyregexp.New(`^\{\s*(["']|[A-Za-z_]\w*\s*:|\}|$)`)

// maxOpening is as far as opening is looked for.
const maxOpening = 200

func (s *search) mentions(text string) bool {
	text = strings.ToLower(text)
	for _, t := range s.tools {
		if strings.Contains(text, strings.ToLower(t.Name)) {
			return true
		}
	}
	return false
}

func (s *search) take(object string, start, end int) {
	for _, a := range s.actions(json.RawMessage(object), maxWrapping) {
		same := false
		for _, b := range s.found {
			same = same || a.name == b.name && sameJSON(a.args, b.args)
		}
		if same {
			continue
		}
		if len(s.found) == 0 {
			s.start, s.end = start, end
		}
		s.found = append(s.found, a)
	}
}

var (
	nameKeys    = []string{"action", "tool", "name", "tool_name", "function"}
	argsKeys    = []string{"args", "arguments", "parameters", "input", "action_input"}
	wrapperKeys = []string{"action", "tool", "function", "tool_call", "tool_calls", "actions"}
	thoughtKeys = []string{"thought", "thoughts", "reasoning"}
)

// maxWrapping is how deep an action may be packed: {"tool_calls": [{"function": {…}}]}.
const maxWrapping = 4

// actions returns the actions that an object is or packs.
func (s *search) actions(raw json.RawMessage, depth int) []action {
	var list []json.RawMessage
	if depth == 0 {
		return nil
	}
	if json.Unmarshal(raw, &list) == nil {
		var all []action
		for _, item := range list {
			all = append(all, s.actions(item, depth-1)...)
		}
		return all
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	for _, key := range nameKeys {
		var name string
		if json.Unmarshal(o[key], &name) != nil || name == "" {
			continue
		}
		if t := s.tool(name); t != nil {
			return []action{arguments(o, key, *t)}
		}
		if s.unknown == "" && (key == "action" || key == "tool" || argsKey(o, nil) != "") {
			s.unknown = name
		}
	}
	for _, key := range wrapperKeys {
		if packed := s.actions(o[key], depth-1); len(packed) > 0 {
			return packed
		}
	}
	return nil
}

// tool returns the tool of a name, in any case of letters where that is one.
func (s *search) tool(name string) *llm.Tool {
	var match *llm.Tool
	for i, t := range s.tools {
		if t.Name == name {
			return &s.tools[i]
		}
		if strings.EqualFold(t.Name, strings.TrimSpace(name)) {
			if match != nil {
				return nil
			}
			match = &s.tools[i]
		}
	}
	return match
}

// arguments separates an action's arguments from what packs them.
func arguments(o map[string]json.RawMessage, nameKey string, t llm.Tool) action {
	var sch struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(t.Schema, &sch) // a tool without a readable schema has no properties
	a := action{name: t.Name}
	for _, key := range thoughtKeys {
		if _, own := sch.Properties[key]; !own && a.rest == "" {
			_ = json.Unmarshal(o[key], &a.rest) // text or nothing
		}
	}
	inner := argsKey(o, sch.Properties)
	args := map[string]json.RawMessage{}
	if inner != "" {
		a.args, _ = asObject(o[inner])
		_ = json.Unmarshal([]byte(a.args), &args) // argsKey has seen that it is an object
	}
	moved := inner == ""
	for key, value := range o {
		_, own := sch.Properties[key]
		_, there := args[key]
		switch {
		case key == nameKey, key == inner, there:
		case !own && (inner != "" || slices.Contains(thoughtKeys, key)):
		default:
			args[key], moved = value, true
		}
	}
	if moved {
		a.args = compact(args)
	}
	return a
}

// argsKey returns the key that holds the arguments of o as an object; "" when
// they stand next to the name. An argument of the tool that happens to have
// such a name is not one.
func argsKey(o map[string]json.RawMessage, properties map[string]json.RawMessage) string {
	for _, key := range argsKeys {
		if _, own := properties[key]; own {
			continue
		}
		if _, ok := asObject(o[key]); ok {
			return key
		}
	}
	return ""
}

// asObject returns raw as the text of a JSON object: itself, or the one that
// it holds as a string.
func asObject(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		raw = json.RawMessage(strings.TrimSpace(text))
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return "", false
	}
	return string(raw), true
}

// sameJSON reports whether two objects hold the same, whatever their order.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	return compact(x) == compact(y)
}

var thinking = lazyregexp.New(`(?s)^\s*<(think|thinking|thought)>.*?(</(think|thinking|thought)>|$)`)

// withoutThoughts takes off the reasoning that local models begin replies with.
func withoutThoughts(text string) string {
	for {
		loc := thinking.FindStringIndex(text)
		if loc == nil {
			return text
		}
		text = strings.TrimLeft(text[loc[1]:], " \t\r\n")
	}
}

var packing = lazyregexp.New("(?m)^[ \t]*(```\\w*|~~~\\w*|</?tool_call>)[ \t]*$")

// around returns the prose before and after the action's object.
func around(text string, start, end int) string {
	before, after := text[:start], text[end:]
	// What packs the object may share its lines.
	before = packing.ReplaceAllString(strings.TrimRight(before, " \t["), "")
	after = packing.ReplaceAllString(strings.TrimLeft(after, " \t]}"), "")
	return strings.TrimSpace(strings.TrimSpace(before) + "\n" + strings.TrimSpace(after))
}

func nameList(tools []llm.Tool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// excerpt shows where in a text something is wrong.
func excerpt(text string, at int) string {
	const each = 30
	from, to := max(at-each, 0), min(at+each, len(text))
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return fmt.Sprintf("%q", text[from:to])
}

var errNotObject = errors.New("it is not a JSON object")
