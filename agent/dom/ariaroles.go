package dom

import (
	"slices"
	"strings"
)

// AriaRole is what the specifications say of a role.
type AriaRole struct {
	Name     byte     // who names it: 'a' the author, 'c' also its content, 'p' nobody may
	Opaque   bool     // its children are presentational
	Required []string // states and properties that it must have
	allowed  []string // those that it may have beside the global ones
	Context  []string // roles one of which must hold it
	Owned    []string // roles that it may hold, where it must hold some
}

// AriaGlobalStates are the states and properties of every role, without "aria-".
// Those that WAI-ARIA 1.2 deprecates on some roles are among them.
var AriaGlobalStates = strings.Fields(`atomic braillelabel brailleroledescription busy controls current describedby description details
	disabled dropeffect errormessage expanded flowto grabbed haspopup hidden invalid keyshortcuts label labelledby live owns
	relevant roledescription`)

// roleTable holds the roles of WAI-ARIA 1.2, DPUB-ARIA 1.1 and Graphics-ARIA 1.0
// that authors may use, as the specifications have them: role, naming (and x
// where children are presentational), required, allowed, context, owned.
const roleTable = `
alertdialog|a||modal
alert|a
application|a||activedescendant
article|a||posinset setsize
banner|a
blockquote|a
button|cx||pressed
caption|p
cell|c||colindex colspan rowindex rowspan|row
checkbox|cx|checked|checked readonly required
code|p
columnheader|c||sort colindex colspan rowindex rowspan readonly required selected|row
combobox|a|expanded|activedescendant autocomplete readonly required
complementary|a
contentinfo|a
definition|a
deletion|p
dialog|a||modal
directory|a
doc-abstract|a
doc-acknowledgments|a
doc-afterword|a
doc-appendix|a
doc-backlink|c
doc-biblioentry|a||level posinset setsize
doc-bibliography|a
doc-biblioref|c
doc-chapter|a
doc-colophon|a
doc-conclusion|a
doc-cover|a
doc-credits|a
doc-credit|a
doc-dedication|a
doc-endnotes|a
doc-endnote|a||level posinset setsize
doc-epigraph|a
doc-epilogue|a
doc-errata|a
doc-example|a
doc-footnote|a
doc-foreword|a
doc-glossary|a
doc-glossref|c
doc-index|a
doc-introduction|a
doc-noteref|c
doc-notice|a
doc-pagebreak|ax||orientation valuemax valuemin valuenow valuetext
doc-pagefooter|p
doc-pageheader|p
doc-pagelist|a
doc-part|a
doc-preface|a
doc-prologue|a
doc-pullquote|a
doc-qna|a
doc-subtitle|a
doc-tip|a
doc-toc|a
document|a
emphasis|p
feed|a||||article
figure|a
form|a
generic|p
graphics-document|a
graphics-object|c||activedescendant
graphics-symbol|ax
gridcell|c||readonly required selected colindex colspan rowindex rowspan|row
grid|a||multiselectable readonly activedescendant colcount rowcount||row rowgroup
group|a||activedescendant
heading|c|level|level
img|ax
insertion|p
link|c
listbox|a||multiselectable readonly required orientation activedescendant||option group
listitem|a||level posinset setsize|list directory
list|a||||listitem
log|a
main|a
mark|p
marquee|a
math|a
menubar|a||orientation activedescendant||menuitem menuitemradio menuitemcheckbox group separator
menuitemcheckbox|cx|checked|checked readonly required posinset setsize|menu menubar group
menuitemradio|cx|checked|checked readonly required posinset setsize|menu menubar group
menuitem|c||posinset setsize|menu menubar group
menu|a||orientation activedescendant||menuitem menuitemradio menuitemcheckbox group separator
meter|ax|valuenow|valuetext valuemax valuemin valuenow
navigation|a
none|p
note|a
option|cx||checked posinset setsize selected|listbox group
paragraph|p
presentation|p
progressbar|ax||valuetext valuemax valuemin valuenow
radiogroup|a||readonly required activedescendant orientation
radio|cx|checked|checked posinset setsize
region|a
rowgroup|c|||table grid treegrid|row
rowheader|c||sort colindex colspan rowindex rowspan readonly required selected|row
row|c||colindex level posinset rowindex selected setsize activedescendant|table grid treegrid rowgroup|cell columnheader gridcell rowheader
scrollbar|ax|controls valuenow|valuetext orientation valuemax valuemin valuenow
searchbox|a||activedescendant autocomplete multiline placeholder readonly required
search|a
separator|ax||orientation valuemax valuemin valuenow valuetext
slider|ax|valuenow|readonly valuetext orientation valuemax valuemin valuenow
spinbutton|a||readonly required valuetext valuenow activedescendant valuemax valuemin
status|a
strong|p
subscript|p
superscript|p
switch|cx|checked|checked readonly required
table|a||colcount rowcount||row rowgroup caption
tablist|a||level multiselectable orientation activedescendant||tab
tabpanel|a
tab|cx||posinset setsize selected|tablist
term|a
textbox|a||activedescendant autocomplete multiline placeholder readonly required
timer|a
time|a
toolbar|a||orientation activedescendant
tooltip|c
treegrid|a||activedescendant multiselectable readonly colcount rowcount orientation required||row rowgroup
treeitem|c||level posinset setsize checked selected|tree group
tree|a||multiselectable required orientation activedescendant||treeitem group
suggestion|p
comment|c||level posinset setsize
image|ax
sectionfooter|p
sectionheader|p
`

