package settings

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/syntax"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what the fixtures want")

// outcome returns the settings that differ from the defaults, a line each, and
// the problems.
func outcome(s Settings, problems []Problem) (changed, wrong string) {
	d := Default()
	for _, e := range entries {
		if got := e.get(&s); !reflect.DeepEqual(got, e.get(&d)) {
			text := written(got)
			if text == "" { // an object
				object, _ := json.Marshal(got)
				text = string(object)
			}
			changed += e.Name + " = " + text + "\n"
		}
	}
	for _, p := range problems {
		wrong += p.String() + "\n"
	}
	return changed, wrong
}

// TestMerge reads fixtures: a section for each layer, what the user has confirmed (a
// value a line), and what comes out.
func TestMerge(t *testing.T) {
	files, err := filepath.Glob("testdata/merge/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	origins := map[string]Origin{"user": User, "editor": Editor, "pushed": Pushed, "configuration": Configuration, "workspace": Repository, "flags": Flags}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var layers []Layer
			want := make(map[string]string)
			confirmed, inputs := "", 0
			for _, f := range a.Files {
				inputs++
				if o, ok := origins[strings.TrimPrefix(f.Name, "untrusted ")]; ok {
					l := Decode(o, "", f.Data)
					l.Untrusted = strings.HasPrefix(f.Name, "untrusted ")
					layers = append(layers, l)
				} else if f.Name == "environment" {
					layers = append(layers, Variables(strings.Split(strings.TrimSpace(string(f.Data)), "\n")))
				} else if f.Name == "confirmed" {
					confirmed = "\n" + string(f.Data)
				} else {
					inputs--
					want[f.Name] = string(f.Data)
				}
			}
			j := Judge{
				Confirmed: func(v Value) bool { return strings.Contains(confirmed, "\n"+v.String()+"\n") },
				Harmless:  func(name string) bool { return name == "css" },
			}
			m := j.Merge(layers...)
			changed, wrong := outcome(m.Settings, m.Problems)
			if *update {
				a.Files = append(a.Files[:inputs:inputs], txtar.File{Name: "settings", Data: []byte(changed)}, txtar.File{Name: "problems", Data: []byte(wrong)})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if changed != want["settings"] || wrong != want["problems"] {
				t.Errorf("settings:\n%s\nwant:\n%s\nproblems:\n%s\nwant:\n%s", changed, want["settings"], wrong, want["problems"])
			}
		})
	}
}

// TestDefaults shows that every default is a value that its own setting allows.
func TestDefaults(t *testing.T) {
	values := make(map[string]any)
	for _, s := range All() {
		if s.Default != "" {
			values[s.Name] = s.Default
		}
		if s.Doc == "" || !strings.HasSuffix(s.Doc, ".") || strings.ContainsAny(s.Doc+s.Allowed, "|\n") {
			t.Errorf("%s: its documentation does not fit into the table: %q", s.Name, s.Doc)
		}
	}
	got, problems := Merge(Layer{Origin: User, Values: values})
	if !reflect.DeepEqual(got, Default()) || len(problems) > 0 {
		t.Errorf("the defaults, set, give %+v and %v", got, problems)
	}
}

