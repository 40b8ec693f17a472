package settings

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Judge merges layers. The zero value fails closed: no value of an editor is
// confirmed, and a workspace may lower no rule.
type Judge struct {
	// Confirmed reports whether the user has confirmed a value.
	Confirmed func(Value) bool
	// Route says where the requests of a model go, and with which key. Without it, the
	// settings that decide that are taken as they stand.
	Route func(Model) Route
	// Harmless reports whether a workspace may lower the severity of a rule, or of a whole
	// validator: whether nothing about security depends on it.
	Harmless func(name string) bool
}

// Merged is what comes of layers.
type Merged struct {
	Settings Settings
	Problems []Problem
	Pending  []Pending // what an editor has set and the user has not confirmed: it does not count
	Sources  []Source  // of all that is not the default, in the order of the table
}

// Source says where the value of a setting comes from.
type Source struct {
	Setting string
	Value   string
	From    string // the layers; where there are several, each has a part in it
}

// String returns the source as one line for the user.
func (s Source) String() string { return s.Setting + " = " + s.Value + ", from " + s.From }

// Merge merges layers where nothing of an editor's is confirmed.
func Merge(layers ...Layer) (Settings, []Problem) {
	m := Judge{}.Merge(layers...)
	return m.Settings, m.Problems
}

// Check returns what is wrong with layers whoever they are of: what is no setting, and
// what is no value of its setting.
func Check(layers ...Layer) []Problem {
	j := Judge{Confirmed: func(Value) bool { return true }}
	return j.Merge(layers...).Problems
}

// Merge returns the defaults with the layers put over them, lower origins
// first whatever their order, and all that is wrong with them. In the user's own
// layers, an object (prices, roles, rules) takes the place of the lower layer's as a
// whole; from an editor or a workspace its members count one by one.
func (j Judge) Merge(layers ...Layer) Merged {
	layers = slices.Clone(layers)
	slices.SortStableFunc(layers, func(a, b Layer) int { return cmp.Compare(a.Origin, b.Origin) })
	var all, others []reading // others: without the editors
	for _, l := range layers {
		r := readLayer(l)
		if all = append(all, r); l.standing() != editor {
			others = append(others, r)
		}
	}
	without := j.run(others, true).Settings
	m := j.run(all, true)
	pending := m.pending
	// Where requests go is judged on what comes out, not value by value: two settings
	// that are harmless alone can send a key to the wrong server together.
	open := j.routes(without, m.Settings, all)
	if len(open) > 0 {
		m = j.run(all, false)
	}
	// The routes that the values would make that wait are asked for together with them.
	sure := j
	sure.Confirmed = func(Value) bool { return true }
	open = append(open, j.routes(without, sure.run(all, true).Settings, all)...)
	m.await(append(pending, open...))
	return m.Merged
}

// reading is a layer with its values by the names of their settings.
type reading struct {
	Layer
	flat  map[string]any
	wrong []Problem
}

func readLayer(l Layer) reading {
	values := l.Values
	if inner, ok := values[section].(map[string]any); ok && len(values) == 1 {
		values = inner
	}
	r := reading{Layer: l, flat: make(map[string]any)}
	r.wrong = slices.Concat(l.Problems, flatten(l, "", values, r.flat))
	return r
}

// merging is the state of one merge.
type merging struct {
	Merged
	judge   Judge
	base    Settings          // what the user's own file and variables make: an editor's values are judged against it
	flags   map[string]any    // what the command line sets anyway
	from    map[string]string // the layers that a setting's value comes from
	pending []Pending
}

// run puts the layers over the defaults. Without routing, it leaves out what editors
// say of where requests go.
func (j Judge) run(layers []reading, routing bool) *merging {
	m := &merging{judge: j, from: make(map[string]string)}
	m.Settings, m.base = Default(), Default()
	for _, r := range layers {
		if r.Origin == Flags {
			m.flags = r.flat
		}
	}
	for _, r := range layers {
		m.Problems = append(m.Problems, r.wrong...)
		for _, e := range entries {
			value, ok := r.flat[e.Name]
			if !ok || r.standing() == editor && !routing && routes(e.Name) {
				continue
			}
			if text := m.put(r.Layer, e, value); text != "" {
				m.Problems = append(m.Problems, r.ignoring(e.Name, "%s", text))
			}
		}
		if r.standing() == own && r.Origin < Editor {
			m.base = m.Settings
		}
	}
	d := Default()
	for _, e := range entries {
		if v := e.get(&m.Settings); !reflect.DeepEqual(v, e.get(&d)) {
			m.Sources = append(m.Sources, Source{Setting: e.Name, Value: canonical(v), From: m.from[e.Name]})
		}
	}
	return m
}

// put takes a value of a layer, or says why not.
func (m *merging) put(l Layer, e entry, value any) string {
	if looksLikeKey(value) {
		return "the value looks like a key; " + advice
	}
	if l.standing() == workspace && e.Workspace == Never {
		return "a workspace must not set it, only the user: in settings.json, in the environment or on the command line"
	}
	if l.standing() == workspace && l.Untrusted && e.Workspace == Free {
		return "the workspace is not trusted, so that its settings only count where they tighten"
	}
	if l.standing() == own || e.Workspace == Add {
		next := m.Settings
		if err := e.put(&next, value); err != nil {
			return err.Error()
		}
		m.Settings = next
		m.note(l, e, e.Workspace == Add)
		return ""
	}
	var alone Settings
	if err := e.put(&alone, value); err != nil {
		return err.Error()
	}
	if _, set := m.flags[e.Name]; set && l.standing() == editor {
		return "" // it would change nothing
	}
	return m.sift(l, e, e.get(&alone))
}

