"""Tokens of Go and of JavaScript and TypeScript, without comments, and the named parts that their brackets make."""

import re

from units import Unit

GO_FILES = (".go",)
SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
OPEN, CLOSE = {"{": "}", "(": ")", "[": "]"}, {"}", ")", "]"}
GO = re.compile(r"""(?P<space>[ \t\r\f]+)|(?P<line>\n)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\\n])*"|`[^`]*`|'(?:\\.|[^'\\\n])+')|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<op>:=|\.\.\.|<-|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|.)""", re.S)
SCRIPT = re.compile(r"""(?P<space>[ \t\r\f\ufeff\xa0]+)|(?P<line>\n)|(?P<comment>//[^\n]*|/\*.*?\*/|\#![^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<name>[A-Za-z_$\#@\u0080-\U0010ffff][\w$\u200c\u200d]*)|(?P<number>\d[\w.]*|\.\d[\w]*)|(?P<op>=>|\.\.\.|\?\.|===|!==|[-+*%&|^=!<>]=|&&|\|\||\?\?|\+\+|--|.)""", re.S)
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+/[a-z]*")
BEFORE_REGEX = set("return typeof case in of delete void throw new else do instanceof yield await".split())


class Unread(ValueError):
    """The text cannot be split into tokens with certainty."""


class Token:
    __slots__ = ("kind", "text", "line", "start", "end")

    def __init__(self, kind, text, line, start):
        self.kind, self.text, self.line, self.start, self.end = kind, text, line, start, start + len(text)


def go_tokens(text):
    return _plain(text, GO)


def _plain(text, pattern):
    out, line = [], 1
    for m in pattern.finditer(text):
        if m.lastgroup not in ("space", "line", "comment"):
            out.append(Token(m.lastgroup, m.group(), line, m.start()))
        line += m.group().count("\n")
    return out


def script_tokens(text):
    """JavaScript: a slash is a regular expression where no value can end; templates nest."""
    out, line, at, templates = [], 1, 0, []  # templates: the depth of braces at which each goes on
    depth, parens = 0, []

    def value_before():
        if not out:
            return False
        t = out[-1]
        if t.kind in ("number", "string", "template", "regex"):
            return True
        if t.kind == "name":
            return t.text not in BEFORE_REGEX or len(out) > 1 and out[-2].text == "."
        if t.text == ")":
            return not t_after_condition[0]
        return t.text in ("]", "}", "++", "--")

    t_after_condition = [False]
    while at < len(text):
        c = text[at]
        if c == "`" or c == "}" and templates and templates[-1] == depth:
            if c == "}":
                templates.pop()
            end = at + 1
            while end < len(text) and text[end] != "`" and text[end : end + 2] != "${":
                end += 2 if text[end] == "\\" else 1
            if end >= len(text):
                raise Unread("a template does not end")
            if text[end] != "`":
                end += 1
                templates.append(depth)
            out.append(Token("template", text[at : end + 1], line, at))
            line += text.count("\n", at, end + 1)
            at = end + 1
            continue
        if c == "/" and text[at + 1 : at + 2] not in ("/", "*") and not value_before():
            m = REGEX.match(text, at)
            if m:
                out.append(Token("regex", m.group(), line, at))
                at = m.end()
                continue
        m = SCRIPT.match(text, at)
        if m.lastgroup == "op":
            if c == "{":
                depth += 1
            elif c == "}":
                depth -= 1
            elif c == "(":
                parens.append(bool(out) and out[-1].text in ("if", "while", "for", "with"))
            elif c == ")":
                t_after_condition[0] = parens.pop() if parens else False
        if m.lastgroup not in ("space", "line", "comment"):
            out.append(Token(m.lastgroup, m.group(), line, at))
        line += m.group().count("\n")
        at = m.end()
    return out


def pairs(tokens):
    """The index of the closing bracket by that of the opening one, and the first bracket that has none."""
    out, stack = {}, []
    for i, t in enumerate(tokens):
        if t.kind != "op":
            continue
        if t.text in OPEN:
            stack.append(i)
        elif t.text in CLOSE:
            if not stack or OPEN[tokens[stack[-1]].text] != t.text:
                return out, t
            out[stack.pop()] = i
    return out, tokens[stack[-1]] if stack else None


