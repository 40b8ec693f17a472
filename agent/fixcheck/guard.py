"""Runs a validator that a model wrote, and stops it when it does more than judge its claim.

It is started as `python3 -I -S guard.py check.py`. The sandbox is what keeps the program from harm; this tells what it tried.
"""
import sys

allowed = tuple(p for p in (sys.prefix, sys.base_prefix) if p)
forbidden = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown",
    "os.kill", "os.putenv", "os.unsetenv", "shutil.", "ctypes.", "ftplib.", "http.", "urllib.", "smtplib.", "sqlite3.", "mmap.",
    "pty.", "signal.", "tempfile.", "webbrowser.", "glob.", "pathlib.",
)


def stop(what):
    sys.stderr.write("\ncaselsp-guard: " + what + "\n")
    sys.stderr.flush()
    leave(97)


def watch(event, args):
    if event == "open":
        name, mode, flags = (tuple(args) + (None, None, 0))[:3]
        if isinstance(name, bytes):
            name = name.decode(errors="replace")
        if isinstance(name, int):
            return
        writes = isinstance(mode, str) and any(c in mode for c in "wax+") or isinstance(flags, int) and flags & 3
        if writes:
            stop("it writes the file %r" % (name,))
        if not str(name).startswith(allowed):
            stop("it reads the file %r" % (name,))
    elif event in ("os.listdir", "os.scandir"):  # an import lists the folders of the standard library
        if not str(args[0]).startswith(allowed):
            stop("it lists the folder %r" % (args[0],))
    elif event.startswith(forbidden):
        stop("it calls %s" % event)


import json, re, ast, tokenize, io, keyword, builtins, difflib, textwrap, collections, itertools, functools, string  # noqa: E401
from os import _exit as leave

program, = sys.argv[1:]
with open(program, encoding="utf-8") as f:
    code = compile(f.read(), program, "exec")
sys.argv = [program]
sys.modules.pop("os", None)
sys.addaudithook(watch)
exec(code, {"__name__": "__main__", "__builtins__": builtins})
