package lsp

import (
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// installDiagnostics adds the checking of documents.
func (s *server) installDiagnostics() {}

// mark replaces what one source says of a document (see [fromSyntax]) and sends
// the client what all of them say together. It may be called anywhere.
func (s *server) mark(source string, u uri.URI, list []protocol.Diagnostic) {
	s.publish(u, nil, list)
}
