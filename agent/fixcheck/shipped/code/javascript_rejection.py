"""Judges fixes of unhandled promise rejections: the code that rejects or awaits must have changed."""

from fixclaim import run, valid
from reach import judge_untouched
from tokens import SCRIPTS, Script
from units import changes


def judge(claim):
    changed = [c for c in changes(claim, SCRIPTS, Script) if c.old.read and c.new.read]
    judge_untouched(claim, changed, (), "the rejection comes from here")
    valid("the code that failed has changed, or what has changed may be reached from it", 0.5)


if __name__ == "__main__":
    run(judge, SCRIPTS)
