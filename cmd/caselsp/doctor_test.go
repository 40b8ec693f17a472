package main

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 minutes", time.Minute + time.Second: "1 minute", 59 * time.Minute: "59 minutes", time.Hour: "1 hour",
		47 * time.Hour: "47 hours", 48 * time.Hour: "2 days", 400 * 24 * time.Hour: "400 days",
	} {
		if got := age(d); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}
