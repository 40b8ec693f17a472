package fixcheck

import (
	"strings"
	"testing"
)

// FuzzManifest looks for manifests that are accepted although their fields are wrong.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("name: a\ntype: executable\ndescription: d\ncommand: ./run.sh\nmetadata: {validates_error_type: KeyError}\n"))
	f.Add([]byte("- a"))
	f.Add([]byte("name: &x a\nargs: *x\nmetadata: {<<: *x}\n"))
	f.Fuzz(func(t *testing.T, source []byte) {
		m, err := ParseManifest("m.yaml", source)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "m.yaml") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if !ValidName(m.Name) || m.Command == "" || strings.HasPrefix(m.Command, "-") || strings.ContainsAny(m.Command, " \x00") || strings.Contains(m.Command, "..") && strings.Contains(m.Command, "../") ||
			len(m.ErrorTypes) == 0 || !(m.Threshold >= 0 && m.Threshold <= 1) || m.Priority < 0 || m.Priority > maxPriority {
			t.Errorf("%q gives %+v", source, m)
		}
	})
}

// FuzzVerdict looks for outputs that are accepted as verdicts although their fields are wrong.
func FuzzVerdict(f *testing.F) {
	f.Add([]byte(`{"valid": true, "reason": "r", "confidence": 0.5, "path": "a.py", "line": 3}`))
	f.Add([]byte(`{"valid": false, "reason": "r", "confidence": 1e400}`))
	f.Add([]byte(`{"valid": null, "reason": "\u0000", "confidence": -0}{}`))
	f.Fuzz(func(t *testing.T, output []byte) {
		var v Verdict
		if v.parse(output) != nil {
			return
		}
		if !(v.Confidence >= 0 && v.Confidence <= 1) || strings.TrimSpace(v.Reason) == "" || len(v.Reason) > maxReason+len("…") || v.Line < 0 {
			t.Errorf("%q gives %+v", output, v)
		}
	})
}

// FuzzUniversal looks for claims that the built-in checks stumble over.
func FuzzUniversal(f *testing.F) {
	f.Add("a.py", shop, shop, "Fixed `parse` in cart.py")
	f.Add("a.go", "package a\n", "package a\n// b\n", "Added x to a.b(")
	f.Add("a.tsx", "<p>a</p>", "<p", "``'\"/")
	f.Fuzz(func(t *testing.T, path, before, after, fix string) {
		for _, v := range Universal(Claim{Fixes: []string{fix}, Main: path, OriginalCode: before, FixedCode: after, Files: []File{{Path: path, Before: &before, After: &after}}}) {
			if v.Validator != Unchanged && before == after || v.Reason == "" {
				t.Errorf("%q: %+v", fix, v)
			}
		}
	})
}
