package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"caselsp/agent/count"
	"caselsp/store"

	"github.com/spf13/cobra"
)

// memoryFigures are the figures of a kind of memories.
type memoryFigures struct {
	Kind      string `json:"kind"`
	Count     int    `json:"count"`
	Recalled  int    `json:"recalled"`  // how often, in all
	Trials    int    `json:"trials"`    // decided tasks that recalled one, in all
	Successes int    `json:"successes"` // accepted ones among them
	Useless   int    `json:"useless"`   // that are not recalled any longer, because they seldom helped
}

func memoryStats(w *wiring) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show how much is remembered, and how much of it has helped",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := w.memory()
			if err != nil {
				return err
			}
			defer m.Close()
			all, err := m.All(cmd.Context(), "")
			if err != nil {
				return err
			}
			if err := tellUnreadable(cmd.Context(), m); err != nil {
				return err
			}
			vectors, err := m.Embedded(cmd.Context())
			if err != nil {
				return err
			}
			list := []memoryFigures{{Kind: store.KindPattern}, {Kind: store.KindFailure}}
			for _, p := range all {
				f := &list[slices.IndexFunc(list, func(f memoryFigures) bool { return f.Kind == p.Kind })]
				f.Count++
				f.Recalled, f.Trials, f.Successes = f.Recalled+p.Uses, f.Trials+p.Trials, f.Successes+p.Successes
				if p.Useless() {
					f.Useless++
				}
			}
			if asJSON {
				err := printLines(os.Stdout, list)
				if vectors.Name != "" {
					err = errors.Join(err, printLines(os.Stdout, []embedded{{"vectors", vectors}}))
				}
				return err
			}
			for _, f := range list {
				fmt.Printf("%-8s  %d remembered, recalled %s, helped in %d of %s, %d not recalled any longer\n", f.Kind, f.Count, count.Of(f.Recalled, "time"), f.Successes, count.Of(f.Trials, "trial"), f.Useless)
			}
			if vectors.Name != "" {
				fmt.Println(embeddedText(vectors))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a kind, and one of kind \"vectors\" where an embeddings server is set")
	return cmd
}

// embedded is the state of the embeddings server's vectors.
type embedded struct {
	Kind string `json:"kind"` // "vectors"
	store.Embedded
}

func embeddedText(e store.Embedded) string {
	text := fmt.Sprintf("vectors   %d of %d by %s; %s embedded for %d tokens, $%.4f", e.Done, e.Total, clean(e.Name), count.Of(e.Texts, "text"), e.Tokens, e.Dollars)
	if e.Done < e.Total {
		text += "; the rest follows when memory is next asked, or with `caselsp memory embed`"
	}
	return text
}

func memoryEmbed(w *wiring) *cobra.Command {
	return &cobra.Command{
		Use:   "embed",
		Short: "Embed now what has no vector of the embeddings server yet",
		Long: `Asks the embeddings server (memory.model) for the vectors that are missing: after another model was set, or after
the server was down. Tasks do the same in the background. What is done stays done when it is interrupted.`,
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := w.memory()
			if err != nil {
				return err
			}
			defer m.Close()
			if err := m.EmbedAll(cmd.Context(), func(e store.Embedded) { fmt.Printf("%d of %d\n", e.Done, e.Total) }); err != nil {
				return err
			}
			now, err := m.Embedded(cmd.Context())
			if err == nil {
				fmt.Println(embeddedText(now))
			}
			return err
		},
	}
}
