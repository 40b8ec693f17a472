package safety

import (
	"path"
	"slices"
	"strings"

	"caselsp/agent/ecma"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// The rules about Python follow what Bandit tests (PyCQA/bandit, tests B101 to
// B704), with two differences: values are traced, so that a constant command is
// not taken for a dangerous one, and what is harmless as it stands is let pass
// where Bandit lists it for a review.

var pythonRules = validate.Untested([]validate.Rule{{
	ID: "python-eval", Title: "Code injection: eval or exec of a text built at run time", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-95"},
	Aliases: validate.Aliases{validate.Bandit: {"B307", "B102"}, validate.Ruff: {"S307", "S102"}, validate.Pylint: {"eval-used"}},
	Doc: "Anyone who controls part of the text runs code of their own. Parse literals with `ast.literal_eval`, look functions up in a dictionary, use `getattr` with a list of " +
		"allowed names. Constant texts are reported by `python-eval-constant`.",
	File: "calc.py", Bad: "def total(rule):\n    return eval(rule)\n", Good: "import ast\n\ndef total(rule):\n    return ast.literal_eval(rule)\n",
	Check: func(p *validate.Pass) { checkEval(p, true) },
}, {
	ID: "python-eval-constant", Title: "eval or exec of a constant text", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-95"},
	Aliases: validate.Aliases{validate.Bandit: {"B307", "B102"}, validate.Ruff: {"S307", "S102"}, validate.Pylint: {"eval-used", "exec-used"}},
	Doc:     "A text that is known when the program is written can be written as code, which tools can check.",
	File:    "calc.py", Bad: "value = eval(\"1 + 1\")\n", Good: "value = 1 + 1\n",
	Check: func(p *validate.Pass) { checkEval(p, false) },
}, {
	ID: "python-shell", Title: "Command injection: shell command built at run time", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-78"},
	Aliases: validate.Aliases{validate.Bandit: {"B602", "B605"}, validate.Ruff: {"S602", "S605"}},
	Doc: "The shell runs `;`, `$( )` and other metacharacters in a value as commands. Pass the program and its arguments as a list, without a shell; if a shell is needed, put " +
		"every value through `shlex.quote`. Commands made of constants, numbers and quoted values pass.",
	File: "backup.py", Bad: "import os\n\ndef save(name):\n    os.system(\"tar czf /backup/\" + name)\n",
	Good: "import subprocess\n\ndef save(name):\n    subprocess.run([\"tar\", \"czf\", \"/backup/a.tgz\", \"--\", name], check=True)\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if command, ok := shellCommand(c, k); ok && !quotedCommand(c, command) && wantsShell(c, k) == certain {
			p.Node(c, k.Node, "Command injection: a shell runs a command built at run time. Pass the program and its arguments as a list, without a shell, or put each value through shlex.quote.")
		}
	}),
}, {
	ID: "python-shell-constant", Title: "Process started through a shell", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-78"},
	Aliases: validate.Aliases{validate.Bandit: {"B602", "B604", "B605"}, validate.Ruff: {"S602", "S604", "S605"}},
	Doc:     "The command is constant, so nobody can inject another one; without a shell it is faster, and it stays safe if somebody adds a variable.",
	File:    "backup.py", Bad: "import subprocess\n\nsubprocess.call(\"ls -l\", shell=True)\n", Good: "import subprocess\n\nsubprocess.call([\"ls\", \"-l\"])\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if command, ok := shellCommand(c, k); ok && (quotedCommand(c, command) || wantsShell(c, k) != certain) {
			p.Node(c, k.Node, "This starts a shell unnecessarily: pass the program and its arguments as a list.")
		}
	}),
}, {
	ID: "python-wildcard", Title: "Wildcard injection in a shell command", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-155"},
	Aliases: validate.Aliases{validate.Bandit: {"B609"}, validate.Ruff: {"S609"}},
	Doc: "A file whose name begins with a hyphen becomes an option of the program: `tar czf a.tgz *` in a folder that others can write to runs their commands " +
		"(`--checkpoint-action`). Put `./` before the wildcard, or `--`.",
	File: "backup.py", Bad: "import os\n\nos.system(\"chown root: *\")\n", Good: "import os\n\nos.system(\"chown root: ./*\")\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		command, ok := shellCommand(c, k)
		if v := c.QualifiedNames().Value(command); ok && v.Known && wildcard(v.Text) {
			p.Node(c, k.Node, "A file whose name begins with a hyphen becomes an option here: write ./* or put -- before the wildcard.")
		}
	}),
}, {
	ID: "python-process", Title: "Process started with arguments built at run time", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-78"},
	Aliases: validate.Aliases{validate.Bandit: {"B603", "B606"}, validate.Ruff: {"S603", "S606"}},
	Doc:     "No shell is involved, so arguments stay arguments; but a value that begins with a hyphen is an option, and the program's name should not be a variable.",
	File:    "backup.py", Bad: "import subprocess\n\ndef run(program):\n    subprocess.run([program])\n", Good: "import subprocess\n\nsubprocess.run([\"/bin/ls\", \"-l\"])\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		program := k.At(0, "args")
		if slices.Contains(processes, k.Name) && !program.IsZero() && wantsShell(c, k) == never || startsProgram(k.Name) {
			if !c.QualifiedNames().Plain(program) {
				p.Node(c, k.Node, "This starts a program with values known only at run time: make sure that they cannot be its name or an option.")
			}
		}
	}),
}, {
	ID: "python-partial-path", Title: "Process started with a partial path", Severity: validate.Info, Category: validate.Safety, Standards: []string{"CWE-426"},
	Aliases: validate.Aliases{validate.Bandit: {"B607"}, validate.Ruff: {"S607"}},
	Doc:     "Which program runs depends on PATH, which the caller can set. That matters for services and for programs with elevated privileges.",
	File:    "backup.py", Bad: "import subprocess\n\nsubprocess.run([\"gcc\", \"-v\"])\n", Good: "import subprocess\n\nsubprocess.run([\"/usr/bin/gcc\", \"-v\"])\n",
	Check: eachCall(onlyPython, checkPartialPath),
}, {
	ID: "python-dynamic-import", Title: "Import of a module name known only at run time", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-829"},
	Doc:  "Anyone who controls the name runs the code of any module that can be found. Look the name up in a list of allowed names.",
	File: "plugins.py", Bad: "import importlib\n\ndef load(name):\n    return importlib.import_module(name)\n", Good: "import importlib\n\ndef load():\n    return importlib.import_module(\"plugins.csv\")\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if name := k.At(0, "name"); slices.Contains(importers, k.Name) && !name.IsZero() {
			if v := c.QualifiedNames().Value(name); !v.Constant() && (!v.Known || strings.HasPrefix(v.Text, ecma.Gap)) && name.Text() != "__name__" {
				p.Node(c, k.Node, "Anyone who controls this name runs the code of any module: look it up in an allowlist.")
			}
		}
	}),
}, {
	ID: "python-flask-debug", Title: "Flask debug mode enabled", Severity: validate.Critical, Category: validate.Safety, Standards: []string{"CWE-94"},
	Aliases: validate.Aliases{validate.Bandit: {"B201"}, validate.Ruff: {"S201"}},
	Doc:     "The Werkzeug debugger runs any code for anyone who can reach an error page. Read the switch from the environment, off by default.",
	File:    "app.py", Bad: "from flask import Flask\n\napp = Flask(__name__)\napp.run(debug=True)\n", Good: "from flask import Flask\n\napp = Flask(__name__)\napp.run()\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if debug := k.Named["debug"]; k.Base == "run" && !debug.IsZero() && debug.Kind() == "true" && imports(c, "flask") && (strings.HasPrefix(k.Name, "flask.") || strings.HasPrefix(k.Name, ecma.Unseen) || k.Name == "app.run") {
			p.Node(c, debug, "Anyone who reaches an error page runs code in this process: keep debug off, or read it from the environment.")
		}
	}),
}, {
	ID: "python-logging-listen", Title: "Insecure use of logging.config.listen", Severity: validate.Warning, Category: validate.Safety, Standards: []string{"CWE-94"},
	Aliases: validate.Aliases{validate.Bandit: {"B612"}, validate.Ruff: {"S612"}},
	Doc:     "`logging.config.listen` evaluates parts of what it receives. Pass a `verify` function that checks a signature.",
	File:    "app.py", Bad: "import logging.config\n\nlogging.config.listen(9999)\n", Good: "import logging.config\n\nlogging.config.listen(9999, verify=check)\n",
	Check: eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		if k.Name == "logging.config.listen" && k.At(1, "verify").IsZero() {
			p.Node(c, k.Node, "The received configuration is evaluated: pass listen a verify function that checks a signature.")
		}
	}),
}})

