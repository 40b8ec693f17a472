package general

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/rogpeppe/go-internal/txtar"

	"caselsp/agent/syntax"
)

var update = flag.Bool("update", false, "rewrite the cores that the fixtures expect")

// TestCore takes real changes of public projects apart. A fixture has the file before and after, the core that is expected, and
// in "gone" and "kept" names that must not be in it, or must: own names, and those of the language and of public packages.
func TestCore(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatalf("fixtures: %q, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { checkCore(t, file) })
	}
}

func checkCore(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	section, name := map[string]string{}, ""
	for _, f := range ar.Files {
		section[strings.SplitN(f.Name, "/", 2)[0]] = string(f.Data)
		if path, ok := strings.CutPrefix(f.Name, "after/"); ok {
			name = path
		}
	}
	before, after := section["before"], section["after"]
	project := Project{Module: func(m string) bool {
		return strings.Contains(m, strings.TrimSpace(section["module"])) && section["module"] != ""
	}}
	n := New(project)
	n.Read(name, before)
	n.Read(name, after)
	diff := udiff.Unified("a", "b", before, after)
	task := n.Prose(strings.TrimSpace(section["task"])) + "\n"
	old, now := Wanted(diff)
	was, is := n.Code(name, before, old), n.Code(name, after, now)
	if strings.Count(was, "\n") != strings.Count(before, "\n") || strings.Count(is, "\n") != strings.Count(after, "\n") {
		t.Error("the number of lines differs")
	}
	core := Core(diff, was, is)
	if *update {
		for i, f := range ar.Files {
			switch f.Name {
			case "core":
				ar.Files[i].Data = []byte(core)
			case "general":
				ar.Files[i].Data = []byte(task)
			}
		}
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		section["core"], section["general"] = core, task
	}
	if core != section["core"] || task != section["general"] {
		t.Errorf("got\n%s%s", task, core)
	}
	words := map[string]bool{}
	for _, w := range wordish.FindAllString(core+task, -1) {
		words[w] = true
	}
	for _, w := range strings.Fields(section["gone"]) {
		if words[w] {
			t.Errorf("%q is the project's own, and stays", w)
		}
	}
	for _, w := range strings.Fields(section["kept"]) {
		if !words[w] {
			t.Errorf("%q is general, and is gone", w)
		}
	}
	for _, d := range syntax.FactsOf(name, after).Symbols { // whatever the fixture names
		if !strings.Contains(section["task"], d.Name) && words[d.Name] && !vocabulary[strings.ToLower(d.Name)] && !n.public[d.Name] && !strings.HasPrefix(d.Name, "__") {
			t.Errorf("%q is declared by the project, and stays", d.Name)
		}
	}
}

