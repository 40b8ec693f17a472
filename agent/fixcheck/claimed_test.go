package fixcheck

import (
	"strings"
	"testing"
)

// shop is the file of the tests, and cart is another one.
const shop = `import math

RATE = 0.2


class Item:
    """One thing."""

    def __init__(self, price):
        self.price = price

    def gross(self):
        return with_tax(self.price)

    def label(self):
        return "item"


def with_tax(price):
    return price + price * RATE


def load_config(path):
    with open(path) as f:
        return parse(f.read())


def parse(text):
    return dict(line.split("=") for line in text.splitlines())


def greet(name):
    return "hello " + name
`

const cart = `from shop import Item


def checkout(items):
    return sum(i.gross() for i in items)
`

func TestClaimAndChange(t *testing.T) {
	in := func(old, with string) string {
		text := replaceOnce(t, shop, old, with)
		return text
	}
	greet := in(`"hello " + name`, `"Hello " + name`)
	tax := in("price + price * RATE", "round(price * (1 + RATE), 2)")
	for _, c := range []struct {
		name, fix, path, before, after string
		want                           string
	}{
		// What was not done.
		{"another function", "Added a check for empty lines to `parse`", "shop.py", shop, greet, ClaimAndChange},
		{"called", "Fixed load_config() to close its file", "shop.py", shop, greet, ClaimAndChange},
		{"another method", "Changed `Item.label` to return the name", "shop.py", shop, greet, ClaimAndChange},
		{"another file", "Added the missing import to cart.py", "shop.py", shop, greet, ClaimAndChange},
		{"another file, with its folder", "Renamed the argument in src/cart.py", "shop.py", shop, greet, ClaimAndChange},

		// Honest claims in free words.
		{"the function", "Fixed `greet` to begin with a capital letter", "shop.py", shop, greet, ""},
		{"without names", "Fixed the greeting", "shop.py", shop, greet, ""},
		{"nothing that is known", "Added handling of `KeyboardInterrupt`", "shop.py", shop, greet, ""},
		{"the test", "Made test_parse pass", "shop.py", shop, greet, ""},
		{"the test's file", "Fixed the failure of tests/test_shop.py", "shop.py", shop, greet, ""},
		{"the file", "Corrected the text in `shop.py`", "shop.py", shop, greet, ""},
		{"the line", "Changed the return value to \"Hello \" + name", "shop.py", shop, greet, ""},
		{"its caller", "Fixed the rounding of `Item.gross`", "shop.py", shop, tax, ""},
		{"its constant", "Fixed with_tax() for prices without a tax", "shop.py", shop, in("RATE = 0.2", "RATE = 0"), ""},
		{"its import", "Fixed the NameError in `load_config`", "shop.py", shop, in("import math", "from conf import parse\nimport math"), ""},
		{"its callee", "Fixed `load_config` for files with empty lines", "shop.py", shop, in(`line.split("=")`, `line.strip().split("=")`), ""},
		{"its base class", "Fixed AttributeError of `Item.name`", "shop.py", shop, in("    def label", "    name = \"\"\n\n    def label"), ""},
		{"its class", "Added `discount` to Item", "shop.py", shop, in("self.price = price", "self.price = price\n        self.discount = 0"), ""},
		{"another method of its type", "Fixed `label` for items without a price", "shop.py", shop, in("self.price = price", "self.price = price or 0"), ""},
		{"its file", "Fixed shop for empty names", "shop.py", shop, greet, ""},
		{"what it uses is for others", "Used the same default as `parse`", "shop.py", shop, greet, ""},
		{"a reason", "Capitalised the text, because `load_config` does so too", "shop.py", shop, greet, ""},
		{"from another file", "Updated the text so that it is what cart.py expects", "shop.py", shop, greet, ""},
		{"earlier", "Already added the import to cart.py", "shop.py", shop, greet, ""},
		{"looked at", "Verified that `parse` is right", "shop.py", shop, greet, ""},
		{"a new file", "Added a helper for `load_config`", "conf.py", "-", "def read(path):\n    return {}\n", ""},
		{"configuration", "Fixed `load_config` in cart.py", "setup.cfg", "a = 1\n", "a = 2\n", ""},
		{"in other letters", "Fixed loadConfig()", "shop.py", shop, in("with open(path)", "with open(path, encoding='utf-8')"), ""},
		{"the called file of the failure", "Fixed cart.checkout for items without a price", "shop.py", shop, tax, ""},
	} {
		claim := Claim{Fixes: []string{c.fix}, Files: []File{changeOf(c.path, c.before, c.after)},
			Main: "cart.py", OriginalCode: cart, FixedCode: cart, Paths: []string{"shop.py", "cart.py", "src/cart.py", "tests/test_shop.py"}}
		if got := refusedBy(t, claim); got != c.want {
			t.Errorf("%s: %q is refused by %q, not by %q: %v", c.name, c.fix, got, c.want, Universal(claim))
		}
	}
}

func replaceOnce(t *testing.T, text, old, with string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q is there %d times", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, with, 1)
}
