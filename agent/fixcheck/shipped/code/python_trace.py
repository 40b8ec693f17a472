"""Refuses a change of Python code that the failure does not reach: in functions that are neither on the stack trace
nor used by those that are, or that the failing test shows."""

from fixclaim import run, valid
from pysource import PYTHON, Python
from reach import judge_reach, judge_untouched
from units import changes


def judge(claim):
    changed = changes(claim, PYTHON, Python)
    judge_untouched(claim, changed, (), "the failure was in this function")
    judge_reach(claim, changed)
    valid("the failure can reach what has changed", 0.5)


if __name__ == "__main__":
    run(judge, PYTHON)
