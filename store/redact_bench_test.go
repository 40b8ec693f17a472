package store

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// benchSize is the size in bytes of a text that is redacted, of what a command may say.
const benchSize = 1 << 20

// benchTexts are texts without secrets, of the kinds that pass a journal's door.
func benchTexts(t testing.TB) map[string]string {
	t.Helper()
	source, err := os.ReadFile("redact_rules.go")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, benchSize*3/4)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	var log, script strings.Builder
	var rows []map[string]any
	for i := 0; log.Len() < benchSize; i++ {
		fmt.Fprintf(&log, "%d: GET /a%%20b?page=%d&x=%x 200 {\"user\":\"anna\",\"path\":\"C:\\\\tmp\"} --- PASS: TestThing_%d (0.0%ds)\n", i, i*7, i*7919, i, i%10)
	}
	for i := 0; script.Len() < benchSize; i++ {
		fmt.Fprintf(&script, `function f%x(e,t){var n=e[%d],r=t.length;return"a-%d"===n?{k:r,v:"\u00e9"+n}:f%x(n,r>>>1)||(t[r-1]=e,!0)}`, i, i*31, i%97, i/2)
	}
	for i := range benchSize / 120 {
		rows = append(rows, map[string]any{"id": i, "name": fmt.Sprintf("Row \"%d\"", i), "tags": []string{"a", "b & c"}, "link": "https://host.example/item/" + fmt.Sprint(i), "share": float64(i) / 7})
	}
	table, err := json.MarshalIndent(rows, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"log": log.String(), "source": strings.Repeat(string(source), benchSize/len(source)), "json": string(table),
		"base64": base64.StdEncoding.EncodeToString(noise), "script": script.String(),
	}
}

// benchValues are known values that are in none of the texts.
func benchValues(n int) (values []string) {
	random := rand.New(rand.NewPCG(3, 4))
	for range n {
		values = append(values, fmt.Sprintf("k%x/Q%xz", random.Uint64(), random.Uint32()))
	}
	return values
}

// BenchmarkRedact redacts what a command may say, with few and many known values, as if
// it had not been seen before.
func BenchmarkRedact(b *testing.B) {
	texts := benchTexts(b)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		for _, n := range []int{0, 20, 500} {
			r := newRedactor(benchValues(n))
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					r.textAt(text, 0)
				}
			})
		}
	}
}

// BenchmarkRedactAgain redacts what was seen before.
func BenchmarkRedactAgain(b *testing.B) {
	r := newRedactor(benchValues(20))
	text := benchTexts(b)["log"]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.text(text)
	}
}

// BenchmarkConceal makes the matcher of many known values.
func BenchmarkConceal(b *testing.B) {
	values := benchValues(500)
	for b.Loop() {
		newRedactor(values)
	}
}
