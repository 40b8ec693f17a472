package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// TestLearn gives lessons in turn and looks at what is remembered after each.
func TestLearn(t *testing.T) {
	pattern := func(text string) Pattern { return Pattern{Kind: KindPattern, Text: text, Solution: "s"} }
	old := func(u Use) []Use { u.ID = "old"; return []Use{u} }
	helped := old(Use{Helped: true})
	accepted := func(uses []Use, texts ...string) Lesson {
		l := Lesson{Uses: uses, Decided: true}
		for _, text := range texts {
			l.Patterns = append(l.Patterns, pattern(text))
		}
		return l
	}
	type given struct {
		task string
		Lesson
	}
	for name, test := range map[string]struct {
		lessons []given
		want    []string // text taught/trials/successes
	}{
		"accepted":             {[]given{{"a", accepted(nil, "x")}}, []string{"x 1/0/0"}},
		"the same twice":       {[]given{{"a", accepted(helped, "x")}, {"a", accepted(helped, "x")}}, []string{"old 0/1/1", "x 1/0/0"}},
		"undone":               {[]given{{"a", accepted(helped, "x")}, {"a", Lesson{Uses: helped}}}, []string{"old 0/0/0"}},
		"rejected":             {[]given{{"a", Lesson{Uses: old(Use{}), Decided: true}}}, []string{"old 0/1/0"}},
		"accepted, then not":   {[]given{{"a", accepted(helped, "x")}, {"a", Lesson{Uses: old(Use{}), Decided: true}}}, []string{"old 0/1/0"}},
		"of two tasks":         {[]given{{"a", accepted(nil, "x 1")}, {"b", accepted(nil, "X  2")}}, []string{"X  2 2/0/0"}},
		"of two, one undone":   {[]given{{"a", accepted(nil, "x")}, {"b", accepted(nil, "x")}, {"b", Lesson{}}}, []string{"x 1/0/0"}},
		"of two, both undone":  {[]given{{"a", accepted(nil, "x")}, {"b", accepted(nil, "x")}, {"b", Lesson{}}, {"a", Lesson{}}}, nil},
		"another solution":     {[]given{{"a", accepted(nil, "x")}, {"b", Lesson{Decided: true, Patterns: []Pattern{{Kind: KindPattern, Text: "x", Solution: "other"}}}}}, []string{"x 1/0/0", "x 1/0/0"}},
		"another than before":  {[]given{{"a", accepted(nil, "x", "y")}, {"a", accepted(nil, "y", "z")}}, []string{"y 1/0/0", "z 1/0/0"}},
		"relied on another":    {[]given{{"a", accepted(old(Use{Ignored: true}), "x")}}, []string{"old 0/0/0 ignored 1", "x 1/0/0"}},
		"ignored, then undone": {[]given{{"a", accepted(old(Use{Ignored: true}), "x")}, {"a", Lesson{Uses: old(Use{Ignored: true})}}}, []string{"old 0/0/0"}},
		"recalled and unknown": {[]given{{"a", accepted([]Use{{ID: "gone", Helped: true}}, "x")}}, []string{"x 1/0/0"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := UserMemory(Options{StateDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(fmt.Sprint(test.lessons), "old") {
				remember(t, m, Pattern{ID: "old", Text: "old"})
			}
			for _, l := range test.lessons {
				if err := m.Learn(ctx, l.task, l.Lesson); err != nil {
					t.Fatal(err)
				}
			}
			all, err := m.All(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int{}
			for _, p := range all {
				line := fmt.Sprintf("%s %d/%d/%d", p.Text, p.Taught, p.Trials, p.Successes)
				if p.Ignored > 0 {
					line += fmt.Sprintf(" ignored %d", p.Ignored)
				}
				got[line]++
			}
			for _, line := range test.want {
				if got[line]--; got[line] < 0 {
					t.Errorf("%q is missing in %v", line, got)
				}
			}
			maps.DeleteFunc(got, func(_ string, n int) bool { return n <= 0 })
			if len(got) > 0 {
				t.Errorf("more is remembered: %v", got)
			}
		})
	}
}

// TestUseless stops recalling what was tried and did not help, and recalls it again once it does.
func TestUseless(t *testing.T) {
	m := open(t, Options{StateDir: t.TempDir()}).Memory()
	remember(t, m, Pattern{ID: "wrong", Text: "escape the template"}, Pattern{ID: "right", Text: "escape the template of the page"})
	decide := func(task, recalled string, worked bool) {
		t.Helper()
		if err := m.Learn(ctx, task, Lesson{Uses: []Use{{ID: recalled, Helped: worked}}, Decided: true}); err != nil {
			t.Fatal(err)
		}
	}
	decide("1", "right", true)
	decide("2", "wrong", false)
	decide("3", "wrong", false)
	checkRecall(t, m, "escape the template", 5, "escape the template of the page")
	decide("3", "wrong", true) // the user took it back, and accepted it
	checkRecall(t, m, "escape the template", 5, "escape the template", "escape the template of the page")
}

// TestOldLesson reads the uses of a lesson as older versions kept them.
func TestOldLesson(t *testing.T) {
	for text, want := range map[string]string{
		`{"recalled": ["a", "b"], "decided": true, "worked": true}`:             "[{a true false} {b true false}]",
		`{"recalled": ["a"], "decided": true}`:                                  "[{a false false}]",
		`{"uses": [{"id": "a", "helped": true}, {"id": "b", "ignored": true}]}`: "[{a true false} {b false true}]",
	} {
		var l lesson
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(l.uses()); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestUntaughtTask names the task that still teaches a pattern once another that taught it is undone.
func TestUntaughtTask(t *testing.T) {
	m := open(t, Options{StateDir: t.TempDir()}).Memory()
	l := Lesson{Patterns: []Pattern{{Kind: KindPattern, Text: "x", Solution: "s"}}, Decided: true}
	for _, given := range []struct {
		task string
		Lesson
		want string
	}{{"a", l, "a"}, {"b", l, "b"}, {"b", Lesson{}, "a"}, {"c", l, "c"}, {"a", Lesson{}, "c"}} {
		if err := m.Learn(ctx, given.task, given.Lesson); err != nil {
			t.Fatal(err)
		}
		if all, err := m.All(ctx, ""); err != nil || len(all) != 1 || all[0].Task != given.want {
			t.Errorf("after task %s: %+v, %v, want task %s", given.task, all, err, given.want)
		}
	}
}
