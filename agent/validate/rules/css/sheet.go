package css

import (
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// sheetRules are about rules of a sheet, their selectors and their order.
var sheetRules = validate.Authored([]validate.Rule{{
	ID: "css-id-selector", Title: "ID selector in a style sheet that styles by classes", Severity: validate.Info, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"selector-max-id"}},
	Doc: "No class can override an ID selector, and it fits only one element of a page. Use a class. Checked in style sheets that style by classes, and reported for the first " +
		"ID of a sheet; IDs beside other selectors in a list, and IDs of the page's root (`#app`, `#root`, `#main`), pass.",
	File: "a.css", Bad: ".card { top: 0; }\n.note { top: 0; }\n#price { color: red; }\n", Good: ".card { top: 0; }\n.note { top: 0; }\n#app { min-height: 100vh; }\n.price { color: red; }\n",
	Check: validate.Sheets(checkIDs),
}, {
	ID: "css-duplicate-selector", Title: "Duplicate selector", Severity: validate.Info, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"no-duplicate-selectors"}},
	Doc: "Whoever changes one of the rules overlooks the other. Merge them, unless a rule between them needs the order. Compared within one at-rule or one rule; selector " +
		"lists are compared as a whole.",
	File: "a.css", Bad: ".card { color: red; }\n.note { top: 0; }\n.card { margin: 0; }\n", Good: ".card { color: red; }\n@media print { .card { margin: 0; } }\n.card, .note { top: 0; }\n",
	Check: validate.Sheets(checkSelectors),
}, {
	ID: "css-duplicate-keyframe", Title: "Duplicate keyframe selector", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"keyframe-block-no-duplicate-selectors"}, validate.Biome: {"noDuplicateSelectorsKeyframeBlock"}},
	Doc:     "Usually one of the two percentages is a mistake, or one animation was pasted into another.",
	File:    "a.css", Bad: "@keyframes in { 0% { top: 0; } 0% { top: 9px; } }\n", Good: "@keyframes in { from { top: 0; } to { top: 9px; } }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		seen := map[string]bool{}
		for _, step := range r.Rules {
			name := strings.ToLower(strings.Join(strings.Fields(step.Prelude), ""))
			if seen[name] && name != "" {
				p.Report(step.Start, step.PreludeEnd, "The keyframe %s is already defined above.", syntax.Clip(step.Prelude))
			}
			seen[name] = true
		}
	}, "keyframes"),
}, {
	ID: "css-duplicate-import", Title: "Duplicate @import", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"no-duplicate-at-import-rules"}, validate.Biome: {"noDuplicateAtImportRules"}},
	Doc:     "The browser applies the style sheet a second time, after everything in between.",
	File:    "a.css", Bad: "@import \"base.css\";\n@import url(base.css);\n", Good: "@import \"base.css\";\n@import \"base.css\" print;\n",
	Check: validate.Sheets(checkSheetImports),
}, {
	ID: "css-duplicate-font", Title: "Duplicate font in a font list", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"font-family-no-duplicate-names"}, validate.Biome: {"noDuplicateFontNames"}},
	Doc:     "The second occurrence is never reached. `monospace, monospace`, which stops browsers from shrinking the text, passes.",
	File:    "a.css", Bad: "body { font-family: Arial, Helvetica, arial, sans-serif; }\n", Good: "body { font-family: Arial, Helvetica, sans-serif; }\ncode { font-family: monospace, monospace; }\n",
	Check: decls(checkFontTwice, "font-family", "font"),
}, {
	ID: "css-unmatchable-nth", Title: ":nth-child() that matches nothing", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"selector-anb-no-unmatchable"}, validate.Biome: {"noUnmatchableAnbSelector"}},
	Doc:     "Children are counted from 1, so `:nth-child(0)` matches none.",
	File:    "a.css", Bad: "li:nth-child(0) { color: red; }\n", Good: "li:nth-child(1), li:nth-child(-n+3) { color: red; }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		for _, s := range r.Selectors {
			for _, c := range s.Compounds {
				for _, x := range c.Pseudos {
					if strings.HasPrefix(x.Name, "nth-") && matchesNothing(x.Arg) {
						p.Report(c.Start, c.End, "%s(%s) matches nothing: children are counted from 1.", x.Name, syntax.Clip(x.Arg))
					}
				}
			}
		}
	}),
}, {
	ID: "css-unknown-element", Title: "Unknown element in a selector", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"selector-type-no-unknown"}},
	Doc: "No page has such an element; usually a dot or a # is missing. HTML, SVG and MathML elements, custom elements (with a hyphen), prefixed names, and nested names of " +
		"tools pass.",
	File: "a.css", Bad: "buton { color: red; }\ncard p { top: 0; }\n", Good: "button, my-card, svg|a, clipPath { color: red; }\n.card p { top: 0; }\n",
	Check: validate.Sheets(checkElements),
}, {
	ID: "css-nesting-root", Title: "Nesting selector & outside a rule", Severity: validate.Info, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"nesting-selector-no-missing-scoping-root"}},
	Doc:     "Outside a rule, `&` is the root of the page, which `:root` says more clearly. Usually the rule around it was lost.",
	File:    "a.css", Bad: "&:hover { color: red; }\n", Good: "a { &:hover { color: red; } }\n@scope (.card) { & { top: 0; } }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		for q := r.Parent; q != nil; q = q.Parent {
			if q.At == "" || q.At == "scope" || toolRules[q.At] {
				return
			}
		}
		for _, s := range r.Selectors {
			for _, c := range s.Compounds {
				if nests(&c) {
					p.Report(c.Start, c.End, "This & is outside a rule: write :root, or nest it.")
					return
				}
			}
		}
	}),
}, {
	ID: "css-stray-declaration", Title: "Declaration outside a rule", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"no-invalid-position-declaration"}},
	Doc: "Inside `@media` and other at-rules, a declaration without a selector applies to nothing, and browsers drop it: write a selector around it. Inside a rule it is " +
		"correct.",
	File: "a.css", Bad: "@media print { color: black; }\n", Good: "@media print { a { color: black; } }\na { @media print { color: black; } }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		for q := r.Parent; q != nil; q = q.Parent {
			if q.At == "" || q.At == "scope" || q.At == "page" || toolRules[q.At] && q.At != "container" && q.At != "layer" {
				return
			}
		}
		if len(r.Decls) > 0 {
			d := &r.Decls[0]
			p.Report(d.Start, d.End, "Browsers drop this declaration: it is outside a rule. Add a selector.")
		}
	}, "media", "supports", "container", "layer"),
}, {
	ID: "css-missing-var", Title: "Custom property used without var()", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"custom-property-no-missing-var-function"}, validate.Biome: {"noMissingVarFunction"}},
	Doc: "`color: --brand` is not a color: write `var(--brand)`. Reported where the file itself sets the property. Properties whose values are property names, such as " +
		"`transition-property`, pass.",
	File: "a.css", Bad: ":root { --brand: red; }\na { color: --brand; }\n", Good: ":root { --brand: red; }\na { color: var(--brand); transition: --brand 1s; }\n",
	Check: checkMissingVar,
}, {
	ID: "css-irregular-whitespace", Title: "Irregular white space", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"no-irregular-whitespace"}},
	Doc:     "To CSS a no-break space is a letter: `.card a` with a no-break space is one class name. It usually comes from pasted text. In strings and comments it passes.",
	File:    "a.css", Bad: ".card\u00a0a { color: red; }\n", Good: ".card a::after { content: \"\u00a0\"; /* \u00a0 */ }\n",
	Check: validate.Sheets(checkStyleSpaces),
}, {
	ID: "css-empty-comment", Title: "Empty comment", Severity: validate.Info, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"comment-no-empty"}},
	Doc:     "It says nothing: delete it. `/**/` between two parts of a selector or a value, a workaround for old browsers, passes.",
	File:    "a.css", Bad: "/* */\na { color: red; }\n", Good: "/* links */\na { color/**/: red; }\n",
	Check: validate.Sheets(func(p *validate.Pass, s validate.Style) {
		if p.Page() != nil {
			return // what is masked looks empty
		}
		for _, t := range dom.Tokens(p.Text, 0) {
			if t.Kind == dom.Remark && strings.Trim(t.Text, "/* \t\r\n\f") == "" && strings.HasSuffix(t.Text, "*/") && ownLine(p.Text, t) && !strings.Contains(t.Text, "***") {
				p.Offer(t.Start, t.End, &validate.Fix{Title: "Delete the comment", Edits: []validate.Edit{{Start: t.Start, End: t.End}}}, "This comment is empty: delete it.")
			}
		}
	}),
}})

