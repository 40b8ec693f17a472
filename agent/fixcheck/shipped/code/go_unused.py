"""Judges fixes of unused Go imports and variables: each must be used or gone."""

import re

from compiled import GO_ERROR, still_there
from fixclaim import invalid, run, unsure, valid
from tokens import GO_FILES, Go
from units import changes


def name_of(message):
    m = re.match(r'"([^"]+)" imported (?:as \w+ )?and not used|declared and not used: (\w+)|(\w+) declared (?:and|but) not used', message)
    return next((g.rsplit("/", 1)[-1] for g in m.groups() if g), "") if m else ""


def judge(claim):
    if "not used" not in claim.error:
        unsure("nothing is unused")
    changed = [c for c in changes(claim, GO_FILES, Go) if c.old.read and c.new.read]
    for path, line, message in re.findall(GO_ERROR, claim.error):
        name, imported = name_of(message), "imported" in message
        for c in changed:
            if name and (c.path == path or c.path.endswith("/" + path)) and c.new.words().count(name) == c.old.words().count(name):
                same = any(p.rsplit("/", 1)[-1] == name for _, p, _ in c.new.imports) if imported else name in c.new.words()
                if same and name not in c.words():
                    invalid(f"{name} is still {'imported' if imported else 'declared'} here and not used.", c.path, int(line), 0.9)
    still_there(claim, changed, GO_ERROR, name_of, "{} is not used here")
    valid("the unused name has changed", 0.6)


if __name__ == "__main__":
    run(judge, GO_FILES)
