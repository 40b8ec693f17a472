package html

import (
	"golang.org/x/text/unicode/norm"
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// addressRules are about addresses as they are written.
var addressRules = []validate.Rule{{
	ID: "address-syntax", Title: "Invalid URL", Severity: validate.Warning, Category: validate.Markup,
	Doc: "Browsers cannot parse a URL with an impossible host or port, and a URL such as `http:example.org` leads elsewhere than it seems. A user name and a password in a URL " +
		"are visible to everybody. URLs written by a template are not reported.",
	Bad:   "<a href=\"https:/example.org/docs\">Docs</a>\n",
	Good:  "<a href=\"https://example.org/docs\">Docs</a>\n",
	Check: validate.Attributes(checkAddress, addressNames...),
}, {
	ID: "address-character", Title: "URL with a character that must be percent-encoded", Severity: validate.Info, Category: validate.Markup,
	Doc:   "Browsers encode a space, a backslash or a brace by themselves; other programs that read the page may not. Write `%20` for a space and `%25` for a percent sign.",
	Bad:   "<a href=\"/files/price list.pdf\">Prices</a>\n",
	Good:  "<a href=\"/files/price%20list.pdf\">Prices</a>\n",
	Check: validate.Attributes(checkAddressCharacter, addressNames...),
}}

// addressNames are the attributes that hold an address, on the elements that addressed knows.
var addressNames = []string{"href", "src", "action", "formaction", "cite", "data", "poster", "itemid", "itemtype", "value"}

// addressElements says which elements have an address in an attribute.
var addressElements = dom.ReadLists(`href a area link base
src img audio video embed iframe input script source track
action form
formaction button input
cite blockquote q ins del
data object
poster video`)

// givenAddress returns the address that an attribute holds, where it is one that the
// source writes out; absolute reports whether it must begin with a scheme.
func givenAddress(n *dom.Node, a *dom.Attr) (address string, absolute, ok bool) {
	if n.Space != dom.HTML || a.Dynamic || a.Bound || unfilled(a.Value) {
		return "", false, false
	}
	switch a.Name {
	case "itemid", "itemtype":
		absolute, ok = a.Name == "itemtype", n.Attr("itemscope") != nil
	case "value":
		absolute, ok = true, n.Is("input") && strings.EqualFold(dom.AttributeText(n, "type"), "url")
	default:
		ok = n.Is(addressElements[a.Name]...)
	}
	address = strings.Trim(a.Value, " \t\r\n\f")
	scheme, _, _ := strings.Cut(strings.ToLower(address), ":")
	return address, absolute, ok && address != "" && scheme != "javascript" && scheme != "about"
}

// unfilled reports whether a value is one that a program fills in before it
// is used: {name}, %NAME%, [[name]], @name@, <name>.
func unfilled(v string) bool {
	if i := strings.IndexByte(v, '{'); i >= 0 && strings.IndexByte(v[i:], '}') > 0 {
		return true
	}
	if i := strings.IndexByte(v, '<'); i >= 0 && strings.IndexByte(v[i:], '>') > 0 {
		return true
	}
	if strings.Contains(v, "[[") || strings.HasPrefix(v, "@") || strings.HasPrefix(v, "$") || strings.Contains(v, "%%") {
		return true
	}
	if i := strings.IndexByte(v, '%'); i >= 0 {
		name, _, ok := strings.Cut(v[i+1:], "%")
		return ok && len(name) > 2 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
	}
	return false
}

func checkAddress(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	address, absolute, ok := givenAddress(n, a)
	if !ok {
		return
	}
	for _, one := range addresses(a, address) {
		if fault := addressFault(one, absolute); fault != "" {
			p.Attribute(a, "This URL %s.", fault)
			return
		}
	}
}

func checkAddressCharacter(p *validate.Pass, n *dom.Node, a *dom.Attr) {
	address, absolute, ok := givenAddress(n, a)
	if !ok {
		return
	}
	for _, one := range addresses(a, address) {
		if fault := characterFault(one); fault != "" && addressFault(one, absolute) == "" {
			p.Attribute(a, "This URL holds %s.", fault)
			return
		}
	}
}

// addresses are the addresses in a value: itemtype may hold several.
func addresses(a *dom.Attr, text string) []string {
	if a.Name == "itemtype" {
		return strings.Fields(text)
	}
	return []string{text}
}

// netSchemes are the schemes whose addresses name a host, after the URL standard.
var netSchemes = map[string]bool{"http": true, "https": true, "ws": true, "wss": true, "ftp": true}

// addressFault says why an address cannot be what is meant, after the URL
// standard (2025); "" where nothing speaks against it.
func addressFault(s string, absolute bool) string {
	scheme, rest, ok := cutScheme(s)
	switch {
	case !ok && absolute:
		return "must be absolute, with https:// before it"
	case !ok && strings.HasPrefix(s, "//"):
		return hostFault(s[2:])
	case !ok:
		return ""
	case netSchemes[scheme] && !strings.HasPrefix(rest, "//"):
		return "needs two slashes after " + scheme + ":"
	case netSchemes[scheme]:
		return hostFault(rest[2:])
	case scheme == "file":
		return fileFault(rest)
	case (scheme == "mailto" || scheme == "tel") && rest == "":
		return "names nobody"
	case scheme == "data" && !strings.Contains(rest, ","):
		return "needs a comma between the type and the data"
	}
	return ""
}

// cutScheme parts an address behind its scheme, which is returned in lower case.
func cutScheme(s string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(s, ":")
	scheme = strings.ToLower(scheme)
	if !ok || scheme == "" || scheme[0] < 'a' || scheme[0] > 'z' || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return "", s, false
	}
	return scheme, rest, true
}

