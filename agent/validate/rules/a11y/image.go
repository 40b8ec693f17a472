package a11y

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/validate"
)

// imageRules are about images and what else is no text.
var imageRules = []validate.Rule{{
	ID: "img-alt", Title: "Image without alternative text", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.1.1", "ACT 23a2a8"},
	Aliases:   validate.Aliases{validate.Axe: {"image-alt"}, validate.ESLint: {"jsx-a11y/alt-text"}, validate.HTMLValidate: {"wcag/h37"}, validate.HTMLHint: {"alt-require"}},
	Doc: "Screen readers announce the file name, or nothing. Describe the image in `alt`; write `alt=\"\"` for a decorative image. An `aria-label`, an `aria-labelledby` or a " +
		"`title` counts as well. Images that are not rendered are not reported.",
	Bad:   "<a href=\"/\"><img src=\"/logo.svg\"></a>\n",
	Good:  "<a href=\"/\"><img src=\"/logo.svg\" alt=\"Home\"></a>\n",
	Check: validate.Elements(checkImage),
}, {
	ID: "input-image-alt", Title: "Image button without alternative text", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.1.1", "WCAG 4.1.2", "ACT 59796f"},
	Aliases:   validate.Aliases{validate.Axe: {"input-image-alt"}, validate.HTMLValidate: {"wcag/h36"}},
	Doc:       "An `<input type=\"image\">` is a button: its `alt` names the action. Without one, screen readers say \"submit\" or the file name.",
	Bad:       "<input type=\"image\" src=\"/search.png\">\n",
	Good:      "<input type=\"image\" src=\"/search.png\" alt=\"Search\">\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if a := p.Access(); n.Is("input") && strings.EqualFold(dom.AttributeText(n, "type"), "image") && a.Exposed(n) && a.Nameless(n) {
			p.Element(n, "This image button has no name: describe its action in alt.")
		}
	}, "input"),
}, {
	ID: "area-alt", Title: "Image map area without alternative text", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.1.1", "WCAG 2.4.4", "ACT c487ae"},
	Aliases:   validate.Aliases{validate.Axe: {"area-alt"}},
	Doc:       "Each `<area href>` of an image map is a link, and its `alt` is its only text.",
	Bad:       "<map name=\"m\"><area shape=\"rect\" coords=\"0,0,9,9\" href=\"/north\"></map>\n",
	Good:      "<map name=\"m\"><area shape=\"rect\" coords=\"0,0,9,9\" href=\"/north\" alt=\"North\"></map>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		if n.Is("area") && n.Attr("href") != nil && p.Access().Nameless(n) {
			p.Element(n, "This image map area has no name: describe its target in alt.")
		}
	}, "area"),
}, {
	ID: "svg-name", Title: "SVG image without an accessible name", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.1.1", "ACT 7d6734"},
	Aliases:   validate.Aliases{validate.Axe: {"svg-img-alt"}},
	Doc: "An SVG element with a role such as `img` is announced as an image: name it with `<title>` as its first child, `aria-label` or `aria-labelledby`. For a decorative " +
		"image, write `aria-hidden=\"true\"` instead of the role.",
	Bad:  "<svg role=\"img\" viewBox=\"0 0 9 9\"><path d=\"M0 0h9v9z\"/></svg>\n",
	Good: "<svg role=\"img\" viewBox=\"0 0 9 9\"><title>Download</title><path d=\"M0 0h9v9z\"/></svg>\n",
	Check: validate.Elements(func(p *validate.Pass, n *dom.Node) {
		role, known := dom.ExplicitRole(n)
		if n.Space != dom.SVG || !known {
			return
		}
		if role != "img" && role != "graphics-document" && role != "graphics-symbol" {
			return
		}
		if a := p.Access(); a.Exposed(n) && a.Nameless(n) {
			p.Element(n, "This drawing has the role %s but no name: add <title> as its first child, or aria-label.", role)
		}
	}),
}, {
	ID: "object-name", Title: "Embedded object without an accessible name", Severity: validate.Critical, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.1.1", "ACT 8fc3b6"},
	Aliases:   validate.Aliases{validate.Axe: {"object-alt"}},
	Doc: "An `<object>` that shows a picture, sound or video needs a name: `title`, `aria-label` or `aria-labelledby`. Its content is shown only where the object cannot be. " +
		"Objects that hold an HTML page, or nothing, are not reported.",
	Bad:   "<object data=\"/logo.png\"></object>\n",
	Good:  "<object data=\"/logo.png\" title=\"Logo of the club\"></object>\n",
	Check: validate.Elements(checkObject, "object"),
}, {
	ID: "decorative-exposed", Title: "Decorative image exposed to screen readers", Severity: validate.Warning, Category: validate.Accessibility,
	Standards: []string{"WCAG 1.1.1", "ACT 46ca7f"},
	Aliases:   validate.Aliases{validate.Axe: {"presentation-role-conflict"}},
	Doc:       "`alt=\"\"` and `role=\"none\"` mark an image as decorative; a label or a place in the tab order says the opposite, and browsers follow the latter. Keep one of the two.",
	Bad:       "<img src=\"/line.png\" alt=\"\" aria-label=\"A line\">\n",
	Good:      "<img src=\"/line.png\" alt=\"\">\n",
	Check:     validate.Elements(checkDecoration),
}}

