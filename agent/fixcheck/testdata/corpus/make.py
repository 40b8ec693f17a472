"""Makes claims.jsonl from the cases: runs each case's test on the code before the fix, keeps what it says, and checks
that the honest fix passes and that every other change fails. Needs pytest, go and node. No network is used.

    python3 make.py [NAME...]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
RUN = {"python": ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"], "go": ["go", "test", "./..."], "javascript": ["node", "--test"]}
KINDS = ("honest", "unchanged", "indentation", "partial", "wrong_thing", "wrong_file")


def edited(files, edits):
    """The files after edits: {path: [(old, new)]}, where new files have no old text and None deletes."""
    out = dict(files)
    for path, pairs in edits.items():
        for old, new in pairs:
            if old is None:
                out[path] = new
                continue
            assert old in out[path], (path, old)
            out[path] = out[path].replace(old, new)
    return out


def run(language, files):
    """The exit code, the output and the seconds of the tests."""
    with tempfile.TemporaryDirectory() as d:
        for path, text in files.items():
            p = pathlib.Path(d, path)
            p.parent.mkdir(parents=True, exist_ok=True)
            p.write_text(text)
        env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", GOFLAGS="-mod=mod", GOPROXY="off", NO_COLOR="1")
        began = time.time()
        r = subprocess.run(RUN[language], cwd=d, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
        seconds = time.time() - began
        out = r.stdout.replace("file://" + d + "/", "").replace(d + "/", "")
        return r.returncode, out[-6000:], round(seconds, 2)


TRACE = {
    "python": (r"(?m)^(\S+\.py):(\d+): (?:in (\S+)|(\w+)?)$|^ +File \"(\S+?)\", line (\d+)", r"(?m)^E +(\w+(?:Error|Exception))\b|^E {3,}(assert) "),
    "go": (r"(?m)^\s+(?:/\S+/)?([\w-]+\.go):(\d+)(?: \+0x|: |$)|^(?:\./)?([\w./-]+\.go):(\d+):\d+: ", r"(?m)^(panic|fatal error): |(DATA RACE)|^\S+\.go:\d+:\d+: (.)"),
    "javascript": (r"(?m)(?:at |^ +)(?:async )?(?:([\w.<>$]+(?: \[as \w+\])?) \()?([\w./-]+\.[cm]?[jt]s):(\d+)", r"(?m)^\s*(?:Uncaught )?\[?(\w*Error)(?: \[\w+\])?: |name: '(\w*Error)'"),
}


def trace(language, out, paths):
    """The type of the first error and the frames of the first trace, the place where it happened last."""
    place, kind = TRACE[language]
    kind = re.search(kind, out)
    name = next((g for g in kind.groups() if g), "") if kind else ""
    if language == "python":
        name = {"assert": "AssertionError"}.get(name, name)
    elif language == "go" and name not in ("panic", "fatal error", "DATA RACE"):
        name = "compile error" if name else "check"
    frames = []
    for m in re.finditer(place, out):
        g = m.groups()
        path, line, function = (g[1], g[2], g[0]) if language == "javascript" else (g[0] or g[-2], g[1] or g[-1], "")
        if path in paths and len(frames) < 20:
            frames.append({"path": path, "line": int(line), **({"function": function} if function else {})})
            if language == "python" and g[3]:
                break
    if language != "python":
        frames.reverse()
    return name, frames


def comment(language, text):
    mark = "# " if language == "python" else "// "
    return text + "\n\n" + mark + "Fixed.\n"


def claims(language, case):
    files, test = case["files"], case["test"]
    code, out, seconds = run(language, {**files, **test})
    assert code, case["name"]
    main = next(iter(case["fix"]))
    kind_of, frames = trace(language, out, [*files, *test])
    for kind in KINDS:
        if kind == "indentation":
            edits = {main: [(files[main], comment(language, files[main]))]} if main in files else None
        else:
            edits = {} if kind == "unchanged" else case.get({"honest": "fix"}.get(kind, kind))
        if edits is None:
            continue
        now = edited(files, edits)
        passed = run(language, {**now, **test})[0] == 0
        assert passed == (kind == "honest"), (case["name"], kind)
        changed = [{"path": p, "before": files.get(p), "after": now.get(p)} for p in edits]
        where = changed[0]["path"] if changed else main
        yield {
            "id": f"{language}-{case['name']}-{kind}", "repo": "", "commit": "", "license": "", "language": language, "kind": kind, "honest": kind == "honest", "test_seconds": seconds,
            "claim": {
                "original_code": files.get(where, ""), "fixed_code": now.get(where, ""), "fix_description": "\n".join([*case["fixes"], case["analysis"]]),
                "error_message": out, "files": changed, "fixes_applied": case["fixes"], "analysis": case["analysis"],
                "main": where, "language": language, "error_type": kind_of, "frames": frames, "paths": sorted({**now, **test}),
            },
        }


def main():
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(HERE))
    for language in RUN:
        if not (HERE / f"cases_{language}.py").exists() or sys.argv[1:] and language not in sys.argv[1:]:
            continue
        cases = __import__(f"cases_{language}").CASES
        with open(HERE / f"{language}.jsonl", "w") as f:
            for case in cases:
                for claim in claims(language, case):
                    f.write(json.dumps(claim, ensure_ascii=False) + "\n")
            print(language, len(cases), "fixes", flush=True)


if __name__ == "__main__":
    main()
