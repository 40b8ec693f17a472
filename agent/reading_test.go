package agent

import (
	"strings"
	"testing"
	"time"
)

func TestReadTime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"":                         noticeTime,
		"make docs":                noticeTime + 9*runeTime,
		strings.Repeat("ü", 100):   noticeTime + 100*runeTime,
		strings.Repeat("a", 5000):  MaxReadTime,
		strings.Repeat("a", 1<<20): MaxReadTime,
	} {
		if got := ReadTime(text); got != want {
			t.Errorf("%d bytes: %v, want %v", len(text), got, want)
		}
	}
}
