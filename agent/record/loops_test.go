package record

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"caselsp/agent/action"
)

// TestLoops reads the corpus of loops and of honest work.
func TestLoops(t *testing.T) {
	raw, err := os.ReadFile("testdata/loops.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(raw), "\n== ")
	cases := strings.Split(text, "\n== ")
	if len(cases) < 20 {
		t.Fatalf("the corpus has %d cases", len(cases))
	}
	for i, c := range cases {
		title, body, _ := strings.Cut(c, "\n")
		want, told, _ := strings.Cut(title, "; told ")
		at, reason, gotTold := runLoop(t, body)
		got := "honest"
		if at > 0 {
			got = fmt.Sprintf("stops at %d: ", at)
			if _, part, _ := strings.Cut(want, ": "); part != "" && strings.Contains(reason, part) {
				got += part
			} else {
				got += reason
			}
		}
		if got != want {
			t.Errorf("case %d (%s):\n got %s\nwant %s", i+1, strings.Split(body, "\n")[0], got, want)
		}
		if told != "" && strings.TrimSpace(told) != gotTold || at == 0 && told == "" && gotTold != "" {
			t.Errorf("case %d (%s): told after %q, want %q", i+1, strings.Split(body, "\n")[0], gotTold, told)
		}
	}
}

// runLoop carries the steps out until one stops, and returns its number and why, and the
// numbers of those after which the model was told.
func runLoop(t *testing.T, body string) (at int, reason, told string) {
	var deeds []Deed
	refused := map[string]int{}
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		w := strings.Fields(line)
		if len(w) != 6 {
			t.Fatalf("%q has %d words", line, len(w))
		}
		effect := action.EffectOf(w[0])
		if effect == "" && w[0] != "tests" {
			t.Fatalf("%q: there is no such action", line)
		}
		d := Deed{
			Action: w[0], Target: strings.Trim(w[1], "-"), Key: w[0] + w[1] + w[2], Saw: w[4], Staged: w[5], OK: w[3] == "ok", Refused: w[3] == "refused",
			Looks: effect == action.Reads || effect == action.Looks, Tests: w[0] == "tests", Step: len(deeds) + 1, Round: 1,
		}
		if d.Refused {
			refused[d.Target]++
		} else if d.OK && effect == action.Edits {
			delete(refused, d.Target)
		}
		deeds = append(deeds, d)
		say, stop := Loop(deeds, refused[d.Target])
		if stop != "" {
			return len(deeds), stop, strings.TrimSpace(told)
		}
		if say != "" {
			told += fmt.Sprintf("%d ", len(deeds))
		}
	}
	return 0, "", strings.TrimSpace(told)
}
