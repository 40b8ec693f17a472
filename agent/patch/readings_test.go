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

// TestOpenEnd: what a hunk says of the newline at the end of the file holds with a list
// of explanations behind it.
func TestOpenEnd(t *testing.T) {
	const list = "\n- changed two\n- nothing else\n"
	for _, c := range []struct{ before, diff, after string }{
		{"one\ntwo\n", "@@ -1,2 +1,2 @@\n one\n-two\n+four\n\\ No newline at end of file\n" + list, "one\nfour"},
		{"one\ntwo", "@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+four\n" + list, "one\nfour\n"},
	} {
		p, err := Parse(c.diff, nil)
		if err != nil {
			t.Fatal(err)
		}
		if after, _, err := p.Files[0].Apply(c.before); err != nil || after != c.after {
			t.Errorf("%q: got %q, %v; want %q", c.before, after, err, c.after)
		}
	}
}

// TestNames: a name that exists is a heading, whatever its form, and a hunk below a line
// that holds one is refused.
func TestNames(t *testing.T) {
	const block = "<<<<<<< SEARCH\nt = 1\n=======\nt = 2\n>>>>>>> REPLACE\n"
	exists := func(name string) bool { return name == "configure" || name == "my file" }
	for _, c := range []struct{ heading, want string }{
		{"configure", "configure"}, {"### configure", "configure"}, {"my file:", "my file"}, {"Then", "a.txt"},
		{"And then in configure it is:", ""}, {"This is easy.", "a.txt"}, {"As https://example.org/b.txt says:", "a.txt"}, {"Now the other file:", ""},
		{"_layout.txt", "_layout.txt"}, {"**__init__.txt**", "__init__.txt"}, {"`__init__.txt`:", "__init__.txt"}, {"__b.txt__", "b.txt"}, {"_includes/_b.txt", "_includes/_b.txt"},
	} {
		p, err := Parse("a.txt\n"+block+"\n"+c.heading+"\n"+block, exists)
		if err != nil {
			t.Fatal(err)
		}
		last := &p.Files[len(p.Files)-1]
		if _, _, err := last.Apply("t = 1\n"); (c.want == "") != (err != nil) || c.want != "" && last.Path != c.want {
			t.Errorf("%q: the block is for %q, %v; want %q", c.heading, last.Path, err, c.want)
		}
	}
}
