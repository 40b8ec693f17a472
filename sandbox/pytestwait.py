# Run by a Python that has begun as pytest's, before anybody knows its arguments: it
# imports what every pytest imports before it looks at a project, and waits. The line
# of the .pth file that runs this is gone from the stack then, and so is this when
# pytest goes on: no frame, argument or variable tells the two apart.
import os
import sys

CONTROL = 9


def take(n):
    text = b""
    while len(text) < n:
        more = os.read(CONTROL, n - len(text))
        if not more:
            os._exit(1)
        text += more
    return text


def first_line():
    line = b""
    while not line.endswith(b"\n"):
        line += take(1)
    return [int(word) for word in line.split()]


def become(*words):
    for name in "SHLVL", "_":  # a shell's, which is none of this one's
        os.environ.pop(name, None)
    os.execv("/bin/sh", ["/bin/sh", "-c", *words])


def prepare():
    import select

    poll = select.poll()
    poll.register(CONTROL, select.POLLIN)
    with open("/usr/local/lib/caselsp/pytest") as names:
        for name in names:
            if poll.poll(0):
                return
            if name.strip() == "runpy":
                continue  # python -m has it already, and nobody else would
            try:
                __import__(name.strip())
            except ImportError:
                pass


def shadowed():
    """Whether a module would be another one, had it been imported now."""
    names = set()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is None:
            continue  # built in, or frozen
        if not file.startswith("/usr/"):
            return True
        names.add(name.partition(".")[0])
    return not names.isdisjoint(name.partition(".")[0] for name in os.listdir())


def wait():
    place = sys.path.pop(0)  # the work tree, which is still the last command's, or where the script lies
    prepare()
    sys.path.insert(0, place)
    sizes = first_line()
    script = take(sizes[0])
    if len(sizes) == 1:
        os.dup2(CONTROL, 0)
        os.close(CONTROL)
        become(script)
    line, *arguments = take(sizes[1]).decode().split("\0")
    child = os.posix_spawn("/bin/sh", ["/bin/sh", "-c", script], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, CONTROL, 0)])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        os._exit(1)
    os.close(CONTROL)
    adjust = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    os.write(adjust, b"1000")
    os.close(adjust)
    if shadowed():
        become(SHELL, "sh", line)
    sys.argv += arguments
    sys.orig_argv += arguments


class Door:
    def find_spec(self, name, path=None, target=None):
        if name == "pytest":
            sys.meta_path.remove(self)
            wait()


sys.meta_path.insert(0, Door())
