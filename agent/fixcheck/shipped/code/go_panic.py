"""Judges fixes of Go panics and data races: a function of the stack trace, or what it uses, must have changed."""

from fixclaim import run, valid
from reach import judge_untouched
from tokens import GO_FILES, Go
from units import changes


def judge(claim):
    changed = [c for c in changes(claim, GO_FILES, Go) if c.old.read and c.new.read]
    judge_untouched(claim, changed, (), "the program stopped here")
    valid("the code that failed has changed, or what has changed may be reached from it", 0.5)


if __name__ == "__main__":
    run(judge, GO_FILES)
