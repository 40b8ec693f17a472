package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"caselsp/sandbox"
)

// need skips a test that lacks something of the machine, and says what to install;
// where CASELSP_REQUIRE names it, the test goes on and fails of itself.
func need(t *testing.T, name string) {
	t.Helper()
	if missing := lacking(name); missing != nil {
		t.Skipf("needs %s: %v", name, missing)
	}
}

// lacking returns what to do where this machine does not have what a test asks for
// by name, nil where it has it or CASELSP_REQUIRE demands it:
//
//	docker       an engine with the image of Python
//	docker:go    and with that of Go; so docker:node
//	dockerd      a Docker engine that the test can start itself
//	native       the native engine
//	native:NAME  and one of its tools where commands find it
//	keyring      GNOME's keyring, and D-Bus
//	tmpfs        the right to mount a disk
//	root         the right to become another user
//	modules      the modules that our modules' tests import, in the module cache
//	vim          Vim with ALE 4
//	claims       claims of fixes and the repositories that they are of
//	NAME         the program of that name
func lacking(name string) error {
	what, part, _ := strings.Cut(name, ":")
	demand := what
	switch {
	case what == "native" && part != "":
		demand = part
	case what == "dockerd":
		demand = "docker"
	case what == "keyring" || what == "dbus-daemon" || what == "gnome-keyring-daemon": // the native parts of Linux have one name
		demand = "native"
	}
	if slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), demand) {
		return nil
	}
	switch what {
	case "docker":
		return lackingDocker(sandbox.Python, sandbox.Profile(part))
	case "dockerd":
		if os.Getuid() != 0 {
			return errors.New("only root can start a Docker engine")
		}
		return errors.Join(lackingProgram("dockerd"), lackingDocker(sandbox.Python))
	case "native":
		return lackingNative(part)
	case "keyring":
		return errors.Join(lackingProgram("dbus-daemon"), lackingProgram("gnome-keyring-daemon"))
	case "vscode":
		return errors.Join(lackingProgram(editorProgram(name)), lackingProgram("npm"), lackingFolder("../../editors/vscode/node_modules", "npm ci there loads it"))
	case "vim":
		if os.Getenv("CASELSP_VIM") == "" {
			return errors.New("CASELSP_VIM names a Vim with ALE (Debian: vim-ale); .ci/editors.sh gets one")
		}
	case "root":
		if os.Getuid() != 0 {
			return errors.New("only root can become another user")
		}
		return nil
	case "tmpfs":
		return lackingDisks()
	case "claims":
		if os.Getenv("CASELSP_CLAIMS") == "" || os.Getenv("CASELSP_MIRRORS") == "" {
			return errors.New("CASELSP_CLAIMS and CASELSP_MIRRORS name them")
		}
		return nil
	case "modules":
		return errors.New("the module cache does not hold them all, go mod tidy -diff loads them")
	}
	return lackingProgram(editorProgram(name))
}

// editorProgram returns the program of an editor, where .ci/editors.sh has put it or
// where the machine has it; for another name, that name.
func editorProgram(name string) string {
	if file := os.Getenv("CASELSP_" + strings.ToUpper(name)); file != "" && slices.Contains([]string{"nvim", "nvim010", "emacs", "helix", "vim", "vscode", "chromium"}, name) {
		return file
	}
	if name == "helix" {
		return "hx"
	}
	return name
}

// lackingFolder looks for a folder that a tool fills.
func lackingFolder(dir, advice string) error {
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("%w: %s", err, advice)
	}
	return nil
}

// lackingDocker looks for an engine and its images: without one, a test would
// wait for minutes while it is built, and need the network.
func lackingDocker(profiles ...sandbox.Profile) error {
	ctx := context.Background()
	d, err := sandbox.Docker(ctx, sandbox.DockerOptions{})
	if err != nil {
		return err
	}
	defer d.Close()
	images, err := d.Images(ctx)
	for _, i := range images {
		if i.Built.IsZero() && slices.Contains(profiles, i.Profile) {
			return fmt.Errorf("the image %s is missing, make sandbox-image builds it", i.Tag)
		}
	}
	return err
}

// lackingNative looks for the native engine, and for a tool where its commands see it.
func lackingNative(tool string) error {
	ctx := context.Background()
	n, err := sandbox.Native(ctx, sandbox.NativeOptions{})
	if err != nil || tool == "" {
		return err
	}
	defer n.Close()
	sets, err := n.Tools(ctx)
	for _, s := range sets {
		if slices.Contains(s.Lacks, tool) {
			return errors.New(s.Advice)
		}
	}
	return err
}

// debianPackages holds the Debian packages whose names differ from their programs'.
var debianPackages = map[string]string{"dbus-daemon": "dbus", "dockerd": "docker.io", "gnome-keyring-daemon": "gnome-keyring", "nvim": "neovim (0.10 or newer)", "nvim010": "neovim (0.10; .ci/editors.sh gets it)", "vscode": "none; .ci/editors.sh installs code-server"}

// lackingProgram looks for a program.
func lackingProgram(name string) error {
	_, err := exec.LookPath(name)
	if err == nil {
		return nil
	}
	from := debianPackages[name]
	if from == "" {
		from = name
	}
	return fmt.Errorf("%s is not installed; Debian has it in the package %s", name, from)
}

// lackingDisks reports whether scenarios may have disks of their own: root can
// mount them, unless it is root of a container only.
func lackingDisks() error {
	dir, err := os.MkdirTemp("", "caselsp")
	if err != nil {
		return err
	}
	defer os.Remove(dir)
	if exec.Command("mount", "-t", "tmpfs", "tmpfs", dir).Run() != nil {
		return errors.New("this user may not mount a disk; root of a machine may")
	}
	return exec.Command("umount", dir).Run()
}
