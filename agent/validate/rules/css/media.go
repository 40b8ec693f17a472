package css

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// mediaRules are about queries, and about what CSS has given up.
var mediaRules = validate.Authored([]validate.Rule{{
	ID: "css-unknown-media-feature", Title: "Unknown media feature", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"media-feature-name-no-unknown"}, validate.Biome: {"noUnknownMediaFeatureName"}},
	Doc:     "A query with an unknown feature is never true, so its rules never apply.",
	File:    "a.css", Bad: "@media (max-widht: 40em) { nav { display: none; } }\n", Good: "@media (max-width: 40em) and (hover: hover) { nav { display: none; } }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		for _, q := range dom.MediaTests(r) {
			if !q.Known() && !strings.ContainsAny(q.Feature, "\\_$") {
				p.Report(q.Start, q.Start+len(q.Feature), "Unknown media feature %s: the query is never true.%s", q.Feature, syntax.DidYouMean(q.Feature, dom.KnownFeature))
			}
		}
	}, "media"),
}, {
	ID: "css-invalid-media-query", Title: "Invalid media query", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"media-query-no-invalid"}},
	Doc: "`(min-width: 600)` lacks a unit, `(hover: 1)` is not a keyword, `(min-width)` has no value and `(width == 600px)` has one sign too many: browsers treat such a query " +
		"as never true.",
	File: "a.css", Bad: "@media (min-width: 600) { nav { top: 0; } }\n", Good: "@media (min-width: 600px) and (400px <= height) { nav { top: 0; } }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		for _, q := range dom.MediaTests(r) {
			if wrong := q.Fault(); wrong != "" {
				p.Report(q.Open, q.End, "This media query is never true: %s.", wrong)
			}
		}
	}, "media"),
}, {
	ID: "css-old-media-type", Title: "Deprecated media type", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"media-type-no-deprecated"}},
	Doc:     "Browsers know `all`, `screen` and `print`. `handheld`, `tv`, `projection` and other old types never match; query features instead, such as `(pointer: coarse)`.",
	File:    "a.css", Bad: "@media handheld { nav { display: none; } }\n", Good: "@media screen and (pointer: coarse) { nav { display: none; } }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		level, first := 0, true
		for _, t := range dom.Significant(r.Prelude, r.PreludeEnd-len(r.Prelude)) {
			switch {
			case t.Kind == dom.Function || t.Text == "(":
				level++
			case t.Text == ")":
				level--
			case t.Text == ",":
				first = true
				continue
			case t.Kind == dom.Ident && level == 0 && syntax.HasWord("not only", strings.ToLower(t.Text)):
				continue
			case t.Kind == dom.Ident && level == 0 && first && syntax.HasWord("aural braille embossed handheld projection speech tty tv", strings.ToLower(t.Text)):
				p.Report(t.Start, t.End, "%s never matches: query a feature instead.", t.Text)
			}
			first = false
		}
	}, "media"),
}, {
	ID: "css-obsolete", Title: "Obsolete property, value or at-rule", Severity: validate.Info, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"property-no-deprecated", "at-rule-no-deprecated", "declaration-property-value-keyword-no-deprecated"}},
	Doc: "Browsers keep it for old pages or have dropped it already: `overflow: overlay`, `text-decoration: blink`, `clip`, `@nest`, the first flexible box model " +
		"(`box-flex`), the `appearance` keywords for single controls.",
	File: "a.css", Bad: "nav { overflow: overlay; }\n", Good: "nav { overflow: auto; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }\n",
	Check: checkObsolete,
}})

// obsoleteWords are keywords that CSS has given up, by property.
var obsoleteWords = map[string]map[string]bool{
	"overflow": syntax.WordSet("overlay"), "overflow-x": syntax.WordSet("overlay"), "overflow-y": syntax.WordSet("overlay"),
	"text-decoration": syntax.WordSet("blink"), "text-decoration-line": syntax.WordSet("blink"), "word-break": syntax.WordSet("break-word"),
	"appearance":      syntax.WordSet("searchfield textarea push-button slider-horizontal checkbox radio square-button menulist listbox meter progress-bar button"),
	"text-justify":    syntax.WordSet("distribute"),
	"image-rendering": syntax.WordSet("optimizespeed optimizequality"),
}

// obsoleteProperties are those that CSS has given up, and what takes their place.
var obsoleteProperties = map[string]string{
	"clip": "clip-path", "box-flex": "flex", "box-pack": "justify-content", "box-align": "align-items", "box-orient": "flex-direction", "box-direction": "flex-direction",
	"box-ordinal-group": "order", "box-lines": "flex-wrap", "box-flex-group": "flex", "scroll-snap-coordinate": "scroll-snap-align", "scroll-snap-destination": "scroll-padding",
	"scroll-snap-points-x": "scroll-snap-align", "scroll-snap-points-y": "scroll-snap-align", "ime-mode": "an attribute of the input", "azimuth": "nothing",
}

func checkObsolete(p *validate.Pass) {
	decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		prefix, _ := vendor(d.Name)
		if instead := obsoleteProperties[d.Name]; instead != "" && prefix == "" && !(d.Name == "clip" && hides(r)) && !again(r, d) {
			p.Report(d.Start, d.NameEnd, "%s is obsolete: write %s.", d.Name, instead)
		}
		level := 0
		for _, t := range dom.Tokens(d.Value, d.ValueStart) {
			if t.Kind == dom.Function || t.Text == "(" {
				level++
			} else if t.Text == ")" {
				level--
			} else if t.Kind == dom.Ident && level == 0 && obsoleteWords[d.Name][strings.ToLower(t.Text)] && !again(r, d) {
				p.Report(t.Start, t.End, "This value of %s is obsolete.", d.Name)
			}
		}
	})(p)
	validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		p.Report(r.Start, r.Start+1+len(r.At), "@%s is obsolete.", r.At)
	}, "nest", "viewport", "document")(p)
}

// hides reports whether a rule is the well-known one that hides text from all
// but screen readers, for which clip is there for old browsers.
func hides(r *dom.Rule) bool {
	if r == nil {
		return false
	}
	d := r.Decl("position")
	return d != nil && (d.Value == "absolute" || d.Value == "fixed")
}
