package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shape writes the commands in one way, or returns "" when one of them is never
// remembered.
func shape(commands []command) string {
	var b strings.Builder
	for _, c := range commands {
		if dangerous(c.words, 0) {
			return ""
		}
		switch c.before {
		case "":
		case ";":
			b.WriteString("; ")
		default:
			b.WriteString(" " + c.before + " ")
		}
		if c.timed {
			b.WriteString("time ")
		}
		for i, w := range c.words {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(quote(w, i == 0))
		}
		if c.merged {
			b.WriteString(" 2>&1")
		}
	}
	return b.String()
}

var bare = regexp.MustCompile(`^[\w./:@%+,=-]+$`)

// declarations are parsed as more than commands when they are not quoted, as
// keywords are.
var declarations = []string{"declare", "local", "export", "readonly", "typeset", "nameref", "let", "coproc", "time"}

// quote writes a word so that every shell, and Parse, takes it literally. The
// library's own quoting leaves bare what Parse is too careful to take.
func quote(word string, program bool) string {
	special := program && (strings.Contains(word, "=") || syntax.IsKeyword(word) || slices.Contains(declarations, word))
	if bare.MatchString(word) && !special {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}

// neverRemembered are the programs that can do too much, or too different
// things, for one yes to stand for the next: they remove, send, fetch, install,
// end processes or run what their arguments say.
var neverRemembered = []string{
	"rm", "rmdir", "unlink", "dd", "shred", "truncate", "mv", "ln", "chmod", "chown", "chgrp", "tee", "install", "mount", "umount",
	"kill", "pkill", "killall", "eval", "source", "exec", "trap", "alias", "unalias", "hash", "enable", "xargs", "parallel",
	"curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "socat", "telnet", "ftp", "docker", "podman", "kubectl", "helm", "terraform", "aws", "gcloud", "az", "gh",
	"pip", "pip3", "pipx", "uv", "poetry", "conda", "npx", "bunx", "gem", "bundle", "composer", "apt", "apt-get", "yum", "dnf", "brew", "apk", "pacman",
	"awk", "gawk", "mawk", "nawk", "sed", "perl", "ruby", "php", "lua", "tar", "zip", "unzip", "vi", "vim", "nvim", "emacs", "ed", "ex", "less", "more", "man",
	"crontab", "at", "systemctl", "service", "deno", "gdb", "strace", "expect", "screen", "tmux", "cd", "pushd", "popd", "export", "set", "unset",
}

// gitRemembered are the subcommands of git that change no more than what the
// next one of them could change as well.
var gitRemembered = []string{"status", "diff", "log", "show", "blame", "ls-files", "rev-parse", "describe", "add", "commit", "fetch"}

// managers run what the project's manifest says under a name that can be
// anything; only the test run and what just reads is remembered.
var managers = map[string][]string{
	"npm": {"test", "ls", "--version", "-v"}, "yarn": {"test", "--version", "-v"}, "pnpm": {"test", "ls", "--version", "-v"}, "bun": {"test", "--version", "-v"},
	"go": {"version", "build", "test", "vet", "list", "doc"}, "cargo": {"build", "test", "check", "clippy", "fmt", "--version"},
}

// dangerous reports whether a command is asked for every time.
func dangerous(words []string, depth int) bool {
	name, args := programOf(words), words[1:]
	switch {
	case depth > maxDepth, strings.Contains(words[0], "/"), name == "":
		return true // a script of the workspace is another one after the next edit
	case slices.Contains(neverRemembered, name), slices.Contains(shells, name) && !onlyVersion(args):
		return true
	case name == "find":
		return slices.ContainsFunc(args, func(a string) bool { _, ok := findTests[a]; return strings.HasPrefix(a, "-") && !ok })
	case name == "git":
		return dangerousGit(args)
	case slices.Contains(interpreters, name) && managers[name] == nil:
		return dangerousInterpreter(args)
	}
	if _, ok := denials[name]; ok {
		return true
	}
	if subcommands, ok := managers[name]; ok {
		runs := func(a string) bool {
			return strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-toolexec") || strings.HasPrefix(a, "-vettool") || strings.HasPrefix(a, "-overlay")
		}
		return len(args) == 0 || !slices.Contains(subcommands, args[0]) || slices.ContainsFunc(args, runs)
	}
	inner, scripts := unwrap(words)
	for _, w := range inner {
		if dangerous(w, depth+1) {
			return true
		}
	}
	return len(scripts) > 0
}

func onlyVersion(args []string) bool { return len(args) == 1 && args[0] == "--version" }

func dangerousGit(args []string) bool {
	if len(args) > 0 && args[0] == "--no-pager" {
		args = args[1:]
	}
	if len(args) == 1 && (args[0] == "--version" || args[0] == "-v") {
		return false
	}
	if len(args) == 0 || !slices.Contains(gitRemembered, args[0]) {
		return gitReads(args) != ""
	}
	for _, a := range args[1:] {
		for _, bad := range []string{"--output", "--ext-diff", "--textconv", "-O", "--no-index", "--upload-pack", "--exec", "--open-files-in-pager"} {
			if strings.HasPrefix(a, bad) {
				return true
			}
		}
	}
	return false
}

// dangerousInterpreter allows a script of the project and the test runners that
// are started as a module to be remembered; never code in the arguments.
func dangerousInterpreter(args []string) bool {
	if len(args) == 0 {
		return true
	}
	if args[0] == "-m" && len(args) > 1 {
		return !slices.Contains([]string{"pytest", "unittest", "coverage", "mypy", "black", "ruff", "pylint", "flake8", "isort", "doctest"}, args[1])
	}
	return strings.HasPrefix(args[0], "-") && !(len(args) == 1 && strings.Trim(args[0], "-vV") == "") && !onlyVersion(args)
}
