"""Python source: its units, its lines without comments, and the names that are bound in it."""

import ast
import builtins
import re

from units import Unit

PYTHON = (".py", ".pyi", ".pyw")
BUILTINS = set(dir(builtins)) | {
    "__file__", "__name__", "__doc__", "__package__", "__spec__", "__loader__", "__path__", "__builtins__",
    "__class__", "__module__", "__qualname__", "__annotations__", "__dict__", "WindowsError", "unicode", "basestring",
    "long", "xrange", "unichr", "raw_input", "reduce", "cmp", "buffer", "execfile", "file", "reload", "intern", "apply",
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


STRINGS = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|#.*""")


def kept(m):
    """Strings stay, comments go."""
    return m.group(1) or ""


def without_docstring(node):
    body = node.body
    if body and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0], "value", None), ast.Constant) and isinstance(body[0].value.value, str):
        body = body[1:]
    return body


def mentioned(nodes):
    """The identifiers in nodes, also in strings, as getattr and patch take them."""
    out = set()
    for top in nodes:
        for n in ast.walk(top):
            if isinstance(n, ast.Name):
                out.add(n.id)
            elif isinstance(n, ast.Attribute):
                out.add(n.attr)
            elif isinstance(n, ast.keyword) and n.arg:
                out.add(n.arg)
            elif isinstance(n, ast.arg):
                out.add(n.arg)
            elif isinstance(n, FUNCTIONS + (ast.ClassDef,)):
                out.add(n.name)
            elif isinstance(n, ast.alias):
                out.update((n.asname or n.name).split("."))
                out.update(n.name.split("."))
            elif isinstance(n, ast.Constant) and isinstance(n.value, str) and len(n.value) < 200:
                out.update(re.findall(r"[A-Za-z_]\w*", n.value))
    return out


class Python:
    """A Python file. tree is None where it does not parse."""

    def __init__(self, text):
        self.text, self.error = text, None
        try:
            self.tree = ast.parse(text)
        except (SyntaxError, ValueError) as e:
            self.tree, self.error = None, e
        self.units = []
        self._lines = text.split("\n")
        self.exact = self.tree is not None  # the units are all that counts
        if self.tree is not None:
            self._body(without_docstring(self.tree), "")

    def _unit(self, node, name, owner, nodes, kind, head=(), end=0):
        start = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
        text = "\n".join(self._lines[start - 1 : end or node.end_lineno])
        self.units.append(Unit(name, owner, start, end or node.end_lineno, text, lambda: [ast.dump(n) for n in [*head, *nodes]], kind))

    def _body(self, nodes, owner):
        rest = []
        for n in nodes:
            if isinstance(n, FUNCTIONS):
                head = [n.args, *n.decorator_list, *([n.returns] if n.returns else [])]
                self._unit(n, n.name, owner, without_docstring(n) or [ast.Pass()], "function", head)
            elif isinstance(n, ast.ClassDef) and not owner:
                self._unit(n, n.name, "", [], "class", [*n.bases, *n.keywords, *n.decorator_list], n.body[0].lineno - 1 or n.lineno)
                self._body(without_docstring(n), n.name)
            elif isinstance(n, (ast.Assign, ast.AnnAssign)):
                targets = n.targets if isinstance(n, ast.Assign) else [n.target]
                name = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ast.dump(targets[0])
                self._unit(n, name, owner, [n], "assignment")
            else:
                rest.append(n)
        for n in rest:
            self._unit(n, ast.dump(n), owner, [n], "statement")

    def table(self):
        out = {}
        for u in self.units:
            while u.key in out:  # a second definition of the name
                u.name += "'"
            out[u.key] = u
        for u in self.units:
            u.name = u.name.rstrip("'")
        return out

    def lines(self):
        """The lines, (number, tokens), without comments and empty ones; indentation counts."""
        out = []
        for i, line in enumerate(self._lines, 1):
            text = line.strip()
            if text and text[0] != "#":
                out.append((i, (line[: len(line) - len(line.lstrip())], text if "#" not in text else STRINGS.sub(kept, text).rstrip())))
        return out

    def at(self, line):
        """The smallest unit around a line."""
        around = [u for u in self.units if u.start <= line <= u.end and u.kind != "class"]
        return min(around, key=lambda u: u.end - u.start, default=None)

    def function(self, line):
        """The innermost function around a line, as a node."""
        if self.tree is None:
            return None
        best = None
        for n in ast.walk(self.tree):
            if isinstance(n, FUNCTIONS) and n.lineno <= line <= n.end_lineno and (best is None or n.lineno >= best.lineno):
                best = n
        return best


