package testreport

import "strings"

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

// Summary returns the line in which a runner sums up: the last one with a number; "" for none.
func Summary(output string) string {
	sum := ""
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); strings.ContainsAny(line, "0123456789") {
			sum = line
		}
	}
	return sum
}
