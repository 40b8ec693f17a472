package dom

// Void are the elements without content and end tag.
var Void = set("area base br col embed hr img input link meta param source track wbr")

// rawText are the elements whose inside is text up to their end tag.
var rawText = set("iframe noembed noframes script style textarea title xmp")

// Metadata are the elements that a head holds.
var Metadata = set("base basefont bgsound link meta noscript script style template title")

// special are the elements that the end tag of an inline element does not
// close over.
var special = set(`address applet area article aside base basefont bgsound blockquote body button caption center col colgroup dd
	details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html
	iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre
	script search section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp`)

// scope are the elements that no end tag but their own and those of tables
// reaches out of.
var scope = set("applet caption html table td th marquee object template")

// tableParts are the elements whose end tags and implied ends reach over cells.
var tableParts = set("table caption colgroup tbody thead tfoot tr td th")

// closesP are the start tags that end an open p.
var closesP = set(`address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form
	h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul li dd dt`)

// impliedEnd says which open elements a start tag ends, and which elements
// around them it does not look behind.
var impliedEnd = map[string]struct{ ends, stop map[string]bool }{
	"li":       {set("li"), set("ul ol menu dir table td th template html body div section article")},
	"dt":       {set("dt dd"), set("dl table td th template html body")},
	"dd":       {set("dt dd"), set("dl table td th template html body")},
	"option":   {set("option"), set("select datalist optgroup")},
	"optgroup": {set("option optgroup"), set("select")},
	"rt":       {set("rt rp"), set("ruby")},
	"rp":       {set("rt rp"), set("ruby")},
	"tr":       {set("tr td th caption colgroup"), set("table thead tbody tfoot template")},
	"td":       {set("td th"), set("tr table template")},
	"th":       {set("td th"), set("tr table template")},
	"thead":    {set("thead tbody tfoot tr td th caption colgroup"), set("table template")},
	"tbody":    {set("thead tbody tfoot tr td th caption colgroup"), set("table template")},
	"tfoot":    {set("thead tbody tfoot tr td th caption colgroup"), set("table template")},
	"colgroup": {set("caption colgroup"), set("table template")},
	"body":     {set("head title"), set("html")},
}
