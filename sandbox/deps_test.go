package sandbox

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what the fixtures want")

// TestDependencies reads fixtures: above their files stand the profile and the
// sources, "learned" being what the package manager says of its own, and "more" packages; then comes a
// project, and "want" is what would be installed and how.
func TestDependencies(t *testing.T) {
	files, err := filepath.Glob("testdata/deps/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	keys := make(map[string]string)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			profile, from, learned := Python, Sources{}, ""
			var more []string
			for line := range strings.Lines(string(a.Comment)) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				switch key {
				case "profile":
					profile = Profile(value)
				case "python":
					from.Python = value
				case "node":
					from.Node = value
				case "go":
					from.Go = value
				case "sums":
					from.GoSums = value
				case "more":
					more = strings.Split(value, ",")
				case "learned":
					learned = value
				}
			}
			var tree []File
			var want string
			for _, f := range a.Files {
				if f.Name == "want" {
					want = string(f.Data)
				} else {
					tree = append(tree, File{Path: f.Name, Mode: 0o644, Data: f.Data})
				}
			}
			d := DependenciesOf(tree, profile, from, more...)
			got := "nothing\n"
			if d != nil {
				got = installation(t, d, learned)
				if other := keys[d.Key]; other != "" || !layerKey.MatchString(d.Key) {
					t.Errorf("the key %s is also that of %s", d.Key, other)
				}
				keys[d.Key] = file
				if _, err := d.Install().checked(); err != nil {
					t.Error(err)
				}
			}
			if *update {
				a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
				a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// installation asks and learns what is not known yet, and says what is installed and how.
func installation(t *testing.T, d *Dependencies, learned string) string {
	t.Helper()
	text := ""
	if ask := d.Ask(); ask != nil {
		text = ask.Line + "\n"
		if _, err := ask.checked(); err != nil {
			t.Error(err)
		}
		d.Open(d.Learn(strings.ReplaceAll(learned, "|", "\n")+"\n"), nil)
	}
	text += fmt.Sprintf("$ %s\nhosts: %s\n", d.Line, strings.Join(d.Hosts, " "))
	for _, e := range d.env {
		text += e + "\n"
	}
	for _, f := range d.tree {
		text += fmt.Sprintf("%s: %q\n", f.Path, f.Data)
	}
	return text
}

func TestSourcesPick(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"PIP_INDEX_URL": "p", "npm_config_registry": "n", "GOPROXY": "g", "GOSUMDB": "s"}[name]
	}
	if got, want := (Sources{Python: "mine"}).Pick(env), (Sources{Python: "mine", Node: "n", Go: "g", GoSums: "s"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
