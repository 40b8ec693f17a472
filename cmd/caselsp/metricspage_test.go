package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"caselsp/agent"
	"caselsp/agent/record"

	"golang.org/x/net/html"
)

// madeMetrics are those of a workspace in which much was done, with names that a page must not obey.
func madeMetrics() agent.Metrics {
	figures := func(i, n int) *agent.TaskFigures {
		return &agent.TaskFigures{
			Count: n, Rounds: 2*n - i/3, Steps: 14 * n, Seconds: float64(900 * n), Features: 3 * n, FeaturesDone: 3*n - 2, Edits: 9 * n, RefusedEdits: n,
			Ended:    map[string]int{record.OutcomeSuccess: n - 3 + i/4, record.OutcomePartial: 1, record.OutcomeFailed: 1},
			Roles:    map[string]*agent.RoleFigures{"case": {Calls: 20 * n, Prompt: 220_000 * n, Cached: 190_000 * n, Completion: 9_000 * n, Cost: 0.21 * float64(n)}, "tars": {Calls: 4 * n, Prompt: 31_000 * n, Cached: 12_000 * n, Completion: 3_000 * n, Cost: 0.08 * float64(n)}},
			TestRuns: 3 * n, TestsPassed: 2 * n, Commands: 5 * n, Denied: 2, Objections: 1, Memory: agent.MemoryFigures{PatternRecalls: n, PatternHits: n / 2, FailureRecalls: n / 2, FailureHits: n / 4, Used: n, Tried: 5, Helped: 4},
			AcceptedHunks: 20 * n, RejectedHunks: 3,
		}
	}
	m := agent.Metrics{Total: *figures(2, 41), ByType: map[string]*agent.TaskFigures{"fix": figures(4, 18), "feature": figures(2, 12), "refactoring": figures(0, 6), "tests": figures(8, 5), "thread": {}},
		ByLanguage: map[string]*agent.TaskFigures{"Python": figures(6, 20), "Go": figures(1, 14), "": figures(3, 7)}}
	m.ByMonth = map[string]*agent.TaskFigures{}
	for i, n := range []int{4, 7, 6, 0, 9, 11, 13} {
		if n > 0 {
			m.ByMonth[time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC).AddDate(0, i, 0).Format("2006-01")] = figures(i, n)
		}
	}
	m.ByModel = map[string]*agent.RoleFigures{"large<script>alert(1)</script>": {Calls: 700, Prompt: 8_000_000, Cached: 6_900_000, Completion: 310_000, Cost: 9.7}, "small": {Calls: 90, Prompt: 700_000, Completion: 30_000, Cost: 0.3}}
	m.Layers = []record.LayerUse{{Layer: "exact", Landed: 310, RolledBack: 6, Rejected: 9}, {Layer: "whitespace", Landed: 24}, {Layer: "indentation", Landed: 31, Reverted: 2}, {Layer: "context", Landed: 12, Rejected: 1}, {Layer: "similarity", Landed: 7, Reverted: 1}}
	m.Decisions = []agent.DecisionFigures{{By: "default", Allowed: 160, Denied: 3}, {By: "rule", Allowed: 22}, {By: "user", Allowed: 14, Denied: 5}}
	m.Errors = []agent.ErrorFigures{{Error: "AssertionError: assert N == N", Runs: 17, Tasks: 9}, {Error: "ImportError: cannot import name 'Q'", Runs: 6, Tasks: 4}}
	m.MostUsed = []agent.UsedMemory{{Text: "A date without a time zone is compared with one that has it.", Used: 7, Tried: 5, Helped: 4}}
	accuracy := 0.9
	m.Validators = []agent.ValidatorFigures{{Name: "missing-import", Verdicts: 21, Right: 18, Wrong: 2, Accuracy: &accuracy, Weight: 0.91}, {Name: "made <b>here</b>", Verdicts: 6, Right: 1, Wrong: 5, Retired: true}}
	return m
}

// TestScale shows that the top of a scale and its half are short figures.
func TestScale(t *testing.T) {
	for _, c := range []struct {
		most  float64
		whole bool
		want  string
	}{
		{0, true, "2 1"}, {1, true, "2 1"}, {2, true, "2 1"}, {5, true, "6 3"}, {9, true, "10 5"}, {10, true, "10 5"}, {11, true, "20 10"},
		{0, false, "0.02 0.01"}, {0.06, false, "0.06 0.03"}, {0.061, false, "0.08 0.04"}, {1, false, "1 0.50"}, {1.2, false, "2 1"},
		{149_000, true, "200k 100k"}, {8_310_000, true, "10.0M 5.0M"},
	} {
		top := roundTop(c.most, c.whole)
		if got := short(top) + " " + short(top/2); got != c.want || top < c.most {
			t.Errorf("%v: got %s, want %s", c.most, got, c.want)
		}
	}
}

// TestMetricsPage shows that the page is well-formed, loads and runs nothing, shows what was measured, and that
// names in it are text. With CASELSP_PAGE=FILE it is written there, to be looked at.
func TestMetricsPage(t *testing.T) {
	for name, m := range map[string]agent.Metrics{"nothing": {}, "much": madeMetrics()} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := writeMetricsPage(&out, "/home/me/<shop>", m, time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)); err != nil {
				t.Fatal(err)
			}
			text := out.String()
			if file := os.Getenv("CASELSP_PAGE"); file != "" && name == "much" {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			counts := map[string]int{}
			tokens := html.NewTokenizer(strings.NewReader(text))
			for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
				token := tokens.Token()
				if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
					counts[token.Data]++
				}
				for _, a := range token.Attr {
					if a.Key == "src" || a.Key == "href" || strings.HasPrefix(a.Key, "on") || strings.Contains(a.Val, "ZgotmplZ") {
						t.Errorf("<%s %s=%q>", token.Data, a.Key, a.Val)
					}
				}
			}
			if counts["script"] != 0 || counts["link"] != 0 || counts["b"] != 8 || counts["svg"] != 4 || strings.Contains(text, "NaN") || strings.Contains(text, "ZgotmplZ") {
				t.Errorf("elements: %v", fmt.Sprint(counts))
			}
			if name == "much" && (counts["rect"] < 40 || !strings.Contains(text, "2026-08") || !strings.Contains(text, "1 of 1") && !strings.Contains(text, "16 of 18 well") || strings.Contains(text, ">thread<")) {
				t.Errorf("what was measured is not shown: %v\n%s", counts, text)
			}
		})
	}
}
