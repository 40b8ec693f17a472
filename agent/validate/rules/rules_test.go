package rules

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"caselsp/agent/validate"
	"caselsp/agent/validate/validatetest"
)

// table is every rule there is.
var table = Default().Rules()

var update = flag.Bool("update", false, "write rules.md anew")

// TestFixtures checks each rule against real source that breaks and that keeps it.
func TestFixtures(t *testing.T) {
	for i := range table {
		r := &table[i]
		t.Run(r.ID, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", string(r.Category), r.ID+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(data)
			if len(strings.Fields(string(a.Comment))) < 3 {
				t.Error("the text above the first file does not say where the source is from")
			}
			for _, side := range []string{"fail", "pass"} {
				if n := checkSide(t, r, a, side); (n > 0) != (side == "fail") {
					t.Errorf("%d findings are marked under %s/", n, side)
				}
			}
		})
	}
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		if Default().Explain(strings.TrimSuffix(filepath.Base(name), ".txtar")) == "" {
			t.Errorf("%s belongs to no rule", name)
		}
	}
}

// checkSide judges the files of one folder of an archive as a project, and
// returns how many findings of the rule they are marked with.
func checkSide(t *testing.T, r *validate.Rule, a *txtar.Archive, side string) int {
	t.Helper()
	project, wants, files, texts := validate.NewProject(Default()), map[string][]validatetest.Mark{}, 0, map[string]string{}
	marked := 0
	for _, f := range a.Files {
		name, ok := strings.CutPrefix(f.Name, side+"/")
		if !ok {
			continue
		}
		text, list := validatetest.Cut(string(f.Data))
		for _, w := range list {
			if w.Rule == r.ID {
				wants[name] = append(wants[name], w)
				marked++
			}
		}
		files++
		texts[name] = text
		if !validate.Reads(name) {
			project.SetAsset(name)
		} else {
			project.Set(name, text)
		}
	}
	if files == 0 {
		t.Fatalf("there is no file under %s/", side)
	}
	for _, name := range project.Paths() {
		compare(t, side+"/"+name, texts[name], validatetest.OfRule(project.Findings(name), r.ID), wants[name])
	}
	return marked
}

func compare(t *testing.T, name, text string, got []validate.Finding, wants []validatetest.Mark) {
	t.Helper()
	var g, w []string
	for i, f := range got {
		checkFinding(t, f, text)
		source := ""
		if i < len(wants) && wants[i].Source != "" {
			source = text[f.Start.Offset:f.End.Offset]
		}
		g = append(g, fmt.Sprintf("%d %s", f.Start.Line+1, source))
	}
	for _, x := range wants {
		w = append(w, fmt.Sprintf("%d %s", x.Line, x.Source))
	}
	if !slices.Equal(g, w) {
		t.Errorf("%s: found on lines %q, want %q\n%s", name, g, w, validatetest.Messages(got))
	}
}

// checkFinding checks what holds for every finding.
func checkFinding(t *testing.T, f validate.Finding, text string) {
	t.Helper()
	if f.Message == "" || f.Start.Offset > f.End.Offset || f.End.Offset > len(text) {
		t.Errorf("not a finding: %+v", f)
	}
	if f.Fix == nil {
		return
	}
	last := 0
	for _, e := range f.Fix.Edits {
		if e.Start < last || e.End < e.Start || e.End > len(text) {
			t.Errorf("%s: the fix's edits overlap or are out of order: %+v", f.Rule, f.Fix)
		}
		last = e.End
	}
	if f.Fix.Title == "" || len(f.Fix.Edits) == 0 {
		t.Errorf("%s: not a fix: %+v", f.Rule, f.Fix)
	}
}

// TestRules checks what every rule must have, so that the gate, the editor and
// the documentation can show it.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	id, standard := regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`), regexp.MustCompile(`^(WCAG \d\.\d\.\d+|ACT [0-9a-z]{6}|CWE-\d+)$`)
	for _, r := range table {
		if !id.MatchString(r.ID) || r.Title == "" || r.Doc == "" || r.Bad == "" || r.Good == "" || seen[r.ID] || r.ID != string(r.Category) && slices.Contains(validate.Categories, validate.Category(r.ID)) {
			t.Errorf("rule %q is not whole, or there twice", r.ID)
		}
		if r.Check == nil && r.Category != validate.Suppression {
			t.Errorf("rule %q checks nothing", r.ID)
		}
		if !slices.Contains(validate.Severities, r.Severity) {
			t.Errorf("rule %s has the severity %q, which the gate does not know", r.ID, r.Severity)
		}
		if !slices.Contains(validate.Categories, r.Category) {
			t.Errorf("rule %s belongs to %q, which is no validator", r.ID, r.Category)
		}
		for _, s := range r.Standards {
			if !standard.MatchString(s) {
				t.Errorf("rule %s stands for %q: write WCAG 1.1.1, ACT 23a2a8 or CWE-95", r.ID, s)
			}
		}
		seen[r.ID] = true
	}
}

