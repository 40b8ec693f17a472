package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/rogpeppe/go-internal/testscript"
)

// busConfig is that of a D-Bus session that starts no services by itself: else the
// first question would start a second keyring, which is locked.
const busConfig = `<busconfig>
<type>session</type>
<listen>unix:tmpdir=/tmp</listen>
<auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
`

// keyringMade is how long GNOME's keyring may take to make a keyring: it takes
// a few milliseconds.
const keyringMade = 20 * time.Second

// startKeyring gives a scenario a D-Bus session with an unlocked keyring, empty.
func startKeyring(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: keyring")
	}
	session, err := openKeyring(ts.MkAbs(".run"), ts.Getenv("HOME"), ts.Defer)
	ts.Check(err)
	for name, value := range session {
		ts.Setenv(name, value)
	}
}

// openKeyring starts a D-Bus session in a folder, with an unlocked keyring of the
// user whose home is home. It returns the variables by which programs find it;
// what it started ends with what it hands to later.
func openKeyring(dir, home string, later func(func())) (session map[string]string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "bus.conf")
	if err := os.WriteFile(config, []byte(busConfig), 0o600); err != nil {
		return nil, err
	}
	bus := exec.Command("dbus-daemon", "--config-file="+config, "--nofork", "--print-address")
	out, err := bus.StdoutPipe()
	if err == nil {
		err = bus.Start()
	}
	if err != nil {
		return nil, err
	}
	later(func() { // the keyring ends with its bus
		_ = bus.Process.Kill()
		_ = bus.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, err
	}
	session = map[string]string{"DBUS_SESSION_BUS_ADDRESS": strings.TrimSpace(address), "XDG_RUNTIME_DIR": dir}
	conn, err := dbus.Connect(session["DBUS_SESSION_BUS_ADDRESS"])
	if err != nil {
		return nil, err
	}
	later(func() { _ = conn.Close() })
	daemon := exec.Command("gnome-keyring-daemon", "--daemonize", "--unlock", "--components=secrets")
	daemon.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + dir,
		"DBUS_SESSION_BUS_ADDRESS=" + session["DBUS_SESSION_BUS_ADDRESS"]}
	daemon.Stdin = strings.NewReader("the keyring's password")
	if err := daemon.Run(); err != nil { // it returns when the daemon runs, which makes the keyring then and tells nobody
		return nil, err
	}
	for deadline := time.Now().Add(keyringMade); ; {
		var collections []dbus.ObjectPath
		err := conn.Object("org.freedesktop.secrets", "/org/freedesktop/secrets").StoreProperty("org.freedesktop.Secret.Service.Collections", &collections)
		if slices.ContainsFunc(collections, func(c dbus.ObjectPath) bool { return strings.HasSuffix(string(c), "/login") }) {
			return session, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("gnome-keyring made no keyring: %v %w", collections, err)
		}
	}
}
