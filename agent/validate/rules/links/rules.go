// Package links holds the rules about names that one file uses and another one
// defines: addresses, ids, classes, modules, routes, templates.
//
// The package exports nothing but its rules. It never imports another family of
// rules: what two families need lies in package dom, ecma or syntax.
package links

import "slices"

// Rules are the rules of this family, in the order of the documentation.
var Rules = slices.Concat(
	addressRules,
	templateRules,
)
