package patch

import _ "embed"

// Reference is the reference of the patch engine as Markdown, for `caselsp help`.
//
//go:embed README.md
var Reference string
