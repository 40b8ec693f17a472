package secret

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Kind is a kind of files in which people and programs keep secrets.
type Kind struct {
	Name   string // as the documentation calls it
	Hidden bool   // read, searched and copied only with the user's leave
	Form   Form
}

// Form is how values stand in a file, beside NAME=value, JSON and XML.
type Form string

// The forms of files.txt.
const (
	Plain  Form = "-"      // in no other way
	Colon  Form = "colon"  // the last of several fields between colons
	Words  Form = "words"  // after a name and blanks
	Lines  Form = "line"   // each line is a value
	Binary Form = "binary" // not as text
)

//go:embed files.txt
var fileTable string

// filePattern is a name with * in it.
type filePattern struct {
	begin, end string
	middle     []string // the parts between two *
	stars      int
	path       bool // about the end of a path, not about the name alone
	kind       *Kind
}

// fileKinds is files.txt, read.
type fileKinds struct {
	kinds    []*Kind
	exact    map[string]*Kind // names without *
	folders  []filePattern    // begin is the path of a folder, with its slashes
	patterns []filePattern
	byEnd    [256][]int // patterns by the last byte of their end; in byEnd[0] those without one
	byBegin  [256][]int // of those: by the first byte of their beginning, where that is in the name
}

var kinds = sync.OnceValue(func() *fileKinds {
	t := &fileKinds{exact: map[string]*Kind{}}
	for line := range strings.Lines(fileTable) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		k := &Kind{Name: f[0], Hidden: f[1] == "hide", Form: Form(f[2])}
		t.kinds = append(t.kinds, k)
		for name := range strings.FieldsSeq(f[3]) {
			t.add(name, k)
		}
	}
	return t
})

func (t *fileKinds) add(name string, k *Kind) {
	if folder, ok := strings.CutSuffix(name, "/"); ok {
		t.folders = append(t.folders, filePattern{begin: "/" + folder + "/", kind: k})
		return
	}
	parts := strings.Split(name, "*")
	if len(parts) == 1 && !strings.Contains(name, "/") {
		if t.exact[name] == nil {
			t.exact[name] = k
		}
		return
	}
	p := filePattern{begin: parts[0], end: parts[len(parts)-1], stars: len(parts) - 1, path: strings.Contains(name, "/"), kind: k}
	if len(parts) > 2 {
		p.middle = parts[1 : len(parts)-1]
	}
	n := len(t.patterns)
	t.patterns = append(t.patterns, p)
	switch {
	case p.stars == 0: // all of it is its beginning
		c := p.begin[len(p.begin)-1]
		t.byEnd[c] = append(t.byEnd[c], n)
	case p.end != "":
		c := p.end[len(p.end)-1]
		t.byEnd[c] = append(t.byEnd[c], n)
	case p.begin != "" && !p.path:
		t.byBegin[p.begin[0]] = append(t.byBegin[p.begin[0]], n)
	default:
		t.byEnd[0] = append(t.byEnd[0], n)
	}
}

// find returns the kind of the first pattern of a file; one of files that are hidden comes
// before others.
func (t *fileKinds) find(name, full string) *Kind {
	hidden, other := len(t.patterns), len(t.patterns)
	for _, list := range [][]int{t.byEnd[full[len(full)-1]], t.byBegin[full[len(full)-len(name)]], t.byEnd[0]} {
		for _, i := range list {
			p := &t.patterns[i]
			first := &other
			if p.kind.Hidden {
				first = &hidden
			}
			if i < *first && p.match(name, full) {
				*first = i
			}
		}
	}
	if hidden < len(t.patterns) {
		return t.patterns[hidden].kind
	}
	if other < len(t.patterns) {
		return t.patterns[other].kind
	}
	return nil
}

