"""Judges fixes of missing Go packages: go.mod or go.sum must provide it now, or nothing may import it any longer."""

import re

from fixclaim import invalid, run, unsure, valid
from tokens import GO_FILES, Go
from units import changes

FILES = GO_FILES + ("go.mod", "go.sum", "go.work", "modules.txt")


def judge(claim):
    m = re.search(r"no required module provides package ([\w./-]+)|missing go\.sum entry for module providing package ([\w./-]+)|package ([\w./-]+) is not in (?:std|GOROOT)|cannot find module providing package ([\w./-]+)", claim.error)
    if not m:
        unsure("no package is missing")
    package = next(g for g in m.groups() if g).rstrip(".;:")
    if any(not p.endswith(".go") for p in claim.changed()):
        unsure("what the module requires has changed too")
    changed = [c for c in changes(claim, GO_FILES, Go) if c.old.read and c.new.read]
    if any(c.created for c in changed):
        unsure("a file was added, perhaps of this package")
    for c in changed:
        if any(p == package for _, p, _ in c.new.imports):
            line = next(l for _, p, l in c.new.imports if p == package)
            invalid(f"this still imports {package}, which neither go.mod nor the project provides.", c.path, line, 0.9)
    if any(p == package for c in changed for _, p, _ in c.old.imports):
        valid(f"{package} is not imported any longer", 0.7)
    invalid(f"{package} is still missing: no changed file imported it, and go.mod is as it was.", changed[0].path if changed else "", 0, 0.85)


if __name__ == "__main__":
    run(judge, FILES)
