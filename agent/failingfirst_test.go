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
		name, before, after string
		status              sandbox.Status
		code                int
		want                string // invalid, valid, or none
		reason              string
	}{
		{"as before", before, before, sandbox.Exited, 1, "invalid", "TestPrint/sum still fails"},
		{"passes", before, passes("TestPrint/sum") + passes("TestPrint") + end("pass"), sandbox.Exited, 0, "valid", ""},
		{"another fails first, so that it did not run", before, fails("TestPrint/mod", "panic: index out of range") + fails("TestPrint", "panic: index out of range") + end("fail"), sandbox.Exited, 1, "invalid", "fails: "},
		{"in another way", before, fails("TestPrint/sum", "no such operator") + fails("TestPrint", "no such operator") + end("fail"), sandbox.Exited, 1, "invalid", "TestPrint/sum fails: "},
		{"it did not end", before, "", sandbox.TimedOut, 0, "none", "did not end"},
		{"nothing ran", before, "go: no such tool", sandbox.Exited, 1, "none", "did not run"},
		{"it cannot be built", before, event("output", "", `FAIL\tx/ast [build failed]\n`) + end("fail"), sandbox.Exited, 1, "none", "did not run"},
		{"none was named, and they pass", "FAIL\n", passes("TestPrint") + end("pass"), sandbox.Exited, 0, "valid", "the tests pass"},
		{"none was named, and they fail", "FAIL\n", "FAIL\n", sandbox.Exited, 1, "invalid", "the tests still fail"},
		{"none was named, and one is now", "FAIL\n", before, sandbox.Exited, 1, "invalid", "now TestPrint/sum fails"},
		{"none was named, and they did not end", "FAIL\n", "", sandbox.TimedOut, 0, "none", "did not end"},
	} {
		f := &failingFirst{tests: testreport.Read(line, c.before, nil).Bad()}
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
