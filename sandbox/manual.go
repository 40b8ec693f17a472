package sandbox

import _ "embed"

// Manual is the reference of the sandbox as Markdown, for `caselsp help`.
//
//go:embed README.md
var Manual string