// ownLine reports whether nothing stands before a token on its line but what ends a statement.
func ownLine(text string, t dom.Token) bool {
	before := strings.TrimRight(text[:t.Start], " \t\r\n\f")
	return before == "" || strings.IndexByte("{};/", before[len(before)-1]) >= 0
}

// nests reports whether a compound has an &, also in its pseudo-classes.
func nests(c *dom.Compound) bool {
	if c.Nesting {
		return true
	}
	for _, x := range c.Pseudos {
		for _, s := range x.Args {
			for i := range s.Compounds {
				if nests(&s.Compounds[i]) {
					return true
				}
			}
		}
	}
	return false
}

func checkSelectors(p *validate.Pass, s validate.Style) {
	type place struct {
		parent   *dom.Rule
		selector string
	}
	seen := map[place]*dom.Rule{}
	for _, r := range s.All {
		if r.At != "" || !r.Block || len(r.Selectors) == 0 || r.In("keyframes") || len(r.Decls)+len(r.Rules) == 0 || !p.Written(r.Start, r.End) {
			continue
		}
		key := place{r.Parent, plainSelector(r.Prelude)}
		if key.selector == "" {
			continue
		}
		if first := seen[key]; first != nil {
			p.Report(r.Start, r.PreludeEnd, "%s already has a rule on line %d: merge the two.", syntax.Clip(r.Prelude), p.Tree.Position(first.Start).Line+1)
			continue
		}
		seen[key] = r
	}
}

