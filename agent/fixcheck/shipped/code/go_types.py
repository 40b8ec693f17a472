"""Judges fixes of Go type errors: the line that the compiler named, or what it uses, must have changed."""

import re

from compiled import GO_ERROR, still_there
from fixclaim import run, unsure, valid
from tokens import GO_FILES, Go
from units import changes

ERROR = re.compile(r"cannot use|mismatched types|not enough|too many|missing return|assignment mismatch|does not implement|cannot convert|non-boolean|invalid operation")


def name_of(message):
    if not ERROR.search(message):
        return ""
    m = re.search(r"in call to ([\w.]+)|cannot use (?:&)?([A-Za-z_]\w*)|but ([\w.]+) returns|invalid operation: ([A-Za-z_]\w*)|(missing return)", message)
    return next((g for g in m.groups() if g), "") if m else ""


def judge(claim):
    if not ERROR.search(claim.error):
        unsure("no type error")
    changed = [c for c in changes(claim, GO_FILES, Go) if c.old.read and c.new.read]
    # what a type or a function is declared as can be anywhere: only a change in the file of the error is judged
    if any(c.path == p or c.path.endswith("/" + p) for c in changed for p, _, _ in re.findall(GO_ERROR, claim.error)):
        still_there(claim, changed, GO_ERROR, name_of, "the types do not agree here ({})")
    valid("the place of the error, or what it uses, may have changed", 0.5)


if __name__ == "__main__":
    run(judge, GO_FILES)
