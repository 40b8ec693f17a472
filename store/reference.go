package store

import _ "embed"

// Reference is the reference of the state directory, secrets and redaction as
// Markdown, for `caselsp help`.
//
//go:embed README.md
var Reference string
