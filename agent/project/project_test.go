package project_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/project"
	"caselsp/agent/syntax"

	"golang.org/x/tools/txtar"
)

// TestOf: each archive is a project, with what is known of it in its last file, want.
func TestOf(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, p := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(p), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(p)
			if err != nil {
				t.Fatal(err)
			}
			var files []project.File
			want := ""
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				files = append(files, project.File{Path: f.Name, Facts: syntax.FactsOf(f.Name, string(f.Data))})
			}
			if got := lines(project.Of(files)); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			slices.Reverse(files)
			if got := lines(project.Of(files)); got != want {
				t.Errorf("in another order of the files:\n%s", got)
			}
		})
	}
}

// lines is a state in the lines of want.
func lines(s project.State) string {
	var b strings.Builder
	for _, a := range s.Apps {
		dir := a.Path
		if dir == "" {
			dir = "-"
		}
		fmt.Fprintf(&b, "app %s %s %s %s:%d\n", a.Name, a.Label, dir, a.Settings[0].File, a.Settings[0].Line)
	}
	for _, m := range s.Models {
		line := fmt.Sprintf("model %s:%s %s:%d", m.Kind, m.Name, m.File, m.Line)
		if m.Abstract {
			line += " abstract"
		}
		if m.Unregistered {
			line += " unregistered"
		}
		b.WriteString(line + "\n")
	}
	for _, r := range s.Routes {
		name := r.Name
		if name == "" {
			name = strings.Join(r.Methods, ",")
		}
		fmt.Fprintf(&b, "route %s %s %s %s %s:%d\n", r.Framework, r.Path, r.View, name, r.File, r.Line)
	}
	return b.String()
}

// TestArtifacts: the registry names each model, app and named route with its file, and keeps two of one
// name in different files apart.
func TestArtifacts(t *testing.T) {
	var files []project.File
	for path, text := range map[string]string{
		"a/settings.py":    "INSTALLED_APPS = ['blog']\n",
		"a/blog/models.py": "from django.db import models\nclass Post(models.Model): pass\n",
		"b/settings.py":    "INSTALLED_APPS = ['blog']\n",
		"b/blog/models.py": "from django.db import models\nclass Post(models.Model): pass\n",
		"a/urls.py":        "from django.urls import path\nurlpatterns = [path('x', v, name='x')]\n",
	} {
		files = append(files, project.File{Path: path, Facts: syntax.FactsOf(path, text)})
	}
	got := fmt.Sprint(project.Of(files).Artifacts)
	want := "[{django_app:blog {a/blog 1}} {django_app:blog {b/blog 1}} {django_model:blog.Post {a/blog/models.py 2}}" +
		" {django_model:blog.Post {b/blog/models.py 2}} {django_route:x {a/urls.py 2}}]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestNothing: a project of no framework has nothing, and its lists are empty rather than missing.
func TestNothing(t *testing.T) {
	s := project.Of([]project.File{{Path: "a.go", Facts: syntax.FactsOf("a.go", "package a\n")}, {Path: "b.txt"}})
	if s.Apps == nil || s.Models == nil || s.Routes == nil || s.Artifacts == nil || lines(s) != "" {
		t.Errorf("got %+v", s)
	}
}
