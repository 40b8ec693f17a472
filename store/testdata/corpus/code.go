package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	// maxCode bounds a function or the lines of a commit, in bytes: the size of a solution's core.
	maxCode = 3 << 10
	// minCode is the shortest function that says what it does.
	minCode = 80
	// minQuery is the shortest sentence that asks for something, in words.
	minQuery = 4
)

// codeRecords are functions with what their documentation says, and commits with their subjects.
func codeRecords(dir string, seed uint64, functions, commits int) ([]Record, error) {
	files, err := sources(dir)
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var found []Record
	for _, file := range slices.Compact(files) {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return nil, err
		}
		if filepath.Ext(file) == ".go" {
			found = append(found, goFunctions(string(text))...)
		} else {
			found = append(found, pythonFunctions(string(text))...)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	found = found[:min(len(found), functions)]
	changed, err := commitRecords(dir)
	rng.Shuffle(len(changed), func(i, j int) { changed[i], changed[j] = changed[j], changed[i] })
	return append(found, changed[:min(len(changed), commits)]...), err
}

var (
	goFunction     = regexp.MustCompile(`(?m)((?:^//.*\n)+)^func (?:\([^)]*\) )?(\w+)(?s:.*?)\n}\n`)
	pythonFunction = regexp.MustCompile(`(?m)^([ \t]*)def (\w+)\((?s:[^:]*?)\)[^\n]*:\n\s+[rRuU]*(?:"""|''')(?s:(.*?))(?:"""|''')\n`)
)

func goFunctions(text string) (found []Record) {
	for _, m := range goFunction.FindAllStringSubmatch(text, -1) {
		said := strings.ReplaceAll(regexp.MustCompile(`(?m)^// ?`).ReplaceAllString(m[1], ""), "\n", " ")
		found = ask(found, said, m[2], strings.TrimPrefix(m[0], m[1]))
	}
	return found
}

func pythonFunctions(text string) (found []Record) {
	for _, m := range pythonFunction.FindAllStringSubmatchIndex(text, -1) {
		indent, body := text[m[2]:m[3]], text[m[1]:]
		end := 0
		for line := range strings.Lines(body) {
			if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(line, indent+" ") && !strings.HasPrefix(line, indent+"\t") {
				break
			}
			end += len(line)
		}
		head, _, _ := strings.Cut(text[m[0]:m[1]], "\"\"\"")
		head, _, _ = strings.Cut(head, "'''")
		found = ask(found, text[m[6]:m[7]], text[m[4]:m[5]], head+body[:end])
	}
	return found
}

// ask adds a function with the first sentence about it, without its name: that would be found by
// any search.
func ask(found []Record, said, name, code string) []Record {
	said = strings.Join(strings.Fields(said), " ")
	first, _, _ := strings.Cut(said, ". ")
	first = strings.TrimSpace(regexp.MustCompile(`\b`+regexp.QuoteMeta(name)+`\b`).ReplaceAllString(first, ""))
	code = strings.TrimSpace(code[:min(len(code), maxCode)])
	if len(strings.Fields(first)) < minQuery || len(code) < minCode {
		return found
	}
	return append(found, Record{Query: first, Code: strings.ToValidUTF8(code, ""), Source: "documentation"})
}

// commitRecords are commits of few lines of code.
func commitRecords(dir string) (found []Record, err error) {
	cmd := exec.Command("git", "log", "--no-merges", "-n", "3000", "--format=%x00%s", "-p", "-U1", "--no-color", "--", "*.go", "*.py")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	dull := regexp.MustCompile(`(?i)\b(version|release|bump|changelog|typo|lint|black|flake8|pre-commit|copyright|readme)\b`)
	for part := range strings.SplitSeq(string(out), "\x00") {
		subject, diff, _ := strings.Cut(part, "\n")
		var b strings.Builder
		for line := range strings.Lines(diff) {
			switch {
			case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			case strings.HasPrefix(line, "@@"):
				b.WriteString("@@\n")
			case strings.TrimSpace(line) != "":
				b.WriteString(line)
			}
		}
		code := b.String()
		if len(strings.Fields(subject)) < minQuery || dull.MatchString(subject) || len(code) < minCode || len(code) > 4*maxCode {
			continue
		}
		found = append(found, Record{Query: subject, Code: strings.ToValidUTF8(code[:min(len(code), maxCode)], ""), Source: "commit"})
	}
	return found, nil
}