// TestTighten shows for each setting that a workspace may tighten that the
// step in one direction is refused and in the other is not.
func TestTighten(t *testing.T) {
	pairs := map[string][2]any{ // loose, tight
		"model.max_tokens":             {0, 500},
		"model.context_tokens":         {64000, 32000},
		"sandbox.engine":               {"auto", "native"},
		"sandbox.cpus":                 {4, 0.5},
		"sandbox.memory_mb":            {2048, 512},
		"sandbox.retry_memory_mb":      {4096, 0},
		"sandbox.disk_mb":              {512, 64},
		"sandbox.processes":            {256, 32},
		"sandbox.time":                 {600, 60},
		"sandbox.hosts":                {"pkgs.example,*.example.org", []any{"files.Example.org"}},
		"limits.steps":                 {20, 10},
		"limits.rounds":                {20, 10},
		"limits.attempts":              {5, 1},
		"limits.rollbacks":             {5, 1},
		"limits.tokens":                {0, 1000},
		"limits.commands":              {0, 100},
		"limits.cost":                  {2.5, 1},
		"limits.time":                  {0, "1h"},
		"approvals.read_only_commands": {"allow", "ask"},
		"approvals.level":              {"all", "default"},
		"lint.when":                    {"edit", "finish"},
		"lint.critical":                {"high", "medium"},
		"validate.rules":               {map[string]any{"safety": "info"}, map[string]any{"safety": "warning"}},
		"approvals.days":               {90, 7},
		"plan.review":                  {false, true},
		"fixcheck.enabled":             {false, true},
	}
	for _, s := range All() {
		pair, ok := pairs[s.Name]
		if ok != (s.Workspace == Tighten) {
			t.Errorf("%s: a workspace may set it: %q, and it has a case here: %v", s.Name, s.Workspace, ok)
		}
		for i := range pair {
			user := Layer{Origin: User, Values: map[string]any{s.Name: pair[i]}}
			workspace := Layer{Origin: Repository, Values: map[string]any{s.Name: pair[1-i]}}
			_, problems := Merge(user, workspace)
			if refused := len(problems) == 1; refused != (i == 1) && ok {
				t.Errorf("%s from %v to %v: %v", s.Name, pair[i], pair[1-i], problems)
			}
		}
	}
}

func TestFor(t *testing.T) {
	zero := 0.0
	m := Model{Provider: "openai", BaseURL: "https://models.example/v1", KeyEnv: "K", Name: "large", Roles: map[string]Model{
		"case":   {Name: "small", Temperature: &zero},
		"tester": {Provider: "ollama", Name: "local"},

		"reflector": {BaseURL: "http://localhost:8000/v1"},
	}}
	for role, want := range map[string]Model{
		"tars":   {Provider: "openai", BaseURL: "https://models.example/v1", KeyEnv: "K", Name: "large"},
		"case":   {Provider: "openai", BaseURL: "https://models.example/v1", KeyEnv: "K", Name: "small", Temperature: &zero},
		"tester": {Provider: "ollama", Name: "local"},

		"reflector": {BaseURL: "http://localhost:8000/v1", Name: "large"},
	} {
		if got := m.For(role); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", role, got, want)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir, root := t.TempDir(), t.TempDir()
	if layers := Load(dir, root); len(layers) != 0 {
		t.Fatalf("no files: %v", layers)
	}
	put(t, filepath.Join(dir, UserFile), "\ufeff{\"model\": {\"name\": \"a\"}, // mine\r\n}", 0o600)
	secret := filepath.Join(t.TempDir(), "elsewhere")
	put(t, secret, `{"log.level": "debug"}`, 0o600)
	if err := os.Symlink(secret, filepath.Join(root, RepositoryFile)); err != nil {
		t.Fatal(err)
	}
	s, problems := Merge(Load(dir, root, dir)...)
	want := "the workspace's settings (" + filepath.Join(root, RepositoryFile) + "): not readable: it is not a regular file; ignored"
	if s.Model.Name != "a" || s.Log.Level != "info" || len(problems) != 1 || problems[0].String() != want {
		t.Errorf("got %+v, %v; want the problem %q", s, problems, want)
	}
	put(t, filepath.Join(dir, UserFile), strings.Repeat(" ", fileLimit+1), 0o600)
	if _, problems := Merge(Load(dir)...); len(problems) != 1 || !strings.Contains(problems[0].Text, "larger than") {
		t.Errorf("a huge file: %v", problems)
	}
}

func TestLoadEnv(t *testing.T) {
	dir := t.TempDir()
	if found, problems := LoadEnv(dir); found != nil || problems != nil {
		t.Fatalf("no file: %v, %v", found, problems)
	}
	file := filepath.Join(dir, EnvFile)
	put(t, file, "# keys\r\nA=1\r\nexport B = 'a # b' # c\n\nC=\"x\\\"y\\n\"\nD=a#b # c\nE=\nsk-oops\nF='open\n", 0o600)
	found, problems := LoadEnv(dir)
	want := map[string]string{"A": "1", "B": "a # b", "C": "x\"y\n", "D": "a#b", "E": ""}
	if !maps.Equal(found, want) {
		t.Errorf("got %q, want %q", found, want)
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.Text)
	}
	if got, want := strings.Join(lines, "\n"), "line 8 is not NAME=value with closed quotes\nline 9 is not NAME=value with closed quotes"; got != want {
		t.Errorf("problems: got %q, want %q", got, want)
	}
	if runtime.GOOS == "windows" {
		return
	}
	put(t, file, "A=1\n", 0o644)
	if _, problems := LoadEnv(dir); len(problems) != 1 || !strings.Contains(problems[0].Text, "chmod 600 "+file) {
		t.Errorf("readable by others: %v", problems)
	}
}

