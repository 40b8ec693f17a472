package syntax_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"caselsp/agent/syntax"
)

// fuzz checks what holds for every text: nothing panics, and every place is
// in the text and is one place.
func fuzz(f *testing.F, lang syntax.Language) {
	for _, pattern := range []string{"testdata/errors/*.txtar", "testdata/outline/*.txtar"} {
		for _, a := range archives(f, pattern) {
			for _, file := range a.Files {
				if syntax.OutlineLanguageOf(file.Name) == lang {
					text, _, _ := cut(string(file.Data))
					f.Add(text)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		checkInvariants(t, lang, text)
	})
}

func checkInvariants(t *testing.T, lang syntax.Language, text string) {
	t.Helper()
	tree := syntax.Parse(lang, text)
	place := func(p syntax.Position) int {
		if p != tree.Position(p.Offset) || p.Offset < 0 || p.Offset > len(text) {
			t.Fatalf("%+v is no place of a text of %d bytes", p, len(text))
		}
		return p.Offset
	}
	last := 0
	for _, e := range tree.Errors() {
		start, end := place(e.Start), place(e.End)
		if start < last || end < start || e.Message == "" {
			t.Fatalf("an error is out of order or says nothing: %+v", e)
		}
		last = start
	}
	last = 0
	for _, c := range syntax.Comments(lang, text) {
		start, end := place(c.Start), place(c.End)
		if start < last || end <= start {
			t.Fatalf("a comment is out of order or empty: %+v", c)
		}
		last = start
	}
	checkSymbols(t, tree.Outline(), tree.Position(len(text)).Line)
	if root := tree.Root(); !root.IsZero() {
		count := 0
		for n := range root.Walk() {
			if place(n.Start()) > place(n.End()) {
				t.Fatalf("a node ends before it begins: %s", n.Kind())
			}
			_ = n.Text()
			count++
		}
		if count == 0 {
			t.Fatal("a root is not in its own walk")
		}
	}
}

func checkSymbols(t *testing.T, symbols []syntax.Symbol, lines int) {
	t.Helper()
	for _, s := range symbols {
		if s.StartLine < 0 || s.EndLine > lines || s.EndLine < s.StartLine || s.Kind == "" {
			t.Fatalf("a symbol is outside of the text: %+v", s)
		}
		checkSymbols(t, s.Children, lines)
	}
}

func FuzzPython(f *testing.F)     { fuzz(f, syntax.Python) }
func FuzzJavaScript(f *testing.F) { fuzz(f, syntax.JavaScript) }
func FuzzTypeScript(f *testing.F) { fuzz(f, syntax.TypeScript) }
func FuzzTSX(f *testing.F)        { fuzz(f, syntax.TSX) }
func FuzzGo(f *testing.F)         { fuzz(f, syntax.Go) }
func FuzzJSON(f *testing.F)       { fuzz(f, syntax.JSON) }
func FuzzJSONC(f *testing.F)      { fuzz(f, syntax.JSONC) }
func FuzzHTML(f *testing.F)       { fuzz(f, syntax.HTML) }
func FuzzCSS(f *testing.F)        { fuzz(f, syntax.CSS) }
func FuzzCPP(f *testing.F)        { fuzz(f, syntax.CPP) }
func FuzzPHP(f *testing.F)        { fuzz(f, syntax.PHP) }
func FuzzRuby(f *testing.F)       { fuzz(f, syntax.Ruby) }

// Every beginning of every fixture is a text that somebody is typing.
func TestPrefixes(t *testing.T) {
	for archive, a := range archives(t, "testdata/*/*.txtar") {
		for _, f := range a.Files {
			t.Run(fmt.Sprintf("%s/%s", filepath.Base(archive), f.Name), func(t *testing.T) {
				text, _, _ := cut(string(f.Data))
				for i := 0; i < len(text); i += 1 + len(text)/40 {
					checkInvariants(t, syntax.OutlineLanguageOf(f.Name), text[:i])
				}
			})
		}
	}
}

func benchmark(b *testing.B, path, unit string, lines int) {
	text := strings.Repeat(unit, lines/strings.Count(unit, "\n"))
	b.SetBytes(int64(len(text)))
	b.Run("errors", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !syntax.Parse(syntax.LanguageOf(path), text).OK() {
				b.Fatal("the text is good")
			}
		}
	})
	b.Run("outline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			syntax.Parse(syntax.LanguageOf(path), text).Outline()
		}
	})
}

func BenchmarkParsePython(b *testing.B) {
	benchmark(b, "x.py", `
class Post(models.Model):
    """A post of the blog."""

    title = models.CharField(max_length=200, default="untitled")

    def summary(self, words: int = 20) -> str:
        # The first words of the body.
        text = [w for w in self.body.split() if w not in {"a", "the"}]
        return f"{self.title}: {' '.join(text[:words])!r}"
`, 1000)
}

func BenchmarkParseHTML(b *testing.B) {
	benchmark(b, "x.html", `
{% for post in posts %}
<article id="post-{{ post.pk }}" class="post {% if post.new %}new{% endif %}">
  <h2><a href="{% url 'post' post.pk %}">{{ post.title|title }}</a></h2>
  <p>{{ post.body|truncatewords:20 }}
  <ul>{% for tag in post.tags %}<li>{{ tag }}</li>{% endfor %}</ul>
  <!-- the author -->
  <img src="{{ post.author.image.url }}" alt="">
</article>
{% endfor %}
`, 1000)
}
