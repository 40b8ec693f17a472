package lsp

import _ "embed"

// Reference is the guide to setting up editors as Markdown, for `caselsp help`.
//
//go:embed README.md
var Reference string