func checkIDs(p *validate.Pass, s validate.Style) {
	classes, ids := 0, 0
	var first *dom.Compound
	for _, r := range s.All {
		for _, sel := range r.Selectors {
			for i := range sel.Compounds {
				c := &sel.Compounds[i]
				classes += len(c.Classes)
				if c.ID == "" || !p.Written(c.Start, c.End) {
					continue
				}
				ids++
				if first == nil && len(r.Selectors) == 1 && i == len(sel.Compounds)-1 && !syntax.HasWord("app root main page content wrapper container __next", strings.ToLower(c.ID)) {
					first = c
				}
			}
		}
	}
	if first != nil && classes > ids {
		p.Report(first.Start, first.End, "No class can override #%s: use a class, as elsewhere in this sheet.", first.ID)
	}
}

// plainSelector is a selector without the white space that has no meaning; "" of hacks.
func plainSelector(text string) string {
	var b strings.Builder
	tokens := dom.Tokens(text, 0)
	for i, t := range tokens {
		switch {
		case t.Kind == dom.Remark:
		case t.Kind == dom.White:
			if i > 0 && i+1 < len(tokens) && !combinator(tokens[i-1]) && !combinator(tokens[i+1]) {
				b.WriteByte(' ')
			}
		default:
			b.WriteString(t.Text)
		}
	}
	if text := b.String(); !strings.Contains(text, "::-") && !strings.Contains(text, ":-") {
		return text
	}
	return ""
}

