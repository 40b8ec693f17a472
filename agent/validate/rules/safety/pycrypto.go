package safety

import (
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// Hashes, ciphers, keys, connections.
var pyCryptoRules = validate.Untested([]validate.Rule{{
	ID: "python-weak-hash", Title: "Weak hash function (MD5, SHA-1)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-327"},
	Aliases: validate.Aliases{validate.Bandit: {"B303", "B324"}, validate.Ruff: {"S303", "S324"}},
	Doc: "Collisions of MD5 and SHA-1 can be computed in seconds or at low cost, so neither proves integrity, and passwords hashed with them are guessed by the billion. Use " +
		"SHA-256, and `hashlib.scrypt` for passwords. For cache keys, pass `usedforsecurity=False`.",
	File: "sign.py", Bad: "import hashlib\n\ndef sign(text):\n    return hashlib.md5(text).hexdigest()\n", Good: "import hashlib\n\ndef sign(text):\n    return hashlib.sha256(text).hexdigest()\n",
	Check: eachCall(onlyPython, checkWeakHash),
}, {
	ID: "python-weak-cipher", Title: "Weak cipher or cipher mode", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-327"},
	Aliases: validate.Aliases{validate.Bandit: {"B304", "B305"}, validate.Ruff: {"S304", "S305"}},
	Doc:     "DES, RC4, RC2, Blowfish, CAST5, IDEA, SEED, XOR and any cipher in ECB mode reveal parts of the text. Use AES-GCM or ChaCha20-Poly1305.",
	File:    "box.py", Bad: "from Crypto.Cipher import DES\n\ncipher = DES.new(key)\n", Good: "from Crypto.Cipher import AES\n\ncipher = AES.new(key, AES.MODE_GCM)\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if weakCipher.MatchString(k.Name) || (k.Name == "Crypto.Cipher.AES.new" || k.Name == "Cryptodome.Cipher.AES.new") && len(k.List) > 1 && strings.HasSuffix(k.List[1].Text(), "MODE_ECB") {
			p.Node(c, k.Node, "This cipher or mode reveals parts of the text: use AES-GCM or ChaCha20-Poly1305.")
		}
	}),
}, {
	ID: "python-weak-key", Title: "Key too short", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-326"},
	Aliases: validate.Aliases{validate.Bandit: {"B505"}, validate.Ruff: {"S505"}},
	Doc:     "RSA and DSA keys need 2,048 bits, elliptic curves 224.",
	File:    "keys.py", Bad: "from Crypto.PublicKey import RSA\n\nkey = RSA.generate(1024)\n", Good: "from Crypto.PublicKey import RSA\n\nkey = RSA.generate(3072)\n",
	Check: eachCall(onlyPython, checkWeakKey),
}, {
	ID: "python-weak-random", Title: "Predictable random numbers used for a secret", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-330"},
	Aliases: validate.Aliases{validate.Bandit: {"B311"}, validate.Ruff: {"S311"}},
	Doc: "After some outputs of `random`, all later ones are predictable. Use the module `secrets` for tokens, passwords, salts and keys. Games and samples pass: only names " +
		"that suggest a secret are reported.",
	File: "reset.py", Bad: "import random\n\ntoken = random.getrandbits(128)\n", Good: "import secrets\n\ntoken = secrets.token_hex(16)\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if strings.HasPrefix(k.Name, "random.") && slices.Contains(foreseeable, k.Base) {
			if name := purpose(c, k.Node); name != "" {
				p.Node(c, k.Node, "The numbers of random are predictable: create %s with the module secrets.", name)
			}
		}
	}),
}, {
	ID: "python-tls-unverified", Title: "TLS certificate verification disabled (man in the middle)", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-295"},
	Aliases: validate.Aliases{validate.Bandit: {"B501", "B323"}, validate.Ruff: {"S501", "S323"}, validate.Term: {"MITM"}},
	Doc: "Anyone on the network path can then read and change the traffic, passwords included. Leave `verify` at its default; pass the file of your own certificate authority " +
		"if you have one (`verify=\"ca.pem\"`).",
	File: "client.py", Bad: "import requests\n\nrequests.get(\"https://example.com\", verify=False)\n", Good: "import requests\n\nrequests.get(\"https://example.com\", verify=\"ca.pem\")\n",
	Check: func(p *validate.Pass) {
		eachCall(onlyPython, checkVerify)(p)
		validate.Nodes(onlyPython, checkVerifyAssigned, "assignment")(p)
	},
}, {
	ID: "python-tls-version", Title: "Obsolete TLS version", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-327"},
	Aliases: validate.Aliases{validate.Bandit: {"B502", "B503", "B504"}, validate.Ruff: {"S502", "S503", "S504"}},
	Doc:     "SSL 2 and 3 and TLS 1.0 and 1.1 are broken. `ssl.create_default_context()` chooses well.",
	File:    "client.py", Bad: "import ssl\n\ncontext = ssl.SSLContext(ssl.PROTOCOL_TLSv1)\n", Good: "import ssl\n\ncontext = ssl.create_default_context()\n",
	Check: checkTLSVersion,
}, {
	ID: "python-host-key", Title: "SSH host key verification disabled (man in the middle)", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-295"},
	Aliases: validate.Aliases{validate.Bandit: {"B507"}, validate.Ruff: {"S507"}, validate.Term: {"MITM"}},
	Doc: "`AutoAddPolicy` and `WarningPolicy` accept any host key, so anyone on the network path can pose as the server. Load the known keys (`load_system_host_keys`) and " +
		"keep `RejectPolicy`.",
	File: "deploy.py", Bad: "import paramiko\n\nclient = paramiko.SSHClient()\nclient.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n",
	Good: "import paramiko\n\nclient = paramiko.SSHClient()\nclient.load_system_host_keys()\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if k.Base != "set_missing_host_key_policy" || len(k.List) == 0 {
			return
		}
		if policy := lastPart(strings.TrimSuffix(c.QualifiedNames().Name(k.List[0]), "()")); policy == "AutoAddPolicy" || policy == "WarningPolicy" {
			p.Node(c, k.Node, "Anyone on the network path can pose as this server (man in the middle): load the known host keys and keep paramiko.RejectPolicy.")
		}
	}),
}, {
	ID: "python-snmp", Title: "SNMP without authentication or encryption", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-319"},
	Aliases: validate.Aliases{validate.Bandit: {"B508", "B509"}, validate.Ruff: {"S508", "S509"}},
	Doc:     "Versions 1 and 2c send their password in every packet. Use version 3 with one key for authentication and one for privacy.",
	File:    "poll.py", Bad: "from pysnmp.hlapi import CommunityData\n\nauth = CommunityData(\"public\", mpModel=0)\n", Good: "from pysnmp.hlapi import UsmUserData\n\nauth = UsmUserData(user, auth_key, privacy_key)\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if !strings.HasPrefix(k.Name, "pysnmp.") {
			return
		}
		model := k.Named["mpModel"]
		if k.Base == "CommunityData" && !model.IsZero() && (model.Text() == "0" || model.Text() == "1") || k.Base == "UsmUserData" && len(k.List)+len(k.Named) < 3 && !k.Open {
			p.Node(c, k.Node, "This is sent unencrypted: use SNMP version 3 with a key for authentication and one for privacy.")
		}
	}),
}})

