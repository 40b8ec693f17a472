package css

import (
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// detailRules are about single values.
var detailRules = validate.Authored([]validate.Rule{{
	ID: "css-calc-spaces", Title: "Missing spaces around + or - in calc()", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"function-calc-no-unspaced-operator"}},
	Doc:     "`calc(100% -10px)` is two values side by side, and browsers drop the declaration: `+` and `-` need a space on both sides.",
	File:    "a.css", Bad: ".card { width: calc(100% -10px); }\n", Good: ".card { width: calc(100% - 10px * -1); }\n",
	Check: decls(checkCalc),
}, {
	ID: "css-invalid-grid-areas", Title: "Grid areas that do not form rectangles", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"named-grid-areas-no-invalid"}, validate.Biome: {"noInvalidGridAreas"}},
	Doc:     "Browsers drop `grid-template-areas` if its rows differ in their number of cells, or if the cells of a name do not form a rectangle.",
	File:    "a.css", Bad: ".page { grid-template-areas: \"head head\" \"nav\"; }\n", Good: ".page { grid-template-areas: \"head head\" \"nav .\"; }\n",
	Check: decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		if wrong := gridFault(d); wrong != "" {
			p.Report(d.ValueStart, d.ValueEnd, "Browsers ignore these grid areas: %s.", wrong)
		}
	}, "grid-template-areas"),
}, {
	ID: "css-generic-font", Title: "Font list without a generic family", Severity: validate.Warning, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"font-family-no-missing-generic-family-keyword"}, validate.Biome: {"useGenericFontNames"}},
	Doc: "If none of the fonts is installed, the browser uses its default, usually a serif font. End the list with `serif`, `sans-serif`, `monospace` or another generic " +
		"family. Icon fonts, fonts defined in the same file, and lists with variables pass.",
	File: "a.css", Bad: "body { font-family: \"Open Sans\", Arial; }\n", Good: "body { font-family: \"Open Sans\", Arial, sans-serif; }\n.icon::before { font-family: FontAwesome; }\n",
	Check: decls(checkFonts, "font-family", "font"),
}, {
	ID: "css-zero-unit", Title: "Unit on a zero length", Severity: validate.Info, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"length-zero-no-unit"}},
	Doc:     "Zero is the same in all units of length. Inside of functions, in `flex` and in custom properties the unit may matter and passes.",
	File:    "a.css", Bad: ".card { margin: 0px auto; }\n", Good: ".card { margin: 0 auto; width: calc(0px + 1em); flex: 1 1 0px; --gap: 0px; transition: opacity 0s; }\n",
	Check: decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		if custom(d) || strings.HasPrefix(d.Name, "flex") || strings.HasPrefix(d.Name, "-") || d.Name == "line-height" || d.Name == "font" {
			return
		}
		level := 0
		for _, t := range dom.Tokens(d.Value, d.ValueStart) {
			if t.Kind == dom.Function || t.Text == "(" {
				level++
			} else if t.Text == ")" {
				level--
			}
			number, unit := t.Unit()
			if level == 0 && t.Kind == dom.Dimension && dom.CSSUnits[unit] == "length" && strings.Trim(number, "0.+-") == "" {
				p.Offer(t.Start, t.End, &validate.Fix{Title: "Write 0", Edits: []validate.Edit{{Start: t.Start, End: t.End, New: "0"}}}, "Zero needs no unit: write 0.")
			}
		}
	}),
}, {
	ID: "css-bem-naming", Title: "Class name that breaks the BEM naming of its style sheet", Severity: validate.Info, Category: validate.Styles,
	Aliases: validate.Aliases{validate.Stylelint: {"selector-class-pattern"}},
	Doc: "BEM names are `block`, `block__element` and `block--modifier` or `block__element--modifier`. An element of an element (`card__head__title`) and a modifier of a " +
		"modifier encode the position of the element and must change when it moves. Checked only in style sheets written in BEM: those with three or more elements.",
	File: "a.css", Bad: ".card__head { top: 0; }\n.card__body { top: 0; }\n.card__body__title { top: 0; }\n", Good: ".card__head { top: 0; }\n.card__body { top: 0; }\n.card__title--big { top: 0; }\n",
	Check: validate.Sheets(checkBEM),
}})

func checkCalc(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
	if custom(d) {
		return
	}
	tokens := dom.Tokens(d.Value, d.ValueStart)
	var inMath []bool // of each open bracket
	for i, t := range tokens {
		switch {
		case t.Kind == dom.Function:
			name := strings.ToLower(t.Text[:len(t.Text)-1])
			inMath = append(inMath, (dom.CSSMath[name] || name == "calc-size") && name != "anchor" && name != "anchor-size")
			continue
		case t.Text == "(":
			inMath = append(inMath, len(inMath) > 0 && inMath[len(inMath)-1])
			continue
		case t.Text == ")" && len(inMath) > 0:
			inMath = inMath[:len(inMath)-1]
			continue
		}
		if len(inMath) == 0 || !inMath[len(inMath)-1] || i == 0 || i+1 == len(tokens) {
			continue
		}
		sign := t.Kind == dom.Mark && (t.Text == "+" || t.Text == "-")
		signed := (t.Kind == dom.Number || t.Kind == dom.Percent || t.Kind == dom.Dimension) && (t.Text[0] == '+' || t.Text[0] == '-') && operand(tokens[:i])
		if sign && operand(tokens[:i]) && (tokens[i-1].Kind != dom.White || tokens[i+1].Kind != dom.White) || signed {
			before, after := " ", " "
			if tokens[i-1].Kind == dom.White {
				before = ""
			}
			if sign && tokens[i+1].Kind == dom.White {
				after = ""
			}
			fix := &validate.Fix{Title: "Put spaces around it", Edits: []validate.Edit{{Start: t.Start, End: t.Start + 1, New: before + t.Text[:1] + after}}}
			p.Offer(d.ValueStart, d.ValueEnd, fix, "Browsers drop this value: the %s in it needs a space on both sides.", t.Text[:1])
			return
		}
	}
}

