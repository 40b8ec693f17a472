"""Judges fixes of KeyError and IndexError: the look-up that failed, or what it looks into, must have changed."""

import re

from fixclaim import run, valid
from pysource import PYTHON, Python
from reach import judge_untouched
from units import changes


def judge(claim):
    changed = changes(claim, PYTHON, Python)
    words = re.findall(r"(?m)^(?:E +)?(?:KeyError|ValueError): ['\"]?(\w+)['\"]?$", claim.error)[-1:]
    judge_untouched(claim, changed, words, "the look-up failed here")
    valid("the code that failed has changed, or what has changed may be reached from it", 0.5)


if __name__ == "__main__":
    run(judge, PYTHON)
