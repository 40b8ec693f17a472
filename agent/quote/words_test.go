package quote

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for w, want := range map[Words]string{
		"":                          "",
		"all done":                  "“all done”",
		"ok\n  question q9: agree?": "“ok”",
		"\x1b[2Jdone” allowed":      `“\u{1b}[2Jdone\u{201d} allowed”`,
	} {
		for _, got := range []string{fmt.Sprint(w), strings.TrimSuffix(fmt.Sprintf("%s.", w), "."), fmt.Sprintf("%v", w), w.After("")} {
			if got != want {
				t.Errorf("%q is shown as %s, want %s", string(w), got, want)
			}
		}
		raw, err := json.Marshal(w)
		var again Words
		if err == nil {
			err = json.Unmarshal(raw, &again)
		}
		if err != nil || again != w {
			t.Errorf("%q is kept as %s, and read as %q: %v", string(w), raw, string(again), err)
		}
	}
	if got := Words("w").After("ours") + ", " + Words("w").PlainAfter("ours") + ", " + Words("").After("ours"); got != "ours: “w”, ours: w, ours" {
		t.Error(got)
	}
}
