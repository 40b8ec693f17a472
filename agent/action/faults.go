package action

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"caselsp/store/lazyregexp"
)

// fault is one thing that is wrong with the arguments of an action.
type fault struct {
	field string // such as features[1].title
	says  string
	extra bool // the field is not known: without it, nothing else is missing
}

// faults are all things that are wrong with the arguments of an action: a model that is told of
// one at a time pays a request for each. What [Args.Check] finds and what the arguments' form
// shows are one list.
type faults []fault

// maxFaults is how many of them are told at once: more come from one cause.
const maxFaults = 10

// add notes a fault of a field.
func (f *faults) add(field, format string, args ...any) {
	*f = append(*f, fault{field: field, says: fmt.Sprintf(format, args...)})
}

// note adds a fault where there is an error.
func (f *faults) note(field string, err error) {
	if err != nil {
		f.add(field, "%s", err)
	}
}

// blank notes a field that is empty.
func (f *faults) blank(field, value, advice string) {
	if strings.TrimSpace(value) == "" {
		f.add(field, "%s is empty: %s", field, advice)
	}
}

// err joins all faults into one error; it is nil without faults.
func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// Error implements error.
func (f faults) Error() string {
	var says []string
	for i, one := range f {
		if i == maxFaults {
			says = append(says, fmt.Sprintf("and %d more", len(f)-i))
			break
		}
		says = append(says, one.says)
	}
	return strings.Join(says, "; ")
}

// with adds faults of other fields: of one whose value is not used, nothing more is told.
func (f faults) with(more faults) faults {
	all := slices.Clone(f)
	for _, m := range more {
		if !slices.ContainsFunc(f, func(o fault) bool { return !o.extra && (within(m.field, o.field) || within(o.field, m.field)) }) {
			all = append(all, m)
		}
	}
	return all
}

// within reports whether a field is another one or a part of it.
func within(part, whole string) bool {
	rest, ok := strings.CutPrefix(part, whole)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// judge decodes the arguments of a verb, and says all that is wrong with them. fields are the
// arguments one by one, raw all of them.
// It returns them as they were taken, too.
func (v *Verb) judge(fields map[string]json.RawMessage, raw json.RawMessage) (Args, json.RawMessage, error) {
	form := shaping{hints: map[string]bool{}}
	fitting := raw
	var tree map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return nil, nil, err
	}
	for _, name := range v.outdated {
		delete(tree, name)
	}
	value := form.fit(tree, v.args, "")
	if len(form.wrong) > 0 || form.taken {
		var err error
		if fitting, err = json.Marshal(value); err != nil {
			return nil, nil, err
		}
	}
	if v.Effect == Edits { // a missing text would else be written as an empty one
		form.complete(fields, v.args)
	}
	args, err := v.decode(fitting)
	if err != nil {
		return nil, nil, err
	}
	var found faults
	if err := args.Check(); err != nil && !errors.As(err, &found) {
		found.note("", err)
	}
	if wrong := form.wrong.with(found); len(wrong) > 0 {
		return nil, nil, errors.New(wrong.Error() + form.hint())
	}
	return args, fitting, nil
}

// shaping looks at the form of arguments: whether each is known and of its type.
type shaping struct {
	wrong faults
	hints map[string]bool // which arguments there are, where one is not known or missing
	taken bool            // a value was taken as another type
}

// identifies matches the places of ids: a number there is as good as its text.
var identifies = lazyregexp.New(`(?:^|\.)(?:id|depends_on\[\d+\])$`)

// hint says which arguments there are.
func (s *shaping) hint() string {
	text := ""
	for _, h := range slices.Sorted(maps.Keys(s.hints)) {
		text += ". " + h
	}
	return text
}

// known notes which fields a type has, at a place of the arguments.
func (s *shaping) known(of reflect.Type, at string) {
	names := strings.Join(argumentNames(of), ", ")
	if at == "" {
		s.hints["Its arguments are: "+names] = true
	} else {
		s.hints["The fields there are: "+names] = true
	}
}

// complete notes required arguments that are missing or null.
func (s *shaping) complete(fields map[string]json.RawMessage, of reflect.Type) {
	for _, name := range argumentNames(of) {
		if raw, ok := fields[name]; !strings.HasSuffix(name, " (optional)") && (!ok || string(raw) == "null") {
			s.wrong.add(name, "argument %q is missing", name)
			s.known(of, "")
		}
	}
}

// fit returns a value without what does not fit its type, which is noted.
func (s *shaping) fit(value any, of reflect.Type, at string) any {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if value == nil {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		if of.Kind() == reflect.Slice { // one where a list belongs: what is wrong in it is told at once, too
			s.wrong.add(at, "argument %q must be %s, not %s", at, article(typeName(of)), article(valueName(value)))
			s.fit(v, of.Elem(), at+"[0]")
			return nil
		}
		if of.Kind() != reflect.Struct {
			break
		}
		types := fieldTypes(of)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if inner, ok := types[strings.ToLower(name)]; ok { // as encoding/json compares them
				v[name] = s.fit(v[name], inner, strings.TrimPrefix(at+"."+name, "."))
				continue
			}
			delete(v, name)
			where := ""
			if at != "" {
				where = " in " + at
			}
			s.wrong = append(s.wrong, fault{strings.TrimPrefix(at+"."+name, "."), fmt.Sprintf("unknown field %q%s", name, where), true})
			s.known(of, at)
		}
		return v
	case []any:
		if of.Kind() != reflect.Slice {
			break
		}
		for i := range v {
			v[i] = s.fit(v[i], of.Elem(), fmt.Sprintf("%s[%d]", at, i))
		}
		return v
	case string:
		if of.Kind() == reflect.String {
			return v
		}
	case bool:
		if of.Kind() == reflect.Bool {
			return v
		}
	case json.Number:
		if fitsNumber(v, of.Kind()) {
			return v
		}
		if of.Kind() == reflect.String && identifies.MatchString(at) {
			s.taken = true
			return v.String()
		}
	}
	s.wrong.add(at, "argument %q must be %s, not %s", at, article(typeName(of)), article(valueName(value)))
	return nil
}

// fitsNumber reports whether a number can be one of a kind.
func fitsNumber(n json.Number, kind reflect.Kind) bool {
	switch kind {
	case reflect.Int, reflect.Int64:
		_, err := strconv.ParseInt(n.String(), 10, 64)
		return err == nil
	case reflect.Float64:
		_, err := n.Float64()
		return err == nil
	}
	return false
}

// valueName is JSON's name of a value.
func valueName(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number with a fraction"
		}
		return "number"
	}
	return "string"
}
