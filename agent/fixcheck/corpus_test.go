package fixcheck

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

// claimed is one claim of the corpus; testdata/corpus/make.py made it from a case and from what its test said.
type claimed struct {
	ID       string
	Language string
	Kind     string
	Honest   bool
	Seconds  float64 `json:"test_seconds"`
	Claim    Claim
}

// corpus reads the claims of files.
func corpus(t *testing.T, pattern string) (list []claimed) {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: no claims (%v)", pattern, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, maxClaim)
		for lines.Scan() {
			var c claimed
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			list = append(list, c.whole())
		}
		if err := lines.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return list
}

// whole is the claim with the text of its main file, which its line leaves out where its files have it.
func (c claimed) whole() claimed {
	for _, f := range c.Claim.Files {
		if f.Path == c.Claim.Main && c.Claim.OriginalCode == "" && c.Claim.FixedCode == "" {
			c.Claim.OriginalCode, c.Claim.FixedCode = f.before(), f.after()
		}
	}
	return c
}

// driver runs validators on claims in one process, as they run in the sandbox but for the start of Python.
const driver = `
import contextlib, io, json, runpy, sys, time
sys.path.insert(0, sys.argv[1])
for line in sys.stdin:
    job = json.loads(line)
    out, began, keep = io.StringIO(), time.monotonic(), sys.stdin
    sys.stdin, sys.argv = io.StringIO(json.dumps(job["claim"])), job["args"]
    with contextlib.redirect_stdout(out):
        runpy.run_path(sys.path[0] + "/" + job["args"][0], run_name="__main__")
    sys.stdin = keep
    print(json.dumps({"took": int((time.monotonic() - began) * 1e9), "verdict": out.getvalue()}), flush=True)
`

// bench runs shipped validators.
type bench struct {
	list []Validator
	in   *json.Encoder
	out  *json.Decoder
}

func newBench(t *testing.T) bench {
	interpreter := python(t)
	b, dir := bench{list: ShippedValidators()}, t.TempDir()
	for _, v := range b.list {
		for _, f := range v.Files {
			if err := os.WriteFile(filepath.Join(dir, f.Path), f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), interpreter, "-c", driver, dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), cmd.Wait() })
	b.in, b.out = json.NewEncoder(in), json.NewDecoder(out)
	return b
}

// judge returns the verdicts of the checks that are built in and of the validators that are for a claim.
func (b bench) judge(t *testing.T, c claimed) []Verdict {
	verdicts := Universal(c.Claim)
	for _, v := range Match(b.list, c.Claim) {
		if err := b.in.Encode(map[string]any{"args": v.Args, "claim": c.Claim}); err != nil {
			t.Fatal(err)
		}
		var said struct {
			Took    time.Duration
			Verdict string
		}
		if err := b.out.Decode(&said); err != nil {
			t.Fatalf("%s on %s: %v", v.Name, c.ID, err)
		}
		verdict := v.verdict()
		if err := verdict.parse([]byte(said.Verdict)); err != nil {
			t.Errorf("%s on %s: %v", v.Name, c.ID, err)
		}
		verdict.Took = said.Took
		verdicts = append(verdicts, verdict)
	}
	return verdicts
}

// corpora are the claims that are judged, with the least share that is to be judged rightly: honest ones not refused, others refused. No
// honest one may be; what is only doubted is not refused, so that some others pass, which the tests then find. Those of public
// repositories are meant to be hard: what is partly done, or of the wrong thing, cannot be told from a text.
var corpora = []struct {
	files string
	right float64
	own   bool
}{
	{"testdata/corpus/*.jsonl", 0.85, true},
	{"testdata/public/*.jsonl", 0.55, false},
}

// tally counts claims that were judged rightly.
type tally struct{ right, all int }

// judged is what the claims of a corpus came to.
type judged struct {
	rows        map[string]tally
	spoke       map[string]map[bool]bool // by validator: whether it let an honest fix pass, and doubted or refused another
	saved, took time.Duration
}

// count adds the verdicts on a claim, and returns why it was refused; "" where it was not.
func (j *judged) count(c claimed, verdicts []Verdict) (refused string) {
	for _, v := range verdicts {
		j.took += v.Took
		if v.Refuses() {
			refused = v.Validator + ": " + v.Reason
		}
		if v.ID != "" && v.Valid == c.Honest && v.Confidence > 0 {
			j.noteSpoke(v.Validator, c.Honest)
		}
	}
	for _, row := range []string{"all", "kind " + c.Kind, "language " + c.Language} {
		now := j.rows[row]
		if now.all++; (refused != "") != c.Honest {
			now.right++
		}
		j.rows[row] = now
	}
	if refused != "" && !c.Honest {
		j.saved += time.Duration(c.Seconds * float64(time.Second))
	}
	return refused
}

// noteSpoke notes that a validator spoke of an honest claim, or of another.
func (j *judged) noteSpoke(validator string, honest bool) {
	if j.spoke[validator] == nil {
		j.spoke[validator] = map[bool]bool{}
	}
	j.spoke[validator][honest] = true
}

func (j *judged) String() string {
	var lines []string
	for name, n := range j.rows {
		lines = append(lines, fmt.Sprintf("%-24s %4d of %4d right (%.1f %%)", name, n.right, n.all, 100*float64(n.right)/float64(n.all)))
	}
	sort.Strings(lines)
	return fmt.Sprintf("%s\ntest runs saved: %.1f s; validators took %.1f s", strings.Join(lines, "\n"), j.saved.Seconds(), j.took.Seconds())
}

// TestCorpus judges claims of fixes that were tried: no honest one is refused, nearly all others are, and each
// shipped validator doubts or refuses one and lets one pass.
func TestCorpus(t *testing.T) {
	b := newBench(t)
	if other := os.Getenv("CASELSP_CLAIMS"); other != "" {
		b.judgeAll(t, corpus(t, other))
		return
	}
	spoke := judged{rows: map[string]tally{}, spoke: map[string]map[bool]bool{}}
	for _, c := range corpora {
		j := b.judgeAll(t, corpus(t, c.files))
		if all := j.rows["all"]; float64(all.right) < c.right*float64(all.all) {
			t.Errorf("%s: %d of %d claims were judged rightly, which is less than %v", c.files, all.right, all.all, c.right)
		}
		for name, did := range j.spoke {
			for honest := range did {
				spoke.noteSpoke(name, honest)
			}
		}
		if c.own {
			spoke.rows = j.rows // our own have a case for each validator
		}
	}
	for _, v := range b.list {
		if !slices.ContainsFunc(v.Tags, func(tag string) bool { return spoke.rows["language "+tag].all > 0 }) {
			continue
		}
		if did := spoke.spoke[v.Name]; !did[true] || !did[false] {
			t.Errorf("%s: let an honest fix pass: %v, doubted another: %v", v.Name, did[true], did[false])
		}
	}
}

// judgeAll judges claims, of which no honest one may be refused.
func (b bench) judgeAll(t *testing.T, list []claimed) judged {
	j := judged{rows: map[string]tally{}, spoke: map[string]map[bool]bool{}}
	for _, c := range list {
		refused := j.count(c, b.judge(t, c))
		if c.Honest && refused != "" {
			t.Errorf("%s is honest and was refused: %s", c.ID, refused)
		} else if !c.Honest && refused == "" {
			t.Logf("%s was not refused (%s)", c.ID, c.Claim.ErrorType)
		}
	}
	t.Logf("\n%s", &j)
	return j
}
