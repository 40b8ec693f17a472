package validate

import _ "embed"

// Manual is the reference of the validators as Markdown, for `caselsp help`.
//
//go:embed README.md
var Manual string
