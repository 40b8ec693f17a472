package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

// Connection is what a command did, or tried to do, with one port of a host.
type Connection struct {
	Host     string `json:"host"` // in lower case; "others" stands for what the list has no room for
	Port     int    `json:"port"`
	Requests int    `json:"requests"`          // plain HTTP requests, or tunnels that were asked for
	Refused  string `json:"refused,omitempty"` // why the last one was refused, or failed; empty: it was let through
	Wants    string `json:"wants,omitempty"`   // the entry of Policy.Hosts that would have let it through
	Sent     int64  `json:"sent,omitempty"`    // bytes to the host, as they went over the wire
	Received int64  `json:"received,omitempty"`
}

// Limits of a proxy, which serves one command and ends with it.
const (
	trafficLimit     = 4 << 30          // bytes in all, both ways: the largest of packages fit, and a disk does not leave through it
	clientsLimit     = 64               // connections at once; package managers open some 50 at most
	connectionsLimit = 100              // entries of Result.Network: more would tell a reader nothing new
	dialTime         = 10 * time.Second // for each address of a host
	headerTime       = 30 * time.Second // from a connection to the end of its request's header
	headerLimit      = 64 << 10         // bytes of a header
)

// proxy is an HTTP proxy that lets a command reach the hosts that were opened
// for it and nothing else, and keeps a list of what it tried. It is the only way
// out of a sandbox: the sandbox itself has no network, and what a command does
// not send through the proxy goes nowhere.
type proxy struct {
	hosts   []string // as CheckHosts returns them
	lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
	server  *http.Server
	plain   *httputil.ReverseProxy
	tunnels sync.WaitGroup
	ctx     context.Context // of all that it does
	stop    context.CancelFunc

	mu      sync.Mutex
	used    []*Connection
	traffic int64
}

// newProxy returns a proxy to hosts, which CheckHosts has checked. It must be closed.
func newProxy(hosts []string) *proxy {
	p := &proxy{hosts: hosts, lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	silent := log.New(io.Discard, "", 0)
	p.plain = &httputil.ReverseProxy{
		Rewrite: func(*httputil.ProxyRequest) {}, // what came is what goes, without the headers of the hop
		// One connection for each request, so that each is dialled, checked and counted.
		Transport:    &http.Transport{DialContext: p.dial, DisableKeepAlives: true, DisableCompression: true},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { sayRefused(w, err) },
		ErrorLog:     silent,
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: headerTime, MaxHeaderBytes: headerLimit, ErrorLog: silent,
		BaseContext: func(net.Listener) context.Context { return p.ctx }}
	return p
}

// Serve answers the connections of a listener until the proxy is closed, which
// closes the listener too.
func (p *proxy) Serve(l net.Listener) { _ = p.server.Serve(netutil.LimitListener(l, clientsLimit)) }

// Close ends all connections and returns what was done with them.
func (p *proxy) Close() []Connection {
	p.stop()
	_ = p.server.Close()
	p.tunnels.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []Connection
	for _, c := range p.used {
		list = append(list, *c)
	}
	return list
}

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	address := r.Host
	if r.Method != http.MethodConnect {
		if r.URL.Scheme != "http" || r.URL.Host == "" {
			http.Error(w, "caselsp: this is a proxy, which takes CONNECT and addresses with http:// alone", http.StatusBadRequest)
			return
		}
		if address = r.URL.Host; r.URL.Port() == "" {
			address += ":80"
		}
	}
	host, text, err := net.SplitHostPort(address)
	port, badPort := strconv.ParseUint(text, 10, 16)
	if err != nil || badPort != nil {
		http.Error(w, "caselsp: the address is not of the form host:port", http.StatusBadRequest)
		return
	}
	use := p.use(host, int(port), 1)
	switch err := p.named(host, int(port)); {
	case err != nil:
		p.refuse(use, err)
		sayRefused(w, err)
	case r.Method == http.MethodConnect:
		p.tunnel(w, address)
	default:
		p.plain.ServeHTTP(w, r)
	}
}

