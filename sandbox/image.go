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
	"os"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/build"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
)

//go:embed image/Dockerfile
var recipe []byte

// ImageTag returns the name of a profile's bundled image. It holds a checksum of
// the recipe, so that a new version of this program builds anew what it changed
// and two versions do not take each other's.
func ImageTag(p Profile) string {
	sum := sha256.Sum256(recipe)
	return imageName + ":" + string(p) + "-" + hex.EncodeToString(sum[:])[:12]
}

// imageName is the name of the bundled images, without what tells them apart.
const imageName = "caselsp-sandbox"

// imageOf returns the name of the image that a command runs in.
func (d *DockerEngine) imageOf(cmd Command) string {
	if cmd.Layer != "" {
		return layerTag(cmd.Layer)
	}
	return orDefault(d.image, ImageTag(orDefault(cmd.Profile, Python)))
}

// Image is what the commands of one profile run in.
type Image struct {
	Profile Profile
	Tag     string
	Built   time.Time // zero: it is not there
	Size    int64     // bytes, also those that it shares with others
}

// Images looks which images there are, in the order of Profiles. Where it fails, the
// error is an *Unavailable.
func (d *DockerEngine) Images(ctx context.Context) ([]Image, error) {
	var list []Image
	for _, p := range Profiles {
		found := Image{Profile: p, Tag: d.imageOf(Command{Profile: p})}
		within, cancel := context.WithTimeout(ctx, pingTime)
		there, err := d.client.ImageInspect(within, found.Tag)
		cancel()
		if err == nil {
			found.Size = there.Size
			found.Built, err = time.Parse(time.RFC3339Nano, there.Created)
		}
		if err != nil && !errdefs.IsNotFound(err) {
			return nil, d.explain(ctx, err)
		}
		list = append(list, found)
	}
	return list, nil
}

// OlderImages returns the images that other versions of the recipe have left, whose
// Profile and Built are not looked up. A version that is still used builds its own anew.
func (d *DockerEngine) OlderImages(ctx context.Context) ([]Image, error) {
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	found, err := d.client.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("reference", imageName))})
	if err != nil {
		return nil, d.explain(ctx, err)
	}
	var list []Image
	for _, i := range found {
		for _, tag := range i.RepoTags {
			if !slices.ContainsFunc(Profiles, func(p Profile) bool { return tag == ImageTag(p) }) {
				list = append(list, Image{Tag: tag, Size: i.Size})
			}
		}
	}
	slices.SortFunc(list, func(a, b Image) int { return strings.Compare(a.Tag, b.Tag) })
	return list, nil
}

// ensure builds the bundled image of a command where it is missing, and returns
// when it is there. An image of the user's own, and one that holds a project's
// dependencies, it does not know how to make.
func (d *DockerEngine) ensure(ctx context.Context, cmd Command) error {
	image := d.imageOf(cmd)
	inspect, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	_, err := d.client.ImageInspect(inspect, image)
	missing := errdefs.IsNotFound(err)
	switch {
	case missing && cmd.Layer != "":
		return fmt.Errorf("%w (%s)", ErrNoLayer, image)
	case missing && d.image == "":
		return d.BuildImage(ctx, cmd.Profile, "", func(line string) {
			// A user who waits for a command is shown the steps, not the whole output.
			if cmd.Progress != nil && (strings.HasPrefix(line, "Step ") || strings.HasPrefix(line, "Building ")) {
				cmd.Progress(line)
			}
		})
	}
	return err
}

// indexVariables are those by which the user's own settings name where packages
// come from; the recipe takes them as its arguments.
var indexVariables = []string{"GOPROXY", "NPM_CONFIG_REGISTRY"}

// BuildImage builds the bundled image of a profile. Base is the image to build
// on, empty for the recipe's own; progress is called with each line that the
// engine says, and may be nil. Building loads packages from the network and
// takes one to three minutes. Where it fails, the error is an *Unavailable.
func (d *DockerEngine) BuildImage(ctx context.Context, p Profile, base string, progress func(line string)) error {
	d.building.Lock() // two builds of one image would load everything twice
	defer d.building.Unlock()
	arguments := map[string]string{"PROFILE": string(p)}
	for _, name := range indexVariables {
		if value := os.Getenv(name); value != "" {
			arguments[name] = value
		}
	}
	if base != "" {
		arguments["BASE"] = base
	}
	tag := ImageTag(p)
	if progress != nil {
		progress("Building the sandbox image " + tag + ", which is done once and takes one to three minutes")
	}
	err := d.build(ctx, tag, recipe, arguments, progress)
	if err == nil || ctx.Err() != nil {
		return err
	}
	var known *Unavailable
	if errors.As(err, &known) {
		return err
	}
	return unbuilt(tag, err)
}

// unbuilt says what to do about an image that could not be built. What the engine
// or a package manager in it says of a full disk is the same.
func unbuilt(tag string, err error) *Unavailable {
	u := &Unavailable{Engine: "docker", Reason: "its image " + tag + " could not be built: " + err.Error(), Advice: adviceBuild, Err: err}
	if strings.Contains(strings.ToLower(err.Error()), "no space left on device") {
		u.Advice = adviceSpace
	}
	return u
}

func (d *DockerEngine) build(ctx context.Context, tag string, recipe []byte, arguments map[string]string, progress func(line string)) error {
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
	for name, value := range arguments {
		args[name] = &value
	}
	// The first builder, because engines of 2020 have no other by default and
	// today's still have it.
	resp, err := d.client.ImageBuild(ctx, &folder, build.ImageBuildOptions{
		Tags: []string{tag}, BuildArgs: args, Remove: true, ForceRemove: true, Version: build.BuilderV1})
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
