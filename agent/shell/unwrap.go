package shell

import (
	"slices"
	"strings"
)

var (
	shells       = []string{"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"}
	interpreters = []string{"python", "python2", "python3", "perl", "ruby", "node", "php", "lua", "deno", "bun"}
	// wrappers run the command that their operands are, after flags of their own.
	wrappers = []string{"env", "timeout", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "command", "builtin", "exec", "xargs", "watch", "npx", "bunx",
		"busybox", "chroot", "unshare", "nsenter", "flock", "strace", "ltrace", "taskset", "chrt", "parallel", "script", "entr", "unbuffer", "caffeinate", "pnpx", "uvx", "fd", "fdfind", "sshpass", "proot", "fakeroot", "faketime", "dbus-run-session", "xvfb-run", "rlwrap", "setarch", "prlimit", "cpulimit", "systemd-run", "firejail", "bwrap", "gdb", "valgrind", "time", "ssh"}
)

// runners run the command after run or exec in the project's environment.
var runners = []string{"uv", "poetry", "pipenv", "pdm", "hatch", "bundle", "pnpm", "npm", "yarn", "coverage", "kubectl", "docker", "podman"}

// interpreter returns the name of an interpreter without its version.
func interpreter(name string) string {
	return strings.TrimRight(name, "0123456789.")
}

// maxFlags bounds how many words after a wrapper are tried as the start of its
// command. With wrappers of wrappers the readings multiply, and nobody uses more
// flags.
const maxFlags = 12

// unwrap returns the commands that a command runs, and the texts that it runs as
// shell code. It does not know the flags of wrappers: every word that could start
// the command is tried, because too many readings can only deny too much.
func unwrap(words []string) (inner [][]string, scripts []string) {
	if len(words) == 0 {
		return nil, nil
	}
	name, args := programOf(words), words[1:]
	switch {
	case name == "find":
		return findCommands(args), nil
	case name == "eval":
		return nil, []string{strings.Join(args, " ")}
	case name == "trap" && len(args) > 0:
		return nil, args[:1]
	case interpreter(name) == "python":
		if i := slices.Index(args, "-m"); i >= 0 && i+1 < len(args) {
			return [][]string{args[i+1:]}, nil
		}
		for i, a := range args {
			if programOf([]string{a}) == "manage" {
				return [][]string{args[i:]}, nil
			}
		}
	case slices.Contains(runners, name) && len(args) > 1 && (args[0] == "run" || args[0] == "exec"):
		return [][]string{args[1:]}, nil
	case slices.Contains(shells, name):
		if script, ok := shellScript(args); ok {
			return nil, []string{script}
		}
	}
	if !slices.Contains(wrappers, name) {
		return nil, nil
	}
	for i, a := range args[:min(len(args), maxFlags)] {
		inner = append(inner, args[i:])
		flag := strings.HasPrefix(a, "-") || strings.Contains(a, "=") || a != "" && a[0] >= '0' && a[0] <= '9'
		value := i > 0 && strings.HasPrefix(args[i-1], "-") || name == "flock" || name == "chroot"
		if strings.ContainsAny(a, " \t\n") { // watch 'cmd', env -S 'cmd', npx -c 'cmd', script -c 'cmd'
			scripts = append(scripts, a)
		}
		if !flag && !value {
			break
		}
	}
	return inner, scripts
}

// shellScript returns the text after the -c of a shell.
func shellScript(args []string) (string, bool) {
	c := false
	for i, a := range args {
		switch {
		case len(a) > 1 && (a[0] == '-' || a[0] == '+'):
			c = c || a[0] == '-' && a[1] != '-' && strings.Contains(a, "c")
		case i > 0 && (args[i-1] == "-o" || args[i-1] == "+o" || args[i-1] == "-O" || args[i-1] == "--rcfile" || args[i-1] == "--init-file"):
		default:
			return a, c
		}
	}
	return "", false
}

func findCommands(args []string) (inner [][]string) {
	for i, a := range args {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, a) {
			continue
		}
		end := i + 1
		for end < len(args) && args[end] != ";" && args[end] != "+" {
			end++
		}
		if end > i+1 {
			inner = append(inner, args[i+1:end])
		}
	}
	return inner
}

// runsText reports whether a command runs its arguments, or a file that they
// name, as a program. programOf returns "" for the command ".".
func runsText(words []string) bool {
	name := programOf(words)
	return slices.Contains(shells, name) || slices.Contains(interpreters, name) || slices.Contains([]string{"eval", "source", ""}, name)
}

// runsStdin reports whether a command runs what it reads as a program: a shell
// or an interpreter without a script of its own.
func runsStdin(words []string) bool {
	for _, w := range commandsOf(words, 0) {
		if len(w) == 0 {
			continue
		}
		name := programOf(w)
		isShell := slices.Contains(shells, name)
		if !isShell && !slices.Contains(interpreters, name) {
			continue
		}
		if noScript(w[1:], isShell) {
			return true
		}
	}
	return false
}

func noScript(args []string, isShell bool) bool {
	code := "cemrpE" // the flags of interpreters that say what to run
	if isShell {
		code = "c"
	}
	for _, a := range args {
		switch {
		case a == "-", a == "/dev/stdin", isShell && a == "-s":
			return true
		case strings.HasPrefix(a, "-") && strings.ContainsAny(a, code) && !strings.HasPrefix(a, "--"):
			return false
		case !strings.HasPrefix(a, "-"):
			return false
		}
	}
	return true
}
