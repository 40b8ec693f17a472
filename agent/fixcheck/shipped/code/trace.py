"""Refuses a change of code that the failure does not reach: in functions that are neither on the stack trace nor used by those
that are, or that the failing test shows. The argument is the language."""

import sys

from fixclaim import run, valid
from pysource import PYTHON, Python
from reach import judge_reach, judge_untouched
from tokens import GO_FILES, SCRIPTS, Go, Script
from units import changes

FILES, SOURCE = {"go": (GO_FILES, Go), "javascript": (SCRIPTS, Script), "python": (PYTHON, Python)}[sys.argv[1]]


def judge(claim):
    changed = changes(claim, FILES, SOURCE)
    if SOURCE is not Python:
        changed = [c for c in changed if c.old.read and c.new.read]
    judge_untouched(claim, changed, (), "the failure was in this function")
    judge_reach(claim, changed)
    valid("the failure can reach what has changed", 0.5)


if __name__ == "__main__":
    run(judge, FILES)
