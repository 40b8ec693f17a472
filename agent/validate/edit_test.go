package validate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
)

// longPage is a template of a shop, as long as wanted: n articles of ten lines.
func longPage(name string, n int) string {
	var b strings.Builder
	b.WriteString("{% extends \"base.html\" %}\n{% load static %}\n{% block content %}\n<style>.card:hover { color: #333; background: white }</style>\n")
	for i := range n {
		fmt.Fprintf(&b, `<article class="card" id="card-%d">
  <h2><a href="{%% url 'shop:item' item_%d.id %%}">Item %d of %s</a></h2>
  <img src="{%% static 'img/item.png' %%}" alt="{{ item_%d.title }}" width="80" height="80">
  {%% if item_%d.discount %%}
    <p class="price {%% if item_%d.old %%}old{%% endif %%}">{{ item_%d.price|floatformat:2 }}</p>
  {%% else %%}
    <p class="price">{{ item_%d.price }}</p>
  {%% endif %%}
  <button type="button" aria-expanded="false" aria-controls="card-%d" onclick="show(%d)">More</button>
</article>
`, i, i, i, name, i, i, i, i, i, i, i)
	}
	b.WriteString("{% endblock %}\n<script>function show(i) { document.getElementById('card-' + i).hidden = false; }</script>\n")
	return b.String()
}

// shop is a project of n templates, of 50 lines each, that depend on each other.
func shop(n int) *validate.Project {
	p := validate.NewProject(rules.Default())
	p.Set("manage.py", "import django\n")
	p.Set("shop/urls.py", "from django.urls import path\n\napp_name = 'shop'\nurlpatterns = [path('<int:id>/', view, name='item')]\n")
	p.Set("shop/static/shop.css", ".card { color: red; }\n.price { color: blue; }\n")
	p.SetAsset("shop/static/img/item.png")
	p.Set("shop/templates/base.html", "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Shop</title></head>\n<body>{% block content %}{% endblock %}</body>\n</html>\n")
	for i := range n {
		p.Set(fmt.Sprintf("shop/templates/page%d.html", i), longPage(fmt.Sprint(i), 5))
	}
	for _, file := range p.Paths() {
		p.Findings(file)
	}
	return p
}

// spread reports the 95th percentile beside the mean.
func spread(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkEdit measures from a new text of a page of a thousand lines, in a
// project, to its findings.
func BenchmarkEdit(b *testing.B) {
	p := shop(10)
	text := longPage("long", 100)
	var times []time.Duration
	i := 0
	for b.Loop() {
		i++
		edited := strings.Replace(text, "Item 50 ", fmt.Sprintf("Item %d ", i), 1)
		start := time.Now()
		p.Set("shop/templates/long.html", edited)
		p.Findings("shop/templates/long.html")
		times = append(times, time.Since(start))
	}
	spread(b, times)
}

// BenchmarkDependents measures an edit in a project of 2,000 templates: of one on
// which no other depends, and of the one that all of them extend.
func BenchmarkDependents(b *testing.B) {
	p := shop(2000)
	base := "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Shop</title></head>\n<body>%s{%% block %s %%}{%% endblock %%}</body>\n</html>\n"
	for _, c := range []struct {
		name, file string
		text       func(i int) string
		least      int
		most       int
	}{
		{"one", "shop/templates/page7.html", func(i int) string { return longPage(fmt.Sprint("x", i), 5) }, 1, 1},
		{"words of base.html", "shop/templates/base.html", func(i int) string { return fmt.Sprintf(base, fmt.Sprint(i), "content") }, 1, 1},
		{"blocks of base.html", "shop/templates/base.html", func(i int) string { return fmt.Sprintf(base, "", fmt.Sprint("b", i)) }, 2000, 2010},
	} {
		b.Run(c.name, func(b *testing.B) {
			var times []time.Duration
			i := 0
			for b.Loop() {
				i++
				start := time.Now()
				affected := p.Set(c.file, c.text(i))
				for _, file := range affected {
					p.Findings(file)
				}
				times = append(times, time.Since(start))
				if len(affected) < c.least || len(affected) > c.most {
					b.Fatalf("%d files are judged again, want %d to %d", len(affected), c.least, c.most)
				}
			}
			spread(b, times)
		})
	}
}
