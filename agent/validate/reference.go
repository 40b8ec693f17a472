package validate

import _ "embed"

// Reference is the reference of the validators as Markdown, for `caselsp help`.
//
//go:embed README.md
var Reference string
