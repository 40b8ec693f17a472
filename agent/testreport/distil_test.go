package testreport

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestDistil holds that what is kept of result files says the same as they do, and that
// distilling twice changes nothing more.
func TestDistil(t *testing.T) {
	source, err := os.ReadFile("testdata/coverage/shop.js.txt")
	if err != nil {
		t.Fatal(err)
	}
	sourceOf := func(string) string { return string(source) }
	same := func(s string) string { return s }
	for _, file := range []string{
		"coverage/coverage.json", "coverage/go.out", "coverage/istanbul.json", "coverage/node.lcov", "coverage/v8.json",
		"results/jest.json", "results/mocha.json", "results/node.xml", "results/pytest.xml", "results/pytest_broken.xml", "results/vitest.json",
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			whole := map[string][]byte{filepath.Base(file): data}
			kept := Distil(whole, same)
			if got, want := sorted(Read("", "", kept)), sorted(Read("", "", whole)); !reflect.DeepEqual(got, want) {
				t.Errorf("the report is\n%+v\nnot\n%+v\nof %s", got, want, kept)
			}
			got, want := ReadCoverage(kept, shopTree, sourceOf), ReadCoverage(whole, shopTree, sourceOf)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("the coverage is\n%v\nnot\n%v", got, want)
			}
			if !Read("", "", whole).Known() && len(want) == 0 {
				t.Error("the file says nothing")
			}
			if again := Distil(kept, same); !maps.EqualFunc(again, kept, func(a, b []byte) bool { return string(a) == string(b) }) {
				t.Errorf("again gives\n%s\nnot\n%s", again, kept)
			}
		})
	}
}

func sorted(r Report) Report {
	slices.SortFunc(r.Tests, func(a, b Test) int { return strings.Compare(a.Name, b.Name) })
	return r
}

// TestDistilRedacts looks for a value that a test wrote wherever a report can hold it.
func TestDistilRedacts(t *testing.T) {
	const value = "k8Lr2pQz"
	redact := func(s string) string { return strings.ReplaceAll(s, value, "[redacted]") }
	for name, text := range map[string]string{
		"name-" + value + ".xml": `<testsuites><testsuite name="VALUE"><properties><property name="p" value="VALUE"/></properties>` +
			`<testcase name="VALUE" classname="VALUE" file="VALUE.py" line="VALUE" time="VALUE" VALUE="1">` +
			`<failure type="VALUE" message="VALUE">VALUE &amp; VALUE<!-- VALUE --></failure><system-out>VALUE</system-out></testcase></testsuite>VALUE</testsuites>`,
		"entities.xml": `<testsuite name="s"><testcase name="t"><error message="k8&#76;r2pQz"><![CDATA[VALUE]]></error><skipped message="VALUE"/></testcase></testsuite>`,
		"jest.json": `{"numTotalTests":1,"VALUE":1,"testResults":[{"name":"VALUE","message":"VALUE","status":"VALUE","assertionResults":` +
			`[{"title":"k8\u004cr2pQz","ancestorTitles":["VALUE"],"failureMessages":["VALUE"],"failureDetails":[{"actual":"VALUE"}]}]}]}`,
		"mocha.json":    `{"stats":{"tests":1,"x":"VALUE"},"failures":[{"fullTitle":"VALUE","file":"VALUE","err":{"message":"VALUE","stack":"VALUE","actual":"VALUE"}}]}`,
		"coverage.json": `{"meta":"VALUE","files":{"VALUE.py":{"executed_lines":[1],"missing_lines":[],"contexts":{"1":["VALUE"]}}}}`,
		"istanbul.json": `{"VALUE.js":{"path":"VALUE.js","statementMap":{"VALUE":{"start":{"line":1}}},"s":{"VALUE":1},"inputSourceMap":{"sourcesContent":["VALUE"]}}}`,
		"v8.json":       `{"result":[{"scriptId":"VALUE","url":"file:///VALUE.js","functions":[{"functionName":"VALUE","ranges":[]}]}]}`,
		"go.out":        "mode: set\nVALUE/a.go:1.1,2.2 1 1\nVALUE\n",
		"node.lcov":     "TN:VALUE\nSF:VALUE.js\nDA:1,1\nend_of_record\n",
		"other.txt":     "VALUE",
		"other.json":    `{"stdout":"VALUE"}`,
		"broken.json":   `{"stdout":"VALUE", "statementMap"`,
	} {
		for name, data := range Distil(map[string][]byte{name: []byte(strings.ReplaceAll(text, "VALUE", value))}, redact) {
			if strings.Contains(name+string(data), value) {
				t.Errorf("%s holds the value: %s", name, data)
			}
		}
	}
}
