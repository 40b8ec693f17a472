"""Judges fixes of TypeError for wrong arguments: the function must take them now, or the call must have changed."""

import ast
import re

from fixclaim import invalid, run, unsure, valid
from pysource import FUNCTIONS, PYTHON, Python
from reach import framed, judge_untouched
from units import changes

KEYWORD = re.compile(r"([\w.<>]+)\(\) got an unexpected keyword argument '(\w+)'")
COUNT = re.compile(r"([\w.<>]+)\(\) takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) (?:was|were) given")
MISSING = re.compile(r"([\w.<>]+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: (.+)")
OTHER = re.compile(r"'(\w+)' object is not (?:callable|iterable|subscriptable)|unsupported operand|can only concatenate|must be str|not supported between")


def definitions(changed, name):
    """The functions of a name in the changed files as they are now, of its class where the name has one."""
    owner, _, last = name.rpartition(".")
    owner = owner.rsplit(".", 1)[-1]
    for c in changed:
        if c.new.tree is None:
            continue
        for n in ast.walk(c.new.tree):
            if owner and isinstance(n, ast.ClassDef) and n.name == owner:
                for m in n.body:
                    if isinstance(m, FUNCTIONS) and m.name == last:
                        yield c, m
            elif not owner and isinstance(n, FUNCTIONS) and n.name == last:
                yield c, n


def caller_changed(claim, changed):
    return any(unit.key in c.units for c, unit, _ in framed(claim, changed))


def judge(claim):
    changed = changes(claim, PYTHON, Python)
    keyword, count, missing = KEYWORD.search(claim.error), COUNT.search(claim.error), MISSING.search(claim.error)
    if keyword:
        judge_keyword(claim, changed, *keyword.groups())
    elif count:
        judge_count(claim, changed, count.group(1), int(count.group(3)))
    elif missing:
        judge_missing(claim, changed, missing.group(1), re.findall(r"'(\w+)'", missing.group(2)))
    elif not OTHER.search(claim.error):
        unsure("not a call with wrong arguments")
    words = [keyword.group(2), keyword.group(1).rsplit(".", 1)[-1]] if keyword else []
    judge_untouched(claim, changed, words, "the call that failed is here")
    valid("the call or what it calls has changed, or may be reached", 0.5)


def judge_keyword(claim, changed, name, keyword):
    found = list(definitions(changed, name))
    if caller_changed(claim, changed) or len(found) != 1:
        return
    c, f = found[0]
    a = f.args
    if a.kwarg or keyword in {x.arg for x in a.args + a.kwonlyargs}:
        valid(f"{name} takes {keyword} now", 0.8)
    if f.decorator_list or renamed(changed, keyword):
        return
    invalid(f"{name} still does not take the keyword argument {keyword}, and the call is as it was.", c.path, f.lineno, 0.95)


def judge_count(claim, changed, name, given):
    found = list(definitions(changed, name))
    if caller_changed(claim, changed) or len(found) != 1:
        return
    c, f = found[0]
    if f.args.vararg or given <= len(f.args.posonlyargs + f.args.args):
        valid(f"{name} takes {given} arguments now", 0.75)
    if f.decorator_list or any(name.rsplit(".", 1)[-1] in text for ch in changed for _, line in ch.removed + ch.added for text in line if ch.path != c.path):
        return
    invalid(f"{name} still takes {len(f.args.args)} arguments, {given} are given, and the call is as it was.", c.path, f.lineno, 0.9)


def judge_missing(claim, changed, name, missing):
    found = list(definitions(changed, name))
    if caller_changed(claim, changed) or len(found) != 1:
        return
    c, f = found[0]
    every = f.args.posonlyargs + f.args.args
    required = {a.arg for a in every[: len(every) - len(f.args.defaults)]}
    required |= {a.arg for a, d in zip(f.args.kwonlyargs, f.args.kw_defaults) if d is None}
    still = [m for m in missing if m in required]
    last = name.rsplit(".", 1)[-1]
    calls = any(last in text for ch in changed for _, line in ch.removed + ch.added for text in line)
    if len(still) == len(missing) and not f.decorator_list and not calls and not last.startswith("__"):
        invalid(f"{name} still requires {', '.join(still)}, and the call is as it was.", c.path, f.lineno, 0.9)


def renamed(changed, keyword):
    """Whether a call with the keyword was changed away."""
    return any(re.search(rf"\b{keyword}\b", text) for c in changed for _, line in c.removed for text in line)


if __name__ == "__main__":
    run(judge, PYTHON)
