//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// layersVariable names the folder in which an owner that is killed keeps layers.
const layersVariable = "CASELSP_TEST_LAYERS"

// moments are what an owner does, each after it has said "begun", when it is killed.
var moments = map[string]func(*NativeEngine, func()) error{
	"starts, and copies in": func(n *NativeEngine, begin func()) error {
		var tree []File
		for i := range 3000 {
			tree = append(tree, File{Path: fmt.Sprintf("d%d/%d", i%50, i), Mode: 0o644, Data: bytes.Repeat([]byte("x"), 50<<10)})
		}
		begin()
		_, err := n.Run(context.Background(), Command{Line: begun, Tree: tree})
		return err
	},
	"runs": func(n *NativeEngine, _ func()) error {
		_, err := n.Run(context.Background(), Command{Line: begun, Output: os.Stdout})
		return err
	},
	"copies out": func(n *NativeEngine, _ func()) error {
		_, err := n.Run(context.Background(), Command{Line: "head -c 400M /dev/zero > x; exec echo begun", Output: os.Stdout})
		return err
	},
	"keeps dependencies": func(n *NativeEngine, _ func()) error {
		_, err := n.Run(context.Background(), Command{Line: "head -c 400M /dev/zero > /deps/x; exec echo begun", Output: os.Stdout, Keep: strings.Repeat("0", 24)})
		return err
	},
	"waits for a command": func(n *NativeEngine, begin func()) error {
		if _, err := n.Run(context.Background(), Command{Line: "true"}); err != nil {
			return err
		}
		begin()
		select {} // until it is killed
	},
}

func init() {
	for name, f := range moments {
		roles["native "+name] = func() error {
			n, err := Native(context.Background(), NativeOptions{Layers: os.Getenv(layersVariable)})
			if err == nil {
				err = f(n, func() { fmt.Println("begun") })
			}
			return err
		}
	}
}

// TestNativeOwnerKilled kills the engine's process at its several moments.
func TestNativeOwnerKilled(t *testing.T) {
	n := machine{}.need(t)
	for moment := range moments {
		t.Run(moment, func(t *testing.T) {
			folder := t.TempDir()
			cmd := role("native " + moment)
			cmd.Env = append(cmd.Env, layersVariable+"="+folder)
			stdout, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "begun\n" {
				t.Fatalf("the owner said %q, %v", line, err)
			}
			pid := cmd.Process.Pid
			// Stopped, it starts nothing more while we look; killed, it does not go on.
			var status syscall.WaitStatus
			if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
				t.Fatalf("the owner has not stopped: %v, %v", status, err)
			}
			firsts := children(t, pid)
			if len(firsts) != 1 {
				t.Errorf("it has %d sandboxes, want one", len(firsts))
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // says that it was killed
			// The kernel tells of the end of a first process when all others have ended,
			// and with the last of them its mounts are gone.
			for _, first := range firsts {
				ended := []unix.PollFd{{Fd: int32(first), Events: unix.POLLIN}}
				k, err := unix.Poll(ended, int(vanishTime.Milliseconds()))
				for err == unix.EINTR { // a signal of the runtime's own
					k, err = unix.Poll(ended, int(vanishTime.Milliseconds()))
				}
				if k != 1 {
					t.Fatalf("the sandbox outlives its owner: %v", err)
				}
			}
			next, err := Native(t.Context(), NativeOptions{Layers: folder}) // the next start
			if err != nil {
				t.Fatal(err)
			}
			defer next.Close()
			if left := ownGroups(t, n, pid); left != nil {
				t.Errorf("%q is left", left)
			}
			if left, _ := os.ReadDir(folder); len(left) > 0 {
				t.Errorf("%v is left in the folder of layers", left)
			}
		})
	}
}

// children opens the processes that a process has started.
func children(t *testing.T, pid int) (list []int) {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for _, child := range strings.Fields(string(text)) {
			id, _ := strconv.Atoi(child)
			fd, err := unix.PidfdOpen(id, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { unix.Close(fd) })
			list = append(list, fd)
		}
	}
	return list
}
