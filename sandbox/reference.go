package sandbox

import _ "embed"

// Reference is the reference of the sandbox as Markdown, for `caselsp help`.
//
//go:embed README.md
var Reference string

// Threats says who could attack, what they cannot do, and which test shows it: the
// sandbox is the last of what stops them.
//
//go:embed THREATS.md
var Threats string
