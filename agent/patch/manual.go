package patch

import _ "embed"

// Manual is the reference of the patch engine as Markdown, for `caselsp help`.
//
//go:embed README.md
var Manual string
