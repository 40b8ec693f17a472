package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"go.lsp.dev/protocol"
)

// maxPulls is how often a document is checked for one answer, if its text or what
// its findings depend on changes meanwhile. Once is usual while the folders are
// read, twice if the user types too.
const maxPulls = 3

// pull answers textDocument/diagnostic with what is found in the document as it is
// now, not as it was when the request was sent: the client has the newer text
// already, and answers may overtake each other.
//
// An answer that is out of date must not be the last word. So a request that the
// client has cancelled is not answered with a result (Neovim cancels the pulls under
// way when it is asked to refresh, and would show a late result in spite of that).
// And when the answer is out, the client is asked to pull again if the document's
// round has changed since the answer was computed: the request to refresh that came
// with the change may have been served before this answer arrived.
func (l *diagnostics) pull(ctx context.Context, c *call, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	for try := 1; ; try++ {
		doc := l.docs.get(p.TextDocument.URI)
		if doc == nil {
			return l.report(nil), nil
		}
		if id := doc.resultID(l.roundOf(doc.URI)); p.PreviousResultID != nil && *p.PreviousResultID == id {
			same := &protocol.RelatedUnchangedDocumentDiagnosticReport{}
			same.Kind, same.ResultID = string(protocol.DocumentDiagnosticReportKindUnchanged), id
			return same, nil
		}
		r := l.check(doc)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		current := l.current(r)
		if !current && try < maxPulls {
			continue
		}
		c.AfterAnswer(func(ctx context.Context) error {
			if !current || l.docs.get(doc.URI) != nil && l.roundOf(doc.URI) != r.round {
				l.ed.refreshDiagnostics(ctx)
			}
			return nil
		})
		return l.report(r), nil
	}
}

// report returns a result as the answer to a pull. A document that is not open has
// none, and no findings.
func (l *diagnostics) report(r *result) *protocol.RelatedFullDocumentDiagnosticReport {
	full := &protocol.RelatedFullDocumentDiagnosticReport{}
	full.Kind, full.Items = string(protocol.DocumentDiagnosticReportKindFull), []protocol.Diagnostic{}
	if r == nil {
		return full
	}
	full.ResultID = new(r.doc.resultID(r.round))
	for _, d := range r.found {
		full.Items = append(full.Items, l.ed.client.diagnostic(d))
	}
	return full
}

// resultID names the text and the round that a result is of. Nothing has to be
// remembered of the answers, and an edit that is taken back leads to the same id
// again.
func (d *document) resultID(round int) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(round) + "\x00" + d.kind() + "\x00" + d.Broken + "\x00" + d.Text))
	return hex.EncodeToString(sum[:8])
}
