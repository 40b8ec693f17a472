package shell

import (
	"bufio"
	"io"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bashPrinter is a bash that parses lines as functions and prints what it read. It runs
// none of them, and could not: it is restricted and has no PATH.
type bashPrinter struct {
	in  io.Writer
	out *bufio.Reader
}

const printing = `enable -n cd exec kill source . trap
while IFS= read -r -d '' line; do
	unset -f f
	if eval "f() {
$line
}"; then declare -f f; else echo unread; fi
	printf '\0'
done`

func newBashPrinter(t testing.TB, bash string) *bashPrinter {
	cmd := exec.Command(bash, "--norc", "--noprofile", "-r", "-c", printing)
	cmd.Env = []string{"PATH=/nonexistent", "LANG=C.UTF-8"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &bashPrinter{in: in, out: bufio.NewReader(out)}
}

// read returns the line as bash prints it, "" where bash cannot read it.
func (p *bashPrinter) read(t *testing.T, line string) string {
	t.Helper()
	if _, err := io.WriteString(p.in, line+"\x00"); err != nil {
		t.Fatal(err)
	}
	text, err := p.out.ReadString(0)
	if err != nil {
		t.Fatalf("%q: bash ended: %v", line, err)
	}
	body, ok := strings.CutPrefix(strings.TrimSuffix(text, "\n\x00"), "f () \n{ \n")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(body, "\n}")
}

var redirecting = regexp.MustCompile(`^\d?[<>]|^&>`)

// canonical writes tokens as bash prints them: redirections behind the words with
// their numbers, elif as an else with an if in it.
func canonical(tokens []string) (out []string) {
	var held []string
	var nested []int
	for i := 0; i < len(tokens); i++ {
		switch token := tokens[i]; {
		case redirecting.MatchString(token) && i+1 < len(tokens):
			number := "1"
			if token[0] == '<' {
				number = "0"
			}
			if token[0] == '<' || token[0] == '>' {
				token = number + token
			}
			held = append(held, token, canonicalWord(tokens[i+1]))
			i++
			if strings.HasSuffix(token, "<<") {
				i++
				held = append(held, tokens[i])
				held[len(held)-2] = strings.ReplaceAll(held[len(held)-2], doubleQuoted, singleQuoted)
			}
			continue
		case token[0] == 'w' && token != "while" || token[0] == '=':
			out = append(out, canonicalWord(token))
			continue
		}
		out, held = append(out, held...), nil
		switch token := tokens[i]; {
		case token == "if":
			nested = append(nested, 1)
			out = append(out, token)
		case token == "elif":
			nested[len(nested)-1]++
			out = append(out, "else", "if")
		case token == "fi":
			for range nested[len(nested)-1] {
				out = append(out, token)
			}
			nested = nested[:len(nested)-1]
		default:
			out = append(out, token)
		}
	}
	return append(out, held...)
}

// canonicalWord leaves out what is in substitutions, which bash prints in its own way.
func canonicalWord(word string) string {
	var b strings.Builder
	var open []byte // the substitutions and parameters around
	inside := 0
	for i := range len(word) {
		switch mark := word[i : i+1]; mark {
		case substitution, parameter, process:
			open = append(open, mark[0])
			if mark != parameter {
				inside++
			}
		case endOfPart:
			if open[len(open)-1] != parameter[0] {
				inside--
			}
			open = open[:len(open)-1]
		}
		if inside == 0 {
			b.WriteByte(word[i])
		}
	}
	return b.String()
}

// misprinted is what bash prints with a here-document so that it could not read it again.
var misprinted = []string{"&", "&&", "||", "|", "then", "do"}

// checkPrinted holds what the reader says of a line against what bash read.
func checkPrinted(t *testing.T, p *bashPrinter, line string) {
	t.Helper()
	tokens, _, odd := readTokens(line)
	if _, unsure, err := parse(line); err != nil || len(tokens) == 0 || odd != "" || unsure != "" || strings.ContainsRune(line, 0) {
		return
	}
	if strings.Contains(line, "<<") && slices.ContainsFunc(tokens, func(s string) bool { return slices.Contains(misprinted, s) }) {
		return
	}
	printed := p.read(t, line)
	if printed == "" {
		t.Errorf("%q is read, and bash does not read it", line)
		return
	}
	again, _, odd := readTokens(printed)
	if odd != "" || !slices.Equal(canonical(tokens), canonical(again)) {
		t.Errorf("%q is read as %q, and bash reads %s (%s)", line, tokens, printed, odd)
	}
}

// lines makes command lines of what shells and parsers have disagreed about.
type lines struct {
	*rand.Rand
	depth int
}

func (g *lines) one(of ...string) string { return of[g.IntN(len(of))] }

// gap is what separates words.
func (g *lines) gap() string {
	if g.IntN(12) > 0 {
		return " "
	}
	return g.one("  ", "\t", " \\\n", " \\\n ", "\\\n", " \\\n\\\n ", "\t\\\n\t", "\r", "\v", "\f", "\u00a0", " \\ ", " # x \\\n", "", "\\\r\n")
}

// joint is what separates commands.
func (g *lines) joint() string {
	return g.one("; ", ";", "\n", "\n", " && ", "&&", " || ", " | ", "|", " &&\n", " |\n\n", " & ", "\n\n", " # x\n", " # \\\n", " # '\n", " # \"\n", " # `\n", " # $(\n", " # <<E\n", "# x\n", ";# \\\n", " &&# \\\n", "\n# \\\n# \\\n",
		"\r\n", " \\\n&& ", " &\\\n& ", " |& ", " ;; ", "\n;", " \\\n\n", "\\\n; ", " #\\\\\n", "|\\\n")
}

func (g *lines) word() string {
	switch g.IntN(14) {
	case 0:
		return g.one("'a b'", `"a b"`, "'#'", "'\\\n'", "\"\\\n\"", "'a\nb'", `"\\"`, `"\""`, `'\'`, `"$"`, `"a # b"`, "''", `"!"`, `"'"`, `'"'`, `"\n"`, `"\$x"`, "\"a\nb\"", `"\'"`)
	case 1:
		return g.one(`\#`, "a#b", `\ `, `\\`, `\;`, `\'`, `a\ b`, "#x", `\"`, "$#", `\$x`, "a\\\nb", "\\", `\a`)
	case 2:
		return g.one("$x", `"$x"`, "${PIPESTATUS[0]}", `"${PIPESTATUS[@]}"`, "${PIPESTATUS[x]}", "${PIPESTATUS[10]}", "${x}", `"${x%.py}"`, "$?", "$$", "$", "$1x", "${x:-a}", "${#x}", "${x[0]}", "${x/a/b}", "$'a\\n'", `$"a"`, "$((1+1))", "$[1]", `"$'"`, "$-", "${x:-$(ls)}", `"${x:-"a b"}"`, `"${x:-'}"`)
	case 3:
		if g.depth < 3 {
			return g.nested("$(", ")")
		}
	case 4:
		if g.depth < 3 {
			return g.nested(`"$(`, `)"`)
		}
	case 6:
		if g.depth < 3 {
			return g.nested(g.one("<(", "<(", "< <(", "a<(", "<( "), g.one(")", ")", ")b"))
		}
	case 5:
		return g.one("{a,b}", "{1..3}", "{}", "}", "{", "a{b,c}d", "*.py", "[a-c]*", "[", "]", "~", "a~", "!", "!!", "@(a)", "x=1", "=", "a=~", "-", "--", "(", ")", "<(ls)", "`ls`", "if", "then", "do", "done", "fi", "time", "in", "é", "a\u200bb")
	}
	return g.one("a", "b.py", "src", "-l", "-la", "README.md", "12", "x", "./a")
}

func (g *lines) nested(open, end string) string {
	g.depth++
	defer func() { g.depth-- }()
	return open + g.list() + end
}

// simple is a command, which the judge knows, or not.
func (g *lines) simple() string {
	var b strings.Builder
	if g.IntN(12) == 0 {
		b.WriteString(g.one("CI=1 ", "x=1 ", "A=\"b c\" ", "a+=1 ", "a[1 + 2]=3 ", "a=(b) ", ">/dev/null ", "2>&1 ", "CI=1 DEBUG=2 ", "x=$(ls) "))
	}
	b.WriteString(g.one("ls", "ls", "pwd", "cat", "cat", "echo", "echo", "wc", "head", "git status", "evil", `\ls`, `l"s"`, "[", "true", "test"))
	for range g.IntN(4) {
		b.WriteString(g.gap() + g.word())
	}
	if g.IntN(8) == 0 {
		b.WriteString(g.one(">/dev/null", " >/dev/null", " 2>&1", " 2>/dev/null", " >&2", " &>/dev/null", " &> x", "&>x", " &>>x", " &>&1", " &>>(ls)", " >&/dev/null", " </dev/null", " <&-", " 2>&1x", " 10>/dev/null", " {x}>/dev/null", " <>x", " >|x", " <<<x", " 1>&2 2>&1", " > /dev/null", " 2 >/dev/null", " x2>/dev/null",
			" >\\\n/dev/null", " 2\\\n>/dev/null"))
	}
	return b.String()
}

func (g *lines) command() string {
	if g.depth < 3 && g.IntN(4) == 0 {
		g.depth++
		defer func() { g.depth-- }()
		end := g.one(";", "\n", " # x\n", " # \\\n", " ", "&", "\n\n")
		switch g.IntN(11) {
		case 0:
			return "if " + g.list() + end + " then " + g.list() + end + " fi"
		case 1:
			return "if " + g.list() + end + " then " + g.list() + end + g.one(" else ", " elif ls; then ", " else\n") + g.list() + end + " fi" + g.one("", " >/dev/null")
		case 2:
			return "for " + g.one("x", "f", "\\x", "1") + g.one(" in a b", " in $(ls)", " in *.py", "", " in", "\nin a", " in a # \\\n", " in a\\\n b") + g.one(";", "\n", "", " ;\n\n") + " do " + g.list() + end + " done"
		case 3:
			return g.one("while ", "until ") + g.list() + end + " do " + g.list() + end + " done"
		case 4:
			return g.one("(", "( ", "((", "( # \\\n") + g.list() + g.one(")", " )", "\n)", "))")
		case 5:
			return g.one("{ ", "{\n", "{", "{ # \\\n") + g.list() + end + "}" + g.one("", " >/dev/null", " 2>&1")
		case 6:
			return g.one("! ", "!", "! ! ", "!\n") + g.simple()
		case 7:
			return g.one("time ", "time -p ", "time\n", "time ! ") + g.simple()
		case 8:
			return g.one("case x in x) ls;; esac", "[[ a > b ]]", "((x=1))", "f() { ls; }", "function f { ls; }", "coproc ls", "select x in a; do ls; done", "let x=1", "alias ls=evil", "time", "export CI=1", "export x=$(evil)", "declare -a x=(1)")
		case 9:
			return g.simple() + " " + g.one("<<E", "<<'E'", `<<"E"`, "<<  E") + g.one("", g.joint()+g.simple(), g.gap()+g.word(), " >/dev/null", ";", " # \\", " &", "; evil", " | cat") + "\n" + g.one("a\n", "", "a\n\nb\n", "# it's\n", " E\n", "E;\n", "evil \\\n", "\"\n", "<<F\n") + "E\n" + g.one("", g.simple())
		default:
			return g.simple() + " " + g.one("<<E", "<<'E'", "<<-E", "<<E\\\n", "<<E <<F", "<<E # \\\n", `<<"E"`, `<<\E`, "<<E; evil") + "\n" + g.one("a", "a\\", "$(evil)", "`evil`", "\tE", "E ") + "\n" + g.one("E\n", "E\nF\n", "\tE\n", "E", "E\\\n") + g.one("evil", "")
		}
	}
	return g.simple()
}

func (g *lines) list() string {
	s := g.command()
	for range g.IntN(3) {
		s += g.joint() + g.command()
	}
	return s
}

// TestReading: bash reads each line as it was read here, whatever the verdict; bash and
// dash run nothing of an allowed one that was not judged.
func TestReading(t *testing.T) {
	const tries, most = 40_000, 250 // of the allowed lines are run
	bash, sh := need(t, "bash"), newDash(t, need(t, "dash"))
	p := newBashPrinter(t, bash)
	for _, line := range corpus(t) {
		checkPrinted(t, p, line)
	}
	g := &lines{Rand: rand.New(rand.NewPCG(13, 2))}
	read, ran := 0, 0
	for range tries {
		line := g.list()
		if len(line) > 300 {
			continue
		}
		v := Judge(line, eased)
		checkVerdict(t, line, eased, v)
		if _, odd, err := parse(line); err == nil && odd == "" {
			checkPrinted(t, p, line)
			read++
		}
		if v.Decision == Allow && ran < most && strings.ContainsAny(line, "\n#\\'\"({") {
			checkRuns(t, bash, line)
			sh.check(t, line)
			ran++
		}
	}
	if read < tries/10 || ran < most {
		t.Errorf("only %d lines are read and %d run", read, ran)
	}
}

// checkRuns reports what bash runs of an allowed line and nobody judged.
func checkRuns(t *testing.T, bash, line string) {
	t.Helper()
	commands := seen(t, line, eased)
	for _, status := range []string{"0", "1"} {
		ran, _ := traced(t, bash, prelude, line, "/nonexistent", status)
		for _, words := range ran {
			if !slices.ContainsFunc(commands, func(c *command) bool { return same(c.words, words) }) {
				t.Errorf("%q is allowed, and bash runs %q", line, words)
			}
		}
	}
}
