// Package rules assembles the suite of every rule that caselsp has. It knows the
// families and their order, which is the order of the findings and of the
// documentation, and nothing else.
//
// What a rule is, and how to add one, is told in package validate.
package rules

import (
	"sync"

	"caselsp/agent/validate"
	"caselsp/agent/validate/rules/a11y"
	"caselsp/agent/validate/rules/css"
	"caselsp/agent/validate/rules/html"
	"caselsp/agent/validate/rules/js"
	"caselsp/agent/validate/rules/links"
	"caselsp/agent/validate/rules/performance"
	"caselsp/agent/validate/rules/safety"
	"caselsp/agent/validate/rules/secrets"
	"caselsp/agent/validate/rules/templates"
)

var suite = sync.OnceValue(func() validate.Suite {
	return validate.NewSuite(
		html.Rules,
		css.Rules,
		js.Rules,
		performance.Rules,
		a11y.Rules,
		templates.Rules,
		links.Rules,
		safety.Rules,
		secrets.Rules,
	)
})

// Default returns the suite of all rules, as they are without settings.
func Default() validate.Suite { return suite() }
