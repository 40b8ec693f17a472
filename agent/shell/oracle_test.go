package shell

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func need(t testing.TB, program string) string {
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

// lineMark stands for a line break in what bash writes down: it writes each line by itself, and commands of a pipe would
// write into each other's.
const lineMark = "\uf8ff"

// prelude has bash write down each command that it would run instead of running
// it: there are no programs in its PATH, and every builtin that a line may call
// is hidden by a function. Each ends as $want says, so that two runs see both
// sides of && and ||.
var prelude = func() string {
	var b strings.Builder
	b.WriteString("command_not_found_handle() { builtin printf '%s\\0' \"$#\" \"${@//$'\\n'/" + lineMark + "}\" >>\"$trace\"; builtin return $want; }\n")
	for _, name := range strings.Fields(builtins) {
		fmt.Fprintf(&b, "function %s { command_not_found_handle %s \"$@\"; }\n", name, name)
	}
	return b.String()
}()

// shellTime is far more than a shell takes for a line that runs nothing, and loopTime
// is enough of a loop that does not end.
const (
	shellTime = 20 * time.Second
	loopTime  = time.Second
)

var loop = regexp.MustCompile(`\b(while|until)\b`)

// traced returns what a shell runs of a line; script begins with what writes it down.
func traced(t *testing.T, program, script, line, path, status string) (ran [][]string, said string) {
	t.Helper()
	limit := shellTime
	if loop.MatchString(line) {
		limit = loopTime
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	trace := filepath.Join(dir, "trace")
	if err := os.WriteFile(trace, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"-c", script + line}
	if script == prelude {
		arguments = append([]string{"--norc", "--noprofile"}, arguments...)
	}
	cmd := exec.CommandContext(ctx, program, arguments...)
	cmd.Dir, cmd.Env = work, []string{"PATH=" + path, "HOME=/nonexistent", "LANG=C.UTF-8", "trace=" + trace, "want=" + status}
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()                                                                                                 // a status other than 0 is what was asked for
	unread := bytes.Contains(bytes.ToLower(out), []byte("syntax error")) && (script != dashPrelude || !strings.Contains(line, "<(")) // dash does not know <( ), and runs nothing
	if limit == shellTime && ctx.Err() != nil || unread {
		t.Fatalf("%q: %s cannot read it: %v\n%s", line, program, err, out)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Split(strings.ReplaceAll(string(text), lineMark, "\n"), "\x00")
	for i := 0; i < len(words)-1; {
		n := 0
		for _, c := range words[i] {
			n = n*10 + int(c-'0')
		}
		if i+1+n > len(words) { // a loop was ended while it wrote
			break
		}
		ran = append(ran, words[i+1:i+1+n])
		i += 1 + n
	}
	return ran, string(out)
}

// seen are the commands that the judge saw in a line.
func seen(t *testing.T, line string, policy Policy) []*command {
	t.Helper()
	l, err := Parse(line)
	if err != nil {
		t.Fatalf("%q is allowed and not valid: %v", line, err)
	}
	w := walker{judge: judge{&policy}}
	w.statements(l.file.Stmts)
	return w.commands
}

// checkBash holds what is allowed against bash: it runs the commands that were
// judged, word for word, and no others.
func checkBash(t *testing.T, bash, line string) {
	t.Helper()
	commands := seen(t, line, sandboxed)
	ran, _ := traced(t, bash, prelude, line, "/nonexistent", "0")
	other, _ := traced(t, bash, prelude, line, "/nonexistent", "1")
	ran = append(ran, other...)
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

// same reports whether words can become those that were run: what the shell expands can be
// anything, and where it is not quoted any number of words.
func same(words []word, ran []string) bool {
	switch {
	case len(words) == 0:
		return len(ran) == 0
	case words[0].splits && same(words[1:], ran):
		return true
	case len(ran) == 0:
		return false
	}
	w, s := words[0], ran[0]
	ok := w.text == s || w.open != closed || w.status && strings.ReplaceAll(s, "1", "0") == strings.ReplaceAll(w.text, "1", "0")
	return ok && (same(words[1:], ran[1:]) || w.splits && same(words, ran[1:]))
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
		checkVerdict(t, line, sandboxed, v)
		if v.Decision == Allow && !slices.Contains(lines, line) && asked < most {
			checkBash(t, bash, line)
			asked++
		}
	}
	if asked < most {
		t.Errorf("only %d changed lines are allowed", asked)
	}
}

// outward finds paths that lead out of the folder in which a line is tried.
var outward = regexp.MustCompile(`(^|[^\w.])/|\.\.|~`)

// FuzzJudge: whatever the text, there is a verdict, bash reads the line as it was read
// here, and bash and dash take what is allowed as it was judged.
func FuzzJudge(f *testing.F) {
	for _, name := range []string{"reading", "grammar"} {
		for _, row := range table(f, "corpus/"+name+".txt", 3) {
			f.Add(row[1])
		}
	}
	g := &lines{Rand: rand.New(rand.NewPCG(13, 3))}
	for range 100 {
		f.Add(g.list())
	}
	bash, dash := need(f, "bash"), newDash(f, need(f, "dash"))
	p := newBashPrinter(f, bash)
	f.Fuzz(func(t *testing.T, line string) {
		for _, policy := range []Policy{sandboxed, eased} {
			checkVerdict(t, line, policy, Judge(line, policy))
		}
		checkPrinted(t, p, line)
		if Judge(line, eased).Decision == Allow && !outward.MatchString(strings.ReplaceAll(line, "/dev/null", "")) {
			checkRuns(t, bash, line)
			dash.check(t, line)
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
		a, b := seen(t, line, sandboxed), seen(t, changed, sandboxed)
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
