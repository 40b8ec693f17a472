//go:build linux && (amd64 || arm64)

package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// machine is what the native engine needs.
type machine struct{}

// need returns the native engine of a machine where its commands find these
// programs and, as "import:pytest", modules of Python: they see what is installed
// on the machine, and nothing else.
func (machine) need(t testing.TB, names ...string) *NativeEngine {
	t.Helper()
	required := strings.Split(os.Getenv("CASELSP_REQUIRE"), ",")
	n, err := Native(t.Context(), NativeOptions{})
	if err != nil && slices.Contains(required, "native") {
		t.Fatalf("native is required here: %v", err)
	} else if err != nil {
		t.Skipf("needs native: %v", err)
	}
	t.Cleanup(func() { n.Close() })
	for _, name := range lackingTools(t, n, names) {
		name = strings.TrimPrefix(name, importPrefix)
		advice := "apt-get install " + orDefault(debianPackages[name], name)
		if slices.Contains(required, name) {
			t.Fatalf("%s is required here and the native sandbox's commands do not find it: %s", name, advice)
		}
		t.Skipf("needs %s where the native sandbox's commands find it: %s", name, advice)
	}
	return n
}

// importPrefix marks the name of a Python module.
const importPrefix = "import:"

// debianPackages holds the Debian packages whose names differ from what they have.
var debianPackages = map[string]string{
	"python": "python-is-python3", "pytest": "python3-pytest", "hypothesis": "python3-hypothesis", "django": "python3-django", "pip": "python3-pip", "node": "nodejs",
	"coverage": "python3-coverage, and link /usr/local/bin/coverage to python3-coverage",
}

// lackingTools returns which of these the engine's commands do not find.
func lackingTools(t testing.TB, n *NativeEngine, names []string) []string {
	t.Helper()
	if names == nil {
		return nil
	}
	var line strings.Builder
	for _, name := range names {
		test := "command -v " + name
		if module, ok := strings.CutPrefix(name, importPrefix); ok {
			test = "python3 -c 'import " + module + "'"
		}
		fmt.Fprintf(&line, "%s >/dev/null 2>&1 || echo %s\n", test, name)
	}
	res, err := n.Run(t.Context(), Command{Line: line.String()})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(res.Output)
}

// needs returns the check that conformance makes for each case.
func (m machine) needs(t *testing.T, names []string) { m.need(t, names...) }

// ownGroups returns the control groups of ours that belong to a process.
func ownGroups(t testing.TB, n *NativeEngine, pid int) (list []string) {
	t.Helper()
	for _, folder := range distinct(n.places.folders) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if o, ours := groupOwner(e.Name()); ours && o.pid == pid {
				list = append(list, filepath.Join(folder, e.Name()))
			}
		}
	}
	return list
}

func TestNative(t *testing.T) {
	n := machine{}.need(t, "python3")
	t.Run("machine", func(t *testing.T) { conformance(t, n, machine{}.needs, "native") })
	t.Run("again", func(t *testing.T) { conformance(t, n, machine{}.needs, "native") }) // in a sandbox that served others before, where one waits
	if left := ownGroups(t, n, os.Getpid()); left != nil {
		t.Errorf("%q is left", left)
	}
}

func TestNativeBridge(t *testing.T) { checkBridge(t, machine{}.need(t, "python3")) }

// TestNativeLayers installs a project's dependencies and uses them. Go's are left
// to the other engine: its compiler is slow, and the way is the same.
func TestNativeLayers(t *testing.T) {
	n := machine{}.need(t, "python3")
	n.layers.folder = t.TempDir()
	from, far := index(t)
	made := 0
	for _, p := range projects[:2] {
		t.Run(string(p.profile), func(t *testing.T) {
			machine{}.need(t, p.tools...)
			made++
			checkLayer(t, n, p.tree, p.line, p.output, DependenciesOf(p.tree, p.profile, from), far)
		})
	}
	entries, err := os.ReadDir(n.layers.folder)
	if err != nil || len(entries) != made {
		t.Errorf("kept %q, %v", entries, err)
	}
}

