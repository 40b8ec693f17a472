package dom

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/syntax"

	"golang.org/x/tools/txtar"
)

// TestTrees compares trees with those that fixtures show: each archive holds
// pairs of a page and its tree, one node a line.
func TestTrees(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "trees.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(data)
	for i := 0; i+1 < len(a.Files); i += 2 {
		page, want := a.Files[i], a.Files[i+1]
		t.Run(page.Name, func(t *testing.T) {
			text := strings.TrimSuffix(string(page.Data), "\n")
			d := Parse(syntax.Parse(syntax.HTML, text))
			var b strings.Builder
			for c := range d.Root.Children() {
				draw(&b, c, text, "")
			}
			if got := b.String(); got != string(want.Data) {
				t.Errorf("got\n%s\nwant\n%s", got, want.Data)
			}
		})
	}
}

// draw writes a node and what is in it.
func draw(b *strings.Builder, n *Node, text, indent string) {
	fmt.Fprintf(b, "%s", indent)
	switch n.Kind {
	case Element:
		fmt.Fprintf(b, "<%s>", n.Name)
		for i := range n.Attrs {
			a := &n.Attrs[i]
			fmt.Fprintf(b, " %s=%q", a.Name, text[a.ValueStart:a.ValueEnd])
			if a.Dynamic {
				b.WriteString("*")
			}
			if a.Conditional {
				b.WriteString("?")
			}
		}
		if n.Opaque {
			b.WriteString(" ...")
		}
		if n.CloseStart < n.End {
			fmt.Fprintf(b, " %s", text[n.CloseStart:n.End])
		}
	case Tag:
		fmt.Fprintf(b, "{%% %s %%}", n.Name)
	case Output:
		b.WriteString("{{}}")
	case Note:
		b.WriteString("{##}")
	default:
		fmt.Fprintf(b, "%q", n.Text)
	}
	for a := n.Arm; a != nil; a = a.Parent {
		fmt.Fprintf(b, " @%s%d", a.Name, a.Index)
	}
	b.WriteString("\n")
	for c := range n.Children() {
		draw(b, c, text, indent+"  ")
	}
}

// checkTree checks what holds for every tree.
func checkTree(t *testing.T, text string) {
	t.Helper()
	d := Parse(syntax.Parse(syntax.HTML, text))
	if len(d.Masked) != len(text) {
		t.Fatalf("the masked text has %d bytes, the text %d", len(d.Masked), len(text))
	}
	for n := range d.Root.Walk() {
		if n.Start < 0 || n.End < n.Start || n.End > len(text) {
			t.Fatalf("%+v is outside of the text", n)
		}
		if n.Kind == Element && (n.OpenEnd < n.Start || n.CloseStart < n.OpenEnd || n.End < n.CloseStart) {
			t.Fatalf("the tags of %+v are out of order", n)
		}
		for i := range n.Attrs {
			a := &n.Attrs[i]
			if a.Start < n.Start || a.NameEnd < a.Start || a.ValueStart < a.NameEnd || a.ValueEnd < a.ValueStart || a.End < a.ValueEnd || a.End > n.OpenEnd {
				t.Fatalf("%+v is out of order", a)
			}
			for _, w := range a.Words() {
				if text[w.Start:w.End] != w.Text {
					t.Fatalf("the word %+v is not at its place", w)
				}
			}
		}
		for c := range n.Children() {
			if c.Parent != n {
				t.Fatalf("%+v has another parent", c)
			}
		}
	}
}

func FuzzTree(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "trees.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range txtar.Parse(data).Files {
		f.Add(string(file.Data))
	}
	f.Fuzz(checkTree)
}

// checkSheet checks what holds for every style sheet.
func checkSheet(t *testing.T, text string) {
	t.Helper()
	const base = 7
	at := base
	for _, tok := range Tokens(text, base) {
		if tok.Start != at || tok.End <= tok.Start || tok.Text != text[tok.Start-base:tok.End-base] {
			t.Fatalf("%+v is not at %d", tok, at)
		}
		at = tok.End
	}
	if at != base+len(text) {
		t.Fatalf("the tokens end at %d", at)
	}
	for _, r := range ParseSheet(text, base).All {
		if r.Start < base || r.End < r.Start || r.End > base+len(text) {
			t.Fatalf("%+v is outside of the text", r)
		}
		for _, d := range r.Decls {
			if d.Start < r.Start || d.NameEnd < d.Start || d.ValueStart < d.NameEnd || d.ValueEnd < d.ValueStart || d.End < d.ValueEnd || d.End > r.End {
				t.Fatalf("%+v is out of order", d)
			}
		}
	}
}

func FuzzSheet(f *testing.F) {
	for _, text := range []string{"", "a{b:c}", "a b>c,d:not(.e){f:g!important;&:hover{h:i}}", "@media(x){a{b:url(c)}}", `@import "x";a{--b:{c};*d:1}`} {
		f.Add(text)
	}
	f.Fuzz(checkSheet)
}
