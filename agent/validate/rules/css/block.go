package css

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// blockRules are about declarations that cancel or spoil each other.
var blockRules = validate.Authored([]validate.Rule{{
	ID: "css-duplicate-property", Title: "Duplicate property in a block", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"declaration-block-no-duplicate-properties"}},
	Doc: "Of two declarations of one property the last one counts, so the first does nothing. A fallback passes: where the last value needs more of the browser than the first " +
		"(`width: 100%; width: calc(100% - 1rem)`), both are of use. The fix takes the first away where both say the same.",
	File: "a.css", Bad: ".card { margin: 4px; color: red; margin: 8px; }\n", Good: ".card { height: 100vh; height: 100dvh; display: block; display: flex; }\n",
	Check: blocks(checkDuplicates),
}, {
	ID: "css-shorthand-override", Title: "Declaration reset by a later shorthand", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"declaration-block-no-shorthand-property-overrides"}},
	Doc: "A shorthand sets all of its longhands; those it does not name get their initial values. A longhand before it has no effect: write it after the shorthand. Fallbacks " +
		"pass.",
	File: "a.css", Bad: ".card { margin-top: 8px; margin: 0; }\n", Good: ".card { margin: 0; margin-top: 8px; background-color: red; background: linear-gradient(red, blue); }\n",
	Check: blocks(checkShorthands),
}, {
	ID: "css-vendor-only", Title: "Vendor-prefixed property without the standard property", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"property-no-vendor-prefix"}},
	Doc: "With only `-webkit-box-shadow`, other browsers show no shadow. Write the standard property after it; most need no prefix any more. Properties without a standard " +
		"form, and rules for one engine (`::-webkit-…`, `@-webkit-…`), pass.",
	File: "a.css", Bad: ".card { -webkit-box-shadow: 0 0 2px gray; }\n", Good: ".card { -webkit-user-select: none; user-select: none; -webkit-line-clamp: 2; }\n",
	Check: validate.SheetRules(checkVendorOnly),
}, {
	ID: "css-empty-block", Title: "Empty rule", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"block-no-empty"}, validate.Biome: {"noEmptyBlock"}},
	Doc:     "The rule has no effect and is usually left over from an edit. A block with a comment explains why it is empty, and passes.",
	File:    "a.css", Bad: ".card { }\n", Good: ".card { /* styled by the theme */ }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		inside := r.End - 1
		if !r.Block || inside < r.BodyAt || r.At == "layer" || r.At == "font-palette-values" || toolRules[r.At] || r.Prelude == "" || p.Text[inside] != '}' || strings.TrimSpace(p.Text[r.BodyAt:inside]) != "" {
			return
		}
		p.Offer(r.Start, r.End, &validate.Fix{Title: "Delete the empty rule", Edits: []validate.Edit{{Start: r.Start, End: r.End}}}, "This rule is empty: delete it, or explain in a comment what it is for.")
	}),
}, {
	ID: "css-important", Title: "Use of !important", Severity: validate.Info, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"declaration-no-important"}},
	Doc: "An important declaration can be overridden only by another one, so they multiply. Use a selector of higher specificity, or a cascade layer. Only the first of a " +
		"block is reported. Legitimate uses pass: utility classes, `[hidden]`, print, reduced motion, forced colors, and hiding with `display: none`.",
	File: "a.css", Bad: "#nav .item a { color: red !important; }\n", Good: ".mt-0 { margin-top: 0 !important; }\n@media print { nav a { color: black !important; } }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		for i := range r.Decls {
			if d := &r.Decls[i]; d.Important && !inDescriptors(r) && !rightlyImportant(r, d) {
				p.Report(d.Start, d.End, "Only another !important can override this one: raise the selector's specificity instead.")
				return // one for each block
			}
		}
	}),
}, {
	ID: "css-keyframe-important", Title: "!important inside keyframes", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"keyframe-declaration-no-important"}, validate.Biome: {"noImportantInKeyframe"}},
	Doc:     "Browsers ignore important declarations in keyframes.",
	File:    "a.css", Bad: "@keyframes in { from { opacity: 0 !important; } }\n", Good: "@keyframes in { from { opacity: 0; } }\n",
	Check: decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		if d.Important && r != nil && r.Parent != nil && r.Parent.At == "keyframes" {
			p.Offer(d.Start, d.End, &validate.Fix{Title: "Remove !important", Edits: []validate.Edit{{Start: d.ValueEnd, End: d.End}}}, "Browsers ignore this declaration: keyframes allow no !important.")
		}
	}),
}, {
	ID: "css-import-position", Title: "@import after other rules", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"no-invalid-position-at-import-rule"}, validate.Biome: {"noInvalidPositionAtImportRule"}},
	Doc:     "Browsers ignore an `@import` after a rule or inside a block. Only `@charset`, `@layer` and other imports may come before it.",
	File:    "a.css", Bad: "a { color: red; }\n@import url(\"base.css\");\n", Good: "@charset \"utf-8\";\n@layer base;\n@import url(\"base.css\") layer(base);\na { color: red; }\n",
	Check: validate.Sheets(func(p *validate.Pass, s validate.Style) {
		late := false
		for _, r := range s.All {
			if r.At == "import" && (late || r.Parent != nil) && p.Written(r.Start, r.End) {
				p.Report(r.Start, r.End, "Browsers ignore this @import: it must come before all rules.")
			}
			late = late || r.At != "import" && r.At != "charset" && (r.At != "layer" || r.Block) && !toolRules[r.At]
		}
	}),
}, {
	ID: "css-double-slash", Title: "Comment written with //", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"no-invalid-double-slash-comments"}},
	Doc:     "CSS has no such comment: browsers read it as the beginning of what follows and drop both. Write `/* … */`.",
	File:    "a.css", Bad: ".card {\n  // color: red;\n  margin: 0;\n}\n", Good: ".card {\n  /* color: red; */\n  margin: 0;\n}\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		if i := strings.Index(r.Prelude, "//"); r.At == "" && i > 0 && len(r.Selectors) > 0 && !r.Selectors[len(r.Selectors)-1].Valid && strings.HasSuffix(strings.TrimSpace(r.Prelude[:i]), ",") {
			p.Report(r.Start, r.PreludeEnd, "CSS has no comments with //: browsers drop this rule. Write /* */.")
			return
		}
		if r.At != "" || !strings.HasPrefix(r.Prelude, "//") {
			return
		}
		line, _, _ := strings.Cut(p.Text[r.Start:], "\n")
		line = strings.TrimRight(line, " \t\r")
		end := r.Start + len(line)
		var fix *validate.Fix
		if !strings.Contains(line, "*/") && p.Page() == nil {
			fix = &validate.Fix{Title: "Write it as a comment", Edits: []validate.Edit{{Start: r.Start, End: r.Start + 2, New: "/*"}, {Start: end, End: end, New: " */"}}}
		}
		p.Offer(r.Start, end, fix, "CSS has no comments with //: browsers drop this and what follows. Write /* */.")
	}),
}})

