"""Judges fixes of undefined Go names: each must be declared or imported now, or not be used any longer."""

import re

from compiled import GO_ERROR, still_there
from fixclaim import invalid, run, unsure, valid
from tokens import GO_FILES, Go
from units import changes


def name_of(message):
    m = re.match(r"undefined: ([\w.]+)|.*\.(\w+) undefined \(", message)
    return (m.group(1) or m.group(2)) if m else ""


def judge(claim):
    if "undefined" not in claim.error:
        unsure("no name is undefined")
    changed = [c for c in changes(claim, GO_FILES, Go) if c.old.read and c.new.read]
    for path, line, message in re.findall(GO_ERROR, claim.error):
        name = name_of(message)
        for c in changed:
            if "." in name or not message.startswith("undefined") or not (c.path == path or c.path.endswith("/" + path)):
                continue
            used = c.new.words()
            if name in used and not bound(changed, c, name):
                invalid(f"{name} is still used here, and neither this file nor another changed one declares or imports it.", c.path, int(line), 0.9)
    still_there(claim, changed, GO_ERROR, name_of, "{} is undefined here")
    valid("the name or its use has changed", 0.6)


def bound(changed, c, name):
    """Whether a name may be bound now: an import, or any new place of it in what has changed."""
    if any((n or p.rsplit("/", 1)[-1]) == name or n == "." or name in p for n, p, _ in c.new.imports):
        return True
    if any(o.path != c.path and (name in o.new_words() or o.created) for o in changed):
        return True
    uses, before = c.new.words().count(name), c.old.words().count(name)
    return name in c.words() and uses != before or any(name == w for _, l in c.added for w in l)


if __name__ == "__main__":
    run(judge, GO_FILES)
