package validate

import (
	"path"
	"strings"
	"testing"
)

// benchFile joins the fixtures of one kind to a text of about 200 KB, as large
// style sheets and scripts are.
func benchFile(b *testing.B, ext string) *File {
	const size = 200 << 10
	var text strings.Builder
	for text.Len() < size {
		before := text.Len()
		sources(b, func(name, source string) {
			if path.Ext(name) != ext || text.Len() > size || len(ofRule(Check(path.Base(name), source), "syntax")) > 0 || strings.Contains(source, "\nimport ") || strings.HasPrefix(source, "import ") {
				return
			}
			if ext == ".js" {
				text.WriteString("{\n" + strings.ReplaceAll(source, "export ", "") + "\n}\n")
			} else {
				text.WriteString(source)
			}
		})
		if text.Len() == before {
			b.Fatalf("no fixture is %s", ext)
		}
	}
	return newFile("a"+ext, text.String())
}

// BenchmarkRules measures each rule over a file that is parsed already, and
// "parse" what all of them need first.
func BenchmarkRules(b *testing.B) {
	for _, ext := range []string{".css", ".js", ".html"} {
		f := benchFile(b, ext)
		b.Run(ext[1:]+"/parse", func(b *testing.B) {
			b.SetBytes(int64(len(f.Text)))
			for b.Loop() {
				fresh := newFile(f.Path, f.Text)
				fresh.Styles()
				for _, c := range fresh.Code() {
					c.Nodes("identifier")
				}
			}
		})
		for i := range table {
			r := &table[i]
			if r.Check == nil {
				continue
			}
			b.Run(ext[1:]+"/"+r.ID, func(b *testing.B) {
				b.SetBytes(int64(len(f.Text)))
				for b.Loop() {
					r.Check(&Pass{File: f, rule: r, asked: map[Key]bool{}})
				}
			})
		}
	}
}
