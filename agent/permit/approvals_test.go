package permit

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"caselsp/agent/record"
	"caselsp/store"
)

// TestTamperedApprovals: what does not read as an approval allows nothing.
func TestTamperedApprovals(t *testing.T) {
	for _, entry := range []struct{ kind, body string }{
		{kindGiven, `{"shape": "rm …", "line": "rm x", "approved": true}`}, {kindGiven, `{"shape": "* *", "line": "ls", "approved": true}`},
		{kindGiven, `{"shape": "rm x; ls", "line": "rm x; ls", "approved": true, "basis": {"files": {"../x": "1"}}}`},
		{kindGiven, `{"shape": "\u0000", "approved": true}`}, {kindGiven, `{"shape": 7}`}, {kindGiven, `[]`}, {kindDecided, `"x"`}, {kindUsed, `{"rule": "r99"}`}, {kindEnded, `{"rule": ""}`},
		{kindFilled, `{"names": ["PATH", "\u001b"], "path": "/etc/passwd"}`}, {"no such", `{}`},
	} {
		s, err := store.Open(store.Options{StateDir: t.TempDir(), Workspace: "w"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		b := Approvals{Journal: s.Journal(Journal), Expiry: DefaultExpiry, Now: time.Now}
		if _, err := b.Journal.Append(entry.kind, json.RawMessage(entry.body)); err != nil {
			t.Fatal(err)
		}
		if names, err := b.Filled(); err != nil && len(names) > 0 {
			t.Errorf("%+v: %v beside an error", entry, names)
		}
		if _, err := b.Rules(true); err != nil && !strings.Contains(err.Error(), "approval 1 cannot be read") {
			t.Errorf("%+v: %v", entry, err)
		}
		kept, err := b.read()
		if err != nil {
			continue // then nothing is allowed, and the user is told
		}
		for _, line := range []string{"rm x", "rm -rf /", "rm x; ls", "ls; rm x", "curl http://a.example"} {
			if rule, _, _ := b.permits(kept, line, record.Basis{}); rule != nil {
				t.Errorf("%+v allows %q", entry, line)
			}
		}
	}
}
