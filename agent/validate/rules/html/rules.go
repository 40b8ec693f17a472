// Package html holds the rules about HTML that browsers take for something else
// than what was meant: elements, attributes, addresses, pictures.
//
// The package exports nothing but its rules. It never imports another family of
// rules: what two families need lies in package dom, ecma or syntax.
package html

import "slices"

// Rules are the rules of this family, in the order of the documentation.
var Rules = slices.Concat(
	tagRules,
	attributeRules,
	addressRules,
	contentRules,
	needRules,
	sourceRules,
	scriptRules,
	pictureRules,
)