class Tokens:
    """A file of Go or JavaScript: what validators ask of it is the same as of a Python one."""

    exact = False

    def __init__(self, text):
        self.text, self.error, self.units = text, None, []
        try:
            self.tokens = self.split(text)
            self.pairs, self.error = pairs(self.tokens)
        except Unread as e:
            self.tokens, self.pairs, self.error = [], {}, e
        self.read = self.error is None
        if self.read:
            self.find()

    def unit(self, name, owner, first, last, kind="function"):
        """Adds the part from one token to another, by their indexes."""
        a, b = self.tokens[first], self.tokens[last]
        body = [t.text for t in self.tokens[first : last + 1]]
        self.units.append(Unit(name, owner, a.line, b.line, self.text[a.start : b.end], lambda: body, kind))

    def table(self):
        out = {}
        for u in self.units:
            key = u.key
            while key in out:
                key = (key[0], key[1] + "'")
            out[key] = u
        return out

    def lines(self):
        if not self.read:
            return [(i, (l.strip(),)) for i, l in enumerate(self.text.split("\n"), 1) if l.strip()]
        out = {}
        for t in self.tokens:
            out.setdefault(t.line, []).append(t.text)
        return [(n, tuple(t)) for n, t in sorted(out.items())]

    def at(self, line):
        around = [u for u in self.units if u.start <= line <= u.end and u.kind != "class"]
        return min(around, key=lambda u: u.end - u.start, default=None)

    def words(self):
        return [t.text for t in self.tokens]


class Go(Tokens):
    """A Go file. imports are (name or "", path, line)."""

    split = staticmethod(go_tokens)

    def find(self):
        t, i, self.imports, self.package = self.tokens, 0, [], ""
        while i < len(t):
            word = t[i].text
            if word == "package" and i + 1 < len(t):
                self.package, i = t[i + 1].text, i + 2
            elif word == "func":
                i = self._func(i)
            elif word in ("type", "var", "const", "import") and i + 1 < len(t):
                i = self._group(i, word)
            else:
                i = self.pairs.get(i, i) + 1

    def _func(self, i):
        t, j, owner = self.tokens, i + 1, ""
        if t[j].text == "(":
            end = self.pairs[j]
            names = [x.text for x in t[j + 1 : end] if x.kind == "name"]
            owner = next((n for k, n in enumerate(names) if k == 1), names[0] if names else "")
            if len(names) > 1 and t[j + 2].text == "[":
                owner = names[0]
            j = end + 1
        name, j = t[j].text, j + 1
        line = t[j - 1].line
        while j < len(t) and t[j].text != "{":  # a declaration without a body ends with the line
            if t[j].text in ("interface", "struct") and j + 1 < len(t) and t[j + 1].text == "{":
                j = self.pairs[j + 1] + 1
                continue
            if t[j].line != line and t[j - 1].text not in (",", "(", "[") and t[j].text == "func":
                break
            j = self.pairs.get(j, j) + 1 if t[j].text in OPEN else j + 1
            line = t[j - 1].line
        end = self.pairs.get(j, min(j, len(t)) - 1) if j < len(t) else len(t) - 1
        self.unit(name, owner, i, end)
        return end + 1

    def _group(self, i, word):
        t = self.tokens
        if t[i + 1].text == "(":
            j, end = i + 2, self.pairs[i + 1]
            while j < end:
                k = self._end(j, end)
                self._one(j, k, word)
                j = k + 1
            return end + 1
        k = self._end(i + 1, len(t))
        self._one(i + 1, k, word)
        return k + 1

    def _end(self, j, end):
        """The last token of the declaration at j."""
        t = self.tokens
        while j < end:
            j = self.pairs.get(j, j)
            if j + 1 >= end or t[j + 1].line != t[j].line and (t[j].kind != "op" or t[j].text in CLOSE or t[j].text in ("++", "--")) or t[j + 1].text == ";":
                return j
            j += 1
        return end - 1

    def _one(self, j, k, word):
        t = self.tokens
        if word == "import":
            path = next((x.text.strip('"`') for x in t[j : k + 1] if x.kind == "string"), "")
            self.imports.append((t[j].text if t[j].kind == "name" or t[j].text in "._" else "", path, t[j].line))
            self.unit("import " + path, "", j, k, "statement")
            return
        self.unit(t[j].text, "", j, k, "class" if word == "type" else "assignment")


NOT_METHODS = set("if for while switch catch function with return await typeof super new import else do".split())


