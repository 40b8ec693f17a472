package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"caselsp/agent/fixcheck"
	"caselsp/agent/near"
	"caselsp/agent/patch"
	"caselsp/agent/record"
	"caselsp/agent/settings"
	"caselsp/agent/shell"
	"caselsp/agent/validate"
	"caselsp/agent/validate/rules"
	"caselsp/lsp"
	"caselsp/sandbox"
	"caselsp/store"

	"github.com/moby/term"
	"github.com/spf13/cobra"
)

// commandReference is the reference of the commands and settings, as Markdown.
//
//go:embed README.md
var commandReference string

// topic is a part of the reference that `caselsp help` prints.
type topic struct {
	name string
	does string // what is in it, for the list
	text func() string
}

// sections makes the text of a topic from sections of a document; all of it where
// none is named. It panics where there is no such section, which a test would show.
func sections(source string, titles ...string) func() string {
	return func() string {
		if len(titles) == 0 {
			return source
		}
		var parts []string
		for _, title := range titles {
			part := section(source, title)
			if part == "" {
				panic("there is no section " + title)
			}
			parts = append(parts, strings.TrimSpace(part)+"\n")
		}
		return strings.Join(parts, "\n")
	}
}

// topics are all topics, in the order of the list.
var topics = []topic{
	{"commands", "the commands of the terminal and of the editor, with their flags", sections(commandReference, "In the terminal", "While a task runs", "In the editor")},
	{"exit-codes", "what each exit code means", sections(commandReference, "Exit codes")},
	{"events", "what run --json writes: every event and the result, field by field", sections(record.Reference)},
	{"settings", "every setting; also by name: caselsp help sandbox.engine", sections(commandReference, "Settings")},
	{"models", "how to name a model and its key", sections(commandReference, "Models and keys")},
	{"editors", "how to set up an editor", sections(lsp.Reference)},
	{"validators", "what is checked, how a rule is switched off, what blocks a task", sections(validate.Reference)},
	{"fixcheck", "what judges a claimed fix, and how to write a validator of your own", sections(fixcheck.Reference)},
	{"rules", "every rule; also by id: caselsp help img-alt", func() string { return rules.Default().Docs() }},
	{"sandbox", "where commands run, under which limits, and how dependencies get in", sections(sandbox.Reference)},
	{"threats", "who could attack, what they cannot do, and which test shows it", sections(sandbox.Threats)},
	{"patches", "patch formats, layers, refusals, and caselsp patch --batch", sections(patch.Reference)},
	{"verdicts", "which command lines run, which are asked for, which never run", sections(shell.Reference, "Verdicts")},
	{"approvals", "what is remembered when you approve, and what else you are asked", sections(shell.Reference, "Approvals", "Files that programs obey")},
	{"trust", "what caselsp may do in a folder that you have not trusted", sections(shell.Reference, "Trust")},
	{"secrets", "how secrets are given to commands and files, and what is redacted", sections(store.Reference, "Secrets", "Redaction")},
	{"secret-formats", "the services whose keys are known by their format", sections(store.Reference, "Formats")},
	{"state", "where tasks, approvals and memory are kept", sections(store.Reference, "The state directory")},
}

func helpCommand() *cobra.Command {
	man := ""
	cmd := &cobra.Command{
		Use:   "help [TOPIC]",
		Short: "Print the reference: a topic, a rule, a setting or a command",
		Long: `Prints a part of the reference. On a terminal it is text that fits its width; piped, it
is Markdown. Without TOPIC it lists the topics. --man writes manual pages of all commands and
topics, for man(1).`,
		Example: `  caselsp help sandbox          # a topic
  caselsp help img-alt          # a rule of the validators
  caselsp help S608             # rules by a name that they have in other tools
  caselsp help secret set       # a command
  caselsp help sandbox.engine   # a setting
  caselsp help rules > rules.md
  caselsp help --man ~/.local/share/man && man caselsp-run`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return topicNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if man != "" {
				pages, err := writeManual(cmd.Root(), man)
				if err == nil {
					fmt.Printf("%d manual pages are in %s\n", pages, man)
				}
				return err
			}
			if len(args) == 0 {
				return printPage(os.Stdout, topicList())
			}
			if text := reference(strings.Join(args, " ")); text != "" {
				return printPage(os.Stdout, text)
			}
			if named, rest, err := cmd.Root().Find(args); err == nil && named != cmd.Root() && len(rest) == 0 {
				return named.Help()
			}
			return usage(unknownTopic(cmd.Root(), strings.Join(args, " ")))
		},
	}
	cmd.Flags().StringVar(&man, "man", "", "write manual pages of all commands and topics into this folder")
	return cmd
}

