package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"caselsp/agent"
	"caselsp/agent/fixcheck"
	"caselsp/agent/workspace"
	"caselsp/sandbox"

	"github.com/spf13/cobra"
)

const fixcheckLong = `Shows, tries and makes fix validators: programs that judge what a model claims to have fixed after a failed
test, before the tests run again. One is a manifest and a script in a folder. It reads the claim as JSON, and writes
a verdict as JSON, in the sandbox. Those that are shipped are always there; yours are in the folder "validators" beside
your settings, and a workspace's in .caselsp/validators, which count only where the workspace is trusted.
See "caselsp help fixcheck".`

func fixcheckCommand(w *wiring) *cobra.Command {
	return group(&cobra.Command{
		Use:   "fixcheck",
		Short: "List, make and try the validators of claimed fixes",
		Long:  fixcheckLong,
		Example: `  caselsp fixcheck list
  caselsp fixcheck new missing-key --language python
  caselsp fixcheck test missing-key
  caselsp fixcheck run claim.json`,
	}, fixcheckList(w), fixcheckNew(), fixcheckTest(w), fixcheckRun(w), fixcheckShow(w), fixcheckApprove(w), fixcheckRemove(w))
}

// fixEngine is what the commands need of an engine: settings, trust, and the workspace's folder. It opens no store.
func (w *wiring) fixEngine() (*engine, error) {
	ws, err := workspace.Open(w.dir)
	if err != nil {
		return nil, err
	}
	e := &engine{workspace: ws, set: w.set, dir: w.dir, closers: []io.Closer{ws}}
	e.configure(w, nil)
	for _, p := range e.problems {
		fmt.Fprintln(os.Stderr, "caselsp:", clean(p.String()))
	}
	return e, nil
}

// errNoFixBox says that nothing can judge a claim.
var errNoFixBox = errors.New("validators run in the sandbox, and sandbox.engine is none: set it to auto, docker or native")

// fixBox is the sandbox in which validators run.
func (e *engine) fixBox(ctx context.Context) (sandbox.Engine, error) {
	b := &box{settings: e.settings.Sandbox, name: strings.Join(e.dirs(), ", ")}
	e.closers = append(e.closers, b)
	engine, err := b.engine(ctx)
	if err == nil && engine == nil {
		err = errNoFixBox
	}
	return engine, err
}

func fixcheckList(w *wiring) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the validators that judge fixes, and what is wrong with others",
		Long: `Lists the checks that are built in, then the validators: shipped ones, yours, and those of the workspace where it is
trusted. What is wrong with others, and folders that are left out, are on standard error; with --json they are objects
with "problem".`,
		Example: "  caselsp fixcheck list\n  caselsp fixcheck list --json | jq 'select(.wrong > 0)'",
		Args:    positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := w.fixEngine()
			if err != nil {
				return err
			}
			defer e.Close()
			found := e.findValidators()
			list, err := w.listed(cmd.Context(), &found)
			if err != nil {
				return err
			}
			if asJSON {
				err = printLines(os.Stdout, list)
				return errors.Join(err, printLines(os.Stdout, found.told()))
			}
			err = printValidators(os.Stdout, list, columnsOf(os.Stdout, listWidth))
			for _, p := range found.told() {
				fmt.Fprintln(os.Stderr, "caselsp:", clean(p.Problem))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object each")
	return cmd
}

// toldProblem is why some validator does not count.
type toldProblem struct {
	Problem string `json:"problem"`
}

func (f foundValidators) told() (list []toldProblem) {
	for _, p := range f.problems {
		list = append(list, toldProblem{p.Error()})
	}
	for _, dir := range f.untrusted {
		list = append(list, toldProblem{fmt.Sprintf("the validators in %s of %s are left out, because the folder is not trusted: `caselsp trust` trusts it", workspaceValidators, dir)})
	}
	return list
}

// shortList is a list for a table, in so many columns; --json has all.
func shortList(list []string, width int) string {
	text := strings.Join(list, ", ")
	for n := len(list) - 1; n > 0 && utf8.RuneCountInString(text) > width; n-- {
		text = fmt.Sprintf("%s, %d more", strings.Join(list[:n], ", "), len(list)-n)
	}
	if whole := []rune(text); len(whole) > width {
		return string(whole[:width-1]) + "…"
	}
	return text
}

const (
	// listWidth is the width of the list in columns where it is not shown on a terminal, which has its own.
	listWidth = 80
	// narrowestList is the width below which the list does not go: some words of a description, or of an error type, and whole
	// names would not fit. A narrower terminal breaks the lines.
	narrowestList = 60
	// leastErrors is how many columns the errors of a validator have at least: long names leave less than the width.
	leastErrors = 12
)

