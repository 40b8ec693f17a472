package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestRecorded(t *testing.T) {
	tree := []File{{Path: "a.py", Mode: 0o644, Data: []byte("a = 1\n")}, {Path: "run.sh", Mode: 0o755, Data: []byte("#!/bin/sh\n")}}
	failed := Result{Status: Exited, ExitCode: 1, Output: "1 failed\n", Took: 5, Skipped: []string{"l: a symbolic link"},
		Changes: []Change{{Path: "new.bin", Mode: 0o644, Data: []byte{0, 255}}, {Path: "old", Deleted: true}}}
	passed := Result{Status: Exited, Output: "1 passed\n"}
	// A recording goes through a file.
	var runs []Recording
	text, err := json.Marshal([]Recording{
		Record(Command{Line: "pytest", Tree: tree}, &failed, true),
		Record(Command{Line: "pytest -q", Tree: tree[:1]}, &passed, false),
	})
	if err == nil {
		err = json.Unmarshal(text, &runs)
	}
	if err != nil {
		t.Fatal(err)
	}
	changed := []File{{Path: "run.sh", Mode: 0o644, Data: tree[1].Data}, {Path: "new", Mode: 0o644}, {Path: "a.py", Mode: 0o664, Data: []byte("a = 2\n")}}
	for _, tt := range []struct {
		name string
		runs []Command
		want string // of the last run's error; empty for the recorded result
	}{
		{"as recorded", []Command{{Line: "pytest", Tree: tree}}, ""},
		{"in another order, with another umask", []Command{{Line: "pytest", Tree: []File{
			{Path: "run.sh", Mode: 0o700, Data: tree[1].Data}, {Path: "a.py", Mode: 0o600, Data: tree[0].Data}}}}, ""},
		{"both", []Command{{Line: "pytest", Tree: tree}, {Line: "pytest -q", Tree: tree[:1]}}, ""},
		{"another command", []Command{{Line: "make", Tree: tree}},
			`the replay parts from the recording at command 1 of 2: "make" was run, recorded was "pytest"`},
		{"other files", []Command{{Line: "pytest", Tree: changed}},
			`the replay parts from the recording at command 1 of 2: "pytest" was run on other files: a.py: has other content; new: is new; run.sh: is executable in only one of them`},
		{"a file less", []Command{{Line: "pytest", Tree: tree[1:]}},
			`the replay parts from the recording at command 1 of 2: "pytest" was run on other files: a.py: is missing`},
		{"no manifest", []Command{{Line: "pytest", Tree: tree}, {Line: "pytest -q", Tree: tree}},
			`the replay parts from the recording at command 2 of 2: "pytest -q" was run on other files than the recorded ones`},
		{"one too many", []Command{{Line: "pytest", Tree: tree}, {Line: "pytest -q", Tree: tree[:1]}, {Line: "ls"}},
			`the replay parts from the recording at command 3 of 2: "ls" was run, but the recording had ended`},
	} {
		e := Recorded(runs)
		for i, cmd := range tt.runs {
			var live bytes.Buffer
			cmd.Output = &live
			res, err := e.Run(t.Context(), cmd)
			if i == len(tt.runs)-1 && tt.want != "" {
				var d *Diverged
				if !errors.As(err, &d) || d.Error() != tt.want {
					t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
				}
				continue
			}
			want := []Result{failed, passed}[i]
			if err != nil || !reflect.DeepEqual(*res, want) || live.String() != want.Output {
				t.Errorf("%s: got %+v, %q, %v; want %+v", tt.name, res, &live, err, want)
			}
		}
	}
}

// TestDigest shows that what differs has another digest, also where the bytes
// in a row are the same.
func TestDigest(t *testing.T) {
	seen := make(map[string]int)
	for i, tree := range [][]File{
		nil,
		{{Path: "a"}},
		{{Path: "a", Mode: 0o100}},
		{{Path: "a", Data: []byte("b")}},
		{{Path: "ab"}},
		{{Path: "a"}, {Path: "b"}},
		{{Path: "a\nb"}},
	} {
		d := Digest(tree)
		if j, ok := seen[d]; ok {
			t.Errorf("trees %d and %d have one digest", i, j)
		}
		seen[d] = i
	}
}

