package sandbox

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// before is the tree that the archives below are compared with.
var before = []File{
	{Path: "a.txt", Mode: 0o644, Data: []byte("a")},
	{Path: "dir/b.txt", Mode: 0o600, Data: []byte("b")},
}

// archived returns an archive of entries below "root/". Unchanged stands for the
// tree itself.
func archived(t testing.TB, unchanged bool, entries []tar.Header) []byte {
	t.Helper()
	var buf bytes.Buffer
	tw := tar.NewWriter(&buf)
	entries = slices.Clone(entries)
	if unchanged {
		for _, f := range before {
			entries = append(entries, tar.Header{Typeflag: tar.TypeReg, Name: "root/" + f.Path, Mode: int64(f.Mode), PAXRecords: content(string(f.Data))})
		}
	}
	for _, h := range entries {
		data := h.PAXRecords["TEST.content"]
		h.PAXRecords, h.Format = nil, tar.FormatUnknown
		if h.Typeflag == tar.TypeReg && h.Size == 0 {
			h.Size = int64(len(data))
		}
		if err := tw.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		for n := h.Size; n > 0; {
			k, err := tw.Write([]byte((data + strings.Repeat("\x00", 1<<16))[:min(n, int64(len(data)+1<<16))]))
			if err != nil {
				t.Fatal(err)
			}
			n -= int64(k)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// content carries a file's bytes to archived.
func content(s string) map[string]string { return map[string]string{"TEST.content": s} }

func file(name, data string) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: "root/" + name, Mode: 0o644, PAXRecords: content(data)}
}

// TestCompare is about archives that no engine should make, and about limits.
// What real commands do is in testdata/commands.
func TestCompare(t *testing.T) {
	link := func(name, target string) tar.Header {
		return tar.Header{Typeflag: tar.TypeLink, Name: "root/" + name, Linkname: target, Mode: 0o644}
	}
	var many []tar.Header
	for i := range changesLimit + 3 {
		many = append(many, file(fmt.Sprintf("n%05d", i), "x"))
	}
	var large []tar.Header
	for i := range changedBytesLimit/changedFileLimit + 1 {
		h := file(fmt.Sprintf("large%d", i), "")
		h.Size = changedFileLimit
		large = append(large, h)
	}
	tooLarge := file("a.txt", "")
	tooLarge.Size = changedFileLimit + 1
	var links []tar.Header
	for i := range skippedLimit + 5 {
		links = append(links, tar.Header{Typeflag: tar.TypeSymlink, Name: fmt.Sprintf("root/l%03d", i), Linkname: "/"})
	}
	for _, tt := range []struct {
		name      string
		unchanged bool
		entries   []tar.Header
		limit     int64
		changes   int
		want      []string // some of the changes, as changeLine has them
		skipped   []string // some of the lines
	}{
		{"nothing", true, nil, 0, 0, nil, nil},
		{"all gone", false, nil, 0, 2, []string{"a.txt deleted", "dir/b.txt deleted"}, nil},
		{"a folder in a file's place", false, []tar.Header{{Typeflag: tar.TypeDir, Name: "root/a.txt/"}, file("a.txt/c", "c"), file("dir/b.txt", "b")}, 0,
			3, []string{"a.txt deleted", `a.txt/c 644 "c"`, `dir/b.txt 644 "b"`}, nil},
		{"dots", true, []tar.Header{file("../up", ""), file("x/../../up", ""), file("./here", ""), {Typeflag: tar.TypeReg, Name: "/etc/passwd"}, {Typeflag: tar.TypeReg, Name: "rooted"}}, 0,
			0, nil, []string{"../up: its path does not lie inside the tree", "x/../../up: its path does not lie inside the tree",
				"./here: its path does not lie inside the tree", "/etc/passwd: lies outside the work tree", "rooted: lies outside the work tree"}},
		{"kinds", true, []tar.Header{{Typeflag: tar.TypeChar, Name: "root/c"}, {Typeflag: tar.TypeBlock, Name: "root/b"}, {Typeflag: 'Z', Name: "root/z"}}, 0,
			0, nil, []string{"c: a device", "b: a device", "z: not a regular file"}},
		{"hard links", true, []tar.Header{file("big", ""), link("one", "root/big"), link("two", "/etc/passwd"), link("three", "root/../../etc/passwd")}, 0,
			2, []string{`big 644 ""`, `one 644 ""`}, []string{"two: a hard link to something that was not taken", "three: a hard link to something that was not taken"}},
		{"a hard link to what was skipped", false, []tar.Header{tooLarge, link("one", "root/a.txt"), file("dir/b.txt", "b")}, 0,
			1, nil, []string{"a.txt: has 10485761 bytes, the limit is 10485760", "one: a hard link to something that was not taken"}},
		{"special bits", true, []tar.Header{{Typeflag: tar.TypeReg, Name: "root/s", Mode: 0o6755}}, 0, 1, []string{`s 755 ""`}, nil},
		{"too many", true, many, 0, changesLimit, nil, []string{"n10000: more than 10000 files changed"}},
		{"too much", true, large, 0, 6, nil, []string{"large6: more than 64 MiB changed"}},
		{"too much to say", true, links, 0, 0, nil, []string{"l000: a symbolic link", "and 5 more"}},
		{"too long", true, large, 5 << 20, 0, nil, []string{"what lies behind the first 5 MiB of the work tree was not looked at"}},
		{"git by other names", true, []tar.Header{file("a/.Git/config", ""), file("GIT~1/config", ""), file(".git", "gitdir: x"), file(".g\u200dit/x", ""), file(".git . /x", ""), file(".gitignore", "")}, 0,
			1, []string{`.gitignore 644 ""`}, []string{"a/.Git: ", "GIT~1: ", ".git: ", `".g\u200dit": `, ".git . : "}},
	} {
		limit := orDefault(tt.limit, int64(1)<<40)
		changes, skipped, err := compareTree(before, bytes.NewReader(archived(t, tt.unchanged, tt.entries)), "root", limit)
		if err != nil || len(changes) != tt.changes {
			t.Errorf("%s: %d changes, want %d; %v", tt.name, len(changes), tt.changes, err)
		}
		var lines []string
		for _, c := range changes {
			lines = append(lines, changeLine(c))
		}
		hasPrefixes(t, tt.name, lines, tt.want)
		hasPrefixes(t, tt.name, skipped, tt.skipped)
		if tt.skipped == nil && skipped != nil {
			t.Errorf("%s: skipped %q", tt.name, skipped)
		}
	}
}

// hasPrefixes reports each want that no line begins with.
func hasPrefixes(t *testing.T, name string, lines, want []string) {
	t.Helper()
	for _, w := range want {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, w) }) {
			t.Errorf("%s: no %q in %.300q", name, w, lines)
		}
	}
}

