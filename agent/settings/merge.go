package settings

import (
	"slices"
	"strings"

	"caselsp/agent/near"
)

// Problem is one thing that is wrong with a layer.
type Problem struct {
	Setting string // its name; "" when it is about the whole layer
	Layer   string // such as "the user's settings (/home/ada/.config/caselsp/settings.json)"
	Text    string // what is wrong, and what is allowed
	Ignored bool   // what it is about does not count; the command line takes it for an error instead
	Once    string // tells a value that waits from others: it is told once a session; "" for any other problem
	Quiet   bool   // only the doctor tells it: nothing is wrong, and nothing is to be done
}

// String returns the problem as one line for the user.
func (p Problem) String() string {
	if p.Setting != "" && p.Once != "" {
		return "Not used yet: " + p.Text + ". If it is yours, confirm it " + confirmWith + "; a file of the project may have set it."
	}
	text := p.Layer + ": " + p.Text
	if p.Setting != "" {
		text = p.Setting + " in " + text
	}
	if p.Ignored {
		text += "; ignored"
	}
	return text
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
			problems = append(problems, l.ignoring(name, "it is set twice"))
		case known:
			flat[name] = value
		case isGroup(name) && isObject:
			problems = append(problems, flatten(l, name+".", inner, flat)...)
		case isGroup(name):
			problems = append(problems, l.ignoring(name, "it is a group of settings and must be an object"))
		case keyName.MatchString(name) || looksLikeKey(name) || looksLikeKey(value):
			problems = append(problems, l.problem(safe(name), "there is no such setting; %s", advice))
		default:
			problems = append(problems, l.ignoring(safe(name), "there is no such setting%s", nearest(name)))
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