class Script(Tokens):
    """A JavaScript or TypeScript file."""

    split = staticmethod(script_tokens)

    def find(self):
        t, classes = self.tokens, []
        for i, x in enumerate(t):
            if x.text in ("class", "interface", "enum", "namespace") and x.kind == "name" and i + 1 < len(t) and t[i + 1].kind == "name" and (i == 0 or t[i - 1].text != "."):
                j = i + 2
                while j < len(t) and t[j].text != "{":
                    j = self.pairs.get(j, j) + 1
                if j in self.pairs:
                    classes.append((j, self.pairs[j], t[i + 1].text))
                    self.unit(t[i + 1].text, "", i, j if x.text == "class" else self.pairs[j], "class")
        ranges = [(j, e) for j, e, _ in classes]
        for i, x in enumerate(t):
            found = self._function(i, x, classes)
            if found:
                name, first, last = found
                owner = next((n for a, b, n in reversed(classes) if a < i < b), "")
                self.unit(name, owner, first, last)
                ranges.append((first, last))
        self._rest(ranges)

    def _function(self, i, x, classes):
        """The function that is called by the name at token i: (name, first token, last token)."""
        t = self.tokens
        if x.kind not in ("name", "string") or i + 1 >= len(t) or x.text in NOT_METHODS:
            return None
        before, after = t[i - 1].text if i else "", t[i + 1].text
        if before in ("function", "*") and after in ("(", "<"):
            return self._body(x.text, i - 1, i + 1)
        if after in ("=", ":") and i + 2 < len(t) and (before != "?" or after == "="):
            return self._value(x.text.strip("'\""), i, i + 2)
        if after == "(" and before not in (".", "?.", "new", "=", "return", "await", "(", "=>", "!", "&&", "||") and x.kind == "name":
            return self._body(x.text, i, i + 1, True)
        return None

    def _value(self, name, first, j):
        """A function that is a value at token j."""
        t = self.tokens
        if j < len(t) and t[j].text == "async":
            j += 1
        if j >= len(t):
            return None
        if t[j].text == "function":
            j += 1
            if j < len(t) and t[j].text == "*":
                j += 1
            if j < len(t) and t[j].kind == "name":
                j += 1
            return self._body(name, first, j)
        k = self.pairs.get(j) if t[j].text == "(" else j if t[j].kind == "name" else None
        while k is not None and k + 1 < len(t) and t[k + 1].text != "=>":
            if t[j].text != "(" or t[k + 1].line != t[k].line or t[k + 1].text in (";", ",", ")", "{", "=", "."):
                return None
            k += 1  # the type of the result
        if k is None or k + 2 >= len(t):
            return None
        if t[k + 2].text == "{":
            return name, first, self.pairs[k + 2]
        end = k + 2
        while end + 1 < len(t) and t[end + 1].text not in (";", ",", ")", "]", "}") and (t[end + 1].line == t[end].line or end in self.pairs):
            end = self.pairs.get(end, end)
            if end + 1 >= len(t) or t[end + 1].text in (";", ",", ")", "]", "}") or t[end + 1].line != t[end].line:
                break
            end += 1
        return name, first, self.pairs.get(end, end)

    def _body(self, name, first, j, method=False):
        """From the parameters at token j to the end of the body."""
        t = self.tokens
        if j < len(t) and t[j].text == "<":
            while j < len(t) and t[j].text != "(":
                j += 1
        if j not in self.pairs:
            return None
        k = self.pairs[j] + 1
        if k < len(t) and t[k].text == ":":  # the type of the result
            line = t[k].line
            while k < len(t) and t[k].text not in ("{", ";") and t[k].line - line < 3:
                k += 1
            if k < len(t) and t[k - 1].text in (":", "|", "&", "<"):
                k = self.pairs.get(k, k) + 1
        if k >= len(t) or t[k].text != "{" or method and t[k].line != t[k - 1].line:
            return None
        return name, first, self.pairs[k]

    def _rest(self, ranges):
        """What is in no function: its lines, each a unit; declarations by their names."""
        inside = [False] * len(self.tokens)
        for a, b in ranges:
            inside[a : b + 1] = [True] * (b + 1 - a)
        lines = {}
        for i, x in enumerate(self.tokens):
            if not inside[i]:
                lines.setdefault(x.line, []).append(i)
        for of in lines.values():
            words = [self.tokens[i].text for i in of]
            name = next((words[k + 1] for k, w in enumerate(words[:-1]) if w in ("const", "let", "var", "type") and words[k + 1][0].isalpha()), "")
            self.unit(name or " ".join(words), "", of[0], of[-1], "assignment" if name else "statement")
