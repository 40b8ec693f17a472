package shell

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func need(t *testing.T, program string) string {
	t.Helper()
	file, err := exec.LookPath(program)
	if err != nil && slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), program) {
		t.Fatalf("%s is required here: %v", program, err)
	} else if err != nil {
		t.Skipf("needs %[1]s: install it (Debian: apt-get install %[1]s)", program)
	}
	return file
}

// builtins are what a line could call that is in no PATH.
const builtins = ": . [ alias bg bind break caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let " +
	"local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait"

// prelude has bash write down each command that it would run instead of running
// it: there are no programs in its PATH, and every builtin that a line may call
// is hidden by a function. Each ends as $want says, so that two runs see both
// sides of && and ||.
var prelude = func() string {
	var b strings.Builder
	b.WriteString("command_not_found_handle() { builtin printf '%s\\0' \"$#\" \"$@\" >>\"$trace\"; builtin return $want; }\n")
	for _, name := range strings.Fields(builtins) {
		fmt.Fprintf(&b, "function %s { command_not_found_handle %s \"$@\"; }\n", name, name)
	}
	return b.String()
}()

// bashTime is far more than bash takes for a line that runs nothing.
const bashTime = 20 * time.Second

// traced returns what bash runs of a line.
func traced(t *testing.T, bash, line, status string) [][]string {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), bashTime)
	defer cancel()
	trace := filepath.Join(dir, "trace")
	if err := os.WriteFile(trace, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, bash, "--norc", "--noprofile", "-c", prelude+line)
	cmd.Dir, cmd.Env = work, []string{"PATH=/nonexistent", "HOME=/nonexistent", "trace=" + trace, "want=" + status}
	out, err := cmd.CombinedOutput() // a status other than 0 is what was asked for
	if ctx.Err() != nil || bytes.Contains(out, []byte("syntax error")) {
		t.Fatalf("%q: bash cannot read it: %v\n%s", line, err, out)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	var list [][]string
	words := strings.Split(string(text), "\x00")
	for i := 0; i < len(words)-1; {
		n := 0
		for _, c := range words[i] {
			n = n*10 + int(c-'0')
		}
		list = append(list, words[i+1:i+1+n])
		i += 1 + n
	}
	return list
}

// seen are the commands that the judge saw in a line.
func seen(t *testing.T, line string) []*command {
	t.Helper()
	l, err := Parse(line)
	if err != nil {
		t.Fatalf("%q is allowed and not valid: %v", line, err)
	}
	w := walker{judge: judge{&sandboxed}}
	w.statements(l.file.Stmts)
	return w.commands
}

// checkBash holds what is allowed against bash: it runs the commands that were
// judged, word for word, and no others.
func checkBash(t *testing.T, bash, line string) {
	t.Helper()
	commands := seen(t, line)
	ran := append(traced(t, bash, line, "0"), traced(t, bash, line, "1")...)
	for _, words := range ran {
		if !slices.ContainsFunc(commands, func(c *command) bool { return same(c.words, words) }) {
			t.Errorf("%q is allowed, and bash runs %q", line, words)
		}
	}
	for _, c := range commands {
		hidden := strings.Contains(c.words[0].text, "/") || strings.Contains(line, "<") // no such file: it does not come to a run
		if !hidden && !slices.ContainsFunc(ran, func(words []string) bool { return same(c.words, words) }) {
			t.Errorf("%q is allowed for %q, which bash does not run (%q)", line, texts(c.words), ran)
		}
	}
}

func same(words []word, ran []string) bool {
	return slices.EqualFunc(words, ran, func(w word, s string) bool {
		return w.text == s || w.status && strings.ReplaceAll(s, "1", "0") == strings.ReplaceAll(w.text, "1", "0")
	})
}

// pieces are what mutations put into lines: all that means something to a shell.
var pieces = []string{" ", ";", "&", "|", "<", ">", "(", ")", "{", "}", "$", "`", "\"", "'", "\\", "*", "?", "[", "]", "!", "#", "~", "=", "\n", "\t", "-", ",", ":", "@", "^", "%", "+", "/", ".", "0", "1", "a", "é",
	"&&", "||", "|&", ">&", "<<", "<<<", "2>&1", ">/dev/null", "$(id)", "${x}", "$x", "<(id)", ">(id)", "`id`", "\\\n", "{a,b}", "{1..3}", "$'x'", "$\"x\"", "$?", "$#", "[[", "]]", "((", "))", " if ", " then ", " do ", " done ", " time ", " ! ", "!!", " -- ", "..", "@(a)", "x=1 ", "CI=1 ", " # ", ";;", "\r", "\\;", "''", "\"\""}

