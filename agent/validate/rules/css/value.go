package css

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// nameRules find what browsers drop because they do not know it.
var nameRules = validate.Authored([]validate.Rule{{
	ID: "css-unknown-property", Title: "Unknown property", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"property-no-unknown"}, validate.Biome: {"noUnknownProperty"}},
	Doc: "Browsers drop a declaration with an unknown property, usually a misspelling. Vendor-prefixed properties (`-webkit-…`), custom properties (`--…`), hacks " +
		"(`*zoom`) and descriptors of at-rules pass.",
	File: "a.css", Bad: ".card { bakground: white; }\n", Good: ".card { background: white; -webkit-hyphens: auto; --bakground: white; }\n",
	Check: decls(checkProperty),
}, {
	ID: "css-invalid-value", Title: "Invalid value for the property", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"declaration-property-value-no-unknown"}},
	Doc: "Browsers drop a declaration whose value does not fit the property: `width: 10` has no unit, `display: inline-blok` is not a keyword, `padding: -4px` may not be " +
		"negative. Values with variables, vendor keywords or unknown functions pass.",
	File: "a.css", Bad: ".card { width: 240; }\n", Good: ".card { width: 240px; display: -webkit-box; height: var(--height); }\n",
	Check: decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		if checkDescriptor(p, r, d) || inDescriptors(r) || custom(d) || strings.ContainsAny(d.Value, "\\!") || mistyped(d) || again(r, d) {
			return
		}
		if !dom.KnownCSS().Fits(d.Name, d.Value) {
			p.Report(d.ValueStart, d.ValueEnd, "Invalid value of %s: %s. Browsers drop the declaration.%s", d.Name, syntax.Clip(d.Value), unitless(d))
		}
	}),
}, {
	ID: "css-unknown-unit", Title: "Unknown unit", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"unit-no-unknown"}, validate.Biome: {"noUnknownUnit"}},
	Doc:     "Browsers drop a declaration with an unknown unit, such as `12xp`.",
	File:    "a.css", Bad: ".card { margin: 12xp; }\n", Good: ".card { margin: 12px 1rem 2cqi; }\n",
	Check: decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		if custom(d) || d.Name == "unicode-range" || strings.Contains(d.Value, "\\") {
			return
		}
		for _, t := range dom.Tokens(d.Value, d.ValueStart) {
			if _, unit := t.Unit(); t.Kind == dom.Dimension && dom.CSSUnits[unit] == "" && unit != "n" && !strings.HasPrefix(unit, "n-") {
				p.Report(t.Start, t.End, "Unknown unit %s: browsers drop the declaration.%s", unit, syntax.DidYouMean(unit, func(s string) bool { return dom.CSSUnits[s] != "" }))
			}
		}
	}),
}, {
	ID: "css-invalid-hex-color", Title: "Invalid hexadecimal color", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"color-no-invalid-hex"}},
	Doc:     "A hexadecimal color has three, four, six or eight digits after the `#`. Browsers drop a declaration with any other.",
	File:    "a.css", Bad: ".card { color: #ffff1; }\n", Good: ".card { color: #ff1; background: #11223344; fill: url(#ffff1); }\n",
	Check: decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		if custom(d) || dom.KnownCSS().Properties[d.Name] == "" || strings.Contains(d.Value, "\\") || strings.Contains(strings.ToLower(d.Value), "progid") {
			return
		}
		for _, t := range dom.Tokens(d.Value, d.ValueStart) {
			if t.Kind == dom.Hash && !hexColor(t.Text[1:]) {
				p.Report(t.Start, t.End, "Invalid color %s: write three, four, six or eight hexadecimal digits.", t.Text)
			}
		}
	}),
}, {
	ID: "css-unknown-at-rule", Title: "Unknown at-rule", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"at-rule-no-unknown"}, validate.Biome: {"noUnknownAtRules"}},
	Doc: "Browsers drop an unknown at-rule with everything in it. At-rules of build tools (Tailwind's `@apply`, Sass's `@mixin`, PostCSS's `@custom-media`) and of vendors " +
		"pass.",
	File: "a.css", Bad: "@meda print { nav { display: none; } }\n", Good: "@media print { nav { display: none; } }\n@tailwind base;\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		if r.At != "" && p.Text[r.Start+1] != '-' && !dom.KnownCSS().AtRules[r.At] && !toolRules[r.At] {
			p.Report(r.Start, r.Start+1+len(r.At), "Unknown at-rule @%s.%s", r.At, syntax.DidYouMean(r.At, func(s string) bool { return dom.KnownCSS().AtRules[s] }))
		}
	}),
}, {
	ID: "css-unknown-pseudo", Title: "Unknown pseudo-class or pseudo-element", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"selector-pseudo-class-no-unknown", "selector-pseudo-element-no-unknown"}, validate.Biome: {"noUnknownPseudoClass"}},
	Doc:     "Browsers drop the whole rule if one of its selectors has an unknown pseudo-class. Those of vendors (`::-moz-…`) and build tools (`:global`, `::v-deep`) pass.",
	File:    "a.css", Bad: "a:hoover { color: red; }\n", Good: "a:hover, input::-moz-placeholder, :global(.x) { color: red; }\n",
	Check: validate.SheetRules(func(p *validate.Pass, r *dom.Rule) {
		for _, s := range r.Selectors {
			checkPseudos(p, s)
		}
	}),
}})

