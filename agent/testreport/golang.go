package testreport

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"caselsp/store/lazyregexp"
)

// goEvent is a line of `go test -json`.
type goEvent struct {
	Action, Package, Test, Output, ImportPath, FailedBuild string
	Elapsed                                                float64
}

// goEvents are the events in an output; ok is false for text that has none. Lines that are
// no events, such as those of a compiler before Go 1.24, are given as output of no package.
func goEvents(text string) (events []goEvent, ok bool) {
	for line := range strings.Lines(text) {
		var e goEvent
		if strings.HasPrefix(line, `{"`) && json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
			ok = true
		} else {
			e = goEvent{Action: "output", Output: line}
		}
		events = append(events, e)
	}
	return events, ok
}

// GoText is the output of `go test -json` as go test prints it without that: what was built in
// vain, what failed with what it said, and a line a package. Other text stays as it is.
func GoText(output string) string {
	events, ok := goEvents(output)
	if !ok {
		return output
	}
	bad := map[string]bool{}
	for _, e := range events {
		if e.Action == "fail" && e.Test != "" {
			bad[e.Package+" "+e.Test] = true
		}
	}
	var b strings.Builder
	for _, e := range events {
		depth := strings.Count(e.Test, "/")
		switch {
		case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n" && e.Output != "FAIL\n":
			b.WriteString(e.Output)
		case e.Action == "output" && bad[e.Package+" "+e.Test] && !strings.HasPrefix(e.Output, "=== "):
			b.WriteString(strings.Repeat("    ", depth) + e.Output)
		}
	}
	return b.String()
}

// goTest collects what a test of Go said.
type goTest struct {
	Test
	pkg    string
	output strings.Builder
	ended  bool
}

// goPlace is where a Go test said something: the file without its folder.
var goPlace = lazyregexp.New(`(?m)^\s+([\w.-]+_test\.go):(\d+): `)

// readGoJSON reads `go test -json`.
func readGoJSON(_, text string) (r Report) {
	events, ok := goEvents(text)
	if !ok {
		return r
	}
	tests := map[string]*goTest{}
	var order []*goTest
	begun := map[string]bool{}   // packages of which a test has begun
	built := map[string]string{} // what a compiler said, by import path
	for _, e := range events {
		switch key := e.Package + " " + e.Test; {
		case e.Action == "build-output":
			built[e.ImportPath] += e.Output
		case e.Test == "" && e.Action == "fail" && (e.FailedBuild != "" || !begun[e.Package]):
			r.add(Test{Name: e.Package, Outcome: Errored, Message: built[e.FailedBuild] + built[e.Package]})
		case e.Test == "":
			if e.Action == "output" && !strings.HasPrefix(e.Output, "FAIL") {
				built[e.Package] += e.Output
			}
		default:
			t := tests[key]
			if t == nil {
				t = &goTest{pkg: e.Package, Test: Test{Name: e.Test, Outcome: Failed}} // one without an end has crashed
				tests[key], order, begun[e.Package] = t, append(order, t), true
			}
			t.event(e)
		}
	}
	if cutOutput.MatchString(text) { // how these ended may have been said in what was cut
		order = slices.DeleteFunc(order, func(t *goTest) bool { return !t.ended })
	}
	return goReport(r, order)
}

// cutOutput is the line with which a sandbox says that the middle of an output is missing.
var cutOutput = lazyregexp.New(`(?m)^\[\d+ bytes of output cut here\]$`)

func (t *goTest) event(e goEvent) {
	switch e.Action {
	case "output":
		if !strings.HasPrefix(e.Output, "=== ") && !strings.HasPrefix(e.Output, "--- ") && t.output.Len() < 8*keptMessage {
			t.output.WriteString(e.Output)
		}
	case "pass":
		t.Outcome, t.ended = Passed, true
	case "skip":
		t.Outcome, t.ended = Skipped, true
	case "fail":
		t.Outcome, t.ended = Failed, true
	}
	if e.Elapsed > 0 && e.Elapsed < 1e9 {
		t.Took = time.Duration(e.Elapsed * float64(time.Second))
	}
}