// refusal is an error that is the user's decision, not the network's fault.
type refusal struct {
	text  string
	wants string // the entry of Policy.Hosts that would have let it through; may be empty
}

func (r *refusal) Error() string { return r.text }

// sayRefused answers with the reason, which the tools show that people use.
func sayRefused(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	if errors.As(err, new(*refusal)) {
		status = http.StatusForbidden
	}
	http.Error(w, "caselsp: "+err.Error(), status)
}

// use adds requests to the entry of a host's port, and returns it.
func (p *proxy) use(host string, port, requests int) *Connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	host = canonical(host)
	if !hostName.MatchString(host) { // an IPv6 address, or something that a terminal would obey
		host = strconv.QuoteToASCII(host[:min(len(host), hostLength)])
	}
	if len(p.used) >= connectionsLimit {
		host, port = "others", 0
	}
	for _, c := range p.used {
		if c.Host == host && c.Port == port {
			c.Requests += requests
			return c
		}
	}
	c := &Connection{Host: host, Port: port, Requests: requests}
	p.used = append(p.used, c)
	return c
}

func (p *proxy) refuse(c *Connection, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.Refused = err.Error()
	if r := (*refusal)(nil); errors.As(err, &r) {
		c.Wants = r.wants
	}
}

// tunnel connects the client with the host, whatever they say to each other.
func (p *proxy) tunnel(w http.ResponseWriter, address string) {
	far, err := p.dial(p.ctx, "tcp", address)
	if err != nil {
		sayRefused(w, err)
		return
	}
	p.tunnels.Add(1)
	defer p.tunnels.Done()
	defer far.Close()
	near, early, err := http.NewResponseController(w).Hijack()
	if err != nil {
		sayRefused(w, err)
		return
	}
	defer near.Close()
	defer context.AfterFunc(p.ctx, func() { near.Close(); far.Close() })()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.Copy(far, early.Reader)
		_ = far.(*metered).CloseWrite()
	}()
	_, _ = io.Copy(near, far)
	near.Close()
	<-sent
}

// dial connects with a host that is named. The name is looked up once, its
// addresses are checked, and these are dialled: one that is looked up again
// could be another.
func (p *proxy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	use := p.use(host, port, 0)
	conn, err := p.connect(ctx, network, host, port)
	if err != nil {
		p.refuse(use, err)
		return nil, err
	}
	return &metered{Conn: conn, proxy: p, use: use}, nil
}

func (p *proxy) connect(ctx context.Context, network, host string, port int) (net.Conn, error) {
	addresses, err := p.addresses(ctx, host, port)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, a := range addresses {
		dialer := net.Dialer{Timeout: dialTime}
		conn, err := dialer.DialContext(ctx, network, netip.AddrPortFrom(a, uint16(port)).String())
		if err == nil {
			return conn, nil
		}
		failed = fmt.Errorf("%s cannot be reached: %w", host, err)
	}
	return nil, failed
}

// metered counts what goes over a connection, and ends it at the limit. Of the
// connection it has only what net.Conn has: a *net.TCPConn also copies by ways
// of its own that nothing counts.
type metered struct {
	net.Conn
	proxy *proxy
	use   *Connection
}

func (m *metered) count(place *int64, n int) error {
	m.proxy.mu.Lock()
	defer m.proxy.mu.Unlock()
	*place += int64(n)
	m.proxy.traffic += int64(n)
	if m.proxy.traffic > trafficLimit {
		err := &refusal{fmt.Sprintf("the command moved more than %d GiB over the network", trafficLimit>>30), ""}
		m.use.Refused = err.Error()
		return err
	}
	return nil
}

// CloseWrite says that nothing more is sent.
func (m *metered) CloseWrite() error { return m.Conn.(*net.TCPConn).CloseWrite() }

// Read implements net.Conn.
func (m *metered) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	return n, errors.Join(err, m.count(&m.use.Received, n))
}

// Write implements net.Conn.
func (m *metered) Write(b []byte) (int, error) {
	n, err := m.Conn.Write(b)
	return n, errors.Join(err, m.count(&m.use.Sent, n))
}
