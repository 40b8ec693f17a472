package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/validate"
	"caselsp/sandbox"
	"caselsp/store/lazyregexp"
)

// packagesOf are the folders of files, as Go's tools take them.
func packagesOf(files []string) []string {
	seen := map[string]bool{}
	for _, f := range files {
		seen["./"+path.Dir(f)] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// vetLine makes go vet say the file of every finding from the root of the tree.
func vetLine(_ []sandbox.File, files []string) string {
	return "go vet -json" + quoted(packagesOf(files)) + " >" + reportFile + " 2>&1; cat " + reportFile
}

var (
	// place is how Go's tools write one: ./a/b.go:3:14
	place = lazyregexp.New(`^(.+?\.go):(\d+)(?::(\d+))?$`)

	// compileError is what go vet says of a package that does not compile.
	compileError = lazyregexp.New(`(?m)^(?:vet: )?(\S+\.go):(\d+)(?::(\d+))?: (.+)$`)
)

func readVet(report, _ string) ([]issue, error) {
	var issues []issue
	var text strings.Builder
	broken := ""
	for _, line := range strings.SplitAfter(report, "\n") {
		if strings.HasPrefix(line, "go: ") && !strings.HasPrefix(line, "go: downloading ") && !strings.HasPrefix(line, "go: finding ") {
			broken += line
		}
		if m := compileError.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			issues = append(issues, issue{Reported: validate.Reported{Path: m[1], Rule: "compile", Severity: validate.Warning, Line: number(m[2]), Column: number(m[3]), Message: m[4]}})
		} else if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: ") {
			text.WriteString(line)
		}
	}
	reader := json.NewDecoder(strings.NewReader(text.String()))
	for {
		var packages map[string]map[string]json.RawMessage
		if err := reader.Decode(&packages); err == io.EOF && broken != "" && len(issues) == 0 {
			return nil, &notRun{broken}
		} else if err == io.EOF {
			return issues, nil
		} else if err != nil {
			if len(issues) > 0 {
				return issues, nil
			}
			return nil, fmt.Errorf("%w: %s", err, telling(report))
		}
		for _, name := range slices.Sorted(maps.Keys(packages)) {
			for _, analyzer := range slices.Sorted(maps.Keys(packages[name])) {
				issues = append(issues, diagnostics(analyzer, packages[name][analyzer])...)
			}
		}
	}
}

func diagnostics(analyzer string, raw json.RawMessage) []issue {
	var list []struct{ Posn, End, Message string }
	if json.Unmarshal(raw, &list) != nil {
		return nil // an error of the analyzer, which the compiler has told better
	}
	var issues []issue
	for _, d := range list {
		m := place.FindStringSubmatch(d.Posn)
		if m == nil {
			continue
		}
		i := issue{Reported: validate.Reported{
			Path: m[1], Rule: analyzer, Severity: validate.Warning, Line: number(m[2]), Column: number(m[3]), Message: d.Message,
			Docs: "https://pkg.go.dev/golang.org/x/tools/go/analysis/passes/" + analyzer,
		}}
		if e := place.FindStringSubmatch(d.End); e != nil {
			i.EndLine, i.EndColumn = number(e[2]), number(e[3])
		}
		issues = append(issues, i)
	}
	return issues
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // "" is 0: not said
	return n
}

// gosecLine does without -quiet, by which gosec writes no report where it finds nothing.
func gosecLine(_ []sandbox.File, files []string) string {
	return "gosec -no-fail -fmt=json -out=" + reportFile + quoted(packagesOf(files))
}

func readGosec(report, output string) ([]issue, error) {
	var all struct {
		Errors map[string][]struct {
			Line, Column int
			Error        string
		} `json:"Golang errors"`
		Issues []struct {
			Severity, Confidence string
			CWE                  struct{ ID, URL string }
			Rule                 string `json:"rule_id"`
			Details, File        string
			Line, Column         string
		}
	}
	if report == "" {
		return nil, errNoReport
	}
	if err := json.Unmarshal([]byte(report), &all); err != nil {
		return nil, err
	}
	var issues []issue
	for _, r := range all.Issues {
		first, _, _ := strings.Cut(r.Line, "-")
		i := issue{
			Reported: validate.Reported{Path: r.File, Rule: r.Rule, Line: number(first), Column: number(r.Column), Message: r.Details + ".", Docs: "https://github.com/securego/gosec#available-rules", Standards: cwe(number(r.CWE.ID))},
			severity: grade(r.Severity), confidence: grade(r.Confidence),
		}
		issues = append(issues, i)
	}
	for _, file := range slices.Sorted(maps.Keys(all.Errors)) {
		for _, e := range all.Errors[file] {
			issues = append(issues, issue{Reported: validate.Reported{Path: file, Rule: "compile", Severity: validate.Warning, Line: e.Line, Column: e.Column, Message: e.Error}})
		}
	}
	return issues, nil
}