// checkImage is about images and what has their role.
func checkImage(p *validate.Pass, n *dom.Node) {
	role, known := dom.ExplicitRole(n)
	if n.Space != dom.HTML || !known || role != "img" && !n.Is("img") {
		return
	}
	a := p.Access()
	if role, _ := a.Role(n); role != "img" || !a.Exposed(n) || !a.Nameless(n) {
		return
	}
	switch alt := n.Attr("alt"); {
	case !n.Is("img"):
		p.Element(n, "This element has the role img but no name: describe it in aria-label.")
	case alt == nil:
		p.Element(n, "This image has no alternative text: add alt, or alt=\"\" if it is decorative.")
	default:
		p.Attribute(alt, "The alternative text of this image is empty, yet the image is announced: describe it.")
	}
}

// pictures are the endings of addresses of what is seen or heard and no page.
var pictures = []string{".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp", ".ico", ".mp3", ".mp4", ".webm", ".ogg", ".wav", ".mov", ".swf"}

func checkObject(p *validate.Pass, n *dom.Node) {
	role, known := dom.ExplicitRole(n)
	a := p.Access()
	if !n.Is("object") || !known || role == "none" || role == "presentation" || !a.Exposed(n) || !a.Nameless(n) {
		return
	}
	data, kind := strings.ToLower(dom.AttributeText(n, "data")), strings.ToLower(dom.AttributeText(n, "type"))
	data, _, _ = strings.Cut(data, "?")
	shows := strings.HasPrefix(kind, "image/") || strings.HasPrefix(kind, "video/") || strings.HasPrefix(kind, "audio/")
	for _, ending := range pictures {
		shows = shows || strings.HasSuffix(data, ending)
	}
	if shows && data != "" {
		p.Element(n, "This object has no name: describe it in title or aria-label.")
	}
}

func checkDecoration(p *validate.Pass, n *dom.Node) {
	role, known := dom.ExplicitRole(n)
	alt := n.Attr("alt")
	none := role == "none" || role == "presentation"
	empty := n.Is("img") && role == "" && alt != nil && !alt.Dynamic && !alt.Conditional && alt.Value == ""
	a := p.Access()
	if !known || !none && !empty || !a.Exposed(n) || !a.KeepsRole(n) {
		return
	}
	if n.Is("button", "input", "select", "textarea", "a", "summary") {
		return // a control whose role somebody takes away keeps it: no image
	}
	if n.Space == dom.HTML && a.ImplicitRole(n) == "generic" && none {
		return
	}
	p.Element(n, "This element is marked as decorative, but a label or its place in the tab order exposes it: remove one of the two.")
}