func combinator(t dom.Token) bool { return t.Kind == dom.Mark && strings.Contains(",>+~()", t.Text) }

func checkSheetImports(p *validate.Pass, s validate.Style) {
	seen := map[string]bool{}
	for _, r := range s.All {
		if r.At != "import" || !p.Written(r.Start, r.End) {
			continue
		}
		key := ""
		for i, t := range dom.Significant(r.Prelude, 0) {
			text := strings.ToLower(t.Text)
			if target, _ := t.Target(); i == 0 && target != "" {
				text = target
			} else if i == 0 {
				text = strings.Trim(t.Text, `"'`)
			}
			key += strings.Trim(text, " \t\r\n\f") + " "
		}
		if seen[key] {
			p.Report(r.Start, r.End, "This style sheet is already imported above.")
		}
		seen[key] = true
	}
}

func checkFontTwice(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
	if r != nil && r.At != "" {
		return
	}
	seen := map[string]bool{}
	families, ok := fontFamilies(d)
	for _, f := range families {
		key := strings.ToLower(f.name)
		if f.generic {
			key = "=" + key // serif is no "serif"
		}
		if ok && seen[key] && f.name != "monospace" {
			p.Report(f.start, f.end, "%s is already in this list.", f.name)
		}
		seen[key] = true
	}
}

// family is a font of a list.
type family struct {
	name       string // without quotes
	generic    bool
	start, end int
}

// fontFamilies takes the list of fonts of font-family or font apart; false where
// it has something else in it.
func fontFamilies(d *dom.Decl) ([]family, bool) {
	tokens := dom.Significant(d.Value, d.ValueStart)
	if d.Name == "font" {
		size := -1
		for i, t := range tokens {
			if t.Kind == dom.Dimension || t.Kind == dom.Percent {
				size = i
				break
			}
		}
		if size < 0 {
			return nil, false
		}
		tokens = tokens[size+1:]
		if len(tokens) > 1 && tokens[0].Text == "/" {
			tokens = tokens[2:]
		}
	}
	var list []family
	var f family
	for i, t := range tokens {
		switch {
		case t.Kind == dom.Ident || t.Kind == dom.String:
			if f.name == "" {
				f = family{start: t.Start, generic: t.Kind == dom.Ident && genericFonts[strings.ToLower(t.Text)]}
			}
			f.name, f.end = strings.TrimSpace(f.name+" "+strings.Trim(t.Text, `"'`)), t.End
		case t.Kind == dom.Mark && t.Text == ",":
			list = append(list, f)
			f = family{}
		default:
			return nil, false
		}
		if i == len(tokens)-1 {
			list = append(list, f)
		}
	}
	return list, true
}

// matchesNothing reports whether An+B is below 1 for every n.
func matchesNothing(arg string) bool {
	text := strings.ToLower(strings.Join(strings.Fields(arg), ""))
	text, _, _ = strings.Cut(text, "of")
	a, b := 0, 0
	var err error
	if step, rest, ok := strings.Cut(text, "n"); ok {
		switch step {
		case "", "+":
			a = 1
		case "-":
			a = -1
		default:
			if a, err = strconv.Atoi(step); err != nil {
				return false
			}
		}
		if rest == "" {
			return a <= 0
		}
		text = rest
	}
	if b, err = strconv.Atoi(text); err != nil {
		return false
	}
	return a <= 0 && b <= 0
}

// pageElements is how many more unknown elements than known ones a sheet may
// name; where there are more, it is for something that is no page.
const pageElements = 4

