package sandbox

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	hostsLimit = 100 // more than any project names, and little to compare with
	hostLength = 253 // bytes of a name, by RFC 1035
)

// HostMachine is the name by which a command reaches the loopback of the machine
// that caselsp runs on, where it is opened: Docker Desktop made it known.
// localhost is the sandbox's own.
const HostMachine = "host.docker.internal"

// hostName is a host name or IPv4 address (group 2), perhaps any name below it
// (group 1), and perhaps a port (group 3). Underscores are in use, though no
// standard allows them.
var hostName = regexp.MustCompile(`^(\*\.)?((?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)(?::([1-9][0-9]{0,4}))?$`)

// CheckHosts returns hosts in lower case, sorted and each once, or what is
// wrong with them. A host is a name, any name below one ("*.example.org", which
// is not example.org itself) or an IPv4 address, and perhaps a port; without one
// it means the ports of HTTP and HTTPS. Private addresses are reached only where
// they themselves are named, beside the name that leads to them.
func CheckHosts(hosts []string) ([]string, error) {
	if len(hosts) > hostsLimit {
		return nil, fmt.Errorf("%d hosts are named, the limit is %d", len(hosts), hostsLimit)
	}
	var checked []string
	for _, host := range hosts {
		h := strings.ToLower(host)
		below, name, port := splitHost(h)
		if name == "" || len(name) > hostLength || port > 65535 {
			return nil, fmt.Errorf("%q is no host: write a name such as pkgs.example, *.example.org or index.example.org:8000", host)
		}
		address, notAddress := netip.ParseAddr(name)
		switch {
		case below && (!strings.Contains(name, ".") || notAddress == nil):
			return nil, fmt.Errorf("%q names too many hosts: the part behind the star must be a name with a dot in it", host)
		case name == "localhost" || strings.HasSuffix(name, ".localhost") || address.IsLoopback() || notAddress == nil && address.IsUnspecified():
			return nil, fmt.Errorf("%q is the sandbox's own loopback, which is always open: write %s for that of this machine", host, HostMachine)
		}
		checked = append(checked, h)
	}
	slices.Sort(checked)
	return slices.Compact(checked), nil
}

// splitHost takes an entry apart; the name is empty if it is not valid, and the
// port is 0 if none is given.
func splitHost(entry string) (below bool, name string, port int) {
	m := hostName.FindStringSubmatch(entry)
	if m == nil {
		return false, "", 0
	}
	port, _ = strconv.Atoi(m[3])
	return m[1] != "", m[2], port
}

// entryOf returns the entry that opens one port of a host, or "" where none can: the
// name is the command's, and an IPv6 address cannot be named.
func entryOf(host string, port int) string {
	if port != 80 && port != 443 {
		host += ":" + strconv.Itoa(port)
	}
	checked, err := CheckHosts([]string{host})
	if err != nil {
		return ""
	}
	return checked[0]
}

// canonical returns the one form of a name in which names are compared.
func canonical(host string) string { return strings.TrimSuffix(strings.ToLower(host), ".") }

// named returns nil if a host's port was opened, or why it is refused.
func (p *proxy) named(host string, port int) error {
	host = canonical(host)
	for _, entry := range p.hosts {
		below, name, open := splitHost(entry)
		if port != open && (open != 0 || port != 80 && port != 443) {
			continue
		}
		if host == name && !below || below && strings.HasSuffix(host, "."+name) {
			return nil
		}
	}
	return &refusal{fmt.Sprintf("port %d of %s is not among the hosts that were opened (%s)",
		port, strconv.QuoteToASCII(host[:min(len(host), hostLength)]), strings.Join(p.hosts, ", ")), entryOf(host, port)}
}

// addresses looks a host up and returns those of its addresses that may be
// dialled.
func (p *proxy) addresses(ctx context.Context, host string, port int) ([]netip.Addr, error) {
	if host = canonical(host); host == HostMachine {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	found := []netip.Addr{}
	if a, err := netip.ParseAddr(host); err == nil {
		found = append(found, a)
	} else if found, err = p.lookup(ctx, host); err != nil {
		return nil, fmt.Errorf("%s cannot be looked up: %w", host, err)
	}
	var good []netip.Addr
	for _, a := range found {
		a = a.Unmap().WithZone("")
		if public(a) || p.named(a.String(), port) == nil {
			good = append(good, a)
		}
	}
	if len(good) == 0 && len(found) > 0 {
		r := &refusal{text: fmt.Sprintf("%s leads to the private address %s: open that address too if it is meant", host, found[0].Unmap())}
		if a := found[0].Unmap(); a.IsPrivate() { // of a company's network; the link-local addresses of cloud metadata services are never offered
			r.wants = entryOf(a.String(), port)
		}
		return nil, r
	}
	return good, nil
}

// guarded are the networks that a name must not lead to, beside those that
// netip knows as private, loopback, link-local (where clouds tell machines their
// credentials) and multicast.
var guarded = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),        // this host
	netip.MustParsePrefix("100.64.0.0/10"),    // behind a provider's address translation; Alibaba's metadata
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's host, a public address
	netip.MustParsePrefix("192.0.0.0/24"),     // protocol assignments; Oracle's metadata
	netip.MustParsePrefix("198.18.0.0/15"),    // benchmarks within a network
	netip.MustParsePrefix("240.0.0.0/4"),      // reserved, broadcast
	netip.MustParsePrefix("::/96"),            // embeds an IPv4 address
	netip.MustParsePrefix("64:ff9b::/96"),     // so does this
	netip.MustParsePrefix("64:ff9b:1::/48"),   // and this
	netip.MustParsePrefix("2001::/32"),        // and this (Teredo)
	netip.MustParsePrefix("2002::/16"),        // and this (6to4)
	netip.MustParsePrefix("fec0::/10"),        // site-local, as private networks were called
}

// public reports whether an address is one of the internet at large.
func public(a netip.Addr) bool {
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(guarded, func(p netip.Prefix) bool { return p.Contains(a) })
}
