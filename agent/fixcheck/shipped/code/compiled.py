"""What validators of compilers' and interpreters' errors share: the places that an error names."""

import re

from fixclaim import invalid
from reach import told_so
from told import summary


def still_there(claim, changed, pattern, word_of, what):
    """Refuses a change that leaves each line that an error names as it was, and has nothing to do with its name.

    pattern finds (path, line, message); word_of takes the name from the message."""
    found = re.findall(pattern, claim.error)
    names = [(p, int(l), w) for p, l, m in found for w in [word_of(m)] if w]
    if not names or len(claim.changed()) != len(changed):
        return
    words = {w for c in changed for w in c.words()}
    for path, line, name in names:
        files = [c for c in changed if c.path == path or c.path.endswith("/" + path)]
        if name in words or name.split(".")[-1] in words or told_so(claim, changed):
            return
        for c in files:
            unit = c.old.at(line)
            if unit is None or unit.key in c.units or line in {n for n, _ in c.removed}:
                return
    path, line, name = names[0]
    invalid(f"{what.format(name)}: the change ({summary(changed)}) neither touches this place nor has to do with {name}.", path, line, 0.85)


def go_errors(claim, message):
    return re.findall(r"(?m)^(?:vet: )?(?:\./)?((?:[\w.-]+/)*[\w.-]+\.go):(\d+)(?::\d+)?: (" + message + ")", claim.error)


GO_ERROR = r"(?m)^(?:vet: )?(?:\./)?((?:[\w.-]+/)*[\w.-]+\.go):(\d+)(?::\d+)?: (.*)$"
