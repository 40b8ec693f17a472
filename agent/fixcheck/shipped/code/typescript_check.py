"""Judges fixes of errors of the TypeScript compiler: what it named must have changed where it is used or declared."""

import re

from compiled import still_there
from fixclaim import run, unsure, valid
from tokens import SCRIPTS, Script
from units import changes

PLACE = r"(?m)^((?:[\w.@-]+/)*[\w.@-]+\.[cm]?tsx?)[(:](\d+)[,:]\d+\)?(?:: | - )error (TS\d+: .*)$"


def name_of(message):
    m = re.search(r"Property '([\w$]+)'|name '([\w$]+)'|'([\w$]+)' (?:is possibly|implicitly|does not exist)", message)
    return next((g for g in m.groups() if g), "") if m else ""


def judge(claim):
    if not re.search(PLACE, claim.error):
        unsure("no error of the compiler")
    changed = [c for c in changes(claim, SCRIPTS, Script) if c.old.read and c.new.read]
    still_there(claim, changed, PLACE, name_of, "the compiler's error is here ({})")
    valid("the place of the error, or what it uses, may have changed", 0.5)


if __name__ == "__main__":
    run(judge, SCRIPTS)
