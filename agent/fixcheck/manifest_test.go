package fixcheck

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// whole is a manifest with all fields.
const whole = `name: missing-module
type: executable
description: Judges fixes of missing modules.
command: python3
args: [check.py, --strict]
input_format: json
output_format: json
tags: [python, imports]
metadata:
  validates_error_type: [ModuleNotFoundError, ImportError]
  confidence_threshold: 0.8
  category: imports
  priority: 70
  auto_apply: false
`

func TestManifest(t *testing.T) {
	m, err := ParseManifest("m.yaml", []byte(whole))
	if got, want := fmt.Sprintf("%+v %v", m, err), "{Name:missing-module Description:Judges fixes of missing modules. Command:python3 Args:[check.py --strict] Tags:[python imports] "+
		"ErrorTypes:[ModuleNotFoundError ImportError] Threshold:0.8 Category:imports Priority:70 AutoApply:false} <nil>"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	m, err = ParseManifest("m.yaml", []byte("name: a\ntype: executable\ndescription: d\ncommand: ./run.sh\nmetadata: {validates_error_type: KeyError}\n"))
	if got, want := fmt.Sprintf("%+v %v", m, err), "{Name:a Description:d Command:./run.sh Args:[] Tags:[] ErrorTypes:[KeyError] Threshold:0.7 Category: Priority:50 AutoApply:true} <nil>"; got != want {
		t.Errorf("defaults:\n got %s\nwant %s", got, want)
	}
}

func TestManifestErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{whole, "", "m.yaml: it is empty: write at least the fields name, type, description, command, metadata.validates_error_type"},
		{whole, "- a\n", `m.yaml: it is not a list of fields: write "name: my-validator" and so on, a field a line`},
		{whole, "a: [", "m.yaml: it is not YAML: line 1: did not find expected node content"},
		{whole, whole + "---\n" + whole, "m.yaml: it has more than one document: write each manifest into a file of its own"},
		{whole, strings.Repeat("#", MaxManifest+1), "m.yaml: it has 16385 bytes, the limit of a manifest is 16384"},
		{"name: missing-module", "name: Missing Module", "m.yaml:1: the field name is \"Missing Module\": write lower-case letters, digits, `-` and `_`, up to 64, a letter first"},
		{"name: missing-module", "name: ../x", "m.yaml:1: the field name is \"../x\": write lower-case letters, digits, `-` and `_`, up to 64, a letter first"},
		{"name: missing-module\n", "", "m.yaml: the field name is missing: write lower-case letters, digits, `-` and `_`, up to 64, a letter first"},
		{"type: executable", "type: wasm", "m.yaml:2: the field type is \"wasm\": write `executable`"},
		{"command: python3", "command: python3 check.py", "m.yaml:4: the field command is \"python3 check.py\": write the name of a program, such as `python3`, or `./` and a file of the folder"},
		{"command: python3", "command: /usr/bin/python3", "m.yaml:4: the field command is \"/usr/bin/python3\": write the name of a program, such as `python3`, or `./` and a file of the folder"},
		{"command: python3", "command: ./../x", "m.yaml:4: the field command is \"./../x\": write the name of a program, such as `python3`, or `./` and a file of the folder"},
		{"command: python3", "comand: python3", "m.yaml:4: there is no field \"comand\"; did you mean command?\nm.yaml: the field command is missing: write the name of a program, such as `python3`, or `./` and a file of the folder"},
		{"  priority: 70", "  prioritty: 70", `m.yaml:13: there is no field "metadata.prioritty"; did you mean metadata.priority?`},
		{"metadata:", "confidence_threshold: 1\nmetadata:", `m.yaml:9: there is no field "confidence_threshold"; did you mean metadata.confidence_threshold?`},
		{"args: [check.py, --strict]", "args: check.py", "m.yaml:5: the field args is \"check.py\": write a list of texts"},
		{"args: [check.py, --strict]", "args: [[x]]", "m.yaml:5: the field args is a list that holds something else: write a list of texts"},
		{"args: [check.py, --strict]", "args: &x [check.py]\nmore: *x", "m.yaml:6: there is no field \"more\"; the fields are name, type, description, command, args, input_format, output_format, tags, metadata.validates_error_type, metadata.confidence_threshold, metadata.category, metadata.priority, metadata.auto_apply"},
		{"description: Judges fixes of missing modules.\ncommand: python3", "description: &x python3\ncommand: *x", "m.yaml:4: the field command is an alias: write its value out"},
		{"input_format: json", "input_format: text", "m.yaml:6: the field input_format is \"text\": write `json`"},
		{"0.8", "1.5", `m.yaml:11: the field metadata.confidence_threshold is "1.5": write a number from 0 to 1`},
		{"0.8", ".nan", `m.yaml:11: the field metadata.confidence_threshold is ".nan": write a number from 0 to 1`},
		{"0.8", `"0.8"`, `m.yaml:11: the field metadata.confidence_threshold is "0.8": write a number from 0 to 1`},
		{"priority: 70", "priority: 7.5", `m.yaml:13: the field metadata.priority is "7.5": write a whole number from 0 to 100`},
		{"auto_apply: false", "auto_apply: maybe", "m.yaml:14: the field metadata.auto_apply is \"maybe\": write `true` or `false`"},
		{"[ModuleNotFoundError, ImportError]", "[]", "m.yaml:10: the field metadata.validates_error_type is a list that holds something else: write an error type, or a list of them"},
		{"tags: [python, imports]", "name: again", "m.yaml:8: the field name is there twice: leave one away"},
		{"tags: [python, imports]", "tags: [" + strings.Repeat("x, ", maxItems+1) + "]", "m.yaml:8: the field tags: it has 33 items, the limit is 32"},
		{"Judges fixes of missing modules.", strings.Repeat("x", maxText+1), "m.yaml:3: the field description: it has 2001 bytes, the limit is 2000"},
	} {
		_, err := ParseManifest("m.yaml", []byte(strings.Replace(whole, c.old, c.new, 1)))
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.new, got, c.want)
		}
	}
}