// blocks is for rules about the declarations of one block or style attribute.
func blocks(check func(*validate.Pass, []dom.Decl)) func(*validate.Pass) {
	return func(p *validate.Pass) {
		for _, s := range p.Styles() {
			check(p, s.Decls)
			for _, r := range s.All {
				if r.At != "font-face" {
					check(p, r.Decls)
				}
			}
		}
	}
}

func checkDuplicates(p *validate.Pass, list []dom.Decl) {
	last := map[string]int{}
	for i := range list {
		d := &list[i]
		j, seen := last[d.Name]
		last[d.Name] = i
		if !seen || d.Name[0] == '*' || d.Name[0] == '_' || d.Name == "src" {
			continue
		}
		first := &list[j]
		if first.Important && !d.Important {
			last[d.Name] = j
			if p.Written(first.Start, d.End) && covers(d.Value, first.Value) {
				p.Report(d.Start, d.End, "%s is important on line %d, so this has no effect.", d.Name, p.Tree.Position(first.Start).Line+1)
			}
			continue
		}
		if first.Important != d.Important {
			continue
		}
		if !p.Written(first.Start, d.End) || !covers(first.Value, d.Value) {
			continue
		}
		line := p.Tree.Position(d.Start).Line + 1
		if strings.Join(strings.Fields(first.Value), " ") == strings.Join(strings.Fields(d.Value), " ") {
			p.Offer(first.Start, first.End, removal(p, first, "Delete the first of the two"), "%s is repeated on line %d: one of the two is enough.", first.Name, line)
		} else {
			p.Report(first.Start, first.End, "%s is set again on line %d, so this has no effect.", first.Name, line)
		}
	}
}

