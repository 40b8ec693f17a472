"""Fixes of Go code: the files before, the edits of the fix, and edits that are claimed to be it."""

MOD = {"go.mod": "module shop\n\ngo 1.20\n"}
TEST = 'package shop\n\nimport "testing"\n\n'

CASES = [
    dict(
        name="undefined", files={**MOD, "price.go": "package shop\n\nfunc Total(items []int) int {\n\tsum := 0\n\tfor _, i := range items {\n\t\tsum += i\n\t}\n\treturn sum + shiping\n}\n\nfunc Count(items []int) int {\n\treturn len(items)\n}\n", "rates.go": "package shop\n\nconst shipping = 5\n\nfunc Rate(n int) int {\n\treturn n * 2\n}\n"},
        test={"price_test.go": TEST + "func TestTotal(t *testing.T) {\n\tif Total([]int{1}) != 6 {\n\t\tt.Fatal(\"total\")\n\t}\n}\n"},
        fix={"price.go": [("shiping", "shipping")]},
        wrong_thing={"price.go": [("return len(items)", "return len(items) + 0")]},
        wrong_file={"rates.go": [("return n * 2", "return 2 * n")]},
        fixes=["Corrected the misspelt constant in `Total` to `shipping`"], analysis="price.go used shiping, which is not defined; the constant in rates.go is shipping.",
    ),
    dict(
        name="method", files={**MOD, "cart.go": "package shop\n\ntype Cart struct{ items []string }\n\nfunc (c *Cart) Add(s string) {\n\tc.items = append(c.items, s)\n}\n\nfunc (c *Cart) First() string {\n\treturn c.items[0]\n}\n", "log.go": "package shop\n\nfunc note(s string) string {\n\treturn \"note: \" + s\n}\n"},
        test={"cart_test.go": TEST + "func TestLen(t *testing.T) {\n\tc := &Cart{}\n\tc.Add(\"a\")\n\tif c.Len() != 1 {\n\t\tt.Fatal(c.Len())\n\t}\n}\n"},
        fix={"cart.go": [("func (c *Cart) First", "func (c *Cart) Len() int {\n\treturn len(c.items)\n}\n\nfunc (c *Cart) First")]},
        wrong_thing={"cart.go": [("return c.items[0]", "if len(c.items) == 0 {\n\t\treturn \"\"\n\t}\n\treturn c.items[0]")]},
        wrong_file={"log.go": [('"note: " + s', '"note " + s')]},
        fixes=["Added the method `Len` to Cart"], analysis="The test calls c.Len(), but Cart had no such method.",
    ),
    dict(
        name="unused-import", files={**MOD, "text.go": "package shop\n\nimport (\n\t\"os\"\n\t\"strings\"\n)\n\nfunc Shout(s string) string {\n\treturn strings.ToUpper(s)\n}\n\nfunc Quiet(s string) string {\n\treturn strings.ToLower(s)\n}\n"},
        test={"text_test.go": TEST + "func TestShout(t *testing.T) {\n\tif Shout(\"a\") != \"A\" {\n\t\tt.Fatal()\n\t}\n}\n"},
        fix={"text.go": [('\t"os"\n', "")]},
        wrong_thing={"text.go": [("strings.ToLower(s)", "strings.TrimSpace(strings.ToLower(s))")]},
        fixes=["Removed the unused import of `os` from text.go"], analysis="Go does not compile a file with an import that is not used.",
    ),
    dict(
        name="types", files={**MOD, "tax.go": "package shop\n\nfunc Tax(cents int, rate float64) int {\n\treturn cents * rate\n}\n\nfunc Net(cents int) int {\n\treturn cents - 1\n}\n"},
        test={"tax_test.go": TEST + "func TestTax(t *testing.T) {\n\tif Tax(100, 0.5) != 50 {\n\t\tt.Fatal()\n\t}\n}\n"},
        fix={"tax.go": [("return cents * rate", "return int(float64(cents) * rate)")]},
        wrong_thing={"tax.go": [("return cents - 1", "return cents + -1")]},
        fixes=["`Tax` converts cents to float64 before it multiplies"], analysis="int and float64 cannot be multiplied: mismatched types.",
    ),
    dict(
        name="arguments", files={**MOD, "send.go": "package shop\n\nfunc send(to, body string) string {\n\treturn to + \":\" + body\n}\n\nfunc Hello(to string) string {\n\treturn send(to)\n}\n\nfunc Bye(to string) string {\n\treturn send(to, \"bye\")\n}\n"},
        test={"send_test.go": TEST + "func TestHello(t *testing.T) {\n\tif Hello(\"x\") != \"x:hello\" {\n\t\tt.Fatal()\n\t}\n}\n"},
        fix={"send.go": [("send(to)", 'send(to, "hello")')]},
        wrong_thing={"send.go": [('"bye"', '"good bye"')]},
        fixes=["Passed the missing body in `Hello`"], analysis="Hello called send with one argument; it takes two.",
    ),
    dict(
        name="return", files={**MOD, "sign.go": "package shop\n\nfunc Sign(n int) int {\n\tif n < 0 {\n\t\treturn -1\n\t}\n}\n\nfunc Abs(n int) int {\n\tif n < 0 {\n\t\treturn -n\n\t}\n\treturn n\n}\n"},
        test={"sign_test.go": TEST + "func TestSign(t *testing.T) {\n\tif Sign(3) != 1 {\n\t\tt.Fatal()\n\t}\n}\n"},
        fix={"sign.go": [("\t\treturn -1\n\t}\n}", "\t\treturn -1\n\t}\n\treturn 1\n}")]},
        wrong_thing={"sign.go": [("\t\treturn -n\n", "\t\treturn 0 - n\n")]},
        fixes=["Added the missing return to `Sign`"], analysis="Sign did not return a value for numbers that are not negative.",
    ),
    dict(
        name="package", files={**MOD, "id.go": "package shop\n\nimport \"example.org/ids\"\n\nfunc ID(n int) string {\n\treturn ids.Make(n)\n}\n\nfunc Next(n int) int {\n\treturn n + 1\n}\n"},
        test={"id_test.go": TEST + "func TestID(t *testing.T) {\n\tif ID(3) != \"3\" {\n\t\tt.Fatal()\n\t}\n}\n"},
        fix={"id.go": [('"example.org/ids"', '"strconv"'), ("ids.Make(n)", "strconv.Itoa(n)")]},
        wrong_thing={"id.go": [("return n + 1", "return 1 + n")]},
        fixes=["Replaced the package ids, which is not required, by `strconv.Itoa`"], analysis="No module in go.mod provides example.org/ids.",
    ),
    dict(
        name="nil", files={**MOD, "user.go": "package shop\n\ntype User struct{ Name string }\n\nvar users = map[string]*User{}\n\nfunc Name(id string) string {\n\tu := users[id]\n\treturn u.Name\n}\n\nfunc Known(id string) bool {\n\t_, ok := users[id]\n\treturn ok\n}\n", "order.go": "package shop\n\nfunc Order(ids []string) []string {\n\treturn append([]string{}, ids...)\n}\n"},
        test={"user_test.go": TEST + "func TestGuest(t *testing.T) {\n\tif Name(\"x\") != \"guest\" {\n\t\tt.Fatal()\n\t}\n}\n"},
        fix={"user.go": [("\treturn u.Name", "\tif u == nil {\n\t\treturn \"guest\"\n\t}\n\treturn u.Name")]},
        wrong_thing={"user.go": [("\t_, ok := users[id]\n\treturn ok", "\tu, ok := users[id]\n\treturn ok && u.Name != \"\"")]},
        wrong_file={"order.go": [("append([]string{}, ids...)", "append([]string(nil), ids...)")]},
        fixes=["`Name` returns guest for a user that is nil"], analysis="users[id] is nil for an unknown id, and u.Name dereferenced it.",
    ),
    dict(
        name="range", files={**MOD, "last.go": "package shop\n\nfunc Last(list []int) int {\n\treturn list[len(list)]\n}\n\nfunc First(list []int) int {\n\treturn list[0]\n}\n"},
        test={"last_test.go": TEST + "func TestLast(t *testing.T) {\n\tif Last([]int{1, 2}) != 2 {\n\t\tt.Fatal()\n\t}\n}\n"},
        fix={"last.go": [("list[len(list)]", "list[len(list)-1]")]},
        wrong_thing={"last.go": [("return list[0]", "return list[:1][0]")]},
        fixes=["Corrected the index in `Last`"], analysis="The last element is at len(list)-1; len(list) is out of range.",
    ),
    dict(
        name="check", files={**MOD, "fold.go": "package shop\n\nimport \"strings\"\n\nfunc Slug(s string) string {\n\treturn strings.ReplaceAll(lower(s), \" \", \"-\")\n}\n\nfunc lower(s string) string {\n\treturn strings.ToLower(s)\n}\n\nfunc Upper(s string) string {\n\treturn strings.ToUpper(s)\n}\n"},
        test={"fold_test.go": TEST + "func TestSlug(t *testing.T) {\n\tif got := Slug(\" A b\"); got != \"a-b\" {\n\t\tt.Errorf(\"Slug: got %q\", got)\n\t}\n}\n"},
        fix={"fold.go": [("lower(s), ", "strings.TrimSpace(lower(s)), ")]},
        wrong_thing={"fold.go": [("return strings.ToUpper(s)", "return strings.ToUpper(strings.TrimSpace(s))")]},
        fixes=["`Slug` trims white space before it replaces the spaces"], analysis="A leading space became a hyphen.",
    ),
]