func hasKey(m map[string]string, name string) bool { _, ok := m[name]; return ok }

// marginBox reports whether a rule is a part of a page's margin, such as
// @top-left, in which properties stand.
func marginBox(r *dom.Rule) bool { return r.Parent != nil && r.Parent.At == "page" }

func checkProperty(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
	k := dom.KnownCSS()
	if prefix, _ := vendor(d.Name); prefix != "" || custom(d) || strings.ContainsAny(d.Name, "\\$@") {
		return
	}
	if _, ok := k.Properties[d.Name]; ok {
		return
	}
	for q := r; q != nil; q = q.Parent {
		if q.At != "" && !k.AtRules[q.At] || hasKey(k.Descriptors[q.At], d.Name) || q.At == "font-feature-values" || toolRules[q.At] && k.Descriptors[q.At] == nil && !marginBox(q) {
			return
		}
		if strings.HasPrefix(q.Prelude, ":export") || strings.HasPrefix(q.Prelude, ":import") {
			return // of CSS modules
		}
	}
	p.Report(d.Start, d.NameEnd, "Unknown property %s: the declaration has no effect.%s", d.Name, syntax.DidYouMean(d.Name, func(s string) bool { _, ok := k.Properties[s]; return ok }))
}

// inDescriptors reports whether the declarations of a rule are descriptors,
// with values of their own.
func inDescriptors(r *dom.Rule) bool {
	return r != nil && r.At != "" && r.At != "media" && r.At != "supports" && r.At != "layer" && r.At != "container" && r.At != "scope" && r.At != "starting-style"
}

// checkDescriptor looks at the value of a descriptor and reports whether d is one.
func checkDescriptor(p *validate.Pass, r *dom.Rule, d *dom.Decl) bool {
	k := dom.KnownCSS()
	if r == nil || k.Descriptors[r.At] == nil {
		return false
	}
	form := k.Descriptors[r.At][d.Name]
	if r.At == "property" && d.Name == "syntax" {
		if wrong := syntaxFault(d.Value); wrong != "" {
			p.Report(d.ValueStart, d.ValueEnd, "Browsers ignore this @property: %s.", wrong)
		}
	} else if form != "" && d.Name != "src" && d.Name != "unicode-range" && !strings.ContainsAny(d.Value, "\\!") && !again(r, d) && !k.Suits(form, d.Value) {
		p.Report(d.ValueStart, d.ValueEnd, "Invalid value of %s: %s. Browsers ignore it.", d.Name, syntax.Clip(d.Value))
	}
	return hasKey(k.Descriptors[r.At], d.Name)
}

// propertyTypes are the types that the syntax of @property may name.
var propertyTypes = syntax.WordSet("length number percentage length-percentage color image url integer angle time resolution transform-function transform-list custom-ident string")