func TestFolder(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", "/x")
	if dir, err := Folder(); dir != filepath.Join("/x", "caselsp") || err != nil {
		t.Errorf("got %q, %v", dir, err)
	}
}

// TestKeys shows what is taken for a key: no way that a key is written may pass,
// and no name of a model, image or address may be refused.
func TestKeys(t *testing.T) {
	hex := strings.Repeat("0f", 32)
	for value, want := range map[string]bool{
		"sk-" + "proj-abcdefgh12345678":             true,
		"AIza" + "SyA1234567890abcdefghijklmnopqrs": true,
		"gh" + "p_abcdefghijklmnop":                 true,
		"Bearer abc":                                true,
		"https://x.example/v1?key=" + hex:           true,
		hex:                                         true,
		"OPENAI_API_KEY":                            false,
		"gpt-4o-mini-2024-07-18":                    false,
		"meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8":        false,
		"hf.co/bartowski/DeepSeek-R1-Distill-Qwen-32B-GGUF:Q4_K_M": false,
		"registry.example/python@sha256:" + hex:                    false,
		"http://localhost:11434/v1":                                false,
		"https://generativelanguage.googleapis.com/v1beta/openai":  false,
	} {
		if got := looksLikeKey(map[string]any{"a": []any{value}}); got != want {
			t.Errorf("%q looks like a key: %v", value, got)
		}
	}
}

// TestAskedModels shows which models tasks ask, and the window that all of them have.
func TestAskedModels(t *testing.T) {
	m := Model{Name: "large", ContextTokens: 100_000, Fallback: "spare", Roles: map[string]Model{
		"tars": {Temperature: new(float64)}, "case": {Name: "small", ContextTokens: 30_000}, "tester": {Name: "small"},
		"reflector": {Provider: "ollama", Name: "large", ContextTokens: 8_000},
	}}
	var got []string
	for _, a := range m.Asked() {
		got = append(got, a.Provider+"/"+a.Name+":"+strings.Join(a.For, ","))
	}
	if want := []string{"/large:,tars", "/spare:fallback", "/small:case,tester", "ollama/large:reflector", "ollama/spare:fallback"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := m.Window(); got != 8_000 {
		t.Errorf("the window of all is %d", got)
	}
}

// FuzzDecode shows that comments become blanks, that nothing moves, and that
// JSON without them stays as it is.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"a": 1, /* x */ "b": "//", // y` + "\n}", `{"a": [1, 2,], }`, `"\\" /`, `/*`, "{} /* x\n", `{"a": "/*"}`, `{"sk-abcdefghijkl": {}, "a\u001b": 1}`, "//\n{}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := string(syntax.PlainJSON([]byte(text)))
		if len(plain) != len(text) || strings.Count(plain, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q became %q", text, plain)
		}
		if json.Valid([]byte(text)) && plain != text {
			t.Fatalf("%q is plain JSON and became %q", text, plain)
		}
		Merge(Decode(User, "", []byte(text)))
	})
}

// put writes a file.
func put(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}
