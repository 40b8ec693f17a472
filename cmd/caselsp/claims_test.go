//go:build corpus

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent/fixcheck"
	"caselsp/agent/llm/llmtest"
	"caselsp/agent/record"
)

// commitClaim is a claim that agent/fixcheck/testdata/corpus/mine.py made from a commit.
type commitClaim struct {
	ID       string             `json:"id"`
	Repo     string             `json:"repo"`
	Parent   string             `json:"parent"`
	Language string             `json:"language"`
	Kind     string             `json:"kind"`
	Honest   bool               `json:"honest"`
	Line     string             `json:"line"`  // that runs the tests
	Tests    map[string]*string `json:"tests"` // of the commit
	Files    map[string]struct {
		After *string `json:"after"`
	} `json:"files"` // that the claimed fix changes
	Fixes    []string `json:"fixes_applied"`
	Analysis string   `json:"analysis"`
}

// answers are what the model says: it writes the commit's tests, finishes, makes the edit, and finishes with the claim. Whatever
// comes after that is of no interest. The plan names the files that are new in the project.
func (c commitClaim) answers(t *testing.T, project string) llmtest.Script {
	var script llmtest.Script
	add := func(role, verb string, times int, args map[string]any) {
		text, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		script.Rules = append(script.Rules, llmtest.Rule{Role: role, Times: times, Reply: llmtest.Reply{Calls: []llmtest.Call{{Name: verb, Args: string(text)}}}})
	}
	edit := func(path string, text *string) {
		if text == nil {
			add("case", "DELETE_FILE", 1, map[string]any{"thought": "t", "path": path})
			return
		}
		add("case", "WRITE_FILE", 1, map[string]any{"thought": "t", "path": path, "content": *text})
	}
	none, created := []string{}, []string{}
	for _, path := range slices.Sorted(maps.Keys(c.Tests)) {
		if _, err := os.Stat(filepath.Join(project, path)); c.Tests[path] != nil && os.IsNotExist(err) {
			created = append(created, path)
		}
	}
	add("tars", "SUBMIT_PLAN", 1, map[string]any{"analysis": "x", "files_to_create": created, "files_to_change": slices.Sorted(maps.Keys(c.Files)), "steps": none, "considerations": none,
		"features": []any{map[string]any{"id": "f", "title": "Fix", "description": c.Analysis, "test": c.Line}}})
	for _, path := range slices.Sorted(maps.Keys(c.Tests)) {
		edit(path, c.Tests[path])
	}
	add("case", "FINISH_FEATURE", 1, map[string]any{"thought": "t", "summary": "the tests are written"})
	for _, path := range slices.Sorted(maps.Keys(c.Files)) {
		edit(path, c.Files[path].After)
	}
	add("case", "FINISH_FEATURE", 1, map[string]any{"thought": "t", "summary": "mended", "fixes_applied": c.Fixes, "analysis": c.Analysis})
	add("case", "ABORT", llmtest.Always, map[string]any{"thought": "t", "reason": "enough"})
	add("reflector", "SUBMIT_HYPOTHESIS", llmtest.Always, map[string]any{"cause": "x", "fix": "x"})
	add("tars", "SUBMIT_VERDICT", llmtest.Always, map[string]any{"completion": 100, "approved": true, "summary": "done", "issues": none})
	return script
}

// maxAsked is how many questions of a task are answered: one for each of the two times that it finishes.
const maxAsked = 2

// judge has the real command judge the claim in a task of its own; nil where it came to no claim.
func (c commitClaim) judge(t *testing.T, mirrors, cache string) *record.FixChecked {
	run := &crashed{t: t, run: crashRun{engine: "native"}, home: t.TempDir()}
	run.must(os.MkdirAll(run.project(), 0o755))
	archive := exec.Command("git", "--git-dir", filepath.Join(mirrors, strings.ReplaceAll(c.Repo, "/", "+"), "repo"), "archive", c.Parent, ".", ":(exclude)benchmark")
	data, err := archive.Output()
	run.must(err)
	unpack := exec.Command("tar", "-x", "-C", run.project())
	unpack.Stdin = bytes.NewReader(data)
	run.must(unpack.Run())
	run.model = llmtest.New(c.answers(t, run.project()))
	defer run.model.Close()
	work := func(args ...string) ([]byte, error) {
		cmd := run.command(append(args, "--yes", "--json")...)
		cmd.Env = append(cmd.Env, "CASELSP_FIXCHECK_TESTS=true", "CASELSP_FIXCHECK_WRITE=false", "CASELSP_LINT_WHEN=never", "CASELSP_TESTS_WRITE=off", "XDG_CACHE_HOME="+cache)
		if first := os.Getenv("CASELSP_CLAIMS_FIRST"); first != "" {
			cmd.Env = append(cmd.Env, "CASELSP_FIXCHECK_FAILING_FIRST="+first)
		}
		return cmd.CombinedOutput()
	}
	said, err := work("run", "--task", c.Analysis)
	for range maxAsked { // commits take tests away, which the user is asked about
		if !bytes.Contains(said, []byte(`"question":{`)) {
			break
		}
		said, err = work("resume", "--answer", "approve")
	}
	_, _, events := run.events()
	for _, e := range events {
		if b, ok := e.Body.(record.FixChecked); ok {
			return &b
		}
	}
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	t.Logf("%s came to no claim (%v): %s", c.ID, err, lines[len(lines)-1])
	return nil
}

