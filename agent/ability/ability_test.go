package ability

import (
	"strings"
	"testing"
)

// TestIn reads code as it is written, and names that only look like an ability.
func TestIn(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"a.py", "import subprocess\n", "0 " + string(Processes)},
		{"a.py", "import os\nos.system('ls')\n", "1 " + string(Processes)},
		{"a.py", "import os as o\no.system('ls')\n", "1 " + string(Processes)},
		{"a.py", "from os import system as run\n", "0 " + string(Processes)},
		{"a.py", "from os import *\n", "0 " + string(Processes)},
		{"a.py", "import os\nrun = getattr(os, 'sys' + 'tem')\n", "1 " + string(Processes)},
		{"a.py", "import os\nprint(os.path.join('a', 'b'), os.sep)\n", ""},
		{"a.py", "import os\nHOME = os.environ['HOME']\n", "1 " + string(Environment)},
		{"a.py", "import socket, ctypes\n", "0 " + string(Network) + "; 0 " + string(Native)},
		{"a.py", "import urllib.parse\nurllib.parse.quote('a')\n", ""},
		{"a.py", "import urllib.request\nurllib.request.urlopen('http://a')\n", "1 " + string(Network)},
		{"a.py", "__import__('socket')\n", "0 " + string(Dynamic)},
		{"a.py", "import importlib\nm = importlib.import_module('subprocess')\n", "1 " + string(Processes) + "; 1 " + string(Dynamic)},
		{"a.py", "exec('a = 1')\n", "0 " + string(Dynamic)},
		{"a.py", "import re\nre.compile('a')\n", ""},
		{"a.py", "def f(exec=None, *, eval=1):\n    g(compile=2)\n    model.eval()\n    return exec\n", ""},
		{"a.py", "# import subprocess\nx = 'import subprocess'\n", ""},
		{"a.py", "def f(socket):\n    socket.send(b'a')\n", ""},
		{"a.py", "from .requests import get\n", ""},
		{"a.go", "package a\n\nimport \"os/exec\"\n\nvar c = exec.Command(\"ls\")\n", "2 " + string(Processes)},
		{"a.go", "package a\n\nimport (\n\t\"net/url\"\n\t\"os\"\n)\n\nvar u, _ = url.Parse(os.Args[1])\n", ""},
		{"a.go", "package a\n\nimport \"os\"\n\nvar h = os.Getenv(\"HOME\")\n", "4 " + string(Environment)},
		{"a.go", "package a\n\nimport \"unsafe\"\n\nvar _ unsafe.Pointer\n", "2 " + string(Native)},
		{"a.js", "import { spawn } from 'node:child_process';\nspawn('ls');\n", "0 " + string(Processes)},
		{"a.js", "const { exec } = require('child_process');\n", "0 " + string(Processes)},
		{"a.js", "const name = process.env.NAME;\n", "0 " + string(Environment)},
		{"a.ts", "export async function load(): Promise<Response> {\n  return fetch('/items');\n}\n", "1 " + string(Network)},
		{"a.js", "const f = new Function('a', 'return a');\n", "0 " + string(Dynamic)},
		{"a.js", "const m = await import('vm');\n", "0 " + string(Dynamic)},
		{"a.js", "import fs from 'fs';\nfs.rmSync('a');\n", "1 " + string(Deletion)},
		{"a.js", "import fs from 'fs';\nfs.readFileSync('a');\n", ""},
		{"a.js", "export const fetchAll = (cache) => cache.fetch('a');\n", ""},
		{"a.js", "import fetch from './fetch.js';\nfetch('a');\n", ""},
		{"a.txt", "import subprocess\n", ""},
	} {
		var got []string
		for _, u := range In(c.path, c.text) {
			got = append(got, strings.TrimSpace(string('0'+byte(u.Line)))+" "+string(u.Ability))
			if !strings.Contains(c.text, u.Text) || u.Text != strings.TrimSpace(strings.Split(c.text, "\n")[u.Line]) {
				t.Errorf("%q: the line is %q", c.text, u.Text)
			}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%q has %q, want %q", c.text, text, c.want)
		}
	}
}
