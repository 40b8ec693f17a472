package validate

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// Hashes, ciphers, keys, connections.
var safetyPyCryptoRules = untested([]Rule{{
	ID: "python-weak-hash", Title: "A hash that can be forged", Severity: Warning, Category: Safety, Standards: []string{"CWE-327"},
	Doc: "Two texts with the same MD5 or SHA-1 can be made in seconds or for little money, so neither proves that something is unchanged, and passwords are guessed by the billion. " +
		"Use SHA-256, and `hashlib.scrypt` for passwords. Where it is only a key of a cache, say `usedforsecurity=False`.",
	File: "sign.py", Bad: "import hashlib\n\ndef sign(text):\n    return hashlib.md5(text).hexdigest()\n", Good: "import hashlib\n\ndef sign(text):\n    return hashlib.sha256(text).hexdigest()\n",
	Check: eachCall(onlyPython, checkWeakHash),
}, {
	ID: "python-weak-cipher", Title: "A cipher that can be broken", Severity: Warning, Category: Safety, Standards: []string{"CWE-327"},
	Doc:  "DES, RC4, RC2, Blowfish, CAST5, IDEA, SEED, XOR and any cipher in ECB mode give away parts of the text. Use AES-GCM or ChaCha20-Poly1305.",
	File: "box.py", Bad: "from Crypto.Cipher import DES\n\ncipher = DES.new(key)\n", Good: "from Crypto.Cipher import AES\n\ncipher = AES.new(key, AES.MODE_GCM)\n",
	Check: eachCall(onlyPython, func(p *Pass, c *Code, k call) {
		if weakCipher.MatchString(k.name) || (k.name == "Crypto.Cipher.AES.new" || k.name == "Cryptodome.Cipher.AES.new") && len(k.list) > 1 && strings.HasSuffix(k.list[1].Text(), "MODE_ECB") {
			p.Node(c, k.node, "This cipher or mode gives parts of the text away: use AES-GCM or ChaCha20-Poly1305.")
		}
	}),
}, {
	ID: "python-weak-key", Title: "A key that is too short", Severity: Warning, Category: Safety, Standards: []string{"CWE-326"},
	Doc:  "RSA and DSA keys need 2,048 bits, elliptic curves 224.",
	File: "keys.py", Bad: "from Crypto.PublicKey import RSA\n\nkey = RSA.generate(1024)\n", Good: "from Crypto.PublicKey import RSA\n\nkey = RSA.generate(3072)\n",
	Check: eachCall(onlyPython, checkWeakKey),
}, {
	ID: "python-weak-random", Title: "A secret is made of numbers that can be foretold", Severity: Warning, Category: Safety, Standards: []string{"CWE-330"},
	Doc: "Whoever has seen some numbers of `random` knows all that follow. The module `secrets` is made for tokens, passwords, salts and keys. " +
		"Games and samples pass: only names that speak of a secret count.",
	File: "reset.py", Bad: "import random\n\ntoken = random.getrandbits(128)\n", Good: "import secrets\n\ntoken = secrets.token_hex(16)\n",
	Check: eachCall(onlyPython, func(p *Pass, c *Code, k call) {
		if strings.HasPrefix(k.name, "random.") && slices.Contains(foreseeable, k.base) {
			if name := purpose(c, k.node); name != "" {
				p.Node(c, k.node, "Who has seen some numbers of random knows the rest: make %s with the module secrets.", name)
			}
		}
	}),
}, {
	ID: "python-tls-unverified", Title: "The certificate of the other side is not checked", Severity: Critical, Category: Safety, Standards: []string{"CWE-295"},
	Doc:  "Anybody on the way can then read and change what is sent, passwords too. Leave `verify` as it is; give the file of your own authority where you have one (`verify=\"ca.pem\"`).",
	File: "client.py", Bad: "import requests\n\nrequests.get(\"https://example.com\", verify=False)\n", Good: "import requests\n\nrequests.get(\"https://example.com\", verify=\"ca.pem\")\n",
	Check: func(p *Pass) {
		eachCall(onlyPython, checkVerify)(p)
		nodes(onlyPython, checkVerifyAssigned, "assignment")(p)
	},
}, {
	ID: "python-tls-version", Title: "An old version of TLS is asked for", Severity: Warning, Category: Safety, Standards: []string{"CWE-327"},
	Doc:  "SSL 2 and 3 and TLS 1.0 and 1.1 can be broken. `ssl.create_default_context()` chooses well by itself.",
	File: "client.py", Bad: "import ssl\n\ncontext = ssl.SSLContext(ssl.PROTOCOL_TLSv1)\n", Good: "import ssl\n\ncontext = ssl.create_default_context()\n",
	Check: checkTLSVersion,
}, {
	ID: "python-host-key", Title: "An SSH server is trusted whoever it is", Severity: Critical, Category: Safety, Standards: []string{"CWE-295"},
	Doc:  "`AutoAddPolicy` and `WarningPolicy` accept any host key, so that anybody on the way can be the server. Load the known keys (`load_system_host_keys`) and keep `RejectPolicy`.",
	File: "deploy.py", Bad: "import paramiko\n\nclient = paramiko.SSHClient()\nclient.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n",
	Good: "import paramiko\n\nclient = paramiko.SSHClient()\nclient.load_system_host_keys()\n",
	Check: eachCall(onlyPython, func(p *Pass, c *Code, k call) {
		if k.base != "set_missing_host_key_policy" || len(k.list) == 0 {
			return
		}
		if policy := lastPart(strings.TrimSuffix(c.names().name(k.list[0]), "()")); policy == "AutoAddPolicy" || policy == "WarningPolicy" {
			p.Node(c, k.node, "Anybody on the way can be this server: load the known host keys and keep paramiko.RejectPolicy.")
		}
	}),
}, {
	ID: "python-snmp", Title: "SNMP without a secret or without encryption", Severity: Warning, Category: Safety, Standards: []string{"CWE-319"},
	Doc:  "Versions 1 and 2c send their password in every packet. Use version 3 with a key for authentication and one for privacy.",
	File: "poll.py", Bad: "from pysnmp.hlapi import CommunityData\n\nauth = CommunityData(\"public\", mpModel=0)\n", Good: "from pysnmp.hlapi import UsmUserData\n\nauth = UsmUserData(user, auth_key, privacy_key)\n",
	Check: eachCall(onlyPython, func(p *Pass, c *Code, k call) {
		if !strings.HasPrefix(k.name, "pysnmp.") {
			return
		}
		model := k.named["mpModel"]
		if k.base == "CommunityData" && !model.IsZero() && (model.Text() == "0" || model.Text() == "1") || k.base == "UsmUserData" && len(k.list)+len(k.named) < 3 && !k.open {
			p.Node(c, k.node, "This is sent unencrypted: use SNMP version 3 with a key for authentication and one for privacy.")
		}
	}),
}})

