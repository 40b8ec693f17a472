package store

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// notFound are the kinds of values that stay, each with the reason.
var notFound = map[string]string{
	"Django SECRET_KEY":        "every new project has one; Django itself marks it as insecure",
	"value reversed and split": "nothing tells it from other text",
	"Lua and nginx":            "words with blanks in a program's text are mostly sentences",
}

// TestCanaryKinds masks the values of some 200 kinds in the files that hold them. The
// set was written without a look at this package.
func TestCanaryKinds(t *testing.T) {
	file, err := os.Open("testdata/canary.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for d := json.NewDecoder(plain); d.More(); n++ {
		var c struct {
			Kind, File, Content string
			Value               any
		}
		if err := d.Decode(&c); err != nil {
			t.Fatal(err)
		}
		s := &Store{}
		s.redactor.Store(newRedactor(nil))
		s.Conceal(s.SecretsOf(c.File, c.Content)...)
		got := s.Redact(c.Content)
		var left []string
		for _, v := range listOf(c.Value) {
			if strings.Contains(got, v.(string)) {
				left = append(left, v.(string))
			}
		}
		if _, stays := notFound[c.Kind]; (left != nil) != stays {
			t.Errorf("%s in %s: %q are left in\n%s", c.Kind, c.File, left, got)
		}
	}
	if n < 128 {
		t.Errorf("only %d kinds were tried", n)
	}
}

func listOf(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}