// claimTally counts claims that were judged rightly. One without a verdict is not.
type claimTally struct{ all, text, tests int }

// claimRoom is what is left of -timeout for the claim that is judged last: none is broken off.
const claimRoom = 5 * time.Minute

// TestClaimsOfCommits has the real command judge the claims that mine.py made: CASELSP_CLAIMS is their file, CASELSP_MIRRORS the folder of
// the repositories. It says how many are judged rightly by text alone and by the tests that failed, too. With -timeout, it judges those
// for which there is time: their order is a random one, always the same.
func TestClaimsOfCommits(t *testing.T) {
	need(t, "claims")
	mirrors := os.Getenv("CASELSP_MIRRORS")
	claims, tallies := shuffledClaims(t, os.Getenv("CASELSP_CLAIMS")), map[string]*claimTally{}
	var sums claimSeconds
	cache := t.TempDir() // one for all, as a user has it: without what was built before, Go projects take minutes each
	for i, c := range claims {
		if end, ends := t.Deadline(); ends && time.Until(end) < claimRoom {
			t.Logf("no time for %d of %d claims", len(claims)-i, len(claims))
			break
		}
		said := c.judge(t, mirrors, cache)
		refusedBy, byText, byTests := c.outcome(said, &sums)
		for _, row := range []string{"all", "kind " + c.Kind, "language " + c.Language, "language " + c.Language + " " + c.Kind} {
			n := tallies[row]
			if n == nil {
				n = &claimTally{}
				tallies[row] = n
			}
			n.all++
			if said != nil && byText != c.Honest {
				n.text++
			}
			if said != nil && (byText || byTests) != c.Honest {
				n.tests++
			}
		}
		switch {
		case said == nil:
			t.Logf("%s: wrong: not judged", c.ID)
		case c.Honest && (byText || byTests):
			t.Errorf("%s: wrong: honest, and refused: %s", c.ID, strings.Join(said.Told(), "; "))
		case !c.Honest && !byText && !byTests:
			t.Logf("%s: wrong: not refused: %s", c.ID, strings.Join(said.Told(), "; "))
		default:
			t.Logf("%s: right: %s", c.ID, refusedBy)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(tallies)) {
		n := tallies[row]
		t.Logf("%-32s %4d: by text %d (%.1f %%), with the failed tests %d (%.1f %%)", row, n.all, n.text, 100*float64(n.text)/float64(n.all), n.tests, 100*float64(n.tests)/float64(n.all))
	}
	t.Log(sums)
}

// shuffledClaims reads a file of claims, and shuffles them.
func shuffledClaims(t *testing.T, file string) (claims []commitClaim) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var c commitClaim
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		claims = append(claims, c)
	}
	order := rand.New(rand.NewPCG(18, 0))
	order.Shuffle(len(claims), func(i, j int) { claims[i], claims[j] = claims[j], claims[i] })
	return claims
}

// outcome says what became of a claim; said is nil where it was not judged.
func (c commitClaim) outcome(said *record.FixChecked, sums *claimSeconds) (told string, byText, byTests bool) {
	if said == nil {
		sums.unjudged++
		return "not judged", false, false
	}
	byText, byTests = sums.add(*said)
	told = "not refused"
	if byText || byTests {
		told = "refused by "
		for _, v := range said.Verdicts {
			if v.Refuses() {
				told += v.Validator + " "
			}
		}
	}
	if f := said.First; f != nil {
		told = fmt.Sprintf("%s; tests for it %.1f s, the failed run %.1f s", strings.TrimSpace(told), f.Took.Seconds(), f.Whole.Seconds())
	}
	return told, byText, byTests
}

// claimSeconds is what checking claims cost and saved.
type claimSeconds struct {
	checks, alone, saved time.Duration
	text, runs, whole    int // claims refused by their text; runs of failed tests alone; of the whole suite
	anew                 int // of these, the ones that failed in another way
	suites               time.Duration
	unjudged             int
}

// add takes in a claim, and reports what refused it. What the tests of the claim refuse counts whether it was sent back or counts as their run.
func (s *claimSeconds) add(said record.FixChecked) (byText, byTests bool) {
	for _, v := range said.Verdicts {
		switch {
		case v.Validator != fixcheck.FailingTests:
			s.checks += v.Took
			byText = byText || v.Refuses()
		case v.Refuses():
			byTests = true
		}
	}
	switch first := said.First; {
	case byText:
		s.text++
	case first == nil:
	case first.Counts:
		s.whole++
		s.suites += first.Took
		if first.Anew {
			s.anew++
		}
	default:
		s.runs++
		if s.alone += first.Took; byTests {
			s.saved += first.Whole
		}
	}
	return byText, byTests
}

func (s claimSeconds) String() string {
	return fmt.Sprintf("refused by text, each without a run: %d; validators took %.1f s\nrun alone: %d in %.1f s, which spared %.1f s of whole suites\nwith the whole suite: %d in %.1f s, which count as runs of the tests, of which %d failed in another way\nnot judged: %d",
		s.text, s.checks.Seconds(), s.runs, s.alone.Seconds(), s.saved.Seconds(), s.whole, s.suites.Seconds(), s.anew, s.unjudged)
}
