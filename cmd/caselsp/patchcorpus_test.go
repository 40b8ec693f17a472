//go:build corpus

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"caselsp/agent/syntax"
)

var (
	corpusDir  = flag.String("corpus", "", "a folder with *.jsonl.gz files of patch cases, see the README")
	corpusKind = flag.String("kind", "", "show every case of this kind (or kind/format) that is not right")
)

// The figures that the patch engine is held to.
const (
	corpusWrong = 0  // results that are not what was meant
	corpusRight = 97 // percent of all cases that must be right
	corpusBreak = 2  // per mille of the edits that may break a file that parsed
)

// corpusCase is a patch that was spoiled the way that models spoil them.
type corpusCase struct {
	ID     string  `json:"id"`
	Kind   string  `json:"kind"`
	Format string  `json:"format"`
	Expect string  `json:"expect"` // "apply": exactly After; "refuse": nothing may be changed
	Path   string  `json:"path"`
	Before string  `json:"before"`
	Patch  string  `json:"patch"`
	After  *string `json:"after"`
}

// TestPatchCorpus sends a corpus through `caselsp patch --batch` and prints what
// came of it, by kind and format.
func TestPatchCorpus(t *testing.T) {
	cases := readCorpus(t, *corpusDir)
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for _, c := range cases {
		if err := enc.Encode(map[string]string{"id": c.ID, "path": c.Path, "before": c.Before, "patch": c.Patch}); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("caselsp", "patch", "--batch")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	table := newTally()
	var micros []int64
	dec := json.NewDecoder(bytes.NewReader(out))
	for _, c := range cases {
		var a batchAnswer
		if err := dec.Decode(&a); err != nil {
			t.Fatalf("the answer to %s: %v", c.ID, err)
		}
		if want, _ := json.Marshal(c.ID); string(a.ID) != string(want) {
			t.Fatalf("the answer to %s has the id %s", c.ID, a.ID)
		}
		micros = append(micros, a.Micros)
		verdict := c.judge(a)
		table.add(c, a, verdict)
		if *corpusKind != "" && verdict != wasRight && (*corpusKind == c.Kind || *corpusKind == c.Kind+"/"+c.Format) {
			showCase(t, c, a, verdict)
		}
	}
	slices.Sort(micros)
	t.Logf("%s\nmedian %d µs, p99 %d µs, slowest %d µs", table, micros[len(micros)/2], micros[len(micros)*99/100], micros[len(micros)-1])
	if n := table.all[wasWrong]; n > corpusWrong {
		t.Errorf("%d wrong results; %d is the limit", n, corpusWrong)
	}
	if n := table.all[wasRight] * 100 / len(cases); n < corpusRight {
		t.Errorf("%d percent right; %d is the aim", n, corpusRight)
	}
}

// TestCorpusParses holds the syntax check to the corpus: hardly any of its edits,
// all made by people, may be refused for breaking the file. One hunk of several
// can break it for itself.
func TestCorpusParses(t *testing.T) {
	edits, breaks := 0, 0
	for _, c := range readCorpus(t, *corpusDir) {
		lang := syntax.LanguageOf(c.Path)
		if c.After == nil || lang == "" || !syntax.Parse(lang, c.Before).OK() {
			continue
		}
		edits++
		if errs := syntax.Parse(lang, *c.After).Errors(); len(errs) > 0 {
			breaks++
			t.Logf("%s: the result no longer parses: line %d: %s", c.ID, errs[0].Start.Line+1, errs[0].Message)
		}
	}
	if breaks*1000 > edits*corpusBreak {
		t.Errorf("%d of %d edits would be refused for breaking the file", breaks, edits)
	}
}

func readCorpus(t *testing.T, dir string) []corpusCase {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s holds no *.jsonl.gz: %v", dir, err)
	}
	var cases []corpusCase
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			t.Fatal(err)
		}
		for dec := json.NewDecoder(text); ; {
			var c corpusCase
			if err := dec.Decode(&c); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			cases = append(cases, c)
		}
		_ = f.Close()
	}
	return cases
}

// What an answer is.
const (
	wasRight   = "right"
	wasWrong   = "wrong"   // the text was changed, and not to what was meant
	wasRefused = "refused" // it was not changed and should have been
)

func (c corpusCase) judge(a batchAnswer) string {
	switch {
	case a.Status == statusApplied && c.Expect == "apply" && a.After == *c.After:
		return wasRight
	case a.Status == statusApplied || a.After != c.Before:
		return wasWrong
	case c.Expect == "refuse":
		return wasRight
	}
	return wasRefused
}

// showCase prints a case that is not right, with what can be seen of why.
func showCase(t *testing.T, c corpusCase, a batchAnswer, verdict string) {
	t.Helper()
	t.Logf("%s: %s, %s: %s\n%s", verdict, c.ID, a.Status, a.Message, c.Patch)
	if verdict != wasWrong || c.After == nil {
		return
	}
	got, want := strings.SplitAfter(a.After, "\n"), strings.SplitAfter(*c.After, "\n")
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Logf("line %d is %q, meant was %q", i+1, got[i], want[i])
			return
		}
	}
	t.Logf("%d lines, meant were %d", len(got), len(want))
}

// tally counts verdicts by kind and format, and the landings of each layer.
type tally struct {
	all    map[string]int
	rows   map[string]map[string]int
	layers map[string]map[string]int // by layer: hunks by the verdict on their case
}

func newTally() *tally {
	return &tally{map[string]int{}, map[string]map[string]int{}, map[string]map[string]int{}}
}

func (t *tally) add(c corpusCase, a batchAnswer, verdict string) {
	count := func(m map[string]map[string]int, row, column string) {
		if m[row] == nil {
			m[row] = map[string]int{}
		}
		m[row][column]++
	}
	t.all[verdict]++
	row := c.Kind + "\t" + c.Format
	count(t.rows, row, verdict)
	count(t.rows, row, string(a.Status))
	for _, h := range a.Hunks {
		count(t.layers, h.Layer, verdict)
	}
}

func (t *tally) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\nkind\tformat\tright\twrong\trefused\tstatuses\n")
	for _, row := range sortedKeys(t.rows) {
		n := t.rows[row]
		var statuses []string
		for _, s := range sortedKeys(n) {
			if s != wasRight && s != wasWrong && s != wasRefused {
				statuses = append(statuses, fmt.Sprintf("%s %d", s, n[s]))
			}
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\n", row, n[wasRight], n[wasWrong], n[wasRefused], strings.Join(statuses, ", "))
	}
	fmt.Fprintf(w, "all\t\t%d\t%d\t%d\n", t.all[wasRight], t.all[wasWrong], t.all[wasRefused])
	fmt.Fprint(w, "\nlayer\thunks in right results\tin wrong ones\n")
	for _, layer := range sortedKeys(t.layers) {
		fmt.Fprintf(w, "%s\t%d\t%d\n", layer, t.layers[layer][wasRight], t.layers[layer][wasWrong])
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare[string])
	return keys
}
