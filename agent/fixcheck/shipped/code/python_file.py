"""Judges fixes of FileNotFoundError: the file must be there now, or the code that opens it must have changed."""

import re

from fixclaim import run, unsure, valid
from pysource import PYTHON, Python
from reach import judge_untouched
from units import changes


def judge(claim):
    m = re.search(r"No such file or directory: (['\"])(.+?)\1", claim.error)
    if not m:
        unsure("the message names no file")
    name = m.group(2).rstrip("/").rsplit("/", 1)[-1]
    changed = changes(claim, PYTHON, Python)
    for path in claim.changed():
        before, after = claim.files[path]
        if path.rsplit("/", 1)[-1] == name and before is None:
            valid(f"{path} is there now", 0.8)
    stem = [w for w in re.findall(r"\w+", name) if len(w) > 2]
    judge_untouched(claim, changed, stem, f"{name} is opened here")
    valid("the code that opens the file has changed, or what has changed may be reached from it", 0.5)


if __name__ == "__main__":
    run(judge, PYTHON)
