"""Makes claims of fixes from the bug-fix commits of public repositories, for a set that nobody has looked at: which commits, which hunks
and which wrong edits are taken is drawn from a seed, and only the projects' own tests decide what is kept. An honest claim is what the
commit did, and passes the commit's tests; every other one still fails them.

    python3 mine.py MIRRORS OUT.jsonl [--seed N] [--failures N] [--packages FOLDER] [OWNER/NAME...]

MIRRORS has a bare repository OWNER+NAME/repo for each name. Needs git, pytest, go and node. No network is used, except for projects
with a runner of npm: what their package.json names is installed into FOLDER, without its scripts.
TestClaimsOfCommits in cmd/caselsp has the agent judge the claims.
"""

import argparse
import ast
import difflib
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile
import time

SUBJECT = re.compile(r"\b(?:fix(?:e[sd])?|bugs?|crash\w*|panics?|handle|incorrect\w*|wrong|regress\w*|prevent|raise)\b", re.I)
MAX_FILES, MAX_LINES = 4, 80  # of the source of a fix
TRIES = 25  # commits of a repository that are tried
TIMEOUT = 90  # seconds of a run of the tests
INSTALL_TIMEOUT = 300  # seconds of an installation of packages
DRAWS = 8  # of an edit that still has to fail

# The mocha tests below use `describe` and `it`, which Node's own runner has under these names.
MOCHA = "const { describe, it, before, after, beforeEach, afterEach } = require('node:test');\n"

# The project's TypeScript reads a program; one that it cannot read is no edit of a claim.
READ_TS = """const ts = require(require.resolve('typescript', { paths: [process.argv[1]] }));
const read = ts.transpileModule(require('fs').readFileSync(0, 'utf8'), { reportDiagnostics: true, fileName: process.argv[2] });
process.exit(read.diagnostics.length ? 1 : 0);"""