func checkElements(p *validate.Pass, s validate.Style) {
	k, pages := dom.KnownCSS(), 0
	type miss struct {
		name       string
		start, end int
	}
	var missed []miss
	for _, r := range s.All {
		if r.At != "" && !r.Block {
			continue
		}
		for _, sel := range r.Selectors {
			for i := range sel.Compounds {
				c := &sel.Compounds[i]
				switch {
				case c.Tag == "" || c.Tag == "*" || !sel.Valid || strings.ContainsAny(c.Tag, "-\\|$@{}%"):
				case k.Elements[c.Tag]:
					pages++
				case p.Written(c.Start, c.End) && r.Parent == nil || r.Parent != nil && r.Parent.At != "" && !toolRules[r.Parent.At]:
					missed = append(missed, miss{c.Tag, c.Start, min(c.Start+len(c.Tag), c.End)})
				}
			}
		}
	}
	if len(missed) > pages+pageElements {
		return // a sheet for something that is no page
	}
	for _, m := range missed {
		p.Report(m.start, m.end, "Unknown element %s: is a dot missing?%s", m.name, syntax.DidYouMean(m.name, func(n string) bool { return k.Elements[n] }))
	}
}

// nameTakers are properties whose values are names, dashed ones too.
var nameTakers = syntax.WordSet(`transition transition-property will-change animation animation-name animation-timeline view-transition-name view-transition-class container container-name
	counter-reset counter-increment counter-set grid-area grid-row grid-column grid-row-start grid-row-end grid-column-start grid-column-end grid-template grid-template-areas
	grid-template-columns grid-template-rows grid font-palette anchor-name anchor-scope position-anchor position-try position-try-fallbacks position-try-options position-area
	timeline-scope scroll-timeline scroll-timeline-name view-timeline view-timeline-name list-style list-style-type page composes font-family font text-box src syntax
	font-feature-settings string-set content bookmark-label`)

func checkMissingVar(p *validate.Pass) {
	set := map[string]bool{}
	for _, s := range p.Styles() {
		for _, r := range s.All {
			for i := range r.Decls {
				if custom(&r.Decls[i]) {
					set[r.Decls[i].Name] = true
				}
			}
			if r.At == "property" {
				set[r.Prelude] = true
			}
		}
	}
	if len(set) == 0 {
		return
	}
	decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		if nameTakers[d.Name] || strings.Contains(dom.KnownCSS().Properties[d.Name], "ident>") {
			return
		}
		var open []string
		for _, t := range dom.Significant(d.Value, d.ValueStart) {
			switch {
			case t.Kind == dom.Function || t.Text == "(":
				open = append(open, strings.ToLower(t.Text))
			case t.Text == ")" && len(open) > 0:
				open = open[:len(open)-1]
			case t.Kind == dom.Ident && set[t.Text] && len(open) == 0 && (!custom(d) || d.Value == t.Text):
				p.Offer(t.Start, t.End, &validate.Fix{Title: "Write var(" + t.Text + ")", Edits: []validate.Edit{{Start: t.Start, End: t.End, New: "var(" + t.Text + ")"}}}, "Read a custom property with var(): write var(%s).", t.Text)
			}
		}
	})(p)
}

func checkStyleSpaces(p *validate.Pass, s validate.Style) {
	start, end := 0, len(p.Text)
	if s.Owner != nil {
		start, end = s.Owner.OpenEnd, s.Owner.CloseStart
	}
	if end < start || !strings.ContainsAny(p.Text[start:end], syntax.IrregularSpaces) {
		return
	}
	for _, t := range dom.Tokens(p.Text[start:end], start) {
		if t.Kind == dom.String || t.Kind == dom.Remark || t.Kind == dom.URL {
			continue
		}
		for i, r := range t.Text {
			if !strings.ContainsRune(syntax.IrregularSpaces, r) || r == '\f' || r == '\ufeff' && t.Start+i == 0 {
				continue
			}
			at, to := t.Start+i, t.Start+i+len(string(r))
			p.Offer(at, to, &validate.Fix{Title: "Write a space", Edits: []validate.Edit{{Start: at, End: to, New: " "}}}, "The character U+%04X looks like a space but is a letter to CSS: write a space.", r)
		}
	}
}