// printValidators prints a list that is width columns wide: two lines or more for each validator.
func printValidators(out io.Writer, list []agent.ListedValidator, width int) error {
	width = max(width, narrowestList)
	rows, columns := [][]string{{"NAME", "ORIGIN", "THRESHOLD", "RIGHT", "ERRORS"}}, 4
	for _, v := range list {
		threshold := fmt.Sprintf("%.2f", v.Threshold)
		if !v.AutoApply {
			threshold = "shown" // it sends nothing back
		}
		right := "-"
		if n := v.Right + v.Wrong; n > 0 {
			right = fmt.Sprintf("%d of %d", v.Right, n)
		}
		if v.Retired {
			threshold = "retired"
		}
		rows = append(rows, []string{clean(v.Name), string(v.Origin), threshold, right})
	}
	left := width // for the errors
	widths := make([]int, columns)
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		left -= widths[i] + columnGap
	}
	for i, row := range rows {
		var line strings.Builder
		for k := range columns {
			fmt.Fprintf(&line, "%-*s", widths[k]+columnGap, row[k])
		}
		if i == 0 {
			line.WriteString(row[columns] + "\n")
		} else {
			v := list[i-1]
			line.WriteString(clean(shortList(v.ErrorTypes, max(left, leastErrors))) + "\n")
			for _, words := range wrapped(clean(firstLine(v.Description)), width-len(descriptionIndent)) {
				line.WriteString(descriptionIndent + words + "\n")
			}
		}
		if _, err := io.WriteString(out, line.String()); err != nil {
			return err
		}
	}
	return nil
}

// descriptionIndent is before the lines that say what a validator judges.
const descriptionIndent = "    "

// wrapped is a text in lines of up to so many characters, which end at words.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// judgedClaim is a line of `caselsp fixcheck run --json`.
type judgedClaim struct {
	File     string             `json:"file"`
	Claim    int                `json:"claim"` // in the file, from 1
	Status   fixcheck.Status    `json:"status"`
	Verdicts []fixcheck.Verdict `json:"verdicts"`
}

func fixcheckRun(w *wiring) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run CLAIM.json...",
		Short: "Have a claim judged by the built-in checks and the validators of its error; - reads standard input",
		Long: `Judges claims as the agent does: by the checks that are built in, and by the validators that match the claim's error,
which run in the sandbox. A file holds one claim or more, as JSON objects. What no validator has judged is
"unverified". The exit code is 13 where a claim is invalid.`,
		Example: "  caselsp fixcheck run claim.json\n  caselsp fixcheck run --json - <claim.json",
		Args:    positional(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := w.fixEngine()
			if err != nil {
				return err
			}
			defer e.Close()
			found := e.findValidators()
			for _, p := range found.told() {
				fmt.Fprintln(os.Stderr, "caselsp:", clean(p.Problem))
			}
			invalid := false
			for _, file := range args {
				claims, err := readClaims(cmd.InOrStdin(), file)
				if err != nil {
					return err
				}
				for i, c := range claims {
					j, err := e.judgeClaim(cmd.Context(), found.list, c)
					if err != nil {
						return err
					}
					j.File, j.Claim = file, i+1
					invalid = invalid || j.Status == fixcheck.Invalid
					if err := j.print(os.Stdout, asJSON); err != nil {
						return err
					}
				}
			}
			if invalid {
				return &exitError{code: exitInvalid}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each claim")
	return cmd
}

func readClaims(in io.Reader, file string) ([]fixcheck.Claim, error) {
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	list, err := fixcheck.ReadClaims(io.LimitReader(in, maxImport))
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return list, err
}

// judgeClaim has a claim judged.
func (e *engine) judgeClaim(ctx context.Context, list []fixcheck.Validator, c fixcheck.Claim) (j judgedClaim, err error) {
	j.Verdicts = fixcheck.Universal(c)
	if matching := fixcheck.Match(list, c); len(matching) > 0 {
		engine, err := e.fixBox(ctx)
		if err != nil {
			return j, err
		}
		verdicts, err := fixcheck.Run(ctx, engine, matching, c)
		if err != nil {
			return j, err
		}
		j.Verdicts = append(j.Verdicts, verdicts...)
	}
	j.Status = fixcheck.Sum(j.Verdicts)
	return j, nil
}

func (j judgedClaim) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return newEncoder(out).Encode(j)
	}
	where := ""
	if j.Claim > 1 {
		where = fmt.Sprintf(", claim %d", j.Claim)
	}
	fmt.Fprintf(out, "%s%s: %s\n", clean(firstLine(j.File)), where, j.Status)
	for _, v := range j.Verdicts {
		fmt.Fprintf(out, "  %s: %s\n", clean(v.Validator), clean(verdictText(v)))
	}
	if len(j.Verdicts) == 0 {
		fmt.Fprintln(out, "  no validator judges this error: `caselsp fixcheck list` shows the errors")
	}
	return nil
}

// verdictText is a verdict in a line.
func verdictText(v fixcheck.Verdict) string {
	took := ""
	if v.Took > 0 {
		took = fmt.Sprintf(" in %.2f s", v.Took.Round(10*time.Millisecond).Seconds())
	}
	if v.Trouble != "" {
		return fmt.Sprintf("no verdict%s: %s", took, firstLine(v.Trouble))
	}
	word, place := "valid", ""
	switch {
	case v.Refuses():
		word = "invalid"
	case !v.Valid:
		word = "invalid, but only shown"
		if !v.Shown {
			word = fmt.Sprintf("perhaps invalid (below the threshold of %.2f)", v.Threshold)
			if v.Claimed() {
				word = "perhaps invalid (it was often wrong)"
			}
		}
	}
	if v.Path != "" {
		place = v.Path + ": "
		if v.Line > 0 {
			place = fmt.Sprintf("%s:%d: ", v.Path, v.Line)
		}
	}
	return fmt.Sprintf("%s, %.2f%s: %s%s", word, v.Confidence, took, place, firstLine(v.Reason))
}