var weakCipher = lazyregexp.New(`^(?:Crypto|Cryptodome)\.Cipher\.(?:ARC2|ARC4|Blowfish|DES|DES3|CAST|XOR)\.new$|^cryptography\.hazmat\.primitives\.ciphers\.algorithms\.(?:ARC4|Blowfish|CAST5|IDEA|SEED|TripleDES)$|^cryptography\.hazmat\.primitives\.ciphers\.modes\.ECB$`)

var weakHash = lazyregexp.New(`^hashlib\.(?:md4|md5|sha1|sha)$|^(?:Crypto|Cryptodome)\.Hash\.(?:MD2|MD4|MD5|SHA|SHA1)\.new$|^cryptography\.hazmat\.primitives\.hashes\.(?:MD5|SHA1)$|^(?:md5|sha)\.new$|^md5\.md5$|^sha\.sha$`)

func checkWeakHash(p *validate.Pass, c *validate.Code, k ecma.Call) {
	const text = "%s is a weak hash: use SHA-256 (hashlib.scrypt for passwords), or pass usedforsecurity=False if no security depends on it."
	if u := k.Named["usedforsecurity"]; !u.IsZero() && u.Kind() == "false" {
		return
	}
	switch {
	case weakHash.MatchString(k.Name):
		p.Node(c, k.Node, text, k.Name)
	case k.Name == "hashlib.new":
		if v := c.QualifiedNames().Value(k.At(0, "name")); v.Constant() && slices.Contains([]string{"md4", "md5", "sha", "sha1"}, strings.ToLower(v.Text)) {
			p.Node(c, k.Node, text, strings.ToUpper(v.Text))
		}
	case k.Name == "crypt.crypt" || k.Name == "crypt.mksalt":
		method := k.At(map[string]int{"crypt": 1}[k.Base], "method")
		if method.IsZero() {
			method = k.Named["salt"]
		}
		if m := strings.TrimPrefix(c.QualifiedNames().Name(method), "crypt.METHOD_"); m == "CRYPT" || m == "MD5" || m == "BLOWFISH" {
			p.Node(c, k.Node, text, "crypt with "+m)
		}
	}
}

