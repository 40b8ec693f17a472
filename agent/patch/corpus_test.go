//go:build corpus

package patch_test

import (
	"cmp"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	udiff "github.com/aymanbagabas/go-udiff"
)

// The figures that the engine is held to. Wrong in the exact layer: 0.
const (
	wantRight      = 975 // per mille of all cases
	wantWrong      = 2   // per 10,000 cases
	wantKnown      = 90  // percent of each kind
	wantMedian     = time.Millisecond
	wantP95        = 10 * time.Millisecond
	fewestOfKind   = 60
	attemptsPer    = 300 // for each case wanted: changes that are looked at
	shownPerKind   = 5
	casesByDefault = 120
)

// What a careful reader of the patch would say.
type expectation int

const (
	must    expectation = iota // the edit is certain
	may                        // it is not: refused or right are both good
	mustNot                    // nobody could say what is meant, or it is not this file
	done                       // the file already reads as the edit wants it
)

// envelopeCase is one patch as a model could write it.
type envelopeCase struct {
	expect expectation
	before map[string]string
	text   string
	after  map[string]string
	unsure bool // where it is applied, the confidence must be less than 1
}

// kind is one way to write or to spoil a patch.
type kind struct {
	name   string
	format string
	exact  bool // the old lines are in the file byte for byte
	write  func(s *source) (envelopeCase, bool)
}

// source is what a case is made of: a random choice, a change of a commit, the
// commit, and a change of another file.
type source struct {
	*rand.Rand
	change
	commit   commit
	stranger change
}

// single leaves one hunk of the change, as if nothing else had been changed.
func (s *source) single() bool {
	h := s.hunks[s.IntN(len(s.hunks))]
	after := slices.Replace(bare(s.before), h.old-1, h.old-1+len(h.oldLines()), h.newLines()...)
	s.change = newChange(s.path, s.before, strings.Join(after, "\n")+"\n", 3)
	return len(s.hunks) == 1
}

// one makes a case of a patch for one file.
func (s *source) one(expect expectation, c change, lines []string) envelopeCase {
	return envelopeCase{expect: expect, before: map[string]string{c.path: c.before}, after: map[string]string{c.path: c.after}, text: strings.Join(lines, "\n") + "\n"}
}

// refuse makes a case that must not change the file.
func (s *source) refuse(c change, lines []string) envelopeCase {
	return s.one(mustNot, change{path: c.path, before: c.before, after: c.before}, lines)
}

// TestEnvelopes makes cases from the commits of the bare repositories that
// ENVELOPE_REPOS names, and counts by kind what the engine makes of them. Some of
// the failures are written to the folder ENVELOPE_FAILURES.
func TestEnvelopes(t *testing.T) {
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("ENVELOPE_SEED"), "0"), 10, 64)
	cases, err2 := strconv.Atoi(cmp.Or(os.Getenv("ENVELOPE_CASES"), fmt.Sprint(casesByDefault)))
	dirs, failures := strings.Fields(os.Getenv("ENVELOPE_REPOS")), os.Getenv("ENVELOPE_FAILURES")
	if err := errors.Join(err, err2); err != nil || len(dirs) == 0 {
		t.Fatalf("ENVELOPE_REPOS names no bare repository, or a number is none: %v", err)
	}
	if failures != "" {
		if err := os.MkdirAll(failures, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var repos [][]commit
	for _, dir := range dirs {
		repos = append(repos, commits(t, dir, seed))
	}
	table := &envelopeTable{failures: failures, sum: fnv.New64a(), outcomes: outcomesOf(t)}
	for _, k := range kinds() {
		if only := os.Getenv("ENVELOPE_KIND"); only != "" && !strings.HasPrefix(k.name+"/"+k.format, only) {
			continue
		}
		table.rows = append(table.rows, &envelopeRow{kind: k})
		generate(k, repos, seed, cases, func(id string, c envelopeCase) {
			table.run(t, id, c)
		})
	}
	t.Log(table)
	table.outcomes.close(t)
	table.hold(t)
}

// generate makes the cases of a kind. It depends on the repositories, the seed
// and the kind only.
func generate(k kind, repos [][]commit, seed uint64, cases int, do func(id string, c envelopeCase)) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(k.name + "/" + k.format))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	seen := map[string]bool{}
	for range cases * attemptsPer {
		repo := repos[r.IntN(len(repos))]
		from, other := repo[r.IntN(len(repo))], repo[r.IntN(len(repo))]
		s := &source{r, from.changes[r.IntN(len(from.changes))], from, other.changes[r.IntN(len(other.changes))]}
		id := from.id + ":" + s.path
		if seen[id] {
			continue
		}
		if c, ok := k.write(s); ok {
			if k.format == search && c.expect == must && s.has(dividers) {
				c.expect = may // which of the lines divides the block is a guess
			}
			seen[id] = true
			do(id, c)
		}
		if len(seen) == cases {
			return
		}
	}
}

type envelopeTable struct {
	failures string
	rows     []*envelopeRow
	times    []time.Duration
	sum      hash.Hash64 // of the cases: equal sums, equal cases
	outcomes *outcomes
}

type envelopeRow struct {
	kind                                         kind
	right, wrong, refused, mayRefuse, mustRefuse int
	shown                                        map[string]int
}

