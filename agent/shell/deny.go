package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// denial says why a line is never run.
type denial struct{ reason, alternative string }

// maxDepth bounds how deep commands within commands (sh -c "sh -c ...") are
// looked into; nobody writes four by hand, and what is deeper is asked for.
const maxDepth = 4

// denial looks at every simple command of the line, also inside substitutions,
// functions and the arguments of programs that run others.
func (l *Line) denial() *denial { return denied(l.file, 0) }

func denied(node syntax.Node, depth int) (found *denial) {
	if depth > maxDepth {
		return nil
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		if found != nil {
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			found = deniedRedirect(n, depth)
		case *syntax.CallExpr:
			if words := looseWords(n); len(words) > 0 {
				found = deniedWords(words, depth)
				if found == nil && runsText(words) && fetches(n) {
					found = &fetched
				}
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				found = deniedPipe(n, depth)
			}
		case *syntax.FuncDecl:
			if n.Name != nil && bomb(n) {
				found = &denial{"It starts copies of itself without end.", "Start a fixed number of processes."}
			}
		}
		return found == nil
	})
	return found
}

// deniedScript judges text that a program would run as shell.
func deniedScript(script string, depth int) *denial {
	if depth >= maxDepth {
		return nil
	}
	file, err := parse(script)
	if err != nil {
		return nil
	}
	return denied(file, depth+1)
}

func looseWords(call *syntax.CallExpr) []string {
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		words[i] = loose(w)
	}
	return words
}

// deniedWords judges one simple command, and what it runs if it runs others.
func deniedWords(words []string, depth int) *denial {
	if len(words) == 0 || depth > maxDepth {
		return nil
	}
	if rule, ok := denials[programOf(words)]; ok {
		if d := rule(words[1:]); d != nil {
			return d
		}
	}
	inner, scripts := unwrap(words)
	for _, w := range inner {
		if d := deniedWords(w, depth+1); d != nil {
			return d
		}
	}
	for _, s := range scripts {
		if d := deniedScript(s, depth); d != nil {
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

// deniedRedirect judges where output goes, and here-documents that a shell runs.
func deniedRedirect(s *syntax.Stmt, depth int) *denial {
	call, _ := s.Cmd.(*syntax.CallExpr)
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.DplOut:
			if target := loose(r.Word); system(target) {
				return writes(target)
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
				if d := deniedScript(loose(text), depth); d != nil {
					return d
				}
			}
		}
	}
	return nil
}

func writes(target string) *denial {
	return &denial{fmt.Sprintf("It writes to %s, which belongs to the machine and not to the task.", target), "Write to a file inside the workspace."}
}

var fetched = denial{
	"It runs a program that it has just fetched or decoded, which nobody has seen.",
	"Save it to a file, read it, and then ask to run it.",
}

// fetchers give text from elsewhere, or text that cannot be read as it stands.
var fetchers = []string{"curl", "wget", "fetch", "http", "https", "aria2c", "lynx", "nc", "ncat", "socat", "base64", "base32", "xxd", "openssl"}

// deniedPipe judges pipelines that end in a shell.
func deniedPipe(b *syntax.BinaryCmd, depth int) *denial {
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
		return deniedScript(strings.Join(words[1:], " "), depth)
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

// commandsOf returns words and the commands that they run in turn.
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