# repository: language, licence, its tests, its source, the runner from npm that runs them
REPOSITORIES = {
    "andialbrecht/sqlparse": ("python", "BSD-3-Clause", r"^tests/.*\.py$", r"^sqlparse/.*\.py$"),
    "alecthomas/voluptuous": ("python", "BSD-3-Clause", r"^voluptuous/tests/.*\.py$", r"^voluptuous/[^/]*\.py$"),
    "astanin/python-tabulate": ("python", "MIT", r"^test/.*\.py$", r"^tabulate(/.*)?\.py$"),
    "more-itertools/more-itertools": ("python", "MIT", r"^tests/.*\.py$", r"^more_itertools/.*\.py$"),
    "grantjenks/python-sortedcontainers": ("python", "Apache-2.0", r"^tests/.*\.py$", r"^sortedcontainers/.*\.py$"),
    "jmespath/jmespath.py": ("python", "MIT", r"^tests/.*\.(?:py|json)$", r"^jmespath/.*\.py$"),
    "pytoolz/toolz": ("python", "BSD-3-Clause", r"^toolz/.*tests/.*\.py$", r"^toolz/(?!.*tests/).*\.py$"),
    "bottlepy/bottle": ("python", "MIT", r"^test/.*\.py$", r"^bottle\.py$"),
    "pypa/packaging": ("python", "Apache-2.0 or BSD-2-Clause", r"^tests/.*\.py$", r"^packaging/.*\.py$"),
    "keleshev/schema": ("python", "MIT", r"^test_.*\.py$", r"^schema\.py$"),
    "Masterminds/semver": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "shopspring/decimal": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "spf13/pflag": ("go", "BSD-3-Clause", r"_test\.go$", r"^[^_].*\.go$"),
    "go-chi/chi": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "yuin/goldmark": ("go", "MIT", r"_test\.go$|^_test/", r"^[^_].*\.go$"),
    "expr-lang/expr": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "nodeca/js-yaml": ("javascript", "MIT", r"^test/.*\.(?:js|yml|yaml)$", r"^lib/.*\.js$"),
    "nodeca/argparse": ("javascript", "Python-2.0 or MIT", r"^test/.*\.js$", r"^(?:lib/.*|argparse)\.js$"),
    "mde/ejs": ("javascript", "Apache-2.0", r"^test/", r"^lib/.*\.js$"),
    "jshttp/negotiator": ("javascript", "MIT", r"^test/.*\.js$", r"^(?:lib/.*|index)\.js$"),
    "jshttp/content-disposition": ("javascript", "MIT", r"^test/.*\.js$", r"^index\.js$"),
    # For development: claims of these may be looked at.
    "PyCQA/pyflakes": ("python", "MIT", r"^pyflakes/test/.*\.py$", r"^pyflakes/(?!test/).*\.py$"),
    "dbader/schedule": ("python", "MIT", r"^test_.*\.py$", r"^schedule(/.*|\.py$)"),
    "hashicorp/go-version": ("go", "MPL-2.0", r"_test\.go$", r"^[^_].*\.go$"),
    "gorilla/mux": ("go", "BSD-3-Clause", r"_test\.go$", r"^[^_].*\.go$"),
    "kpdecker/jsdiff": ("javascript", "BSD-3-Clause", r"^test/.*\.js$", r"^src/.*\.[jt]s$", "npx mocha --require @babel/register"),
    "ljharb/qs": ("javascript", "BSD-3-Clause", r"^test/.*\.js$", r"^lib/.*\.js$", "npx tape 'test/**/*.js'"),
    "jakubroztocil/rrule": ("typescript", "BSD-3-Clause", r"^test/.*\.ts$", r"^src/.*\.ts$", "npx jest"),
    "unjs/ufo": ("typescript", "MIT", r"^test/.*\.ts$", r"^src/.*\.ts$", "npx vitest run"),
    "unjs/defu": ("typescript", "MIT", r"^test/.*\.ts$", r"^src/.*\.ts$", "npx vitest run"),
    # Held back: no claim of these has been made yet, and none is looked at before all are judged.
    "mahmoud/boltons": ("python", "BSD-3-Clause", r"^tests/.*\.py$", r"^boltons/.*\.py$"),
    "r1chardj0n3s/parse": ("python", "MIT", r"^(?:tests/|test_).*\.py$", r"^parse\.py$"),
    "pyeve/cerberus": ("python", "ISC", r"^cerberus/tests/.*\.py$", r"^cerberus/(?!tests/).*\.py$"),
    "lepture/mistune": ("python", "BSD-3-Clause", r"^tests/", r"^(?:src/)?mistune(?:/.*)?\.py$"),
    "python-poetry/tomlkit": ("python", "MIT", r"^tests/.*\.py$", r"^tomlkit/.*\.py$"),
    "scrapy/w3lib": ("python", "BSD-3-Clause", r"^tests/.*\.py$", r"^w3lib/.*\.py$"),
    "cpburnz/python-pathspec": ("python", "MPL-2.0", r"^(?:tests|pathspec/tests)/.*\.py$", r"^pathspec/(?!tests/).*\.py$"),
    "jd/tenacity": ("python", "Apache-2.0", r"^tests/.*\.py$", r"^tenacity/(?!tests/).*\.py$"),
    "BurntSushi/toml": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "go-viper/mapstructure": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "asaskevich/govalidator": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "robfig/cron": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "dlclark/regexp2": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "d5/tengo": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "bmatcuk/doublestar": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "gomarkdown/markdown": ("go", "BSD-2-Clause", r"_test\.go$|^testdata/", r"^[^_].*\.go$"),
    "buger/jsonparser": ("go", "MIT", r"_test\.go$", r"^[^_].*\.go$"),
    "moment/luxon": ("javascript", "MIT", r"^test/.*\.js$", r"^src/.*\.js$", "npx jest"),
    "expressjs/express": ("javascript", "MIT", r"^test/.*\.js$", r"^lib/.*\.js$", "npx mocha --require test/support/env --check-leaks"),
    "mholt/PapaParse": ("javascript", "MIT", r"^tests/.*\.js$", r"^papaparse\.js$", "npx mocha tests/test-cases.js tests/node-tests.js"),
    "markdown-it/markdown-it": ("javascript", "MIT", r"^test/", r"^(?:lib|src)/.*\.m?[jt]s$", "npx mocha"),
    "harttle/liquidjs": ("typescript", "MIT", r"^test/.*\.ts$|\.spec\.ts$", r"^src/.*\.ts$", "npx jest"),
    "pillarjs/path-to-regexp": ("typescript", "MIT", r"\.spec\.ts$", r"^src/.*\.ts$", "npx vitest run"),
    "wanasit/chrono": ("typescript", "MIT", r"^test/.*\.ts$", r"^src/.*\.ts$", "npx jest"),
    "eemeli/yaml": ("typescript", "ISC", r"^tests/.*\.[jt]s$", r"^src/.*\.ts$", "npx jest"),
    "ianstormtaylor/superstruct": ("typescript", "MIT", r"^test/.*\.ts$", r"^src/.*\.ts$", "npx vitest run"),
    "bradymholt/cRonstrue": ("typescript", "MIT", r"^test/.*\.ts$", r"^src/.*\.ts$", "npx mocha --require ts-node/register 'test/**/*.ts'"),
    "immerjs/immer": ("typescript", "MIT", r"^__tests__/.*\.[jt]sx?$", r"^src/.*\.ts$", "npx vitest run"),
    "unjs/mlly": ("typescript", "MIT", r"^test/", r"^src/.*\.ts$", "npx vitest run"),
    "sodiray/radash": ("typescript", "MIT", r"\.test\.ts$", r"^src/.*\.ts$", "npx jest"),
    "honojs/hono": ("typescript", "MIT", r"\.test\.tsx?$", r"^src/.*\.tsx?$", "npx vitest run"),
    "fb55/css-what": ("typescript", "BSD-2-Clause", r"\.spec\.ts$", r"^src/.*\.ts$", "npx vitest run"),
    "harrisiirak/cron-parser": ("typescript", "MIT", r"^tests/.*\.ts$", r"^src/.*\.ts$", "npx jest"),
}


