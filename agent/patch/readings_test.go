package patch

import "testing"

// TestEnvelope: a patch is found in what it is wrapped in, or refused.
func TestEnvelope(t *testing.T) {
	names, cases := fixtures(t, "envelope.txtar")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			p, err := Parse(c["patch"], nil)
			after := c["before"]
			if err == nil {
				if len(p.Files) != 1 {
					t.Fatalf("%d files:\n%s", len(p.Files), listing(p))
				}
				after, _, err = p.Files[0].Apply(c["before"])
			}
			want, refused := c["refusal"]
			switch {
			case refused:
				checkRefusal(t, err, want)
				want = c["before"]
			case err != nil:
				t.Fatal(err)
			default:
				want = c["after"]
			}
			if after != want {
				t.Errorf("got:\n%s\nwant:\n%s", after, want)
			}
		})
	}
}