// AriaRoles are the roles of roleTable by their names.
var AriaRoles = readRoles()

func readRoles() map[string]*AriaRole {
	m := map[string]*AriaRole{}
	for _, line := range strings.Split(strings.TrimSpace(roleTable), "\n") {
		part := strings.Split(line, "|")
		part = append(part, make([]string, 6-len(part))...)
		m[part[0]] = &AriaRole{
			Name: part[1][0], Opaque: strings.HasSuffix(part[1], "x"),
			Required: strings.Fields(part[2]), allowed: strings.Fields(part[3]), Context: strings.Fields(part[4]), Owned: strings.Fields(part[5]),
		}
	}
	return m
}

// May reports whether a state or property, without "aria-", fits a role.
func (r *AriaRole) May(state string) bool {
	return slices.Contains(AriaGlobalStates, state) || slices.Contains(r.allowed, state) || slices.Contains(r.Required, state)
}

// AriaValue is what an attribute's value may be.
type AriaValue struct {
	Kind   string // boolean, tristate, token, tokens, id, ids, integer, number, string
	Tokens []string
}

// AriaValues are the states and properties by their names, without "aria-".
var AriaValues = readValues(`
boolean: atomic busy disabled modal multiline multiselectable readonly required
boolean undefined: expanded hidden selected grabbed
tristate: checked pressed
token inline list both none: autocomplete
token page step location date time true false: current
tokens copy execute link move none popup: dropeffect
token false true menu listbox tree grid dialog: haspopup
token grammar false spelling true: invalid
token assertive off polite: live
token vertical undefined horizontal: orientation
tokens additions all removals text: relevant
token ascending descending none other: sort
id: activedescendant
ids: controls describedby details errormessage flowto labelledby owns
integer 1: colindex level posinset rowindex colspan
integer 0: rowspan
integer -1: colcount rowcount setsize
number: valuemax valuemin valuenow
string: braillelabel brailleroledescription description keyshortcuts label placeholder roledescription valuetext
string: colindextext rowindextext`)

func readValues(text string) map[string]AriaValue {
	m := map[string]AriaValue{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		kind, names, _ := strings.Cut(line, ":")
		words := strings.Fields(kind)
		for _, name := range strings.Fields(names) {
			m[name] = AriaValue{words[0], words[1:]}
		}
	}
	return m
}
