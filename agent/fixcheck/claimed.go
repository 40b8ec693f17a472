package fixcheck

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// Confidences of [ClaimAndChange], both above the threshold: all of a claim that can be judged is about something else, or
// one of its fixes is.
const (
	allElsewhere = 0.85
	oneElsewhere = 0.75
)

// claimAndChange judges that each fix that a claim lists is about what has changed. People name what they fix in
// free words, and the right fix of one place is often in another: a fix is refused only where it names a place of the project
// that is known, and nothing that it names has to do with a change.
func claimAndChange(c Claim) (string, float64) {
	changed := changesOf(c)
	if changed == nil {
		return "", 0
	}
	var elsewhere []string
	judged := 0
	for _, fix := range c.Fixes {
		item := changed.itemOf(fix)
		if item.place == "" {
			continue
		}
		judged++
		if !item.meets {
			elsewhere = append(elsewhere, fmt.Sprintf("%q names %s, but what has changed since the failure is in %s and has nothing to do with it", syntax.Clip(fix), item.place, changed.where()))
		}
	}
	if len(elsewhere) == 0 {
		return "", 0
	}
	confidence := allElsewhere
	if len(elsewhere) < judged {
		confidence = oneElsewhere
	}
	return strings.Join(elsewhere, "; "), confidence
}

// Words of claims.
var (
	// edits begin fixes that say what was done to the text of a place.
	edits = syntax.WordSet("add added adds adding change changed changes changing update updated updates updating rename renamed renames remove removed removes removing delete deleted deletes replace replaced replaces " +
		"import imported imports define defined defines declare declared insert inserted inserts move moved moves rewrite rewrote rewritten modify modified modifies edit edited initialise initialised initialize initialized " +
		"wrap wrapped wraps convert converted converts guard guarded guards implement implemented implements create created creates extend extended adjust adjusted refactor refactored introduce introduced " +
		"swap swapped switch switched set sets drop dropped append appended prepend prepended correct corrected")
	// references begin what a fix is compared with, caused by or meant for: names behind them are no places of it.
	references = syntax.WordSet("so that which because since when whenever where while as like match matches matching same used uses using call called calls calling defined imported expected expects require required requires " +
		"need needed needs per according by before after if unless via consistent similar instead than from causing caused raised raises reported seen failing fails failed broke breaks broken " +
		"through until not without rather whose what how why given per against between now")
	// purposes do so too, up to the place of the fix: added a check for X to Y.
	purposes = syntax.WordSet("with for of")
	// locates stand before the place of a fix.
	locates = syntax.WordSet("to in into")
	// elsewhen are words of what was not done now.
	elsewhen = syntax.WordSet("not stay stays stayed remain remains remained unaffected untouched dropped instead keep keeps already earlier previously previous verified confirmed checked ran rerun reran investigated reviewed unchanged left kept still analysed analyzed debugged documented inspected tested")
	// general are words that code of any kind holds.
	general = syntax.WordSet("test tests data value values error errors file files function functions method methods return returns returned import imports class classes type types name names self this none null true false string strings " +
		"list lists dict object objects code fix fixed fixes call calls check checks with from that when than then into else should would must make made call args kwargs argument arguments parameter parameters result results " +
		"missing wrong correct case handling handle bug issue problem module modules variable variables const func public static void async await raise raises throw throws except catch print assert index item items")
	keywords = syntax.WordSet("self this cls return none null nil undefined true false def class func function import from const let var if else elif for while in of not and or is as with try except catch finally raise throw new async await " +
		"yield pass break continue lambda global nonlocal assert del package type struct interface map chan go defer select switch case default range export extends implements static get set typeof instanceof void int str len " +
		"print string bool float dict list tuple object err error make append")
)

// item is one fix of a claim.
type item struct {
	place string // that it names, of the project; "" where it cannot be judged
	meets bool   // something that it names has to do with a change
}

