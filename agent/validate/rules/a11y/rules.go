// Package a11y holds the accessibility rules: WCAG 2.1 levels A and AA and the ACT
// rules of the W3C, as far as source can show.
//
// The package exports nothing but its rules. It never imports another family of
// rules: what two families need lies in package dom, ecma or syntax.
package a11y

import "slices"

// Rules are the rules of this family, in the order of the documentation.
var Rules = slices.Concat(
	imageRules,
	nameRules,
	ariaRules,
	pageRules,
	tableRules,
	textRules,
	fitRules,
)