// syntaxFault says what is wrong with the syntax of @property; "" where nothing is.
func syntaxFault(value string) string {
	text := strings.TrimSpace(strings.Trim(strings.TrimSpace(value), `"'`))
	if len(value) < 2 || strings.IndexByte(`"'`, value[0]) < 0 || strings.Contains(value, "\\") || text == "*" {
		return ""
	}
	for _, part := range strings.Split(text, "|") {
		part = strings.TrimRight(strings.TrimSpace(part), "+#")
		name, isType := strings.CutPrefix(part, "<")
		if isType && (!strings.HasSuffix(name, ">") || !propertyTypes[strings.TrimSuffix(name, ">")]) {
			return "unknown type " + part + " in it"
		}
		if part == "" || !isType && strings.ContainsAny(part, " *?!&[]{}") {
			return "its syntax takes types, words and | only, followed by + or #"
		}
	}
	return ""
}

// again reports whether a rule sets the property of a declaration more than
// once: what one browser drops is for another.
func again(r *dom.Rule, d *dom.Decl) bool {
	for i := 0; r != nil && i < len(r.Decls); i++ {
		if r.Decls[i].Name == d.Name && r.Decls[i].Start != d.Start {
			return true
		}
	}
	return false
}

// mistyped reports whether a value has a mistake that another rule tells.
func mistyped(d *dom.Decl) bool {
	for _, t := range dom.Tokens(d.Value, d.ValueStart) {
		if _, unit := t.Unit(); t.Kind == dom.Dimension && dom.CSSUnits[unit] == "" {
			return true
		}
	}
	return false
}

// unitless says what is mostly wrong with a number where a length is wanted.
func unitless(d *dom.Decl) string {
	for _, t := range dom.Tokens(d.Value, d.ValueStart) {
		if t.Kind == dom.Number && !dom.IsZero(t) && dom.KnownCSS().Fits(d.Name, d.Value[:t.End-d.ValueStart]+"px"+d.Value[t.End-d.ValueStart:]) {
			return " " + t.Text + " needs a unit, such as px."
		}
	}
	return ""
}

func hexColor(digits string) bool {
	for _, c := range digits {
		if !strings.ContainsRune("0123456789abcdefABCDEF", c) {
			return false
		}
	}
	n := len(digits)
	return n == 3 || n == 4 || n == 6 || n == 8
}

// toolRules are the at-rules that build tools take out, and those of other or
// later CSS that the table does not have.
var toolRules = syntax.WordSet(`tailwind apply screen variants responsive layer config plugin theme utility variant custom-variant source reference slot
	include mixin extend if else for each while function return use forward debug warn error at-root content value custom-media custom-selector
	define-mixin mixin-content nest viewport host region annotation stylistic styleset swash ornaments character-variant historical-forms
	color-profile counter-style container scope starting-style view-transition position-try property font-palette-values function
	top-left-corner top-left top-center top-right top-right-corner bottom-left-corner bottom-left bottom-center bottom-right bottom-right-corner
	left-top left-middle left-bottom right-top right-middle right-bottom`)

// toolPseudos are those of build tools and of engines that name them without a prefix.
var toolPseudos = syntax.WordSet(`:global :local :export :import :deep :slotted ::deep ::v-deep ::v-slotted ::v-global ::ng-deep :has-text :matches :any :contains :vertical :horizontal
	:increment :decrement :start :end :double-button :single-button :no-button :corner-present :window-inactive :nth-col :nth-last-col :current :selection
	:external :interactive-target :focus-ring :user-error :checkmark ::column ::search-text ::scroll-button ::scroll-marker ::interest-button ::inactive-selection
	::content ::shadow ::after ::before :first-line :first-letter :before :after ::outside ::alternate ::reveal ::clear ::expand
	:popover-open :open :modal :autofill :placeholder :input-placeholder`)

func checkPseudos(p *validate.Pass, s *dom.Selector) {
	if !s.Valid {
		return
	}
	k := dom.KnownCSS()
	for _, c := range s.Compounds {
		for _, x := range c.Pseudos {
			// Which of the two forms was written does not matter here: :before is ::before.
			ok := strings.HasPrefix(x.Name, "-") || strings.Contains(x.Name, "\\") || k.Pseudos[":"+x.Name] || k.Pseudos["::"+x.Name] || toolPseudos[":"+x.Name] || toolPseudos["::"+x.Name]
			if !ok {
				p.Report(c.Start, c.End, "Unknown pseudo-class or pseudo-element %s: browsers drop the whole rule.%s", x.Name,
					syntax.DidYouMean(x.Name, func(n string) bool { return k.Pseudos[":"+n] || k.Pseudos["::"+n] }))
			}
		}
	}
}
