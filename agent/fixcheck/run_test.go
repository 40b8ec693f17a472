package fixcheck

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"caselsp/sandbox"
)

// docker returns a Docker engine with the image of a profile.
func docker(t testing.TB, profile sandbox.Profile) *sandbox.DockerEngine {
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
	need(t, "docker", err)
	return engine
}

// python returns the path of the interpreter.
func python(t testing.TB) string {
	t.Helper()
	file, err := exec.LookPath("python3")
	need(t, "python3", err)
	return file
}

// need skips a test whose program is missing, which is what the error says; one that CASELSP_REQUIRE names may not be.
func need(t testing.TB, program string, missing error) {
	t.Helper()
	if missing != nil && slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), program) {
		t.Fatalf("%s is required here: %v", program, missing)
	} else if missing != nil {
		t.Skipf("needs %s: %v", program, missing)
	}
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

// BenchmarkRun runs five validators of one folder, in one sandbox and, as those of a stranger, in one each.
func BenchmarkRun(b *testing.B) {
	engine := docker(b, sandbox.Python)
	text := strings.Repeat("def f(x):\n    return x + 1\n", 500)
	claim := Claim{OriginalCode: text, FixedCode: text, Files: []File{{Path: "a.py", Before: &text, After: &text}}}
	for _, origin := range []Origin{User, Workspace} {
		var list []Validator
		for i := range 5 {
			v := of(b, fmt.Sprintf("v%d", i), "import json, sys, ast\nc = json.load(sys.stdin)\nast.parse(c['fixed_code'])\nprint(json.dumps({'valid': True, 'reason': 'r', 'confidence': 1}))\n")
			v.Origin = origin
			list = append(list, v)
		}
		b.Run(string(origin), func(b *testing.B) {
			for b.Loop() {
				verdicts, err := Run(b.Context(), engine, list, claim)
				if err != nil {
					b.Fatal(err)
				}
				for _, v := range verdicts {
					if v.Trouble != "" {
						b.Log(v.Trouble)
					}
				}
			}
		})
	}
}