// operand reports whether what stands last is a number or closes a bracket, so
// that a sign behind it is an operator.
func operand(tokens []dom.Token) bool {
	for i := len(tokens) - 1; i >= 0; i-- {
		switch t := tokens[i]; t.Kind {
		case dom.White, dom.Remark:
			continue
		case dom.Number, dom.Percent, dom.Dimension:
			return true
		default:
			return t.Text == ")"
		}
	}
	return false
}

// gridFault says what is wrong with grid areas; "" where nothing is.
func gridFault(d *dom.Decl) string {
	type box struct{ top, left, bottom, right, cells int }
	boxes, order, width, rows := map[string]*box{}, []string{}, -1, 0
	for _, t := range dom.Significant(d.Value, d.ValueStart) {
		if t.Kind != dom.String || len(t.Text) < 2 || strings.Contains(t.Text, "\\") {
			return ""
		}
		cells := strings.Fields(t.Text[1 : len(t.Text)-1])
		if width >= 0 && len(cells) != width {
			return "the rows have different numbers of cells"
		}
		width = len(cells)
		for x, name := range cells {
			if strings.Trim(name, ".") == "" {
				continue
			}
			b := boxes[name]
			if b == nil {
				b = &box{top: rows, left: x, right: x}
				boxes[name], order = b, append(order, name)
			}
			b.left, b.right, b.bottom = min(b.left, x), max(b.right, x), rows
			b.cells++
		}
		if rows++; width == 0 {
			return "a row has no cells"
		}
	}
	for _, name := range order {
		if b := boxes[name]; (b.bottom-b.top+1)*(b.right-b.left+1) != b.cells {
			return "the cells of " + name + " do not form a rectangle"
		}
	}
	return ""
}

var genericFonts = syntax.WordSet(`serif sans-serif monospace cursive fantasy system-ui ui-serif ui-sans-serif ui-monospace ui-rounded math emoji fangsong kai
	inherit initial unset revert revert-layer caption icon menu message-box small-caption status-bar`)

func checkFonts(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
	if r != nil && (r.At != "" || strings.Contains(r.Prelude, "icon") || r.Decl("content") != nil || strings.Contains(r.Prelude, "::before") || strings.Contains(r.Prelude, ":before")) {
		return
	}
	list, ok := fontFamilies(d)
	if !ok || len(list) == 0 {
		return
	}
	for _, f := range list {
		name := strings.ToLower(f.name)
		if f.generic || dom.IsIconFont(name) || strings.HasPrefix(name, "-") || strings.Contains(name, "=") {
			return // also in the middle: the author thought of it
		}
	}
	last := list[len(list)-1]
	if last.name != "" && !(len(list) == 1 && ownFonts(p)[strings.ToLower(last.name)]) {
		p.Report(list[0].start, last.end, "If %s is missing, the browser uses its default font: end the list with sans-serif, serif or monospace.", last.name)
	}
}

// ownFonts are the fonts that the file brings along.
func ownFonts(p *validate.Pass) map[string]bool {
	own := map[string]bool{}
	for _, s := range p.Styles() {
		for _, r := range s.All {
			if d := r.Decl("font-family"); r.At == "font-face" && d != nil {
				own[strings.ToLower(strings.Trim(d.Value, `"'`))] = true
			}
		}
	}
	return own
}

func checkBEM(p *validate.Pass, s validate.Style) {
	elements := map[string]bool{}
	for _, r := range s.All {
		for _, sel := range r.Selectors {
			for _, c := range sel.Compounds {
				for _, class := range c.Classes {
					if block, _, ok := strings.Cut(class, "__"); ok && block != "" {
						elements[class] = true
					}
				}
			}
		}
	}
	if len(elements) < 3 {
		return
	}
	told := map[string]bool{}
	for _, r := range s.All {
		for _, sel := range r.Selectors {
			for _, c := range sel.Compounds {
				for i, class := range c.Classes {
					if wrong := bemFault(class); wrong != "" && !told[class] && p.Written(c.Start, c.End) {
						told[class] = true
						p.Report(c.ClassAt[i], min(c.ClassAt[i]+len(class), c.End), "%s is not a BEM name: %s.", class, wrong)
					}
				}
			}
		}
	}
}

// bemFault says what of a class name is not as BEM has it.
func bemFault(class string) string {
	block, element, ok := strings.Cut(class, "__")
	if !ok || block == "" || element == "" {
		return ""
	}
	if strings.Contains(element, "__") {
		return "an element has no elements; name it after the block only"
	}
	name, modifier, ok := strings.Cut(element, "--")
	if ok && name != "" && strings.Contains(strings.Trim(modifier, "-"), "--") {
		return "a modifier has no modifiers; use two classes"
	}
	return ""
}
