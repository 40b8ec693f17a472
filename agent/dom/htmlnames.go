package dom

import (
	"slices"
	"strings"

	"caselsp/agent/syntax"
)

// HTMLElements are the elements of the HTML standard (2025); obsolete ones are
// in obsoleteElements.
var HTMLElements = strings.Fields(`a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption cite code col
	colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head
	header hgroup hr html i iframe img input ins kbd label legend li link main map mark math menu meta meter nav noscript object ol
	optgroup option output p picture pre progress q rp rt ruby s samp script search section select selectedcontent slot small source span
	strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul var video wbr`)

// ObsoleteElements are those that the standard has taken out, and what takes
// their place.
var ObsoleteElements = map[string]string{
	"acronym": "<abbr>", "applet": "<embed> or <object>", "basefont": "CSS", "bgsound": "<audio>", "big": "CSS", "center": "CSS (text-align, margin)",
	"dir": "<ul>", "font": "CSS", "frame": "<iframe> or one page", "frameset": "<iframe> or one page", "image": "<img>", "isindex": "<input>",
	"keygen": "the Web Authentication API", "listing": "<pre>", "menuitem": "a script", "multicol": "CSS columns", "nextid": "nothing", "nobr": "CSS (white-space)",
	"noembed": "<object>", "noframes": "nothing", "param": "the address in data", "plaintext": "<pre>", "rb": "<ruby>", "rtc": "<ruby>",
	"spacer": "CSS", "strike": "<s> or <del>", "tt": "<code> or <kbd>", "xmp": "<pre> and <code>",
}

// GlobalAttributes belong to every element.
var GlobalAttributes = strings.Fields(`accesskey autocapitalize autocorrect autofocus class contenteditable dir draggable enterkeyhint exportparts hidden id
	inert inputmode is itemid itemprop itemref itemscope itemtype lang nonce part popover role slot spellcheck style tabindex title
	translate writingsuggestions xmlns`)

// OwnAttributes are those of single elements.
var OwnAttributes = ReadLists(`a href target download ping rel hreflang type referrerpolicy name attributionsrc
area alt coords shape href target download ping rel referrerpolicy
audio src crossorigin preload autoplay loop muted controls controlslist
base href target
blockquote cite
body onload
button command commandfor disabled form formaction formenctype formmethod formnovalidate formtarget name popovertarget popovertargetaction type value
canvas width height
col span
colgroup span
data value
del cite datetime
details name open
dialog open closedby
embed src type width height
fieldset disabled form name
form accept-charset action autocomplete enctype method name novalidate target rel
html manifest
iframe src srcdoc name sandbox allow allowfullscreen width height referrerpolicy loading frameborder scrolling marginheight marginwidth
img alt src srcset sizes crossorigin usemap ismap width height referrerpolicy decoding loading fetchpriority
input accept alt autocomplete capture checked colorspace dirname disabled form formaction formenctype formmethod formnovalidate formtarget height list max maxlength min minlength multiple name pattern placeholder popovertarget popovertargetaction readonly required size src step type value width
ins cite datetime
label for form
li value
link href crossorigin rel media integrity hreflang type referrerpolicy sizes imagesrcset imagesizes as blocking color disabled fetchpriority
map name
meta name http-equiv content charset media property
meter value min max low high optimum
object data type name form width height usemap
ol reversed start type
optgroup disabled label
option disabled label selected value
output for form name
progress value max
q cite
script src type nomodule async defer crossorigin integrity referrerpolicy blocking fetchpriority charset
select autocomplete disabled form multiple name required size
slot name
source type media src srcset sizes width height
style media type blocking
table border summary
td colspan rowspan headers
template shadowrootmode shadowrootdelegatesfocus
textarea autocomplete cols dirname disabled form maxlength minlength name placeholder readonly required rows wrap
th abbr colspan headers rowspan scope
time datetime
track default kind label src srclang
video src crossorigin poster preload autoplay playsinline loop muted controls width height controlslist disablepictureinpicture disableremoteplayback`)