def bound_by(node, out, star):
    """Adds the names that statements bind in the scope that they are in."""
    stack = [node]
    while stack:
        n = stack.pop()
        if isinstance(n, FUNCTIONS + (ast.ClassDef,)):
            out.add(n.name)
            stack += [*n.decorator_list, *(n.bases if isinstance(n, ast.ClassDef) else [])]
            for inner in ast.walk(n):  # global declarations bind in the module
                if isinstance(inner, ast.Global):
                    out.update(inner.names)
            continue
        if isinstance(n, ast.Lambda):
            continue
        if isinstance(n, (ast.Import, ast.ImportFrom)):
            for a in n.names:
                if a.name == "*":
                    star.append(n.lineno)
                out.add(a.asname or a.name.split(".")[0])
        elif isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del)):
            out.add(n.id)
        elif isinstance(n, ast.ExceptHandler) and n.name:
            out.add(n.name)
        elif isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name:
            out.add(n.name)
        elif isinstance(n, ast.MatchMapping) and n.rest:
            out.add(n.rest)
        elif isinstance(n, (ast.Global, ast.Nonlocal)):
            out.update(n.names)
        elif type(n).__name__ in ("TypeAlias", "TypeVar", "ParamSpec", "TypeVarTuple"):
            name = n.name
            out.add(name if isinstance(name, str) else name.id)
        stack += list(ast.iter_child_nodes(n))


def arguments(args):
    every = args.posonlyargs + args.args + args.kwonlyargs + [a for a in (args.vararg, args.kwarg) if a]
    return {a.arg for a in every}


class Free(ast.NodeVisitor):
    """Finds the names that are read and bound nowhere in their scopes: {name: first line}."""

    def __init__(self, tree):
        self.found, self.star, self.dynamic = {}, [], False
        module = set()
        for n in tree.body:
            bound_by(n, module, self.star)
        self.scopes = [(module, False)]
        for n in tree.body:
            self.visit(n)

    def _inner(self, names, body, is_class=False):
        self.scopes.append((names, is_class))
        for n in body:
            self.visit(n)
        self.scopes.pop()

    def visit_FunctionDef(self, n):
        for d in [*n.decorator_list, *n.args.defaults, *[d for d in n.args.kw_defaults if d]]:
            self.visit(d)
        names = arguments(n.args) | {"__class__"}
        for p in getattr(n, "type_params", []):
            names.add(p.name)
        for s in n.body:
            bound_by(s, names, self.star)
        self._inner(names, n.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, n):
        for d in [*n.args.defaults, *[d for d in n.args.kw_defaults if d]]:
            self.visit(d)
        names = arguments(n.args)
        bound_by(n.body, names, self.star)
        self._inner(names, [n.body])

    def visit_ClassDef(self, n):
        for d in [*n.decorator_list, *n.bases, *[k.value for k in n.keywords]]:
            self.visit(d)
        names = {"__module__", "__qualname__"} | {p.name for p in getattr(n, "type_params", [])}
        for s in n.body:
            bound_by(s, names, self.star)
        self._inner(names, n.body, True)

    def _comprehension(self, n):
        names = set()
        for g in n.generators:
            bound_by(g.target, names, self.star)
        self._inner(names, ast.iter_child_nodes(n))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_AnnAssign(self, n):  # an annotation need not be evaluated
        self.visit(n.target)
        if n.value:
            self.visit(n.value)

    def visit_Name(self, n):
        if n.id in ("exec", "eval", "globals", "locals", "vars"):
            self.dynamic = True
        if isinstance(n.ctx, ast.Load) and n.id not in BUILTINS:
            last = len(self.scopes) - 1
            for i in range(last, -1, -1):
                names, is_class = self.scopes[i]
                if n.id in names and not (is_class and i != last and not self._in_class(i)):
                    return
            self.found.setdefault(n.id, n.lineno)

    def _in_class(self, i):
        return i == len(self.scopes) - 2  # a comprehension directly in a class body: some of it sees the class


def free(source):
    """The names that a file reads and nowhere binds. Empty where that cannot be known."""
    if source.tree is None:
        return {}
    f = Free(source.tree)
    if f.star or f.dynamic:
        return {}
    for n in ast.walk(source.tree):  # try: name except NameError, and a module with __getattr__
        if isinstance(n, FUNCTIONS) and n.name == "__getattr__" and n in source.tree.body:
            return {}
        if isinstance(n, ast.ExceptHandler) and n.type is not None and "NameError" in mentioned([n.type]):
            return {}
    return f.found