var weakCipher = expr(`^(?:Crypto|Cryptodome)\.Cipher\.(?:ARC2|ARC4|Blowfish|DES|DES3|CAST|XOR)\.new$|^cryptography\.hazmat\.primitives\.ciphers\.algorithms\.(?:ARC4|Blowfish|CAST5|IDEA|SEED|TripleDES)$|^cryptography\.hazmat\.primitives\.ciphers\.modes\.ECB$`)

var weakHash = expr(`^hashlib\.(?:md4|md5|sha1|sha)$|^(?:Crypto|Cryptodome)\.Hash\.(?:MD2|MD4|MD5|SHA|SHA1)\.new$|^cryptography\.hazmat\.primitives\.hashes\.(?:MD5|SHA1)$|^(?:md5|sha)\.new$|^md5\.md5$|^sha\.sha$`)

func checkWeakHash(p *Pass, c *Code, k call) {
	const text = "%s can be forged: use SHA-256 (hashlib.scrypt for passwords), or say usedforsecurity=False where nothing depends on it."
	if u := k.named["usedforsecurity"]; !u.IsZero() && u.Kind() == "false" {
		return
	}
	switch {
	case weakHash.MatchString(k.name):
		p.Node(c, k.node, text, k.name)
	case k.name == "hashlib.new":
		if v := c.names().value(k.at(0, "name")); v.constant() && slices.Contains([]string{"md4", "md5", "sha", "sha1"}, strings.ToLower(v.text)) {
			p.Node(c, k.node, text, strings.ToUpper(v.text))
		}
	case k.name == "crypt.crypt" || k.name == "crypt.mksalt":
		method := k.at(map[string]int{"crypt": 1}[k.base], "method")
		if method.IsZero() {
			method = k.named["salt"]
		}
		if m := strings.TrimPrefix(c.names().name(method), "crypt.METHOD_"); m == "CRYPT" || m == "MD5" || m == "BLOWFISH" {
			p.Node(c, k.node, text, "crypt with "+m)
		}
	}
}

