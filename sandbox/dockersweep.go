package sandbox

import (
	"context"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/volume"
	"github.com/docker/docker/client"
)

// ours selects what any caselsp made.
func ours() filters.Args { return filters.NewArgs(filters.Arg("label", "caselsp=1")) }

// unbornTime is how long a container may wait between its creation and its
// start. A container runs until its owner dies; one that is older than this and
// does not run has no owner, on any machine.
const unbornTime = 10 * time.Minute

// SweepDocker removes from an engine on this machine what processes that have ended
// left there. [Docker] does so too; this is for a server, which may not run a command
// for a long time: a container whose owner was killed while it was paused, for its
// work tree to be copied out, cannot notice that. An engine elsewhere is left alone until it is used,
// because the way to it may ask its user for something.
func SweepDocker(ctx context.Context) error {
	settings, err := clientSettings("")
	if err != nil {
		return err
	}
	c, err := client.NewClientWithOpts(settings...)
	if err != nil {
		return err
	}
	host := c.DaemonHost()
	if err := c.Close(); err != nil || !strings.HasPrefix(host, "unix:") && !strings.HasPrefix(host, "npipe:") {
		return err
	}
	d, err := Docker(ctx, DockerOptions{})
	if err != nil {
		return err
	}
	return d.Close()
}

// sweep removes the containers and volumes of processes that have ended. A
// container that ran went with its owner, so this finds what a process left
// that died between creating and starting, and what a crashed engine kept.
func (d *DockerEngine) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	list, err := d.client.ContainerList(ctx, container.ListOptions{All: true, Filters: ours()})
	if err != nil {
		return err
	}
	for _, c := range list {
		unborn := c.State != container.StateRunning && c.State != container.StatePaused && time.Since(time.Unix(c.Created, 0)) > unbornTime
		if unborn || parseOwner(c.Labels).gone() {
			if err := d.remove(ctx, c.ID); err != nil {
				return err
			}
		}
	}
	// A volume goes with its container, except where the engine crashed between the two.
	args := ours()
	args.Add("dangling", "true")
	volumes, err := d.client.VolumeList(ctx, volume.ListOptions{Filters: args})
	if err != nil {
		return err
	}
	for _, v := range volumes.Volumes {
		if !parseOwner(v.Labels).gone() {
			continue
		}
		if err := d.client.VolumeRemove(ctx, v.Name, true); err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) {
			return err
		}
	}
	return nil
}

// remove kills and removes a container with its volumes, and returns when it is
// gone, whatever removes it.
func (d *DockerEngine) remove(ctx context.Context, id string) error {
	err := d.client.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	if err == nil || errdefs.IsNotFound(err) {
		return nil
	}
	if !errdefs.IsConflict(err) {
		return err
	}
	// The engine is removing it already, because its first process has ended.
	gone, failed := d.client.ContainerWait(ctx, id, container.WaitConditionRemoved)
	select {
	case <-gone:
		return nil
	case err := <-failed:
		if errdefs.IsNotFound(err) {
			return nil
		}
		return err
	}
}
