"""The claim of a fix, and the verdict on it: what all validators of this folder share.

A validator refuses a fix only where it can say what is still wrong. What it cannot judge it leaves to the tests.
"""

import json
import re
import sys


class Verdict(Exception):
    """Ends a judgement. Validators raise it through valid, invalid and unsure."""

    def __init__(self, valid, confidence, reason, path="", line=0):
        super().__init__(reason)
        self.out = {"valid": valid, "confidence": confidence, "reason": reason}
        if path:
            self.out["path"] = path
        if line:
            self.out["line"] = line


def valid(reason, confidence=0.6):
    raise Verdict(True, confidence, reason)


def invalid(reason, path="", line=0, confidence=0.9):
    where = f"{path}:{line}: " if path and line else f"{path}: " if path else ""
    raise Verdict(False, confidence, where + reason, path, line)


def unsure(why):
    raise Verdict(True, 0, "not judged: " + why)


class Claim:
    """A claim as it was read. Missing fields are empty."""

    def __init__(self, fields):
        self.error = re.sub(r"\x1b\[[0-9;]*m", "", fields.get("error_message") or "")
        self.kind = fields.get("error_type") or ""
        self.main = fields.get("main") or ""
        self.fixes = [f for f in fields.get("fixes_applied") or [] if isinstance(f, str)]
        self.analysis = fields.get("analysis") or ""
        self.description = fields.get("fix_description") or ""
        self.frames = fields.get("frames") or []
        self.paths = fields.get("paths") or []
        self.files = {}  # path: (text before, text after); None where there was or is no file
        for f in fields.get("files") or []:
            self.files[f["path"]] = (f.get("before"), f.get("after"))
        self.language = (fields.get("language") or "").lower()

    def changed(self, extensions=None):
        """The paths whose text has changed."""
        return [p for p, (a, b) in self.files.items() if a != b and (not extensions or p.endswith(extensions))]

    def text(self, path):
        """The file as it is now, where the claim has it."""
        return self.files[path][1] if path in self.files else None

    def exists(self, path):
        if path in self.files:
            return self.files[path][1] is not None
        return path in self.paths

    def before(self, path):
        """The file as it was when the failure was seen, where the claim has it."""
        return self.files[path][0] if path in self.files else None


def is_test(path):
    name = path.rsplit("/", 1)[-1]
    return bool(
        re.search(r"(^|/)(tests?|__tests__|spec|testdata|fixtures)/", path)
        or re.search(r"(^test_.*|_tests?|[._](test|spec)|^conftest|^tests?)\.\w+$", name)
    )


def run(judge, extensions):
    """Reads a claim, judges it and writes the verdict."""
    import warnings

    warnings.simplefilter("ignore")  # of the parser, on the code that is judged
    claim = Claim(json.load(sys.stdin))
    out = {"valid": True, "confidence": 0, "reason": "not judged: nothing that is known to be wrong"}
    try:
        if not claim.changed(extensions):
            unsure("no file of this language has changed")
        judge(claim)
    except Verdict as v:
        out = v.out
    except (SyntaxError, ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError) as e:
        out["reason"] = f"not judged: the code cannot be read ({type(e).__name__})"
    json.dump(out, sys.stdout)
