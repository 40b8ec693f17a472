package sandbox

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/image"
)

// zipped returns an archive of files: name, content, name, content.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for pair := range slices.Chunk(files, 2) {
		f, err := w.Create(pair[0])
		if err == nil {
			_, err = io.WriteString(f, pair[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// tarred returns a compressed archive of files.
func tarred(t *testing.T, files ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	for pair := range slices.Chunk(files, 2) {
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: pair[0], Mode: 0o644, Size: int64(len(pair[1]))})
		if err == nil {
			_, err = io.WriteString(w, pair[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// index serves a package of each kind, all of which know one number, and returns
// where the indexes are; the packages themselves are at another place, to which the
// indexes send. Nothing of it is anybody's but the test's.
func index(t *testing.T) (from Sources, far string) {
	t.Helper()
	wheel := zipped(t, "answer/__init__.py", "NUMBER = 42\ndef main(): print('answer is', NUMBER)\n",
		"answer-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: answer\nVersion: 1.0\n",
		"answer-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"answer-1.0.dist-info/entry_points.txt", "[console_scripts]\nanswer = answer:main\n",
		"answer-1.0.dist-info/RECORD", "answer/__init__.py,,\nanswer-1.0.dist-info/METADATA,,\nanswer-1.0.dist-info/WHEEL,,\nanswer-1.0.dist-info/entry_points.txt,,\nanswer-1.0.dist-info/RECORD,,\n")
	packed := tarred(t, "package/package.json", `{"name": "answer", "version": "1.0.0", "scripts": {"postinstall": "touch /deps/ran"}, "bin": {"answer": "cli.js"}}`,
		"package/index.js", "module.exports = 42;\n", "package/cli.js", "#!/usr/bin/env node\nconsole.log('answer is', require('./index.js'));\n")
	sum := sha512.Sum512(packed)
	const module = "example.com/answer@v1.0.0/"
	const goMod = "module example.com/answer\n"
	pages := map[string][]byte{
		"/wheels/answer-1.0-py3-none-any.whl":   wheel,
		"/tarballs/answer.tgz":                  packed,
		"/go/example.com/answer/@v/v1.0.0.info": []byte(`{"Version": "v1.0.0"}`),
		"/go/example.com/answer/@v/v1.0.0.mod":  []byte(goMod),
		"/go/example.com/answer/@v/v1.0.0.zip":  zipped(t, module+"go.mod", goMod, module+"answer.go", "package answer\n\nconst Number = 42\n"),
	}
	var near *httptest.Server
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		switch {
		case r.Host == HostMachine+strings.TrimPrefix(near.URL, "http://127.0.0.1") && (path.Ext(r.URL.Path) == ".zip"):
			http.Redirect(w, r, "http://"+far+r.URL.Path, http.StatusFound)
			return
		case r.URL.Path == "/node/answer":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"name": "answer", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"name": "answer", "version": "1.0.0", "bin": {"answer": "cli.js"}, "hasInstallScript": true,
				"dist": {"tarball": "http://%s/tarballs/answer.tgz", "integrity": "sha512-%s"}}}}`, far, base64.StdEncoding.EncodeToString(sum[:]))
			return
		case r.URL.Path == "/python/answer/":
			page, ok = fmt.Appendf(nil, `<a href="http://%s/wheels/answer-1.0-py3-none-any.whl">answer-1.0-py3-none-any.whl</a>`, far), true
		}
		switch {
		case !ok:
			http.NotFound(w, r)
			return
		}
		if path.Ext(r.URL.Path) == "" {
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = w.Write(page)
	}))
	s.Start()
	t.Cleanup(s.Close)
	near = httptest.NewServer(s.Config.Handler)
	t.Cleanup(near.Close)
	far = HostMachine + strings.TrimPrefix(s.URL, "http://127.0.0.1")
	return Sources{Python: near.URL + "/python", Node: near.URL + "/node", Go: near.URL + "/go", GoSums: "off"}, far
}

// project is one of each kind that needs the index's package.
var projects = []struct {
	profile Profile
	tree    []File
	line    string
	output  string
	tools   []string // that the native engine needs of the machine
}{
	{Python, []File{{Path: "requirements.txt", Mode: 0o644, Data: []byte("answer==1.0\n")}, {Path: "test_answer.py", Mode: 0o644, Data: []byte("import answer\ndef test(): assert answer.NUMBER == 42\n")}},
		"pytest -q 2>&1 | tail -n 1 | cut -d ' ' -f 1,2; answer", "1 passed\nanswer is 42\n", []string{"import:pip", "pytest"}},
	{Node, []File{{Path: "package.json", Mode: 0o644, Data: []byte(`{"type": "module", "scripts": {"answer": "answer"}, "dependencies": {"answer": "^1.0.0"}}`)}, {Path: "lib/main.js", Mode: 0o644, Data: []byte("import number from 'answer'; console.log(number);\n")},
		{Path: "lib/main.cjs", Mode: 0o644, Data: []byte("console.log(require('answer'));\n")}},
		// Tools keep caches in node_modules; none is left for the next run, or is a change of the project.
		"node lib/main.js && node lib/main.cjs && npm run --silent answer && ./node_modules/.bin/answer && ls node_modules/.cache /deps/ran; mkdir node_modules/.cache /node_modules/.vite-temp && echo 'import n from \"answer\"; console.log(n)' >/node_modules/.vite-temp/config.mjs && node node_modules/.vite-temp/config.mjs",
		"42\n42\nanswer is 42\nanswer is 42\nls: cannot access 'node_modules/.cache': No such file or directory\nls: cannot access '/deps/ran': No such file or directory\n42\n", []string{"node", "npm"}},
	{Go, []File{{Path: "go.mod", Mode: 0o644, Data: []byte("module shop\n\ngo 1.22\n\nrequire example.com/answer v1.0.0\n")},
		{Path: "go.sum", Mode: 0o644, Data: []byte("example.com/answer v1.0.0 h1:B1nc/B7MOYYEHi+ojQhRayUgBQbeprcf/KYhMILW82I=\nexample.com/answer v1.0.0/go.mod h1:QV43khtHRzNVh3F7u15i+VOifze9KTpE2sLh+7gYVDA=\n")},
		{Path: "shop_test.go", Mode: 0o644, Data: []byte("package shop\n\nimport (\n\t\"testing\"\n\n\t\"example.com/answer\"\n)\n\nfunc Test(t *testing.T) {\n\tif answer.Number != 42 {\n\t\tt.Fail()\n\t}\n}\n")}},
		"go test ./... | cut -f 1,2", "ok  \tshop\n", []string{"go"}},
}

// TestLayers installs a dependency of each kind from an index of the test's own,
// which is reached only because it is named, and uses it without a network.
func TestLayers(t *testing.T) {
	from, far := index(t)
	for _, p := range projects {
		t.Run(string(p.profile), func(t *testing.T) {
			d := need(t, p.profile)
			deps := DependenciesOf(p.tree, p.profile, from)
			forget := func() {
				_, _ = d.client.ImageRemove(context.Background(), layerTag(deps.Key), image.RemoveOptions{Force: true, PruneChildren: true})
			}
			forget()
			defer forget()
			checkLayer(t, d, p.tree, p.line, p.output, deps, far)
			if err := d.warm.cool(); err != nil {
				t.Error(err)
			}
			vanish(t, d, os.Getpid())
		})
	}
}

// refusedTime is how long an installer may try to reach a host that is not open.
const refusedTime = 20 * time.Second

// checkLayer installs the dependencies of a project on an engine and uses them.
func checkLayer(t *testing.T, e interface {
	Engine
	HasLayer(context.Context, string) (bool, error)
}, tree []File, line, output string, deps *Dependencies, far string) {
	t.Helper()
	cmd := Command{Line: line, Tree: tree, Profile: deps.Profile, Layer: deps.Key}
	if _, err := e.Run(t.Context(), cmd); !errors.Is(err, ErrNoLayer) {
		t.Errorf("before: %v", err)
	}
	checkAsk(t, e, tree, deps.Profile)
	res, err := e.Run(t.Context(), deps.Install())
	if err != nil || res.OK() || !slices.Equal(res.Wanted(), []string{far}) || res.Took > refusedTime {
		t.Fatalf("installing, sent elsewhere: %v, %+v", err, res)
	}
	deps.Open(deps.From, res.Wanted())
	res, err = e.Run(t.Context(), deps.Install())
	if err != nil || !res.OK() {
		t.Fatalf("installing: %v, %+v", err, res)
	}
	if c := res.Network; len(c) != 2 || c[0].Host != HostMachine || c[0].Refused+c[1].Refused != "" {
		t.Errorf("installing reached %+v", c)
	}
	if has, err := e.HasLayer(t.Context(), deps.Key); !has || err != nil {
		t.Errorf("afterwards: %v, %v", has, err)
	}
	for range 2 {
		res, err = e.Run(t.Context(), cmd)
		if err != nil || res.Output != output || len(res.Changes)+len(res.Skipped) > 0 {
			t.Errorf("using it: %v, %+v; want %q", err, res, output)
		}
	}
	res, err = e.Run(t.Context(), Command{Line: "touch /deps/x || rm -rf /deps/*", Profile: deps.Profile, Layer: deps.Key})
	if err != nil || res.OK() || !strings.Contains(res.Output, "Read-only file system") {
		t.Errorf("changing it: %v, %+v", err, res)
	}
}

// checkAsk shows that the package manager in the sandbox says where it takes packages
// from by itself.
func checkAsk(t *testing.T, e Engine, tree []File, p Profile) {
	t.Helper()
	deps := DependenciesOf(tree, p, Sources{})
	res, err := e.Run(t.Context(), *deps.Ask())
	if err != nil || !res.OK() {
		t.Fatalf("asking %s: %v, %+v", p, err, res)
	}
	deps.Open(deps.Learn(res.Output), nil)
	if known := deps.Ask() == nil; !known || len(deps.Hosts) == 0 {
		t.Errorf("%s takes packages from %+v, hosts %q", p, deps.From, deps.Hosts)
	}
}

// TestLayerFails shows that a failed installation keeps nothing, and neither
// does one that wants hosts that were not named.
func TestLayerFails(t *testing.T) {
	d := need(t)
	tree := []File{{Path: "requirements.txt", Mode: 0o644, Data: []byte("nothing-like-that==1.0\n")}}
	from, _ := index(t)
	deps := DependenciesOf(tree, Python, from)
	res, err := d.Run(t.Context(), deps.Install())
	if err != nil || res.OK() || !strings.Contains(res.Output, "No matching distribution found for nothing-like-that") {
		t.Errorf("got %v, %+v", err, res)
	}
	if has, err := d.HasLayer(t.Context(), deps.Key); has || err != nil {
		t.Errorf("afterwards: %v, %v", has, err)
	}
	vanish(t, d, os.Getpid())
}

func TestSurplus(t *testing.T) {
	var list []image.Summary
	for i, key := range []string{"b", "new", "d", "a", "c"} {
		list = append(list, image.Summary{RepoTags: []string{layerTag(key)}, Labels: map[string]string{layerLabel: key}, Created: []int64{2, 0, 4, 1, 3}[i]})
	}
	list = append(list, image.Summary{RepoTags: []string{"<none>:<none>"}, Labels: map[string]string{layerLabel: "new"}}, image.Summary{Labels: map[string]string{layerLabel: "e"}})
	for limit, want := range map[int]string{9: "newe", 5: "newe", 4: "newea", 2: "newecba", 1: "newedcba"} {
		got := ""
		for _, s := range surplus(slices.Clone(list), "new", limit) {
			got += s.Labels[layerLabel]
		}
		if got != want {
			t.Errorf("limit %d: removes %q, want %q", limit, got, want)
		}
	}
}

// TestWriteLayer is about archives that no installer should leave.
func TestWriteLayer(t *testing.T) {
	var in, out bytes.Buffer
	w := tar.NewWriter(&in)
	for _, h := range []tar.Header{
		{Typeflag: tar.TypeReg, Name: "deps/su", Mode: 0o6755, Size: 1}, {Typeflag: tar.TypeChar, Name: "deps/null"},
		{Typeflag: tar.TypeFifo, Name: "deps/fifo"}, {Typeflag: tar.TypeReg, Name: "deps/file", Mode: 0o644, Size: 1},
	} {
		err := w.WriteHeader(&h)
		if err == nil && h.Size > 0 {
			_, err = w.Write([]byte("x"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	archive := in.Bytes()
	if err := writeLayer(&out, bytes.NewReader(archive), 1<<20); err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(&out); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprintf("%s %o", h.Name, h.Mode))
	}
	if got, want := strings.Join(names, ", "), "deps/su 755, deps/file 644, node_modules 777"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := writeLayer(io.Discard, bytes.NewReader(archive), 700); err == nil || !strings.Contains(err.Error(), "the dependencies have more than") {
		t.Errorf("too large: %v", err)
	}
}
