package fixcheck

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/near"
	"caselsp/store/lazyregexp"

	"go.yaml.in/yaml/v3"
)

// Limits of a manifest.
const (
	MaxManifest   = 16 << 10 // bytes: one that a person writes has some 20 lines
	maxName       = 64       // characters: names are shown in tables and are file names
	maxText       = 2000     // bytes of one value: a description is a few sentences
	maxItems      = 32       // items of a list: more error types than that are several validators
	maxPriority   = 100
	wrongFieldFar = 3 // letters that may be wrong in the name of a field for it to be recognised
)

// What a manifest that does not say so has.
const (
	DefaultThreshold = 0.7
	DefaultPriority  = 50
)

// Manifest says what a validator is and how it is run.
type Manifest struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Command     string   `json:"command"` // the program, or "./file" of its folder
	Args        []string `json:"args,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	// ErrorTypes are the errors whose fixes it judges, as Claim.ErrorType or the failure's message has them.
	ErrorTypes []string `json:"validates_error_type"`
	Threshold  float64  `json:"confidence_threshold"`
	Category   string   `json:"category,omitempty"`
	Priority   int      `json:"priority"` // the highest is looked at first
	AutoApply  bool     `json:"auto_apply"`
}

// ManifestField is one field of a manifest, for the reference.
type ManifestField struct {
	Name     string // dotted
	Required bool
	Must     string // be so
	Default  string // "" for none
	Doc      string
	set      func(m *Manifest, n *yaml.Node) error
}

// ManifestFields are all fields of a manifest, in the order in which they are documented.
var ManifestFields = []ManifestField{
	{Name: "name", Required: true, Must: "lower-case letters, digits, `-` and `_`, up to 64, a letter first", Doc: "what verdicts call the validator", set: func(m *Manifest, n *yaml.Node) (err error) {
		m.Name, err = word(n, nameForm, maxName)
		return err
	}},
	{Name: "type", Required: true, Must: "`executable`", Doc: "the only type", set: only("executable")},
	{Name: "description", Required: true, Must: "a sentence or two", Doc: "what it judges; with the error types and tags it is what the validator is found by", set: func(m *Manifest, n *yaml.Node) (err error) {
		m.Description, err = text(n)
		return err
	}},
	{Name: "command", Required: true, Must: "the name of a program, such as `python3`, or `./` and a file of the folder", Doc: "what is run in the sandbox, without a shell", set: func(m *Manifest, n *yaml.Node) (err error) {
		m.Command, err = command(n)
		return err
	}},
	{Name: "args", Must: "a list of texts", Doc: "its arguments; paths are relative to the manifest's folder", set: func(m *Manifest, n *yaml.Node) (err error) {
		m.Args, err = list(n)
		return err
	}},
	{Name: "input_format", Must: "`json`", Default: "json", Doc: "the claim, on standard input", set: only("json")},
	{Name: "output_format", Must: "`json`", Default: "json", Doc: "the verdict, on standard output", set: only("json")},
	{Name: "tags", Must: "a list of words", Doc: "a tag that is a language (`python`, `go`, `javascript`, `typescript`) keeps the validator from failures in others", set: func(m *Manifest, n *yaml.Node) (err error) {
		m.Tags, err = list(n)
		return err
	}},
	{Name: "metadata.validates_error_type", Required: true, Must: "an error type, or a list of them", Doc: "the failures whose fixes it judges: `NameError`, `panic`, `TS2304`, or words of the message", set: func(m *Manifest, n *yaml.Node) (err error) {
		m.ErrorTypes, err = oneOrMore(n)
		return err
	}},
	{Name: "metadata.confidence_threshold", Must: "a number from 0 to 1", Default: "0.7", Doc: "an invalid verdict of at least this confidence sends the fix back", set: func(m *Manifest, n *yaml.Node) (err error) {
		m.Threshold, err = number(n, 1)
		return err
	}},
	{Name: "metadata.category", Must: "a word", Doc: "for lists, such as `imports`", set: func(m *Manifest, n *yaml.Node) (err error) {
		m.Category, err = text(n)
		return err
	}},
	{Name: "metadata.priority", Must: "a whole number from 0 to 100", Default: "50", Doc: "of several that match, the highest run first", set: func(m *Manifest, n *yaml.Node) error {
		f, err := number(n, maxPriority)
		if m.Priority = int(f); err == nil && float64(m.Priority) != f {
			err = errValue
		}
		return err
	}},
	{Name: "metadata.auto_apply", Must: "`true` or `false`", Default: "true", Doc: "whether its verdict counts; with `false` it is only shown", set: func(m *Manifest, n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			return errValue
		}
		return n.Decode(&m.AutoApply)
	}},
}

// errValue says that a value is not as its field's Must has it.
var errValue = errors.New("wrong value")

// nameForm is what a name may be: safe as a file name, in a command line and in a table.
var nameForm = lazyregexp.New(`^[a-z][a-z0-9_-]*$`)

// ValidName reports whether a validator can have this name.
func ValidName(name string) bool { return len(name) <= maxName && nameForm.MatchString(name) }

// ParseManifest reads a manifest. The error names the file, the line, the field and what to write.
func ParseManifest(name string, source []byte) (Manifest, error) {
	m := Manifest{Threshold: DefaultThreshold, Priority: DefaultPriority, AutoApply: true}
	root, err := document(source)
	if err != nil {
		return Manifest{}, fmt.Errorf("%s: %w", name, err)
	}
	var problems []error
	seen := map[string]bool{}
	readFields(root, "", func(field string, key, value *yaml.Node) {
		if err := m.read(field, value, seen); err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, key.Line, err))
		}
	})
	for _, f := range ManifestFields {
		if f.Required && !seen[f.Name] {
			problems = append(problems, fmt.Errorf("%s: the field %s is missing: write %s", name, f.Name, f.Must))
		}
	}
	if len(problems) > 0 {
		return Manifest{}, errors.Join(problems...)
	}
	return m, nil
}

// document returns the mapping that a manifest is.
func document(source []byte) (*yaml.Node, error) {
	if len(source) > MaxManifest {
		return nil, fmt.Errorf("it has %d bytes, the limit of a manifest is %d", len(source), MaxManifest)
	}
	dec := yaml.NewDecoder(bytes.NewReader(source))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("it is empty: write at least the fields " + strings.Join(required(), ", "))
	case err != nil:
		return nil, fmt.Errorf("it is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has more than one document: write each manifest into a file of its own")
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it is not a list of fields: write \"name: my-validator\" and so on, a field a line")
	}
	return doc.Content[0], nil
}

func required() (names []string) {
	for _, f := range ManifestFields {
		if f.Required {
			names = append(names, f.Name)
		}
	}
	return names
}

// metadata is the field that holds others.
const metadata = "metadata"

// readFields calls visit for each field with its dotted name.
func readFields(mapping *yaml.Node, prefix string, visit func(field string, key, value *yaml.Node)) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		name := prefix + key.Value
		if name == metadata && value.Kind == yaml.MappingNode {
			readFields(value, metadata+".", visit)
			continue
		}
		visit(name, key, value)
	}
}

// read sets one field.
func (m *Manifest) read(name string, value *yaml.Node, seen map[string]bool) error {
	if name == metadata {
		return errors.New("metadata holds fields: write them below it, indented")
	}
	at := slices.IndexFunc(ManifestFields, func(f ManifestField) bool { return f.Name == name })
	if at < 0 {
		return fmt.Errorf("there is no field %q%s", name, nearest(name))
	}
	field := ManifestFields[at]
	if seen[name] {
		return fmt.Errorf("the field %s is there twice: leave one away", name)
	}
	seen[name] = true
	if value.Kind == yaml.AliasNode {
		return fmt.Errorf("the field %s is an alias: write its value out", name)
	}
	err := field.set(m, value)
	if errors.Is(err, errValue) {
		return fmt.Errorf("the field %s is %s: write %s", name, shown(value), field.Must)
	}
	if err != nil {
		return fmt.Errorf("the field %s: %w", name, err)
	}
	return nil
}

// nearest returns advice that names the field that a wrong one is most like, by its whole name or by its last part.
func nearest(wrong string) string {
	var names, last []string
	for _, f := range ManifestFields {
		names = append(names, f.Name)
		last = append(last, f.Name[strings.LastIndexByte(f.Name, '.')+1:])
	}
	end := wrong[strings.LastIndexByte(wrong, '.')+1:]
	if i := slices.Index(last, near.Closest(end, last, min(wrongFieldFar, len(end)/2))); i >= 0 {
		return fmt.Sprintf("; did you mean %s?", names[i])
	}
	return "; the fields are " + strings.Join(names, ", ")
}

// shown is a wrong value as a message quotes it.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a group of fields"
	case yaml.SequenceNode:
		return "a list that holds something else"
	}
	return strconv.Quote(cut(n.Value, maxName))
}

// cut returns the beginning of a text of at most n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// text is a value that says something.
func text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Tag == "!!binary" || strings.TrimSpace(n.Value) == "" || strings.ContainsRune(n.Value, 0) {
		return "", errValue
	}
	if len(n.Value) > maxText {
		return "", fmt.Errorf("it has %d bytes, the limit is %d", len(n.Value), maxText)
	}
	return n.Value, nil
}

func word(n *yaml.Node, form *lazyregexp.Regexp, most int) (string, error) {
	s, err := text(n)
	if err == nil && (len(s) > most || !form.MatchString(s)) {
		err = errValue
	}
	return s, err
}

func only(value string) func(*Manifest, *yaml.Node) error {
	return func(_ *Manifest, n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Value != value {
			return errValue
		}
		return nil
	}
}

// list is a list of texts.
func list(n *yaml.Node) (items []string, err error) {
	if n.Kind != yaml.SequenceNode {
		return nil, errValue
	}
	if len(n.Content) > maxItems {
		return nil, fmt.Errorf("it has %d items, the limit is %d", len(n.Content), maxItems)
	}
	for _, item := range n.Content {
		s, err := text(item)
		if err != nil {
			return nil, err
		}
		items = append(items, s)
	}
	return items, nil
}

func oneOrMore(n *yaml.Node) ([]string, error) {
	if n.Kind == yaml.ScalarNode {
		s, err := text(n)
		return []string{s}, err
	}
	items, err := list(n)
	if err == nil && len(items) == 0 {
		err = errValue
	}
	return items, err
}

// number is a number from 0 to most.
func number(n *yaml.Node, most float64) (f float64, err error) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" || n.Decode(&f) != nil || !(f >= 0 && f <= most) {
		return 0, errValue
	}
	return f, nil
}

// programForm is the name of a program: an option, a path or a line for a shell is none.
var programForm = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)

func command(n *yaml.Node) (string, error) {
	s, err := text(n)
	if err != nil || programForm.MatchString(s) {
		return s, err
	}
	file, own := strings.CutPrefix(s, "./")
	if !own || file != path.Clean(file) || strings.HasPrefix(file, "../") || strings.HasPrefix(file, "/") || file == ".." || file == "." {
		return "", errValue
	}
	return s, nil
}
