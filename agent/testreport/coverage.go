package testreport

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"caselsp/store/lazyregexp"
)

// Covered are the lines of a file that a test run has seen, by line from 1: true where it ran.
// Lines without code are not among them.
type Covered map[int]bool

// Coverage are the lines that a test run has seen, by the file as its tool wrote it; see [Coverage.In].
type Coverage map[string]Covered

const (
	coveredFiles = 20_000    // of one run
	coveredLine  = 5_000_000 // the highest line that is believed
)

// ReadCoverage reads what tools for coverage write: coverage.py's JSON, Go's profile, lcov,
// the JSON of istanbul (c8, jest, nyc), and what V8 writes for NODE_V8_COVERAGE, which needs
// the sources of the files by the tree's names. An empty result is one that could not be read.
func ReadCoverage(files map[string][]byte, tree Tree, source func(name string) string) Coverage {
	c := Coverage{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		switch text := string(data); {
		case strings.HasPrefix(text, goMode):
			c.goProfile(text)
		case path.Ext(name) == ".json" && strings.Contains(text, `"executed_lines"`):
			c.coveragePy(data)
		case path.Ext(name) == ".json" && strings.Contains(text, `"statementMap"`):
			c.istanbul(data)
		case path.Ext(name) == ".json" && strings.Contains(text, `"scriptId"`):
			c.v8(data, tree, source)
		case strings.Contains(text, "SF:") && strings.Contains(text, "end_of_record"):
			c.lcov(text)
		}
	}
	return c
}

// In is the coverage of the files that are in the tree, by their names there.
func (c Coverage) In(tree Tree) Coverage {
	in := Coverage{}
	for name, lines := range c {
		if file := tree.File(name); file != "" {
			for line, ran := range lines {
				in.mark(file, line, ran)
			}
		}
	}
	return in
}

// mark notes a line. One that ran in any of several runs has run.
func (c Coverage) mark(file string, line int, ran bool) {
	if c[file] == nil {
		if len(c) >= coveredFiles {
			return
		}
		c[file] = Covered{}
	}
	if line > 0 && line <= coveredLine {
		c[file][line] = c[file][line] || ran
	}
}

// Lines are the lines of one file, sorted.
type Lines struct {
	Covered, Missed []int
}

// Of is what of some lines of a file is covered, and what is missed. Lines that the tool
// does not count as code are neither.
func (c Coverage) Of(file string, lines []int) (l Lines) {
	for _, line := range lines {
		if ran, code := c[file][line]; ran {
			l.Covered = append(l.Covered, line)
		} else if code {
			l.Missed = append(l.Missed, line)
		}
	}
	return l
}

// Ranges writes lines as 3-5, 9.
func Ranges(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, strconv.Itoa(lines[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", lines[i], lines[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// pyReport is coverage.py's JSON.
type pyReport struct {
	Files map[string]struct {
		Executed []int `json:"executed_lines"`
		Missing  []int `json:"missing_lines"`
	} `json:"files"`
}

func (c Coverage) coveragePy(data []byte) {
	var report pyReport
	if json.Unmarshal(data, &report) != nil {
		return
	}
	for name, f := range report.Files {
		for _, line := range f.Missing {
			c.mark(name, line, false)
		}
		for _, line := range f.Executed {
			c.mark(name, line, true)
		}
	}
}

// goMode is how Go's profile begins.
const goMode = "mode: "

var goBlock = lazyregexp.New(`(?m)^(.+):(\d+)\.\d+,(\d+)\.(\d+) \d+ (\d+)$`)

// goProfile reads Go's profile. A block that ends at a line's first column ends before it; the
// first line of a block is often that of the statement before it, which has run.
func (c Coverage) goProfile(text string) {
	missed := Coverage{}
	for _, m := range goBlock.FindAllStringSubmatch(text, -1) {
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		column, _ := strconv.Atoi(m[4])
		count, _ := strconv.Atoi(m[5])
		if column <= 6 && to > from {
			to-- // of a closing brace
		}
		for line := from; line <= to && line-from < coveredLine/100; line++ {
			if count > 0 {
				c.mark(m[1], line, true)
			} else {
				missed.mark(m[1], line, false)
			}
		}
	}
	for name, lines := range missed {
		for line := range lines {
			c.mark(name, line, false)
		}
	}
}

func (c Coverage) lcov(text string) {
	file := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "SF:"); ok {
			file = name
		}
		at, count, ok := strings.Cut(strings.TrimPrefix(line, "DA:"), ",")
		n, err := strconv.Atoi(at)
		if strings.HasPrefix(line, "DA:") && ok && err == nil && file != "" {
			count, _, _ = strings.Cut(count, ",")
			c.mark(file, n, count != "0")
		}
	}
}

// istanbulReport is istanbul's JSON, by file.
type istanbulReport map[string]struct {
	Path       string `json:"path"`
	Statements map[string]struct {
		Start struct {
			Line int `json:"line"`
		} `json:"start"`
	} `json:"statementMap"`
	Counts map[string]int64 `json:"s"`
}

func (c Coverage) istanbul(data []byte) {
	var report istanbulReport
	if json.Unmarshal(data, &report) != nil {
		return
	}
	for _, f := range report {
		for id, s := range f.Statements {
			c.mark(f.Path, s.Start.Line, f.Counts[id] > 0)
		}
	}
}

// v8Script is a script in what V8 writes. Offsets count UTF-16 units; an inner range
// overrules the one around it.
type v8Script struct {
	ID        string `json:"scriptId"`
	URL       string `json:"url"`
	Functions []struct {
		Ranges []struct {
			Start int   `json:"startOffset"`
			End   int   `json:"endOffset"`
			Count int64 `json:"count"`
		} `json:"ranges"`
	} `json:"functions"`
}

type v8Report struct {
	Result []v8Script `json:"result"`
}

func (c Coverage) v8(data []byte, tree Tree, source func(string) string) {
	var report v8Report
	if source == nil || json.Unmarshal(data, &report) != nil {
		return
	}
	for _, script := range report.Result {
		if file := tree.File(script.URL); file != "" {
			c.v8Script(file, source(file), script)
		}
	}
}

// blank are lines without code as far as their text shows.
var blank = lazyregexp.New(`^\s*(//.*|/?\*.*|[\])};,]*)\s*$`)

// v8Script marks the lines of a script: one has run if any of its code has.
func (c Coverage) v8Script(file, text string, script v8Script) {
	units := utf16.Encode([]rune(text))
	missed := make([]bool, len(units))
	for _, f := range script.Functions {
		for _, r := range f.Ranges {
			for i := max(0, r.Start); i < min(r.End, len(units)); i++ {
				missed[i] = r.Count == 0
			}
		}
	}
	at := 0
	line := 0
	for l := range strings.Lines(text) {
		line++
		size, ran, code := len(utf16.Encode([]rune(l))), false, false
		for i := at; i < at+size; i++ {
			if u := units[i]; u != ' ' && u != '\t' && u != '\r' && u != '\n' && u != '}' {
				code, ran = true, ran || !missed[i]
			}
		}
		at += size
		if code && !blank.MatchString(l) {
			c.mark(file, line, ran)
		}
	}
}