// example returns the findings of a rule in one of its examples.
func example(r *validate.Rule, text string) []validate.Finding {
	a := txtar.Parse([]byte(text))
	if len(a.Files) == 0 {
		name := r.File
		if name == "" {
			name = "page.html"
		}
		a.Files = []txtar.File{{Name: name, Data: []byte(text)}}
	}
	project := validate.NewProject(Default())
	for _, f := range a.Files {
		if !validate.Reads(f.Name) {
			project.SetAsset(f.Name)
		} else {
			project.Set(f.Name, string(f.Data))
		}
	}
	var found []validate.Finding
	for _, name := range project.Paths() {
		found = append(found, validatetest.OfRule(project.Findings(name), r.ID)...)
	}
	return found
}

// TestExamples checks that the documentation's examples are right.
func TestExamples(t *testing.T) {
	for i := range table {
		r := &table[i]
		if len(example(r, r.Bad)) == 0 {
			t.Errorf("%s: the bad example keeps the rule", r.ID)
		}
		if found := example(r, r.Good); len(found) > 0 {
			t.Errorf("%s: the good example breaks the rule\n%s", r.ID, validatetest.Messages(found))
		}
	}
}

// buried puts a text where it is no code: into a comment and, where the language
// has them, into a string. Nil where the example has several files.
func buried(r *validate.Rule) map[string]string {
	name := r.File
	if name == "" {
		name = "page.html"
	}
	if strings.HasPrefix(r.Bad, "-- ") {
		return nil
	}
	escape := strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n", "`", "\\`", "${", "\\${", "</", "<\\/")
	line := func(before string) string {
		return before + strings.ReplaceAll(strings.TrimSuffix(r.Bad, "\n"), "\n", "\n"+before) + "\n"
	}
	inner := strings.NewReplacer("--", "- -", "*/", "* /", "#}", "# }").Replace(r.Bad)
	switch path.Ext(name) {
	case ".html":
		if strings.Contains(r.Bad, "{%") || strings.Contains(r.Bad, "{{") {
			// A template runs in comments and scripts, too.
			return map[string]string{
				"a template comment": "{% comment %}" + inner + "{% endcomment %}\n",
			}
		}
		return map[string]string{
			"an HTML comment":     "<!-- " + inner + " -->\n",
			"a template comment":  "{% comment %}" + inner + "{% endcomment %}\n",
			"a script's string":   "<script>const text = \"" + escape.Replace(r.Bad) + "\";</script>\n",
			"a comment of script": "<script>" + line("// ") + "</script>\n",
		}
	case ".css":
		return map[string]string{"a comment": "/* " + inner + " */\n", "a string": "a::after { content: \"" + strings.NewReplacer("\"", "'", "\n", " ", "\\", "").Replace(r.Bad) + "\"; }\n"}
	case ".py":
		return map[string]string{"a comment": line("# "), "a string": "TEXT = \"" + escape.Replace(r.Bad) + "\"\n"}
	case ".go":
		return map[string]string{"a comment": "package p\n" + line("// "), "a string": "package p\nvar text = \"" + escape.Replace(r.Bad) + "\"\n"}
	case ".js", ".ts", ".tsx":
		return map[string]string{"a comment": line("// "), "a string": "export const text = \"" + escape.Replace(r.Bad) + "\";\n"}
	}
	return map[string]string{}
}

// loud are the rules that may well speak about comments and strings, with the reason.
var loud = map[string]string{
	"unknown-rule": "it is about comments",
	"secret-token": "a key in a comment or a text is as public as any", "secret-private-key": "the same", "secret-credential": "the same", "secret-url": "the same", "secret-password": "a text that holds a configuration",
	"bidi-text": "what it is about hides in comments and strings",
}

// TestSilence proves that no rule searches raw text.
func TestSilence(t *testing.T) {
	for i := range table {
		r := &table[i]
		if loud[r.ID] != "" {
			continue
		}
		for where, text := range buried(r) {
			name := r.File
			if name == "" {
				name = "page.html"
			}
			if found := validatetest.OfRule(Default().Check(name, text), r.ID); len(found) > 0 {
				t.Errorf("%s speaks about %s:\n%s\n%s", r.ID, where, text, validatetest.Messages(found))
			}
		}
	}
}

// TestDocs checks that rules.md is what the rules say.
func TestDocs(t *testing.T) {
	const name = "../rules.md"
	if *update {
		if err := os.WriteFile(name, []byte(Default().Docs()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != Default().Docs() {
		t.Errorf("%s is not what the rules say (%v): run go test ./agent/validate/rules -update", name, err)
	}
}