var (
	named = lazyregexp.New("`([^`\n]+)`" + // quoted
		`|([\w@.-]*/[\w@./-]*\w|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,4}\b)` + // a path, or dotted
		`|([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+)` + // dotted
		`|([A-Za-z_$][\w$]*)\(` + // called
		`|((?:_|[A-Za-z$][A-Za-z0-9$]*_)\w+|[a-z]+[A-Z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*)` + // snake_case, camelCase, CamelCase
		`|"([A-Za-z_$][\w$.]*)"|'([A-Za-z_$][\w$.]*)'` +
		`|([A-Za-z]+(?:-[A-Za-z]+)*)`) // a plain word
	identifier = lazyregexp.New(`[A-Za-z_$][\w$]*`)
	subword    = lazyregexp.New(`[A-Z]?[a-z]+|[A-Z]+`)
)

// plain is the group of named that plain words are.
const plain = 8

// itemOf reads a fix.
func (d *changes) itemOf(fix string) item {
	var it item
	behind, purpose, first, last, before := false, false, "", "", ""
	for _, m := range named.FindAllStringSubmatch(fix, -1) {
		if word := strings.ToLower(m[plain]); word != "" {
			first = cmp.Or(first, word)
			if elsewhen[word] {
				return item{}
			}
			behind = behind || references[word]
			purpose = purpose && !locates[word] || purposes[word]
			it.meets = it.meets || d.speaksOf(word)
			before, last = last, word
			continue
		}
		first = cmp.Or(first, "-")
		name := strings.Trim(strings.Join(m[1:plain], ""), "\"'")
		open := !behind && !purpose
		switch {
		case d.concerns(name):
			it.meets = true
		case open && edits[first] && locates[last] && !strings.HasSuffix(before, "ed") && d.isPath(name) && !isTest(name):
			return item{place: name} // what was edited there, whatever is elsewhere
		case open && it.place == "" && d.isPlace(name, edits[first]):
			it.place = name
		}
		before, last = last, ""
	}
	return it
}

// concerns reports whether a name has to do with a change.
func (d *changes) concerns(name string) bool {
	for _, file := range d.files {
		if file == name || strings.HasSuffix(file, "/"+name) || path.Base(file) == path.Base(name) {
			return true
		}
	}
	if d.isPath(name) || strings.Contains(name, "/") {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return slices.ContainsFunc(identifier.FindAllString(name, -1), func(part string) bool {
		n := normal(part)
		return !keywords[part] && (d.related[n] || d.named[n])
	})
}

// isPath reports whether a name is the path of a file that has not changed, or the end of one.
func (d *changes) isPath(name string) bool {
	return slices.ContainsFunc(d.paths, func(p string) bool { return p == name || strings.HasSuffix(p, "/"+name) })
}

// speaksOf reports whether a plain word is part of a name in a change.
func (d *changes) speaksOf(word string) bool {
	return len(word) > 3 && !general[word] && (d.words[word] || d.words[strings.TrimSuffix(word, "s")])
}

// isPlace reports whether a name that has nothing to do with a change is that of another place in the project.
func (d *changes) isPlace(name string, edited bool) bool {
	if isTest(name) {
		return false
	}
	if edited && d.isPath(name) {
		return true
	}
	name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(name), "()"), "(")
	parts := strings.Split(name, ".")
	for _, part := range parts {
		if identifier.FindString(part) != part {
			return false // more than a name
		}
	}
	return d.declared[normal(parts[len(parts)-1])]
}

// isTest reports whether a name is that of a test: claims name what passes now.
func isTest(name string) bool {
	return slices.ContainsFunc(words(strings.Join(subword.FindAllString(name, -1), " ")), func(w string) bool {
		return w == "test" || w == "tests" || w == "spec" || w == "specs" || w == "conftest" || w == "fixture" || w == "fixtures"
	})
}

// normal is a name as it is compared: claims write load_config of loadConfig.
func normal(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}