// shorthands are the longhands that a shorthand resets; a trailing - stands for all of a beginning.
var shorthands = map[string]string{
	"margin": "margin-top margin-right margin-bottom margin-left", "padding": "padding-top padding-right padding-bottom padding-left",
	"background": "background-color background-image background-position background-repeat background-size background-attachment background-origin background-clip",
	"border":     "border-width border-style border-color border-top border-right border-bottom border-left border-top-width border-right-width border-bottom-width border-left-width border-top-color border-right-color border-bottom-color border-left-color border-top-style border-right-style border-bottom-style border-left-style border-image border-image-source border-image-slice border-image-width border-image-outset border-image-repeat",
	"border-top": "border-top-width border-top-style border-top-color", "border-right": "border-right-width border-right-style border-right-color",
	"border-bottom": "border-bottom-width border-bottom-style border-bottom-color", "border-left": "border-left-width border-left-style border-left-color",
	"border-radius": "border-top-left-radius border-top-right-radius border-bottom-right-radius border-bottom-left-radius",
	"font":          "font-family font-size font-weight font-style font-variant font-stretch font-size-adjust line-height",
	"list-style":    "list-style-type list-style-position list-style-image", "outline": "outline-width outline-style outline-color",
	"flex": "flex-grow flex-shrink flex-basis", "flex-flow": "flex-direction flex-wrap", "overflow": "overflow-x overflow-y",
	"transition": "transition-property transition-duration transition-timing-function transition-delay",
	"animation":  "animation-name animation-duration animation-timing-function animation-delay animation-iteration-count animation-direction animation-fill-mode animation-play-state",
	"columns":    "column-width column-count", "inset": "top right bottom left", "gap": "row-gap column-gap",
	"text-decoration": "text-decoration-line text-decoration-style text-decoration-color",
	"grid-area":       "grid-row grid-column grid-row-start grid-row-end grid-column-start grid-column-end",
	"place-items":     "align-items justify-items", "place-content": "align-content justify-content", "place-self": "align-self justify-self",
}

var longhands = func() map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for name, list := range shorthands {
		m[name] = syntax.WordSet(list)
	}
	return m
}()

func checkShorthands(p *validate.Pass, list []dom.Decl) {
	for j := range list {
		d := &list[j]
		prefix, base := vendor(d.Name)
		set := longhands[base]
		if set == nil {
			continue
		}
		for i := range list[:j] {
			first := &list[i]
			if name, ok := strings.CutPrefix(first.Name, prefix); ok && set[name] && (d.Important || !first.Important) && covers(first.Value, d.Value) && p.Written(first.Start, d.End) {
				p.Report(first.Start, first.End, "%s on line %d resets %s, so this has no effect: write it after the shorthand.", d.Name, p.Tree.Position(d.Start).Line+1, first.Name)
			}
		}
	}
}

// oldWords are keywords that every browser has ever known.
var oldWords = syntax.WordSet(`auto none normal block inline hidden visible scroll absolute relative fixed static left right center top bottom both bold bolder lighter italic
	underline solid dotted dashed double inset outset ridge groove thin medium thick transparent red green blue white black gray silver yellow orange purple
	uppercase lowercase capitalize nowrap pointer default middle baseline repeat no-repeat repeat-x repeat-y disc circle square decimal outside inside collapse separate
	serif sans-serif monospace arial helvetica verdana ease linear all opacity`)

// oldUnits are the units that every browser has ever known.
var oldUnits = syntax.WordSet("px em ex pt pc cm mm in s ms deg")

// covers reports whether all browsers that understand the first value
// understand the second as well: only then the first is of no use.
func covers(first, second string) bool {
	known := map[string]bool{}
	for _, f := range needs(first) {
		known[f] = true
	}
	for _, f := range needs(second) {
		if !known[f] {
			return false
		}
	}
	return true
}

