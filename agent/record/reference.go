package record

import _ "embed"

// Reference is the reference of a task's events as Markdown, for `caselsp help`.
//
//go:embed README.md
var Reference string
