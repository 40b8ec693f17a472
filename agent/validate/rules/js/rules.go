// Package js holds the rules about JavaScript and TypeScript, also inside of
// pages: what is certain from the source of one file, without types.
//
// The package exports nothing but its rules. It never imports another family of
// rules: what two families need lies in package dom, ecma or syntax.
package js

import "slices"

// Rules are the rules of this family, in the order of the documentation.
var Rules = slices.Concat(
	flowRules,
	exprRules,
	callRules,
	scopeRules,
	classRules,
	detailRules,
	regexpRules,
)
