//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"caselsp/sandbox/inside"
)

// goBuilt keeps Go's own packages, compiled: each command begins with an empty build cache, and would
// spend most of a minute on them. They are compiled once for each Go of this machine, in a sandbox that
// sees no file of a project, so that no project can put anything there: what commands compile
// themselves is never kept. Commands only read them. They are kept beside the layers.
type goBuilt struct {
	layers layers
	mu     sync.Mutex // of one compilation at a time
	failed string     // the key of what could not be compiled: it is not tried again
}

const (
	// builtLimit is how many Gos' packages are kept: two versions that are in use.
	builtLimit = 2
	// builtTime is for a slow machine that is busy; two processors need a minute.
	builtTime = 10 * time.Minute
)

// builtLayers are those beside the layers of a folder.
func builtLayers(folder string) layers {
	if folder == "" {
		return layers{}
	}
	return layers{folder: filepath.Join(folder, "go"), most: builtLimit}
}

// buildsGo are command lines for which Go compiles. Others do not wait for it.
var buildsGo = regexp.MustCompile(`\bgo (?:-C \S+ )?(?:test|build|vet|run|install|generate)\b|\b(?:gotestsum|golangci-lint|staticcheck|make|just|task|mage)\b`)

// buildLine compiles and vets Go's packages into DepsFolder, as commands and tests have them. It
// sees no network and no module.
const buildLine = `export GOCACHE=` + DepsFolder + ` GOFLAGS= GOPROXY=off GOTOOLCHAIN=local GOWORK=off && mkdir /tmp/go && cd /tmp/go && echo 'module built' >go.mod &&
{ echo 'package built'; go list std | grep -v -e internal -e vendor -e '^builtin$' | sed 's/.*/import _ "&"/'; } >built.go &&
printf 'package built\nimport "testing"\nfunc Test(*testing.T) {}\n' >built_test.go && go test ./... && go vet ./...`

// buildGo compiles Go's packages before the first command that needs them. That it fails is no
// failure of the command, which then compiles them itself.
func (n *NativeEngine) buildGo(ctx context.Context, cmd Command) error {
	if cmd.Profile != Go || cmd.Keep != "" || n.built.layers.folder == "" || !buildsGo.MatchString(cmd.Line) {
		return nil
	}
	n.built.mu.Lock()
	defer n.built.mu.Unlock()
	key := n.goKey()
	if key == "" || key == n.built.failed {
		return nil
	}
	if _, err := n.built.layers.find(key); err == nil {
		return nil
	}
	unlock, err := n.built.lock(ctx)
	if err != nil {
		n.built.failed = key
		return ctx.Err()
	}
	defer unlock()
	if _, err := n.built.layers.find(key); err == nil {
		return nil // another process has done it
	}
	if cmd.Progress != nil {
		cmd.Progress("compiling Go's own packages for the sandbox, once: this takes a minute or two")
	}
	policy := DefaultPolicy
	policy.CPUs, policy.Memory, policy.Disk, policy.PIDs, policy.Time = float64(runtime.NumCPU()), installMemory, installDisk, installPIDs, builtTime
	build, err := Command{Line: buildLine, Policy: policy, Profile: Go, Keep: key}.checked()
	if err != nil {
		return err
	}
	alone := &NativeEngine{places: n.places, folders: n.folders, layers: n.built.layers}
	res, err := alone.run(ctx, build, true)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || !res.OK() {
		n.built.failed = key
	}
	return nil
}

// lock waits until no other process compiles: commands of both would read what one puts there.
func (b *goBuilt) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(b.layers.folder, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(b.layers.folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	locked := make(chan error, 1)
	go func() { locked <- unix.Flock(int(f.Fd()), unix.LOCK_EX) }()
	select {
	case err := <-locked:
		return func() { f.Close() }, err
	case <-ctx.Done():
		go func() {
			<-locked
			f.Close()
		}()
		return nil, ctx.Err()
	}
}

// findBuilt returns the folder of Go's packages for a command, "" where they are not there.
func (n *NativeEngine) findBuilt(cmd Command) string {
	if cmd.Profile != Go || cmd.Keep != "" || n.built.layers.folder == "" {
		return ""
	}
	folder, _ := n.built.layers.find(n.goKey())
	return folder
}

// goKey is a checksum of what compiles: the Go that commands find, and the C compiler. It is "" where
// there is no Go.
func (n *NativeEngine) goKey() string {
	h, found := sha256.New(), false
	for _, program := range []string{"go", "gcc", "cc"} {
		for _, folder := range nativePath(n.folders) {
			path, err := filepath.EvalSymlinks(filepath.Join(folder, program))
			if err != nil {
				continue
			}
			s, err := os.Stat(path)
			if err != nil || !s.Mode().IsRegular() {
				continue
			}
			version, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "../VERSION")) // not everywhere
			fmt.Fprintf(h, "%s %q %d %d %q\n", program, path, s.Size(), s.ModTime().UnixNano(), version)
			found = found || program == "go"
			break
		}
	}
	if !found {
		return ""
	}
	fmt.Fprintf(h, "%q %q\n", buildLine, inside.GoBuilt)
	return hex.EncodeToString(h.Sum(nil))[:24]
}

// nativePath are the folders in which commands find programs.
func nativePath(folders []string) (path []string) {
	for _, folder := range folders {
		path = append(path, folder+"/bin")
	}
	return append(path, strings.Split("/usr/local/sbin:/usr/local/bin:/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin", ":")...)
}
