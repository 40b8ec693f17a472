//go:build corpus

package codemap_test

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
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
	corpusCommits = 10 // of each repository
	corpusTokens  = 2000
	maxTouched    = 8  // files of a commit: one that touches more is a sweep, which its subject does not describe
	leastWords    = 4  // of a subject: "Fix tests" says nothing of where
	firstFiles    = 10 // of an order: what a person would look into
)

// repository is a bare one of git.
type repository struct {
	dir   string
	facts map[string]*syntax.Facts // by blob and path
	texts map[string]string        // by blob
}

// source is a file of a revision with its text.
type source struct {
	codemap.File
	blob string
	text string
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
func (r repository) tree(t *testing.T, revision string) (list []source) {
	var wanted []string
	for row := range strings.SplitSeq(string(r.git(t, "", "ls-tree", "-r", "-z", revision)), "\x00") {
		meta, path, _ := strings.Cut(row, "\t")
		fields := strings.Fields(meta)
		if len(fields) != 3 || !syntax.Outlined(path) {
			continue
		}
		list = append(list, source{File: codemap.File{Path: path}, blob: fields[2]})
		if _, ok := r.texts[fields[2]]; !ok {
			wanted = append(wanted, fields[2])
		}
	}
	r.read(t, wanted)
	list = slices.DeleteFunc(list, func(s source) bool { return r.texts[s.blob] == "" })
	for i := range list {
		s := &list[i]
		s.text = r.texts[s.blob]
		key := s.blob + s.Path
		if r.facts[key] == nil {
			r.facts[key] = syntax.FactsOf(s.Path, s.text)
		}
		s.Facts = r.facts[key]
	}
	slices.SortFunc(list, func(a, b source) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

// read takes in the texts of blobs.
func (r repository) read(t *testing.T, blobs []string) {
	if len(blobs) == 0 {
		return
	}
	in := bufio.NewReader(bytes.NewReader(r.git(t, strings.Join(blobs, "\n")+"\n", "cat-file", "--batch")))
	for _, blob := range blobs {
		head, _ := in.ReadString('\n')
		var hash, kind string
		var size int64
		if n, _ := fmt.Sscan(head, &hash, &kind, &size); n != 3 {
			continue // it is missing
		}
		text := make([]byte, size+1)
		if _, err := io.ReadFull(in, text); err != nil {
			t.Fatal(err)
		}
		if size <= 1<<20 {
			r.texts[blob] = string(text[:size])
		}
	}
}

// commit is one with the files that it changed.
type commit struct {
	id, subject string
	touched     []string
}

// commits chooses some by the seed that change files of the tree before them.
func (r repository) commits(t *testing.T) (list []commit) {
	out := string(r.git(t, "", "log", "--no-merges", "--min-parents=1", "-n", "1500", "--diff-filter=M", "--name-only", "--format=%x01%H%x02%s%x02"))
	for _, block := range strings.Split(out, "\x01")[1:] {
		f := strings.SplitN(block, "\x02", 3)
		c := commit{id: f[0], subject: f[1]}
		for path := range strings.SplitSeq(strings.TrimSpace(f[2]), "\n") {
			if syntax.Outlined(path) {
				c.touched = append(c.touched, path)
			}
		}
		if len(c.touched) > 0 && len(c.touched) <= maxTouched && len(strings.Fields(c.subject)) >= leastWords {
			list = append(list, c)
		}
	}
	rand.New(rand.NewPCG(corpusSeed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(len(list), corpusCommits)]
}

// ways are the ways to choose what of a project is shown for a subject.
var ways = []struct {
	name string
	show func(r repository, files []source, subject string, tokens int) (text string, order []string)
}{
	{"map", func(_ repository, files []source, subject string, tokens int) (string, []string) {
		ranked := codemap.Rank(filesOf(files), codemap.Query{Text: subject})
		var order []string
		for _, f := range ranked {
			order = append(order, f.Path)
		}
		return codemap.Render(ranked, tokens, codemap.Choice{}), order
	}},
	{"aider", aider},
	{"search, lines", func(_ repository, files []source, subject string, tokens int) (string, []string) {
		return search(files, subject, tokens, true)
	}},
	{"search, paths", func(_ repository, files []source, subject string, tokens int) (string, []string) {
		return search(files, subject, tokens, false)
	}},
}

// TestRecall measures which share of the files that commits changed stands in what is shown for
// their subjects within 2,000 tokens, and among the first ten files of each order, for the bare
// repositories that REPOS names: the map, the ranking of aider's repository map (aider_test.go),
// and a search for the words of the subject. "shown" counts the files of which more than the path is shown.
func TestRecall(t *testing.T) {
	need(t, "git")
	total := make([]score, len(ways))
	for _, dir := range repositories(t) {
		r := repository{dir, map[string]*syntax.Facts{}, map[string]string{}}
		sum := make([]score, len(ways))
		size := 0
		for _, c := range r.commits(t) {
			files := r.tree(t, c.id+"^")
			size = len(files)
			for i, way := range ways {
				shown, order := way.show(r, files, c.subject, corpusTokens)
				if len(shown) > corpusTokens*7/2 {
					t.Errorf("%s: %d bytes", way.name, len(shown))
				}
				one := score{1, recall(shown, c.touched), recall(detailed(shown), c.touched), recall(strings.Join(order[:min(len(order), firstFiles)], "\n"), c.touched)}
				sum[i].add(one)
				total[i].add(one)
			}
		}
		report(t, fmt.Sprintf("%s (%d files)", filepath.Base(filepath.Dir(dir)), size), sum)
	}
	report(t, "all", total)
}

// score is a sum of recalls over commits.
type score struct{ commits, whole, detailed, first float64 }

func (s *score) add(o score) {
	s.commits += o.commits
	s.whole += o.whole
	s.detailed += o.detailed
	s.first += o.first
}

func report(t *testing.T, name string, sum []score) {
	var b strings.Builder
	for i, s := range sum {
		fmt.Fprintf(&b, "  %s %.3f (shown %.3f, first %d %.3f)", ways[i].name, s.whole/s.commits, s.detailed/s.commits, firstFiles, s.first/s.commits)
	}
	t.Logf("%-32s %3.0f commits%s", name, sum[0].commits, b.String())
}

func filesOf(list []source) (files []codemap.File) {
	for _, s := range list {
		files = append(files, s.File)
	}
	return files
}

// wordsIn are the words of a subject that a person would search for.
func wordsIn(subject string) (words []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(subject), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' }) {
		if len(w) > 3 && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// search orders files by how many words of the subject they have, whatever the case, rare words
// first, then by how often; and shows the paths, or the first lines that have a word.
func search(files []source, subject string, tokens int, lines bool) (string, []string) {
	words := wordsIn(subject)
	type hit struct {
		path, text string
		value      float64
	}
	hits := make([]hit, len(files))
	found := make([][]int, len(files))
	has := make([]int, len(words))
	for i, f := range files {
		lower := strings.ToLower(f.Path + "\n" + f.text)
		hits[i] = hit{path: f.Path, text: lower}
		found[i] = make([]int, len(words))
		for j, w := range words {
			if found[i][j] = strings.Count(lower, w); found[i][j] > 0 {
				has[j]++
			}
		}
	}
	for i := range hits {
		for j, n := range found[i] {
			if n > 0 {
				hits[i].value += math.Log(1+float64(len(files))/float64(has[j])) * (1 + math.Log(float64(n))/10)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.value, a.value) })
	var b strings.Builder
	var order []string
	for _, h := range hits {
		if h.value == 0 {
			break
		}
		order = append(order, h.path)
		text := h.path + "\n"
		if lines {
			text += linesWith(h.text, words)
		}
		if b.Len()+len(text) <= tokens*7/2 {
			b.WriteString(text)
		}
	}
	return b.String(), order
}

// linesWith are the first lines of a text that have a word.
func linesWith(text string, words []string) string {
	const most, longest = 3, 120
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Count(b.String(), "\n") < most && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(line, w) }) {
			line = strings.TrimSpace(line)
			fmt.Fprintf(&b, "  %s\n", line[:min(len(line), longest)])
		}
	}
	return b.String()
}

// detailed is the part of what is shown whose files have more than their paths.
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

// recall is the share of the files that are shown.
func recall(shown string, touched []string) float64 {
	lines := map[string]bool{}
	for line := range strings.Lines(shown) {
		dir, files, several := strings.Cut(strings.TrimSpace(line), "/: ")
		lines[dir] = true
		for base := range strings.SplitSeq(files, ", ") {
			lines[dir+"/"+base] = several
		}
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