// TestWriteTree shows that what goes in is no change when it comes out, whatever
// its names, and that it belongs to the user of the sandbox.
func TestWriteTree(t *testing.T) {
	deep := strings.Repeat("folder/", 60) + "file"
	tree := slices.Concat(before, []File{{Path: deep, Mode: 0o755, Data: []byte("deep")}, {Path: "name\nwith\xff", Mode: 0o444}})
	var in, out bytes.Buffer
	if err := writeTree(&in, tree, 1000); err != nil {
		t.Fatal(err)
	}
	tw := tar.NewWriter(&out)
	for tr := tar.NewReader(&in); ; {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 1000 || h.Gid != 1000 {
			t.Errorf("%s belongs to %d:%d", h.Name, h.Uid, h.Gid)
		}
		h.Name = "root/" + h.Name // engines put the folder's own name in front
		h.PAXRecords, h.Format = nil, tar.FormatUnknown
		if err := tw.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(tw, tr); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	changes, skipped, err := compareTree(tree, &out, "root", 1<<30)
	if err != nil || changes != nil || skipped != nil {
		t.Errorf("got %v, %q, %v", changes, skipped, err)
	}
}

// FuzzCompare makes up entries, not archives: of changed archives nearly all
// fail at their checksums.
func FuzzCompare(f *testing.F) {
	f.Add("root/new", "", byte(tar.TypeReg), int64(0o4755), []byte("new"))
	f.Add("root/l", "root/a.txt", byte(tar.TypeLink), int64(0o644), []byte(nil))
	f.Add("root/../up", "/", byte(tar.TypeSymlink), int64(0), []byte(nil))
	f.Add("root/.git/config", "", byte(tar.TypeReg), int64(0o644), []byte("evil"))
	f.Fuzz(func(t *testing.T, name, link string, kind byte, mode int64, data []byte) {
		var buf bytes.Buffer
		tw := tar.NewWriter(&buf)
		h := &tar.Header{Typeflag: kind, Name: name, Linkname: link, Mode: mode}
		if kind == tar.TypeReg {
			h.Size = int64(len(data))
		}
		if tw.WriteHeader(h) != nil {
			return // no archive can say this
		}
		_, _ = tw.Write(data)
		_ = tw.Close()
		changes, skipped, err := compareTree(before, &buf, "root", 1<<20)
		if err != nil {
			return
		}
		for _, c := range changes {
			if !fs.ValidPath(c.Path) || gitFolder(c.Path) != "" || badPath(c.Path) != "" || c.Mode&^0o777 != 0 {
				t.Errorf("took %q, mode %v", c.Path, c.Mode)
			}
		}
		for _, line := range skipped {
			if !utf8.ValidString(line) || strings.ContainsAny(line, "\n\x1b") {
				t.Errorf("skipped %q", line)
			}
		}
	})
}
