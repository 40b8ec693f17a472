package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

const stateLong = `Shows what is known of a project as a whole: the Django apps that its settings register; its models (of
Django, SQLAlchemy, SQLModel, Peewee, Tortoise, Beanie, MongoEngine, Mongoose and Sequelize); its routes (URL
patterns of Django with what they include, Flask, Quart, FastAPI, Express, Koa, Fastify and Hono) with the
prefixes under which they are reached; what changed in the files since the last task; and what the latest
tasks did. All of it is read from the syntax trees of the files as they are now, and from the journals of
the tasks. Files of tests declare nothing. What a program computes while it runs is not seen.

--json prints one object: {"apps", "models", "routes", "artifacts", "files", "changed", "notes", "history"}.
"artifacts" is a registry such as {"artifact": "django_model:blog.Post", "file", "line"}, "files" has the
checksum of each file by its path, but for those that may hold secrets.`

var showState = reads("state", func(ctx context.Context, e *engine, s *seat, asJSON bool) error {
	return e.state(ctx, s.out, asJSON)
})

func projectCommand(w *wiring) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "state [DIR]",
		Short: "Show a project's apps, models, routes and past tasks",
		Long:  stateLong,
		Example: `  caselsp state
  caselsp state --json ../shop | jq .artifacts`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				w.dir = args[0]
			}
			return showState.run(cmd.Context(), w, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// state prints what is known of the project.
func (e *engine) state(ctx context.Context, out io.Writer, asJSON bool) error {
	s, err := e.agent.Project(ctx)
	if s.Files == nil {
		return err
	}
	if asJSON {
		return errors.Join(newEncoder(out).Encode(s), err)
	}
	_, failed := io.WriteString(out, clean(s.Text()))
	return errors.Join(failed, err)
}
