"""Judges fixes of RecursionError: a function of the cycle, or what it calls, must have changed."""

import re

from fixclaim import run, valid
from pysource import PYTHON, Python
from reach import judge_untouched
from units import changes


def judge(claim):
    changed = changes(claim, PYTHON, Python)
    words = re.findall(r"(?m)^(?:E +)?(?:KeyError|ValueError): ['\"]?(\w+)['\"]?$", claim.error)[-1:]
    judge_untouched(claim, changed, words, "the recursion went through here")
    valid("the code that failed has changed, or what has changed may be reached from it", 0.5)


if __name__ == "__main__":
    run(judge, PYTHON)
