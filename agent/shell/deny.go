package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// denial says why a line is never run.
type denial struct {
	reason, alternative string
	rule                string // the setting that decided; "" for the built-in rules
}

// guard looks for commands that never run, and for those that a setting wants to
// be asked for.
type guard struct {
	policy *Policy
	asked  *Pattern // the first pattern of commands.ask that matched
}

// maxDepth bounds how deep nested commands (sh -c "sh -c ...") are followed; nobody
// nests four by hand, and deeper ones are asked for.
const maxDepth = 4

// denied looks at every simple command of a line, also inside substitutions,
// functions and the arguments of programs that run others.
func (g *guard) denied(node syntax.Node, depth int) (found *denial) {
	if depth > maxDepth {
		return nil
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		if found != nil {
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			found = g.deniedRedirect(n, depth)
		case *syntax.CallExpr:
			if words := looseWords(n); len(words) > 0 {
				found = g.deniedWords(words, depth)
				if found == nil && runsText(words) && fetches(n) {
					found = &fetched
				}
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				found = g.deniedPipe(n, depth)
			}
		case *syntax.FuncDecl:
			if n.Name != nil && bomb(n) {
				found = &denial{reason: "It starts copies of itself without end (a fork bomb).", alternative: "Start a fixed number of processes."}
			}
		}
		return found == nil
	})
	return found
}

// deniedScript judges text that a program would run as shell code.
func (g *guard) deniedScript(script string, depth int) *denial {
	if depth >= maxDepth {
		return nil
	}
	file, _, err := parse(script)
	if err != nil {
		return nil
	}
	return g.denied(file, depth+1)
}

func looseWords(call *syntax.CallExpr) []string {
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i] = loose(w)
	}
	return words
}

// deniedWords judges one simple command, and the commands that it runs.
func (g *guard) deniedWords(words []string, depth int) *denial {
	if len(words) == 0 || depth > maxDepth {
		return nil
	}
	if d := g.settings(words); d != nil {
		return d
	}
	if rule, ok := denials[programOf(words)]; ok {
		if d := rule(words[1:]); d != nil {
			return d
		}
	}
	inner, scripts := unwrap(words)
	for _, w := range inner {
		if d := g.deniedWords(w, depth+1); d != nil {
			return d
		}
	}
	for _, s := range scripts {
		if d := g.deniedScript(s, depth); d != nil {
			return d
		}
	}
	return nil
}

// programOf returns the name of the program that words run, without its folder
// and without the version or the kind behind a dot (mkfs.ext4, python3.12).
func programOf(words []string) string {
	if len(words) == 0 { // only assignments
		return ""
	}
	name, _, _ := strings.Cut(path.Base(words[0]), ".")
	return name
}

// deniedRedirect judges redirections of output, and here-documents that a shell runs.
func (g *guard) deniedRedirect(s *syntax.Stmt, depth int) *denial {
	call, _ := s.Cmd.(*syntax.CallExpr)
	for _, r := range s.Redirs {
		if target := loose(r.Word); strings.HasPrefix(target, "/dev/tcp/") || strings.HasPrefix(target, "/dev/udp/") {
			return &denial{reason: "It opens a network connection from the shell itself.", alternative: "Use a program that is made for it, and ask first."}
		}
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.DplOut:
			if target := loose(r.Word); belongsToMachine(target) {
				return writesTo(target)
			}
		}
		if call == nil || !runsStdin(looseWords(call)) {
			continue
		}
		if fetches(r) {
			return &fetched
		}
		for _, text := range []*syntax.Word{r.Hdoc, r.Word} {
			if text != nil && (r.Op == syntax.WordHdoc || text == r.Hdoc) {
				if d := g.deniedScript(loose(text), depth); d != nil {
					return d
				}
			}
		}
	}
	return nil
}

func writesTo(target string) *denial {
	return &denial{reason: fmt.Sprintf("It writes to %s, which belongs to the system, not to the workspace.", target), alternative: "Write to a file inside the workspace."}
}

var fetched = denial{
	reason:      "It runs a program that it has just downloaded or decoded, which nobody has reviewed.",
	alternative: "Save it to a file, read it, and then ask to run it.",
}

// fetchers print text from elsewhere, or decode text that cannot be reviewed.
var fetchers = []string{"curl", "wget", "fetch", "http", "https", "aria2c", "lynx", "nc", "ncat", "socat", "base64", "base32", "xxd", "openssl"}

// deniedPipe judges pipelines that end in a shell.
func (g *guard) deniedPipe(b *syntax.BinaryCmd, depth int) *denial {
	last, ok := b.Y.Cmd.(*syntax.CallExpr)
	if !ok || !runsStdin(looseWords(last)) {
		return nil
	}
	if fetches(b.X) {
		return &fetched
	}
	said, ok := b.X.Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	if words := looseWords(said); len(words) > 1 && (words[0] == "echo" || words[0] == "printf") {
		return g.deniedScript(strings.Join(words[1:], " "), depth)
	}
	return nil
}

// fetches reports whether a fetcher is called anywhere in a node.
func fetches(node syntax.Node) (found bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			for _, w := range commandsOf(looseWords(call), 0) {
				found = found || slices.Contains(fetchers, programOf(w))
			}
		}
		return !found
	})
	return found
}

// commandsOf returns a command and the commands that it runs in turn.
func commandsOf(words []string, depth int) [][]string {
	all := [][]string{words}
	if depth < maxDepth {
		inner, _ := unwrap(words)
		for _, w := range inner {
			all = append(all, commandsOf(w, depth+1)...)
		}
	}
	return all
}

// bomb reports whether a function calls itself in a pipe or in the background.
func bomb(f *syntax.FuncDecl) (found bool) {
	calls := func(n syntax.Node) (yes bool) {
		syntax.Walk(n, func(n syntax.Node) bool {
			call, ok := n.(*syntax.CallExpr)
			yes = yes || ok && len(call.Args) > 0 && loose(call.Args[0]) == f.Name.Value
			return !yes
		})
		return yes
	}
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			found = found || n.Op == syntax.Pipe && calls(n)
		case *syntax.Stmt:
			found = found || n.Background && calls(n)
		}
		return !found
	})
	return found
}
