package shell

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// reader splits a line into tokens by the rules that bash, dash and every other POSIX
// shell share. It is deliberately simple, knows nothing of the library's grammar, and
// gives up (odd) at anything that shells read in different ways or that is easily
// misread: what it does not know it does not guess. [Parse] compares its tokens with
// those of the library's tree (tokens.go).
//
// A token is a string: an operator or reserved word as it is, "=" and an assignment,
// "w" and a word, "b" and a here-document. In words, quotes and substitutions are marked by control characters,
// which no line may contain.
type reader struct {
	text  string
	at    int
	plain []byte // the text with its comments and continuations blanked out, of the same length
	depth int    // of substitutions
	odd   string // what it does not read, as the end of "It uses ..."
	here  string // the delimiter of the here-document that begins behind this line, as it is written
}

// The marks in words.
const (
	singleQuoted = "\x01"
	doubleQuoted = "\x02"
	endQuote     = "\x03"
	parameter    = "\x04"
	substitution = "\x05"
	endOfPart    = "\x06"
	nextToken    = "\x07"
	process      = "\x08" // <(...)
)

// place is where in a command the reader is.
type place int

const (
	atStart    place = iota // a command begins: reserved words count
	afterTime               // the same, and only a plain command may follow
	afterNot                // the same, behind "!"
	beforeName              // behind assignments and redirections: the program's name follows
	inWords                 // behind the program's name
	afterGroup              // behind a closing bracket: no word may follow
	forName                 // behind "for"
	forIn                   // behind the variable's name
	forWords                // in its list
	forDo                   // behind the list
)

// openers are reserved words behind which a command begins, and closers those
// behind which one has ended.
var (
	openers = []string{"if", "then", "elif", "else", "while", "until", "do", "{"}
	closers = []string{"fi", "done", "}"}
	// foreign begin, in some shells or all, what is not read here; alias changes what
	// the next lines mean.
	foreign = []string{"case", "esac", "in", "select", "function", "coproc", "[[", "]]", "let", "alias", "unalias", "namespace", "repeat", "foreach", "end", "nocorrect"}
)

var (
	assigning    = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)
	oddAssign    = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*(\+=|\[)`)
	delimiter    = lazyregexp.New(`^([A-Za-z_][A-Za-z0-9_]*|'[A-Za-z_][A-Za-z0-9_]*'|"[A-Za-z_][A-Za-z0-9_]*")$`)
	variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*`)
	bracedName   = lazyregexp.New(`^\{[A-Za-z_][A-Za-z0-9_]*((:-|-|:\+|\+|%%?|##?)[A-Za-z0-9_./*-]*)?\}|^\{#[A-Za-z_][A-Za-z0-9_]*\}|^\{PIPESTATUS\[[0-9@]\]\}`)
)

// readTokens returns the tokens of a text, the text without what means nothing, and
// what in it is not read.
func readTokens(text string) (tokens []string, plain, odd string) {
	if _, found := hidden(text); found { // also because words are marked by some
		return nil, text, "an invisible character"
	}
	r := reader{text: text, plain: []byte(text)}
	tokens = r.list("")
	return tokens, string(r.plain), r.odd
}

func (r *reader) fail(what string) {
	if r.odd == "" {
		r.odd = what
	}
	r.at = len(r.text)
}

// next returns the byte k places ahead, or 0 at the end.
func (r *reader) next(k int) byte {
	if r.at+k < len(r.text) {
		return r.text[r.at+k]
	}
	return 0
}

func (r *reader) sees(s string) bool { return strings.HasPrefix(r.text[r.at:], s) }

// blank takes n bytes that mean nothing.
func (r *reader) blank(n int) {
	for range n {
		r.plain[r.at] = ' '
		r.at++
	}
}

// skip passes over blanks, comments and continued lines.
func (r *reader) skip() {
	for r.at < len(r.text) {
		before := byte('\n')
		if r.at > 0 {
			before = r.plain[r.at-1]
		}
		switch c := r.text[r.at]; {
		case c == ' ' || c == '\t':
			r.at++
		case c == '#' && r.depth > 0:
			r.fail("a comment in a substitution")
		case c == '#' && strings.IndexByte(" \t\n;&|()", before) < 0:
			r.fail("# behind an operator")
		case c == '#':
			n := strings.IndexByte(r.text[r.at:], '\n')
			if n < 0 {
				n = len(r.text) - r.at
			}
			r.blank(n)
		case c == '\\' && r.next(1) == '\n':
			if before != ' ' && before != '\t' || r.next(2) == '#' || r.here != "" {
				r.fail("a continued line that is not separated by a blank")
				return
			}
			r.blank(2)
		default:
			return
		}
	}
}

