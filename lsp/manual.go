package lsp

import _ "embed"

// Manual is the guide to setting up editors as Markdown, for `caselsp help`.
//
//go:embed README.md
var Manual string
