package fixcheck

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"caselsp/sandbox"
)

// need returns a Docker engine with the image of a profile.
func need(t testing.TB, profile sandbox.Profile) *sandbox.DockerEngine {
	t.Helper()
	engine, err := sandbox.Docker(t.Context(), sandbox.DockerOptions{Workspace: t.Name()})
	if err == nil {
		t.Cleanup(func() { engine.Close() })
		// A run without the image would build it for minutes.
		var images []sandbox.Image
		images, err = engine.Images(t.Context())
		if i := slices.IndexFunc(images, func(i sandbox.Image) bool { return i.Profile == profile }); err == nil && images[i].Built.IsZero() {
			err = fmt.Errorf("the image %s is missing: make sandbox-image builds it", images[i].Tag)
		}
	}
	if err != nil && slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), "docker") {
		t.Fatalf("docker is required here: %v", err)
	} else if err != nil {
		t.Skipf("needs docker: %v", err)
	}
	return engine
}

// of returns a validator in Python.
func of(t testing.TB, name, script string) Validator {
	t.Helper()
	list, problems := Load(fstest.MapFS{
		"v/m.yaml":   {Data: []byte("name: " + name + "\ntype: executable\ndescription: d\ncommand: python3\nargs: [check.py]\nmetadata: {validates_error_type: NameError}\n")},
		"v/check.py": {Data: []byte(script)},
	}, User)
	if len(problems) > 0 || len(list) != 1 {
		t.Fatal(problems)
	}
	return list[0]
}

func BenchmarkRun(b *testing.B) {
	engine := need(b, sandbox.Python)
	var list []Validator
	for i := range 5 {
		list = append(list, of(b, fmt.Sprintf("v%d", i), "import json, sys, ast\nc = json.load(sys.stdin)\nast.parse(c['fixed_code'])\nprint(json.dumps({'valid': True, 'reason': 'r', 'confidence': 1}))\n"))
	}
	text := strings.Repeat("def f(x):\n    return x + 1\n", 500)
	claim := Claim{OriginalCode: text, FixedCode: text, Files: []File{{Path: "a.py", Before: &text, After: &text}}}
	for b.Loop() {
		verdicts, err := Run(b.Context(), engine, list, claim)
		if err != nil {
			b.Fatal(err)
		}
		for _, v := range verdicts {
			if v.Trouble != "" {
				b.Fatal(v.Trouble)
			}
		}
	}
}

// TestRun runs validators that behave and that do not in the real sandbox.
func TestRun(t *testing.T) {
	engine := need(t, sandbox.Python)
	good := "import json\nprint(json.dumps({'valid': False, 'reason': 'no', 'confidence': 0.9}))\n"
	cases := []struct{ name, script, want string }{
		{"good", good, "no"},
		{"reads the claim", "import json, sys\nc = json.load(sys.stdin)\nprint(json.dumps({'valid': True, 'reason': c['error_message'], 'confidence': 1}))\n", "NameError: x"},
		{"warns", "import sys\nprint('careful', file=sys.stderr)\n" + good, "no"},
		{"is alone", "import json, os\nprint(json.dumps({'valid': True, 'reason': ' '.join(sorted(os.listdir('.'))), 'confidence': 1}))\n", ".caselsp-claim.json .caselsp-verdict.json check.py"},
		{"crashes", "raise KeyError('a')\n", "it ended with exit code 1: unverified; it wrote: KeyError: 'a'"},
		{"loops", "while True:\n    pass\n", "it was stopped after 5s: unverified"},
		{"eats memory", "x = bytearray(1 << 30)\n" + good, "it needed more than 256 MiB of memory: unverified"},
		{"writes much", "print('x' * 100000)\n", "it wrote 100001 bytes, the limit of a verdict is 65536: unverified"},
		{"calls", "import urllib.request\nurllib.request.urlopen('http://192.0.2.1/', timeout=1)\n", "it ended with exit code 1: unverified; it wrote: urllib.error.URLError: <urlopen error [Errno 101] Network is unreachable>"},
	}
	var list []Validator
	for i, c := range cases {
		list = append(list, of(t, fmt.Sprintf("v%d", i), c.script))
	}
	ruby := list[0]
	ruby.Manifest.Command = "ruby-that-is-not-there"
	verdicts, err := Run(t.Context(), engine, append(list, ruby), Claim{ErrorMessage: "NameError: x"})
	if err != nil {
		t.Fatal(err)
	}
	cases = append(cases, struct{ name, script, want string }{"lacks its program", "", "ruby-that-is-not-there is not in the sandbox: unverified"})
	for i, v := range verdicts {
		if got := v.Reason + v.Trouble; got != cases[i].want {
			t.Errorf("one that %s: got %q, want %q", cases[i].name, got, cases[i].want)
		}
	}
}
