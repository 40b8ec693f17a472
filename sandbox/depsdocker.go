package sandbox

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"

	"caselsp/sandbox/inside"
)

// layerTag is the name of the image that holds a layer.
func layerTag(key string) string { return "caselsp-deps:" + key }

// layerLabel marks the images that hold layers.
const layerLabel = "caselsp.layer"

// layersLimit is how many layers are kept: a project's last few, of several
// projects. The oldest goes when there is one too many, since engines do not
// tell when an image was last used; it is installed again when it is wanted.
const layersLimit = 12

// keepTime bounds the copying of a layer, which has as many bytes as a disk limit.
const keepTime = 10 * time.Minute

// HasLayer reports whether a layer is there.
func (d *DockerEngine) HasLayer(ctx context.Context, key string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	_, err := d.client.ImageInspect(ctx, layerTag(key))
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, d.explain(ctx, err)
	}
	return true, nil
}

// keepLayer makes the layer of a command that has ended out of what it left in
// the dependencies' folder of its container. The installer never ran in what
// becomes the image, nor as its owner: only files are taken over.
func (b *box) keepLayer(ctx context.Context, cmd Command, res *Result) error {
	if !res.OK() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, keepTime)
	defer cancel()
	out, _, err := b.client.CopyFromContainer(ctx, b.id, DepsFolder)
	if err != nil {
		return err
	}
	defer out.Close()
	made, err := b.client.ContainerCreate(ctx, &container.Config{Image: b.image, Cmd: []string{"true"}, Labels: self().labels()}, nil, nil, nil, "")
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		_ = b.engine.remove(ctx, made.ID) // else the next start finds it
	}()
	r, w := io.Pipe()
	defer r.Close()
	go func() { w.CloseWithError(writeLayer(w, out, cmd.Policy.Disk+archiveSlack)) }()
	if err := b.client.CopyToContainer(ctx, made.ID, "/", r, container.CopyToContainerOptions{}); err != nil {
		return err
	}
	base, err := b.client.ImageInspect(ctx, b.image)
	if err != nil {
		return err
	}
	config := &container.Config{Labels: map[string]string{}}
	if base.Config != nil {
		config.Env, config.User, config.WorkingDir = base.Config.Env, base.Config.User, base.Config.WorkingDir
		maps.Copy(config.Labels, base.Config.Labels)
	}
	config.Env = layerVariables(config.Env)
	config.Labels[layerLabel] = cmd.Keep
	_, err = b.client.ContainerCommit(ctx, made.ID, container.CommitOptions{Reference: layerTag(cmd.Keep), Config: config})
	return errors.Join(err, b.engine.pruneLayers(ctx, cmd.Keep))
}

// writeLayer passes on the archive of the dependencies' folder, up to a limit of
// bytes, and puts the link beside it by which Node finds what commands see of its
// packages from any folder. What is neither file, folder nor link has no business in a layer.
func writeLayer(to io.Writer, from io.Reader, limit int64) error {
	limited := &io.LimitedReader{R: from, N: limit}
	in, out := tar.NewReader(limited), tar.NewWriter(to)
	for {
		h, err := in.Next()
		if limited.N == 0 { // before what it says, which may be that all is well
			return fmt.Errorf("the dependencies have more than %d MiB", limit>>20)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeDir, tar.TypeSymlink, tar.TypeLink:
		default:
			continue
		}
		h.Mode &= 0o777 // nothing of it runs as anybody else
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		if _, err := io.Copy(out, in); err != nil {
			return err
		}
	}
	link := &tar.Header{Typeflag: tar.TypeSymlink, Name: strings.TrimPrefix(inside.NodeLink, "/"), Linkname: inside.NodeModules, Mode: 0o777}
	return errors.Join(out.WriteHeader(link), out.Close())
}

// pruneLayers removes the oldest layers above the limit, but not the new one.
func (d *DockerEngine) pruneLayers(ctx context.Context, newest string) error {
	list, err := d.client.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", layerLabel))})
	if err != nil {
		return err
	}
	for _, s := range surplus(list, newest, layersLimit) {
		_, err := d.client.ImageRemove(ctx, s.ID, image.RemoveOptions{PruneChildren: true})
		if err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) { // one that is in use is left
			return err
		}
	}
	return nil
}

// surplus returns the layers above the limit, without the newest: its time is
// the engine's, whose clock may have been put back. Of the rest those come first that
// another of the same key has replaced, which have lost their name.
func surplus(list []image.Summary, newest string, limit int) []image.Summary {
	nameless := func(s image.Summary) bool {
		return len(s.RepoTags) == 0 || s.RepoTags[0] == "<none>:<none>" // as older engines say it
	}
	var gone []image.Summary
	for _, s := range list {
		if nameless(s) {
			gone = append(gone, s)
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(s image.Summary) bool { return nameless(s) || s.Labels[layerLabel] == newest })
	slices.SortFunc(list, func(a, b image.Summary) int { return cmp.Compare(b.Created, a.Created) })
	return append(gone, list[min(len(list), limit-1):]...)
}
