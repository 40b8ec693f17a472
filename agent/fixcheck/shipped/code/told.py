"""The names of code in the words of a claim, and what has changed in words."""

import re


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

def code_names(text):
    """The names of code in a sentence, in order: the last part of a dotted one first."""
    out = []
    for m in CODE.finditer(PATH.sub(" ", text)):
        quoted = m.group(1)
        for name in WORD.findall(quoted or m.group(2) or m.group(3)):
            if name not in COMMON and len(name) > 1 and name not in out:
                out.append(name)
    return out


def summary(changed):
    """What has changed, in a few words."""
    out = []
    for c in changed:
        names = [f"{o}.{n}" if o else n for o, n in sorted(c.units) if WORD.fullmatch(n)]
        out.append(c.path + (f" ({', '.join(names[:3])})" if names else ""))
    return ", ".join(out[:3])
