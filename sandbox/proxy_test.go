package sandbox

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// site is a server on this machine's loopback that answers with what it was asked.
func site(t *testing.T, secure bool) (address, port string) {
	t.Helper()
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %s %q", r.Method, r.Host, r.URL, body, r.Header.Get("Proxy-Authorization")+r.Header.Get("X-Forwarded-For"))
	})
	s := httptest.NewUnstartedServer(answer)
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return HostMachine + ":" + u.Port(), u.Port()
}

// through starts a proxy and returns where it listens.
func through(t *testing.T, p *proxy) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	go p.Serve(l)
	return l.Addr().String()
}

// browse gets a page through a proxy as programs do.
func browse(t *testing.T, proxyAddress, page string) (int, string) {
	t.Helper()
	via := func(*http.Request) (*url.URL, error) {
		return &url.URL{Scheme: "http", Host: proxyAddress, User: url.UserPassword("a", "b")}, nil
	}
	c := http.Client{Transport: &http.Transport{Proxy: via, DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	resp, err := c.Post(page, "text/plain", strings.NewReader("hello"))
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(body)
}

func TestProxy(t *testing.T) {
	plain, plainPort := site(t, false)
	secure, _ := site(t, true)
	names := map[string][]netip.Addr{
		"rebound.example": {netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")},
		"inside.example":  {netip.MustParseAddr("10.11.12.13")},
		"mapped.example":  {netip.MustParseAddr("::ffff:127.0.0.1")},
		"cloud.example":   {netip.MustParseAddr("169.254.169.254")},
	}
	for _, tt := range []struct {
		hosts []string
		page  string
		want  string // the status and a part of the answer
		log   string // of the first entry
		wants string // of the same
	}{
		{[]string{plain}, "http://" + plain + "/a?b", "200 POST " + plain + ` /a?b hello ""`, "", ""},
		{[]string{secure}, "https://" + secure + "/a?b", "200 POST " + secure + ` /a?b hello ""`, "", ""},
		{[]string{HostMachine}, "http://" + plain, "403 caselsp: port " + plainPort + ` of "host.docker.internal" is not among the hosts that were opened (host.docker.internal)`, "is not among", plain},
		{[]string{HostMachine}, "https://" + secure, "0 Forbidden", "is not among", secure},
		{[]string{plain}, "http://127.0.0.1:" + plainPort, `403 caselsp: port ` + plainPort + ` of "127.0.0.1" is not`, "is not among", ""},
		{[]string{plain}, "http://[::1]:" + plainPort, `403 caselsp: port ` + plainPort + ` of "::1" is not`, "is not among", ""},
		{[]string{"*.example:" + plainPort, "rebound.example:" + plainPort}, "http://rebound.example:" + plainPort, "403 caselsp: rebound.example leads to the private address 127.0.0.1: open", "leads to the private", ""},
		{[]string{"rebound.example"}, "https://rebound.example", "0 Forbidden", "leads to the private", ""},
		{[]string{"mapped.example"}, "http://MAPPED.example.", "403 caselsp: mapped.example leads to", "leads to the private", ""},
		{[]string{"inside.example", "10.11.12.14"}, "http://inside.example", "403 caselsp: inside.example leads to", "leads to the private", "10.11.12.13"},
		{[]string{"cloud.example"}, "http://cloud.example", "403 caselsp: cloud.example leads to", "leads to the private", ""},
		{[]string{"none.example"}, "http://none.example", "502 caselsp: none.example cannot be looked up: no such name", "looked up", ""},
	} {
		p := newProxy(tt.hosts)
		p.lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
			if found := names[host]; found != nil {
				return found, nil
			}
			return nil, fmt.Errorf("no such name")
		}
		status, text := browse(t, through(t, p), tt.page)
		if got := fmt.Sprintf("%d %s", status, text); !strings.HasPrefix(got, tt.want) && !(status == 0 && strings.Contains(got, tt.want[2:])) {
			t.Errorf("%s through %q:\n got %s\nwant %s", tt.page, tt.hosts, got, tt.want)
		}
		list := p.Close()
		if len(list) != 1 || list[0].Requests != 1 || !strings.Contains(list[0].Refused, tt.log) || (list[0].Refused == "") != (tt.log == "") ||
			(list[0].Received > 100) != (tt.log == "") || (list[0].Sent > 100) != (tt.log == "") {
			t.Errorf("%s through %q: logged %+v, want %q", tt.page, tt.hosts, list, tt.log)
		}
		if list[0].Wants != tt.wants {
			t.Errorf("%s through %q: wants %q, want %q", tt.page, tt.hosts, list[0].Wants, tt.wants)
		}
	}
}

// TestProxyNamed is about which hosts an entry opens.
func TestProxyNamed(t *testing.T) {
	p := newProxy([]string{"*.example.org", "192.0.2.1:8080", "pkgs.example", "x.example.org:99"})
	defer p.Close()
	for address, want := range map[string]bool{
		"pkgs.example:443": true, "Pkgs.Example:80": true, "pkgs.example.:443": true, "pkgs.example:22": false, "pkgs.example:8080": false,
		"evil-pkgs.example:443": false, "pkgs.example.evil.example:443": false, "files.pkgs.example:443": false,
		"a.example.org:443": true, "a.b.example.org:80": true, "example.org:443": false, "badexample.org:443": false,
		"x.example.org:99": true, "x.example.org:443": true, "192.0.2.1:8080": true, "192.0.2.1:80": false, "192.0.2.2:8080": false,
	} {
		var host string
		var port int
		if i := strings.LastIndexByte(address, ':'); i > 0 {
			host = address[:i]
			_, _ = fmt.Sscan(address[i+1:], &port)
		}
		if got := p.named(host, port) == nil; got != want {
			t.Errorf("%s: open %v, want %v", address, got, want)
		}
	}
}

func TestPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"1.1.1.1": true, "172.15.0.1": true, "2606:4700::1111": true,
		"10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false, "127.8.9.10": false, "0.0.0.0": false, "0.1.2.3": false,
		"169.254.169.254": false, "100.100.100.200": false, "168.63.129.16": false, "192.0.0.192": false, "255.255.255.255": false, "224.0.0.1": false,
		"::1": false, "::": false, "fe80::1": false, "fd00:ec2::254": false, "ff02::1": false, "::7f00:1": false,
		"64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001:0:1::": false, "fec0::1": false,
	} {
		if got := public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: public %v, want %v", text, got, want)
		}
	}
}