var keyMakers = map[string]int{ // the place of the size
	"cryptography.hazmat.primitives.asymmetric.dsa.generate_private_key": 0, "cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key": 1,
	"Crypto.PublicKey.DSA.generate": 0, "Crypto.PublicKey.RSA.generate": 0, "Cryptodome.PublicKey.DSA.generate": 0, "Cryptodome.PublicKey.RSA.generate": 0,
}

const leastKey = 2048 // bits of an RSA or DSA key, as NIST SP 800-57 has it since 2014

func checkWeakKey(p *Pass, c *Code, k call) {
	if k.name == "cryptography.hazmat.primitives.asymmetric.ec.generate_private_key" {
		curve := lastPart(strings.TrimSuffix(c.names().name(k.at(0, "curve")), "()"))
		if slices.Contains([]string{"SECP192R1", "SECT163K1", "SECT163R2"}, curve) {
			p.Node(c, k.node, "%s is too short to be safe: use ec.SECP256R1.", curve)
		}
		return
	}
	place, ok := keyMakers[k.name]
	if !ok {
		return
	}
	size := k.at(place, "key_size")
	if size.IsZero() {
		size = k.named["bits"]
	}
	if bits, ok := c.names().mode(size, 0); ok && bits < leastKey && bits > 0 {
		p.Node(c, k.node, "A key of %d bits is too short to be safe: make it %d at least.", bits, leastKey)
	}
}

var foreseeable = []string{"random", "Random", "randrange", "randint", "choice", "choices", "uniform", "triangular", "randbytes", "sample", "getrandbits"}

// secretPurpose is in the names of what must not be guessed.
var secretPurpose = expr(`(?i)(?:passw|secret|token(?:_?(?:key|id|hex|value|str))?$|nonce|salt|otp$|^otp|api_?key|session_?(?:id|key)|csrf|auth_?(?:key|code|token)|(?:private|encryption|signing|crypto)_?key|activation|reset_?(?:code|key)|verification_?code)`)

// purpose returns what the result of an expression is for where its name speaks
// of a secret: the variable that it is given to, the function that it is made in.
func purpose(c *Code, x syntax.Node) string {
	for p := x.Parent(); !p.IsZero(); p = p.Parent() {
		var name string
		switch kind := p.Kind(); {
		case kind == "assignment" || kind == "variable_declarator" || kind == "assignment_expression" || kind == "short_var_declaration" || kind == "assignment_statement" || kind == "var_spec" || kind == "pair" || kind == "keyword_argument" || kind == "keyed_element":
			name = lastPart(strings.Trim(textOf(firstNamed(p)), "\"'`"))
		case scopes[kind]:
			name = textOf(p.Child("identifier", "property_identifier", "field_identifier"))
			if !secretPurpose.MatchString(name) {
				return ""
			}
		}
		if name != "" && secretPurpose.MatchString(name) && !strings.ContainsAny(name, "\n([{ ") {
			return name
		}
	}
	return ""
}

var requestMethods = []string{"get", "options", "head", "post", "put", "patch", "delete", "request", "stream", "Client", "AsyncClient", "Session"}

