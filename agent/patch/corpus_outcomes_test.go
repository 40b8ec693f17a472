//go:build corpus

package patch_test

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// outcomes compares what two versions of the engine make of the same cases, one by one:
// sums by kind hide what one case lost and another won. The first version writes a
// line for each case to the file ENVELOPE_OUTCOMES; the second reads these lines from
// ENVELOPE_BEFORE, and each case that comes out otherwise counts as different.
type outcomes struct {
	file   *os.File
	out    *bufio.Writer
	before map[string]string // by case
	other  map[string]int    // how many cases went from one verdict to another
}

func outcomesOf(t *testing.T) *outcomes {
	t.Helper()
	o := &outcomes{other: map[string]int{}}
	if path := os.Getenv("ENVELOPE_OUTCOMES"); path != "" {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		o.file, o.out = f, bufio.NewWriter(f)
	}
	if path := os.Getenv("ENVELOPE_BEFORE"); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		o.before = map[string]string{}
		for line := range strings.Lines(string(text)) {
			key, outcome, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			o.before[key] = outcome
		}
	}
	return o
}

// add notes the outcome of a case, and reports whether it was another one before.
func (o *outcomes) add(k kind, id string, c envelopeCase, got result, verdict string) bool {
	key, files := fnv.New64a(), fnv.New64a()
	_, _ = fmt.Fprintf(key, "%s %s %s %v %v", k.name, k.format, c.text, c.before, c.after)
	for _, path := range slices.Sorted(maps.Keys(got.files)) {
		_, _ = fmt.Fprintf(files, "%q %q ", path, got.files[path])
	}
	name, outcome := fmt.Sprintf("%016x", key.Sum64()), fmt.Sprintf("%s %s %016x", verdict, got.status, files.Sum64())
	if o.out != nil {
		_, _ = fmt.Fprintf(o.out, "%s %s %s/%s %s\n", name, outcome, k.name, k.format, id)
	}
	was, ok := o.before[name]
	if !ok {
		return false
	}
	if fields := strings.Fields(was); strings.Join(fields[:3], " ") != outcome {
		o.other[fmt.Sprintf("%s %s -> %s %s: %s/%s", fields[0], fields[1], verdict, got.status, k.name, k.format)]++
		return true
	}
	return false
}

// close logs the differences and writes what is left of the outcomes.
func (o *outcomes) close(t *testing.T) {
	t.Helper()
	for _, change := range slices.Sorted(maps.Keys(o.other)) {
		t.Logf("%d cases: %s", o.other[change], change)
	}
	if o.before != nil {
		t.Logf("compared with %d outcomes", len(o.before))
	}
	if o.out == nil {
		return
	}
	if err := o.out.Flush(); err != nil {
		t.Error(err)
	}
	if err := o.file.Close(); err != nil {
		t.Error(err)
	}
}