func fileFault(rest string) string {
	if !strings.HasPrefix(rest, "//") {
		return "needs three slashes behind file:"
	}
	host, path, _ := strings.Cut(rest[2:], "/")
	if strings.Contains(host, "|") || len(path) > 1 && path[1] == '|' {
		return "cannot have a | in it: write a colon after the drive"
	}
	return ""
}

// maxPort is the greatest port there is.
const maxPort = 1<<16 - 1

// hostFault judges what stands behind the two slashes, up to the path.
func hostFault(rest string) string {
	authority := rest
	if i := strings.IndexAny(rest, "/\\?#"); i >= 0 {
		authority = rest[:i]
	}
	if strings.Contains(authority, "@") {
		return "exposes a user name or a password to everybody who sees the page"
	}
	host, port := authority, ""
	if end := strings.LastIndexByte(authority, ']'); strings.LastIndexByte(authority, ':') > end {
		i := strings.LastIndexByte(authority, ':')
		host, port = authority[:i], authority[i+1:]
	}
	if host == "" {
		return "names no host"
	}
	if strings.Trim(port, "0123456789") != "" {
		return "has a port that is not a number: " + strconv.Quote(port)
	}
	if number, err := strconv.Atoi(port); port != "" && (err != nil && len(strings.TrimLeft(port, "0")) > 5 || number > maxPort) {
		return "has a port above 65535"
	}
	if strings.HasPrefix(host, "[") {
		if !strings.HasSuffix(host, "]") || !isIPv6(host[1:len(host)-1]) {
			return "has no IPv6 address in its brackets"
		}
		return ""
	}
	return nameFault(decoded(host))
}

// nameFault judges the name of a host.
func nameFault(host string) string {
	host = norm.NFKC.String(host)
	if i := strings.IndexFunc(host, forbiddenInHost); i >= 0 {
		return "has an invalid host: " + strconv.Quote(host)
	}
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := strings.ToLower(parts[len(parts)-1])
	if last == "" || strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x") {
		return ""
	}
	if !isIPv4(host) {
		return "ends in a number, but is not an IPv4 address: " + strconv.Quote(host)
	}
	return ""
}

func isIPv4(s string) bool {
	parts := strings.Split(s, ".")
	for _, part := range parts {
		if v, err := strconv.ParseUint(part, 10, 8); err != nil || strconv.FormatUint(v, 10) != part {
			return false
		}
	}
	return len(parts) == 4
}

// isIPv6 reports whether a text is an address of eight groups (RFC 4291, 2.2).
func isIPv6(s string) bool {
	head, tail, short := strings.Cut(s, "::")
	var groups []string
	for _, half := range []string{head, tail} {
		if half != "" {
			groups = append(groups, strings.Split(half, ":")...)
		}
	}
	count := len(groups)
	if count > 0 && isIPv4(groups[count-1]) {
		groups = groups[:count-1]
		count++ // it stands for two groups
	}
	for _, g := range groups {
		if _, err := strconv.ParseUint(g, 16, 16); err != nil || len(g) > 4 {
			return false
		}
	}
	return count == 8 && !short || count < 8 && short
}

// forbiddenInHost reports whether no name of a host has a character.
func forbiddenInHost(r rune) bool {
	return r <= ' ' || r == 0x7f || r >= 0xfdd0 && r <= 0xfdef || r&0xfffe == 0xfffe || strings.ContainsRune("#/:<>?@[\\]^|%", r)
}

// decoded resolves percent-encoding; what is none stays.
func decoded(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if v, ok := hexPair(s[i:]); ok {
			b.WriteByte(v)
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// hexPair reads the %xx that a text begins with.
func hexPair(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[1:3], 16, 8)
	return byte(v), err == nil
}

// characterFault says which character of an address should be encoded; "" where none.
func characterFault(s string) string {
	fragment := false
	for i, r := range s {
		switch {
		case r == ' ':
			return "a space: write %20"
		case r == '\t' || r == '\n' || r == '\r':
			return "a line break or a tab, which browsers drop"
		case r == '%':
			if _, ok := hexPair(s[i:]); !ok {
				return "a percent sign that does not encode anything: write %25"
			}
		case r == '#' && fragment:
			return "a second #: write %23"
		case r == '#':
			fragment = true
		case strings.ContainsRune("\"<>\\^`{|}[]", r) && !inBrackets(s, i):
			return "the character " + string(r) + ": write %" + strings.ToUpper(strconv.FormatInt(int64(r), 16))
		case r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0xfdd0 && r <= 0xfdef || r&0xfffe == 0xfffe:
			return "an invalid character"
		}
	}
	return ""
}

// inBrackets reports whether a bracket is one of an IPv6 address.
func inBrackets(s string, at int) bool {
	start := strings.Index(s, "//[")
	return start >= 0 && start+2 <= at && at <= start+strings.IndexByte(s[start:], ']')
}
