package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/record"
)

// TestProjectFollows: what is known of a project follows every change at once: what is staged, what is
// deleted, moved and taken back, two files of one name apart from each other.
func TestProjectFollows(t *testing.T) {
	dir := t.TempDir()
	model := func(name string) string {
		return "from django.db import models\nclass " + name + "(models.Model): pass\n"
	}
	for name, text := range map[string]string{"a/models.py": model("One"), "b/models.py": model("Two"), ".env": "TOKEN=x\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := metering(t, dir, Options{})
	o := a.Workspace.NewOverlay()
	defer o.Close()
	start := o.State()
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{func() error { return nil }, "a.One a/models.py:2, b.Two b/models.py:2"},
		{func() error { _, err := o.Write("a/models.py", "\n"+model("Three")); return err }, "a.Three a/models.py:3, b.Two b/models.py:2"},
		{func() error { _, err := o.Rename("b/models.py", "c/models.py"); return err }, "a.Three a/models.py:3, c.Two c/models.py:2"},
		{func() error { _, err := o.Delete("a/models.py"); return err }, "c.Two c/models.py:2"},
		{func() error { return o.Restore(start) }, "a.One a/models.py:2, b.Two b/models.py:2"},
		{func() error { return os.WriteFile(filepath.Join(dir, "a/models.py"), []byte("# "+model("One")), 0o644) }, "b.Two b/models.py:2"},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if err := o.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, _, err := a.projectIn(t.Context(), o, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range s.Models {
			got = append(got, fmt.Sprintf("%s %s", m.Name, at(m.Place)))
		}
		if text := strings.Join(got, ", "); text != step.want {
			t.Errorf("got  %s\nwant %s", text, step.want)
		}
	}
	s, err := a.Project(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Files) != 2 || s.Changed != nil {
		t.Errorf("of two files that hold no secret, there are %v, with %v", s.Files, s.Changed)
	}
}

// TestKnownFits: however much there is, what a planner is told of a project is short, and what the task
// speaks of is in it.
func TestKnownFits(t *testing.T) {
	dir := t.TempDir()
	urls, models := "from django.urls import path\nurlpatterns = [\n", "from django.db import models\n"
	for i := range 300 {
		urls += fmt.Sprintf("    path(\"page%d/\", views.page%d),\n", i, i)
		models += fmt.Sprintf("class Model%d(models.Model): pass\n", i)
	}
	urls += "    path(\"invoice/\", views.invoice),\n]\n"
	for name, text := range map[string]string{"urls.py": urls, "models.py": models + "class Invoice(models.Model): pass\n", "settings.py": "INSTALLED_APPS = ['x']\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := metering(t, dir, Options{})
	s, err := a.Project(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := projectLines(s.State, "Print the invoices")
	for _, want := range []string{"Models: Invoice (models.py:302)", " and 300 more\n", "Routes: 301, among them:\n- /invoice/  views.invoice"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	if text := projectLines(s.State, "Number the pages of an invoice"); !strings.Contains(text, "- /invoice/ ") {
		t.Errorf("a word of one route counts less than one of all:\n%s", text)
	}
	for _, task := range []string{"Print the invoices", "Change every page and every model", "x"} {
		if text := projectLines(s.State, task); len(text) > maxKnown {
			t.Errorf("%s: %d bytes", task, len(text))
		}
	}
}

// TestManyChecksums: also of a project with more files than a journal names, the checksums are those of the
// latest task, and a planner is told what changed since.
func TestManyChecksums(t *testing.T) {
	b := newBench(t, "on any\ntimes always\ntext no tool\n", agreeable{})
	notes := filepath.Join(b.Workspace.Roots()[0].Dir, "notes")
	write := func(i int, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(notes, fmt.Sprintf("n%04d.txt", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(notes, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range maxManifest + 10 {
		write(i, fmt.Sprint("note ", i))
	}
	told := func(id string) []string {
		t.Helper()
		for _, err := range b.Run(t.Context(), record.Task{ID: id, Text: "look"}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		p, err := b.load(id)
		if err != nil {
			t.Fatal(err)
		}
		return p.Known.Changed
	}
	if list := told("t1"); list != nil {
		t.Errorf("before the first task, %q changed", list)
	}
	write(7, "another note")
	s, err := b.Project(t.Context())
	if err != nil || s.Changed == nil || !slices.Equal(s.Changed.Changed, []string{"notes/n0007.txt"}) {
		t.Errorf("changed are %v, %v", s.Changed, err)
	}
	if list := told("t2"); len(list) != 1 || !strings.HasSuffix(list[0], ": notes/n0007.txt") {
		t.Errorf("since the first task, %q changed", list)
	}
	if list := told("t3"); list != nil {
		t.Errorf("since the second task, %q changed", list)
	}
}
