"""Judges fixes of JavaScript modules that cannot be found: the file or the dependency must be there now, or the import
must be gone."""

import posixpath
import re

from fixclaim import invalid, run, unsure, valid
from tokens import SCRIPTS, Script
from units import changes

FILES = SCRIPTS + (".json", ".node", ".yaml", ".lock")


def judge(claim):
    m = re.search(r"Cannot find (?:module|package) '([^']+)'", claim.error)
    if not m:
        unsure("the message names no module")
    name = m.group(1)
    if any(not p.endswith(SCRIPTS) for p in claim.changed()):
        unsure("what the project depends on may have changed")
    changed = [c for c in changes(claim, SCRIPTS, Script) if c.old.read and c.new.read]
    last = re.sub(r"\.[cm]?[jt]sx?$", "", posixpath.basename(name.rstrip("/")))
    for path in claim.changed():
        if claim.files[path][0] is None and last in path:
            valid(f"{path} is there now", 0.8)
    removed = {w for c in changed for _, l in c.removed for w in l}
    if any(last in w for w in removed):
        valid(f"the import of {name} has changed", 0.7)
    if any(c.created for c in changed) or any(last in w for c in changed for w in c.words()):
        unsure(f"what has changed may provide {name}")
    where = claim.frames[-1].get("path") if claim.frames else ""
    invalid(f"{name} still cannot be found: no changed file imported it, and none was added that could be it.", where or (changed[0].path if changed else ""), 0, 0.85)


if __name__ == "__main__":
    run(judge, FILES)
