// Package templates holds the rules about templates of Django and Jinja: forms,
// tags, and text that the engine takes for something else.
//
// The package exports nothing but its rules. It never imports another family of
// rules: what two families need lies in package dom, ecma or syntax.
package templates

import "slices"

// Rules are the rules of this family, in the order of the documentation.
var Rules = slices.Concat(
	formRules,
	tagRules,
	slipRules,
)
