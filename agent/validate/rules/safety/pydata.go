package safety

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
	"caselsp/store/lazyregexp"
)

// Deserialization, files, modules and habits.
var pyDataRules = validate.Untested([]validate.Rule{{
	ID: "python-deserialize", Title: "Insecure deserialization (pickle, PyYAML, marshal ...)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-502"},
	Aliases: validate.Aliases{validate.Bandit: {"B301", "B302", "B506", "B614"}, validate.Ruff: {"S301", "S302", "S506"}},
	Doc: "Reading untrusted data with pickle, marshal, shelve, jsonpickle, dill, PyTorch or PyYAML's full loaders runs code chosen by the author of the data. Use JSON, " +
		"`yaml.safe_load` or `torch.load(weights_only=True)`; if it must be pickle, sign the data and check the signature first.",
	File: "cache.py", Bad: "import pickle\n\ndef read(data):\n    return pickle.loads(data)\n", Good: "import json\n\ndef read(data):\n    return json.loads(data)\n",
	Check: eachCall(onlyPython, checkDeserialize),
}, {
	ID: "python-tarfile", Title: "Path traversal in tarfile extraction", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-22"},
	Aliases: validate.Aliases{validate.Bandit: {"B202"}, validate.Ruff: {"S202"}, validate.Term: {"tar slip", "zip slip"}},
	Doc:     "A member named `../../.ssh/authorized_keys` is written outside the target folder. Pass `filter=\"data\"` (Python 3.12, and 3.8 to 3.11 since 2023).",
	File:    "unpack.py", Bad: "import tarfile\n\ntarfile.open(\"a.tgz\").extractall(\"/srv\")\n", Good: "import tarfile\n\ntarfile.open(\"a.tgz\").extractall(\"/srv\", filter=\"data\")\n",
	Check: eachCall(onlyPython, checkTarfile),
}, {
	ID: "python-mktemp", Title: "Insecure tempfile.mktemp (race condition)", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-377"},
	Aliases: validate.Aliases{validate.Bandit: {"B306"}, validate.Ruff: {"S306"}, validate.Term: {"TOCTOU"}},
	Doc: "Between choosing the name and creating the file, another user can place a file or a link there. `tempfile.mkstemp` and `NamedTemporaryFile` create the file " +
		"themselves.",
	File: "report.py", Bad: "import tempfile\n\nname = tempfile.mktemp()\n", Good: "import tempfile\n\nhandle, name = tempfile.mkstemp()\n",
	Check: eachCallOf(onlyPython, map[string]string{"tempfile.mktemp": mktempText, "os.tempnam": mktempText, "os.tmpnam": mktempText}),
}, {
	ID: "python-hardcoded-tmp", Title: "Hard-coded path in a shared temporary folder", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-377"},
	Aliases: validate.Aliases{validate.Bandit: {"B108"}, validate.Ruff: {"S108"}},
	Doc:     "Any user of the machine can place a file or a link of that name there first. `tempfile` chooses an unpredictable name.",
	File:    "report.py", Bad: "with open(\"/tmp/report.txt\", \"w\") as f:\n    f.write(\"\")\n", Good: "import tempfile\n\nwith tempfile.NamedTemporaryFile(\"w\") as f:\n    f.write(\"\")\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if file := k.At(0, "file"); !file.IsZero() && slices.Contains(makesFile, k.Name) {
			if v := c.QualifiedNames().Value(file); v.Known && sharedFolder.MatchString(v.Text) {
				p.Node(c, file, "Any user of this machine can place a file or a link of this name there first: let tempfile choose a name.")
			}
		}
	}),
}, {
	ID: "python-chmod", Title: "World-writable file permissions", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-732"},
	Aliases: validate.Aliases{validate.Bandit: {"B103"}, validate.Ruff: {"S103"}},
	Doc:     "Any user of the machine can then change its content. Use `0o644` to let others read it, `0o600` for the owner alone; shared folders need the sticky bit (`0o1777`).",
	File:    "setup.py", Bad: "import os\n\nos.chmod(\"/etc/app.conf\", 0o777)\n", Good: "import os\n\nos.chmod(\"/etc/app.conf\", 0o640)\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if k.Base != "chmod" && k.Base != "fchmod" && k.Base != "lchmod" {
			return
		}
		mode := k.At(len(k.List)-1, "mode")
		if bits, ok := fileMode(c.QualifiedNames(), mode, 0); ok && bits&0o002 != 0 && bits&0o1000 == 0 {
			p.Node(c, mode, "Every user of this machine can write this file: remove 2 from the last digit.")
		}
	}),
}, {
	ID: "python-risky-import", Title: "Import of a security-sensitive module", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-1104"},
	Aliases: validate.Aliases{validate.Bandit: {"B403", "B404", "B405", "B408"}, validate.Ruff: {"S403", "S404", "S405"}},
	Doc: "Modules that start processes (subprocess, pty), load native code (ctypes, cffi), deserialize objects (pickle, marshal, shelve, dill) or parse XML without limits. " +
		"The import itself is not an error; it shows where to look.",
	File: "cache.py", Bad: "import pickle\n", Good: "import json\n",
	Check: func(p *validate.Pass) { checkImports(p, riskyModules) },
}, {
	ID: "python-obsolete-module", Title: "Import of an insecure or deprecated module", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-319", "CWE-327"},
	Aliases: validate.Aliases{validate.Bandit: {"B401", "B402", "B411", "B412", "B415"}, validate.Ruff: {"S401", "S402"}},
	Doc: "Telnet and FTP send passwords in cleartext, the ciphers of IPMI (pyghmi) are broken, CGI passes a request header on as HTTP_PROXY, and XML-RPC's parser can be made " +
		"to use up all memory.",
	File: "upload.py", Bad: "import ftplib\n", Good: "import paramiko\n",
	Check: func(p *validate.Pass) {
		checkImports(p, obsoleteModules)
		eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
			if text := obsoleteModules[k.Name]; text != "" && strings.Contains(k.Name, ".") {
				p.Node(c, k.Node, "%s", text)
			}
		})(p)
	},
}, {
	ID: "python-xml", Title: "XML parser vulnerable to entity expansion (XXE, billion laughs)", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-776"},
	Aliases: validate.Aliases{validate.Bandit: {"B313", "B314", "B318"}, validate.Ruff: {"S313", "S314", "S318"}, validate.Term: {"XXE"}},
	Doc: "A few lines of nested entities can use up all memory, in every parser of the standard library with an expat older than 2.4.1. `defusedxml` rejects them. This " +
		"matters for untrusted XML.",
	File: "feed.py", Bad: "import xml.dom.minidom\n\ndoc = xml.dom.minidom.parse(\"feed.xml\")\n", Good: "import defusedxml.minidom\n\ndoc = defusedxml.minidom.parse(\"feed.xml\")\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if i := strings.LastIndexByte(k.Name, '.'); i > 0 && slices.Contains(xmlParsers[k.Base], k.Name[:i]) {
			p.Node(c, k.Node, "Untrusted XML can use up all memory here: parse it with defusedxml.")
		}
	}),
}, {
	ID: "python-except-pass", Title: "Exception silently ignored (try, except, pass)", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-703"},
	Aliases: validate.Aliases{validate.Bandit: {"B110", "B112"}, validate.Ruff: {"S110", "S112"}},
	Doc:     "A programming error and an attack look the same: nothing happens. Name the expected exception, or log it.",
	File:    "job.py", Bad: "try:\n    run()\nexcept Exception:\n    pass\n", Good: "try:\n    run()\nexcept FileNotFoundError:\n    pass\n",
	Check: validate.Nodes(onlyPython, checkExcept, "except_clause"),
}, {
	ID: "python-assert", Title: "assert used for a check of input", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-617"},
	Aliases: validate.Aliases{validate.Bandit: {"B101"}, validate.Ruff: {"S101"}},
	Doc:     "`python -O` removes assert statements. Check untrusted input with `if` and `raise`.",
	File:    "pay.py", Bad: "def pay(user, sum):\n    assert user.is_admin\n", Good: "def pay(user, sum):\n    if not user.is_admin:\n        raise PermissionError\n",
	Check: validate.Nodes(onlyPython, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		p.Node(c, n, "python -O removes this check: use if and raise if it must hold.")
	}, "assert_statement"),
}, {
	ID: "python-model-revision", Title: "Model download without a pinned revision", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-494"},
	Aliases: validate.Aliases{validate.Bandit: {"B615"}},
	Doc:     "The owner of the repository can publish another model, or code, under the same name. Pass `revision` with a commit hash.",
	File:    "model.py", Bad: "from transformers import AutoModel\n\nmodel = AutoModel.from_pretrained(\"org/name\")\n",
	Good:  "from transformers import AutoModel\n\nmodel = AutoModel.from_pretrained(\"org/name\", revision=\"5d0f2e8a7f1b\")\n",
	Check: eachCall(onlyPython, checkRevision),
}})

