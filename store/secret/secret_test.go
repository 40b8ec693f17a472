package secret

import (
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTable checks that each format finds its example, and what the search relies on.
func TestTable(t *testing.T) {
	for i := range Table() {
		f := &Table()[i]
		found := Find("key = \"" + f.Example + "\";")
		if len(found) != 1 || found[0].Dummy || found[0].Format.Service != f.Service {
			t.Errorf("%s: %d matches in %q: %+v", f.Service, len(found), f.Example, found)
			continue
		}
		whole := regexp.MustCompile("^(?:" + f.Form + ")").FindStringIndex(f.Example)
		if whole == nil {
			t.Errorf("%s: the example %q is not of the form %s", f.Service, f.Example, f.Form)
		}
		for _, s := range f.signs {
			if !f.inside && !f.wide && strings.HasPrefix(f.Example, s) != strings.Contains(f.Example, s) {
				t.Errorf("%s: the sign %q is in the example %q and does not begin it", f.Service, s, f.Example)
			}
		}
		tree, err := syntax.Parse(f.Form, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		length, foreign := measure(tree)
		if !f.wide && (length < shortest || foreign) {
			t.Errorf("%s: matches of %s have %d bytes or more (others: %t): mark it wide, or lower shortest", f.Service, f.Form, length, foreign)
		}
		if strings.Count(strings.ReplaceAll(f.Form, "(?:", ""), "(") > 1 {
			t.Errorf("%s: %s has more than one group", f.Service, f.Form)
		}
	}
}

// measure returns the length of the shortest match, and whether a match may hold
// bytes that are none of wordBytes.
func measure(x *syntax.Regexp) (length int, foreign bool) {
	switch x.Op {
	case syntax.OpLiteral:
		return len(x.Rune), slices.ContainsFunc(x.Rune, func(r rune) bool { return r >= utf8.RuneSelf || !wordBytes[r] })
	case syntax.OpCharClass:
		for i := 0; i < len(x.Rune); i += 2 {
			for r := x.Rune[i]; r <= x.Rune[i+1]; r++ {
				foreign = foreign || r >= utf8.RuneSelf || !wordBytes[r]
			}
		}
		return 1, foreign
	case syntax.OpCapture, syntax.OpPlus:
		return measure(x.Sub[0])
	case syntax.OpQuest, syntax.OpStar:
		_, foreign = measure(x.Sub[0])
		return 0, foreign
	case syntax.OpRepeat:
		length, foreign = measure(x.Sub[0])
		return length * x.Min, foreign
	case syntax.OpConcat, syntax.OpAlternate:
		for i, s := range x.Sub {
			n, other := measure(s)
			foreign = foreign || other
			if x.Op == syntax.OpConcat || i == 0 {
				length += n
			} else {
				length = min(length, n)
			}
		}
	case syntax.OpEmptyMatch:
	default:
		return 0, true
	}
	return length, foreign
}

// TestExamplesAreCut checks that formats.txt itself has nothing that a scanner of
// repositories takes for a secret.
func TestExamplesAreCut(t *testing.T) {
	text, err := os.ReadFile("formats.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Find(string(text)) {
		t.Errorf("%s: %q is whole in formats.txt: put a %s into it", m.Format.Service, text[m.Start:m.End], cut)
	}
}

// TestFind goes through what stands around a secret.
func TestFind(t *testing.T) {
	key := "ghp_" + "k3J8sQpL0vX2mZ7rT5yB9nC4wD6fG1hE8aUi"
	for text, want := range map[string]string{
		"a " + key + " b":                     key,
		`{"a":"x\n` + key + `\n"}`:            key,
		"token=" + key + "&page=2":            key,
		"?token%3D" + key + "&page=2":         key,
		"x" + key:                             "",
		"x_" + key:                            "",
		"https://x:" + key + "@host/path.git": key,
		key + ", " + key:                      key + " " + key,
		"ghp_" + strings.Repeat("x", 36):      "",
		"AKIA" + "IOSFODNN7EXAMPLE":           "AKIA" + "IOSFODNN7EXAMPLE dummy",
		"live_streaming_configuration_for_the_default_channel": "",
		"pattern = \"AKIA[A-Z2-7]{16}\"":                       "",
		"":                                                     "",
	} {
		var got []string
		for _, m := range Find(text) {
			got = append(got, text[m.Start:m.End])
			if m.Dummy {
				got = append(got, "dummy")
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("in %q found %q, want %q", text, got, want)
		}
	}
}

// TestPlaceholder goes through values that stand for others, and values that do not.
func TestPlaceholder(t *testing.T) {
	for value, want := range map[string]bool{
		"your-api-key-goes-here": true, "${API_KEY}": true, "{{ token }}": true, "xxxxxxxxxxxx": true, "abcdefgh12345678": true,
		"9cbaf023786cd7...": true, "os.environ": true, "0000000000000000": true,
		"fJ8s0Qp3Lv2Xm9Zr7Ty5Bn1Cw4Df6Gh": false, "hunter2": false, "": true,
	} {
		if got := Placeholder(value); got != want {
			t.Errorf("Placeholder(%q) = %t, want %t", value, got, want)
		}
	}
}

// TestNames tells names of secrets from names that only speak of them.
func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"API_TOKEN": true, "client-secret": true, "db.password": true, "apiKey": true, "SIGNING_KEY": true, "x_auth": true,
		"token_url": false, "public_key": false, "password_hash": false, "PWD": false, "monkey": false, "tokenizer": false, "": false,
	} {
		if got := Name(name); got != want {
			t.Errorf("Name(%q) = %t, want %t", name, got, want)
		}
	}
}

// TestEntropy counts characters, whatever their length in bytes.
func TestEntropy(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "aaaa": 0, "abab": 1, "あいあい": 1, "aあaあ": 1, "abcd": 2} {
		if got := Entropy(text); got != want {
			t.Errorf("Entropy(%q) = %g, want %g", text, got, want)
		}
	}
}

// BenchmarkFind searches source without secrets.
func BenchmarkFind(b *testing.B) {
	text, err := os.ReadFile("find.go")
	if err != nil {
		b.Fatal(err)
	}
	long := strings.Repeat(string(text), 20)
	b.SetBytes(int64(len(long)))
	for b.Loop() {
		Find(long)
	}
}

// TestFindInLongWord finds secrets whose sign stands inside them in a word that is longer
// than what is searched around a sign, wherever in it they are.
func TestFindInLongWord(t *testing.T) {
	for i := range Table() {
		f := &Table()[i]
		if !f.inside {
			continue
		}
		sign := slices.IndexFunc(f.signs, func(s string) bool { return strings.Contains(f.Example, s) })
		at := strings.Index(f.Example, f.signs[sign])
		if at > maxBefore || len(f.Example)-at > maxAfter {
			t.Errorf("%s: %q has %d bytes before its sign and %d from there: raise maxBefore or maxAfter", f.Service, f.Example, at, len(f.Example)-at)
		}
		want := regexp.MustCompile(f.Form).FindStringSubmatch(f.Example)
		for _, n := range []int{1, 1000, 1800, 1900, 1950, 2000, 2040, 2100, 5000} {
			// A sign without a secret begins a window; its end is before, in or after the secret.
			text := f.signs[sign] + strings.Repeat("=:", n) + f.Example + strings.Repeat("==", 3000)
			found := slices.ContainsFunc(Find(text), func(m Match) bool { return strings.Contains(text[m.Start:m.End], want[len(want)-1]) })
			if !found {
				t.Errorf("%s: %q is not found %d bytes after a sign", f.Service, f.Example, 2*n)
			}
		}
	}
}
