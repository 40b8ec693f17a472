"""Compares what a claim says has changed with what has changed."""

import re

from fixclaim import invalid, is_test
from units import related

# Names that any code and any sentence may have: they show nothing.
COMMON = set(
    """None True False null nil undefined true false self this cls int str string bool float list dict tuple set object any
    bytes error err Error Exception ValueError TypeError KeyError IndexError AttributeError NameError ImportError
    ModuleNotFoundError AssertionError SyntaxError IndentationError FileNotFoundError RecursionError UnboundLocalError
    ReferenceError RangeError OSError ZeroDivisionError RuntimeError NotImplementedError StopIteration UnicodeError
    UnicodeDecodeError UnicodeEncodeError PermissionError isinstance len print range type import from return if else elif for while try except finally
    raise with as def class lambda pass break continue and or not in is func var const let function async await new
    typeof instanceof interface struct map chan defer go package switch case default throw catch export require module
    exports extends super yield static public private value values key keys name names data result results args kwargs
    index item items x y z i j k n s t f a b c e v test tests pytest unittest node npm mocha jest GitHub JavaScript
    TypeScript Python panic recover make append cap copy delete close Promise Array Object String Number Boolean
    Map Set Symbol Date RegExp JSON length push slice Unicode stdlib README changelog CHANGELOG pip
    __init__ main get set add run init constructor toString prototype hasOwnProperty""".split()
)

CODE = re.compile(r"`([^`\n]{1,120})`|(?<![\w$.])((?:[A-Za-z_$][\w$]*\.)*[A-Za-z_$][\w$]*)(?=\(\))|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+|_[A-Za-z]\w*|[a-z]+[0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)\b")
PATH = re.compile(r"(?<![\w/.-])((?:[\w.@-]+/)*[\w@-][\w.@-]*\.(?:py|pyi|go|mod|js|mjs|cjs|jsx|ts|mts|cts|tsx|json|toml|txt|cfg|yaml|yml))(?![\w/])")
WORD = re.compile(r"[A-Za-z_$][\w$]*")

# An item that does not say that something was changed.
OTHER = re.compile(
    r"\b(kept|keep|keeps|left|leave|leaves|leaving|unchanged|untouched|unaffected|not change\w*|no change\w*|without chang\w*|remain\w*|still|did not|didn't|does not need|verif\w+|confirm\w+|"
    r"ran|re-?ran|checked|test\w*|spec|docs?|document\w*|comment\w*|docstring\w*|changelog|readme)\b",
    re.I,
)
# The words after which a file is what the change follows, not what has changed: "the package that package.json lists".
ASIDE = r"\b(?:that|which|as|like|from|per|by|for|with|so|than|because|since)\b[^.;:!?]*$"
# The words by which an item says where the change is.
AT = r"(?:\b(?:in|inside|within|of)|\b(?:change[ds]?|update[ds]?|modif(?:y|ied|ies)|rewr(?:ote|itten|ite)|edit(?:ed|s)?|refactor(?:ed|s)?|rework(?:ed|s)?|correct(?:ed|s)?|patch(?:ed|es)?|extend(?:ed|s)?|adjust(?:ed|s)?|made|make))\s+(?:the\s+)?(?:(?:function|method|func|helper|class|type|constant|variable|constructor|definition of|signature of|body of)\s+)*[`'\"]?"


def code_names(text):
    """The names of code in a sentence, in order: the last part of a dotted one first."""
    out = []
    for m in CODE.finditer(PATH.sub(" ", text)):
        quoted = m.group(1)
        for name in WORD.findall(quoted or m.group(2) or m.group(3)):
            if name not in COMMON and len(name) > 1 and name not in out:
                out.append(name)
    return out


def file_names(text, claim):
    """The files of the project that a sentence names."""
    out = []
    for name in PATH.findall(text):
        found = [p for p in [*claim.paths, *claim.files] if p == name or p.endswith("/" + name)]
        if len(set(found)) == 1:
            out.append(found[0])
    return out


