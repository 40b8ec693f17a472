package shell

import _ "embed"

// Reference is the reference of verdicts, approvals and trust as Markdown, for `caselsp help`.
//
//go:embed README.md
var Reference string
