package obey

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/jsonc"
)

// key is a place in a JSON or TOML file that nothing obeys, such as dependencies.*: a name,
// the beginning of one with a *, or any.
type key struct {
	names []string
	kept  bool             // "!": it is obeyed after all
	free  func(v any) bool // of which values; nil: of all
}

// keysOf reads a list of keys: names with dots, and perhaps "=version" or "=requirements" for
// values that name a package of a registry by its version, and not a place of its own.
func keysOf(list string) []key {
	var keys []key
	for word := range strings.FieldsSeq(list) {
		var k key
		word, k.kept = strings.CutPrefix(word, "!")
		word, kind, _ := strings.Cut(word, "=")
		k.names = strings.Split(word, ".")
		switch kind {
		case "version":
			k.free = isVersion
		case "requirements":
			k.free = areRequirements
		}
		keys = append(keys, k)
	}
	return keys
}

// inJSON and inTOML are formats in which nothing obeys what some keys hold.
func inJSON(list string) func(string) (string, bool) {
	keys := keysOf(list)
	return func(text string) (string, bool) {
		tree, err := readJSON(string(jsonc.ToJSON([]byte(text))))
		return without(tree, keys, err)
	}
}

func inTOML(list string) func(string) (string, bool) {
	keys := keysOf(list)
	return func(text string) (string, bool) {
		var tree map[string]any
		err := toml.Unmarshal([]byte(text), &tree)
		return without(tree, keys, err)
	}
}

// without writes a tree without what the keys name.
func without(tree any, keys []key, err error) (string, bool) {
	object, ok := tree.(map[string]any)
	if err != nil || !ok {
		return "", false
	}
	strip(object, keys)
	text, err := json.Marshal(object)
	return string(text), err == nil
}

// strip takes out of an object what the keys name, and what is empty then.
func strip(object map[string]any, keys []key) {
	for name, v := range object {
		var below []key
		free, kept := false, false
		for _, k := range keys {
			switch {
			case !k.begins(name):
			case len(k.names) > 1:
				below = append(below, key{k.names[1:], k.kept, k.free})
				kept = kept || k.kept
			case k.kept:
				kept = true
			default:
				free = free || k.free == nil || k.free(v) && (k.names[0] != "*" || plainName.MatchString(name))
			}
		}
		inner, isObject := v.(map[string]any)
		switch {
		case free && kept && isObject: // all of it but what is kept
			strip(inner, append(below, key{names: []string{"*"}}))
		case free && !kept:
			delete(object, name)
			continue
		case isObject && below != nil:
			strip(inner, below)
		}
		if isObject && len(inner) == 0 {
			delete(object, name)
		}
	}
}

// begins reports whether a name is the first of the key's.
func (k key) begins(name string) bool {
	start, any := strings.CutSuffix(k.names[0], "*")
	return any && strings.HasPrefix(name, start) || name == k.names[0]
}

// readJSON reads a value. A name that an object has twice is an error: programs do not agree
// which of the two counts.
func readJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := readValue(d)
	if err == nil && d.More() {
		err = errors.New("there is more behind the value")
	}
	return v, err
}

func readValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		object := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			if _, twice := object[name.(string)]; twice {
				return nil, errors.New("a name stands twice")
			}
			object[name.(string)] = v
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return t, nil
}

// isRequirement reports whether a text asks for a package of the index by its name.
func isRequirement(s string) bool {
	m := requirement.FindStringSubmatch(strings.TrimSpace(s))
	return m != nil && !archive.MatchString(m[1])
}

// versionFields are what a dependency's table may say beside its version; where it comes from is not among them.
var versionFields = map[string]bool{"version": true, "features": true, "default-features": true, "default_features": true, "optional": true, "extras": true, "python": true, "markers": true, "package": true, "workspace": true, "allow-prereleases": true}

// isVersion reports whether a value asks for a package of the registry by its version.
func isVersion(v any) bool {
	switch v := v.(type) {
	case string:
		return plainVersion.MatchString(v)
	case map[string]any:
		for name, field := range v {
			text, isText := field.(string)
			ok := versionFields[name]
			switch {
			case !isText:
				_, table := field.(map[string]any)
				ok = ok && !table && name != "version"
			case name == "package":
				ok = plainName.MatchString(text)
			case name == "markers":
				ok = marker.MatchString(text)
			default:
				ok = ok && plainVersion.MatchString(text)
			}
			if !ok {
				return false
			}
		}
		return true
	}
	return false
}

// areRequirements reports whether a value is a list of packages of the index.
func areRequirements(v any) bool {
	list, ok := v.([]any)
	for _, one := range list {
		switch one := one.(type) {
		case string:
			ok = ok && isRequirement(one)
		case map[string]any: // another group
			_, group := one["include-group"]
			ok = ok && group && len(one) == 1
		default:
			ok = false
		}
	}
	return ok
}
