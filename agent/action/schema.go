package action

import (
	"encoding/json"
	"reflect"
	"strings"
)

// schemaOf makes the JSON Schema of an argument struct. A field is required
// unless its json tag says omitempty or omitzero; its doc tag is the description. Every
// action that costs a step also asks for a thought, which is journalled and shown; where a
// model gives one to another action, it is taken.
func schemaOf(args any, effect Effect) json.RawMessage {
	s := objectSchema(reflect.TypeOf(args))
	if effect != Submits && effect != Reads && effect != Looks {
		s.Properties["thought"] = &schema{Type: "string"}
		s.Required = append([]string{"thought"}, s.Required...)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // the structs are ours and known at start
	}
	return raw
}

// schema is the part of JSON Schema that function calling needs. Providers
// differ in the rest, so nothing else is used.
type schema struct {
	Type        string             `json:"type"`
	Description string             `json:"description,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
}

func objectSchema(t reflect.Type) *schema {
	s := &schema{Type: "object", Properties: map[string]*schema{}}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := typeSchema(f.Type)
		p.Description = f.Tag.Get("doc")
		if e := f.Tag.Get("enum"); e != "" {
			p.Enum = strings.Split(e, ",")
		}
		s.Properties[name] = p
		if !optional(options) {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

func typeSchema(t reflect.Type) *schema {
	switch t.Kind() {
	case reflect.Slice:
		return &schema{Type: "array", Items: typeSchema(t.Elem())}
	case reflect.Struct:
		return objectSchema(t)
	case reflect.Pointer:
		return typeSchema(t.Elem())
	default:
		return &schema{Type: typeName(t)}
	}
}

// typeName is JSON Schema's name of a Go type.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Struct, reflect.Pointer, reflect.Map:
		return "object"
	default:
		return "string"
	}
}

// optional reports whether the options of a json tag let an argument be left out. One for which an
// empty value says something else than none at all is omitzero.
func optional(options string) bool { return options == "omitempty" || options == "omitzero" }

// argumentNames lists the arguments of a struct, for error messages.
func argumentNames(of reflect.Type) []string {
	var names []string
	for _, f := range reflect.VisibleFields(of) {
		if !f.IsExported() || f.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if optional(options) {
			name += " (optional)"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return []string{"none"}
	}
	return names
}

// fieldTypes are the types of a struct's fields by their JSON names in lower case.
func fieldTypes(of reflect.Type) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(of) {
		if f.IsExported() && !f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			types[strings.ToLower(name)] = f.Type
		}
	}
	return types
}
