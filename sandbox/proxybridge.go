package sandbox

import (
	"bytes"
	"context"
	_ "embed" // the bridge
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"
	"github.com/hashicorp/yamux"

	"caselsp/sandbox/inside"
)

// bridgeProgram runs in a container. It is Python's because what runs there
// must fit the engine's machine, which need not be of this one's kind, and every
// profile has Python.
//
//go:embed proxybridge.py
var bridgeProgram string

// networkEnv tells the command's programs what network they have.
func networkEnv(hosts []string) []string {
	if len(hosts) == 0 {
		return aloneEnv
	}
	return proxyEnv()
}

// aloneEnv keeps installers that cannot reach an index, such as npx for a program that is not installed, from trying for a
// minute.
var aloneEnv = []string{"NPM_CONFIG_FETCH_RETRIES=0", "NPM_CONFIG_UPDATE_NOTIFIER=false", "PIP_RETRIES=0", "PIP_DISABLE_PIP_VERSION_CHECK=1"}

// proxyEnv tells the command's programs of the proxy, in the ways that each of
// them understands. What a test starts on the loopback is reached directly.
func proxyEnv() []string {
	address := "http://127.0.0.1:" + strconv.Itoa(inside.ProxyPort)
	const direct = "localhost,127.0.0.1,::1"
	return []string{
		"HTTP_PROXY=" + address, "http_proxy=" + address,
		"HTTPS_PROXY=" + address, "https_proxy=" + address,
		"NO_PROXY=" + direct, "no_proxy=" + direct,
		"NODE_USE_ENV_PROXY=1", // without it Node's fetch knows no proxy
	}
}

// bridgeTime is how long the bridge may take to be ready; an interpreter starts
// in a tenth of a second.
const bridgeTime = 20 * time.Second

// bridge is the way from a container without a network to a proxy here. It is
// no network: the connections come as streams over the standard input and output
// of one process in the container, so it reaches no further than the proxy, and
// works with an engine on any machine. An internal network with the proxy as its
// other member lost to it: it needs a second image, a name on the engine, and a
// path back from the engine's machine to this one.
type bridge struct {
	proxy   *proxy
	session *yamux.Session
}

// openBridge starts the bridge in a container and serves it with a new proxy.
// The command's environment needs proxyEnv.
func openBridge(ctx context.Context, c *client.Client, id string, hosts []string) (*bridge, error) {
	exec, err := c.ContainerExecCreate(ctx, id, container.ExecOptions{
		User: keeper, AttachStdin: true, AttachStdout: true, AttachStderr: true,
		// Isolated and without site packages: nothing of the command's is run.
		Cmd: []string{"python3", "-I", "-S", "-c", bridgeProgram, strconv.Itoa(inside.ProxyPort)},
	})
	if err != nil {
		return nil, err
	}
	stream, err := c.ContainerExecAttach(ctx, exec.ID, container.ExecAttachOptions{})
	if err != nil {
		return nil, err
	}
	wire := newExecWire(stream)
	config := yamux.DefaultConfig()
	config.EnableKeepAlive = false // the engine's connection tells
	config.LogOutput = io.Discard
	b := &bridge{proxy: newProxy(hosts)}
	if b.session, err = yamux.Server(wire, config); err != nil {
		_ = wire.Close()
		return nil, err
	}
	if err = b.ready(ctx); err != nil {
		_ = b.close()
		return nil, fmt.Errorf("the way to the network could not be opened, for which the image needs python3: %w; it said %q", err, wire.said())
	}
	go b.proxy.Serve(b.session)
	return b, nil
}

// ready waits until the bridge listens, which it does before it answers.
func (b *bridge) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bridgeTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { b.session.Close() })()
	_, err := b.session.Ping()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// close ends the bridge and all that goes over it, and returns what did.
func (b *bridge) close() []Connection {
	_ = b.session.Close()
	return b.proxy.Close()
}

// execWire is the standard input and output of a process in a container, as one
// stream.
type execWire struct {
	net.Conn // to write to, and to close
	output   *io.PipeReader
	errors   bytes.Buffer
	done     chan struct{}
}

func newExecWire(stream types.HijackedResponse) *execWire {
	r, w := io.Pipe()
	e := &execWire{Conn: stream.Conn, output: r, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		_, err := stdcopy.StdCopy(w, &e.errors, stream.Reader)
		w.CloseWithError(err)
	}()
	return e
}

// Read implements io.Reader.
func (e *execWire) Read(b []byte) (int, error) { return e.output.Read(b) }

// Close implements io.Closer.
func (e *execWire) Close() error {
	_ = e.output.Close()
	return e.Conn.Close()
}

// said returns what the process wrote to its standard error, once it is closed.
func (e *execWire) said() string {
	<-e.done
	text := e.errors.Bytes()
	return string(text[max(0, len(text)-lookLimit/64):])
}