// manifest is a whole one of a name.
func manifest(name string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(strings.Replace(whole, "missing-module", name, 1))}
}

func TestLoad(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("x")}
	many := fstest.MapFS{"v/m.yaml": manifest("a")}
	for i := range maxFiles + 1 {
		many[fmt.Sprintf("v/%03d.py", i)] = file
	}
	for _, c := range []struct {
		name string
		fsys fstest.MapFS
		want string
	}{
		{"none", fstest.MapFS{}, ""},
		{"a folder with two and shared files", fstest.MapFS{"py/a.yaml": manifest("a"), "py/b.yml": manifest("b"), "py/check.py": file, "py/lib/x.py": file, "py/good.json": file, "py/bad-2.json": file, "py/.git/x": file, "py/__pycache__/x.pyc": file},
			"a py/a.yaml: check.py lib/x.py\nb py/b.yml: check.py lib/x.py\n"},
		{"folders in folders", fstest.MapFS{"x/y/a.yaml": manifest("a"), "x/y/a.py": file, "x/z/b.yaml": manifest("b"), "x/z/b.py": file, "x/README.md": file}, "a x/y/a.yaml: a.py\nb x/z/b.yaml: b.py\n"},
		{"one in the folder itself", fstest.MapFS{"a.yaml": manifest("a"), "a.py": file, "b/b.yaml": manifest("b")}, "a a.yaml: a.py\nb b/b.yaml:\n"},
		{"a broken one hides no other", fstest.MapFS{"a/a.yaml": file, "b/b.yaml": manifest("b")}, "b b/b.yaml:\na/a.yaml: it is not a list of fields: write \"name: my-validator\" and so on, a field a line\n"},
		{"a name twice", fstest.MapFS{"a/a.yaml": manifest("a"), "b/b.yaml": manifest("a")}, "a a/a.yaml:\nb/b.yaml: its name a is that of a/a.yaml too: give it another\n"},
		{"its command is not there", fstest.MapFS{"a.yaml": {Data: []byte(strings.Replace(whole, "python3", "./run.sh", 1))}}, "a.yaml: the field command names run.sh, which is not in its folder\n"},
		{"links", fstest.MapFS{"a/a.yaml": manifest("a"), "a/x": {Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink}, "c/l": {Data: []byte("a"), Mode: fs.ModeSymlink}, "b/b.yaml": {Data: []byte("../a/a.yaml"), Mode: fs.ModeSymlink}},
			"a/x: it is a symbolic link, which may lead anywhere: copy what it leads to: the validators of a are left out\n" +
				"b/b.yaml: it is a symbolic link, which may lead anywhere: copy what it leads to\nc/l: it is a symbolic link, which may lead anywhere: copy what it leads to\n"},
		{"a pipe", fstest.MapFS{"a/a.yaml": manifest("a"), "a/x": {Mode: fs.ModeNamedPipe}}, "a/x: it is not a regular file: the validators of a are left out\n"},
		{"a large file", fstest.MapFS{"a/a.yaml": manifest("a"), "a/x": {Data: make([]byte, maxFile+1)}}, "a/x: it has more than 262144 bytes, the limit of such a file: the validators of a are left out\n"},
		{"many files", many, "v/064.py: a validator may have 64 files, here are more: the validators of v are left out\n"},
		{"much", fstest.MapFS{"a/a.yaml": manifest("a"), "a/1": {Data: make([]byte, maxFile)}, "a/2": {Data: make([]byte, maxFile)}, "a/3": {Data: make([]byte, maxFile)}, "a/4": {Data: make([]byte, maxFile)}, "a/5": file},
			"a/5: with it the files have more than the 1048576 bytes that a validator may have: the validators of a are left out\n"},
	} {
		list, problems := Load(c.fsys, User)
		var b strings.Builder
		for _, v := range list {
			fmt.Fprintf(&b, "%s %s:", v.Name, v.Where)
			for _, f := range v.Files {
				b.WriteString(" " + f.Path)
			}
			b.WriteString("\n")
			if v.Origin != User || len(v.ID) != 64 {
				t.Errorf("%s: %q of %q", c.name, v.ID, v.Origin)
			}
		}
		for _, p := range problems {
			b.WriteString(p.Error() + "\n")
		}
		if b.String() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, b.String(), c.want)
		}
	}
}