// TestNativeUnpack shows what of a layer reaches the disk, and where.
func TestNativeUnpack(t *testing.T) {
	outside := t.TempDir()
	pack := func(headers ...*tar.Header) *bytes.Buffer {
		var buf bytes.Buffer
		w := tar.NewWriter(&buf)
		for _, h := range headers {
			h.Size = int64(len(h.PAXRecords["comment"]))
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(h.PAXRecords["comment"])); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return &buf
	}
	link := &tar.Header{Typeflag: tar.TypeSymlink, Name: "deps/out", Linkname: outside, Mode: 0o777}
	for _, tt := range []struct {
		name    string
		headers []*tar.Header
		want    string // of the error; empty: it is kept
	}{
		{"plain", []*tar.Header{{Typeflag: tar.TypeDir, Name: "deps/a/", Mode: 0o700}, {Typeflag: tar.TypeReg, Name: "deps/a/tool", Mode: 0o4755}, link, {Typeflag: tar.TypeFifo, Name: "deps/pipe"}}, ""},
		{"through a link", []*tar.Header{link, {Typeflag: tar.TypeReg, Name: "deps/out/x", Mode: 0o644}}, "escapes"},
		{"upwards", []*tar.Header{{Typeflag: tar.TypeReg, Name: "deps/../../x", Mode: 0o644}}, "escapes"},
		{"a link to a file outside", []*tar.Header{link, {Typeflag: tar.TypeLink, Name: "deps/hard", Linkname: "deps/out/secret"}}, "escapes"},
		{"too much", []*tar.Header{{Typeflag: tar.TypeReg, Name: "deps/big", Mode: 0o644, PAXRecords: map[string]string{"comment": strings.Repeat("x", 200)}}}, "more bytes"},
	} {
		l := layers{folder: filepath.Join(t.TempDir(), "layers")}
		key := strings.Repeat("0", 24)
		err := l.keep(key, pack(tt.headers...), 100)
		folder, found := l.find(key)
		if tt.want != "" {
			if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.Is(found, ErrNoLayer) {
				t.Errorf("%s: %v, found %v", tt.name, err, found)
			}
		} else if s, statErr := os.Lstat(filepath.Join(folder, "a/tool")); err != nil || found != nil || statErr != nil || s.Mode() != 0o755 {
			t.Errorf("%s: %v, %v, %v", tt.name, err, found, statErr)
		}
		if entries, _ := os.ReadDir(l.folder); len(entries) > 1 || tt.want != "" && len(entries) > 0 {
			t.Errorf("%s: left %q", tt.name, entries)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("%q was written outside", entries)
	}
}

// TestNativeEnv keeps the environment equal to that of commands in the bundled image.
func TestNativeEnv(t *testing.T) {
	env := nativeEnv(nil, Command{})
	_, block, _ := strings.Cut(strings.ReplaceAll(string(recipe), "\\\n", " "), "\nENV ")
	block, _, _ = strings.Cut(block, "\n")
	entries := regexp.MustCompile(`(\w+)=("[^"]*"|\S+)`).FindAllStringSubmatch(block, -1)
	for _, m := range entries {
		e := m[1] + "=" + strings.Trim(m[2], `"`)
		for _, other := range bytecode {
			if strings.HasPrefix(other, m[1]+"=") {
				e = other
			}
		}
		if !slices.Contains(env, e) {
			t.Errorf("%s is missing from %q", e, env)
		}
	}
	if len(entries) < 3 {
		t.Errorf("the recipe sets %q", entries)
	}
	tools := nativeEnv([]string{"/opt/x"}, Command{Layer: "x", Env: []string{"A=b"}})
	if tools[len(tools)-1] != "A=b" || !slices.ContainsFunc(tools, func(e string) bool { return strings.HasPrefix(e, "PATH="+layerPath+":/opt/x/bin:") }) {
		t.Errorf("got %q", tools)
	}
}

// checkDoors shows that nobody behind a socket or a pipe in a folder with tools is
// reached.
func checkDoors(t *testing.T, n *NativeEngine, folder string) {
	t.Helper()
	socket, pipe := filepath.Join(folder, "socket"), filepath.Join(folder, "pipe")
	l, err := net.Listen("unix", socket)
	if err == nil {
		err = errors.Join(os.Chmod(socket, 0o777), syscall.Mkfifo(pipe, 0o666), os.Chmod(pipe, 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	h := &host{}
	h.answer(t, l)
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	res, err := n.Run(t.Context(), Command{Tree: []File{{Path: "attempt.py", Mode: 0o644, Data: attempts}}, Line: `exec python3 - <<'END'
import os, socket
from attempt import attempt
attempt("connect", socket.socket(socket.AF_UNIX).connect, "` + socket + `")
attempt("write", os.open, "` + pipe + `", os.O_WRONLY | os.O_NONBLOCK)
END`})
	if err != nil || res.Output != "connect refused\nwrite refused\n" || h.calls.Load() > 0 {
		t.Errorf("got %+v, %v; called %d times", res, err, h.calls.Load())
	}
}

// TestNativeFolders shows a folder with tools that lies where nobody but its
// owner gets.
func TestNativeFolders(t *testing.T) {
	machine{}.need(t, "python3")
	base, err := os.MkdirTemp("/var/tmp", "caselsp")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	bin := filepath.Join(base, "tools", "bin")
	if err := errors.Join(os.MkdirAll(bin, 0o755), os.WriteFile(filepath.Join(bin, "tool"), []byte("#!/bin/sh\necho ran\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	n, err := Native(t.Context(), NativeOptions{Folders: []string{filepath.Join(base, "tools")}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := n.Run(t.Context(), Command{Line: "tool; touch " + bin + "/x"})
	if err != nil || res.OK() || !strings.HasPrefix(res.Output, "ran\n") || !strings.Contains(res.Output, "Read-only file system") {
		t.Errorf("got %+v, %v", res, err)
	}
	checkDoors(t, n, bin)
	for _, folder := range []string{"/", "/tmp", "/etc/ssl", "tools", "/var/../var", base + "/none", bin + "/tool"} {
		if _, err := Native(t.Context(), NativeOptions{Folders: []string{folder}}); err == nil || !strings.Contains(err.Error(), "the folder "+folder) {
			t.Errorf("%s: %v", folder, err)
		}
	}
}

// TestNativeFirst is about what only this engine has inside of a sandbox: a
// process of ours, of the command's own user, that the command must not end or
// look into, and files that it may have left open.
func TestNativeFirst(t *testing.T) {
	n := machine{}.need(t)
	res, err := n.Run(t.Context(), Command{Line: `
for s in HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE TERM CHLD CONT STOP TSTP URG XCPU PROF SYS 33 34 64; do
	kill -s $s 1 2>/dev/null
	for thread in 2 3 4 5 6 7 8 9; do [ $thread = $$ ] || kill -s $s $thread 2>/dev/null; done
done
ls /proc/1 /proc/1/fd /proc/1/root 2>/dev/null
ls /proc/self/fd
ls -A / /etc/passwd /etc/shadow /etc/ssl /home /root /var /run /usr/bin/env 2>/dev/null
cat /proc/self/uid_map
`})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("0 1 2 3 /etc/passwd /usr/bin/env /: bin dev etc lib lib32 lib64 libx32 proc sbin sys tmp usr workspace /etc/ssl: cert.pem certs openssl.cnf")
	got := strings.Fields(res.Output)
	outside := os.Geteuid()
	if outside == 0 {
		outside = outsideUser
	}
	if end := []string{"1000", strconv.Itoa(outside), "1"}; !res.OK() || len(got) < 3 || !slices.Equal(got[len(got)-3:], end) {
		t.Fatalf("got %s %d %q, want it to end in %q", res.Status, res.ExitCode, got, end)
	}
	for _, word := range got[:len(got)-3] {
		if !slices.Contains(want, word) {
			t.Errorf("the command sees %s: %q", word, got)
		}
	}
}

// TestNativeLimits shows the limits that no command of the conformance tests
// runs into: that of processors, and that of swap.
func TestNativeLimits(t *testing.T) {
	n := machine{}.need(t, "python3")
	p := Policy{CPUs: 0.5, Memory: 64 << 20, PIDs: 20}.OrDefault()
	g, err := n.places.makeGroup(p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.remove(); err != nil {
			t.Error(err)
		}
	}()
	for _, tt := range []struct{ controller, file, want string }{
		{cpuController, "cpu.cfs_quota_us", "50000"}, {cpuController, "cpu.max", "50000 100000"},
		{memoryController, "memory.limit_in_bytes", "67108864"}, {memoryController, "memory.max", "67108864"},
		{memoryController, "memory.memsw.limit_in_bytes", "67108864"}, {memoryController, "memory.swap.max", "0"},
		{pidsController, "pids.max", "20"},
	} {
		text, err := os.ReadFile(filepath.Join(g.folders[tt.controller], tt.file))
		if got := strings.TrimSpace(string(text)); err == nil && got != tt.want {
			t.Errorf("%s is %s, want %s", tt.file, got, tt.want)
		}
	}
	res, err := n.Run(t.Context(), Command{Policy: p, Line: "python3 -c '\nimport time\nwhile time.process_time() < 0.5: pass'"})
	if err != nil || !res.OK() || res.Took < 800*time.Millisecond {
		t.Errorf("half a second of half a processor took %v, %v", res, err)
	}
}

func TestNativeCancel(t *testing.T) {
	n := machine{}.need(t)
	ctx, cancel := context.WithCancel(t.Context())
	output := make(signal, 1)
	go func() { <-output; cancel() }()
	res, err := n.Run(ctx, Command{Line: begun, Output: output})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", res, err)
	}
	if left := ownGroups(t, n, os.Getpid()); left != nil {
		t.Errorf("%q is left", left)
	}
	if _, err := n.Run(ctx, Command{Line: "true"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a run after the end: %v", err)
	}
}

// role is a command that runs this binary as something else than a test.
func role(name string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), ownerVariable+"="+name)
	return cmd
}

func init() {
	roles["nobody"] = func() error {
		becomeNobody()
		_, err := Native(context.Background(), NativeOptions{})
		return err
	}
	roles["walled"] = func() error {
		if err := os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0o644); err != nil {
			return err
		}
		_, err := Native(context.Background(), NativeOptions{})
		return err
	}
	roles["delegated"] = func() error {
		if err := delegate(); err != nil {
			return err
		}
		becomeNobody()
		os.Unsetenv(ownerVariable)
		return syscall.Exec("/proc/self/exe", append([]string{"/proc/self/exe"}, os.Args[1:]...), os.Environ())
	}
}

const nobody = 65534

func becomeNobody() {
	err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(nobody, nobody, nobody), syscall.Setresuid(nobody, nobody, nobody))
	if err != nil {
		panic(err)
	}
}

// delegate enters control groups that belong to nobody, as systemd makes them
// for a user.
func delegate() error {
	places, lacks := findCgroups()
	if lacks != nil {
		return lacking(lacks)
	}
	for _, folder := range distinct(places.folders) {
		folder = filepath.Join(folder, delegatedName(os.Getpid()))
		err := errors.Join(os.Mkdir(folder, 0o755), os.Chown(folder, nobody, nobody), os.Chown(filepath.Join(folder, "cgroup.procs"), nobody, nobody),
			os.WriteFile(filepath.Join(folder, "cgroup.procs"), []byte("0"), 0o644))
		if places.unified {
			err = errors.Join(err, os.Chown(filepath.Join(folder, "cgroup.subtree_control"), nobody, nobody))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func delegatedName(pid int) string { return "caselsp-test-" + strconv.Itoa(pid) }

// TestNativeUser runs everything again as a user without any rights, to whom a
// control group was delegated. Where the tests themselves run as such a user,
// TestNative has shown it.
func TestNativeUser(t *testing.T) {
	n := machine{}.need(t)
	if os.Geteuid() != 0 {
		return
	}
	cmd := role("delegated", "-test.run=^TestNative(First|Bridge|Cancel|Limits)?$")
	cmd.Env = append(cmd.Env, "CASELSP_REQUIRE=native")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("PASS")) {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	for _, folder := range distinct(n.places.folders) {
		folder = filepath.Join(folder, delegatedName(cmd.Process.Pid))
		// With cgroups of version 2 the engine's process stepped aside into one below.
		if err := errors.Join(removeGroup(filepath.Join(folder, asideName)), removeGroup(folder)); err != nil {
			t.Error(err)
		}
	}
}
