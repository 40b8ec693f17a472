// Package safety holds the security rules about Python, JavaScript, Go and
// templates: untrusted input that reaches a dangerous call, and weak settings.
//
// The package exports nothing but its rules. It never imports another family of
// rules: what two families need lies in package dom, ecma or syntax.
package safety

import "slices"

// Rules are the rules of this family, in the order of the documentation.
var Rules = slices.Concat(
	pythonRules,
	pyDataRules,
	pyCryptoRules,
	pyWebRules,
	pySentRules,
	serverRules,
	sqlRules,
	textRules,
	scriptRules,
	goRules,
	goSentRules,
	goAuditRules,
	templateRules,
)