const mktempText = "Another user can create a file of this name first: let mkstemp or NamedTemporaryFile create the file itself."

var deserializers = map[string]string{
	"pickle": "load loads Unpickler", "_pickle": "load loads Unpickler", "cPickle": "load loads Unpickler", "dill": "load loads Unpickler", "cloudpickle": "load loads",
	"marshal": "load loads", "shelve": "open DbfilenameShelf", "jsonpickle": "decode", "jsonpickle.unpickler": "decode Unpickler",
	"pandas": "read_pickle", "pd": "read_pickle", "joblib": "load", "yaml": "unsafe_load unsafe_load_all full_load full_load_all",
}

func checkDeserialize(p *validate.Pass, c *validate.Code, k ecma.Call) {
	i := strings.LastIndexByte(k.Name, '.')
	if i < 0 {
		return
	}
	switch module := k.Name[:i]; {
	case module == "torch" && k.Base == "load":
		if w := k.Named["weights_only"]; w.IsZero() || w.Kind() == "false" {
			p.Node(c, k.Node, "Loading an untrusted file runs code: pass weights_only=True.")
		}
	case module == "yaml" && (k.Base == "load" || k.Base == "load_all"):
		loader := k.At(1, "Loader")
		if loader.IsZero() || !strings.Contains(lastPart(loader.Text()), "Safe") && !strings.Contains(lastPart(c.QualifiedNames().Name(loader)), "Safe") && c.QualifiedNames().Name(loader) != "" && !strings.HasSuffix(loader.Text(), "BaseLoader") {
			p.Node(c, k.Node, "This loader can create arbitrary objects: use yaml.safe_load.")
		}
	case slices.Contains(strings.Fields(deserializers[module]), k.Base):
		p.Node(c, k.Node, "Insecure deserialization: untrusted data runs code here. Use JSON, or sign the data and check the signature first.")
	}
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func checkTarfile(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if k.Base != "extractall" || !imports(c, "tarfile") {
		return
	}
	of := strings.TrimSuffix(k.Name, ".extractall")
	if of == ecma.Unseen && imports(c, "zipfile") || of != ecma.Unseen && !strings.HasPrefix(of, "tarfile") {
		return
	}
	if filter := k.Named["filter"]; !filter.IsZero() {
		if v := c.QualifiedNames().Value(filter); !v.Constant() || v.Text != "fully_trusted" {
			return
		}
	} else if members := k.Named["members"]; !members.IsZero() && members.Kind() != "identifier" {
		return // a call that picks them, or a list
	}
	p.Node(c, k.Node, "Path traversal: a member whose path begins with ../ is written outside the folder. Pass filter=\"data\".")
}

var (
	makesFile    = []string{"open", "io.open", "os.open", "os.mkdir", "os.makedirs", "codecs.open", "pathlib.Path", "os.mkfifo", "gzip.open", "logging.FileHandler", "shutil.copyfileobj"}
	sharedFolder = lazyregexp.New(`^(?:/var/tmp|/tmp|/dev/shm)/`)
)

// fileMode reads a file mode: a number, or those of stat.
func fileMode(n *ecma.QualifiedNames, x syntax.Node, depth int) (int64, bool) {
	if x.IsZero() || depth > ecma.NameDepth {
		return 0, false
	}
	switch x.Kind() {
	case "integer":
		bits, err := strconv.ParseInt(x.Text(), 0, 64)
		return bits, err == nil
	case "binary_operator":
		parts := ecma.NamedChildren(x)
		if x.Child("|").IsZero() || len(parts) != 2 {
			return 0, false
		}
		a, ok := fileMode(n, parts[0], depth+1)
		b, also := fileMode(n, parts[1], depth+1)
		return a | b, ok && also
	case "parenthesized_expression":
		return fileMode(n, ecma.FirstNamed(x), depth+1)
	}
	if list := n.Find(x, x.Text()); x.Kind() == "identifier" && len(list) == 1 && list[0].Way == ecma.ByAssignment {
		return fileMode(n, list[0].Value, depth+1)
	}
	bits, ok := map[string]int64{
		"stat.S_IRWXU": 0o700, "stat.S_IRUSR": 0o400, "stat.S_IWUSR": 0o200, "stat.S_IXUSR": 0o100, "stat.S_IRWXG": 0o070, "stat.S_IRGRP": 0o040, "stat.S_IWGRP": 0o020,
		"stat.S_IXGRP": 0o010, "stat.S_IRWXO": 0o007, "stat.S_IROTH": 0o004, "stat.S_IWOTH": 0o002, "stat.S_IXOTH": 0o001, "stat.S_ISVTX": 0o1000,
	}[n.Name(x)]
	return bits, ok
}

const (
	startsText = "It starts processes: pass the arguments as a list; do not build command strings from values."
	nativeText = "It runs native code, which Python's own checks do not cover."
	objectText = "Loading its data can run code: load only data that you wrote yourself, or that is signed."
	xmlText    = "Untrusted XML can use up all memory: parse it with defusedxml."
)

var riskyModules = map[string]string{
	"subprocess": startsText, "pty": startsText, "commands": startsText, "popen2": startsText,
	"ctypes": nativeText, "cffi": nativeText, "_ctypes": nativeText,
	"pickle": objectText, "cPickle": objectText, "dill": objectText, "shelve": objectText, "marshal": objectText, "jsonpickle": objectText,
	"xml.etree.cElementTree": xmlText, "xml.etree.ElementTree": xmlText, "xml.sax": xmlText, "xml.dom.expatbuilder": xmlText, "xml.dom.minidom": xmlText, "xml.dom.pulldom": xmlText,
	"Crypto": "pycrypto has had no fixes since 2013: make sure that this is its successor PyCryptodome, or use cryptography.",
}

var obsoleteModules = map[string]string{
	"telnetlib": "Telnet sends everything in cleartext: use SSH.", "ftplib": "FTP sends passwords in cleartext: use SFTP, or HTTPS.",
	"xmlrpclib": "Its parser can be made to use up all memory: parse with defusedxml.xmlrpc, or use JSON.", "xmlrpc": "Its parser can be made to use up all memory: parse with defusedxml.xmlrpc, or use JSON.",
	"telnetlib.Telnet": "Telnet sends everything in cleartext: use SSH.", "ftplib.FTP": "FTP sends passwords in cleartext: use SFTP, or HTTPS.",
	"wsgiref.handlers.CGIHandler": httpoxyText, "twisted.web.twcgi.CGIScript": httpoxyText, "twisted.web.twcgi.CGIDirectory": httpoxyText,
	"pyghmi": "The ciphers of IPMI are broken: use a connection that is encrypted otherwise.",
}

const httpoxyText = "CGI passes the request header Proxy on as HTTP_PROXY, so clients can redirect outgoing requests: use WSGI."

// checkImports says what a table has to say of the modules that are imported, by
// a statement or by a call.
func checkImports(p *validate.Pass, table map[string]string) {
	say := func(c *validate.Code, at syntax.Node, names ...string) {
		for _, name := range names {
			for module := name; module != ""; module = module[:max(strings.LastIndexByte(module, '.'), 0)] {
				if text := table[module]; text != "" && name != "xml.sax.saxutils" {
					p.Node(c, at, "%s: %s", module, text)
					return
				}
			}
		}
	}
	validate.Nodes(onlyPython, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		for _, x := range ecma.NamedChildren(n) {
			if x.Kind() == "aliased_import" {
				x = ecma.FirstNamed(x)
			}
			if !x.IsZero() {
				say(c, n, ecma.Squeezed(x))
			}
		}
	}, "import_statement")(p)
	validate.Nodes(onlyPython, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		parts := ecma.NamedChildren(n)
		var list []string
		for _, x := range parts[min(1, len(parts)):] {
			if x.Kind() == "aliased_import" {
				x = ecma.FirstNamed(x)
			}
			list = append(list, ecma.Squeezed(parts[0])+"."+ecma.TextOf(x))
		}
		say(c, n, list...)
	}, "import_from_statement")(p)
	eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if name := k.At(0, "name"); slices.Contains(importers, k.Name) && !name.IsZero() {
			if v := c.QualifiedNames().Value(name); v.Constant() {
				say(c, k.Node, v.Text)
			}
		}
	})(p)
}

