package main

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode/utf16"

	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
)

// validateFormats write what was found.
var validateFormats = map[string]func(io.Writer, *judging) error{
	"text": validateText, "json": validateJSON, "sarif": validateSARIF, "github": validateGitHub,
}

// lspPosition and lspRange are places as the Language Server Protocol has them:
// from 0, in UTF-16 units.
type lspPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type lspRange struct {
	Start lspPosition `json:"start"`
	End   lspPosition `json:"end"`
}

func utf16Position(text string, p syntax.Position) lspPosition {
	return lspPosition{p.Line, len(utf16.Encode([]rune(text[p.Offset-p.Byte : p.Offset])))}
}

func rangeOf(text string, f validate.Finding) lspRange {
	return lspRange{utf16Position(text, f.Start), utf16Position(text, f.End)}
}

func validateText(out io.Writer, j *judging) error {
	count := map[validate.Severity]int{}
	for _, file := range j.found {
		for _, f := range file.found {
			r := rangeOf(file.text, f)
			if _, err := fmt.Fprintf(out, "%s:%d:%d: %s: %s [%s]\n", clean(file.name), r.Start.Line+1, r.Start.Character+1, f.Severity, clean(f.Message), f.Rule); err != nil {
				return err
			}
			count[f.Severity]++
		}
	}
	var parts []string
	for _, s := range validate.Severities {
		if count[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	if parts == nil {
		parts = []string{"nothing found"}
	}
	summary := append([]string{fmt.Sprintf("%s in %s", strings.Join(parts, ", "), numbered(j.files, "file"))}, j.silent.lines()...)
	_, err := fmt.Fprintln(out, clean(strings.Join(summary, "\n")))
	return err
}

// jsonFinding is a finding for programs.
type jsonFinding struct {
	File      string            `json:"file"`
	Rule      string            `json:"rule"`
	Severity  validate.Severity `json:"severity"`
	Range     lspRange          `json:"range"`
	Message   string            `json:"message"`
	Standards []string          `json:"standards"`
	Docs      string            `json:"docs"`
	Fix       *jsonFix          `json:"fix,omitempty"`
}

type jsonFix struct {
	Title string     `json:"title"`
	Edits []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	Range   lspRange `json:"range"`
	NewText string   `json:"newText"`
}

func validateJSON(out io.Writer, j *judging) error {
	list := []jsonFinding{}
	for _, file := range j.found {
		tree := syntax.Parse(syntax.Unknown, file.text)
		for _, f := range file.found {
			x := jsonFinding{File: file.name, Rule: f.Rule, Severity: f.Severity, Range: rangeOf(file.text, f), Message: f.Message, Standards: f.Standards, Docs: f.Docs}
			if x.Standards == nil {
				x.Standards = []string{}
			}
			if f.Fix != nil {
				x.Fix = &jsonFix{Title: f.Fix.Title}
				for _, e := range f.Fix.Edits {
					x.Fix.Edits = append(x.Fix.Edits, jsonEdit{lspRange{utf16Position(file.text, tree.Position(e.Start)), utf16Position(file.text, tree.Position(e.End))}, e.New})
				}
			}
			list = append(list, x)
		}
	}
	enc := newEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(j.silent.json(object{"findings": list}))
}

// validateGitHub writes GitHub's workflow commands, which show findings beside
// the changed lines.
func validateGitHub(out io.Writer, j *judging) error {
	kinds := map[validate.Severity]string{validate.Critical: "error", validate.Warning: "warning", validate.Info: "notice"}
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, file := range j.found {
		for _, f := range file.found {
			r := rangeOf(file.text, f)
			if _, err := fmt.Fprintf(out, "::%s file=%s,line=%d,col=%d,endLine=%d,endColumn=%d,title=%s::%s\n", kinds[f.Severity], property.Replace(clean(file.name)),
				r.Start.Line+1, r.Start.Character+1, r.End.Line+1, r.End.Character+1, property.Replace(f.Rule), message.Replace(clean(f.Message))); err != nil {
				return err
			}
		}
	}
	for _, line := range j.silent.lines() {
		if _, err := fmt.Fprintf(out, "::notice title=caselsp::%s\n", message.Replace(clean(line))); err != nil {
			return err
		}
	}
	return nil
}

// object keeps SARIF's many small objects readable.
type object = map[string]any

// validateSARIF writes the Static Analysis Results Interchange Format 2.1.0.
func validateSARIF(out io.Writer, j *judging) error {
	levels := map[validate.Severity]string{validate.Critical: "error", validate.Warning: "warning", validate.Info: "note"}
	index, described := map[string]int{}, []object{}
	for i, r := range rules.Default().Rules() {
		index[r.ID] = i
		tags := append([]string{string(r.Category)}, r.Standards...)
		described = append(described, object{
			"id": r.ID, "shortDescription": object{"text": r.Title}, "fullDescription": object{"text": r.Doc},
			"help":                 object{"text": r.Doc, "markdown": rules.Default().Explain(r.ID)},
			"defaultConfiguration": object{"level": levels[r.Severity]}, "properties": object{"tags": tags},
		})
	}
	results := []object{}
	for _, file := range j.found {
		tree := syntax.Parse(syntax.Unknown, file.text)
		address := object{"uri": (&url.URL{Path: file.name}).EscapedPath()}
		for _, f := range file.found {
			r := object{
				"ruleId": f.Rule, "level": levels[f.Severity], "message": object{"text": f.Message},
				"locations": []object{{"physicalLocation": object{"artifactLocation": address, "region": region(rangeOf(file.text, f))}}},
			}
			if at, ours := index[f.Rule]; ours { // a linter's rule has no entry
				r["ruleIndex"] = at
			}
			if f.Fix != nil {
				var changes []object
				for _, e := range f.Fix.Edits {
					at := lspRange{utf16Position(file.text, tree.Position(e.Start)), utf16Position(file.text, tree.Position(e.End))}
					changes = append(changes, object{"deletedRegion": region(at), "insertedContent": object{"text": e.New}})
				}
				r["fixes"] = []object{{"description": object{"text": f.Fix.Title}, "artifactChanges": []object{{"artifactLocation": address, "replacements": changes}}}}
			}
			results = append(results, r)
		}
	}
	enc := newEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{j.silent.sarif(object{
			"tool":       object{"driver": object{"name": "caselsp", "version": versionText(), "rules": described}},
			"columnKind": "utf16CodeUnits", "results": results,
		})},
	})
}

// region is a place as SARIF has it: from 1.
func region(r lspRange) object {
	return object{"startLine": r.Start.Line + 1, "startColumn": r.Start.Character + 1, "endLine": r.End.Line + 1, "endColumn": r.End.Character + 1}
}

// numbered returns a number with its noun: 1 file, 2 files.
func numbered(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
