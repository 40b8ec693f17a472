package store

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestNearestTraps has a case for each thing that chromem-go does not guard against.
func TestNearestTraps(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	x := newNearest(2)
	for id, v := range map[string][]float32{"right": {1, 0}, "up": {0, 1}} {
		if err := x.add(ctx, "a", id, v); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range map[string][]float32{
		"another dimension": {1, 0, 0}, "fewer": {1}, "none": nil, "zero": {0, 0}, "no number": {nan, 1}, "infinite": {inf, 0}, "long": {3, 4},
	} {
		if err := x.add(ctx, "a", "wrong", v); !errors.Is(err, errUncomparable) {
			t.Errorf("%s was added: %v", name, err)
		}
		if found, err := x.near(ctx, "a", v, 2); err != nil || len(found) > 0 {
			t.Errorf("%s as a query: %v, %v", name, found, err)
		}
	}
	near := func(kind string, n, want int) {
		t.Helper()
		found, err := x.near(ctx, kind, []float32{1, 0}, n)
		if err != nil || len(found) != want || want > 0 && (found[0].id != "right" || found[0].similarity < 0.999) {
			t.Errorf("%d of %q: %v, %v", n, kind, found, err)
		}
	}
	near("a", 1, 1)
	near("a", 99, 2) // more than there are
	near("a", 0, 0)
	near("a", -1, 0)
	near("b", 5, 0)
	for _, remove := range []func() error{
		func() error { return x.remove(ctx, "a") },
		func() error { return x.remove(ctx, "a", []string{}...) },
		func() error { return x.remove(ctx, "b", "right") },
		func() error { return x.remove(ctx, "a", "unknown") },
	} {
		if err := remove(); err != nil {
			t.Error(err)
		}
		near("a", 9, 2)
	}
	if err := x.remove(ctx, "a", "up"); err != nil {
		t.Error(err)
	}
	near("a", 9, 1)
	if err := x.remove(ctx, "a", "right"); err != nil {
		t.Error(err)
	}
	near("a", 9, 0)
}

// TestDamagedVector reads a vector that is damaged in the database: it is embedded anew.
func TestDamagedVector(t *testing.T) {
	good := packVector([]float32{1, 0}, "text")
	if unpackVector(good, "text", 2) == nil {
		t.Error("a whole vector was not read")
	}
	for name, raw := range map[string][]byte{
		"zeros": packVector([]float32{0, 0}, "text"), "no number": packVector([]float32{float32(math.NaN()), 0}, "text"),
		"of another text": packVector([]float32{1, 0}, "other"), "of another dimension": packVector([]float32{1, 0, 0}, "text"), "cut": good[:len(good)-1], "none": nil,
	} {
		if v := unpackVector(raw, "text", 2); v != nil {
			t.Errorf("%s: %v", name, v)
		}
	}
}

// BenchmarkNearest compares a query of chromem-go with a plain scan of the same vectors.
func BenchmarkNearest(b *testing.B) {
	const dimension = 768
	random := rand.New(rand.NewPCG(1, 1))
	some := func() []float32 {
		v := make([]float32, dimension)
		for i := range v {
			v[i] = float32(random.NormFloat64())
		}
		return unit(v)
	}
	x, plain := newNearest(dimension), [][]float32{}
	for i := range records() {
		plain = append(plain, some())
		if err := x.add(ctx, "a", fmt.Sprint(i), plain[i]); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("chromem", func(b *testing.B) {
		var times []time.Duration
		for b.Loop() {
			start := time.Now()
			if found, err := x.near(ctx, "a", some(), 36); err != nil || len(found) != 36 {
				b.Fatal(err)
			}
			times = append(times, time.Since(start))
		}
		reported(b, times)
	})
	b.Run("scan", func(b *testing.B) {
		var times []time.Duration
		sum := 0.0
		for b.Loop() {
			start, query := time.Now(), some()
			for _, v := range plain {
				sum = max(sum, cosine(query, v))
			}
			times = append(times, time.Since(start))
		}
		reported(b, times)
	})
}