// xmlParsers are the modules that have a parsing function of a name.
var xmlParsers = func() map[string][]string {
	m := map[string][]string{}
	for module, names := range map[string]string{
		"xml.etree.cElementTree": "parse iterparse fromstring XMLParser", "xml.etree.ElementTree": "parse iterparse fromstring XMLParser",
		"xml.sax.expatreader": "create_parser", "xml.dom.expatbuilder": "parse parseString", "xml.sax": "parse parseString make_parser",
		"xml.dom.minidom": "parse parseString", "xml.dom.pulldom": "parse parseString",
	} {
		for _, name := range strings.Fields(names) {
			m[name] = append(m[name], module)
		}
	}
	return maps.Clone(m)
}()

func checkExcept(p *validate.Pass, c *validate.Code, n syntax.Node) {
	var all, body syntax.Node
	for _, x := range ecma.NamedChildren(n) {
		if x.Kind() == "block" {
			body = x
		} else {
			all = x
		}
	}
	if !all.IsZero() && all.Kind() == "as_pattern" {
		all = ecma.FirstNamed(all)
	}
	if !all.IsZero() && !c.QualifiedNames().Is(all, "Exception", "BaseException", "builtins.Exception") || body.IsZero() {
		return
	}
	list := ecma.NamedChildren(body)
	if len(list) == 1 && (list[0].Kind() == "pass_statement" || list[0].Kind() == "continue_statement") {
		p.Node(c, n, "Every error is silently ignored here: name the expected exception, or log it.")
	}
}

var commitHash = lazyregexp.New(`^[0-9a-fA-F]{7,}$`)

func checkRevision(p *validate.Pass, c *validate.Code, k ecma.Call) {
	module, ok := map[string]string{"from_pretrained": "transformers", "load_dataset": "datasets", "hf_hub_download": "huggingface_hub", "snapshot_download": "huggingface_hub"}[k.Base]
	if !ok || !strings.HasPrefix(k.Name, module+".") {
		return
	}
	for _, name := range []string{"revision", "commit_id"} {
		if r := k.Named[name]; !r.IsZero() {
			if r.Kind() != "string" || commitHash.MatchString(c.QualifiedNames().Value(r).Text) {
				return
			}
		}
	}
	if v := c.QualifiedNames().Value(k.At(0, "")); v.Known && (strings.HasPrefix(v.Text, ".") || strings.HasPrefix(v.Text, "/")) || k.Open {
		return
	}
	p.Node(c, k.Node, "The content under this name can change: pass a commit hash as revision.")
}
