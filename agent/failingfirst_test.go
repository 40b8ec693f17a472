package agent

import (
	"strings"
	"testing"

	"caselsp/agent/fixcheck"
	"caselsp/agent/testreport"
	"caselsp/sandbox"
)

// TestFailingFirstJudge shows what a run of only the tests that failed says of the claim that they are mended.
func TestFailingFirstJudge(t *testing.T) {
	const line = "go test -json -run '^(TestPrint)$' ./ast"
	event := func(action, test, output string) string {
		return `{"Action":"` + action + `","Package":"x/ast","Test":"` + test + `","Output":"` + output + `"}` + "\n"
	}
	fails := func(test, said string) string {
		return event("run", test, "") + event("output", test, `    print_test.go:9: `+said+`\n`) + event("fail", test, "")
	}
	passes := func(test string) string { return event("run", test, "") + event("pass", test, "") }
	end := func(action string) string { return `{"Action":"` + action + `","Package":"x/ast"}` + "\n" }
	before := fails("TestPrint/sum", "got 3, want 4") + fails("TestPrint", "sub") + end("fail")
	for _, c := range []struct {
		name, after string
		status      sandbox.Status
		code        int
		want        string // invalid, valid, or none
		reason      string
	}{
		{"as before", before, sandbox.Exited, 1, "invalid", "TestPrint/sum still fails"},
		{"passes", passes("TestPrint/sum") + passes("TestPrint") + end("pass"), sandbox.Exited, 0, "valid", ""},
		{"another fails first, so that it did not run", fails("TestPrint/mod", "panic: index out of range") + fails("TestPrint", "panic: index out of range") + end("fail"), sandbox.Exited, 1, "invalid", "fails: "},
		{"in another way", fails("TestPrint/sum", "no such operator") + fails("TestPrint", "no such operator") + end("fail"), sandbox.Exited, 1, "invalid", "TestPrint/sum fails: "},
		{"it did not end", "", sandbox.TimedOut, 0, "none", "did not end"},
		{"nothing ran", "go: no such tool", sandbox.Exited, 1, "none", "did not run"},
	} {
		f := &failingFirst{tests: testreport.Read(line, before, nil).Bad()}
		f.first.Line = line
		for _, one := range f.tests {
			f.first.Tests = append(f.first.Tests, one.Name)
		}
		v := fixcheck.Verdict{Threshold: fixcheck.DefaultThreshold}
		f.judge(&sandbox.Result{Status: c.status, ExitCode: c.code, Output: c.after}, &v, nil)
		got := "none"
		switch {
		case v.Refuses():
			got = "invalid"
		case v.Valid:
			got = "valid"
		}
		if got != c.want || !strings.Contains(v.Reason+v.Trouble, c.reason) {
			t.Errorf("%s: %s, %+v; want %s with %q", c.name, got, v, c.want, c.reason)
		}
	}
}