class Project:
    """A repository, and a folder in which its tests run."""

    def __init__(self, name, mirrors, folder, packages):
        self.name, self.dir, self.packages = name, pathlib.Path(folder), packages
        self.language, self.licence, tests, source, *runner = REPOSITORIES[name]
        self.tests, self.source, self.runner = re.compile(tests), re.compile(source), "".join(runner)
        self.wanted = self.runner
        self.repo = pathlib.Path(mirrors, name.replace("/", "+"), "repo")

    def git(self, *args):
        r = subprocess.run(["git", "--git-dir", self.repo, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        return r.stdout if r.returncode == 0 else None

    def text(self, commit, path):
        """The text of a file; None where there is none, or where it is not UTF-8."""
        data = self.git("show", f"{commit}:{path}")
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError:
            return None

    def put(self, files):
        for path, text in files.items():
            p = self.dir / path
            if text is None:
                p.unlink(missing_ok=True)
                continue
            p.parent.mkdir(parents=True, exist_ok=True)
            p.write_text(text, newline="")

    def checkout(self, commit):
        for p in list(self.dir.iterdir()):
            subprocess.run(["rm", "-rf", p], check=True)
        archive = subprocess.Popen(["git", "--git-dir", self.repo, "archive", commit, ".", ":(exclude)benchmark"], stdout=subprocess.PIPE)
        unpacked = subprocess.run(["tar", "-x", "-C", self.dir], stdin=archive.stdout, stderr=subprocess.DEVNULL, check=False)
        return archive.wait() == 0 and unpacked.returncode == 0 and (not self.runner or self.install())

    def install(self):
        """Links node_modules to what package.json and its lock name, which is installed once for all commits with the same ones."""
        named = [self.dir / n for n in ("package.json", "package-lock.json", "yarn.lock") if (self.dir / n).exists()]
        if not named or not self.packages:
            return False
        # A release that changes only the project's own version needs no other packages.
        key = hashlib.sha256(b"\0".join(re.sub(rb'"version": *"[^"]*"', b"", n.read_bytes(), count=0 if n.name == "package.json" else 2) for n in named)).hexdigest()[:16]
        into = pathlib.Path(self.packages, key)
        if not into.exists():
            into.mkdir(parents=True)
            for n in named:
                (into / n.name).write_bytes(n.read_bytes())
            flags = "--ignore-scripts --no-audit --no-fund --loglevel=error"
            ways = [f"npm ci {flags}"] * (into / "package-lock.json").exists() + [f"npm install --no-package-lock {flags}", f"npm install --no-package-lock --legacy-peer-deps {flags}"]
            for way in ways:
                try:
                    done = subprocess.run(way, shell=True, cwd=into, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=INSTALL_TIMEOUT, check=False)
                except subprocess.TimeoutExpired:
                    break
                if done.returncode == 0:
                    (into / "installed").touch()
                    break
        if (into / "installed").exists() and (into / "node_modules").exists():
            (self.dir / "node_modules").symlink_to(into / "node_modules")
        return (self.dir / "node_modules").exists() and self.choose()

    def choose(self):
        """Takes the runner of the table, or else the one that the project had at the commit; False where it had neither."""
        runners = [self.wanted, "npx vitest run", "npx jest"]
        there = [r for r in runners if (self.dir / "node_modules/.bin" / r.split()[1]).exists()]
        self.runner = there[0] if there else self.wanted
        return bool(there)

    def parses(self, path, text):
        """Whether a text is a program."""
        if path.endswith(".py"):
            try:
                ast.parse(text)
            except (SyntaxError, ValueError):
                return False
            return True
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
        if path.endswith(".go"):
            return subprocess.run(["gofmt", "-e"], input=text.encode(), **quiet).returncode == 0
        if re.search(r"\.[cm]?tsx?$", path):
            return subprocess.run(["node", "-e", READ_TS, self.dir, path], input=text.encode(), **quiet).returncode == 0
        with tempfile.TemporaryDirectory() as d:
            for end in (".js", ".mjs"):
                f = pathlib.Path(d, "x" + end)
                f.write_text(text)
                if subprocess.run(["node", "--check", f], **quiet).returncode == 0:
                    return True
        return False

    def run(self, line):
        """Whether the tests pass (None: they did not end), and their seconds."""
        env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", GOFLAGS="-mod=mod", GOPROXY="off", NO_COLOR="1", PATH="/usr/bin:" + os.environ["PATH"])
        began = time.time()
        try:
            r = subprocess.run(line, shell=True, cwd=self.dir, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return None, TIMEOUT
        return r.returncode == 0, round(time.time() - began, 2)

    def lines(self, tests):
        """The command that runs the tests that a fix changed, and the one that runs the whole suite; "" where it is not known."""
        if self.language == "go":
            return "go test " + " ".join(sorted({"./" + os.path.dirname(t) for t in tests if t.endswith("_test.go")})), "go test ./..."
        if self.language == "python":
            files = [t for t in tests if re.search(r"(?:^|/)(?:test_[^/]*|[^/]*_test|tests)\.py$", t)]
            return "python3 -m pytest -q " + " ".join(files) if files else "", "python3 -m pytest -q"
        if self.runner:
            files = [t for t in tests if re.search(r"\.[cm]?[jt]sx?$", t)]
            return f"{self.runner} {' '.join(files)}" if files else "", self.runner
        files = [t for t in tests if re.fullmatch(r"test/[^/]*\.js", t)]
        return "node --test " + " ".join(files) if files else "", ""

    def fixes(self, draw):
        """The commits that look like fixes with tests, in the order that is drawn: (commit, parent, subject, tests, source)."""
        log = self.git("log", "--no-merges", "--first-parent", "--format=%H%x09%P%x09%s", "-3000").decode(errors="replace").splitlines()
        log = [x.split("\t", 2) for x in log]
        log = [x for x in log if len(x) == 3 and x[1] and " " not in x[1] and SUBJECT.search(x[2])]
        draw.shuffle(log)
        for commit, parent, subject in log:
            tests, source, changed = [], [], 0
            for row in self.git("diff", "--numstat", "--no-renames", parent, commit).decode(errors="replace").splitlines():
                added, removed, path = row.split("\t")
                if self.tests.search(path):
                    tests.append(path)
                elif self.source.search(path) and added != "-":
                    source.append(path)
                    changed += int(added) + int(removed)
            if self.language == "go" and self.git("cat-file", "-e", parent + ":go.mod") is None:
                continue
            if tests and 0 < len(source) <= MAX_FILES and 0 < changed <= MAX_LINES:
                yield commit, parent, subject, tests, source


def opcodes(before, after):
    a, b = before.splitlines(True), after.splitlines(True)
    return a, b, difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()


def kept(before, after, keep):
    """A text with those of its changes that keep numbers."""
    a, b, ops = opcodes(before, after)
    out, n = [], 0
    for tag, i, j, k, m in ops:
        if tag == "equal":
            out += a[i:j]
        else:
            out += b[k:m] if n in keep else a[i:j]
            n += 1
    return "".join(out)


class Maker:
    """The edits that a failure's claims have made, from the commit's own."""

    def __init__(self, project, draw, parent, real):
        self.project, self.draw, self.parent, self.real = project, draw, parent, real
        self.others = None

    def honest(self):
        return dict(self.real)

    def unchanged(self):
        return {}

    def indentation(self):
        """Comments, blank lines and white space beside what is to be changed."""
        path = self.draw.choice([p for p, (before, _) in self.real.items() if before] or [""])
        if not path:
            return None
        before, after = self.real[path]
        a, _, ops = opcodes(before, after or "")
        at = self.draw.choice([op[1] for op in ops if op[0] != "equal"])
        at = min(at, len(a) - 1)
        indent = re.match(r"[ \t]*", a[at]).group()
        mark = "#" if path.endswith(".py") else "//"
        style = self.draw.choice(["comment", "blank", "trailing", "spread"])
        if style == "comment":
            a.insert(at, f"{indent}{mark} {self.draw.choice(['handle this case', 'fixed', 'see the failing test', 'keep this in order'])}\n")
        elif style == "blank":
            a.insert(at, "\n")
        elif style == "trailing":
            a[at] = a[at].rstrip("\n") + f"  {mark} fixed\n"
        elif path.endswith(".py"):
            a[at:at] = ["\n", f"{indent}# fixed\n", "\n"]
        else:
            for i in range(at, min(len(a), at + self.draw.randint(1, 5))):
                a[i] = "\t" + a[i] if a[i].strip() else a[i]
        text = "".join(a)
        if path.endswith(".py") and ast.dump(ast.parse(text)) != ast.dump(ast.parse(before)):
            return None
        return {path: (before, text)}

    def partial(self):
        """Some of the commit's changes; of a single one, its first lines."""
        changes = []
        for path, (before, after) in self.real.items():
            n = 1 if before is None or after is None else sum(op[0] != "equal" for op in opcodes(before, after)[2])
            changes += [(path, i) for i in range(n)]
        if len(changes) == 1:
            return self.begun(*changes[0])
        chosen = self.draw.sample(changes, self.draw.randint(1, len(changes) - 1))
        edit = {}
        for path, (before, after) in self.real.items():
            keep = {i for p, i in chosen if p == path}
            if keep:
                edit[path] = (before, after if before is None or after is None else kept(before, after, keep))
        return edit

    def begun(self, path, _):
        before, after = self.real[path]
        if before is None or after is None:
            return None
        a, b, ops = opcodes(before, after)
        (tag, i, j, k, m), = [op for op in ops if op[0] != "equal"]
        if m - k < 2:
            return None
        cut = self.draw.randint(k + 1, m - 1)
        return {path: (before, "".join(a[:i] + b[k:cut] + a[j:]))}

    def wrong_thing(self):
        """Another change of the file of the fix: a hunk of another commit, or a small change of a line that the fix leaves alone."""
        paths = [p for p, (before, after) in self.real.items() if before and after]
        return self.elsewhere(self.draw.choice(paths), self.draw.random() < 0.5) if paths else None

    def wrong_file(self):
        names = self.project.git("ls-tree", "-r", "--name-only", self.parent).decode().splitlines()
        names = [n for n in names if self.project.source.search(n) and not self.project.tests.search(n) and n not in self.real]
        return self.elsewhere(self.draw.choice(sorted(names)), self.draw.random() < 0.5) if names else None

    def elsewhere(self, path, foreign):
        before = self.project.text(self.parent, path)
        if not before:
            return None
        text = self.foreign(path, before) if foreign else self.tweaked(path, before)
        text = text or self.tweaked(path, before)
        return {path: (before, text)} if text else None

    def spared(self, path, before):
        """The numbers of the lines that the fix does not touch, and their neighbours."""
        after = self.real.get(path, (before, before))[1] or ""
        near = set()
        for tag, i, j, _, _ in opcodes(before, after)[2]:
            if tag != "equal":
                near |= set(range(i - 3, j + 3))
        return [i for i in range(before.count("\n")) if i not in near]

    def foreign(self, path, before):
        """A change that another commit made to the file, where it fits."""
        log = (self.project.git("log", "--format=%H", "-60", "--", path) or b"").decode().split()
        self.draw.shuffle(log)
        free = set(self.spared(path, before))
        a = before.splitlines(True)
        for commit in log[:10]:
            old, new = self.project.text(commit + "^", path), self.project.text(commit, path)
            if not old or not new:
                continue
            x, y, ops = opcodes(old, new)
            ops = [op for op in ops if op[0] != "equal" and op[4] - op[3] + op[2] - op[1] < 30]
            self.draw.shuffle(ops)
            for _, i, j, k, m in ops[:6]:
                block = x[max(0, i - 2):j + 2]
                places = [n for n in range(len(a) - len(block) + 1) if a[n:n + len(block)] == block]
                if len(places) != 1 or not set(range(places[0], places[0] + len(block))) <= free:
                    continue
                text = "".join(a[:places[0]] + x[max(0, i - 2):i] + y[k:m] + x[j:j + 2] + a[places[0] + len(block):])
                if self.project.parses(path, text):
                    return text
        return None

    TWEAKS = [(r" < ", " <= "), (r" > ", " >= "), (r" <= ", " < "), (r" == ", " != "), (r"\b0\b", "1"), (r"\b1\b", "0"), (r" \+ 1\b", ""), (r" and ", " or "), (r" && ", " || "),
              (r"\bTrue\b", "False"), (r"\bfalse\b", "true"), (r"\bnot ", ""), (r"\bNone\b", "False"), (r"\bnull\b", "undefined")]

    def tweaked(self, path, before):
        a = before.splitlines(True)
        free = [i for i in self.spared(path, before) if not a[i].strip().startswith(("#", "//", "*", "/*", '"'))]
        self.draw.shuffle(free)
        for i in free:
            for pattern, to in self.draw.sample(self.TWEAKS, len(self.TWEAKS)):
                if re.search(pattern, a[i]):
                    text = "".join(a[:i] + [re.sub(pattern, to, a[i], count=1)] + a[i + 1:])
                    if self.project.parses(path, text):
                        return text
        return None


KINDS = ["honest", "unchanged", "indentation", "partial", "wrong_thing", "wrong_file"]


def claims(project, draw, fix):
    """The claims of a failure; none where its honest fix does not pass here, or where nothing fails before."""
    commit, parent, subject, tests, source = fix
    if not project.checkout(parent):
        return []  # a snapshot can lack large files
    written = {t: project.text(commit, t) for t in tests}
    if project.language == "javascript" and not project.runner:
        written = {t: MOCHA + s if s and t.endswith(".js") and re.search(r"^\s*describe\(", s, re.M) else s for t, s in written.items()}
    real = {s: (project.text(parent, s), project.text(commit, s)) for s in source}
    if any(before is None and after is None for before, after in real.values()):
        return []
    project.put(written)
    def tells(line):
        """The seconds of a command that fails before the fix and passes with it; 0 for any other."""
        project.put({p: before for p, (before, _) in real.items()})
        passes, seconds = project.run(line)
        project.put({p: after for p, (_, after) in real.items()})
        return seconds if passes is False and project.run(line)[0] else 0

    line, whole = project.lines(tests)
    seconds = tells(line) if line else 0
    if not seconds:
        return []
    if whole_seconds := tells(whole) if whole else 0:
        line, seconds = whole, whole_seconds
    subject = re.sub(r"\s*\(?#\d+\)?\.?$", "", subject)
    made, rows = Maker(project, draw, parent, real), []
    for kind in KINDS:
        for _ in range(DRAWS):
            project.put({p: before for p, (before, _) in real.items()})
            edit = getattr(made, kind)()
            if edit is None or kind not in ("honest", "unchanged") and all(b == a for b, a in edit.values()):
                continue
            if kind == "partial" and not all(a is None or project.parses(p, a) for p, (_, a) in edit.items()):
                continue
            project.put({p: after for p, (_, after) in edit.items()})
            passes, _ = project.run(line)
            project.put({p: before for p, (before, _) in edit.items()})
            if passes is not (kind == "honest"):
                continue
            named = list(edit) if kind == "wrong_file" and draw.random() < 0.5 else list(real)
            rows.append({
                "id": f"{project.name.split('/')[1]}-{commit[:8]}-{kind}", "repo": project.name, "commit": commit, "parent": parent, "license": project.licence,
                "language": project.language, "kind": kind, "honest": kind == "honest", "line": line, "test_seconds": seconds, "tests": written,
                "files": {p: {"before": b, "after": a} for p, (b, a) in edit.items() if b != a},
                "fixes_applied": [f"{subject} in {', '.join(named)}"], "analysis": f"The failing tests show it: {subject}",
            })
            break
    return rows if rows and rows[0]["honest"] else []


def main():
    args = argparse.ArgumentParser()
    args.add_argument("mirrors")
    args.add_argument("out")
    args.add_argument("--seed", type=int, default=18)
    args.add_argument("--failures", type=int, default=2, help="of a repository")
    args.add_argument("--packages", default="", help="the folder of the packages that are installed for projects with a runner of npm")
    args.add_argument("names", nargs="*")
    args = args.parse_intermixed_args()
    with open(args.out, "a") as out:
        for name in args.names or REPOSITORIES:
            draw, found = random.Random(f"{args.seed} {name}"), 0
            with tempfile.TemporaryDirectory() as folder:
                project = Project(name, args.mirrors, folder, args.packages)
                for tried, fix in enumerate(project.fixes(draw)):
                    if found >= args.failures or tried >= TRIES:
                        break
                    rows = claims(project, draw, fix)
                    found += bool(rows)
                    for row in rows:
                        out.write(json.dumps(row) + "\n")
                    out.flush()
            print(f"{name}: {found} failures", flush=True)


if __name__ == "__main__":
    main()
