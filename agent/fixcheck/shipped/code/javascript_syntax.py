"""Judges fixes of JavaScript syntax errors: the file that did not parse must have changed, and its brackets balance."""

import re

from fixclaim import invalid, run, unsure, valid
from tokens import SCRIPTS, Script, Token
from units import changes


def judge(claim):
    if "SyntaxError" not in claim.error and not re.search(r"TS1\d\d\d", claim.error) or re.search(r"does not provide an export|JSON|regular expression|Invalid or unexpected end of input", claim.error):
        unsure("no file that cannot be parsed")
    changed = changes(claim, SCRIPTS, Script)
    for c in changed:
        if not c.old.read and not c.new.read and not c.deleted:
            bad = c.new.error
            if isinstance(bad, Token) and any("/" in l for _, l in c.new.lines()) is False:
                invalid(f"the bracket {bad.text} still has no counterpart.", c.path, bad.line, 0.85)
    m = re.search(r"(?m)^(?:file://)?/?((?:[\w.@-]+/)*[\w.@-]+\.[cm]?[jt]sx?):(\d+)\n(?:.*\n){1,3}?\s*\^", claim.error)
    if m and m.group(1) in claim.paths and claim.exists(m.group(1)) and m.group(1) not in claim.changed() and "node_modules" not in m.group(1):
        invalid("this file could not be parsed, and it is as it was.", m.group(1), int(m.group(2)), 0.9)
    valid("the file that could not be parsed has changed", 0.5)


if __name__ == "__main__":
    run(judge, SCRIPTS)
