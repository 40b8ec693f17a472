package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// vocabulary draws words as languages do: few are common and most are rare.
type vocabulary struct {
	rng  *rand.Rand
	zipf *rand.Zipf
}

func newVocabulary(seed uint64) vocabulary {
	rng := rand.New(rand.NewPCG(seed, 0))
	return vocabulary{rng, rand.NewZipf(rng, 1.1, 4, 60_000)}
}

// text is a failure as memory keeps it: some lines of an error, its code and its test.
func (v vocabulary) text(words int) string {
	var b strings.Builder
	for i := range words {
		b.WriteString(syllables(v.zipf.Uint64()))
		b.WriteByte(" \n"[min(i%9/8, 1)])
	}
	return b.String()
}

// syllables is the word of a number.
func syllables(n uint64) string {
	word := ""
	for n += 20; n > 0; n /= 20 {
		word += "bdfgklmnprstvzhjcwxy"[n%20:n%20+1] + "aeiou"[n%5:n%5+1]
	}
	return word
}

// filled is a memory of n failures of some 60 words each.
func filled(tb testing.TB, n int) *Memory {
	tb.Helper()
	m := open(tb, Options{StateDir: tb.TempDir()}).Memory()
	v := newVocabulary(1)
	const batch = mergeRows
	for from := 0; from < n; from += batch {
		err := m.change(func(tx *bolt.Tx) error {
			for i := from; i < min(from+batch, n); i++ {
				p := Pattern{ID: fmt.Sprintf("%032d", i), Kind: KindFailure, Type: "KeyError", Text: v.text(20 + v.rng.IntN(80)), Solution: v.text(100)}
				if err := m.put(tx, p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return m
}

// records is how many records the benchmarks have: CASELSP_SCALE, else few enough for a quick run.
func records() int {
	if n, err := strconv.Atoi(os.Getenv("CASELSP_SCALE")); err == nil {
		return n
	}
	return 2000
}

// reported reports the median and the 99th percentile of some times, in milliseconds.
func reported(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(times[len(times)/2]), "p50-ms")
	b.ReportMetric(ms(times[len(times)*99/100]), "p99-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkScale measures a memory of CASELSP_SCALE records: the first recall of a process, later ones that
// count their use, adding one, and a recall after another process has added one.
func BenchmarkScale(b *testing.B) {
	m := filled(b, records())
	v := newVocabulary(2)
	var queries []string
	for range 200 {
		queries = append(queries, v.text(15+v.rng.IntN(60)))
	}
	another := func() *Memory { return newMemory(m.path, m.clock, m.redact) }
	recall := func(b *testing.B, m *Memory, i int) time.Duration {
		start := time.Now()
		if _, err := m.Recall(ctx, KindFailure, queries[i%len(queries)], 5); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	remember := func(b *testing.B, m *Memory, text string) time.Duration {
		start := time.Now()
		if err := m.Remember(ctx, Pattern{Kind: KindFailure, Type: "KeyError", Text: text, Solution: text}); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	run := func(name string, step func(b *testing.B, i int) time.Duration) {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				times = append(times, step(b, i))
			}
			reported(b, times)
		})
	}
	run("first-recall", func(b *testing.B, i int) time.Duration {
		m := another()
		defer m.Close()
		return recall(b, m, i)
	})
	run("recall", func(b *testing.B, i int) time.Duration { return recall(b, m, i) })
	run("add", func(b *testing.B, _ int) time.Duration { return remember(b, m, v.text(60)) })
	run("recall-after-add", func(b *testing.B, i int) time.Duration {
		writer := another()
		remember(b, writer, v.text(60))
		writer.Close()
		return recall(b, m, i)
	})
	b.Run("size", func(b *testing.B) {
		fresh := another()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for b.Loop() {
			recall(b, fresh, 0)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(fresh)
		info, err := os.Stat(filepath.Clean(m.path))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(records()), "heap-B/record")
		b.ReportMetric(float64(info.Size())/float64(records()), "file-B/record")
		b.ReportMetric(0, "ns/op")
	})
}
