// Command corpus makes the sets on which the retrieval of memory is measured, from checkouts of
// projects that the caller names. It writes JSON lines to its standard output.
//
//	go run ./store/testdata/corpus -seed 1 -faults 40 DIR... > failures.jsonl
//	go run ./store/testdata/corpus -code -commits 150 DIR... > code.jsonl
//
// A failure is what one test says about a fault that was injected into one line of a copy of the
// checkout: two failures are alike when the same fault caused them. A code record is a function and
// the first sentence of its documentation, or the lines of a commit and its subject.
//
// Faults need the tests to run offline: "go test" for a directory with a go.mod, pytest otherwise.
// Nothing is written into the checkouts.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// Record is a line of a set.
type Record struct {
	Repo       string `json:"repo"`
	Fault      string `json:"fault,omitempty"` // file, line and change
	Test       string `json:"test,omitempty"`
	Type       string `json:"type,omitempty"`       // of the error
	Signatures string `json:"signatures,omitempty"` // as memory keeps the failure
	Output     string `json:"output,omitempty"`     // what the runner said about the test
	Query      string `json:"query,omitempty"`      // a sentence of documentation or a subject
	Code       string `json:"code,omitempty"`
	Source     string `json:"source,omitempty"` // "documentation" or "commit"
}

func main() {
	seed := flag.Uint64("seed", 1, "seed of the choice of faults")
	faults := flag.Int("faults", 40, "most faults injected into one checkout")
	code := flag.Bool("code", false, "write code records in place of failures")
	commits := flag.Int("commits", 150, "with -code: most commits of one checkout")
	functions := flag.Int("functions", 200, "with -code: most functions of one checkout")
	flag.Parse()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, dir := range flag.Args() {
		dir, err := filepath.Abs(dir)
		if err != nil {
			fatal(err)
		}
		var records []Record
		if *code {
			records, err = codeRecords(dir, *seed, *functions, *commits)
		} else {
			records, err = failures(dir, *seed, *faults)
		}
		if err != nil {
			fatal(fmt.Errorf("%s: %w", dir, err))
		}
		for _, r := range records {
			r.Repo = filepath.Base(dir)
			if err := out.Encode(r); err != nil {
				fatal(err)
			}
		}
		fmt.Fprintf(os.Stderr, "%s: %d records\n", filepath.Base(dir), len(records))
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