// list reads commands up to the end, or to the bracket that ends a substitution.
func (r *reader) list(end string) (tokens []string) {
	l := lister{reader: r}
	for {
		r.skip()
		switch {
		case r.at == len(r.text):
			if end != "" || l.brackets != 0 {
				r.fail("a bracket that is not closed")
			} else if r.here != "" {
				r.fail("a here-document without an end")
			}
			return l.tokens
		case end != "" && l.brackets == 0 && r.sees(end):
			r.at += len(end)
			return l.tokens
		}
		l.token()
	}
}

// lister collects the tokens of a list.
type lister struct {
	*reader
	tokens   []string
	place    place
	pending  bool // a separator stands before the next command
	brackets int  // open subshells
	body     int  // where the text of the here-document goes
}

func (l *lister) add(token string) {
	if l.pending {
		l.tokens = append(l.tokens, ";")
	}
	l.pending = false
	l.tokens = append(l.tokens, token)
}

// token reads one token that is not blank.
func (l *lister) token() {
	switch c := l.next(0); {
	case c == '\n' || c == ';':
		l.separator(c)
	case c == '&' || c == '|':
		l.operator()
	case c == '(':
		if l.place > afterNot || l.place == afterTime || l.next(1) == '(' {
			l.fail("a bracket in an unusual place")
			return
		}
		l.at++
		l.brackets++
		l.add("(")
		l.place = atStart
	case c == ')':
		if l.brackets--; l.brackets < 0 || l.place == afterTime || l.place == afterNot || l.place >= forName {
			l.fail("a bracket in an unusual place")
			return
		}
		l.at++
		l.pending = false
		l.add(")")
		l.place = afterGroup
	case c == '<' && l.next(1) == '(' && l.place == inWords:
		l.add("w" + l.process())
	case c == '<' || c == '>':
		l.redirection("")
	default:
		l.word()
	}
}

// separator reads ; or the end of a line.
func (l *lister) separator(c byte) {
	l.at++
	if c == '\n' && l.here != "" {
		l.document()
	}
	switch {
	case c == ';' && (l.next(0) == ';' || l.next(0) == '&' || l.place <= afterNot):
		l.fail("; in an unusual place")
	case l.place == afterTime, l.place == afterNot, l.place == forName, l.place == forIn:
		l.fail("a line that ends in an unusual place")
	case l.place == forWords, l.place == forDo:
		l.place = forDo
	case l.place != atStart:
		l.pending, l.place = true, atStart
	}
}

// operator reads what joins commands.
func (l *lister) operator() {
	op := l.text[l.at : l.at+1]
	if l.next(1) == l.next(0) {
		op = l.text[l.at : l.at+2]
	}
	if op == "&" && l.next(1) == '>' && l.at > 0 && strings.IndexByte(" \t", l.text[l.at-1]) >= 0 && (l.place == inWords || l.place == afterGroup) {
		l.redirection("")
		return
	}
	l.at += len(op)
	if after := l.next(0); after == '&' || after == '|' || op == "&" && after == '>' || l.place != inWords && l.place != afterGroup && l.place != beforeName {
		l.fail(op + " in an unusual place")
		return
	}
	l.add(op)
	l.place = atStart
}

// redirection reads a redirection; number is what stands directly before it.
func (l *lister) redirection(number string) {
	op := l.text[l.at : l.at+1]
	for _, long := range []string{"<<<", "<<", "<>", "<&", ">>", ">|", ">&", "&>>", "&>"} {
		if l.sees(long) {
			op = long
			break
		}
	}
	l.at += len(op)
	switch {
	case op == "<<<" || op == "<<" && (l.next(0) == '-' || l.here != "" || l.depth > 0):
		l.fail("an unusual here-document")
	case op == "<&" || len(number) > 1 || l.next(0) == '(' || l.next(0) == '<' || l.next(0) == '>' || l.next(0) == '&' || l.next(0) == '|':
		l.fail("an unusual redirection")
	case l.place == afterTime || l.place == afterNot || l.place >= forName:
		l.fail("a redirection in an unusual place")
	case op == ">&" && (l.next(0) < '0' || l.next(0) > '9' || l.next(1) != 0 && strings.IndexByte(" \t\n;&|)", l.next(1)) < 0):
		l.fail("an unusual redirection")
	}
	for l.next(0) == ' ' || l.next(0) == '\t' {
		l.at++
	}
	processed := op == "<" && l.sees("<(") && l.text[l.at-1] != '<'
	if c := l.next(0); l.odd == "" && !processed && (c == 0 || strings.IndexByte("\n;&|<>()#", c) >= 0) {
		l.fail("a redirection without a target")
	}
	if l.odd != "" {
		return
	}
	if l.place == atStart {
		l.place = beforeName
	}
	l.add(number + op)
	if processed {
		l.add("w" + l.process())
		return
	}
	from := l.at
	target, _ := l.part()
	raw := l.text[from:l.at]
	if c := l.next(0); c == '<' || c == '>' || c == '(' || strings.Contains(raw, "\n") {
		l.fail("an unusual redirection")
		return
	}
	l.add("w" + target)
	if op == "&>" || op == "&>>" { // a word behind it would be a program's name where & ends the command
		l.place = afterGroup
	}
	if op == "<<" {
		if !delimiter.MatchString(raw) {
			l.fail("an unusual here-document")
		}
		l.here, l.body = raw, len(l.tokens)
		l.add("")
	}
}

