package fixcheck

import (
	"context"
	_ "embed"
	"fmt"
	"reflect"
	"strings"

	"caselsp/sandbox"
)

// guard watches a validator that a model wrote: one that reads other files, reaches the network or starts programs ends with
// guardCode, and says what it did.
//
//go:embed guard.py
var guard []byte

const (
	guardFile = "guard.py"
	checkFile = "check.py"

	// maxProgram is the longest program of a model in bytes: a validator checks one thing.
	maxProgram = 32 << 10
)

// Program is a validator as a model writes it: a Python program that reads a claim from standard input.
type Program struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	ErrorType   string `json:"error_type"`
	Language    string `json:"language,omitempty"`
	Code        string `json:"code"`
}

// Validator returns the program as a validator. It runs guarded.
func (p Program) Validator() (Validator, error) {
	if !ValidName(p.Name) {
		return Validator{}, fmt.Errorf("%q cannot be the name of a validator: write lower-case letters, digits, - and _, up to %d, a letter first", cut(p.Name, maxName), maxName)
	}
	for _, f := range []struct{ name, text string }{{"description", p.Description}, {"error_type", p.ErrorType}, {"code", p.Code}} {
		if strings.TrimSpace(f.text) == "" || strings.ContainsRune(f.text, 0) {
			return Validator{}, fmt.Errorf("its %s is empty, or no text", f.name)
		}
	}
	if len(p.Code) > maxProgram || len(p.Description) > maxText || len(p.ErrorType) > maxText {
		return Validator{}, fmt.Errorf("its code has %d bytes; the limit is %d, that of its description and error type %d", len(p.Code), maxProgram, maxText)
	}
	m := Manifest{
		Name: p.Name, Description: p.Description, Command: "python3", Args: []string{"-I", "-S", guardFile, checkFile}, ErrorTypes: []string{p.ErrorType},
		Threshold: DefaultThreshold, Category: string(Generated), Priority: DefaultPriority, AutoApply: true,
	}
	if p.Language != "" {
		m.Tags = []string{p.Language}
	}
	files := []sandbox.File{{Path: checkFile, Mode: 0o644, Data: []byte(p.Code)}, {Path: guardFile, Mode: 0o644, Data: guard}}
	return Validator{Manifest: m, Origin: Generated, ID: identity(m, files), Files: files, Where: p.Name}, nil
}

// Example is a claim of which is known what the tests said.
type Example struct {
	Claim Claim
	Held  bool // the tests passed with it
}

// Trial is how a validator did on claims of which is known what the tests said.
type Trial struct {
	Right, Tried int
	Faults       []string // why it is not trusted; none: it is
}

// Trusted reports whether the validator may be shown to the user as one that works.
func (t Trial) Trusted() bool { return t.Tried > 0 && len(t.Faults) == 0 }

// Told says in a line how it did.
func (t Trial) Told() string {
	if t.Trusted() {
		return fmt.Sprintf("it judged %d of %d known claims as the tests did", t.Right, t.Tried)
	}
	if t.Tried == 0 {
		return "there is no claim to try it on"
	}
	return fmt.Sprintf("it judged %d of %d known claims as the tests did; %s", t.Right, t.Tried, t.Faults[0])
}

// maxFaults is how many faults of one trial are told: the first ones say what is wrong.
const maxFaults = 5

// Try has a validator judge claims, each twice, and one more that claims the same as one that held and changes nothing. It is trusted when
// it gives the same verdict each time, refuses none that held, and refuses all others. The error is that of the engine, or of ctx.
func Try(ctx context.Context, engine sandbox.Engine, v Validator, examples []Example) (t Trial, err error) {
	fault := func(form string, args ...any) {
		if len(t.Faults) < maxFaults {
			t.Faults = append(t.Faults, fmt.Sprintf(form, args...))
		}
	}
	v.AutoApply = true
	for i, e := range withUnchanged(examples) {
		t.Tried++
		var said [2]Verdict
		for k := range said {
			verdicts, err := Run(ctx, engine, []Validator{v}, e.Claim)
			if err != nil {
				return t, err
			}
			said[k] = verdicts[0]
			said[k].Took = 0
			if said[k].Trouble != "" {
				break
			}
		}
		first := said[0]
		switch {
		case first.Trouble != "":
			fault("on claim %d it gave no verdict: %s", i+1, first.Trouble)
			return t, nil // it would do the same on each
		case !reflect.DeepEqual(first, said[1]):
			fault("on claim %d it said two different things", i+1)
		case e.Held && first.Refuses():
			fault("it refuses claim %d, with which the tests passed: %s", i+1, first.Reason)
		case !e.Held && !first.Refuses():
			fault("it accepts claim %d (%s), with which the tests failed: %s", i+1, cut(strings.Join(e.Claim.Fixes, "; "), maxSaid), first.Reason)
		default:
			t.Right++
		}
	}
	return t, nil
}

// withUnchanged adds, to examples of which one held, a claim that changes nothing.
func withUnchanged(examples []Example) []Example {
	for _, e := range examples {
		if e.Held {
			c := e.Claim
			c.FixedCode, c.Files = c.OriginalCode, nil
			return append(append([]Example{}, examples...), Example{Claim: c})
		}
	}
	return examples
}