func TestIdentity(t *testing.T) {
	id := func(description, script string) string {
		list, problems := Load(fstest.MapFS{"a.yaml": {Data: []byte(strings.Replace(whole, "missing modules", description, 1))}, "check.py": {Data: []byte(script)}, "b.yaml": manifest("b")}, User)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return list[0].ID
	}
	first, again := id("x", "1"), id("x", "1")
	if first != again || first == id("x", "2") || first == id("y", "1") {
		t.Error("the ID is not that of the content")
	}
}

func TestShipped(t *testing.T) {
	list, problems := shipped()
	for _, p := range problems {
		t.Error(p)
	}
	if len(list) == 0 {
		t.Error("no validator is shipped")
	}
	for _, v := range list {
		if len(v.Files) == 0 {
			t.Errorf("%s has no files", v.Where)
		}
	}
}

func TestJoin(t *testing.T) {
	v := func(name string, o Origin) Validator {
		return Validator{Manifest: Manifest{Name: name}, Origin: o, Where: string(o) + "/" + name}
	}
	list, problems := Join([]Validator{v("a", Shipped), v("b", Shipped)}, []Validator{v("b", User)}, []Validator{v("a", Workspace), v("b", Workspace), v("c", Workspace)})
	var got []string
	for _, x := range list {
		got = append(got, x.Where)
	}
	if want := "shipped/a user/b workspace/c"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := fmt.Sprint(problems), "[workspace/a: its name a is that of a shipped validator: give it another workspace/b: its name b is that of a user validator: give it another]"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
