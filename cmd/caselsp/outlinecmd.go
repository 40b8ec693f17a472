package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"caselsp/agent"
	"caselsp/agent/codemap"
	"caselsp/agent/settings"
	"caselsp/agent/syntax"
	"caselsp/agent/workspace"
	"caselsp/store"

	"github.com/spf13/cobra"
)

const outlineLong = `Prints what is in a folder or a file: of every source file its language, what it imports, and its
classes, functions, methods, fields and other declarations with their signatures, the first line of
their documentation and their lines. It knows Python, JavaScript, TypeScript, JSX, Go, HTML, CSS, Java,
Rust, C, C++, Ruby and PHP. Dependencies, build output and what git ignores are left out, as are data
(JSON) and files above a megabyte. A file with syntax errors has an outline of what could be made out.
Tests of JavaScript are listed by their names. A file of prose (Markdown, reStructuredText, README) that
is named itself is outlined by its headings. What was found out is kept in the state directory, so that
only files that have changed are read the next time.

--json prints one object, {"files": [{"path", "language", "imports", "symbols": [{"name", "kind",
"signature", "doc", "range"}]}]}, with the files sorted by path, and the symbols in the order of the text.
Members follow the symbol whose range holds them. A range is as the Language Server Protocol has it:
lines and UTF-16 characters from 0. The text counts lines from 1.

--symbol NAME prints only the symbols whose names contain NAME, whatever the case of its letters, the
exact ones first.

--task TEXT prints a map of the part that a task touches, within --tokens: the files that it speaks of,
and those that they refer to or that refer to them, in the order of their weight; the first with the
signatures that matter most, the others by their paths, folder by folder.`

// outlining is one run of the command.
type outlining struct {
	w      *wiring
	json   bool
	symbol string
	glob   string
	task   string
	tokens int
}

func outlineCommand(w *wiring) *cobra.Command {
	o := outlining{w: w}
	cmd := &cobra.Command{
		Use:   "outline [PATH]",
		Short: "List the imports, classes and functions of a folder's files, or find a symbol",
		Long:  outlineLong,
		Example: `  caselsp outline src
  caselsp outline --json --glob '*.py' .
  caselsp outline --symbol parse_date
  caselsp outline --task "parse_date accepts the 30th of February" --tokens 1000`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := w.dir
			if len(args) > 0 {
				path = args[0]
			}
			return o.run(cmd.Context(), os.Stdout, path)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.json, "json", false, "one JSON object")
	flags.StringVar(&o.symbol, "symbol", "", "only symbols whose names contain this")
	flags.StringVar(&o.task, "task", "", "a map of the part of the folder that this task touches")
	flags.IntVar(&o.tokens, "tokens", mapTokens, "about how many tokens the map may have")
	flags.StringVar(&o.glob, "glob", "", "only files that match this pattern, such as *.py")
	cmd.MarkFlagsMutuallyExclusive("task", "symbol")
	cmd.MarkFlagsMutuallyExclusive("task", "json")
	return cmd
}

// mapTokens is the size of a map where none is asked for. In measured repositories of up to
// a thousand files, such a map has nine of ten files that a commit changes.
const mapTokens = 2000

func (o outlining) run(ctx context.Context, out io.Writer, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	dir, glob := path, o.glob
	if !info.IsDir() {
		if glob != "" {
			return usage(errors.New("--glob chooses among the files of a folder: leave it out, or name a folder"))
		}
		dir, glob = filepath.Dir(path), "/"+literal.Replace(filepath.Base(path))
	}
	w, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	defer w.Close()
	w.Alone()
	if facts := o.w.facts(ctx, w); facts != nil {
		w.KeepFacts(workspace.Kept{Fact: facts.Fact, Keep: facts.Keep, Done: facts.Done})
		defer facts.Close()
	}
	overlay := w.NewOverlay()
	defer overlay.Close()
	if o.symbol != "" {
		return o.find(ctx, out, overlay, glob)
	}
	files, more, err := overlay.Structure(ctx, glob, nil)
	if err == nil && !info.IsDir() && len(files) == 0 {
		files = headingsOf(overlay, filepath.Base(path))
	}
	switch {
	case err != nil:
		return err
	case !info.IsDir() && len(files) == 0:
		return fmt.Errorf("%s has no outline: it is in no language that is known, no text, larger than a megabyte, or ignored by git", path)
	case more:
		fmt.Fprintf(os.Stderr, "caselsp: only the first %d files are shown: name a part of the folder, or choose with --glob\n", workspace.MaxStructure)
	}
	if o.json {
		return encoder(out).Encode(struct {
			Files []workspace.FileFacts `json:"files"`
		}{append([]workspace.FileFacts{}, files...)})
	}
	if o.task != "" {
		known := make([]codemap.File, len(files))
		for i, f := range files {
			known[i] = codemap.File(f)
		}
		_, err := io.WriteString(out, clean(codemap.Map(known, codemap.Query{Text: o.task}, o.tokens)))
		return err
	}
	for _, f := range files {
		printFacts(out, f)
	}
	return nil
}