class Told:
    """What has changed, by the words that a sentence could have for it."""

    def __init__(self, claim, changed):
        self.claim, self.changed = claim, changed
        self.keys = {(o, n.rstrip("'")) for c in changed for o, n in c.units}
        self.words = {w for c in changed for w in c.words()}
        self.units = {n for _, n in self.keys}
        self.owners = {o for o, _ in self.keys if o}
        self.known = {u.name for c in changed for s in (c.old, c.new) for u in s.units if u.kind != "statement"}
        self.known |= {u.owner for c in changed for s in (c.old, c.new) for u in s.units if u.owner}
        self.paths = set(claim.changed())

    def place(self, text, name):
        """Whether a sentence says that the change is in the definition of a name."""
        return re.search(AT + r"(?:[\w$]+\.)*" + re.escape(name) + r"\b", text, re.I) is not None

    def is_changed(self, name):
        return name in self.units or name in self.words

    def aside(self, text, file):
        """Whether a sentence names a file only beside what it says of the change."""
        for name in (file, file.rsplit("/", 1)[-1]):
            if name in text:
                return re.search(ASIDE, text[: text.index(name)], re.I) is not None
        return False

    def names_file(self, names):
        """Whether one of the names is that of a changed file, as RouteHeaders is of route_headers.go."""
        paths = "/".join(self.paths).lower().replace("_", "").replace("-", "")
        return any(n.lower().replace("_", "") in paths for n in names if len(n) > 3)

    def contradicts(self, text):
        """What a sentence names as changed that has not changed; "" where it may be right."""
        if OTHER.search(text):
            return ""
        files = [f for f in file_names(text, self.claim) if not is_test(f) and not self.aside(text, f)]
        names = code_names(text)
        if files and not set(files) & self.paths and not any(self.is_changed(n) for n in names):
            return files[0]
        defined = [n for n in names if n in self.known]
        functions = [n for n in defined if n not in self.owners]
        if any(self.is_changed(n) for n in defined):
            return ""
        if self.names_file(names):
            return ""
        near = any(related(self.changed, n, self.keys) for n in defined)
        placed = [n for n in functions if self.place(text, n)]
        if any(self.is_changed(n) for n in names) and (near or not placed):
            return ""
        if placed:
            return placed[0]
        if any(n in self.owners for n in defined) and not functions:
            return ""
        if defined:
            return "" if near else defined[0]
        return ""

    def supported(self, text):
        """Whether a sentence names anything that has changed."""
        names = code_names(text)
        if any(n in self.owners or n in self.known and related(self.changed, n, self.keys) for n in names):
            return True
        return any(self.is_changed(n) for n in names) or self.names_file(names) or any(f in self.paths for f in file_names(text, self.claim))


def judge_told(claim, changed):
    """Refuses a claim whose fixes are about code that has not changed."""
    if not changed:
        return
    told = Told(claim, changed)
    items = claim.fixes or [l for l in claim.description.split("\n") if l.strip()][:1]
    first = changed[0]
    for item in items:
        if name := told.contradicts(item):
            invalid(
                f"the claim says “{item.strip()[:160]}”, but {name} has not changed since the failure. Changed: {summary(changed)}. Make the change that the claim describes.",
                first.path, first.first(), 0.85,
            )
    whole = "\n".join([*items, claim.analysis or claim.description])
    names = [n for n in code_names("\n".join(items))]
    if names and not told.supported(whole):
        invalid(
            f"nothing that the claim names ({', '.join(names[:4])}) is on a changed line. Changed: {summary(changed)}. Make the change that the claim describes.",
            first.path, first.first(), 0.8,
        )


def summary(changed):
    """What has changed, in a few words."""
    out = []
    for c in changed:
        names = [f"{o}.{n}" if o else n for o, n in sorted(c.units) if WORD.fullmatch(n)]
        out.append(c.path + (f" ({', '.join(names[:3])})" if names else ""))
    return ", ".join(out[:3])
