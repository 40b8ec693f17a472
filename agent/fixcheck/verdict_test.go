package fixcheck

import (
	"fmt"
	"strings"
	"testing"

	"caselsp/sandbox"
)

func TestRead(t *testing.T) {
	v := Validator{Manifest: Manifest{Name: "v", Command: "python3", Threshold: 0.7, AutoApply: true}, Origin: User, ID: "1"}
	text := ""
	claim := Claim{Main: "a.py", Paths: []string{"b.py"}, Files: []File{{Path: "new.py", After: &text}, {Path: "gone.py", Before: &text}}}
	for _, c := range []struct{ written, want string }{
		{`{"valid": false, "reason": "no", "confidence": 0.9}`, "false no 0.9  0 "},
		{` {"valid": true, "reason": " yes ", "confidence": 1, "path": "./a.py", "line": 3, "more": [1]} ` + "\n", "true yes 1 a.py 3 "},
		{`{"valid": true, "reason": "r", "confidence": 0, "path": "new.py"}`, "true r 0 new.py 0 "},
		{`{"valid": true, "reason": "r", "confidence": 0, "path": "gone.py", "line": 1}`, "true r 0  0 "},
		{`{"valid": true, "reason": "r", "confidence": 0, "path": "/etc/passwd", "line": 1}`, "true r 0  0 "},
		{`{"valid": true, "reason": "r", "confidence": 0, "line": 1}`, "true r 0  0 "},
		{`{"valid": true, "reason": "r", "confidence": 0, "path": null, "line": null}`, "true r 0  0 "},
		{``, `it wrote nothing to standard output: write {"valid": ..., "reason": ..., "confidence": ...}: unverified`},
		{`null`, `it did not write a JSON object but "null": standard output is for the verdict alone: unverified`},
		{`[1]`, `it did not write a JSON object but "[1]": standard output is for the verdict alone: unverified`},
		{"checking\n{}", `it did not write a JSON object but "checking\n{}": standard output is for the verdict alone: unverified`},
		{`{"valid": true, "reason": "r", "confidence": NaN}`, `it did not write a JSON object but "{\"valid\": true, \"reason\": \"r\", \"confidence\": NaN}": standard output is for the verdict alone: unverified`},
		{`{"valid": true, "reason": "r", "confidence": 1} {}`, `it wrote something after the verdict: write one JSON object and nothing else: unverified`},
		{`{"valid": true, "reason": "r", "confidence": 1} x`, `it wrote something after the verdict: write one JSON object and nothing else: unverified`},
		{`{"valid": true, "reason": "r"}`, `its verdict has no "confidence": unverified`},
		{`{"Valid": true, "reason": "r", "confidence": 1}`, `its verdict has no "valid", but "Valid": unverified`},
		{`{"valid": "yes", "reason": "r", "confidence": 1}`, `its "valid" is "yes": write true or false: unverified`},
		{`{"valid": null, "reason": "r", "confidence": 1}`, `its "valid" is null: write true or false: unverified`},
		{`{"valid": true, "reason": ["r"], "confidence": 1}`, `its "reason" is ["r"]: write a text: unverified`},
		{`{"valid": true, "reason": " ", "confidence": 1}`, `its "reason" is empty: say why the fix is valid or not: unverified`},
		{`{"valid": true, "reason": "r", "confidence": 70}`, `its "confidence" is 70: write a number from 0 to 1: unverified`},
		{`{"valid": true, "reason": "r", "confidence": "high"}`, `its "confidence" is "high": write a number from 0 to 1: unverified`},
		{`{"valid": true, "reason": "r", "confidence": 1, "line": 1.5}`, `its "line" is 1.5: write a line number, from 1: unverified`},
		{`{"valid": true, "reason": "r", "confidence": 1, "line": -1}`, `its "line" is -1: write a line number, from 1: unverified`},
		{`{"valid": true, "reason": "r", "confidence": 1, "path": 5}`, `its "path" is 5: write the path of a file: unverified`},
		{strings.Repeat(" ", maxVerdict+1), `it wrote 65537 bytes, the limit of a verdict is 65536: unverified`},
	} {
		verdict := v.Read(claim, &sandbox.Result{Status: sandbox.Exited, Changes: []sandbox.Change{{Path: verdictFile, Data: []byte(c.written)}}})
		got := verdict.Trouble
		if got == "" {
			got = fmt.Sprintf("%v %s %v %s %d ", verdict.Valid, verdict.Reason, verdict.Confidence, verdict.Path, verdict.Line)
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", cut(c.written, 80), got, c.want)
		}
		if verdict.Validator != "v" || verdict.ID != "1" || verdict.Origin != User || verdict.Threshold != 0.7 || verdict.Shown {
			t.Errorf("%s: %+v", c.written, verdict)
		}
	}
	long := v.Read(claim, &sandbox.Result{Status: sandbox.Exited, Changes: []sandbox.Change{{Path: verdictFile, Data: []byte(`{"valid": true, "confidence": 1, "reason": "` + strings.Repeat("x", 2*maxReason) + `"}`)}}})
	if len(long.Reason) > maxReason+len("…") {
		t.Errorf("the reason has %d bytes", len(long.Reason))
	}
}

// TestReadTrouble shows that no run that went wrong is a verdict, whatever it had written.
func TestReadTrouble(t *testing.T) {
	v := Validator{Manifest: Manifest{Name: "v", Command: "ruby", Threshold: 0.7}}
	wrote := []sandbox.Change{{Path: verdictFile, Data: []byte(`{"valid": true, "reason": "r", "confidence": 1}`)}}
	for _, c := range []struct {
		result sandbox.Result
		want   string
	}{
		{sandbox.Result{Status: sandbox.Exited, ExitCode: 127, Output: absent + "\n"}, "ruby is not in the sandbox: unverified"},
		{sandbox.Result{Status: sandbox.Exited, ExitCode: 127, Output: "x"}, "it ended with exit code 127: unverified; it wrote: x"},
		{sandbox.Result{Status: sandbox.TimedOut, ExitCode: -1}, "it was stopped after 60 s, in which it did not use up its processor time: unverified"},
		{sandbox.Result{Status: sandbox.Killed, ExitCode: 152}, "it was stopped after 5 s of processor time: unverified"},
		{sandbox.Result{Status: sandbox.OutOfMemory, ExitCode: 137}, "it needed more than 256 MiB of memory: unverified"},
		{sandbox.Result{Status: sandbox.DiskFull, ExitCode: 1}, "it did not end by itself (disk full): unverified"},
		{sandbox.Result{Status: sandbox.Exited, ExitCode: 1, Output: "Traceback\n  File x\nKeyError: 'a'\n\n"}, "it ended with exit code 1: unverified; it wrote: KeyError: 'a'"},
	} {
		c.result.Changes = wrote
		if got := v.Read(Claim{}, &c.result); got.Trouble != c.want || got.Refuses() || !got.Shown {
			t.Errorf("got %+v\nwant %s", got, c.want)
		}
	}
}