// process reads <(...), which has to be a word of its own. A shell that has no such substitution runs
// nothing of the line.
func (l *lister) process() string {
	if l.depth >= maxDepth || l.here != "" {
		l.fail("an unusual redirection")
		return ""
	}
	l.at += 2
	l.depth++
	word := process + strings.Join(l.list(")"), nextToken) + endOfPart
	l.depth--
	if c := l.next(0); c != 0 && strings.IndexByte(" \t\n;&|)", c) < 0 {
		l.fail("an unusual redirection")
	}
	return word
}

// document reads a here-document, in which nothing may be expanded or continued.
func (l *lister) document() {
	name := strings.Trim(l.here, `'"`)
	from := l.at
	for at := from; at <= len(l.text); {
		line, _, more := strings.Cut(l.text[at:], "\n")
		if line == name {
			body := l.text[from:at]
			if name == l.here && strings.ContainsAny(body, "$`\\") {
				break
			}
			l.tokens[l.body] = "b" + body
			l.at, l.here = at+len(line), ""
			return
		} else if !more {
			break
		}
		at += len(line) + 1
	}
	l.fail("a here-document in which something is expanded, or without an end")
}

// word reads a word, or a number before a redirection.
func (l *lister) word() {
	from := l.at
	word, bare := l.part()
	raw := l.text[from:l.at]
	if c := l.next(0); c == '<' || c == '>' {
		switch {
		case strings.Trim(raw, "0123456789") == "":
			l.redirection(raw)
			return
		case strings.HasSuffix(raw, "}"):
			l.fail("an unusual redirection")
		}
	} else if c == '(' {
		l.fail("a bracket in an unusual place")
	} else if l.here != "" && strings.Contains(raw, "\n") {
		l.fail("an unusual here-document")
	}
	if l.odd != "" {
		return
	}
	switch l.place {
	case atStart, afterTime, afterNot:
		if bare && l.reserved(raw) {
			return
		}
		l.first(raw, word)
	case beforeName:
		if bare && (slices.Contains(openers, raw) || slices.Contains(closers, raw) || slices.Contains(foreign, raw) || raw == "for" || raw == "time" || raw == "!") {
			l.fail(raw + " in an unusual place")
			return
		}
		l.first(raw, word)
	case inWords:
		l.add("w" + word)
	case forWords:
		l.add("w" + word)
	case forName:
		if !bare || variableName.FindString(raw) != raw {
			l.fail("for without a variable")
			return
		}
		l.add("w" + word)
		l.place = forIn
	case forIn:
		if !bare || raw != "in" {
			l.fail("for without in")
			return
		}
		l.add("in")
		l.place = forWords
	case forDo:
		if !bare || raw != "do" {
			l.fail("for without do")
			return
		}
		l.add("do")
		l.place = atStart
	default:
		l.fail("a word in an unusual place")
	}
}

// first reads the first word of a command, or what is before it.
func (l *lister) first(raw, word string) {
	switch {
	case oddAssign.MatchString(raw):
		l.fail("an assignment that not every shell knows")
	case assigning.MatchString(raw) && l.place == afterTime:
		l.fail("time in an unusual place")
	case assigning.MatchString(raw):
		l.add("=" + word)
		l.place = beforeName
	default:
		l.add("w" + word)
		l.place = inWords
	}
}

// reserved reads a reserved word, where one counts.
func (l *lister) reserved(raw string) bool {
	opens, closes := slices.Contains(openers, raw), slices.Contains(closers, raw)
	middle := opens && raw != "if" && raw != "while" && raw != "until" && raw != "{" || closes // it ends a list
	switch {
	case slices.Contains(foreign, raw):
		l.fail("“" + raw + "”")
	case !opens && !closes && raw != "for" && raw != "time" && raw != "!":
		return false
	case l.place == afterTime, l.place == afterNot && (middle || raw == "!" || raw == "time"), raw == "time" && l.joined("|"), raw == "!" && l.joined("|"),
		middle && (l.joined("&&") || l.joined("||") || l.joined("|")):
		l.fail(raw + " in an unusual place")
	default:
		if middle {
			l.pending = false
		}
		l.add(raw)
		switch {
		case opens:
			l.place = atStart
		case closes:
			l.place = afterGroup
		default:
			l.place = map[string]place{"for": forName, "time": afterTime, "!": afterNot}[raw]
		}
	}
	return true
}

// joined reports whether an operator is the token before.
func (l *lister) joined(op string) bool {
	return !l.pending && len(l.tokens) > 0 && l.tokens[len(l.tokens)-1] == op
}
