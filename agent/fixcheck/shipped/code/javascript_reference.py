"""Judges fixes of JavaScript names that are not defined: each must be declared or imported, or not be used any longer."""

import re

from fixclaim import invalid, run, unsure, valid
from reach import judge_untouched
from tokens import SCRIPTS, Script
from units import changes


BEFORE = set("* / % + - && || ?? == === != !== < > <= >= ? => = return".split())
AFTER = set("* / % + - . ( [ && || ?? == === != !== < > <= >= ?".split())
BINDS = {"function", "class", "let", "const", "var", "import", "typeof", "enum", "namespace", "catch", "async"}


def only_used(words, name):
    """Whether each place of a name certainly uses it: none could bind it, and none asks whether it is there."""
    places = [i for i, w in enumerate(words) if w == name]
    if not places or any(name in w and w != name for w in words):  # or in a string, such as a key of globalThis
        return False
    for i in places:
        before, after = words[i - 1] if i else "", words[i + 1] if i + 1 < len(words) else ""
        if before in BINDS or before == "." or not (before in BEFORE or after in AFTER):
            return False
        if after in ("=", "=>", ":") or before not in BEFORE and after == "(" and before in ("{", "}", ";", ",", "*", "get", "set", "static"):
            return False  # an assignment, a parameter, or a method of that name
    return True


def judge(claim):
    m = re.search(r"(?<![\w$.])([A-Za-z_$][\w$]*) is not defined|Cannot find name '([\w$]+)'|Cannot access '([\w$]+)' before", claim.error)
    if not m:
        unsure("the message names no name")
    name = next(g for g in m.groups() if g)
    changed = [c for c in changes(claim, SCRIPTS, Script) if c.old.read and c.new.read]
    where = claim.frames[-1].get("path") if claim.frames else claim.main
    for c in changed:
        if c.path == where and not m.group(3) and name in c.new.words() and name not in c.words():
            if any(x.key in c.units for x in c.old.units if name in x.names):
                continue
            invalid(f"{name} is still used in this file, and nothing that declares or uses it has changed.", c.path, 0, 0.9)
    for c in changed:
        if c.path == where and len(claim.changed()) == 1 and not m.group(3) and only_used(c.new.words(), name):
            invalid(f"{name} is still used in this file, and nothing declares or imports it.", c.path, 0, 0.9)
    judge_untouched(claim, changed, [name], f"{name} is not defined where it is used")
    valid(f"{name} or its use has changed", 0.6)


if __name__ == "__main__":
    run(judge, SCRIPTS)
