package shell

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Policy is what the user's settings say about commands. The zero Policy asks
// for everything that does more than read.
type Policy struct {
	Allow    []Pattern // run without asking, unless another command in the line is asked for
	Ask      []Pattern // asked for every time
	Deny     []Pattern // never run
	Packages []Package // dependencies that may be added without asking
	Hosts    []string  // hosts that commands may reach: name, *.name for its subdomains, name:port
	// Sandboxed says that commands work on a private copy of the workspace, whose
	// changes are reviewed. Then commands that build, test and format run without
	// asking, as long as no host can be reached.
	Sandboxed bool
	Level     Level // how much runs without asking
}

// isolated reports whether code of the workspace can do no harm.
func (p *Policy) isolated() bool { return p.Sandboxed && len(p.Hosts) == 0 }

func (p *Policy) openness() string {
	if !p.Sandboxed {
		return "it does not run on a private copy"
	}
	return "could reach the hosts that sandbox.hosts opens"
}

// opens reports whether a host may be reached; port is "" or begins with a colon.
func (p *Policy) opens(host, port string) bool {
	return slices.ContainsFunc(p.Hosts, func(open string) bool {
		name, only, has := strings.Cut(open, ":")
		if has && ":"+only != port || !has && port != "" && port != ":80" && port != ":443" {
			return false
		}
		below, any := strings.CutPrefix(strings.ToLower(name), "*")
		host := strings.ToLower(host)
		return host == below || any && strings.HasSuffix(host, below) && len(host) > len(below)
	})
}

// Pattern is a command as a setting names it. In Allow it covers exactly its words;
// in Ask and Deny it covers every command that begins with them.
//
// A * as a word of its own stands for one word, and as the last word of an Allow for
// any number of words. In an Allow it never stands for a flag, a path outside of the
// workspace, or anything that looks like a secret.
type Pattern struct {
	words   []string
	setting string // such as `commands.deny "git push"`
}

// ParsePattern reads a pattern of a setting by the rules of the shell. The error
// completes "the value is not allowed: ".
func ParsePattern(setting, line string) (Pattern, error) {
	l, err := Parse(line)
	if err != nil {
		return Pattern{}, err
	}
	call, ok := l.file.Stmts[0].Cmd.(*syntax.CallExpr)
	if s := l.file.Stmts[0]; !ok || len(l.file.Stmts) > 1 || len(s.Redirs) > 0 || s.Background || s.Negated || len(call.Assigns) > 0 {
		return Pattern{}, fmt.Errorf("%q is more than one plain command", line)
	}
	p := Pattern{setting: fmt.Sprintf("%s %q", setting, line)}
	for _, arg := range call.Args {
		w, ok := literal(arg)
		if !ok || w.status || w.glob && w.text != "*" {
			return Pattern{}, fmt.Errorf("in %q the shell would expand %s; only a * as a word of its own is understood", line, written(arg))
		}
		p.words = append(p.words, w.text)
	}
	if p.words[0] == "*" {
		return Pattern{}, fmt.Errorf("%q names no program", line)
	}
	return p, nil
}

// ParseAllow is [ParsePattern] for commands.allow: it refuses patterns that would
// allow any program.
func ParseAllow(setting, line string) (Pattern, error) {
	p, err := ParsePattern(setting, line)
	if err != nil || !slices.Contains(p.words, "*") {
		return p, err
	}
	name := programOf(p.words)
	if slices.Contains(wrappers, name) || slices.Contains(shells, name) || slices.Contains(interpreters, name) && (len(p.words) < 3 || strings.HasPrefix(p.words[1], "-") && p.words[1] != "-m") || name == "eval" || name == "git" && len(p.words) == 2 {
		return Pattern{}, errors.New(line + " would allow any program: write the command out")
	}
	return p, nil
}

func (p *Pattern) says(what string) string {
	return fmt.Sprintf("The settings say to %s (%s).", what, p.setting)
}

// begins reports whether words begin with the pattern's.
func (p *Pattern) begins(words []string) bool {
	if len(words) < len(p.words) {
		return false
	}
	for i, w := range p.words {
		if w != words[i] && w != "*" && !(i == 0 && w == path.Base(words[0])) {
			return false
		}
	}
	return true
}

// covers reports whether a pattern of Allow covers a command.
func (p *Pattern) covers(words []word, depth int) bool {
	for i, w := range p.words {
		if w == "*" && i == len(p.words)-1 {
			return !slices.ContainsFunc(words[min(i, len(words)):], func(w word) bool { return !fills(w, depth) })
		}
		if i >= len(words) || !words[i].plain() || words[i].text != w && (w != "*" || !fills(words[i], depth)) {
			return false
		}
	}
	return len(words) == len(p.words)
}

// fills reports whether a * of a pattern may stand for a word.
func fills(w word, depth int) bool {
	return w.plain() && !strings.HasPrefix(w.text, "-") && !address.MatchString(w.text) && inside(w, depth) == ""
}

// allows returns the pattern that allows a command.
func (p *Policy) allows(c *command) *Pattern {
	if len(c.assigns) > 0 {
		return nil
	}
	for i := range p.Allow {
		if p.Allow[i].covers(c.words, c.depth) {
			return &p.Allow[i]
		}
	}
	return nil
}

// settings looks for a command in Deny and Ask.
func (g *guard) settings(words []string) *denial {
	if g.policy == nil || len(g.policy.Deny)+len(g.policy.Ask) == 0 {
		return nil
	}
	if programOf(words) == "git" {
		words = append([]string{"git"}, gitSubcommand(words[1:])...)
	}
	for i := range g.policy.Deny {
		if p := &g.policy.Deny[i]; p.begins(words) {
			return &denial{reason: p.says("deny it"), alternative: "Find another way, or ask the user to change the setting.", rule: p.setting}
		}
	}
	for i := range g.policy.Ask {
		if p := &g.policy.Ask[i]; g.asked == nil && p.begins(words) {
			g.asked = p
		}
	}
	return nil
}
