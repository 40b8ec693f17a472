package codemap_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/codemap"
	"caselsp/agent/syntax"
)

// shop is a small project: views use models and forms, models use money; nothing uses the rest.
var shop = map[string]string{
	"shop/models.py":      "from .money import format_price\n\nclass OrderLine:\n    \"\"\"One line of an order.\"\"\"\n    def total_price(self):\n        return format_price(self)\n",
	"shop/money.py":       "def format_price(amount): return str(amount)\n",
	"shop/views.py":       "from .models import OrderLine\nfrom .forms import CheckoutForm\n\ndef checkout(request):\n    return render(request, 'shop/checkout.html', CheckoutForm(OrderLine()))\n",
	"shop/forms.py":       "class CheckoutForm:\n    def clean_voucher(self): pass\n",
	"shop/checkout.html":  "<h1>Pay</h1>",
	"blog/models.py":      "class Entry:\n    pass\n",
	"blog/views.py":       "from .models import Entry\n\ndef index(request):\n    return Entry()\n",
	"tests/test_money.py": "from shop.money import format_price\n\ndef test_price():\n    assert format_price(1)\n",
	"README.json":         "{}",
}

func files(sources map[string]string) (list []codemap.File) {
	for path, text := range sources {
		if f := syntax.FactsOf(path, text); f != nil {
			list = append(list, codemap.File{Path: path, Facts: f})
		}
	}
	slices.SortFunc(list, func(a, b codemap.File) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// TestRank: the files that a query speaks of come first, then those that they refer to and that
// refer to them.
func TestRank(t *testing.T) {
	for name, tt := range map[string]struct {
		query codemap.Query
		first []string // in any order
	}{
		"by the words of a name":   {codemap.Query{Text: "Formatting prices: show two digits"}, []string{"shop/money.py", "tests/test_money.py", "shop/models.py"}},
		"by a whole name":          {codemap.Query{Text: "clean_voucher accepts expired ones"}, []string{"shop/forms.py", "shop/views.py"}},
		"by documentation":         {codemap.Query{Text: "the line of an order"}, []string{"shop/models.py"}},
		"by a path":                {codemap.Query{Text: "blog/models.py is too long."}, []string{"blog/models.py", "blog/views.py"}},
		"by the end of a path":     {codemap.Query{Text: "(forms.py)"}, []string{"shop/forms.py", "shop/views.py"}},
		"by the plan":              {codemap.Query{Paths: []string{"blog/views.py"}}, []string{"blog/views.py", "blog/models.py"}},
		"by a template's name":     {codemap.Query{Paths: []string{"shop/checkout.html"}}, []string{"shop/checkout.html", "shop/views.py"}},
		"by nothing: what is used": {codemap.Query{Text: "make it better"}, []string{"shop/money.py", "shop/views.py"}},
	} {
		var got []string
		for _, r := range codemap.Rank(files(shop), tt.query)[:len(tt.first)] {
			got = append(got, r.Path)
		}
		slices.Sort(got)
		slices.Sort(tt.first)
		if !slices.Equal(got, tt.first) {
			t.Errorf("%s: got %q, want %q", name, got, tt.first)
		}
	}
	if got := codemap.Rank(nil, codemap.Query{Text: "x"}); len(got) != 0 {
		t.Errorf("of no files: %v", got)
	}
}

// TestGraph: what is kept between rankings changes none of them, whatever happens to the files meanwhile.
func TestGraph(t *testing.T) {
	var g codemap.Graph
	rng := rand.New(rand.NewPCG(1, 0))
	now := maps.Clone(shop)
	names := slices.Sorted(maps.Keys(shop))
	list := files(now)
	for i := range 300 {
		name := names[rng.IntN(len(names))]
		switch text, here := now[name]; {
		case !here:
			now[name] = shop[name]
		case rng.IntN(2) == 0:
			now[name] = text + fmt.Sprintf("\ndef extra_part_%d(order): return format_price(order)\n", i%4)
		default:
			delete(now, name)
		}
		old := list
		list = files(now)
		for j, f := range list { // one that did not change has the same facts
			if at := slices.IndexFunc(old, func(o codemap.File) bool { return o.Path == f.Path }); at >= 0 && f.Path != name {
				list[j] = old[at]
			}
		}
		q := codemap.Query{Text: "format_price of extra_part_1 in checkout", Paths: names[i%len(names) : i%len(names)+1]}
		got, want := g.Rank(list, q), codemap.Rank(list, q)
		for j := range want {
			if got[j].Path != want[j].Path || math.Abs(got[j].Score-want[j].Score) > 1e-6 {
				t.Fatalf("change %d, of %s: place %d has %s (%v), want %s (%v)", i, name, j, got[j].Path, got[j].Score, want[j].Path, want[j].Score)
			}
		}
	}
}

// TestMap: a map fits its tokens, and its first file comes with the signatures that matter and their lines.
func TestMap(t *testing.T) {
	q := codemap.Query{Text: "format_price rounds wrongly"}
	for _, tokens := range []int{0, 1, 10, 50, 100, 1000} {
		text := codemap.Map(files(shop), q, tokens)
		if len(text) > tokens*7/2 {
			t.Errorf("%d tokens: %d bytes", tokens, len(text))
		}
		if text != codemap.Map(files(shop), q, tokens) {
			t.Errorf("%d tokens: two maps differ", tokens)
		}
	}
	whole := codemap.Map(files(shop), q, 1000)
	if want := "shop/money.py\n  1: def format_price(amount)\n"; !strings.HasPrefix(whole, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", whole, want)
	}
	for path := range shop {
		if strings.Contains(whole, path) != (path != "README.json") {
			t.Errorf("%s in the map: %v", path, strings.Contains(whole, path))
		}
	}
	if short := codemap.Map(files(shop), q, 40); strings.Count(short, "\n") < 3 || !strings.Contains(short, "shop/: models.py, views.py") {
		t.Errorf("a short map has paths without signatures at its end, folder by folder: got\n%s", short)
	}
}

// TestManySymbols: of a long file, the signatures that the query speaks of are shown.
func TestManySymbols(t *testing.T) {
	var b strings.Builder
	for c := 'a'; c <= 'z'; c++ {
		b.WriteString("def step_" + string(c) + "(): pass\n")
	}
	b.WriteString("def parse_invoice(): pass\n")
	text := codemap.Map(files(map[string]string{"long.py": b.String()}), codemap.Query{Text: "invoices are not parsed"}, 1000)
	if !strings.Contains(text, "27: def parse_invoice()") || strings.Count(text, "\n") > 10 {
		t.Errorf("got\n%s", text)
	}
}
