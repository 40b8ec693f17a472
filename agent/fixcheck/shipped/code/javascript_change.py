"""Refuses a claimed fix of JavaScript or TypeScript code whose brackets do not balance any longer, that changed only comments
or white space, or something else than it says."""

from fixclaim import invalid, run, unsure, valid
from told import judge_told
from tokens import SCRIPTS, Script, Token
from units import changes


def judge_brackets(changed):
    for c in changed:
        if c.old.read and not c.new.read and not c.deleted:
            bad = c.new.error
            line = bad.line if isinstance(bad, Token) else 0
            invalid(f"the file cannot be parsed any longer: {'the bracket ' + bad.text + ' has no counterpart' if line else bad}.", c.path, line, 0.9)


def judge(claim):
    changed = changes(claim, SCRIPTS, Script)
    judge_brackets(changed)
    if not all(c.old.read and c.new.read for c in changed):
        unsure("a file cannot be read")
    if all(c.same for c in changed) and len(changed) == len(claim.changed()):
        invalid("only comments or white space differ: the program is the same.", changed[0].path, 0, 0.9)
    judge_told(claim, changed)
    valid("the change agrees with what the claim says", 0.5)


if __name__ == "__main__":
    run(judge, SCRIPTS)
