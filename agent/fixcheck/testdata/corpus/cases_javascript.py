"""Fixes of JavaScript code: the files before, the edits of the fix, and edits that are claimed to be it."""

HEAD = "const test = require('node:test');\nconst assert = require('node:assert');\n"

CASES = [
    dict(
        name="reference", files={"path.js": "function join(a, b) {\n  return a + SEPARATOR + b;\n}\n\nfunction base(p) {\n  return p.split('/').pop();\n}\n\nmodule.exports = { join, base };\n", "other.js": "function id(x) {\n  return x;\n}\n\nmodule.exports = { id };\n"},
        test={"path.test.js": HEAD + "const { join } = require('./path');\n\ntest('join', () => {\n  assert.strictEqual(join('a', 'b'), 'a/b');\n});\n"},
        fix={"path.js": [("function join", "const SEPARATOR = '/';\n\nfunction join")]},
        wrong_thing={"path.js": [("p.split('/').pop()", "p.split('/').at(-1)")]},
        wrong_file={"other.js": [("return x;", "return x ?? null;")]},
        fixes=["Defined the constant `SEPARATOR` in path.js"], analysis="join used SEPARATOR, which was not declared anywhere.",
    ),
    dict(
        name="not-a-function", files={"list.js": "function total(items) {\n  return items.reduceAll((a, b) => a + b, 0);\n}\n\nfunction longest(items) {\n  return Math.max(...items);\n}\n\nmodule.exports = { total, longest };\n", "mail.js": "function mail(to) {\n  return 'to ' + to;\n}\n\nmodule.exports = { mail };\n"},
        test={"list.test.js": HEAD + "const { total } = require('./list');\n\ntest('total', () => {\n  assert.strictEqual(total([1, 2]), 3);\n});\n"},
        fix={"list.js": [("reduceAll", "reduce")]},
        wrong_thing={"list.js": [("Math.max(...items)", "Math.max(0, ...items)")]},
        wrong_file={"mail.js": [("'to ' + to", "`to ${to}`")]},
        fixes=["`total` calls reduce instead of reduceAll"], analysis="Arrays have no method reduceAll, so total threw a TypeError.",
    ),
    dict(
        name="undefined-property", files={"user.js": "function city(user) {\n  return user.address.city;\n}\n\nfunction name(user) {\n  return user.name;\n}\n\nmodule.exports = { city, name };\n"},
        test={"user.test.js": HEAD + "const { city } = require('./user');\n\ntest('no address', () => {\n  assert.strictEqual(city({}), undefined);\n});\n"},
        fix={"user.js": [("user.address.city", "user.address?.city")]},
        wrong_thing={"user.js": [("return user.name;", "return user.name || '';")]},
        fixes=["Used optional chaining for the address in `city`"], analysis="user.address is undefined for users without one.",
    ),
    dict(
        name="syntax", files={"conf.js": "function read(text) {\n  const out = {};\n  for (const line of text.split('\\n') {\n    const [k, v] = line.split('=');\n    out[k] = v;\n  }\n  return out;\n}\n\nmodule.exports = { read, limit: 10 };\n", "util.js": "function pick(a) {\n  return a[0];\n}\n\nmodule.exports = { pick };\n"},
        test={"conf.test.js": HEAD + "const { read } = require('./conf');\n\ntest('read', () => {\n  assert.deepStrictEqual(read('a=1'), { a: '1' });\n});\n"},
        fix={"conf.js": [("split('\\n') {", "split('\\n')) {")]},
        wrong_thing={"conf.js": [("limit: 10", "limit: 20")]},
        wrong_file={"util.js": [("return a[0];", "return a.at(0);")]},
        fixes=["Added the missing parenthesis to the for statement of read() in conf.js"], analysis="conf.js could not be parsed.",
    ),
    dict(
        name="module", files={"main.js": "const { greet } = require('./helpers');\n\nfunction run(n) {\n  return greet(n);\n}\n\nmodule.exports = { run };\n", "words.js": "function greet(n) {\n  return 'hello ' + n;\n}\n\nfunction bye(n) {\n  return 'bye ' + n;\n}\n\nmodule.exports = { greet, bye };\n"},
        test={"main.test.js": HEAD + "const { run } = require('./main');\n\ntest('run', () => {\n  assert.strictEqual(run('x'), 'hello x');\n});\n"},
        fix={"main.js": [("./helpers", "./words")]},
        wrong_thing={"main.js": [("return greet(n);", "return greet(String(n));")]},
        wrong_file={"words.js": [("'bye ' + n", "'good bye ' + n")]},
        fixes=["main.js requires ./words instead of ./helpers"], analysis="There is no file helpers.js: greet is in words.js.",
    ),
    dict(
        name="rejection", files={"load.js": "async function load(get) {\n  const r = await get();\n  if (!r.ok) throw new Error('status ' + r.status);\n  return r.body;\n}\n\nfunction begin(get, done) {\n  load(get).then(done);\n}\n\nfunction stop(timer) {\n  clearTimeout(timer);\n}\n\nmodule.exports = { begin, stop };\n"},
        test={"load.test.js": HEAD + "const { begin } = require('./load');\n\ntest('failure', async () => {\n  const seen = await new Promise((resolve) => begin(async () => ({ ok: false, status: 500 }), resolve));\n  assert.strictEqual(seen, null);\n});\n"},
        fix={"load.js": [("load(get).then(done);", "load(get).then(done, () => done(null));")]},
        wrong_thing={"load.js": [("clearTimeout(timer);", "if (timer) clearTimeout(timer);")]},
        fixes=["`begin` handles the rejection and calls done with null"], analysis="The promise of load was rejected and nothing handled it.",
    ),
    dict(
        name="assertion", files={"slug.js": "const clean = (s) => s.toLowerCase().replace(/[^a-z0-9 ]/g, '');\n\nfunction slug(s) {\n  return clean(s).replace(' ', '-');\n}\n\nfunction title(s) {\n  return s.charAt(0).toUpperCase() + s.slice(1);\n}\n\nmodule.exports = { slug, title };\n", "page.js": "function page(name) {\n  return { name };\n}\n\nmodule.exports = { page };\n"},
        test={"slug.test.js": HEAD + "const { slug } = require('./slug');\n\ntest('slug', () => {\n  assert.strictEqual(slug('A b c'), 'a-b-c');\n});\n"},
        fix={"slug.js": [("replace(' ', '-')", "replaceAll(' ', '-')")]},
        wrong_thing={"slug.js": [("s.slice(1)", "s.slice(1).toLowerCase()")]},
        wrong_file={"page.js": [("return { name };", "return { name: name.trim() };")]},
        fixes=["`slug` replaces all spaces, not only the first"], analysis="replace with a string replaces the first occurrence only.",
    ),
]
