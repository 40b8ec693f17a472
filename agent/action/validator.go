package action

import _ "embed" // the text for the model

//go:embed validator.md
var validatorText string

// FixValidator is a fix validator that a model has written: a Python program.
type FixValidator struct {
	words
	Name        string `json:"name" doc:"Lower-case words joined by -."`
	Description string `json:"description" doc:"What it judges."`
	Code        string `json:"code" doc:"The whole program."`
}

// FixValidatorVerb is the verb whose arguments are FixValidator.
var FixValidatorVerb = register[FixValidator](SubmitCheckName, Submits, validatorText)

// Check implements Args.
func (v FixValidator) Check() error {
	var wrong faults
	wrong.blank("name", v.Name, "name it after what it checks")
	wrong.blank("description", v.Description, "say what it judges")
	wrong.blank("code", v.Code, "write the program")
	return wrong.err()
}