// match reports whether a name, or the path of a file after a slash, is of a pattern.
func (p *filePattern) match(name, full string) bool {
	switch {
	case p.path && p.stars == 0:
		return strings.HasSuffix(full, "/"+p.begin)
	case p.path:
		i := strings.LastIndex(full, "/"+p.begin)
		return i >= 0 && strings.HasSuffix(full, p.end) && !strings.Contains(full[i+1+len(p.begin):], "/")
	case len(name) < len(p.begin)+len(p.end) || !strings.HasPrefix(name, p.begin) || !strings.HasSuffix(name, p.end):
		return false
	}
	name = name[len(p.begin) : len(name)-len(p.end)]
	for _, part := range p.middle {
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return true
}

// KindOf returns the kind of the file at a path with slashes; nil: it is of none.
// Samples, public keys, certificates and source code are of none, unless the table
// names them exactly. What is called like an environment file in a way that the table
// does not know is one.
func KindOf(file string) *Kind {
	judgedMu.RLock()
	k, ok := judged[file]
	judgedMu.RUnlock()
	if ok {
		return k
	}
	k = kindOf(file)
	judgedMu.Lock()
	defer judgedMu.Unlock()
	if len(judged) >= maxJudged {
		clear(judged)
	}
	judged[strings.Clone(file)] = k
	return k
}

// judged are the kinds of paths that were asked for: each search and each list asks for those of all files of a
// workspace again.
var (
	judgedMu sync.RWMutex
	judged   = map[string]*Kind{}
)

// maxJudged bounds judged: it is more than the files of the largest workspace, of which it takes some 15 MB.
const maxJudged = 120_000

// kindOf is KindOf for a path that was not asked for yet.
func kindOf(file string) *Kind {
	full := "/" + strings.ToLower(strings.ReplaceAll(file, `\`, "/"))
	name := path.Base(full)
	t := kinds()
	if k := t.exact[name]; k != nil {
		return k
	}
	for _, f := range t.folders {
		if strings.Contains(full, f.begin) && !public(name) {
			return f.kind
		}
	}
	found := t.find(name, full)
	if found == nil || !found.Hidden {
		if aboutEnvironment(name) {
			found = t.kinds[0]
		}
	}
	if found == nil || found.Hidden && (public(name) || coded(name)) || !found.Hidden && forTests(file) || sampled(name) {
		return nil
	}
	return found
}

// MayTell reports whether what is in a file may show that it is one of secrets: source
// code, documents, samples and tests have values of their own.
func MayTell(file string) bool {
	name := strings.ToLower(path.Base(file))
	return !codeEndings[path.Ext(name)] && !sampled(name) && !forTests(file)
}

// forTests reports whether a path is that of a test, a fixture, an example or
// documentation.
func forTests(file string) bool {
	for part := range strings.SplitSeq(strings.ToLower(file), "/") {
		for _, w := range wordsOf(part) {
			switch w {
			case "test", "tests", "testing", "testdata", "spec", "specs", "fixture", "fixtures", "mock", "mocks", "example", "examples", "sample", "samples", "docs", "doc", "demo", "demos":
				return true
			}
		}
	}
	return false
}

// Hidden reports whether a path, by its name, is a file that is read only with the
// user's leave.
func Hidden(file string) bool {
	k := KindOf(file)
	return k != nil && k.Hidden
}

// wordsOf are the words of a file's name.
func wordsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
}

// sampled reports whether a name says that its values are not real.
func sampled(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(w string) bool {
		switch w {
		case "example", "examples", "sample", "samples", "template", "templates", "tmpl", "tpl", "dist", "skel", "skeleton", "stub", "schema", "spec":
			return true
		}
		return false
	})
}

// public reports whether a name is that of a public key or a certificate.
func public(name string) bool {
	return strings.HasSuffix(name, ".pub") || (strings.HasSuffix(name, ".pem") || strings.HasSuffix(name, ".key")) && slices.ContainsFunc(wordsOf(name), func(w string) bool {
		switch w {
		case "pub", "public", "cert", "certs", "certificate", "chain", "fullchain", "ca", "cacert", "bundle", "root", "dhparam", "dhparams", "csr":
			return !strings.Contains(name, "priv")
		}
		return false
	})
}

// codeEndings are the endings of programs and documents.
var codeEndings = func() map[string]bool {
	in := map[string]bool{}
	for e := range strings.FieldsSeq(`.py .pyi .go .js .mjs .cjs .jsx .ts .mts .cts .tsx .rs .java .kt .kts .scala .rb .php .cs .vb .fs .swift .m .mm .c .h .cc .cpp .hpp .zig .lua .pl .pm .r .jl .dart
		.ex .exs .erl .hs .ml .elm .clj .vue .svelte .astro .md .mdx .rst .adoc .html .htm .css .scss .less .svg .png .jpg .jpeg .gif .webp .pdf .proto .graphql .ipynb .tf .gradle .cmake .lock .map .snap .j2 .erb .el .vim`) {
		in[e] = true
	}
	return in
}()

// coded reports whether a file of a hidden kind is a program or a document by its
// ending, which the kind's patterns catch by accident. WordPress is configured by one.
func coded(name string) bool {
	return codeEndings[path.Ext(name)] && !strings.HasPrefix(name, "wp-config") && !strings.HasPrefix(name, ".")
}

// aboutEnvironment reports whether a name has env as a word of its own: prod-env,
// env.production, my.env.bak. The name env alone is a folder or a program, and what has
// blanks in it is a command.
func aboutEnvironment(name string) bool {
	if codeEndings[path.Ext(name)] || name == "env" || strings.Contains(name, " ") {
		return false
	}
	return slices.ContainsFunc(wordsOf(name), func(w string) bool {
		return w == "env" || w == "envs" || w == "dotenv" || w == "envrc" || w == "envvars" || w == "envfile"
	})
}
