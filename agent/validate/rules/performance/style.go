package performance

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// styleRules are about style sheets that make pages slow.
var styleRules = validate.Authored([]validate.Rule{{
	ID: "perf-css-import", Title: "@import of another style sheet", Severity: validate.Info, Category: validate.Performance,
	Doc: "The browser learns of the imported style sheet only after this one is loaded, so they load one after the other while the page is blank. Link both from the page, or " +
		"let a build tool join them. Imports without the extension .css, which only build tools can resolve, pass. The first import of a sheet is reported.",
	File: "a.css", Bad: "@import url(\"base.css\");\na { color: red; }\n", Good: "@import \"tailwindcss\";\na { color: red; }\n",
	Check: validate.Sheets(func(p *validate.Pass, s validate.Style) {
		for _, r := range s.All {
			if r.At != "import" || !p.Written(r.Start, r.End) {
				continue
			}
			if target := imported(r); target != "" {
				p.Report(r.Start, r.End, "%s loads only after this style sheet: link it from the page, or join the two.", syntax.Clip(target))
				return // one for each sheet
			}
		}
	}),
}, {
	ID: "perf-font-display", Title: "Font without font-display (invisible text while loading)", Severity: validate.Info, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"font-display"}},
	Doc: "Without `font-display` browsers show no text for up to three seconds while the font loads. Write `swap`, `fallback` or `optional`. Icon fonts, whose letters mean " +
		"nothing in another font, pass.",
	File: "a.css", Bad: "@font-face { font-family: Inter; src: url(inter.woff2); }\n", Good: "@font-face { font-family: Inter; src: url(inter.woff2); font-display: swap; }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		family, src := r.Decl("font-family"), r.Decl("src")
		if family == nil || src == nil || r.Decl("font-display") != nil || !strings.Contains(src.Value, "url(") || strings.Contains(src.Value, "data:") || dom.IsIconFont(strings.ToLower(family.Value)) {
			return
		}
		at := family.Start
		fix := &validate.Fix{Title: "Add font-display: swap", Edits: []validate.Edit{{Start: at, End: at, New: "font-display: swap; "}}}
		p.Offer(r.Start, r.BodyAt, fix, "Text in this font is invisible until it is loaded: add font-display: swap.")
	}, "font-face"),
}, {
	ID: "perf-font-format", Title: "Web font without WOFF2", Severity: validate.Info, Category: validate.Performance,
	Doc:  "WOFF2 is a third of the size of TTF, and all browsers support it. List it first.",
	File: "a.css", Bad: "@font-face { font-family: Inter; font-display: swap; src: url(inter.ttf) format(\"truetype\"); }\n", Good: "@font-face { font-family: Inter; font-display: swap; src: url(inter.woff2) format(\"woff2\"), url(inter.ttf); }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		old := (*dom.Decl)(nil)
		for i := range r.Decls {
			d := &r.Decls[i]
			lower := strings.ToLower(d.Value)
			if d.Name != "src" || strings.Contains(lower, "data:") {
				continue
			}
			if strings.Contains(lower, "woff2") {
				return
			}
			if old == nil && syntax.ContainsAny(lower, []string{".ttf", ".otf", ".eot", ".woff"}) {
				old = d
			}
		}
		if old != nil {
			p.Report(old.ValueStart, old.ValueEnd, "This font comes only in larger formats: add WOFF2 as the first.")
		}
	}, "font-face"),
}, {
	ID: "perf-animate-layout", Title: "Animation of a layout property", Severity: validate.Info, Category: validate.Performance,
	Aliases: validate.Aliases{validate.Lighthouse: {"non-composited-animations"}},
	Doc:     "Animating `top`, `left` or `margin` makes the browser compute the layout in each frame. `transform: translate()` moves the element without that.",
	File:    "a.css", Bad: "@keyframes in { from { left: -100px; } to { left: 0; } }\n", Good: "@keyframes in { from { transform: translateX(-100px); } to { transform: none; } }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		stops := 0
		for _, step := range r.Rules {
			for i := range step.Decls {
				if layoutMoves[step.Decls[i].Name] {
					stops++
				}
			}
		}
		if stops > 1 {
			p.Report(r.Start, r.PreludeEnd, "This forces a layout in each frame: use transform: translate() instead.")
		}
	}, "keyframes"),
}})

// imported returns the address of an @import that a browser would follow.
func imported(r *dom.Rule) string {
	tokens := dom.Significant(r.Prelude, 0)
	if len(tokens) == 0 {
		return ""
	}
	target, _ := tokens[0].Target()
	if tokens[0].Kind == dom.String {
		target = strings.Trim(tokens[0].Text, `"'`)
	}
	if name, _, _ := strings.Cut(target, "?"); strings.HasSuffix(name, ".css") || strings.Contains(target, "fonts.googleapis.com") {
		return target
	}
	return ""
}

var layoutMoves = syntax.WordSet("top left right bottom margin margin-top margin-left margin-right margin-bottom inset")
