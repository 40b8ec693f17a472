package sandbox

import _ "embed"

// Reference is the reference of the sandbox as Markdown, for `caselsp help`.
//
//go:embed README.md
var Reference string
