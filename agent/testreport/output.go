package testreport

import (
	"cmp"
	"slices"
	"strings"
)

// Failure picks the lines of a test run's output that tell what failed, for
// memory, which finds the failure again by them. Where none stands out: the last lines.
func Failure(output string) string {
	var telling, all []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		all = append(all, line)
		for _, word := range []string{"Error", "error:", "Exception", "assert", "FAIL", "panic"} {
			if strings.Contains(line, word) {
				telling = append(telling, line)
				break
			}
		}
	}
	if len(telling) == 0 {
		telling = all
	}
	return strings.Join(telling[max(0, len(telling)-failureLines):], "\n")
}

// failureLines is how many telling lines of a failed run describe the failure.
const failureLines = 12

// Summary returns the line in which a runner sums up: the last one with a number, and of the packages of Go one that has tests,
// where there is any; "" for none.
func Summary(output string) string {
	sum, empty := "", ""
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); !strings.ContainsAny(line, "0123456789") {
			continue
		}
		if strings.HasSuffix(line, "[no tests to run]") || strings.HasSuffix(line, "[no test files]") {
			empty = line
		} else {
			sum = line
		}
	}
	return cmp.Or(sum, empty)
}

// maxSignatures is how many errors of a failed run describe it, and again how many of its telling lines:
// the first ones are the cause of the rest more often than not.
const maxSignatures = 6

// Signatures are a failed run as memory keeps it and finds it again: its errors, then the lines that tell
// what failed ([Failure]), which often show the code, all without what differs from run to run ([Signature])
// and each once. kind is the type of the first error.
func Signatures(output string) (kind string, signatures []string) {
	add := func(s string, most int) {
		if s != "" && len(signatures) < most && !slices.Contains(signatures, s) {
			signatures = append(signatures, s)
		}
	}
	for _, t := range Traces(output) {
		kind = cmp.Or(kind, t.Type)
		add(Signature(t.Type, t.Message), maxSignatures)
	}
	for line := range strings.Lines(Failure(output)) {
		add(strings.TrimPrefix(Signature("", line), ": "), 2*maxSignatures)
	}
	return kind, signatures
}