// TestProxyOdd is about clients that no library makes.
func TestProxyOdd(t *testing.T) {
	p := newProxy([]string{"pkgs.example"})
	address := through(t, p)
	for request, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: pkgs.example\r\n\r\n":                              "400",
		"GET https://pkgs.example/ HTTP/1.1\r\nHost: pkgs.example\r\n\r\n":          "400",
		"GET ftp://pkgs.example/ HTTP/1.1\r\nHost: pkgs.example\r\n\r\n":            "400",
		"CONNECT pkgs.example HTTP/1.1\r\nHost: pkgs.example\r\n\r\n":               "400",
		"CONNECT pkgs.example:99999 HTTP/1.1\r\nHost: pkgs.example\r\n\r\n":         "400",
		"CONNECT :443 HTTP/1.1\r\nHost: pkgs.example\r\n\r\n":                       "403",
		"CONNECT evil.example:443 HTTP/1.1\r\nHost: pkgs.example\r\n\r\n":           "403",
		"GET http://evil.example/ HTTP/1.1\r\nHost: pkgs.example\r\n\r\n":           "403",
		"GET http://user@evil.example@pkgs.example:22/ HTTP/1.1\r\nHost: x\r\n\r\n": "403",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("x", 2000):  "400",
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		if half, ok := conn.(*net.TCPConn); ok {
			_ = half.CloseWrite()
		}
		line, err := bufio.NewReader(conn).ReadString('\n')
		if _, status, _ := strings.Cut(line, " "); !strings.HasPrefix(status, want) {
			t.Errorf("%.60q: got %q, %v; want %s", request, line, err, want)
		}
		conn.Close()
	}
	for i := range connectionsLimit {
		browse(t, address, fmt.Sprintf("http://h%d.example", i))
	}
	list := p.Close()
	last := list[len(list)-1]
	if len(list) != connectionsLimit+1 || last.Host != "others" || last.Requests < 2 {
		t.Errorf("%d entries, the last is %+v", len(list), last)
	}
}

// sizes is a server on this machine's loopback that sends as many bytes as its
// path says, and says how many it took.
func sizes(t *testing.T) (address string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		taken, _ := io.Copy(io.Discard, r.Body)
		w.Header().Set("Taken", fmt.Sprint(taken))
		n, _ := strconv.Atoi(r.URL.Path[1:])
		_, _ = w.Write(make([]byte, n))
	}))
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return HostMachine + ":" + port
}
