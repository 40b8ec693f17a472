package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"caselsp/store/lazyregexp"
)

// variable is one line of a .env file.
var variable = lazyregexp.New(`^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$`)

// LoadEnv reads the file .env of the user's configuration folder, which holds
// keys as NAME=value lines: comments, export, and single and double quotes as
// in a shell, but nothing is expanded. The process's own environment goes
// before it; that is the caller's part. A missing file holds nothing. No problem
// repeats what a line holds.
func LoadEnv(dir string) (map[string]string, []Problem) {
	file := filepath.Join(dir, EnvFile)
	l := Layer{Origin: User, Place: file}
	text, err := read(file, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []Problem{l.problem("", "not readable: %v", err)}
	}
	var problems []Problem
	if about, err := os.Stat(file); err == nil && about.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		problems = append(problems, l.problem("", "other users of this machine can read the keys in it; run: chmod 600 %s", file))
	}
	found := make(map[string]string)
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := variable.FindStringSubmatch(line)
		value, ok := "", m != nil
		if ok {
			value, ok = unquote(m[2])
		}
		if !ok {
			problems = append(problems, l.ignoring("", "line %d is not NAME=value with closed quotes", i+1))
			continue
		}
		found[m[1]] = value
	}
	return found, problems
}

// unquote returns the value of a line's right side.
func unquote(s string) (string, bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		if i := strings.Index(s, " #"); i >= 0 {
			s = s[:i]
		}
		return strings.TrimSpace(s), true
	}
	mark := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == mark:
			rest := strings.TrimSpace(s[i+1:])
			return b.String(), rest == "" || rest[0] == '#'
		case s[i] == '\\' && mark == '"' && i+1 < len(s):
			i++
			if s[i] == 'n' {
				b.WriteByte('\n')
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return "", false
}
