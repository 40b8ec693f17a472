"""Refuses a change of Go code that the failure does not reach: in functions that are neither on the stack trace
nor used by those that are, or that the failing test shows."""

from fixclaim import run, valid
from reach import judge_reach, judge_untouched
from tokens import GO_FILES, Go
from units import changes


def judge(claim):
    changed = [c for c in changes(claim, GO_FILES, Go) if c.old.read and c.new.read]
    judge_untouched(claim, changed, (), "the failure was in this function")
    judge_reach(claim, changed)
    valid("the failure can reach what has changed", 0.5)


if __name__ == "__main__":
    run(judge, GO_FILES)
