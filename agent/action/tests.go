package action

import (
	_ "embed" // the text for the model
	"errors"
	"strings"
)

//go:embed tests.md
var testsText string

// SubmitTestsName is the name of TestsVerb.
const SubmitTestsName = "SUBMIT_TESTS"

// Tests is what the tester says of the tests that it wrote.
type Tests struct {
	words
	Summary string `json:"summary" doc:"What the tests cover; or why none are needed."`
	Fault   string `json:"fault,omitempty" doc:"Where a test fails because the code is wrong: what is wrong, with its place."`
}

// TestsVerb is the verb whose arguments are Tests.
var TestsVerb = register[Tests](SubmitTestsName, Submits, testsText)

// Check implements Args.
func (t Tests) Check() error {
	if strings.TrimSpace(t.Summary) == "" {
		return errors.New("summary is empty: say what the tests cover, or why none are needed")
	}
	return nil
}
