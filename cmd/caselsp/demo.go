package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"caselsp/agent"
	"caselsp/agent/shell"
	"caselsp/agent/workspace"
	"caselsp/sandbox"
	"caselsp/store"

	"github.com/spf13/cobra"
)

// demoFiles hold the bundled project and the recording of a task in it. Without
// "all:" the files whose names begin with a dot or an underscore would be left out.
//
//go:embed all:demo/project demo/recording.jsonl
var demoFiles embed.FS

func demoCommand() *cobra.Command {
	var dir, project string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a whole task on a bundled project: no key, no Docker, no network",
		Long: `Plays a recorded task on a copy of a small Django project, through the real server
and a headless editor: the plan, every step and its diff, a question, approvals,
tests that fail and pass, the review, and the accepted result on disk. The model's
answers, the commands' results, your answers and the clock come from the recording;
everything else is computed. With --project, a file that differs from the recorded
project is named, and nothing is played.`,
		Example: "  caselsp demo\n  caselsp demo --dir ~/blog-demo   # keep the result here",
		Args:    positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, err := fs.Sub(demoFiles, "demo/project")
			if err != nil {
				return err
			}
			if project != "" {
				from = os.DirFS(project)
			}
			return runDemo(cmd.Context(), from, dir, os.Stdout)
		},
	}
	cmd.Flags().StringVarP(&dir, "dir", "d", "", "a new or empty folder for the project's copy (default: a temporary one)")
	cmd.Flags().StringVar(&project, "project", "", "copy this folder instead of the bundled project")
	return cmd
}

// runDemo copies a project and plays the recording on the copy.
func runDemo(ctx context.Context, from fs.FS, dir string, out *os.File) error {
	rec, err := demoRecording()
	if err != nil {
		return err
	}
	if dir, err = demoFolder(dir); err != nil {
		return err
	}
	if err := copyProject(from, dir); err != nil {
		return err
	}
	state, err := os.MkdirTemp("", "caselsp-demo-state-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)
	return playDemo(ctx, rec, dir, state, newDemoScreen(streamOf(out), inColor(out), rec.Answers()))
}

// demoRecording returns the bundled recording.
func demoRecording() (*agent.Recording, error) {
	text, err := demoFiles.ReadFile("demo/recording.jsonl")
	if err != nil {
		return nil, err
	}
	return agent.ReadRecording(bytes.NewReader(text))
}

// demoFolder makes the folder that the project is copied to.
func demoFolder(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "caselsp-demo-")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("the demo's folder cannot be made: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) > 0 {
		return "", usage(fmt.Errorf("%s is not empty: name a new or empty folder, so that none of your files is touched", dir))
	}
	return dir, nil
}

// notOfProject are the files and folders that running a Django project leaves in it.
// They are not copied, so that the demo works with a project that was run before.
var notOfProject = []string{".git", ".venv", "__pycache__", "db.sqlite3", "staticfiles"}

// copyProject copies a folder's regular files. Embedded files have no modes: a file
// that begins with #! is made executable.
func copyProject(from fs.FS, to string) error {
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("the project cannot be copied: %w", err)
		case slices.Contains(notOfProject, path.Base(name)) && d.IsDir():
			return fs.SkipDir
		case slices.Contains(notOfProject, path.Base(name)):
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, filepath.FromSlash(name)), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return fmt.Errorf("the project cannot be copied: %w", err)
		}
		mode := fs.FileMode(0o644)
		if bytes.HasPrefix(text, []byte("#!")) {
			mode = 0o755
		}
		return os.WriteFile(filepath.Join(to, filepath.FromSlash(name)), text, mode)
	})
}

// openPlayed puts the parts together for a recording, with the default settings: the
// user's settings, which a recording does not have, could make a replay differ.
func openPlayed(dir, state string, clock func() time.Time, change func(*agent.Options)) (*engine, error) {
	ws, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	e := &engine{workspace: ws, closers: []io.Closer{ws}}
	e.store, err = store.Open(store.Options{StateDir: state, Workspace: ws.ID(), Name: dir, Clock: clock})
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.closers = append(e.closers, e.store)
	o := agent.Options{Workspace: ws, Store: e.store, Commands: shell.Policy{Sandboxed: true}}
	change(&o)
	e.agent = agent.New(o)
	return e, nil
}

// regularFiles returns the files of a folder, for their digest.
func regularFiles(dir string) ([]sandbox.File, error) {
	var files []sandbox.File
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		files = append(files, sandbox.File{Path: name, Mode: info.Mode(), Data: text})
		return err
	})
	return files, err
}
