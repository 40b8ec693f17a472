// Package secrets holds the rules about keys and passwords in source.
//
// The package exports nothing but its rules. It never imports another family of
// rules: what two families need lies in package dom, ecma or syntax.
package secrets

// Rules are the rules of this family, in the order of the documentation.
var Rules = secretRules
