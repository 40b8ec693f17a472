package fixcheck

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"text/template"

	"caselsp/sandbox"
)

//go:embed template
var templateFiles embed.FS

var templates = template.Must(template.New("").Option("missingkey=error").ParseFS(templateFiles, "template/*"))

// example is the failure that a new validator judges until its author changes that, with a file that has it.
type example struct {
	Error, Pattern, Message string
	Main, Before            string
	Fixed, Other            string // the file after the fix, and after another change
	Fix                     string // what is claimed
	Line                    int    // that failed
	Code                    string
}

// examples are by the language of the code that is judged.
var examples = map[string]example{
	"python": {
		Error: "KeyError", Pattern: `r"KeyError: '([^']+)'"`, Message: "shop.py:3: KeyError: 'price'",
		Main: "shop.py", Before: "def total(item):\n    count = item['count']\n    return count * item['price']\n",
		Fixed: "def total(item):\n    count = item['count']\n    return count * item.get('price', 0)\n",
		Other: "def total(item):\n    count = int(item['count'])\n    return count * item['price']\n",
		Fix:   "Count an item without a price as 0", Line: 3, Code: "    return count * item['price']",
	},
	"go": {
		Error: "undefined", Pattern: `r"undefined: (\w+)"`, Message: "./shop.go:4:9: undefined: price",
		Main: "shop.go", Before: "package shop\n\nfunc Total(count int) int {\n\treturn price * count\n}\n",
		Fixed: "package shop\n\nfunc Total(price, count int) int {\n\treturn price * count\n}\n",
		Other: "package shop\n\n// Total is a sum.\nfunc Total(count int64) int {\n\treturn price * count\n}\n",
		Fix:   "Take the price as a parameter", Line: 4, Code: "\treturn price * count",
	},
	"javascript": {
		Error: "ReferenceError", Pattern: `r"(\w+) is not defined"`, Message: "ReferenceError: price is not defined\n    at total (shop.js:2:3)",
		Main: "shop.js", Before: "function total(count) {\n  return price * count\n}\n",
		Fixed: "function total(price, count) {\n  return price * count\n}\n",
		Other: "function total(number) {\n  return price * count\n}\n",
		Fix:   "Take the price as a parameter", Line: 2, Code: "  return price * count",
	},
}

// TemplateLanguages are the languages of [New].
func TemplateLanguages() []string { return slices.Sorted(maps.Keys(examples)) }

// New returns the files of a new validator for failures of code in a language: a manifest, a script, a claim that it
// accepts (good.json) and one that it refuses (bad.json).
func New(name, language string) ([]sandbox.File, error) {
	e, known := examples[language]
	if !known || !ValidName(name) {
		return nil, fmt.Errorf("%q of %q cannot be a validator", name, language)
	}
	var files []sandbox.File
	fill := struct {
		example
		Name, Language string
	}{e, name, language}
	for from, to := range map[string]string{"validator.yaml": name + ".yaml", "check.py": "check.py"} {
		var b bytes.Buffer
		if err := templates.ExecuteTemplate(&b, path.Base(from), fill); err != nil {
			return nil, err
		}
		files = append(files, sandbox.File{Path: to, Mode: 0o644, Data: b.Bytes()})
	}
	for to, after := range map[string]string{"good.json": e.Fixed, "bad.json": e.Other} {
		raw, err := e.claim(language, after)
		if err != nil {
			return nil, err
		}
		files = append(files, sandbox.File{Path: to, Mode: 0o644, Data: raw})
	}
	slices.SortFunc(files, func(a, b sandbox.File) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	return files, nil
}

// claim is the claim of the fix, with what has changed in truth.
func (e example) claim(language, after string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(Claim{
		OriginalCode: e.Before, FixedCode: after, FixDescription: e.Fix, ErrorMessage: e.Message,
		Files: []File{{Path: e.Main, Before: &e.Before, After: &after}},
		Fixes: []string{e.Fix}, Main: e.Main, Language: language, ErrorType: e.Error,
		Frames: []Frame{{Path: e.Main, Line: e.Line, Function: "total", Code: e.Code}}, Paths: []string{e.Main},
	})
	return b.Bytes(), err
}