var keyMakers = map[string]int{ // the place of the size
	"cryptography.hazmat.primitives.asymmetric.dsa.generate_private_key": 0, "cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key": 1,
	"Crypto.PublicKey.DSA.generate": 0, "Crypto.PublicKey.RSA.generate": 0, "Cryptodome.PublicKey.DSA.generate": 0, "Cryptodome.PublicKey.RSA.generate": 0,
}

const leastKey = 2048 // bits of an RSA or DSA key, as NIST SP 800-57 has it since 2014

func checkWeakKey(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if k.Name == "cryptography.hazmat.primitives.asymmetric.ec.generate_private_key" {
		curve := lastPart(strings.TrimSuffix(c.QualifiedNames().Name(k.At(0, "curve")), "()"))
		if slices.Contains([]string{"SECP192R1", "SECT163K1", "SECT163R2"}, curve) {
			p.Node(c, k.Node, "%s is too short to be safe: use ec.SECP256R1.", curve)
		}
		return
	}
	place, ok := keyMakers[k.Name]
	if !ok {
		return
	}
	size := k.At(place, "key_size")
	if size.IsZero() {
		size = k.Named["bits"]
	}
	if bits, ok := fileMode(c.QualifiedNames(), size, 0); ok && bits < leastKey && bits > 0 {
		p.Node(c, k.Node, "A key of %d bits is too short to be safe: use at least %d.", bits, leastKey)
	}
}

var foreseeable = []string{"random", "Random", "randrange", "randint", "choice", "choices", "uniform", "triangular", "randbytes", "sample", "getrandbits"}

// secretPurpose is in the names of what must not be guessed.
var secretPurpose = lazyregexp.New(`(?i)(?:passw|secret|token(?:_?(?:key|id|hex|value|str))?$|nonce|salt|otp$|^otp|api_?key|session_?(?:id|key)|csrf|auth_?(?:key|code|token)|(?:private|encryption|signing|crypto)_?key|activation|reset_?(?:code|key)|verification_?code)`)

