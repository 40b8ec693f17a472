package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the recipe
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/docker/docker/api/types/build"
)

//go:embed image/Dockerfile
var recipe []byte

// ImageTag returns the name of a profile's bundled image. It holds a checksum of
// the recipe, so that a new version of this program builds anew what it changed
// and two versions do not take each other's.
func ImageTag(p Profile) string {
	sum := sha256.Sum256(recipe)
	return "caselsp-sandbox:" + string(p) + "-" + hex.EncodeToString(sum[:])[:12]
}

// imageOf returns the name of the image that a profile's commands run in.
func (d *DockerEngine) imageOf(p Profile) string { return orDefault(d.image, ImageTag(p)) }

// BuildImage builds the bundled image under the name that this engine runs.
// Base is the image to build on, empty for the recipe's own; progress is called
// with each line that the engine says, and may be nil. Building loads packages
// from the network and takes a minute or so.
func (d *DockerEngine) BuildImage(ctx context.Context, base string, progress func(line string)) error {
	return d.build(ctx, recipe, base, progress)
}

func (d *DockerEngine) build(ctx context.Context, recipe []byte, base string, progress func(line string)) error {
	var folder bytes.Buffer
	tw := tar.NewWriter(&folder)
	err := errors.Join(
		tw.WriteHeader(&tar.Header{Name: "Dockerfile", Mode: 0o644, Size: int64(len(recipe))}),
		func() error { _, err := tw.Write(recipe); return err }(),
		tw.Close())
	if err != nil {
		return err
	}
	args := map[string]*string{}
	if base != "" {
		args["BASE"] = &base
	}
	// The first builder, because engines of 2020 have no other by default and
	// today's still have it.
	resp, err := d.client.ImageBuild(ctx, &folder, build.ImageBuildOptions{
		Tags: []string{d.imageOf(Python)}, BuildArgs: args, Remove: true, ForceRemove: true, Version: build.BuilderV1})
	if err != nil {
		return d.explain(ctx, err)
	}
	defer resp.Body.Close()
	return buildOutcome(ctx, resp.Body, progress)
}

// buildTail is how many of the last lines a failed build's error holds: package
// managers say what was wrong shortly before they give up.
const buildTail = 15

// buildOutcome reads what the engine says while it builds.
func buildOutcome(ctx context.Context, body io.Reader, progress func(line string)) error {
	var last []string
	for dec := json.NewDecoder(body); ; {
		var said struct{ Stream, Status, Error string }
		err := dec.Decode(&said)
		if err == io.EOF {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("the engine broke off building the image: %w", err)
		}
		if said.Error != "" {
			return fmt.Errorf("the sandbox image could not be built: %s\n%s", said.Error, strings.Join(last, "\n"))
		}
		for line := range strings.Lines(said.Stream + said.Status) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if last = append(last, line); len(last) > buildTail {
				last = last[1:]
			}
			if progress != nil {
				progress(line)
			}
		}
	}
}
