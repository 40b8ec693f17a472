"""Judges whether a change can have to do with a failure at all."""

from fixclaim import invalid, is_test
from told import WORD, code_names, summary
from units import reached

NOISE = set("self def class return import from assert test tests line in for if the a of to is error not None True False E".split())


def seeds_of(claim):
    """The names that the failure shows."""
    seeds = {w for w in WORD.findall(claim.error) if w not in NOISE}
    return seeds | {w for f in claim.frames for w in WORD.findall(f"{f.get('function') or ''} {f.get('code') or ''}")}


# How sure reach is: a fix may lie where no way from the failure can be read, in a fixture, a listener, an initialiser. It is
# below the threshold, so that it is said and sends nothing back.
DOUBT = 0.6

UNNAMED = {"exports", "module", "default"}  # importers call what these export by a name of their own


def touched(changed, names):
    """Whether a changed unit is one of the names, or has no name by which it could be reached."""
    for c in changed:
        for owner, name in c.units:
            name = name.rstrip("'")
            if not WORD.fullmatch(name) or name in UNNAMED or name in names or owner and owner in names or name.startswith("__"):
                return True
    return False


def told_so(claim, changed):
    """Whether the claim names a changed unit: then it is about what it did."""
    units = {n.rstrip("'") for c in changed for _, n in c.units}
    return any(n in units for n in code_names("\n".join([*claim.fixes, claim.analysis or claim.description])))


def whole(claim, changed):
    """Whether the changes are all that has changed, in code that was there before."""
    return changed and not any(c.created or c.deleted for c in changed) and len(claim.changed()) == len(changed)


def judge_reach(claim, changed):
    """Refuses a change that neither the failure nor the claim reaches."""
    changed = [c for c in changed if not is_test(c.path)]
    if not whole(claim, changed):
        return  # something else has changed as well: a manifest, a template
    seeds = seeds_of(claim)
    functions = [u for c in changed for u in c.old.units if u.kind in ("function", "class")]
    if not any(u.name in seeds for u in functions):
        return  # the way from the test leads through files that are not here
    if touched(changed, reached(changed, seeds)) or told_so(claim, changed):
        return
    c = changed[0]
    invalid(
        f"the failing test does not reach what has changed: {summary(changed)}. Neither the stack trace nor the code that it names calls it. Fix the code that the trace leads to.",
        c.path, c.first(), DOUBT,
    )


def framed(claim, changed):
    """The units of the changed files that are on the stack trace: (change, unit) and the line."""
    out = []
    for f in claim.frames:
        for c in changed:
            if c.path == f.get("path"):
                unit = c.old.at(f.get("line") or 0)
                if unit is not None:
                    out.append((c, unit, f.get("line")))
    return out


def judge_untouched(claim, changed, words, what):
    """Refuses a change that leaves the code that failed as it was, and that has nothing to do with the names of the
    failure. It is judged where the file in which it happened is one of the changed ones."""
    if not claim.frames or not whole(claim, changed):
        return
    frames = framed(claim, changed)
    last = claim.frames[-1]
    if not frames or frames[-1][0].path != last.get("path") or is_test(last.get("path") or ""):
        return
    names = reached(changed, {u.name for _, u, _ in frames} | {u.owner for _, u, _ in frames if u.owner})
    if touched(changed, names) or any(w in c.words() for c in changed for w in words if w):
        return
    if told_so(claim, changed):
        return
    c, unit, line = frames[-1]
    invalid(f"{what}, and {unit.name} is as it was. Changed: {summary(changed)}, which it does not use.", c.path, line or 0, DOUBT)
