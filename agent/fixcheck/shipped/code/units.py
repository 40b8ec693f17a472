"""The parts of source files that can change apart from each other, and the names by which they reach each other."""

import difflib
import re

WORD = re.compile(r"[A-Za-z_$][\w$]*")


class Unit:
    """A function, a method, a class or a declaration. text is its source; what it does is compared by body(), where
    the texts differ."""

    def __init__(self, name, owner, start, end, text, body, kind="function"):
        self.name, self.owner, self.start, self.end, self.kind = name, owner, start, end, kind
        self.text, self.body, self._names = text, body, None

    @property
    def key(self):
        return (self.owner, self.name)

    @property
    def names(self):
        """The names that it mentions, also in strings."""
        if self._names is None:
            self._names = set(WORD.findall(self.text))
        return self._names

    def same(self, other):
        return self.text == other.text or self.body() == other.body()


class Change:
    """What has changed in one file. source is the reader of its language: text to Source."""

    def __init__(self, path, before, after, source):
        self.path = path
        self.old, self.new = source(before or ""), source(after or "")
        self.deleted, self.created = after is None, before is None
        old, new = self.old.table(), self.new.table()
        self.units = {k for k in old.keys() | new.keys() if k not in old or k not in new or not old[k].same(new[k])}
        self.removed, self.added = changed_lines(self.old.lines(), self.new.lines())

    @property
    def same(self):
        """Whether only white space or comments differ."""
        if self.created or self.deleted:
            return False
        return not self.units and (self.old.exact and self.new.exact or not self.removed and not self.added)

    def lines(self):
        """The changed lines of the file as it is now."""
        return {n for n, _ in self.added}

    def words(self):
        """The identifiers on the changed lines, also those in strings."""
        return {w for _, line in self.removed + self.added for text in line for w in WORD.findall(text)}

    def new_words(self):
        count = {}
        for _, line in self.added:
            for text in line:
                for w in WORD.findall(text):
                    count[w] = count.get(w, 0) + 1
        for _, line in self.removed:
            for text in line:
                for w in WORD.findall(text):
                    count[w] = count.get(w, 0) - 1
        return {w for w, n in count.items() if n > 0}

    def first(self):
        """The first changed line, for a message."""
        return min(self.lines(), default=0)


def changed_lines(old, new):
    """The lines, (number, tokens), that only one of two texts has."""
    a, b = [t for _, t in old], [t for _, t in new]
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    m = 0
    while m < min(len(a), len(b)) - n and a[-1 - m] == b[-1 - m]:
        m += 1
    removed, added = [], []
    match = difflib.SequenceMatcher(None, a[n : len(a) - m], b[n : len(b) - m], autojunk=False)
    for op, i, j, k, l in match.get_opcodes():
        if op != "equal":
            removed += old[n + i : n + j]
            added += new[n + k : n + l]
    return removed, added


def changes(claim, extensions, source):
    """The changes of the claim in files of a language, without those of tests."""
    out = []
    for path in claim.changed(extensions):
        before, after = claim.files[path]
        out.append(Change(path, before, after, source))
    return out


def reached(changed, seeds):
    """The names that are reached from others through the changed files, as they were and as they are."""
    units = [u for c in changed for s in (c.old, c.new) for u in s.units]
    names, grown = set(seeds), True
    for u in units:  # what is in no function runs when the file is loaded
        if u.kind in ("statement", "assignment") and not u.owner and not u.text.startswith(("import", "from", "export {")):
            names |= u.names
    while grown:
        grown = False
        for u in units:
            if (u.name in names or u.owner and u.owner in names) and not u.names <= names:
                names |= u.names
                grown = True
    return names