// goReport counts the leaves: a test with subtests counts itself only where it failed and
// none of them did.
func goReport(r Report, order []*goTest) Report {
	r.Runner = "go test"
	subtests, failed := map[string]bool{}, map[string]bool{}
	for _, t := range order {
		for name := t.Name; strings.Contains(name, "/"); {
			name = name[:strings.LastIndexByte(name, '/')]
			key := t.pkg + " " + name
			subtests[key], failed[key] = true, failed[key] || t.Outcome == Failed
		}
	}
	for _, t := range order {
		if key := t.pkg + " " + t.Name; subtests[key] && (failed[key] || t.Outcome != Failed) {
			continue
		}
		if t.Outcome != Passed {
			t.Message = t.output.String()
		}
		t.locate()
		r.add(t.Test)
	}
	return r
}

// locate finds the file and the line in what the test said.
func (t *goTest) locate() {
	if t.Outcome != Failed {
		return
	}
	said := t.output.String()
	if m := goPlace.FindStringSubmatch(said); m != nil {
		t.File = t.pkg + "/" + m[1]
		t.Line, _ = strconv.Atoi(m[2])
		return
	}
	t.place(said)
}

var (
	goSpeaks  = lazyregexp.New(`^=== (?:RUN|NAME|CONT|PAUSE)\s+(\S+)$`)
	goResult  = lazyregexp.New(`^(\s*)--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\)`)
	goPackage = lazyregexp.New(`^(ok|FAIL|---|\?)\s+\t?(\S+)\s+(?:\(cached\)|[\d.]+s|\[(.*)\])`)
)

// goText reads what go test prints.
type goText struct {
	report   Report
	order    []*goTest
	from     int // of order: the tests of the package that is not closed yet
	packages int
	said     map[string]*strings.Builder // with -v: what tests said before they ended
	now      *strings.Builder            // who speaks
}

// readGoText reads what go test prints. Without -v it does not say how many tests passed:
// a package that is ok counts as one then.
func readGoText(command, text string) Report {
	r := goText{said: map[string]*strings.Builder{}}
	for line := range strings.Lines(text) {
		r.line(strings.TrimRight(line, "\n"))
	}
	if r.packages == 0 && (len(r.order) == 0 || !strings.Contains(command, "go test")) {
		return Report{}
	}
	return goReport(r.report, r.order)
}

func (r *goText) line(line string) {
	if m := goSpeaks.FindStringSubmatch(line); m != nil {
		if r.said[m[1]] == nil {
			r.said[m[1]] = &strings.Builder{}
		}
		r.now = r.said[m[1]]
	} else if m := goResult.FindStringSubmatch(line); m != nil {
		t := &goTest{Test: Test{Name: m[3], Outcome: map[string]Outcome{"PASS": Passed, "FAIL": Failed, "SKIP": Skipped}[m[2]]}}
		s, _ := strconv.ParseFloat(m[4], 64)
		t.Took = time.Duration(s * float64(time.Second))
		if said := r.said[t.Name]; said != nil {
			t.output.WriteString(said.String())
			delete(r.said, t.Name)
		}
		r.order, r.now = append(r.order, t), &t.output
	} else if m := goPackage.FindStringSubmatch(line); m != nil && m[1] != "---" {
		r.closePackage(m, strings.Contains(line, "[no tests to run]"))
	} else if r.now != nil && r.now.Len() < 8*keptMessage {
		r.now.WriteString(line + "\n")
	}
}

// closePackage takes the line of a package, which ends what its tests said.
func (r *goText) closePackage(m []string, none bool) {
	r.packages++
	for _, t := range r.order[r.from:] {
		t.pkg = m[2]
	}
	switch {
	case m[1] == "ok" && r.from == len(r.order) && !none:
		r.order = append(r.order, &goTest{pkg: m[2], Test: Test{Name: m[2], Outcome: Passed}})
	case m[1] == "FAIL" && r.from == len(r.order):
		r.report.add(Test{Name: m[2], Outcome: Errored, Message: m[3]})
	}
	r.from, r.now = len(r.order), nil
	clear(r.said)
}