// mutated changes a line in one to three places, or joins two.
func mutated(r *rand.Rand, lines []string) string {
	line := lines[r.IntN(len(lines))]
	for range 1 + r.IntN(3) {
		i := r.IntN(len(line) + 1)
		switch r.IntN(5) {
		case 0: // take a byte out
			if i < len(line) {
				line = line[:i] + line[i+1:]
			}
		case 1: // take one from elsewhere
			if len(line) > 0 {
				k := r.IntN(len(line))
				line = line[:i] + line[k:min(k+1+r.IntN(6), len(line))] + line[i:]
			}
		case 2: // go on as another line does
			other := lines[r.IntN(len(lines))]
			line = line[:i] + other[r.IntN(len(other)+1):]
		default:
			line = line[:i] + pieces[r.IntN(len(pieces))] + line[i:]
		}
	}
	return line
}

func corpus(t testing.TB) (lines []string) {
	for _, name := range corpora {
		for _, row := range table(t, "corpus/"+name+".txt", 3) {
			lines = append(lines, row[1])
		}
	}
	return lines
}

// TestBash asks bash about every line of the corpus that is allowed.
func TestBash(t *testing.T) {
	bash := need(t, "bash")
	for _, line := range corpus(t) {
		if Judge(line, sandboxed).Decision == Allow {
			checkBash(t, bash, line)
		}
	}
}

// TestBashMutated does so with changed ones. The seed is fixed, so that a
// failure comes again.
func TestBashMutated(t *testing.T) {
	const tries, most = 40_000, 250 // of which are asked about, since bash takes its time
	bash := need(t, "bash")
	r := rand.New(rand.NewPCG(6, 1))
	lines, asked := corpus(t), 0
	for range tries {
		line := mutated(r, lines)
		v := Judge(line, sandboxed)
		checkVerdict(t, line, v)
		if v.Decision == Allow && !slices.Contains(lines, line) && asked < most {
			checkBash(t, bash, line)
			asked++
		}
	}
	if asked < most {
		t.Errorf("only %d changed lines are allowed", asked)
	}
}

// FuzzJudge: whatever the text, there is a verdict, and bash takes what is
// allowed as it was judged.
func FuzzJudge(f *testing.F) {
	for _, line := range corpus(f) {
		f.Add(line)
	}
	bash, missing := exec.LookPath("bash")
	f.Fuzz(func(t *testing.T, line string) {
		v := Judge(line, sandboxed)
		checkVerdict(t, line, v)
		if v.Decision == Allow && missing == nil {
			checkBash(t, bash, line)
		}
	})
}

// worse are changes after which a line does more than it did.
var worse = []string{"%; id", "%\nid", "% && id", "% || id", "% | sh", "% | tee x", "% &", "%& id", "% > out", "% >> out", "% 2> out", "% < in", "% <<< x", "% --exec=id", "% -exec id", "% --output=x",
	"% /etc/passwd", "% ../x", "% ~/.ssh/id_rsa", "% .env", "% $(id)", "% `id`", "% $x", "% *", "% extra", "% -f", "% --force", "PATH=. %", "LD_PRELOAD=x %", "CI=1 %", "env %", "sudo %", "! %", "(%)", "timeout 5 %", "%⏎", "cd / && %", "%{U+200B}"}

// TestCovers: what was allowed for one line never lets a line through that does
// more.
func TestCovers(t *testing.T) {
	shaped := 0
	for _, line := range corpus(t) {
		shape := Judge(line, sandboxed).Shape
		if shape == "" {
			continue
		}
		shaped++
		if !Covers(shape, line, sandboxed) {
			t.Errorf("%q has the shape %q, which does not cover it", line, shape)
		}
		for _, w := range worse {
			changed := strings.Replace(spell(w), "%", line, 1)
			if strings.TrimSpace(changed) != strings.TrimSpace(line) && Covers(shape, changed, sandboxed) {
				t.Errorf("the shape %q covers %q, too", shape, changed)
			}
		}
	}
	if shaped < 100 || Covers("", "rm -rf /", sandboxed) {
		t.Errorf("only %d lines have a shape, or none covers something", shaped)
	}
}

// TestCoversMutated: a shape that covers a changed line covers the same commands
// with the same words, but for texts that change nothing.
func TestCoversMutated(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	var lines []string
	for _, line := range corpus(t) {
		if Judge(line, sandboxed).Shape != "" {
			lines = append(lines, line)
		}
	}
	for range 20_000 {
		line := lines[r.IntN(len(lines))]
		changed := mutated(r, []string{line, line, lines[r.IntN(len(lines))]})
		shape := Judge(line, sandboxed).Shape
		if !Covers(shape, changed, sandboxed) {
			continue
		}
		a, b := seen(t, line), seen(t, changed)
		if !slices.EqualFunc(a, b, func(a, b *command) bool {
			if strings.Contains(shape, anyText) { // -mtext is -m text
				return a.words[0].text == b.words[0].text && a.words[1].text == b.words[1].text
			}
			return slices.Equal(texts(a.words), texts(b.words))
		}) {
			t.Errorf("the shape %q of %q covers %q", shape, line, changed)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	rows := table(b, "corpus/ordinary.txt", 3)
	i := 0
	for b.Loop() {
		Judge(rows[i%len(rows)][1], sandboxed)
		i++
	}
}
