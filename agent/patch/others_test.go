package patch

import "testing"

// TestOthers holds the engine to what the tests of other tools are about.
func TestOthers(t *testing.T) {
	names, cases := fixtures(t, "others.txtar")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			p, err := Parse(c["patch"], nil)
			if want, ok := c["files"]; ok {
				if err != nil {
					t.Fatal(err)
				}
				if got := listing(p); got != want {
					t.Errorf("got:\n%swant:\n%s", got, want)
				}
				return
			}
			after := c["before"]
			if err == nil && len(p.Files) != 1 {
				t.Fatalf("%d files", len(p.Files))
			} else if err == nil {
				after, _, err = p.Files[0].Apply(c["before"])
			}
			want, refused := c["refusal"]
			if refused {
				checkRefusal(t, err, want)
				want = c["before"]
			} else if err != nil {
				t.Fatal(err)
			} else {
				want = c["after"]
			}
			if after != want {
				t.Errorf("got %q, want %q", after, want)
			}
		})
	}
}
