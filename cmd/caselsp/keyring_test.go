package main

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/rogpeppe/go-internal/testscript"
)

// keyringWorks reports whether scenarios can have a keyring: GNOME's, on a D-Bus
// session of their own. Where the native parts of Linux are required it says yes
// unseen, as dockerWorks does.
func keyringWorks() bool {
	if slices.Contains(strings.Split(os.Getenv("CASELSP_REQUIRE"), ","), "native") {
		return true
	}
	for _, program := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			return false
		}
	}
	return true
}

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
	ts.Check(os.MkdirAll(ts.MkAbs(".run"), 0o700))
	config := ts.MkAbs(".run/bus.conf")
	ts.Check(os.WriteFile(config, []byte(busConfig), 0o600))
	bus := exec.Command("dbus-daemon", "--config-file="+config, "--nofork", "--print-address")
	out, err := bus.StdoutPipe()
	ts.Check(err)
	ts.Check(bus.Start())
	ts.Defer(func() { // the keyring ends with its bus
		_ = bus.Process.Kill()
		_ = bus.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	ts.Setenv("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(address))
	ts.Setenv("XDG_RUNTIME_DIR", ts.MkAbs(".run"))
	conn, err := dbus.Connect(ts.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	ts.Check(err)
	ts.Defer(func() { _ = conn.Close() })
	daemon := exec.Command("gnome-keyring-daemon", "--daemonize", "--unlock", "--components=secrets")
	daemon.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "XDG_RUNTIME_DIR=" + ts.Getenv("XDG_RUNTIME_DIR"),
		"DBUS_SESSION_BUS_ADDRESS=" + ts.Getenv("DBUS_SESSION_BUS_ADDRESS")}
	daemon.Stdin = strings.NewReader("the keyring's password")
	ts.Check(daemon.Run()) // it returns when the daemon runs, which makes the keyring then and tells nobody
	for deadline := time.Now().Add(keyringMade); ; {
		var collections []dbus.ObjectPath
		err := conn.Object("org.freedesktop.secrets", "/org/freedesktop/secrets").StoreProperty("org.freedesktop.Secret.Service.Collections", &collections)
		if slices.ContainsFunc(collections, func(c dbus.ObjectPath) bool { return strings.HasSuffix(string(c), "/login") }) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("gnome-keyring made no keyring: %v %v", collections, err)
		}
	}
}