var (
	// processes are the functions that start a program and may take a shell.
	processes = []string{"subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.run", "subprocess32.Popen", "utils.execute", "utils.execute_with_timeout"}

	// shells are the functions that always take one.
	shells = []string{
		"os.system", "os.popen", "os.popen2", "os.popen3", "os.popen4", "popen2.popen2", "popen2.popen3", "popen2.popen4", "popen2.Popen3", "popen2.Popen4",
		"commands.getoutput", "commands.getstatusoutput", "subprocess.getoutput", "subprocess.getstatusoutput", "asyncio.create_subprocess_shell",
	}

	importers = []string{"__import__", "builtins.__import__", "importlib.import_module", "importlib.__import__"}
)

// startsProgram reports whether a function of os starts a program without a shell.
func startsProgram(name string) bool {
	return strings.HasPrefix(name, "os.exec") || strings.HasPrefix(name, "os.spawn") || strings.HasPrefix(name, "os.posix_spawn") ||
		name == "os.startfile" || name == "pty.spawn" || name == "asyncio.create_subprocess_exec"
}

func checkEval(p *validate.Pass, made bool) {
	eachCall(onlyPython, func(p *validate.Pass, c *validate.Code, k ecma.Call) {
		switch k.Name {
		case "eval", "exec", "builtins.eval", "builtins.exec", "__builtin__.eval", "__builtin__.exec", "execfile", "code.InteractiveInterpreter().runcode", "code.InteractiveInterpreter().runsource":
			if text := k.At(0, ""); !text.IsZero() && c.QualifiedNames().Plain(text) != made {
				sayEval(p, c, k.Node, made)
			}
		}
	})(p)
	validate.Nodes(onlyPython, func(p *validate.Pass, c *validate.Code, n syntax.Node) {
		if text := ecma.FirstNamed(n); !text.IsZero() && c.QualifiedNames().Plain(text) != made {
			sayEval(p, c, n, made)
		}
	}, "exec_statement")(p)
}

