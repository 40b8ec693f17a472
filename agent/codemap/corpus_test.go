//go:build corpus

package codemap_test

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caselsp/agent/codemap"
	"caselsp/agent/syntax"
)

const (
	corpusSeed    = 1
	corpusCommits = 20 // of each repository
	maxTouched    = 8  // files of a commit: one that touches more is a sweep, which its message does not describe
)

// repository is a bare one of git.
type repository struct {
	dir   string
	facts map[string]*syntax.Facts // by blob and path
}

func (r repository) git(t *testing.T, stdin string, args ...string) []byte {
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"--git-dir", r.dir}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v in %s: %v", args, r.dir, err)
	}
	return out
}

// tree returns the files of a revision that have facts. Blobs that the copy leaves out are passed over.
func (r repository) tree(t *testing.T, revision string) []codemap.File {
	var list []codemap.File
	var wanted, paths []string
	for row := range strings.SplitSeq(string(r.git(t, "", "ls-tree", "-r", "-z", revision)), "\x00") {
		meta, path, _ := strings.Cut(row, "\t")
		fields := strings.Fields(meta)
		if len(fields) != 3 || !syntax.Outlined(path) {
			continue
		}
		if f, ok := r.facts[fields[2]+path]; ok {
			list = append(list, codemap.File{Path: path, Facts: f})
			continue
		}
		wanted, paths = append(wanted, fields[2]), append(paths, path)
	}
	if len(wanted) > 0 {
		in := bufio.NewReader(bytes.NewReader(r.git(t, strings.Join(wanted, "\n")+"\n", "cat-file", "--batch")))
		for i, path := range paths {
			head, _ := in.ReadString('\n')
			var hash, kind string
			var size int64
			if n, _ := fmt.Sscan(head, &hash, &kind, &size); n != 3 {
				continue
			}
			text := make([]byte, size+1)
			if _, err := io.ReadFull(in, text); err != nil {
				t.Fatal(err)
			}
			if size > 1<<20 {
				continue
			}
			f := syntax.FactsOf(path, string(text[:size]))
			r.facts[wanted[i]+path] = f
			list = append(list, codemap.File{Path: path, Facts: f})
		}
	}
	slices.SortFunc(list, func(a, b codemap.File) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

// commit is one with the files that it changed.
type commit struct {
	id, message string
	touched     []string
}

// commits chooses some by the seed that change files of the tree before them.
func (r repository) commits(t *testing.T) (list []commit) {
	out := string(r.git(t, "", "log", "--no-merges", "--min-parents=1", "-n", "1500", "--diff-filter=M", "--name-only", "--format=%x01%H%x02%B%x02"))
	for _, block := range strings.Split(out, "\x01")[1:] {
		f := strings.SplitN(block, "\x02", 3)
		c := commit{id: f[0], message: f[1]}
		for path := range strings.SplitSeq(strings.TrimSpace(f[2]), "\n") {
			if syntax.Outlined(path) {
				c.touched = append(c.touched, path)
			}
		}
		if len(c.touched) > 0 && len(c.touched) <= maxTouched && len(strings.Fields(c.message)) >= 4 && len(list) < 1500 {
			list = append(list, c)
		}
	}
	rand.New(rand.NewPCG(corpusSeed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(len(list), corpusCommits)]
}

// overlap orders files by how many words of the query their paths and declared names have.
func overlap(files []codemap.File, text string) []codemap.Ranked {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	var list []codemap.Ranked
	for _, f := range files {
		all := strings.ToLower(f.Path)
		for _, s := range f.Symbols {
			all += " " + strings.ToLower(s.Name)
		}
		n := 0.0
		for _, w := range words {
			if len(w) > 3 && strings.Contains(all, w) {
				n++
			}
		}
		list = append(list, codemap.Ranked{File: f, Score: n})
	}
	slices.SortStableFunc(list, func(a, b codemap.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// TestRecall measures which share of the files that commits changed stands in the map of
// their messages, for the bare repositories that REPOS names, beside a map ordered by the
// overlap of words, one of references alone, and a plain list of the files.
func TestRecall(t *testing.T) {
	need(t, "git")
	var total [3][6]float64
	count := 0
	for _, dir := range repositories(t) {
		r := repository{dir, map[string]*syntax.Facts{}}
		var sum [3][6]float64
		commits := r.commits(t)
		size := 0
		for _, c := range commits {
			files := r.tree(t, c.id+"^")
			size = len(files)
			q := codemap.Query{Text: c.message}
			everywhere := codemap.Query{Paths: pathsOf(files)}
			for i, tokens := range []int{1000, 2000, 4000} {
				for j, shown := range []string{
					codemap.Map(files, q, tokens), codemap.Render(overlap(files, c.message), tokens, nil),
					codemap.Map(files, everywhere, tokens), listing(files, tokens),
				} {
					sum[i][j] += recall(shown, c.touched)
					if j < 2 { // also those with their signatures
						sum[i][4+j] += recall(detailed(shown), c.touched)
					}
				}
			}
		}
		for i, tokens := range []int{1000, 2000, 4000} {
			n := float64(len(commits))
			t.Logf("%-28s %5d files %3d commits %d tokens: map %.3f (with signatures %.3f), overlap %.3f (%.3f), references alone %.3f, list %.3f", filepath.Base(filepath.Dir(dir)), size, len(commits), tokens, sum[i][0]/n, sum[i][4]/n, sum[i][1]/n, sum[i][5]/n, sum[i][2]/n, sum[i][3]/n)
			for j := range sum[i] {
				total[i][j] += sum[i][j]
			}
		}
		count += len(commits)
	}
	for i, tokens := range []int{1000, 2000, 4000} {
		n := float64(count)
		t.Logf("%-28s %d commits %d tokens: map %.3f (with signatures %.3f), overlap %.3f (%.3f), references alone %.3f, list %.3f", "all", count, tokens, total[i][0]/n, total[i][4]/n, total[i][1]/n, total[i][5]/n, total[i][2]/n, total[i][3]/n)
	}
}

func pathsOf(files []codemap.File) (list []string) {
	for _, f := range files {
		list = append(list, f.Path)
	}
	return list
}

// listing is what a plain list of the files shows.
func listing(files []codemap.File, tokens int) string {
	var b strings.Builder
	for _, f := range files {
		if b.Len()+len(f.Path) < tokens*7/2 {
			b.WriteString(f.Path + "\n")
		}
	}
	return b.String()
}

// detailed is the part of a map whose files have their signatures.
func detailed(shown string) string {
	lines := strings.SplitAfter(shown, "\n")
	last := 0
	for i, line := range lines {
		if strings.HasPrefix(line, "  ") {
			last = i + 1
		}
	}
	return strings.Join(lines[:last], "")
}

// recall is the share of the files that a map shows.
func recall(shown string, touched []string) float64 {
	lines := map[string]bool{}
	for line := range strings.Lines(shown) {
		lines[strings.TrimSpace(line)] = true
	}
	n := 0
	for _, path := range touched {
		if lines[path] {
			n++
		}
	}
	return float64(n) / float64(len(touched))
}

// repositories are the git directories that REPOS names, separated by colons.
func repositories(t *testing.T) []string {
	list := filepath.SplitList(os.Getenv("REPOS"))
	if len(list) == 0 {
		t.Fatal("set REPOS to the git directories of some repositories, separated by colons")
	}
	return list
}

func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("needs %[1]s: install it (Debian: apt-get install %[1]s)", program)
	}
}
