package sandbox

import (
	"os"
	"strings"
	"testing"
)

// bridged downloads through the bridge in ways that fill its windows: several
// at once, one whose client does not read, large ones both ways, and a server
// of the sandbox's own beside it.
const bridged = `
import hashlib, http.server, os, socket, sys, threading, urllib.error, urllib.request
site = sys.argv[1]
def size(n):
    with urllib.request.urlopen(f"http://{site}/{n}") as r:
        return len(r.read())
lazy = urllib.request.urlopen(f"http://{site}/{8 << 20}")  # never read
sizes = []
threads = [threading.Thread(target=lambda n=n: sizes.append(size(n))) for n in (0, 1, 300_000, 5 << 20, 5 << 20)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(sizes))
with urllib.request.urlopen(f"http://{site}/0", data=b"x" * (5 << 20)) as r:
    print(r.headers["Taken"])
for url in (f"http://{site.split(':')[0]}/", "https://pkgs.example/simple", "http://169.254.169.254/latest"):
    try:
        urllib.request.urlopen(url)
    except (urllib.error.HTTPError, urllib.error.URLError) as e:
        print(e)
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
with urllib.request.urlopen(f"http://localhost:{server.server_port}/bridged.py") as r:
    print("own server", r.status)
try:
    socket.create_connection(("192.0.2.1", 80), 1)
except OSError as e:
    print(e.strerror)
`

func TestBridge(t *testing.T) {
	d := need(t)
	checkBridge(t, d)
	vanish(t, d, os.Getpid())
}

// checkBridge runs the downloads on an engine.
func checkBridge(t *testing.T, e Engine) {
	t.Helper()
	address := sizes(t)
	res, err := e.Run(t.Context(), Command{
		Line:   "python3 bridged.py " + address + " 2>/dev/null",
		Tree:   []File{{Path: "bridged.py", Mode: 0o644, Data: []byte(bridged)}},
		Policy: Policy{Hosts: []string{address}, PIDs: 20, Memory: 128 << 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{"[0, 1, 300000, 5242880, 5242880]", "5242880", "HTTP Error 403: Forbidden", "<urlopen error Tunnel connection failed: 403 Forbidden>",
		"HTTP Error 403: Forbidden", "own server 200", "Network is unreachable\n"}, "\n")
	if !res.OK() || res.Output != want {
		t.Errorf("got %s %d %s", res.Status, res.ExitCode, res.Output)
	}
	if len(res.Network) != 4 {
		t.Fatalf("got %+v", res.Network)
	}
	if c := res.Network[0]; c.Requests != 7 || c.Refused != "" || c.Sent < 5<<20 || c.Received < 10<<20 {
		t.Errorf("of the open host: %+v", c)
	}
	for i, host := range []string{HostMachine, "pkgs.example", "169.254.169.254"} {
		if c := res.Network[i+1]; c.Host != host || c.Requests != 1 || !strings.Contains(c.Refused, "is not among the hosts") {
			t.Errorf("of a closed host: %+v, want %s", c, host)
		}
	}
}

// TestBridgeMissing is about images that lack what the bridge needs.
func TestBridgeMissing(t *testing.T) {
	d := need(t)
	cmd := Command{Line: "true", Policy: Policy{Hosts: []string{"pkgs.example"}}}
	cmd, err := cmd.checked()
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.open(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	program := bridgeProgram
	defer func() { bridgeProgram = program }()
	bridgeProgram = "import nothing_like_that"
	if _, _, err := b.run(t.Context(), cmd); err == nil || !strings.Contains(err.Error(), "nothing_like_that") {
		t.Errorf("got %v", err)
	}
}