// facts is the cache of what files declare, of the workspace in the present folder where what is
// outlined lies in it; nil where there is none. An agent or a server may have it open as well.
func (w *wiring) facts(ctx context.Context, outlined *workspace.Workspace) *store.Facts {
	id := outlined.ID()
	if here, err := workspace.Open(w.dir); err == nil {
		defer here.Close()
		if rel, err := filepath.Rel(here.Roots()[0].Dir, outlined.Roots()[0].Dir); err == nil && filepath.IsLocal(rel) {
			id = here.ID()
		}
	}
	return w.factsOf(ctx, id, outlined)
}

// factsOf is the cache of what the files of a workspace declare, by the workspace's id; nil where there is
// none. What is kept are files of in, without their secrets.
func (w *wiring) factsOf(ctx context.Context, id string, in *workspace.Workspace) *store.Facts {
	var keys map[string]string
	if dir, err := settings.Folder(); err == nil {
		keys, _ = settings.LoadEnv(dir) // what is wrong with it is told by commands that ask a model
	}
	f, err := store.FactsIn(store.Options{StateDir: w.stateDir, Workspace: id, Secrets: concealed(keys)}, versionText(), func() ([]string, error) {
		return agent.SecretsIn(ctx, in)
	})
	if err != nil {
		return nil // it is computed
	}
	return f
}

// headingsOf is the outline of a file of prose, which the outline of a folder has nothing of.
func headingsOf(overlay *workspace.Overlay, name string) []workspace.FileFacts {
	f, err := overlay.Read(name)
	if err != nil {
		return nil
	}
	if facts := syntax.HeadingsOf(name, f.Text); facts != nil {
		return []workspace.FileFacts{{Path: name, Facts: facts}}
	}
	return nil
}

// find prints the symbols of a name.
func (o outlining) find(ctx context.Context, out io.Writer, overlay *workspace.Overlay, glob string) error {
	list, more, err := overlay.Symbols(ctx, o.symbol, glob, nil)
	if err != nil {
		return err
	}
	if more {
		fmt.Fprintln(os.Stderr, "caselsp: there are more symbols: give more of the name, or choose files with --glob")
	}
	if o.json {
		return encoder(out).Encode(struct {
			Symbols []workspace.Found `json:"symbols"`
		}{append([]workspace.Found{}, list...)})
	}
	for _, s := range list {
		fmt.Fprintf(out, "%s:%d: %s\n", clean(s.Path), s.Range.Start.Line+1, clean(cmp.Or(s.Signature, s.Kind+" "+s.Name)))
	}
	return nil
}

// printFacts prints a file's outline for a person.
func printFacts(out io.Writer, f workspace.FileFacts) {
	fmt.Fprintf(out, "%s (%s)\n", clean(f.Path), f.Language)
	if len(f.Imports) > 0 {
		fmt.Fprintf(out, "  imports %s\n", clean(strings.Join(f.Imports, ", ")))
	}
	var inside []syntax.Range
	for _, s := range f.Symbols {
		for len(inside) > 0 && !holds(inside[len(inside)-1], s.Range) {
			inside = inside[:len(inside)-1]
		}
		fmt.Fprintf(out, "  %s%d-%d %s", strings.Repeat("  ", len(inside)), s.Range.Start.Line+1, s.Range.End.Line+1, clean(cmp.Or(s.Signature, s.Kind+" "+s.Name)))
		if s.Doc != "" {
			fmt.Fprintf(out, "  -- %s", clean(s.Doc))
		}
		fmt.Fprintln(out)
		inside = append(inside, s.Range)
	}
}

// holds reports whether a place is inside another one, and not the same.
func holds(outer, inner syntax.Range) bool {
	before := func(a, b syntax.Place) bool { return a.Line < b.Line || a.Line == b.Line && a.Character <= b.Character }
	return outer != inner && before(outer.Start, inner.Start) && before(inner.End, outer.End)
}

// literal quotes the characters that mean something in a glob.
var literal = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`)
