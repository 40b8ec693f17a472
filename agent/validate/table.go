package validate

import "slices"

// Rules returns every rule there is, validator by validator.
func Rules() []Rule { return slices.Clone(table) }

// table names every table of rules.
var table = slices.Concat(
	syntaxRules,
	htmlRules,
	cssNameRules, cssBlockRules, cssDetailRules, cssAccessRules,
	jsFlowRules, jsExprRules, jsCallRules, jsScopeRules,
	perfPageRules, perfStyleRules, perfScriptRules,
	a11yImageRules,
	suppressionRules,
)