// purpose returns what the result of an expression is for where its name speaks
// of a secret: the variable that it is given to, the function that it is made in.
func purpose(c *validate.Code, x syntax.Node) string {
	for p := x.Parent(); !p.IsZero(); p = p.Parent() {
		var name string
		switch kind := p.Kind(); {
		case kind == "assignment" || kind == "variable_declarator" || kind == "assignment_expression" || kind == "short_var_declaration" || kind == "assignment_statement" || kind == "var_spec" || kind == "pair" || kind == "keyword_argument" || kind == "keyed_element":
			name = lastPart(strings.Trim(ecma.TextOf(ecma.FirstNamed(p)), "\"'`"))
		case ecma.BindingKinds[kind]:
			name = ecma.TextOf(p.Child("identifier", "property_identifier", "field_identifier"))
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

func checkVerify(p *validate.Pass, c *validate.Code, k ecma.Call) {
	const text = "Anyone on the network path can read and change this traffic (man in the middle): keep verify on, or pass the file of your own authority."
	off := k.Named["verify"]
	if off.IsZero() {
		off = k.Named["verify_ssl"]
	}
	if off.IsZero() && strings.HasPrefix(k.Name, "aiohttp.") {
		off = k.Named["ssl"]
	}
	root, _, _ := strings.Cut(strings.TrimSuffix(k.Name, "()"), ".")
	root = strings.TrimSuffix(root, "()")
	switch {
	case !off.IsZero() && off.Kind() == "false" && slices.Contains([]string{"requests", "httpx", "aiohttp"}, root) && (slices.Contains(requestMethods, k.Base) || root == "aiohttp"):
		p.Node(c, off, text)
	case !off.IsZero() && off.Kind() == "false" && strings.HasPrefix(k.Name, ecma.Unseen) && slices.Contains(requestMethods, k.Base) && len(k.List) > 0 && (imports(c, "requests") || imports(c, "httpx")):
		p.Node(c, off, text)
	case k.Name == "ssl._create_unverified_context":
		p.Node(c, k.Node, text)
	}
	if required := k.Named["cert_reqs"]; !required.IsZero() {
		if v := c.QualifiedNames().Value(required); c.QualifiedNames().Is(required, "ssl.CERT_NONE") || v.Constant() && (v.Text == "NONE" || v.Text == "CERT_NONE") {
			p.Node(c, required, text)
		}
	}
}

// checkVerifyAssigned is about what is switched off for all that follows.
func checkVerifyAssigned(p *validate.Pass, c *validate.Code, n syntax.Node) {
	parts := ecma.NamedChildren(n)
	if len(parts) != 2 || parts[0].Kind() != "attribute" {
		return
	}
	const text = "Anyone on the network path can read and change this traffic (man in the middle): keep this on."
	switch to := c.QualifiedNames().Name(parts[0]); {
	case to == "ssl._create_default_https_context" && c.QualifiedNames().Is(parts[1], "ssl._create_unverified_context"):
		p.Node(c, n, text)
	case (to == "requests.Session().verify" || to == "requests.session().verify") && parts[1].Kind() == "false":
		p.Node(c, n, text)
	case strings.HasSuffix(to, ".verify_mode") && strings.HasPrefix(to, "ssl.") && c.QualifiedNames().Is(parts[1], "ssl.CERT_NONE"):
		p.Node(c, n, text)
	case strings.HasSuffix(to, ".check_hostname") && strings.HasPrefix(to, "ssl.") && parts[1].Kind() == "false":
		p.Node(c, n, text)
	}
}

var oldTLS = lazyregexp.New(`\b(?:PROTOCOL_(?:SSLv2|SSLv3|TLSv1|TLSv1_1)|(?:SSLv2|SSLv3|SSLv23|TLSv1|TLSv1_1)_METHOD)$`)

// checkTLSVersion looks at what is given as a version: to a call, or to a
// parameter by default.
func checkTLSVersion(p *validate.Pass) {
	const text = "This TLS version is broken: leave the choice to ssl.create_default_context()."
	eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if k.Name == "ssl.wrap_socket" && k.Named["ssl_version"].IsZero() && len(k.List) < 5 && !k.Open {
			p.Node(c, k.Node, "This accepts any TLS version and checks no certificate: use ssl.create_default_context().wrap_socket.")
		}
	})(p)
	for _, c := range p.Code(syntax.Python) {
		if !imports(c, "ssl") && !imports(c, "OpenSSL") && !imports(c, "pyOpenSSL") {
			continue
		}
		for _, n := range c.Nodes("attribute") {
			switch parent := n.Parent(); parent.Kind() {
			case "keyword_argument", "default_parameter", "typed_default_parameter":
			case "argument_list":
				if fn, _ := c.QualifiedNames().Call(parent.Parent()); !strings.HasSuffix(c.QualifiedNames().Name(fn), "Context") {
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