func sayEval(p *validate.Pass, c *validate.Code, n syntax.Node, made bool) {
	if made {
		p.Node(c, n, "Code injection: anyone who controls part of this text runs code. Use ast.literal_eval for values, a dictionary of functions for choices.")
		return
	}
	p.Node(c, n, "This text is constant: write it as code.")
}

// shellCommand returns the command that a call gives to a shell.
func shellCommand(c *validate.Code, k ecma.Call) (syntax.Node, bool) {
	if wantsShell(c, k) == never {
		return syntax.Node{}, false
	}
	command := k.At(0, "args")
	for _, name := range []string{"cmd", "command"} {
		if command.IsZero() {
			command = k.Named[name]
		}
	}
	return command, !command.IsZero()
}

// sureness is how sure a rule is of something.
type sureness int

const (
	never sureness = iota
	perhaps
	certain
)

// wantsShell reports whether a call runs its command in a shell.
func wantsShell(c *validate.Code, k ecma.Call) sureness {
	if slices.Contains(shells, k.Name) {
		return certain
	}
	shell := k.Named["shell"]
	if shell.IsZero() || !slices.Contains(processes, k.Name) && !strings.HasPrefix(k.Name, "asyncio.") {
		return never
	}
	switch shell.Kind() {
	case "true":
		return certain
	case "false", "none":
		return never
	case "integer":
		if strings.Trim(shell.Text(), "0") == "" {
			return never
		}
		return certain
	case "list", "dictionary", "tuple":
		if len(ecma.NamedChildren(shell)) == 0 {
			return never
		}
		return certain
	}
	if v := c.QualifiedNames().Value(shell); v.Constant() {
		if v.Text == "" {
			return never
		}
		return certain
	}
	return perhaps
}