// reference returns the Markdown for a topic, a rule, a setting or a command of
// the editor; "" if there is none of that name.
func reference(name string) string {
	for _, t := range topics {
		if t.name == name {
			return t.text()
		}
	}
	if text := packagePage(name); text != "" {
		return text
	}
	for _, s := range settings.All() {
		if s.Name == name || s.Env == name {
			return settingPage(s)
		}
	}
	for _, c := range lsp.Commands() {
		if c.ID == name {
			return fmt.Sprintf("# %s\n\nA command of the editor: %s.\n\nArguments: %s.\n", c.ID, c.Does, c.Arguments)
		}
	}
	return rules.Default().Explain(name)
}

// packagePages are the whole references by the package that they stand in, as README.md names it.
var packagePages = []struct{ path, text string }{
	{"cmd/caselsp", commandReference},
	{"lsp", lsp.Reference},
	{"agent/validate", validate.Reference},
	{"agent/fixcheck", fixcheck.Reference},
	{"agent/shell", shell.Reference},
	{"agent/patch", patch.Reference},
	{"sandbox", sandbox.Reference},
	{"store", store.Reference},
}

// packagePage returns the reference of a package by its path; "" where it has none.
func packagePage(name string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "/README.md"), "/")
	for _, d := range packagePages {
		if d.path == name {
			return d.text
		}
	}
	return ""
}

func settingPage(s settings.Setting) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n- must be %s\n", s.Name, s.Doc, s.Allowed)
	if s.Default != "" {
		fmt.Fprintf(&b, "- default: `%s`\n", s.Default)
	}
	fmt.Fprintf(&b, "- environment variable: `%s`\n- may a workspace set it: %s\n", s.Env, s.Workspace)
	return b.String()
}

func topicNames() []string {
	var names []string
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

// topicList is what `caselsp help` prints.
func topicList() string {
	var b strings.Builder
	b.WriteString("# The reference\n\n`caselsp help TOPIC` prints a topic, `caselsp COMMAND --help` the flags of a command, and `caselsp --help` lists the commands.\n\n| topic | what is in it |\n|---|---|\n")
	for _, t := range topics {
		fmt.Fprintf(&b, "| %s | %s |\n", t.name, t.does)
	}
	return b.String()
}

// unknownTopic names the nearest topic, rule, setting or command, and all topics.
func unknownTopic(root *cobra.Command, name string) error {
	known := topicNames()
	for _, c := range root.Commands() {
		known = append(known, c.Name())
	}
	for _, s := range settings.All() {
		known = append(known, s.Name)
	}
	for _, c := range lsp.Commands() {
		known = append(known, c.ID)
	}
	for _, r := range rules.Default().Rules() {
		known = append(known, r.ID)
	}
	lower := make([]string, len(known))
	for i, k := range known {
		lower[i] = strings.ToLower(k)
	}
	best := slices.Index(lower, near.Closest(strings.ToLower(name), lower, len(name)/2))
	text := fmt.Sprintf("there is no help topic %q", name)
	if best >= 0 {
		text += fmt.Sprintf("; did you mean %q?", known[best])
	} else {
		text += "."
	}
	return errors.New(text + " Topics: " + strings.Join(topicNames(), ", "))
}

// widestPage is the longest line in columns: longer ones are hard to read.
const widestPage = 100

// columnsOf is the width of a terminal, up to widestPage; otherwise where it is not known, or out is no terminal.
func columnsOf(out *os.File, otherwise int) int {
	if isTerminal(out) {
		if size, err := term.GetWinsize(out.Fd()); err == nil && size.Width > 0 {
			return min(widestPage, int(size.Width))
		}
	}
	return otherwise
}

// printPage prints a document: as Markdown, or on a terminal as text that fits it.
func printPage(out *os.File, source string) error {
	if isTerminal(out) {
		source = renderMarkdown(source, columnsOf(out, widestPage), inColor(out))
	}
	_, err := io.WriteString(out, source)
	return err
}