// TestRun runs validators that behave and that do not in the real sandbox.
func TestRun(t *testing.T) {
	engine := docker(t, sandbox.Python)
	good := "import json\nprint(json.dumps({'valid': False, 'reason': 'no', 'confidence': 0.9}))\n"
	cases := []struct{ name, script, want string }{
		{"good", good, "no"},
		{"reads the claim", "import json, sys\nc = json.load(sys.stdin)\nprint(json.dumps({'valid': True, 'reason': c['error_message'], 'confidence': 1}))\n", "NameError: x"},
		{"warns", "import sys\nprint('careful', file=sys.stderr)\n" + good, "no"},
		{"is alone", "import json, os\nprint(json.dumps({'valid': True, 'reason': ' '.join(sorted(os.listdir('.'))), 'confidence': 1}))\n", ".caselsp-claim.json .caselsp-verdict.json check.py"},
		{"crashes", "raise KeyError('a')\n", "it ended with exit code 1: unverified; it wrote: KeyError: 'a'"},
		{"loops", "while True:\n    pass\n", "it was stopped after 5 s of processor time: unverified"},
		{"ignores the signal", "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True:\n    pass\n", "it did not end by itself (killed): unverified"},
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

// writesOthers is a validator that writes into the files of the others of its folder, as far as it finds them.
const writesOthers = `import glob, json, os
for name in glob.glob("*.py") + glob.glob("../*.json") + glob.glob("../.caselsp-*.json") + glob.glob(".caselsp-*"):
    try:
        with open(name, "w") as f:
            f.write("{}")
    except OSError:
        pass
print(json.dumps({"valid": True, "reason": "wrote", "confidence": 1}))
`

// TestRunTogether runs validators of one folder, which share a sandbox.
func TestRunTogether(t *testing.T) {
	engine := docker(t, sandbox.Python)
	folder := fstest.MapFS{}
	cases := map[string]string{ // by the name of the script
		"good":     "no",
		"reader":   "NameError: x",
		"crashing": "it ended with exit code 1: unverified; it wrote: KeyError: 'a'",
		"looping":  "it was stopped after 5 s of processor time: unverified; it wrote: begun",
		"a-writer": "wrote",
		"silent":   `it wrote nothing to standard output: write {"valid": ..., "reason": ..., "confidence": ...}: unverified`,
	}
	scripts := map[string]string{
		"good":     "import json\nprint(json.dumps({'valid': False, 'reason': 'no', 'confidence': 0.9}))\n",
		"reader":   "import json, sys\nc = json.load(sys.stdin)\nprint(json.dumps({'valid': True, 'reason': c['error_message'], 'confidence': 1}))\n",
		"crashing": "raise KeyError('a')\n",
		"looping":  "import sys\nprint('begun', file=sys.stderr, flush=True)\nwhile True:\n    pass\n",
		"a-writer": writesOthers,
		"silent":   "",
		"hungry":   "x = bytearray(1 << 31)\n",
	}
	for name, script := range scripts {
		folder[name+".yaml"] = &fstest.MapFile{Data: []byte("name: " + name + "\ntype: executable\ndescription: d\ncommand: python3\nargs: [" + name + ".py]\nmetadata: {validates_error_type: NameError}\n")}
		folder[name+".py"] = &fstest.MapFile{Data: []byte(script)}
	}
	folder["absent.yaml"] = &fstest.MapFile{Data: []byte("name: absent\ntype: executable\ndescription: d\ncommand: ruby-that-is-not-there\nmetadata: {validates_error_type: NameError}\n")}
	cases["absent"] = "ruby-that-is-not-there is not in the sandbox: unverified"
	all, problems := Load(folder, User)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	little := int64(0)
	check := func(list []Validator, runs int64) {
		counted := &counting{Engine: engine, memory: little}
		verdicts, err := Run(t.Context(), counted, list, Claim{ErrorMessage: "NameError: x"})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range verdicts {
			if got := v.Reason + v.Trouble; got != cases[list[i].Name] {
				t.Errorf("%s: got %q, want %q", list[i].Name, got, cases[list[i].Name])
			}
		}
		if got := counted.runs.Load(); got != runs {
			t.Errorf("%d runs of the sandbox, not %d", got, runs)
		}
	}
	quiet := slices.DeleteFunc(slices.Clone(all), func(v Validator) bool { return v.Name == "hungry" })
	check(quiet, 1)
	// One that breaks what they share does no harm to the others. It has so little memory that a busy machine fills it before
	// the time is over.
	little = 48 << 20
	cases["hungry"] = "it needed more than 256 MiB of memory: unverified"
	two := slices.DeleteFunc(slices.Clone(all), func(v Validator) bool { return v.Name != "hungry" && v.Name != "good" })
	check(two, 2)
}

// TestRunLarge shows that shipped validators leave files out that they would not read in time, and say so.
func TestRunLarge(t *testing.T) {
	text := strings.Repeat("x = 1\n", maxLines+1)
	c := Claim{ErrorMessage: "NameError: x", Files: []File{{Path: "a.py", After: &text}}}
	verdicts, err := Run(t.Context(), nil, ShippedValidators(), c) // nothing runs
	if err != nil || len(verdicts) == 0 {
		t.Fatal(verdicts, err)
	}
	for _, v := range verdicts {
		if want := "not judged: too large: a changed file has 20001 lines, the limit is 20000"; v.Trouble != want || v.Refuses() {
			t.Errorf("%+v", v)
		}
	}
}

// TestRunSlow runs validators that need less processor time than they may use, on a machine so slow that it takes them longer
// than that by the clock. Each comes to a verdict: alone, and in one sandbox with another.
func TestRunSlow(t *testing.T) {
	t.Parallel()
	engine := docker(t, sandbox.Python)
	folder := fstest.MapFS{"work.py": {Data: []byte("import json, time\nwhile time.process_time() < 0.8:\n    pass\nprint(json.dumps({'valid': True, 'reason': 'done', 'confidence': 1}))\n")}}
	for _, name := range []string{"one", "two"} {
		folder[name+".yaml"] = &fstest.MapFile{Data: []byte("name: " + name + "\ntype: executable\ndescription: d\ncommand: python3\nargs: [work.py]\nmetadata: {validates_error_type: NameError}\n")}
	}
	both, problems := Load(folder, User)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, list := range [][]Validator{both, both[:1]} {
		slow := &counting{Engine: engine, cpus: 0.1}
		verdicts, err := Run(t.Context(), slow, list, Claim{ErrorMessage: "NameError: x"})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range verdicts {
			if v.Reason != "done" || v.Trouble != "" {
				t.Errorf("%d of them: %+v", len(list), v)
			}
			if v.Took <= CPUTime {
				t.Errorf("%d of them: it took %s, which a limit of %s by the clock would allow", len(list), v.Took, CPUTime)
			}
		}
		if n := slow.runs.Load(); n != 1 {
			t.Errorf("%d runs of the sandbox", n)
		}
	}
}

// counting counts the runs of an engine.
type counting struct {
	sandbox.Engine
	runs   atomic.Int64
	memory int64   // that a command gets; 0: what it asks for
	cpus   float64 // that a command gets; 0: what it asks for
}

func (c *counting) Run(ctx context.Context, cmd sandbox.Command) (*sandbox.Result, error) {
	c.runs.Add(1)
	if c.memory > 0 {
		cmd.Policy.Memory = c.memory
	}
	if c.cpus > 0 {
		cmd.Policy.CPUs = c.cpus
	}
	return c.Engine.Run(ctx, cmd)
}
