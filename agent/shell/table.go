package shell

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed programs.txt
var programsText string

//go:embed sandbox.txt
var sandboxText string

//go:embed risks.txt
var risksText string

// operand says what the words that are not flags mean; see programs.txt.
type operand string

const (
	paths   operand = "paths"
	pattern operand = "pattern"
	text    operand = "text"
	none    operand = "none"
	single  operand = "single"
	format  operand = "format"
	write   operand = "write"
	copied  operand = "copy"
	message operand = "message"
)

// program is what is known about a program or a subcommand.
type program struct {
	name    string
	touches touch
	class   class // why it is asked for; "" for what is allowed
	takes   operand
	flags   map[string]byte // by flag with its dashes, the kind of its value: 0 (none), '=', '~', ':', '>', '?' or '!' (this value only)
	counts  bool            // -20 is a flag
	goStyle bool            // flags are whole words after one dash or two
	tame    bool            // see programs.txt
	through bool            // flags may follow --
}

// longest is how many words the longest name of a subcommand in the tables has.
const longest = 4

var programs, risks = load(programsText), loadRisks(risksText)

// sandboxPrograms are those that are known where the policy eases that. Those that programs
// has too are known by the flags of both.
var sandboxPrograms = merged(load(sandboxText), programs)

func merged(more, base map[string]*program) map[string]*program {
	for name, p := range more {
		if b := base[name]; b != nil {
			for f, kind := range b.flags {
				if _, ok := p.flags[f]; !ok {
					p.flags[f] = kind
				}
			}
			p.counts, p.through, p.takes, p.tame = p.counts || b.counts, p.through || b.through, b.takes, b.tame
		}
	}
	return more
}

// rows returns the lines of a table without comments.
func rows(table string) (list []string) {
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// load reads programs.txt. It panics on a mistake in the table, which any test would
// show.
func load(table string) map[string]*program {
	all := make(map[string]*program)
	for _, row := range rows(table) {
		head, flags, ok := strings.Cut(row, "|")
		words := strings.Fields(head)
		if !ok || len(words) < 3 || len(words) > 2+longest {
			panic("agent/shell/programs.txt: " + row)
		}
		p := &program{name: strings.Join(words[2:], " "), takes: operand(words[1]), flags: make(map[string]byte)}
		verb, c, _ := strings.Cut(words[0], "+")
		p.class = class(c)
		p.touches = verbs[verb] | classes[p.class].touches
		if p.touches == 0 || all[p.name] != nil {
			panic("agent/shell/programs.txt: " + row)
		}
		for _, f := range strings.Fields(flags) {
			p.add(f)
		}
		all[p.name] = p
	}
	return all
}

var verbs = map[string]touch{"read": reads, "write": reads | writes, "run": reads | writes | runs, "ask": reads}

// add reads one column of flags.
func (p *program) add(f string) {
	switch f {
	case "#":
		p.counts = true
		return
	case "@go":
		p.goStyle = true
		return
	case "@tame":
		p.tame = true
		return
	case "@through":
		p.through = true
		return
	}
	if long := strings.HasPrefix(f, "--"); long && strings.Contains(strings.TrimRight(f, "="), "=") {
		p.flags[f] = '!'
		return
	}
	kind := f[len(f)-1]
	if strings.IndexByte("=~:>?", kind) >= 0 {
		f = f[:len(f)-1]
	} else {
		kind = 0
	}
	if p.goStyle || strings.HasPrefix(f, "--") {
		p.flags[f] = kind
		return
	}
	for i := 1; i < len(f); i++ {
		p.flags["-"+f[i:i+1]] = kind
	}
}

// lookup finds the longest name in a table with which words begin, and the number
// of its words.
func lookup[T any](table map[string]T, words []word) (found T, n int) {
	name := ""
	for i, w := range words[:min(len(words), longest)] {
		if !w.plain() {
			break
		}
		if i > 0 {
			name += " "
		}
		name += w.text
		if entry, ok := table[name]; ok {
			found, n = entry, i+1
		}
	}
	return found, n
}

// flagged is a flag on a command line.
type flagged struct {
	name  string
	kind  byte
	value word
	has   bool // a value, attached or as the next word
	used  int  // how many words it takes
}

// flag reads the flags in the first of words, which may be a group of one-letter
// flags, or says why it cannot. Only known flags are taken; abbreviations, which
// some programs accept, are not known.
func (p *program) flag(words []word) (list []flagged, why objection) {
	a := words[0]
	if kind, ok := p.flags[a.text]; ok && kind == '!' {
		return []flagged{{name: a.text, used: 1}}, objection{}
	}
	if strings.HasPrefix(a.text, "--") || p.goStyle {
		name, value, attached := strings.Cut(a.text, "=")
		kind, ok := p.flags[name]
		if p.goStyle && !ok {
			kind, ok = p.flags[strings.TrimPrefix(name, "-")]
		}
		f := flagged{name: name, kind: kind, used: 1}
		switch {
		case !ok, attached && kind == 0 && !p.goStyle, a.glob && !attached:
			return nil, p.unknown(a.text)
		case attached:
			f.value, f.has = word{text: value, glob: a.glob, quoted: a.quoted}, true
		case kind != 0 && kind != '?':
			if len(words) < 2 {
				return nil, objection{text: fmt.Sprintf("The value of %s is missing.", name)}
			}
			f.value, f.has, f.used = words[1], true, 2
		}
		return []flagged{f}, objection{}
	}
	if a.glob {
		return nil, p.unknown(a.text)
	}
	for i := 1; i < len(a.text); i++ {
		kind, ok := p.flags["-"+a.text[i:i+1]]
		if !ok {
			return nil, p.unknown(a.text)
		}
		f := flagged{name: "-" + a.text[i:i+1], kind: kind, used: 1}
		rest := a.text[i+1:]
		switch {
		case kind == 0:
			list = append(list, f)
			continue
		case rest != "":
			f.value, f.has = word{text: rest, quoted: a.quoted}, true
		case kind == '?':
		case len(words) < 2:
			return nil, objection{text: fmt.Sprintf("The value of %s is missing.", f.name)}
		default:
			f.value, f.has, f.used = words[1], true, 2
		}
		return append(list, f), objection{}
	}
	return list, objection{}
}

// loadRisks reads risks.txt.
func loadRisks(table string) map[string]class {
	all := make(map[string]class)
	for _, row := range rows(table) {
		c, name, _ := strings.Cut(row, " ")
		if _, ok := classes[class(c)]; !ok {
			panic("agent/shell/risks.txt: " + row)
		}
		all[name] = class(c)
	}
	return all
}
