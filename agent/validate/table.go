package validate

import "slices"

// Rules returns every rule there is, validator by validator.
func Rules() []Rule { return slices.Clone(table) }

// RuleOf returns the rule with an id.
func RuleOf(id string) (Rule, bool) {
	i := slices.IndexFunc(table, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return table[i], true
}

// table names every table of rules.
var table = slices.Concat(
	syntaxRules,
	htmlTagRules,
	htmlAttributeRules,
	htmlAddressRules,
	htmlContentRules,
	htmlNeedRules,
	htmlSourceRules,
	htmlScriptRules,
	htmlPictureRules,
	cssNameRules, cssSemicolonRules, cssMediaRules, cssBlockRules, cssSheetRules, cssDetailRules, cssAccessRules,
	jsFlowRules, jsExprRules, jsCallRules, jsScopeRules, jsClassRules, jsDetailRules, jsRegexpRules,
	perfPageRules, perfStyleRules, perfScriptRules, perfTimingRules,
	a11yImageRules,
	a11yNameRules,
	a11yAriaRules,
	a11yPageRules,
	a11yTableRules,
	a11yTextRules,
	a11yFitRules,
	templateFormRules,
	templateTagRules,
	templateSlipRules,
	linkRules,
	linkTemplateRules,
	safetyPythonRules,
	safetyPyDataRules,
	safetyPyCryptoRules,
	safetyPyWebRules,
	safetyPySentRules,
	safetyServerRules,
	safetySQLRules,
	safetyTextRules,
	safetyScriptRules,
	safetyGoRules,
	safetyGoSentRules,
	safetyGoAuditRules,
	safetyTemplateRules,
	secretRules,
	suppressionRules,
)