func checkVerify(p *Pass, c *Code, k call) {
	const text = "Anybody on the way can read and change this: leave verify on, or give the file of your own authority."
	off := k.named["verify"]
	if off.IsZero() {
		off = k.named["verify_ssl"]
	}
	if off.IsZero() && strings.HasPrefix(k.name, "aiohttp.") {
		off = k.named["ssl"]
	}
	root, _, _ := strings.Cut(strings.TrimSuffix(k.name, "()"), ".")
	root = strings.TrimSuffix(root, "()")
	switch {
	case !off.IsZero() && off.Kind() == "false" && slices.Contains([]string{"requests", "httpx", "aiohttp"}, root) && (slices.Contains(requestMethods, k.base) || root == "aiohttp"):
		p.Node(c, off, text)
	case !off.IsZero() && off.Kind() == "false" && strings.HasPrefix(k.name, unseen) && slices.Contains(requestMethods, k.base) && len(k.list) > 0 && (c.imports("requests") || c.imports("httpx")):
		p.Node(c, off, text)
	case k.name == "ssl._create_unverified_context":
		p.Node(c, k.node, text)
	}
	if required := k.named["cert_reqs"]; !required.IsZero() {
		if v := c.names().value(required); c.names().is(required, "ssl.CERT_NONE") || v.constant() && (v.text == "NONE" || v.text == "CERT_NONE") {
			p.Node(c, required, text)
		}
	}
}

// checkVerifyAssigned is about what is switched off for all that follows.
func checkVerifyAssigned(p *Pass, c *Code, n syntax.Node) {
	parts := namedChildren(n)
	if len(parts) != 2 || parts[0].Kind() != "attribute" {
		return
	}
	const text = "Anybody on the way can read and change what is sent: leave this on."
	switch to := c.names().name(parts[0]); {
	case to == "ssl._create_default_https_context" && c.names().is(parts[1], "ssl._create_unverified_context"):
		p.Node(c, n, text)
	case (to == "requests.Session().verify" || to == "requests.session().verify") && parts[1].Kind() == "false":
		p.Node(c, n, text)
	case strings.HasSuffix(to, ".verify_mode") && strings.HasPrefix(to, "ssl.") && c.names().is(parts[1], "ssl.CERT_NONE"):
		p.Node(c, n, text)
	case strings.HasSuffix(to, ".check_hostname") && strings.HasPrefix(to, "ssl.") && parts[1].Kind() == "false":
		p.Node(c, n, text)
	}
}

var oldTLS = expr(`\b(?:PROTOCOL_(?:SSLv2|SSLv3|TLSv1|TLSv1_1)|(?:SSLv2|SSLv3|SSLv23|TLSv1|TLSv1_1)_METHOD)$`)

// checkTLSVersion looks at what is given as a version: to a call, or to a
// parameter by default.
func checkTLSVersion(p *Pass) {
	const text = "This version of TLS can be broken: leave the choice to ssl.create_default_context()."
	eachCall(onlyPython, func(p *Pass, c *Code, k call) {
		if k.name == "ssl.wrap_socket" && k.named["ssl_version"].IsZero() && len(k.list) < 5 && !k.open {
			p.Node(c, k.node, "This takes any version of TLS and checks no certificate: use ssl.create_default_context().wrap_socket.")
		}
	})(p)
	for _, c := range p.Code(syntax.Python) {
		if !c.imports("ssl") && !c.imports("OpenSSL") && !c.imports("pyOpenSSL") {
			continue
		}
		for _, n := range c.Nodes("attribute") {
			switch parent := n.Parent(); parent.Kind() {
			case "keyword_argument", "default_parameter", "typed_default_parameter":
			case "argument_list":
				if fn, _ := c.names().call(parent.Parent()); !strings.HasSuffix(c.names().name(fn), "Context") {
					continue
				}
			default:
				continue
			}
			if oldTLS.MatchString(n.Text()) {
				p.Node(c, n, text)
			}
		}
	}
}