// needs lists what of a value not every browser has always known.
func needs(value string) []string {
	var list []string
	for _, t := range dom.Significant(value, 0) {
		text := strings.ToLower(t.Text)
		switch _, unit := t.Unit(); {
		case t.Kind == dom.Dimension && oldUnits[unit], t.Kind == dom.Ident && (oldWords[text] || hasColor(text) || strings.HasPrefix(text, "--")), t.Kind == dom.Number, t.Kind == dom.Percent, t.Kind == dom.String:
		case t.Kind == dom.Hash && (len(text) == 4 || len(text) == 7):
		case t.Kind == dom.Dimension:
			list = append(list, unit)
		case t.Kind == dom.Hash:
			list = append(list, "alpha")
		case t.Kind == dom.URL:
			target, _ := t.Target()
			if ending := strings.ToLower(target[strings.LastIndexByte(target, '.')+1:]); !syntax.HasWord("png jpg jpeg gif", ending) {
				list = append(list, "url", ending)
			}
		case text != ")" && text != "-":
			list = append(list, text)
		}
	}
	return list
}

func hasColor(name string) bool { _, ok := namedColors[name]; return ok }

// standardNow are the properties that vendors named first and that all browsers
// know without a prefix.
var standardNow = syntax.WordSet(`animation animation-name animation-duration animation-delay animation-iteration-count animation-timing-function animation-direction animation-fill-mode
	border-radius border-top-left-radius border-top-right-radius border-bottom-left-radius border-bottom-right-radius box-shadow box-sizing
	column-count column-gap column-width columns flex flex-direction flex-wrap flex-flow justify-content align-items align-content align-self order
	transform transform-origin transition transition-property transition-duration transition-delay transition-timing-function
	user-select hyphens filter backdrop-filter clip-path background-size opacity`)

func checkVendorOnly(p *validate.Pass, r *dom.Rule) {
	engine := func(s string) bool {
		return strings.Contains(s, ":-") || strings.Contains(s, "-webkit-") || strings.Contains(s, "-moz-")
	}
	for q := r; q != nil; q = q.Parent {
		if engine(q.Prelude) || q.At == "supports" || q.At == "font-face" || q.At == "keyframes" && p.Text[q.Start+1] == '-' {
			return
		}
	}
	set := map[string]bool{}
	for i := range r.Decls {
		d := &r.Decls[i]
		set[strings.TrimLeft(d.Name, "*_")] = true
		for long := range longhands[d.Name] {
			set[long] = true
		}
	}
	for i := range r.Decls {
		d := &r.Decls[i]
		prefix, base := vendor(d.Name)
		if prefix == "-ms-" || strings.Contains(strings.ToLower(d.Value), "translatez(") || strings.Contains(strings.ToLower(d.Value), "translate3d(0") {
			continue // for Internet Explorer, and a hint to draw in a layer of its own
		}
		if prefix == "" || !standardNow[base] || set[base] || strings.Contains(d.Value, "-webkit-") || strings.Contains(strings.ToLower(d.Value), "microsoft") {
			continue
		}
		set[base] = true
		p.Report(d.Start, d.NameEnd, "Only the browsers of one vendor support %s: add %s after it.", d.Name, base)
	}
}

// rightlyImportant reports whether importance is the usual tool for what a rule does.
func rightlyImportant(r *dom.Rule, d *dom.Decl) bool {
	for q := r; q != nil; q = q.Parent {
		if q.At == "media" && (strings.Contains(q.Prelude, "print") || strings.Contains(q.Prelude, "prefers-") || strings.Contains(q.Prelude, "forced-colors")) || q.At == "keyframes" {
			return true
		}
	}
	if (d.Name == "display" || d.Name == "visibility") && (d.Value == "none" || d.Value == "hidden") {
		return true
	}
	for _, s := range r.Selectors {
		last := len(s.Compounds) - 1
		if last < 0 || strings.Contains(r.Prelude, "[hidden") {
			return true
		}
		if last > 0 || s.Compounds[0].ID != "" || len(s.Compounds[0].Classes) != 1 || s.Compounds[0].Tag != "" {
			return false
		}
	}
	return true
}
