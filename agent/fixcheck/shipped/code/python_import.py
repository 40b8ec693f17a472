"""Judges fixes of ModuleNotFoundError and ImportError: the module or the name must be there now, or not be imported
any longer."""

import ast
import re

from fixclaim import invalid, run, unsure, valid
from pysource import PYTHON, Python, bound_by, mentioned
from units import changes

SETTINGS = re.compile(r"(^|/)(requirements[^/]*\.(txt|in)|pyproject\.toml|setup\.(py|cfg)|Pipfile(\.lock)?|environment[^/]*\.ya?ml|tox\.ini|pytest\.ini|conftest\.py|poetry\.lock|uv\.lock|constraints[^/]*\.txt|sitecustomize\.py|.*\.pth)$")


def imports(tree):
    """The imports of a file that must succeed: (module, name or None, line, level)."""
    guarded = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.Try) and n.handlers:
            guarded.update(id(m) for s in n.body for m in ast.walk(s))
        elif isinstance(n, ast.If) or isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)):
            guarded.update(id(m) for m in ast.walk(n) if m is not n)
    for n in ast.walk(tree):
        if id(n) in guarded:
            continue
        if isinstance(n, ast.Import):
            for a in n.names:
                yield a.name, None, n.lineno, 0
        elif isinstance(n, ast.ImportFrom):
            for a in n.names:
                yield n.module or "", a.name, n.lineno, n.level


def there(claim, module):
    """Whether the project has a module now, whatever the folder that is searched for it."""
    name = module.replace(".", "/")
    forms = (name + ".py", name + "/__init__.py", name + ".pyi", name + ".pyx", name + ".so")
    every = [p for p in claim.paths if claim.exists(p)] + [p for p in claim.files if claim.exists(p)]
    return any(p == f or p.endswith("/" + f) for p in every for f in forms) or any((name + "/") in p and p.endswith(".py") for p in every)


def judge_missing(claim, changed, module):
    if any(SETTINGS.search(p) for p in claim.changed()):
        unsure("what is installed or searched has changed too")
    if not claim.paths:
        unsure("the files of the project are not known")
    if any(c.created or c.deleted for c in changed) and there(claim, module):
        valid(f"the project has {module} now", 0.8)
    if there(claim, module):
        unsure(f"the project has {module}, but it was not found")
    if any("sys" in c.words() or "path" in c.words() for c in changed):
        unsure("where modules are searched may have changed")
    still = users(claim, changed, module)
    if still:
        path, line = still[0]
        invalid(f"this still imports {module}, which the project does not have, and no manifest that declares packages has changed.", path, line, 0.9)
    importer = claim.frames[-1].get("path") if claim.frames else ""
    if importer and importer not in claim.files and not any(mentions(c, module) for c in changed):
        invalid(f"{module} is imported here and is not installed; the change neither touches this file nor has to do with {module}.", importer, claim.frames[-1].get("line") or 0, 0.85)
    valid(f"the import of {module} has changed", 0.6)


def mentions(c, module):
    return set(module.split(".")) & (c.words() | {c.path.rsplit("/", 1)[-1].split(".")[0]})


def users(claim, changed, module):
    out = []
    framed = {f.get("path") for f in claim.frames} | {claim.main}
    for c in changed:
        if c.new.tree is None or c.path not in framed or c.old.tree is None:
            continue
        for name, _, line, level in imports(c.new.tree):
            if not level and (name == module or name.startswith(module + ".")):
                if any(not l and (n == module or n.startswith(module + ".")) for n, _, _, l in imports(c.old.tree)):
                    out.append((c.path, line))
    return out


def file_of(claim, module, where):
    """The path of a module of the project."""
    name = module.replace(".", "/")
    every = {p for p in [*claim.paths, *claim.files] if p.endswith((name + ".py", name + "/__init__.py"))}
    if where:
        hit = [p for p in every if where.endswith(p)]
        return max(hit, key=len) if hit else ""
    return every.pop() if len(every) == 1 else ""


def judge_name(claim, changed, name, module, where):
    if "circular import" in claim.error or "partially initialized" in claim.error:
        unsure("a circular import")
    path = file_of(claim, module, where)
    importer = claim.frames[-1].get("path") if claim.frames else ""
    for c in changed:
        if c.path == importer and c.new.tree is not None:
            last = module.rsplit(".", 1)[-1]
            if not any(n == name and (m == module or m.rsplit(".", 1)[-1] == last or level) for m, n, _, level in imports(c.new.tree)):
                valid(f"{name} is not imported from {module} any longer", 0.7)
    for c in changed:
        if c.path != path or c.new.tree is None:
            continue
        names, star = set(), []
        for n in c.new.tree.body:
            bound_by(n, names, star)
        if name in names:
            valid(f"{module} has {name} now", 0.8)
        if star or {"__getattr__", "globals", "vars", "__dict__", "setattr", "modules"} & mentioned([c.new.tree]) or there(claim, f"{module}.{name}"):
            unsure(f"{module} takes names from elsewhere")
        invalid(f"{name} is imported from this module, which still does not define it.", c.path, c.first(), 0.95)
    if any(name in c.words() or name in c.path for c in changed) or any(SETTINGS.search(p) for p in claim.changed()):
        unsure(f"{name} may be there by what has changed")
    if path and any(name in s for s in [p for p in claim.changed()]):
        unsure("a file of this name has changed")
    if path or importer:
        invalid(f"{name} is still imported from {module}, which does not define it: the change touches neither.", path or importer, 0, 0.85)


def judge(claim):
    changed = changes(claim, PYTHON, Python)
    missing = re.search(r"No module named ['\"]?([\w.]+)", claim.error)
    name = re.search(r"cannot import name ['\"](\w+)['\"] from (?:partially initialized module )?['\"]([\w.]+)['\"](?: \((.+?)\))?", claim.error)
    if missing:
        judge_missing(claim, changed, missing.group(1))
    elif name:
        judge_name(claim, changed, *name.groups())
    unsure("the message names no module")


if __name__ == "__main__":
    run(judge, PYTHON)
