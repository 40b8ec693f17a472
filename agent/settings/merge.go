package settings

import (
	"cmp"
	"slices"
	"strings"

	"caselsp/agent/near"
)

// Problem is one thing that is wrong with a layer. It was ignored.
type Problem struct {
	Setting string // its name; "" when it is about the whole layer
	Layer   string // such as "the user's settings (/home/ada/.config/caselsp/settings.json)"
	Text    string // what is wrong, and what is allowed
}

// String returns the problem as one line for the user.
func (p Problem) String() string {
	if p.Setting == "" {
		return p.Layer + ": " + p.Text
	}
	return p.Setting + " in " + p.Layer + ": " + p.Text
}

// Merge returns the defaults with the layers put over them, lower origins
// first whatever their order, and all that is wrong with them. An object
// (prices, roles) takes the place of the lower layer's as a whole.
func Merge(layers ...Layer) (Settings, []Problem) {
	s := Default()
	var problems []Problem
	layers = slices.Clone(layers)
	slices.SortStableFunc(layers, func(a, b Layer) int { return cmp.Compare(a.Origin, b.Origin) })
	for _, l := range layers {
		problems = append(problems, l.Problems...)
		values := l.Values
		if inner, ok := values[section].(map[string]any); ok && len(values) == 1 {
			values = inner
		}
		flat := make(map[string]any)
		problems = append(problems, flatten(l, "", values, flat)...)
		for _, e := range entries {
			value, ok := flat[e.Name]
			if !ok {
				continue
			}
			next := s
			if p := e.apply(l, &next, value); p != "" {
				problems = append(problems, l.problem(e.Name, "%s%s", p, ignored))
				continue
			}
			s = next
		}
	}
	return s, problems
}

// apply puts a value of a layer into s, or says why not.
func (e entry) apply(l Layer, s *Settings, value any) string {
	before := *s
	if looksLikeKey(value) {
		return "the value looks like a key; " + advice
	}
	if l.Origin == Repository && e.Workspace == Never {
		return "a workspace must not set it, only the user: in settings.json, the editor, the environment or on the command line"
	}
	if l.Untrusted && e.Workspace == Free {
		return "the workspace is not trusted, so that its settings only count where they tighten"
	}
	if err := e.put(s, value); err != nil {
		return err.Error()
	}
	if l.Origin == Repository && e.Workspace == Tighten && e.loosens(&before, s) {
		return "a workspace may only tighten it, and " + cmp.Or(written(e.get(s)), "this value") + " is looser than " + cmp.Or(written(e.get(&before)), "nothing")
	}
	return ""
}

// flatten collects the values by dotted name and returns what is no setting.
// A null is as good as nothing: editors send it for what is not set.
func flatten(l Layer, under string, values, flat map[string]any) []Problem {
	var problems []Problem
	for _, key := range sortedKeys(values) {
		name, value := under+key, values[key]
		inner, isObject := value.(map[string]any)
		known := slices.ContainsFunc(entries, func(e entry) bool { return e.Name == name })
		_, twice := flat[name]
		switch {
		case value == nil:
		case known && twice:
			problems = append(problems, l.problem(name, "it is set twice%s", ignored))
		case known:
			flat[name] = value
		case isGroup(name) && isObject:
			problems = append(problems, flatten(l, name+".", inner, flat)...)
		case isGroup(name):
			problems = append(problems, l.problem(name, "it is a group of settings and must be an object%s", ignored))
		case keyName.MatchString(name) || looksLikeKey(name) || looksLikeKey(value):
			problems = append(problems, l.problem(safe(name), "there is no such setting; %s", advice))
		default:
			problems = append(problems, l.problem(safe(name), "there is no such setting%s%s", nearest(name), ignored))
		}
	}
	return problems
}

// safe returns an unknown name as a message may repeat it: a stranger's file may
// hold whatever a terminal obeys, and a key can be pasted in the wrong place.
func safe(name string) string {
	if looksLikeKey(name) {
		return "a name that looks like a key"
	}
	return printable(name)
}

// isGroup reports whether name is the first part of settings' names.
func isGroup(name string) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return strings.HasPrefix(e.Name, name+".") })
}

// nearest returns advice that names the setting, group or variable that a wrong
// name was probably meant to be, or "".
func nearest(wrong string) string {
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(wrong, prefix) {
			names = append(names, e.Env)
			continue
		}
		group, last, _ := strings.Cut(e.Name, ".")
		names = append(names, e.Name, group)
		if bare(last) == bare(wrong) { // the group was left out
			return " (did you mean " + e.Name + "?)"
		}
	}
	limit := len(strings.TrimPrefix(wrong, prefix))/3 + 1 // with more wrong letters it is another word
	plain := make([]string, len(names))
	for i, name := range names {
		plain[i] = bare(name)
	}
	if best := slices.Index(plain, near.Closest(bare(wrong), plain, limit)); best >= 0 {
		return " (did you mean " + names[best] + "?)"
	}
	return ""
}

// bare returns a name without case and without what joins its words, so that
// baseUrl, base-url and base_url are one.
func bare(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}
