package html

import (
	"encoding/json"
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// scriptRules are about <script> elements as elements: what they load and
// the data that they hold.
var scriptRules = []validate.Rule{{
	ID: "script-data", Title: "Invalid JSON in a script element", Severity: validate.Warning, Category: validate.Markup,
	Doc: "Import maps, speculation rules and structured data for search engines are JSON. If it does not parse or has another structure, browsers and search engines ignore " +
		"all of it.",
	Bad:   "<script type=\"application/ld+json\">{\"@type\": \"Person\", \"name\": \"Ann\",}</script>\n",
	Good:  "<script type=\"application/ld+json\">{\"@type\": \"Person\", \"name\": \"Ann\"}</script>\n",
	Check: validate.Elements(checkScriptData, "script"),
}, {
	ID: "script-attributes", Title: "Attribute without effect on this kind of script", Severity: validate.Warning, Category: validate.Markup,
	Doc: "Modules are deferred by default, so `defer` adds nothing; a browser that knows modules never runs a script with `nomodule`; data is not loaded, so `src` and `async` " +
		"have no effect on it.",
	Bad:   "<script type=\"module\" src=\"/app.js\" nomodule></script>\n",
	Good:  "<script type=\"module\" src=\"/app.js\"></script>\n<script nomodule src=\"/old.js\"></script>\n",
	Check: validate.Elements(checkScriptAttributes, "script"),
}}

// scriptKind returns what a script element is: classic, module, importmap,
// speculationrules or data; "" where a template decides.
func scriptKind(n *dom.Node) string {
	a := n.Attr("type")
	if a != nil && (a.Dynamic || a.Conditional) || a == nil && n.Opaque {
		return ""
	}
	kind := strings.ToLower(dom.AttributeText(n, "type"))
	switch {
	case kind == "module" || kind == "importmap" || kind == "speculationrules":
		return kind
	case dom.IsJavaScript(n):
		return "classic"
	}
	return "data"
}

// scriptUnused says which attributes do nothing on which kinds of scripts.
var scriptUnused = map[string][]string{
	"importmap":        {"src", "async", "defer", "nomodule", "crossorigin", "referrerpolicy", "fetchpriority", "blocking"},
	"speculationrules": {"src", "async", "defer", "nomodule", "crossorigin", "referrerpolicy", "fetchpriority", "blocking", "integrity"},
	"data":             {"async", "defer", "nomodule", "crossorigin", "referrerpolicy", "fetchpriority", "blocking"},
	"module":           {"defer", "nomodule"},
}

func checkScriptAttributes(p *validate.Pass, n *dom.Node) {
	kind := scriptKind(n)
	if n.Space != dom.HTML || p.Access().Scripted(n) {
		return
	}
	unused := scriptUnused[kind]
	if !n.May("src") && (kind == "module" || kind == "classic") {
		unused = append([]string{"fetchpriority", "blocking"}, unused...)
	}
	if kind == "data" && strings.Contains(dom.AttributeText(n, "type"), "/") && strings.Contains(dom.AttributeText(n, "type"), "json") {
		unused = append([]string{"src"}, unused...)
	}
	if kind == "data" && dom.MayLoadLater(n) {
		return // a manager of consent turns it into a script
	}
	for i := range n.Attrs {
		if a := &n.Attrs[i]; slices.Contains(unused, a.Name) && !a.Conditional && !a.Bound {
			p.Attribute(a, "%s has no effect on this script (%s): remove it.", a.Name, kind)
			return
		}
	}
}

// checkScriptData reads the JSON of a script element.
func checkScriptData(p *validate.Pass, n *dom.Node) {
	kind := scriptKind(n)
	form := strings.ToLower(dom.AttributeText(n, "type"))
	if n.Space != dom.HTML || n.May("src") || kind != "importmap" && kind != "speculationrules" && form != "application/json" && form != "application/ld+json" {
		return
	}
	text := p.Text[n.OpenEnd:n.CloseStart]
	if p.Page().Masked[n.OpenEnd:n.CloseStart] != text || foreignTags(text) || n.HasUnknown() {
		return
	}
	if strings.TrimSpace(text) == "" && kind == "data" {
		return // a script fills it
	}
	var data any
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		p.Element(n, "This data cannot be parsed: %s.", strings.TrimPrefix(err.Error(), "json: "))
		return
	}
	fault := ""
	switch kind {
	case "importmap":
		fault = importMapFault(data)
	case "speculationrules":
		fault = speculationFault(data)
	}
	if fault != "" {
		p.Element(n, "%s", fault)
	}
}

// foreignTags reports whether a template that is unknown here writes into the text.
func foreignTags(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.Contains(text, "<%") || strings.Contains(text, "<?")
}

