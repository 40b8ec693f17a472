// Package performance holds the rules about what makes pages slow to load or to
// respond.
//
// The package exports nothing but its rules. It never imports another family of
// rules: what two families need lies in package dom, ecma or syntax.
package performance

import "slices"

// Rules are the rules of this family, in the order of the documentation.
var Rules = slices.Concat(
	pageRules,
	styleRules,
	scriptRules,
	timingRules,
)