// TestNames holds single rules, each with what a line becomes.
func TestNames(t *testing.T) {
	shop := Project{
		Module: func(m string) bool { return strings.HasPrefix(m, "shop") || m == "example.com/shop/cart" },
		Declares: func(name string) bool {
			return name == "Basket" || name == "apply_voucher" || name == "ApplyVoucher" || name == "applyVoucher"
		},
	}
	for _, c := range []struct{ name, path, in, want string }{
		{"a function, its parameter and a call", "a.py", "def grand_total(basket):\n    return sum(basket)\n", "def func1(name1):\n    return sum(name1)\n"},
		{"public modules stay", "a.py", "import os.path\nfrom django.db import models\nos.path.join(x, models.Model)\n", "import os.path\nfrom django.db import models\nos.path.join(x, models.Model)\n"},
		{"the project's modules go", "a.py", "from shop.cart import Basket\nfrom .vat import rate_of\nBasket(rate_of(1))\n", "from module1.module2 import Type1\nfrom .module3 import name1\nType1(name1(1))\n"},
		{"a member of the project goes, one of a library stays", "a.py", "order.apply_voucher(cart.isoformat())\n", "name1.func1(name2.isoformat())\n"},
		{"values", "a.py", "rate = 19.25\nif code == 404 and n > 12345: raise ValueError(\"No such order: %s\" % code)\n", "name1 = NUMBER1\nif code == 404 and n > NUMBER2: raise ValueError(\"text1 %s\" % code)\n"},
		{"the same value twice", "a.py", "x = 'acme'\ny = \"acme\"\n", "x = 'text1'\ny = \"text1\"\n"},
		{"an f-string", "a.py", "x = f\"total {grand_total:.2f} EUR\"\n", "x = f\"text1{name1:.2f}text2\"\n"},
		{"comments and docstrings", "a.py", "def f():\n    \"\"\"Adds\n    the Acme tax.\"\"\"\n    # for Acme\n", "def f():\n    \"\"\"text1\"\"\"\n\n    # …\n"},
		{"tests keep their beginning", "a.py", "def test_grand_total():\n    assert 1\n", "def test_func1():\n    assert 1\n"},
		{"constants and classes", "a.py", "ACME_RATE = 3\nclass AcmeOrder(Exception): pass\n", "CONST1 = 3\nclass Type1(Exception): pass\n"},
		{"Go", "a.go", "package cart\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/shop/cart\"\n\t\"github.com/gorilla/mux\"\n)\n\nfunc (b *Basket) GrandTotal() error {\n\tr := mux.NewRouter()\n\treturn fmt.Errorf(\"no %d: %w\", cart.Load(b.ApplyVoucher(r)))\n}\n",
			"package module1\n\nimport (\n\t\"fmt\"\n\n\t\"module1\"\n\t\"github.com/gorilla/mux\"\n)\n\nfunc (b *Type1) Func1() error {\n\tr := mux.NewRouter()\n\treturn fmt.Errorf(\"text1 %d %w\", module1.Load(b.Func2(r)))\n}\n"},
		{"JavaScript", "a.js", "import axios from 'axios'\nimport { vatOf } from './tax/vat.js'\nconst grandTotal = async (basket) => {\n  const reply = await axios.get(`https://acme.example/${basket.applyVoucher()}`)\n  console.log('done')\n  return vatOf(reply.data)\n}\n",
			"import axios from 'axios'\nimport { name1 } from './module1'\nconst name2 = async (name3) => {\n  const name4 = await axios.get(`text1${name3.func1()}`)\n  console.log('text2')\n  return name1(name4.data)\n}\n"},
		{"members that are set, and those of a platform", "a.py", "order.rebate = order.rebate + other.rebate\nsys.argv = x.weight\n", "name1.name2 = name1.name2 + name3.name2\nname4.argv = x.weight\n"},
		{"fields of a type", "a.go", "package p\n\ntype q struct{ rebate int }\n\nfunc f(x q) int { return x.rebate + x.weight }\n", "package p\n\ntype q struct{ name1 int }\n\nfunc f(x q) int { return x.name1 + x.weight }\n"},
		{"a language without a grammar", "a.cfg", "grand_total = \"Acme\"\n", "name1 = \"text1\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := New(shop)
			n.Read(c.path, c.in)
			if got := n.Code(c.path, c.in, nil); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
	n := New(shop)
	n.Read("a.py", "def grand_total(basket):\n    pass\n")
	n.Code("a.py", "def grand_total(basket):\n    pass\n", nil)
	for in, want := range map[string]string{
		"Fix grand_total() in shop/cart.py: apply_voucher fails, like the basket in README.md": "Fix func1() in file1.py: name2 fails, like the basket in file2.md",
		"Basket the goods, then sum them in the Basket or `basket`":                            "Basket the goods, then sum them in the Type1 or `name1`",
		"basket(3) fails, and so do shop.basket and Basket::basket":                            "name1(3) fails, and so do shop.name1 and Type1::name1",
		`Say "No such order" in place of "none", see https://acme.example/wiki?a=1.`:           `Say "text1" in place of "none", see url1`,
		"Ask sales@acme.example about orders of 12500 EUR on Python 3.11 with 20 retries":      "Ask address1 about orders of NUMBER1 EUR on Python 3.11 with 20 retries",
		`The codec can't encode '\u20ac' in position 3`:                                        `The codec can't encode '\u20ac' in position 3`,
		"The page has <em>goods</em> twice":                                                    "The page has <em>goods</em> twice",
		"The user's `json.loads(basket)` and select_related stay public":                       "The user's `json.loads(name1)` and select_related stay public",
	} {
		if got := n.Prose(in); got != want {
			t.Errorf("prose: got %q, want %q", got, want)
		}
	}
}

// FuzzCode checks that rewriting never fails, and keeps the lines.
func FuzzCode(f *testing.F) {
	f.Add("a.py", "x = f\"{a['b']}\"\n'''\n")
	f.Add("a.ts", "const a = `${`${b}`}`; /* x\n*/")
	f.Add("a.go", "package a\nvar x = `a\nb`")
	f.Add("a.txt", "\"a\" 'b")
	f.Fuzz(func(t *testing.T, path, text string) {
		n := New(Project{})
		n.Read(path, text)
		if got := n.Code(path, text, nil); strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%d lines became %d", strings.Count(text, "\n"), strings.Count(got, "\n"))
		}
		n.Prose(text)
	})
}