// quotedCommand reports whether nothing can be put into a command that the shell
// would take for more than a word.
func quotedCommand(c *validate.Code, command syntax.Node) bool {
	n := c.QualifiedNames()
	if n.Plain(command) {
		return true
	}
	if k := command.Kind(); k == "list" || k == "tuple" {
		command = ecma.FirstNamed(command) // the others are the shell's own arguments
	}
	v := n.Value(command)
	if v.Constant() {
		return true
	}
	if !v.Known {
		return n.Name(command) == "shlex.join()"
	}
	for _, hole := range v.Holes {
		if !harmless(n, hole, "shlex.quote()", "pipes.quote()", "shlex.join()", "sys.executable", "os.getpid()") {
			return false
		}
	}
	return true
}

// harmless reports whether an expression cannot be what somebody wants to put in:
// a number, or what one of the functions made of it.
func harmless(n *ecma.QualifiedNames, x syntax.Node, names ...string) bool {
	switch x.Kind() {
	case "integer", "float", "number", "int_literal", "float_literal", "true", "false", "none", "null", "nil", "comparison_operator", "not_operator":
		return true
	case "parenthesized_expression":
		return harmless(n, ecma.FirstNamed(x), names...)
	case "binary_operator", "binary_expression":
		for _, c := range ecma.NamedChildren(x) {
			if !harmless(n, c, names...) {
				return false
			}
		}
		return true
	}
	if n.Value(x).Constant() {
		return true
	}
	switch name := n.Name(x); name {
	case "int()", "float()", "len()", "bool()", "round()", "abs()", "id()", "ord()", "hash()", "time.time()", "parseInt()", "parseFloat()", "Number()", "Date.now()", "Math.random()", "Math.floor()", "Math.round()", "strconv.Itoa()", "strconv.Quote()", "strconv.FormatInt()", "uuid.uuid4()":
		return true
	default:
		return slices.Contains(names, name) && name != ""
	}
}

// wildcard reports whether a command is one of those that options can be smuggled
// into, with a bare wildcard.
func wildcard(command string) bool {
	words := strings.Fields(command)
	if len(words) == 0 || !slices.Contains([]string{"chown", "chmod", "tar", "rsync"}, path.Base(words[0])) {
		return false
	}
	for _, w := range words[1:] {
		if w == "--" {
			return false
		}
		if strings.HasPrefix(w, "*") {
			return true
		}
	}
	return false
}

func checkPartialPath(p *validate.Pass, c *validate.Code, k ecma.Call) {
	if !slices.Contains(processes, k.Name) && !strings.HasPrefix(k.Name, "os.exec") && !strings.HasPrefix(k.Name, "os.spawn") {
		return
	}
	program := k.At(0, "args")
	if strings.HasPrefix(k.Name, "os.spawn") {
		program = k.At(1, "")
	}
	if program.IsZero() {
		return
	}
	if kind := program.Kind(); kind == "list" || kind == "tuple" {
		program = ecma.FirstNamed(program)
	}
	v := c.QualifiedNames().Value(program)
	words := strings.Fields(v.Text)
	if v.Constant() && len(words) > 0 && !strings.ContainsAny(words[0], "/\\:") && words[0] != "" {
		p.Node(c, k.Node, "Which %s runs depends on PATH: write its full path unless you control PATH.", words[0])
	}
}

// imports reports whether a program imports a module, or one in it.
func imports(c *validate.Code, module string) bool {
	for _, m := range c.QualifiedNames().Modules {
		if m == module || strings.HasPrefix(m, module+".") || strings.HasPrefix(m, module+"/") {
			return true
		}
	}
	return false
}