// sift takes those parts of a stranger's value that may count, and says which may not.
func (m *merging) sift(l Layer, e entry, typed any) string {
	parts := partsOf(typed)
	var kept []part
	var refused []string
	for _, p := range parts {
		switch text := m.objection(l, e, p); {
		case text == "":
			kept = append(kept, p)
		case l.standing() == workspace:
			refused = append(refused, text)
		case e.Workspace == Free:
			m.Problems = append(m.Problems, Problem{Setting: e.Name, Layer: l.name(), Text: text, Ignored: true, Quiet: true})
		default:
			v := Value{Setting: e.Name, Text: p.text}
			if m.judge.Confirmed == nil || !m.judge.Confirmed(v) {
				m.pending = append(m.pending, Pending{Value: v, From: l.name()})
				continue
			}
			kept = append(kept, p)
		}
	}
	if len(kept) > 0 || len(parts) == 0 {
		held := e.get(&m.Settings)
		e.set(&m.Settings, joined(held, typed, kept))
		m.note(l, e, reflect.TypeOf(held).Kind() == reflect.Map && !reflect.ValueOf(held).IsZero())
	}
	return strings.Join(refused, "; ")
}

// objection says why a part of a stranger's value may not count unasked; "" where it may.
func (m *merging) objection(l Layer, e entry, p part) string {
	held := &m.Settings
	if l.standing() == editor {
		held = &m.base
	}
	if p.in(e.get(held)) || l.standing() == editor && judgedTogether(e.Name) {
		return ""
	}
	switch e.Workspace {
	case Free:
		if l.Untrusted {
			return "the workspace is not trusted, so that the editor's settings only count where they tighten"
		}
		return ""
	case Tighten:
		next := *held
		e.set(&next, p.value)
		if !e.loosens(held, &next) || p.name != "" && e.Name == rulesName && m.judge.Harmless != nil && m.judge.Harmless(p.name) {
			return ""
		}
		return "a workspace may only tighten it, and " + p.text + " is looser than " + cmp.Or(written(e.get(held)), "what holds")
	}
	return "only the user sets it"
}

// judgedTogether reports whether a setting is judged on what comes out, see [Judge.routes].
func judgedTogether(name string) bool {
	return slices.Contains(routed, name) || slices.ContainsFunc(modelNames, func(n modelName) bool { return n.setting == name })
}

// note keeps where a value comes from.
func (m *merging) note(l Layer, e entry, beside bool) {
	from := l.name()
	if l.Origin == Environment {
		from += " (" + e.Env + ")"
	}
	if before := m.from[e.Name]; beside && before != "" && before != from {
		from = before + " and " + from
	}
	m.from[e.Name] = from
}

// part is a piece of a value that is judged by itself: an entry of a list, a member of
// an object, or all of any other value.
type part struct {
	name  string // of a member; ""
	value any    // of the setting's type, with nothing else in it
	text  string // see canonical
}

func partsOf(typed any) []part {
	switch v := typed.(type) {
	case []string:
		var list []part
		for _, entry := range v {
			list = append(list, part{value: []string{entry}, text: canonical(entry)})
		}
		return list
	case map[string]string:
		return membersOf(v)
	case map[string]Price:
		return membersOf(v)
	case map[string]Model:
		return membersOf(v)
	}
	return []part{{value: typed, text: canonical(typed)}}
}

func membersOf[V any](m map[string]V) []part {
	var list []part
	for _, name := range sortedKeys(m) {
		one := map[string]V{name: m[name]}
		list = append(list, part{name: name, value: one, text: canonical(one)})
	}
	return list
}

// in reports whether a value already has the part.
func (p part) in(held any) bool {
	switch v := held.(type) {
	case []string:
		return slices.Contains(v, p.value.([]string)[0])
	case map[string]string, map[string]Price, map[string]Model:
		return slices.ContainsFunc(partsOf(v), func(h part) bool { return reflect.DeepEqual(h.value, p.value) })
	}
	return reflect.DeepEqual(held, p.value)
}

// joined returns the value that parts make: an object's members come over those that
// it has, anything else takes its place.
func joined(held, typed any, parts []part) any {
	switch held := held.(type) {
	case []string:
		var list []string
		for _, p := range parts {
			list = append(list, p.value.([]string)...)
		}
		return list
	case map[string]string:
		return withMembers(held, parts)
	case map[string]Price:
		return withMembers(held, parts)
	case map[string]Model:
		return withMembers(held, parts)
	}
	return typed
}

func withMembers[V any](held map[string]V, parts []part) map[string]V {
	all := make(map[string]V)
	maps.Copy(all, held)
	for _, p := range parts {
		maps.Copy(all, p.value.(map[string]V))
	}
	return all
}