// TestChecked is about commands that no engine starts.
func TestChecked(t *testing.T) {
	for _, tt := range []struct {
		cmd  Command
		want string
	}{
		{Command{Line: " \n"}, "the command line is empty"},
		{Command{Line: "a\x00b"}, "NUL"},
		{Command{Line: "x", Env: []string{"NAME"}}, `"NAME" is not of the form NAME=value`},
		{Command{Line: "x", Env: []string{"=value"}}, "NAME=value"},
		{Command{Line: "x", Policy: Policy{Memory: -1}}, "cannot be negative"},
		{Command{Line: "x", Policy: Policy{Hosts: []string{"https://pkgs.example"}}}, `"https://pkgs.example" is no host`},
		{Command{Line: "x", Layer: "../../etc"}, "is not the key of a layer"},
		{Command{Line: "x", Profile: "cobol"}, `there is no profile "cobol", they are ["python" "go" "node"]`},
		{Command{Line: "x", Tree: []File{{Path: "../x"}}}, "does not lie inside the tree"},
		{Command{Line: "x", Tree: []File{{Path: "/etc/passwd"}}}, "does not lie inside the tree"},
		{Command{Line: "x", Tree: []File{{Path: "a//b"}}}, "does not lie inside the tree"},
		{Command{Line: "x", Tree: []File{{Path: "x\x00"}}}, "does not lie inside the tree"},
		{Command{Line: "x", Tree: []File{{Path: "l", Mode: 1 << 27}}}, "not a regular file"},
		{Command{Line: "x", Tree: []File{{Path: "a"}, {Path: "b"}, {Path: "a"}}}, "in the tree twice"},
		{Command{Line: "x", Tree: []File{{Path: "a/b"}, {Path: "a-b"}, {Path: "a"}}}, "also a folder"},
		{Command{Line: "x", Tree: []File{{Path: "a", Data: make([]byte, treeLimit)}, {Path: "b", Data: make([]byte, 1)}}}, "the limit is 1024"},
	} {
		for name, e := range map[string]Engine{"recorded": Recorded(nil), "docker": &DockerEngine{}} {
			res, err := e.Run(t.Context(), tt.cmd)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %+v, %v; want %q", name, res, err, tt.want)
			}
		}
	}
	for _, p := range []Policy{{}, {Memory: 1}} {
		want := DefaultPolicy
		want.Memory = orDefault(p.Memory, want.Memory)
		if got := p.OrDefault(); !reflect.DeepEqual(got, want) {
			t.Errorf("policy %+v: got %+v", p, got)
		}
	}
}

// TestOutput compares what is kept with what keeping everything would give, for
// all small limits and lengths and writes of each size.
func TestOutput(t *testing.T) {
	const all = "0123456789abcdefghijklmnopqrstuvwxyz"
	for limit := 1; limit < 12; limit++ {
		for length := range len(all) + 1 {
			for step := 1; step < 15; step++ {
				var live strings.Builder
				o := &output{limit: int64(limit), live: &live}
				for rest := all[:length]; rest != ""; rest = rest[min(step, len(rest)):] {
					_, _ = o.Write([]byte(rest[:min(step, len(rest))]))
				}
				got, cut := o.text()
				want := all[:length]
				if length > limit {
					tail := limit - limit/2
					said, _, _ := strings.Cut(got[limit/2+1:], "\n")
					want = all[:limit/2] + "\n" + said + "\n" + all[length-tail:length]
				}
				if got != want || cut != int64(max(0, length-limit)) || live.String() != all[:length] {
					t.Fatalf("limit %d, %d bytes by %d: got %q, %d; want %q", limit, length, step, got, cut, want)
				}
			}
		}
	}
}

func TestCheckHosts(t *testing.T) {
	for _, tt := range []struct {
		hosts []string
		want  string // sorted, with spaces; or a part of the error
	}{
		{nil, ""},
		{[]string{"Pkgs.Example", "*.example.org:8443", "pkgs.example", "Host.docker.internal:8000", "10.0.0.1", "my_index:1"}, "*.example.org:8443 10.0.0.1 host.docker.internal:8000 my_index:1 pkgs.example"},
		{[]string{""}, "is no host"},
		{[]string{"https://pkgs.example"}, "is no host"},
		{[]string{"pkgs.example/simple"}, "is no host"},
		{[]string{"pkgs.example."}, "is no host"},
		{[]string{"a..b"}, "is no host"},
		{[]string{"-a.b"}, "is no host"},
		{[]string{"user@pkgs.example"}, "is no host"},
		{[]string{"pkgs.example:"}, "is no host"},
		{[]string{"pkgs.example:0"}, "is no host"},
		{[]string{"pkgs.example:65536"}, "is no host"},
		{[]string{"[::1]:80"}, "is no host"},
		{[]string{"a\nb"}, "is no host"},
		{[]string{"pkgs.example\n"}, "is no host"},
		{[]string{strings.Repeat("a.", 127) + "org"}, "is no host"},
		{[]string{"*"}, "is no host"},
		{[]string{"a.*.org"}, "is no host"},
		{[]string{"*.org"}, "names too many hosts"},
		{[]string{"*.10.0.0.1"}, "names too many hosts"},
		{[]string{"localhost:8000"}, "write host.docker.internal for that of this machine"},
		{[]string{"127.0.0.1"}, "the sandbox's own loopback"},
		{[]string{"a.localhost"}, "the sandbox's own loopback"},
		{[]string{"0.0.0.0:80"}, "the sandbox's own loopback"},
		{make([]string, hostsLimit+1), "101 hosts are named, the limit is 100"},
	} {
		got, err := CheckHosts(tt.hosts)
		if text := strings.Join(got, " "); err == nil && text != tt.want || err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: got %q, %v; want %q", tt.hosts, text, err, tt.want)
		}
	}
}
