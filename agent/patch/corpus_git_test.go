//go:build corpus

package patch_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// Limits on the commits that make cases: what people ask a model to do in one go.
const (
	maxChanges = 900     // files of one repository
	maxFile    = 200_000 // bytes
	maxChanged = 150     // lines of a hunk
)

// commit is the files that one commit modifies.
type commit struct {
	id      string // repository@hash
	changes []change
}

// commits reads the commits of a bare repository, in an order that the seed makes.
func commits(t *testing.T, dir string, seed uint64) []commit {
	t.Helper()
	out, err := exec.Command("git", "--git-dir="+dir, "log", "--no-merges", "--no-renames", "--diff-filter=M", "--raw", "--no-abbrev", "--format=commit %H").Output()
	if err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	name := filepath.Base(dir)
	if name == "repo" || name == ".git" {
		name = filepath.Base(filepath.Dir(dir))
	}
	type file struct{ path, before, after string }
	var ids []string
	files := map[string][]file{}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if id, ok := strings.CutPrefix(line, "commit "); ok {
			ids = append(ids, id)
			continue
		}
		meta, path, _ := strings.Cut(line, "\t")
		if f := strings.Fields(meta); len(f) == 5 && f[0] == ":100644" && f[1] == "100644" && !strings.HasPrefix(path, `"`) {
			files[ids[len(ids)-1]] = append(files[ids[len(ids)-1]], file{path, f[2], f[3]})
		}
	}
	r := rand.New(rand.NewPCG(seed, 3))
	r.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
	blobs := startBlobs(t, dir)
	defer blobs.close()
	var all []commit
	for n, i := 0, 0; i < len(ids) && n < maxChanges; i++ {
		c := commit{id: name + "@" + ids[i][:12]}
		for _, f := range files[ids[i]] {
			before, ok := blobs.text(f.before)
			after, ok2 := blobs.text(f.after)
			if ok && ok2 && len(c.changes) < 8 {
				c.add(newChange(f.path, before, after, 3))
			}
		}
		n += len(c.changes)
		all = append(all, c)
	}
	return slices.DeleteFunc(all, func(c commit) bool { return len(c.changes) == 0 })
}

func (c *commit) add(ch change) {
	for _, h := range ch.hunks {
		if len(h.lines) > maxChanged {
			return
		}
	}
	if len(ch.hunks) > 0 && len(ch.hunks) <= 12 {
		c.changes = append(c.changes, ch)
	}
}

// blobs reads the contents of files from git, one at a time.
type blobs struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startBlobs(t *testing.T, dir string) *blobs {
	t.Helper()
	b := &blobs{cmd: exec.Command("git", "--git-dir="+dir, "cat-file", "--batch")}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if b.in, err = b.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	b.out = bufio.NewReader(out)
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *blobs) close() {
	_ = b.in.Close()
	_ = b.cmd.Wait()
}

// text returns the content of a blob if it is a text of an ordinary size whose
// lines all end with a line feed alone, without a byte-order mark: the engine
// leaves that as it is, whatever the patch says.
func (b *blobs) text(id string) (string, bool) {
	if _, err := fmt.Fprintln(b.in, id); err != nil {
		return "", false
	}
	head, err := b.out.ReadString('\n')
	f := strings.Fields(head)
	if err != nil || len(f) != 3 {
		return "", false // git says "missing"
	}
	size, _ := strconv.Atoi(f[2])
	data := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, data); err != nil {
		return "", false
	}
	data = data[:size]
	ok := size > 0 && size < maxFile && data[size-1] == '\n' && utf8.Valid(data) && !bytes.ContainsAny(data, "\x00\r\ufeff")
	return string(data), ok
}