func (table *envelopeTable) run(t *testing.T, id string, c envelopeCase) {
	row := table.rows[len(table.rows)-1]
	_, _ = fmt.Fprintf(table.sum, "%s %s %s %d %v %v\n", row.kind.name, id, c.text, c.expect, c.before, c.after)
	start := time.Now()
	got := apply(c.before, c.text)
	table.times = append(table.times, time.Since(start))
	if c.expect == may {
		row.mayRefuse++
	}
	if c.expect == mustNot {
		row.mustRefuse++
	}
	verdict := c.judge(got)
	switch verdict {
	case "right":
		row.right++
	case "wrong":
		row.wrong++
	case "refused":
		row.refused++
	}
	differs := table.outcomes.add(row.kind, id, c, got, verdict)
	if table.failures == "" || verdict == "right" && !differs {
		return
	}
	if row.shown == nil {
		row.shown = map[string]int{}
	}
	if differs {
		verdict = "other." + verdict
	}
	if row.shown[verdict]++; row.shown[verdict] > shownPerKind && !differs {
		return
	}
	name := fmt.Sprintf("%s.%s.%s.%d.txt", row.kind.name, row.kind.format, verdict, row.shown[verdict])
	if err := os.WriteFile(filepath.Join(table.failures, name), []byte(c.show(id, got)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// judge says right, wrong or refused: not changed though it should have been.
func (c envelopeCase) judge(got result) string {
	same := maps.Equal(got.files, c.before)
	switch {
	case got.status == applied && (c.expect == must || c.expect == may) && maps.Equal(got.files, c.after) && !(c.unsure && got.sure == 1):
		return "right"
	case got.status == applied && !same:
		return "wrong"
	case c.expect == mustNot, c.expect == may && got.status != applied, c.expect == done && got.status == already:
		return "right"
	case got.status == applied && c.expect != done:
		return "wrong" // it says that it did something
	}
	return "refused"
}

// show writes all that is needed to look into a failure.
func (c envelopeCase) show(id string, got result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nexpected: %s\ngot: %s %s\n", id, [...]string{"applied", "refused or right", "refused", "already applied"}[c.expect], got.status, got.says)
	fmt.Fprintf(&b, "\n==== patch\n%s", c.text)
	for _, path := range slices.Sorted(maps.Keys(c.after)) {
		fmt.Fprintf(&b, "\n==== difference of what was meant and what came out\n%s", udiff.Unified("meant/"+path, "got/"+path, c.after[path], got.files[path]))
	}
	for _, path := range slices.Sorted(maps.Keys(c.before)) {
		fmt.Fprintf(&b, "\n==== before: %s\n%s", path, c.before[path])
	}
	return b.String()
}

func (table *envelopeTable) total() (n, right, wrong, refused, exactWrong int) {
	for _, r := range table.rows {
		right, wrong, refused = right+r.right, wrong+r.wrong, refused+r.refused
		if r.kind.exact {
			exactWrong += r.wrong
		}
	}
	return right + wrong + refused, right, wrong, refused, exactWrong
}

func (table *envelopeTable) quantile(percent int) time.Duration {
	slices.Sort(table.times)
	if len(table.times) == 0 {
		return 0
	}
	return table.times[(len(table.times)-1)*percent/100]
}

func (table *envelopeTable) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprint(w, "\nkind\tformat\tcases\tright\twrong\trefused\tof them must be refused\tmay be\n")
	for _, r := range table.rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n", r.kind.name, r.kind.format, r.right+r.wrong+r.refused, r.right, r.wrong, r.refused, r.mustRefuse, r.mayRefuse)
	}
	n, right, wrong, refused, exactWrong := table.total()
	_, _ = fmt.Fprintf(w, "all\t\t%d\t%d\t%d\t%d\n", n, right, wrong, refused)
	_ = w.Flush() // a strings.Builder takes everything
	fmt.Fprintf(&b, "right: %.2f percent; wrong where the old lines are exact: %d; median %v, p95 %v, slowest %v; cases %016x",
		100*float64(right)/float64(max(n, 1)), exactWrong, table.quantile(50), table.quantile(95), table.quantile(100), table.sum.Sum64())
	return b.String()
}

func (table *envelopeTable) hold(t *testing.T) {
	n, right, wrong, _, exactWrong := table.total()
	if right*1000 < n*wantRight {
		t.Errorf("%d of %d right; the aim is %d per mille", right, n, wantRight)
	}
	if wrong*10_000 > n*wantWrong || exactWrong > 0 {
		t.Errorf("%d wrong, %d of them where the old lines are exact; the limit is %d in 10,000, and 0", wrong, exactWrong, wantWrong)
	}
	for _, r := range table.rows {
		of := r.right + r.wrong + r.refused
		if of < fewestOfKind {
			t.Errorf("%s/%s has %d cases only", r.kind.name, r.kind.format, of)
		}
		if r.right*100 < of*wantKnown {
			t.Errorf("%s/%s: %d of %d right; the aim is %d percent", r.kind.name, r.kind.format, r.right, of, wantKnown)
		}
	}
	if m, p := table.quantile(50), table.quantile(95); m > wantMedian || p > wantP95 {
		t.Errorf("median %v, p95 %v; the limits are %v and %v", m, p, wantMedian, wantP95)
	}
}
