"""Judges fixes of AttributeError: the attribute must be defined now, or not be asked for any longer."""

import ast
import re

from fixclaim import invalid, run, unsure, valid
from pysource import PYTHON, Python, bound_by, mentioned
from reach import framed, judge_untouched
from units import changes

DYNAMIC = {"__getattr__", "__getattribute__", "setattr", "__setattr__", "__dict__", "globals", "vars", "__slots__", "locals", "modules", "type", "make_dataclass", "namedtuple"}


def judge(claim):
    m = re.search(r"(?:type object |module )?'([\w.]+)'(?: object)? has no attribute '(\w+)'", claim.error)
    if not m:
        unsure("the message names no attribute")
    owner, name = m.group(1), m.group(2)
    changed = changes(claim, PYTHON, Python)
    if "module '" + owner in claim.error:
        judge_module(claim, changed, owner, name)
    elif owner != "NoneType":
        judge_class(claim, changed, owner.rsplit(".", 1)[-1], name)
    judge_untouched(claim, changed, [name], f"the attribute {name} is asked for here")
    valid(f"the code that asks for {name} has changed, or may be reached", 0.5)


def judge_module(claim, changed, module, name):
    path = module.replace(".", "/")
    for c in changed:
        if not c.path.endswith((path + ".py", path + "/__init__.py")) or c.new.tree is None or c.deleted or "circular" in claim.error:
            continue
        names, star = set(), []
        for n in c.new.tree.body:
            bound_by(n, names, star)
        if name in names:
            valid(f"{module} has {name} now", 0.8)
        if star or DYNAMIC & mentioned([c.new.tree]) or any(f"{path}/{name}" in p for p in claim.paths):
            unsure(f"{module} may have {name} from elsewhere")
        if not asker_changed(claim, changed, name):
            invalid(f"{module} still does not define {name}, and the code that asks for it is as it was.", c.path, c.first(), 0.9)


def asker_changed(claim, changed, name):
    """Whether code that asked for the attribute, or that is on the trace, has changed."""
    if any(unit.key in c.units for c, unit, _ in framed(claim, changed)):
        return True
    return any(name in text for c in changed for _, line in c.removed for text in line)


def defined(cls):
    """The attributes that the text of a class defines."""
    out, star = set(), []
    for n in cls.body:
        bound_by(n, out, star)
    for n in ast.walk(cls):
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, (ast.Store, ast.Del)):
            out.add(n.attr)
    return out


def judge_class(claim, changed, owner, name):
    for c in changed:
        if c.new.tree is None or c.deleted:
            continue
        classes = {n.name: n for n in ast.walk(c.new.tree) if isinstance(n, ast.ClassDef)}
        if owner not in classes:
            continue
        found, queue, seen = False, [owner], set()
        while queue:
            cls = classes.get(queue.pop())
            if cls is None or cls.keywords or cls.decorator_list:
                unsure(f"{owner} has attributes from elsewhere")
            if cls.name in seen:
                continue
            seen.add(cls.name)
            found = found or name in defined(cls)
            queue += [b.id if isinstance(b, ast.Name) else "?" for b in cls.bases if not (isinstance(b, ast.Name) and b.id == "object")]
        if found:
            valid(f"{owner} has {name} now", 0.75)
        if DYNAMIC & mentioned(classes[s] for s in seen) or stored(c.new.tree, name):
            unsure(f"{owner} may get {name} elsewhere")
        if not asker_changed(claim, changed, name):
            invalid(f"{owner} still has no {name}, and the code that asks for it is as it was.", c.path, classes[owner].lineno, 0.9)


def stored(tree, name):
    return any(isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Store) for n in ast.walk(tree))


if __name__ == "__main__":
    run(judge, PYTHON)
