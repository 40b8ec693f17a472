package ability

import (
	"maps"
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// table is what names mean in a language.
type table struct {
	names     map[string]Ability // modules and what is in them, qualified
	globals   map[string]Ability // functions that need no import, where they are called
	importers []string           // functions that import the module that their first argument names
	words     []string           // a file without any of these has no ability: it need not be parsed
}

// listed are names, separated by spaces, by what they give.
type listed map[Ability]string

func newTable(names, globals listed, importers ...string) *table {
	t := &table{names: names.spread(), globals: globals.spread(), importers: importers}
	words := map[string]bool{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(t.names)), slices.Collect(maps.Keys(t.globals)), importers) {
		first, _, _ := strings.Cut(name, ".")
		words[first] = true
	}
	t.words = slices.Sorted(maps.Keys(words))
	return t
}

func (l listed) spread() map[string]Ability {
	m := map[string]Ability{}
	for a, names := range l {
		for name := range strings.FieldsSeq(names) {
			m[name] = a
		}
	}
	return m
}

var python = newTable(listed{
	Processes: "subprocess pty pexpect sh multiprocessing os.system os.popen os.execl os.execle os.execlp os.execlpe os.execv os.execve os.execvp os.execvpe " +
		"os.spawnl os.spawnle os.spawnlp os.spawnlpe os.spawnv os.spawnve os.spawnvp os.spawnvpe os.posix_spawn os.posix_spawnp os.fork os.forkpty os.startfile " +
		"asyncio.create_subprocess_exec asyncio.create_subprocess_shell",
	Network: "socket socketserver ssl http.client http.server urllib.request ftplib smtplib poplib imaplib telnetlib nntplib xmlrpc asyncio.open_connection asyncio.start_server " +
		"requests httpx aiohttp urllib3 httplib2 websockets websocket paramiko pycurl grpc zmq",
	Native:      "ctypes cffi _ctypes",
	Dynamic:     "importlib.import_module importlib.__import__ importlib.util.spec_from_file_location runpy code.interact code.InteractiveInterpreter code.InteractiveConsole marshal.loads types.FunctionType types.CodeType builtins.eval builtins.exec builtins.compile builtins.__import__",
	Environment: "os.environ os.environb os.getenv os.getenvb os.putenv os.unsetenv",
	Deletion:    "os.remove os.unlink os.rmdir os.removedirs shutil.rmtree",
	System:      "os.kill os.killpg os.setuid os.setgid os.seteuid os.setegid os.setreuid os.setregid os.setgroups os.chroot os.chown os.lchown os.chmod os.lchmod os.mknod os.mkfifo",
}, listed{Dynamic: "eval exec compile __import__"}, "importlib.import_module", "__import__")

var golang = newTable(listed{
	Processes:   "os/exec os.StartProcess syscall.Exec syscall.ForkExec syscall.StartProcess golang.org/x/sys/unix.Exec",
	Network:     "net net/http net/rpc net/rpc/jsonrpc net/smtp crypto/tls golang.org/x/net/websocket golang.org/x/crypto/ssh google.golang.org/grpc github.com/gorilla/websocket",
	Native:      "unsafe C syscall golang.org/x/sys/unix golang.org/x/sys/windows",
	Dynamic:     "plugin github.com/traefik/yaegi/interp github.com/dop251/goja github.com/robertkrimen/otto",
	Environment: "os.Getenv os.LookupEnv os.Environ os.Setenv os.Unsetenv os.ExpandEnv os.Clearenv",
	Deletion:    "os.Remove os.RemoveAll",
	System:      "os.Chmod os.Chown os.Lchown os.FindProcess syscall.Kill syscall.Setuid syscall.Setgid syscall.Chroot",
}, nil)

var script = newTable(listed{
	Processes:   "child_process cluster execa shelljs cross-spawn node-pty Deno.run Deno.Command Bun.spawn Bun.spawnSync",
	Network:     "net http https http2 dgram tls axios node-fetch got undici ws socket.io socket.io-client superagent navigator.sendBeacon Deno.connect Deno.listen Deno.serve Bun.serve Bun.connect",
	Native:      "ffi-napi koffi ref-napi process.dlopen process.binding Deno.dlopen bun:ffi",
	Dynamic:     "vm vm2 isolated-vm module.createRequire",
	Environment: "process.env Deno.env Bun.env dotenv",
	Deletion: "fs.unlink fs.unlinkSync fs.rm fs.rmSync fs.rmdir fs.rmdirSync fs.promises.unlink fs.promises.rm fs.promises.rmdir fs/promises.unlink fs/promises.rm fs/promises.rmdir " +
		"rimraf Deno.remove",
	System: "process.kill process.setuid process.setgid process.setgroups fs.chmod fs.chmodSync fs.chown fs.chownSync fs/promises.chmod fs/promises.chown Deno.kill Deno.chmod Deno.chown",
}, listed{
	Dynamic: "eval Function",
	Network: "fetch XMLHttpRequest WebSocket EventSource WebTransport",
}, "require", "import")

var tables = map[syntax.Language]*table{
	syntax.Python: python, syntax.Go: golang, syntax.JavaScript: script, syntax.TypeScript: script, syntax.TSX: script,
}