// ObsoleteAttributes are those that only say how something looks, by element;
// "*" is any.
var ObsoleteAttributes = ReadLists(`* bgcolor background
body alink link text vlink marginheight marginwidth topmargin leftmargin
br clear
caption align
div align
h1 align
h2 align
h3 align
h4 align
h5 align
h6 align
hr align color noshade size width
iframe align
img align border hspace vspace longdesc name lowsrc
input align
p align
pre width
table align cellpadding cellspacing frame rules
td align axis char charoff height nowrap scope valign width
th align axis char charoff height nowrap valign width
tr align char charoff valign
ul compact type
ol compact
script language`)

// BooleanAttributes are the attributes that are on by being there.
var BooleanAttributes = strings.Fields(`allowfullscreen async autofocus autoplay checked controls default defer disabled formnovalidate inert ismap
	itemscope loop multiple muted nomodule novalidate open playsinline readonly required reversed selected`)

// EnumAttributes are the attributes that have one of some words, by element.
var EnumAttributes = map[string]map[string][]string{
	"button":   {"type": {"submit", "reset", "button"}, "formmethod": {"get", "post", "dialog"}},
	"bdo":      {"dir": {"ltr", "rtl"}},
	"form":     {"method": {"get", "post", "dialog"}, "enctype": {"application/x-www-form-urlencoded", "multipart/form-data", "text/plain"}, "autocomplete": {"on", "off"}},
	"img":      {"loading": {"lazy", "eager"}, "decoding": {"sync", "async", "auto"}},
	"iframe":   {"loading": {"lazy", "eager"}},
	"area":     {"shape": {"rect", "circle", "poly", "default"}},
	"ol":       {"type": {"1", "a", "i"}},
	"th":       {"scope": {"row", "col", "rowgroup", "colgroup", "auto"}},
	"track":    {"kind": {"subtitles", "captions", "descriptions", "chapters", "metadata"}},
	"textarea": {"wrap": {"soft", "hard"}},
	"video":    {"preload": {"none", "metadata", "auto", ""}},
	"audio":    {"preload": {"none", "metadata", "auto", ""}},
	"input": {"type": {"hidden", "text", "search", "tel", "url", "email", "password", "date", "month", "week", "time", "datetime-local", "number",
		"range", "color", "checkbox", "radio", "file", "submit", "image", "reset", "button"}},
	"*": {"dir": {"ltr", "rtl", "auto"}, "crossorigin": {"anonymous", "use-credentials", ""}, "contenteditable": {"true", "false", "plaintext-only", ""},
		"draggable": {"true", "false"}, "inputmode": {"none", "text", "decimal", "numeric", "tel", "search", "email", "url"}, "translate": {"yes", "no", ""},
		"popover": {"auto", "manual", "hint", ""}, "spellcheck": {"true", "false", ""}, "autocapitalize": {"off", "none", "on", "sentences", "words", "characters", ""},
		"enterkeyhint": {"enter", "done", "go", "next", "previous", "search", "send"}, "fetchpriority": {"high", "low", "auto"}, "writingsuggestions": {"true", "false", ""},
		"shadowrootmode": {"open", "closed"}, "closedby": {"any", "closerequest", "none"},
		"referrerpolicy": {"", "no-referrer", "no-referrer-when-downgrade", "same-origin", "origin", "strict-origin", "origin-when-cross-origin", "strict-origin-when-cross-origin", "unsafe-url"}},
}

// OwnsAttribute reports whether an element knows an attribute.
func OwnsAttribute(element, name string) bool {
	return slices.Contains(GlobalAttributes, name) || slices.Contains(OwnAttributes[element], name) ||
		slices.Contains(ObsoleteAttributes[element], name) || slices.Contains(ObsoleteAttributes["*"], name)
}

// IsJavaScript reports whether the inside of a script element is a program.
func IsJavaScript(n *Node) bool {
	a := n.Attr("type")
	if a == nil {
		return true
	}
	kind := strings.ToLower(strings.TrimSpace(a.Value))
	return kind == "" || kind == "module" || strings.HasSuffix(kind, "/javascript") || strings.HasSuffix(kind, "/ecmascript") || kind == "text/babel"
}

// ReadLists reads a table with a list of words for each name: the first word of a
// line is the name, the others are its list.
func ReadLists(text string) map[string][]string {
	m := map[string][]string{}
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		m[words[0]] = words[1:]
	}
	return m
}

// RawText are the elements whose text is no markup, in SVG too.
var RawText = syntax.WordSet("script style iframe noembed noframes xmp plaintext")