// importMapFault says what is wrong with an import map (HTML, 8.1.6.2).
func importMapFault(data any) string {
	object, ok := data.(map[string]any)
	if !ok {
		return "An import map is an object."
	}
	for name, v := range object {
		switch name {
		case "imports":
			if fault := specifierFault(v); fault != "" {
				return fault
			}
		case "scopes":
			scopes, ok := v.(map[string]any)
			if !ok {
				return "scopes is an object of URLs."
			}
			for at, s := range scopes {
				if fault := specifierFault(s); fault != "" || addressFault(at, false) != "" {
					return "The scope " + at + " is invalid: it must map names to URLs."
				}
			}
		case "integrity":
		default:
			return "An import map has imports, scopes and integrity, not " + name + "."
		}
	}
	return ""
}

// specifierFault judges the names of modules and their addresses.
func specifierFault(v any) string {
	names, ok := v.(map[string]any)
	if !ok {
		return "imports is an object of names and URLs."
	}
	for name, to := range names {
		address, ok := to.(string)
		_, _, whole := cutScheme(address)
		switch {
		case name == "":
			return "An import map cannot map the empty name."
		case to == nil:
		case !ok:
			return "The URL of " + name + " is a text."
		case strings.HasSuffix(name, "/") && !strings.HasSuffix(address, "/"):
			return "The URL of " + name + " must end in a slash, too."
		case !whole && !strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "./") && !strings.HasPrefix(address, "../") || addressFault(address, false) != "":
			return "The URL of " + name + " must begin with /, ./, ../ or a scheme."
		}
	}
	return ""
}

// speculationFault says what is wrong with speculation rules (HTML, 7.6.1).
func speculationFault(data any) string {
	object, ok := data.(map[string]any)
	if !ok || len(object) == 0 {
		return "Speculation rules are an object with prefetch or prerender."
	}
	for name, v := range object {
		if name == "tag" {
			continue
		}
		if name != "prefetch" && name != "prerender" && name != "prerender_until_script" {
			return "Speculation rules have prefetch and prerender, not " + name + "."
		}
		list, ok := v.([]any)
		if !ok {
			return name + " is a list of rules."
		}
		for _, rule := range list {
			if fault := speculationRule(rule); fault != "" {
				return fault
			}
		}
	}
	return ""
}

// speculationKeys are what a rule may say.
var speculationKeys = strings.Fields("source urls where eagerness referrer_policy requires relative_to expects_no_vary_search target_hint tag")

func speculationRule(data any) string {
	rule, ok := data.(map[string]any)
	if !ok {
		return "Each rule is an object."
	}
	for name := range rule {
		if !slices.Contains(speculationKeys, name) {
			return "A rule does not have " + name + "."
		}
	}
	urls, hasURLs := rule["urls"]
	where, hasWhere := rule["where"]
	source, hasSource := rule["source"]
	if e, ok := rule["eagerness"]; ok && !slices.Contains([]any{"immediate", "eager", "moderate", "conservative"}, e) {
		return "eagerness is immediate, eager, moderate or conservative."
	}
	switch {
	case hasSource && source != "list" && source != "document":
		return "source is list or document."
	case hasURLs && (hasWhere || source == "document"), hasWhere && source == "list":
		return "A rule has urls for a list, or where for a document, not both."
	case !hasURLs && (source == "list" || !hasWhere):
		return "A rule needs urls or where."
	case !hasWhere && source == "document":
		return "A rule for a document needs where."
	case hasURLs:
		return urlsFault(urls)
	}
	return whereFault(where)
}

func urlsFault(v any) string {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return "urls is a list of URLs."
	}
	for _, u := range list {
		if text, ok := u.(string); !ok || text == "" {
			return "urls is a list of URLs."
		}
	}
	return ""
}

// whereFault judges a condition of a rule for a document.
func whereFault(v any) string {
	where, ok := v.(map[string]any)
	if !ok {
		return "where is an object."
	}
	count := 0
	for name, v := range where {
		switch name {
		case "and", "or":
			list, ok := v.([]any)
			if !ok || len(list) == 0 {
				return name + " is a list of conditions."
			}
			for _, w := range list {
				if fault := whereFault(w); fault != "" {
					return fault
				}
			}
		case "not":
			if fault := whereFault(v); fault != "" {
				return fault
			}
		case "href_matches", "selector_matches":
			if list, ok := v.([]any); ok && urlsFault(list) != "" || !ok && (v == nil || v == "") {
				return name + " is a text or a list of texts."
			} else if _, isText := v.(string); !ok && !isText {
				if _, pattern := v.(map[string]any); !pattern || name == "selector_matches" {
					return name + " is a text or a list of texts."
				}
			}
		default:
			continue
		}
		count++
	}
	if count != 1 {
		return "A condition has one of and, or, not, href_matches, selector_matches."
	}
	return ""
}
