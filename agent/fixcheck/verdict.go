package fixcheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"caselsp/agent/near"
	"caselsp/sandbox"
)

// Limits of a verdict.
const (
	maxVerdict = 64 << 10 // bytes of standard output
	maxReason  = 600      // bytes of the reason that are kept: a model and a person read it
	maxSaid    = 240      // bytes that are told of what else it wrote
)

// verdict returns one of the validator that says nothing yet.
func (v Validator) verdict() Verdict {
	return Verdict{Validator: v.Name, ID: v.ID, Origin: v.Origin, Threshold: v.Threshold, Shown: !v.AutoApply}
}

// trouble returns a verdict that says why there is none.
func (v Validator) trouble(form string, args ...any) Verdict {
	verdict := v.verdict()
	verdict.Trouble = fmt.Sprintf(form, args...)
	return verdict
}

// Read returns what a run of [Validator.Command] on a claim comes to.
func (v Validator) Read(c Claim, result *sandbox.Result) Verdict {
	verdict := v.judged(c, result)
	verdict.Took = result.Took
	return verdict
}

func (v Validator) judged(c Claim, result *sandbox.Result) Verdict {
	said := lastLine(result.Output)
	switch {
	case result.ExitCode == notFound && strings.TrimSpace(result.Output) == absent:
		return v.trouble("%s is not in the sandbox: unverified", v.Manifest.Command)
	case result.ExitCode == spent:
		return v.trouble("it was stopped after %.0f s of processor time: unverified%s", CPUTime.Seconds(), said)
	case result.Status == sandbox.TimedOut:
		return v.trouble("it was stopped after %.0f s, in which it did not use up its processor time: unverified%s", wallTime.Seconds(), said)
	case result.Status == sandbox.OutOfMemory:
		return v.trouble("it needed more than %d MiB of memory: unverified", memoryLimit>>20)
	case result.Status != sandbox.Exited:
		return v.trouble("it did not end by itself (%s): unverified%s", result.Status, said)
	case result.ExitCode != 0:
		return v.trouble("it ended with exit code %d: unverified%s", result.ExitCode, said)
	}
	output, _ := written(result, verdictFile)
	verdict := v.verdict()
	if err := verdict.parse(output); err != nil {
		return v.trouble("%s: unverified%s", err, said)
	}
	verdict.place(c)
	return verdict
}

// lastLine is the end of a sentence that quotes the last line of an output; "" where there is none.
func lastLine(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "" {
		return ""
	}
	return "; it wrote: " + cut(last, maxSaid)
}

// verdictFields are the fields that a validator writes, and whether it must.
var verdictFields = map[string]bool{"valid": true, "reason": true, "confidence": true, "path": false, "line": false}

// parse reads what a validator wrote to standard output. Other fields are ignored.
func (v *Verdict) parse(output []byte) error {
	if len(output) > maxVerdict {
		return fmt.Errorf("it wrote %d bytes, the limit of a verdict is %d", len(output), maxVerdict)
	}
	if len(bytes.TrimSpace(output)) == 0 {
		return errors.New(`it wrote nothing to standard output: write {"valid": ..., "reason": ..., "confidence": ...}`)
	}
	dec := json.NewDecoder(bytes.NewReader(output))
	var fields map[string]json.RawMessage
	if err := dec.Decode(&fields); err != nil || fields == nil {
		return fmt.Errorf("it did not write a JSON object but %q: standard output is for the verdict alone", cut(string(bytes.TrimSpace(output)), maxSaid))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("it wrote something after the verdict: write one JSON object and nothing else")
	}
	for _, name := range []string{"valid", "reason", "confidence"} {
		if _, there := fields[name]; !there {
			return fmt.Errorf("its verdict has no %q%s", name, misspelt(name, fields))
		}
	}
	for _, f := range []struct {
		name, must string
		to         any
	}{
		{"valid", "true or false", &v.Valid},
		{"reason", "a text", &v.Reason},
		{"confidence", "a number from 0 to 1", &v.Confidence},
		{"path", "the path of a file", &v.Path},
		{"line", "a line number, from 1", &v.Line},
	} {
		raw, there := fields[f.name]
		null := bytes.Equal(raw, []byte("null"))
		if there && (null && verdictFields[f.name] || json.Unmarshal(raw, f.to) != nil) {
			return fmt.Errorf("its %q is %s: write %s", f.name, cut(string(raw), maxName), f.must)
		}
	}
	switch {
	case !(v.Confidence >= 0 && v.Confidence <= 1):
		return fmt.Errorf(`its "confidence" is %v: write a number from 0 to 1`, v.Confidence)
	case strings.TrimSpace(v.Reason) == "":
		return errors.New(`its "reason" is empty: say why the fix is valid or not`)
	case v.Line < 0:
		return fmt.Errorf(`its "line" is %d: write a line number, from 1`, v.Line)
	}
	v.Reason = cut(strings.ToValidUTF8(strings.TrimSpace(v.Reason), "\uFFFD"), maxReason)
	return nil
}

// misspelt names the field that a missing one may have been written as.
func misspelt(name string, fields map[string]json.RawMessage) string {
	for other := range fields {
		if _, known := verdictFields[other]; !known && near.Distance([]rune(strings.ToLower(other)), []rune(name), wrongFieldFar) <= wrongFieldFar {
			return fmt.Sprintf(", but %q", other)
		}
	}
	return ""
}

// place leaves the verdict's place out where the claim has no such file: a diagnostic would lead nowhere.
func (v *Verdict) place(c Claim) {
	if v.Path == "" {
		v.Line = 0
		return
	}
	v.Path = path.Clean(v.Path)
	known := v.Path == c.Main || slices.Contains(c.Paths, v.Path) ||
		slices.ContainsFunc(c.Files, func(f File) bool { return f.Path == v.Path && f.After != nil })
	if !known || strings.ContainsFunc(v.Path, unicode.IsControl) { // a line break in it would forge the next line
		v.Path, v.Line = "", 0
		return
	}
	for _, said := range []string{fmt.Sprintf("%s:%d: ", v.Path, v.Line), v.Path + ": "} { // faces show the place themselves
		v.Reason = strings.TrimPrefix(v.Reason, said)
	}
}
