"""What the abuse cases share: to try something and to say how it went."""
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
NULL = ctypes.c_void_p()


def attempt(name, function, *args):
    """Call a function, or a system call by its C name; anything but a refusal is alarming."""
    if isinstance(function, str):
        function = getattr(libc, function)
    try:
        result = function(*args)
    except (OSError, RuntimeError):
        result = -1
    print(name, "refused" if result == -1 else f"ALLOWED: {result!r:.60}", flush=True)


def number(x86, arm):
    """The number of a system call that libc has no function for."""
    return arm if platform.machine() in ("aarch64", "arm64") else x86


def read(path):
    with open(path, "rb") as f:
        return f.read(4096) or -1


def write(path, text="1\n"):
    with open(path, "w") as f:
        f.write(text)


def writable(path):
    """Open for writing without writing, where a success would do harm."""
    os.close(os.open(path, os.O_WRONLY))
