// Package css holds the rules about style sheets: declarations that do nothing
// or do harm, selectors and queries that never match.
//
// The package exports nothing but its rules. It never imports another family of
// rules: what two families need lies in package dom, ecma or syntax.
package css

import "slices"

// Rules are the rules of this family, in the order of the documentation.
var Rules = slices.Concat(
	nameRules,
	semicolonRules,
	mediaRules,
	blockRules,
	sheetRules,
	detailRules,
	accessRules,
)
