// Package action defines the actions that agents can take: what a model may ask for, the text
// that teaches it each verb, and how the verbs that touch only the overlay are
// carried out.
//
// Each verb stands in one file beside one embedded text. A verb declares its
// arguments (a JSON Schema made from a Go struct) and its [Effect]; it asks
// nobody, runs nothing and decides nothing: whether an action may happen, and
// the effects that reach beyond the overlay (commands, questions, checkpoints,
// rollbacks, recalls), are package agent's.
package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"caselsp/agent/patch"
)

// Effect says what an action does to the world, so that one place can decide about it.
type Effect string

// The effects. Reads and Edits are carried out by Do; all others by package agent.
const (
	Reads     Effect = "reads"    // looks at the overlay; costs no step
	Edits     Effect = "edits"    // changes the overlay
	Runs      Effect = "runs"     // a command in the sandbox
	Asks      Effect = "asks"     // a question to the user
	Consults  Effect = "consults" // a question to TARS
	Looks     Effect = "looks"    // at memory or at git, beside the overlay; costs no step
	RollsBack Effect = "rolls back"
	Finishes  Effect = "finishes" // ends the coding part of a round
	Aborts    Effect = "aborts"   // ends the feature
	Submits   Effect = "submits"  // a role's typed answer: plan, verdict, hypothesis, advice, or words to the user
)

// Args are the decoded arguments of one action.
type Args interface {
	// Check says what is wrong with the arguments, in words for the model.
	// It looks at nothing but the arguments.
	Check() error
	// Reach says what the action reads and changes and which hosts it connects to.
	Reach
}

// Doer is what the arguments of verbs with the effects Reads and Edits implement.
// The error is for the model: it says why nothing was done and what to do instead.
type Doer interface {
	Args
	Do(ctx context.Context, s *Scope) (Result, error)
}

// Do carries out an action on an overlay. It sees there what it declares.
func Do(ctx context.Context, args Doer, env Env) (Result, error) {
	return args.Do(ctx, env.scope(args))
}

// Result is what an action did.
type Result struct {
	Said  Said    // for the model
	Note  string  // one line for people
	Diff  string  // what an edit changed, as a unified diff; "" for reads
	Shown *Shown  // a file that the model now knows; nil for none
	Also  []Shown // the further files of an edit of several

	Hunks []patch.Landing // where the hunks of a patch landed; set beside an error where the edit was then taken back
}

// Verb is one kind of action. Text and Schema are its description for the model.
type Verb struct {
	Name   string
	Effect Effect
	Text   string
	Schema json.RawMessage
	decode func(json.RawMessage) (Args, error)

	args     reflect.Type
	outdated []string // arguments of older versions, which are ignored
}

// Action is one verb with its arguments, checked.
type Action struct {
	Verb    *Verb
	Thought string // why the model chose it
	Args    Args
	Raw     json.RawMessage // the arguments as the model gave them, without the thought
}

// ErrUnknown is wrapped by the error for an action that does not exist or is not offered.
var ErrUnknown = errors.New("no such action")

// maxArguments bounds the arguments of one action: a file of the largest size
// that the overlay takes, with room for JSON's escapes.
const maxArguments = 24 << 20

// Parse turns a model's choice of a verb with arguments, a JSON object, into an
// action, or says in words for the model what is wrong with it. Only the verbs in
// offered are accepted.
func Parse(name, arguments string, offered []*Verb) (*Action, error) {
	i := slices.IndexFunc(offered, func(v *Verb) bool { return v.Name == name })
	if i < 0 {
		names := make([]string, len(offered))
		for i, v := range offered {
			names[i] = v.Name
		}
		return nil, fmt.Errorf("%w: %q. Choose one of: %s", ErrUnknown, name, strings.Join(names, ", "))
	}
	v := offered[i]
	if len(arguments) > maxArguments {
		return nil, fmt.Errorf("%s: the arguments have %d bytes; at most %d are taken", name, len(arguments), maxArguments)
	}
	raw := strings.TrimSpace(arguments)
	if raw == "" {
		raw = "{}"
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &fields); err != nil {
		return nil, fmt.Errorf("%s: the arguments are not a JSON object: %v. Send the action again with valid JSON", name, err)
	}
	a := &Action{Verb: v}
	if t, ok := fields["thought"]; ok {
		if err := json.Unmarshal(t, &a.Thought); err != nil {
			return nil, fmt.Errorf("%s: thought must be a string", name)
		}
		delete(fields, "thought")
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if a.Args, a.Raw, err = v.judge(fields, rest); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// Restore decodes an action that was accepted before, from the journal.
func Restore(name string, raw json.RawMessage) (*Action, error) {
	v := verbs[name]
	if v == nil {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	args, err := v.decode(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Action{Verb: v, Args: args, Raw: raw}, nil
}

// EffectOf returns the effect of a verb; "" of one that does not exist.
func EffectOf(name string) Effect {
	if v := verbs[name]; v != nil {
		return v.Effect
	}
	return ""
}

// FreeOfSteps reports whether the verb only looks at something, so that it costs no step
// of a round.
func (v *Verb) FreeOfSteps() bool { return v.Effect == Looks || v.Effect == Reads }

// verbs holds every verb by name; filled by register as each file declares its own.
var verbs = map[string]*Verb{}

// register declares a verb. Its text is shown to the model as the tool's description.
func register[A Args](name string, effect Effect, text string) *Verb {
	var zero A
	v := &Verb{
		Name:   name,
		Effect: effect,
		Text:   strings.TrimSpace(text),
		Schema: schemaOf(zero, effect),
		args:   reflect.TypeOf(zero),
		decode: func(raw json.RawMessage) (Args, error) {
			var a A
			if o, ok := any(a).(outdated); ok {
				raw = without(raw, o.outdated())
			}
			dec := json.NewDecoder(bytes.NewReader(raw))
			// An argument that is not known is refused rather than passed over: a
			// misnamed line range would otherwise become a write of the whole file.
			dec.DisallowUnknownFields()
			if err := dec.Decode(&a); err != nil {
				return nil, fmt.Errorf("the arguments cannot be read: %w", err)
			}
			return a, nil
		},
	}
	if o, ok := any(zero).(outdated); ok {
		v.outdated = o.outdated()
	}
	verbs[name] = v
	return v
}

// outdated is what arguments implement that older versions knew with more fields. The
// fields are ignored.
type outdated interface{ outdated() []string }

// without is a JSON object without some of its fields.
func without(raw json.RawMessage, names []string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	for _, name := range names {
		delete(fields, name)
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return raw
	}
	return rest
}

// article puts the indefinite article before a noun.
func article(noun string) string {
	if strings.ContainsAny(noun[:min(1, len(noun))], "aeiou") {
		return "an " + noun
	}
	return "a " + noun
}

// All returns every verb, sorted by name.
func All() []*Verb {
	return slices.SortedFunc(maps.Values(verbs), func(a, b *Verb) int { return strings.Compare(a.Name, b.Name) })
}
