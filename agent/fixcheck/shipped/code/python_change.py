"""Refuses a claimed fix of Python code that does not parse, that brings a new undefined name, or that changed
something else than it says."""

from fixclaim import invalid, run, unsure, valid
from pysource import PYTHON, Python, free
from reach import judge_reach
from told import judge_told
from units import changes


def judge_parse(changed):
    for c in changed:
        if c.new.error is None or c.deleted:
            continue
        line = getattr(c.new.error, "lineno", 0) or 0
        why = getattr(c.new.error, "msg", None) or str(c.new.error)
        if c.old.error is None:
            invalid(f"the file does not parse any longer: {why}.", c.path, line, 0.95)
        unsure("the file does not parse with this Python")


def judge_names(changed):
    """A fix may not bring a name that nothing binds: half of a renaming, or a use without its import."""
    for c in changed:
        if c.old.tree is None:
            continue
        before, after = free(c.old), free(c.new)
        for name, line in after.items():
            if name not in before and line in c.lines() | lines_of_uses(c, name):
                invalid(f"{name} is used here, but nothing in the file defines or imports it any longer or yet.", c.path, line, 0.9)


def lines_of_uses(c, name):
    """A name that was bound before and is not now is wrong wherever it is used."""
    return {u.start + i for u in c.new.units for i in range(u.end - u.start + 1)} if name in c.words() else set()


def judge(claim):
    changed = changes(claim, PYTHON, Python)
    if all(c.same for c in changed) and len(changed) == len(claim.changed()):
        invalid("only comments, docstrings or white space differ: the program is the same.", changed[0].path, 0, 0.9)
    judge_parse(changed)
    judge_names(changed)
    judge_told(claim, changed)
    judge_reach(claim, changed)
    valid("the change parses and agrees with what the claim says", 0.5)


if __name__ == "__main__":
    run(judge, PYTHON)
