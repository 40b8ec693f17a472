package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"caselsp/agent/validate"
	"caselsp/agent/workspace"
)

// maxInspected is how many sources are judged as one project. At a millisecond
// each, more would keep the user waiting for half a minute, and a folder that
// has more is usually not one project.
const maxInspected = 20_000

// ErrTooManySources says that a workspace is not judged as one project.
var ErrTooManySources = fmt.Errorf("the folder has more than %d sources: name a part of it, or put what is no source into .gitignore", maxInspected)

// Inspection holds the files of a workspace, as the user sees them, as one
// project of the validators. It is safe for concurrent use.
type Inspection struct {
	*validate.Project
	workspace *workspace.Workspace
	whole     bool // the findings of all files are wanted

	mu   sync.Mutex // held during Refresh
	seen map[string]stamp
}

// stamp tells one version of a file on disk from another.
type stamp struct {
	size     int64
	modified time.Time
}

// Inspect reads the files of a workspace; nothing is judged yet.
func Inspect(ctx context.Context, w *workspace.Workspace, s validate.Suite) (*Inspection, error) {
	return inspect(ctx, &Inspection{Project: validate.NewProject(s), workspace: w})
}

// InspectWhole is Inspect for callers that need the findings of all files: what a
// file's own text decides is judged while that is being read.
func InspectWhole(ctx context.Context, w *workspace.Workspace, s validate.Suite) (*Inspection, error) {
	return inspect(ctx, &Inspection{Project: validate.NewProject(s), workspace: w, whole: true})
}

func inspect(ctx context.Context, i *Inspection) (*Inspection, error) {
	i.seen = map[string]stamp{}
	_, err := i.Refresh(ctx)
	return i, err
}

// Refresh takes in what changed since the last time, and returns the files whose
// findings may be others now, sorted.
func (i *Inspection) Refresh(ctx context.Context) ([]string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	o := i.workspace.NewOverlay()
	defer o.Close()
	list, _, err := o.List(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	sources := 0
	for _, e := range list {
		if validate.Reads(e.Path) {
			sources++
		}
	}
	if sources > maxInspected {
		return nil, ErrTooManySources
	}
	var affected affectedFiles
	var changed []workspace.Entry
	now := make(map[string]stamp, len(list))
	for _, e := range list {
		now[e.Path] = stamp{e.Size, e.Modified}
		if old, ok := i.seen[e.Path]; !ok || old != now[e.Path] || e.Modified.IsZero() {
			changed = append(changed, e)
		}
	}
	for file := range i.seen {
		if _, ok := now[file]; !ok {
			affected.add(i.Remove(file))
		}
	}
	i.seen = now
	inParallel(len(changed), func(n int) {
		if ctx.Err() == nil {
			affected.add(i.load(changed[n]))
		}
	})
	return affected.sorted(), ctx.Err()
}

// load reads one file.
func (i *Inspection) load(e workspace.Entry) []string {
	if !validate.Reads(e.Path) || e.Size > validate.MaxSource {
		return i.SetAsset(e.Path)
	}
	affected := i.Reload(e.Path)
	if i.whole {
		i.Ahead(e.Path)
	}
	return affected
}

// Rel returns the project's name of a file, or an error if the file is not in the project.
func (i *Inspection) Rel(file string) (string, error) { return i.workspace.Rel(file) }

// Open puts the text of a file that the editor has open into the project, and
// returns the files whose findings may be others now.
func (i *Inspection) Open(file, text string, version int32) []string {
	i.workspace.OpenBuffer(file, text, version)
	return i.Set(file, text)
}

// Shut is the end of Open: what is on disk counts again.
func (i *Inspection) Shut(file string) []string {
	i.workspace.CloseBuffer(file)
	return i.Reload(file)
}

// Reload reads one file again, from the editor or from disk, and returns the
// files whose findings may be others now.
func (i *Inspection) Reload(file string) []string {
	f, err := i.workspace.Read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return i.Remove(file)
	case err != nil: // no text, or not readable
		return i.SetAsset(file)
	}
	return i.Set(file, f.Text)
}

// Judge returns what the rules find, by file; files without findings are left out.
func (i *Inspection) Judge(ctx context.Context, files []string) map[string][]validate.Finding {
	found := make([][]validate.Finding, len(files))
	inParallel(len(files), func(n int) {
		if ctx.Err() == nil {
			found[n] = i.Findings(files[n])
		}
	})
	by := map[string][]validate.Finding{}
	for n, file := range files {
		if len(found[n]) > 0 {
			by[file] = found[n]
		}
	}
	return by
}

// affectedFiles collects paths from several goroutines.
type affectedFiles struct {
	mu   sync.Mutex
	list []string
}

func (a *affectedFiles) add(files []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, files...)
}

func (a *affectedFiles) sorted() []string {
	slices.Sort(a.list)
	return slices.Compact(a.list)
}

// inParallel calls f for 0 to n-1, on all processors.
func inParallel(n int, f func(int)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				f(i - 1)
			}
		})
	}
	wg.Wait()
}
