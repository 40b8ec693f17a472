"""Judges fixes of NameError and UnboundLocalError: the name must be bound now, or not be used any longer."""

import re

from fixclaim import invalid, run, unsure, valid
from pysource import PYTHON, Python, free
from reach import framed, judge_untouched
from units import changes


def judge(claim):
    local = re.search(r"(?:local variable|free variable) '(\w+)'", claim.error)
    missing = re.search(r"name '(\w+)' is not defined", claim.error)
    if not (local or missing):
        unsure("the message names no name")
    name = (missing or local).group(1)
    changed = changes(claim, PYTHON, Python)
    if missing:
        judge_bound(claim, changed, name)
    judge_untouched(claim, changed, [name], f"{name} is not bound where it is used")
    if not any(name in c.words() for c in changed) and not touches_frame(claim, changed):
        judge_elsewhere(claim, changed, name)
    valid(f"{name} or its use has changed", 0.6)


def touches_frame(claim, changed):
    return any(unit.key in c.units for c, unit, _ in framed(claim, changed))


def judge_bound(claim, changed, name):
    """A name that the file read unbound when it failed may not be so now."""
    for c in changed:
        if c.path == (claim.frames[-1].get("path") if claim.frames else claim.main):
            before, after = free(c.old), free(c.new)
            if name in before and name in after:
                invalid(f"{name} is still used here and is neither defined nor imported in this file.", c.path, after[name], 0.95)
            if name in before:
                valid(f"{name} is bound now, or not used any longer", 0.8)


def judge_elsewhere(claim, changed, name):
    """The file that reads the name is as it was."""
    last = claim.frames[-1] if claim.frames else {}
    if last.get("path") and not any(c.path == last["path"] for c in changed) and len(changed) == len(claim.changed()):
        invalid(f"{name} is used here and not defined, and the change neither touches this file nor has to do with {name}.", last["path"], last.get("line") or 0, 0.85)


if __name__ == "__main__":
    run(judge, PYTHON)
