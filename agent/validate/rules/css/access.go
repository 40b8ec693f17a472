package css

import (
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
	"caselsp/agent/validate"
)

// accessRules find styles that shut people out.
var accessRules = validate.Authored([]validate.Rule{{
	ID: "css-focus-outline", Title: "Focus outline removed without a replacement", Severity: validate.Critical, Category: validate.Styles,
	Standards: []string{"WCAG 2.4.7"},
	Aliases:   validate.Aliases{validate.Stylelint: {"a11y/no-outline-none"}, validate.Term: {"outline: none"}},
	Doc: "Keyboard users see by the outline which element has the focus. Remove it only where another style replaces it, on the same selector or on one with `:focus`, " +
		"`:focus-visible` or `:focus-within`: an outline, a border, a shadow, a background, an underline. `:focus:not(:focus-visible)` and elements that only scripts focus " +
		"(`[tabindex=\"-1\"]`) pass.",
	File: "a.css", Bad: "a:focus { outline: none; }\n", Good: "a:focus { outline: none; }\na:focus-visible { box-shadow: 0 0 0 2px navy; }\n",
	Check: checkFocus,
}, {
	ID: "css-contrast", Title: "Insufficient color contrast", Severity: validate.Warning, Category: validate.Styles,
	Standards: []string{"WCAG 1.4.3"},
	Aliases:   validate.Aliases{validate.Axe: {"color-contrast"}},
	Doc: "Checked where one block sets both colors, and both are opaque. Below 3:1 no text passes, whatever its size; below 4.5:1 it is reported if the block also sets a " +
		"small font size. Disabled controls, and text in exactly its background color, which is meant to be hidden, pass.",
	File: "a.css", Bad: ".note { color: #aaa; background: #fff; }\n", Good: ".note { color: #555; background: #fff; }\n.b:disabled { color: #aaa; background: #fff; }\n",
	Check: checkContrast,
}, {
	ID: "css-text-size-adjust", Title: "Text enlargement disabled on phones (text-size-adjust: none)", Severity: validate.Warning, Category: validate.Styles,
	Standards: []string{"WCAG 1.4.4"},
	Doc:       "`text-size-adjust: none` also disables the enlargement that users asked their browser for. Write `100%`.",
	File:      "a.css", Bad: "html { -webkit-text-size-adjust: none; }\n", Good: "html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }\n",
	Check: decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		if strings.EqualFold(d.Value, "none") {
			fix := &validate.Fix{Title: "Write 100%", Edits: []validate.Edit{{Start: d.ValueStart, End: d.ValueEnd, New: "100%"}}}
			p.Offer(d.Start, d.End, fix, "This disables text enlargement: write 100%%.")
		}
	}, "text-size-adjust", "-webkit-text-size-adjust", "-moz-text-size-adjust", "-ms-text-size-adjust"),
}, {
	ID: "css-viewport-font-size", Title: "Font size in viewport units only: page zoom has no effect", Severity: validate.Warning, Category: validate.Styles,
	Standards: []string{"WCAG 1.4.4"},
	Doc:       "A size in `vw` or `vh` alone stays the same at any zoom level. Add a part that grows: `calc(1rem + 1vw)`, `clamp(1rem, 2vw, 3rem)`.",
	File:      "a.css", Bad: "h1 { font-size: 6vw; }\n", Good: "h1 { font-size: calc(1rem + 4vw); }\n",
	Check: decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		tokens := dom.Significant(d.Value, d.ValueStart)
		if len(tokens) != 1 {
			return
		}
		if _, unit := tokens[0].Unit(); tokens[0].Kind == dom.Dimension && strings.HasPrefix(strings.TrimLeft(unit, "sld"), "v") {
			p.Report(d.Start, d.End, "Text of this size does not grow when the page is zoomed: write calc(1rem + %s).", tokens[0].Text)
		}
	}, "font-size"),
}, {
	ID: "css-user-select", Title: "Text selection disabled for the whole page", Severity: validate.Warning, Category: validate.Styles,
	Doc: "`user-select: none` on the whole page stops users from copying text, looking it up and having it read aloud. Set it only on controls that are dragged or clicked " +
		"often.",
	File: "a.css", Bad: "body { user-select: none; }\n", Good: ".toolbar button { user-select: none; }\n",
	Check: decls(func(p *validate.Pass, r *dom.Rule, d *dom.Decl) {
		if r == nil || !strings.EqualFold(d.Value, "none") || strings.HasPrefix(d.Name, "-") && r.Decl("user-select") != nil {
			return
		}
		for _, s := range r.Selectors {
			if len(s.Compounds) == 1 && wholePage(&s.Compounds[0]) {
				p.Report(d.Start, d.End, "Users cannot select text on this page: set it only on the controls that need it.")
				return
			}
		}
	}, "user-select", "-webkit-user-select", "-moz-user-select"),
}, {
	ID: "css-reduced-motion", Title: "Endless animation without a reduced-motion alternative", Severity: validate.Info, Category: validate.Styles,
	Standards: []string{"WCAG 2.2.2", "WCAG 2.3.3"},
	Aliases:   validate.Aliases{validate.Stylelint: {"a11y/media-prefers-reduced-motion"}},
	Doc: "Motion makes some people ill, and they say so in their system settings. Disable endless animations in `@media (prefers-reduced-motion: reduce)`. Checked in style " +
		"sheets without such a query; loading indicators pass.",
	File: "a.css", Bad: ".cloud { animation: drift 20s linear infinite; }\n", Good: ".cloud { animation: drift 20s linear infinite; }\n@media (prefers-reduced-motion: reduce) { .cloud { animation: none; } }\n",
	Check: validate.Sheets(checkMotion),
}})

// wholePage reports whether a compound is the page and nothing less: html, body, * or :root.
func wholePage(c *dom.Compound) bool {
	if c.ID != "" || len(c.Classes)+len(c.Attrs) > 0 {
		return false
	}
	if c.Tag == "" {
		return len(c.Pseudos) == 1 && c.Pseudos[0].Name == "root"
	}
	return (c.Tag == "html" || c.Tag == "body" || c.Tag == "*") && len(c.Pseudos) == 0
}

// focusMarks are properties by which a rule can show the focus.
var focusMarks = syntax.WordSet(`box-shadow border border-color border-style border-width border-bottom border-top border-left border-right border-bottom-color border-top-color
	border-left-color border-right-color border-image background background-color background-image background-position text-decoration text-decoration-line
	text-decoration-color color fill stroke filter transform opacity outline outline-color outline-style outline-width -webkit-box-shadow -moz-box-shadow
	text-shadow font-weight border-inline border-block border-inline-color border-block-color border-radius scale translate content animation display visibility
	clip clip-path width height left top margin margin-left margin-top`)

// noOutline reports whether a declaration takes the outline away.
func noOutline(d *dom.Decl) bool {
	if d.Name != "outline" && d.Name != "outline-style" && d.Name != "outline-width" {
		return false
	}
	for _, t := range dom.Significant(d.Value, 0) {
		if strings.EqualFold(t.Text, "none") || strings.HasPrefix(t.Text, "0") && strings.Trim(strings.TrimRight(t.Text, "pxrem"), "0.") == "" {
			return true
		}
	}
	return false
}

// marksFocus reports whether declarations show something, apart from no outline.
func marksFocus(decls []dom.Decl) bool {
	for i := range decls {
		d := &decls[i]
		if custom(d) || focusMarks[d.Name] && !noOutline(d) && d.Value != "none" && d.Value != "inherit" && d.Value != "initial" {
			return true
		}
	}
	return false
}

// focusState says which of the focus's pseudo-classes a compound has; "" for
// none. Behind :not() they say the opposite, which is "not".
func focusState(c *dom.Compound) string {
	state := ""
	for _, x := range c.Pseudos {
		switch {
		case x.Name == "focus" || x.Name == "focus-visible" || x.Name == "focus-within" || x.Name == "-moz-focusring":
			if state == "" {
				state = x.Name
			}
		case x.Name == "not" && strings.Contains(x.Arg, "focus"):
			return "not"
		case (x.Name == "is" || x.Name == "where") && strings.Contains(x.Arg, ":focus"):
			state = "focus"
		}
	}
	return state
}

// focusable are the elements that a keyboard reaches.
var focusable = syntax.WordSet("a button input select textarea summary")

// checkFocus looks at rules that take the outline away, and then in the sheet
// for others that mark the focus of the same elements.
func checkFocus(p *validate.Pass) {
	for _, s := range p.Styles() {
		if s.Attr != nil {
			checkFocusAttr(p, s)
			continue
		}
		var marks []*dom.Compound
		scripted := map[string]bool{} // beginnings of class names whose focus a script marks
		for _, r := range s.All {
			if !marksFocus(r.Decls) {
				continue
			}
			for _, sel := range r.Selectors {
				for i := range sel.Compounds {
					for _, class := range sel.Compounds[i].Classes {
						if strings.Contains(strings.ToLower(class), "focus") {
							scripted[stem(class)] = true
						}
					}
					if state := focusState(&sel.Compounds[i]); state != "" && state != "not" {
						marks = append(marks, &sel.Compounds[len(sel.Compounds)-1], &sel.Compounds[i])
					}
				}
			}
		}
		for _, r := range s.All {
			checkFocusRule(p, r, func(c *dom.Compound) bool {
				for _, class := range c.Classes {
					if scripted[stem(class)] || syntax.ContainsAny(strings.ToLower(class), containers) {
						return true
					}
				}
				for _, x := range c.Pseudos {
					if syntax.ContainsAny(strings.ToLower(x.Arg), containers) {
						return true
					}
				}
				return marked(c, marks)
			})
		}
	}
}

// stem is the beginning that the class names of one component share.
func stem(class string) string {
	name, _, _ := strings.Cut(class, "-")
	return name
}

// containers are parts of the class names of what holds controls and is itself
// focused by scripts only, to have the keyboard's events.
var containers = []string{"list", "popup", "dialog", "modal", "window", "menu", "surface", "contain", "content", "wrap", "body", "panel", "overlay", "page", "main", "section",
	"region", "canvas", "drawer", "carousel", "slide", "trap", "editor", "ce-", "viewport", "scroll", "view", "layer", "backdrop", "stage", "map"}

func checkFocusRule(p *validate.Pass, r *dom.Rule, replaced func(*dom.Compound) bool) {
	var removed *dom.Decl
	for i := range r.Decls {
		if noOutline(&r.Decls[i]) {
			removed = &r.Decls[i]
		}
	}
	if removed == nil || !p.Written(r.Start, r.End) || r.In("media") && strings.Contains(r.Parent.Prelude, "print") {
		return
	}
	for i := range r.Decls {
		if d := &r.Decls[i]; d.Start > removed.Start && strings.HasPrefix(d.Name, "outline") && !noOutline(d) && d.Name != "outline-offset" {
			return // set anew
		}
	}
	for _, s := range r.Selectors {
		if len(s.Compounds) == 0 || !s.Valid {
			continue
		}
		c := &s.Compounds[len(s.Compounds)-1]
		state := focusState(c)
		if state == "not" || state == "focus-within" || state == "" && !barelyFocusable(c) || state != "" && marksFocus(r.Decls) || focusedByScript(s) || replaced(c) || len(r.Rules) > 0 || r.Parent != nil && r.Parent.At == "" {
			continue
		}
		p.Report(removed.Start, removed.End, "Keyboard users cannot see the focus on %s: keep the outline, or style :focus-visible in another way.", syntax.Clip(p.Text[s.Start:s.End]))
		return
	}
}

// barelyFocusable reports whether a compound without a focus state is for
// elements that a keyboard reaches, as such: a, button, *.
func barelyFocusable(c *dom.Compound) bool {
	return len(c.Pseudos) == 0 && c.ID == "" && len(c.Classes)+len(c.Attrs) == 0 && (focusable[c.Tag] || c.Tag == "*")
}

// focusedByScript reports whether a selector is for what only a script focuses,
// or for what shows a caret or a selection of its own.
func focusedByScript(s *dom.Selector) bool {
	for i := range s.Compounds {
		c := &s.Compounds[i]
		for _, a := range c.Attrs {
			if a.Name == "tabindex" && (a.Value == "-1" || a.Op == "") || a.Name == "contenteditable" || a.Name == "disabled" {
				return true
			}
		}
		for _, x := range c.Pseudos {
			if x.Name == "disabled" || x.Name == "active" || x.Name == "hover" && focusState(c) == "" || strings.HasPrefix(x.Name, "-") && x.Name != "-moz-focusring" {
				return true
			}
		}
		if i == len(s.Compounds)-1 && (c.Tag == "iframe" || c.Tag == "main" || c.Tag == "body" || c.Tag == "html" || c.Tag == "dialog" || c.Tag == "video" || c.Tag == "option" ||
			c.Tag == "img" || len(c.Tag) == 2 && c.Tag[0] == 'h') {
			return true
		}
	}
	return false
}

// marked reports whether one of the compounds that mark the focus may be for
// the same element.
func marked(c *dom.Compound, marks []*dom.Compound) bool {
	for _, m := range marks {
		if m.Tag != "" && m.Tag != "*" && c.Tag != "" && c.Tag != "*" && m.Tag != c.Tag {
			continue
		}
		if m.ID != "" && c.ID != "" && m.ID != c.ID {
			continue
		}
		if len(m.Classes) == 0 || len(c.Classes) == 0 || sharesWord(m.Classes, c.Classes) {
			return true
		}
	}
	return false
}

func sharesWord(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

// checkFocusAttr looks at a style attribute. An element with a class may have
// another mark of its focus from a sheet.
func checkFocusAttr(p *validate.Pass, s validate.Style) {
	n := s.Owner
	if n.May("class") || n.Opaque || !(n.Is("button", "select", "textarea", "summary") || n.Is("a") && n.Attr("href") != nil || n.Is("input") && n.Attr("type") == nil || n.Is("input") && n.Attr("type").Value != "hidden") {
		return
	}
	for i := range s.Decls {
		if d := &s.Decls[i]; noOutline(d) && p.Written(d.Start, d.End) && n.Attr("disabled") == nil {
			p.Report(d.Start, d.End, "Keyboard users cannot see the focus on this %s: keep the outline, or style :focus-visible in another way.", n.Name)
			return
		}
	}
}

func checkContrast(p *validate.Pass) {
	for _, s := range p.Styles() {
		if s.Attr != nil {
			textContrast(p, s.Decls)
		}
		for _, r := range s.All {
			lower := strings.ToLower(r.Prelude)
			if r.At != "" || len(r.Selectors) == 0 || strings.Contains(lower, "disabled") || strings.Contains(lower, "::selection") || strings.Contains(lower, "inactive") || strings.Contains(lower, "placeholder") {
				continue
			}
			textContrast(p, r.Decls)
		}
	}
}

// Text of this size is large in WCAG's sense: 18 points, or 14 in bold.
const (
	largePixels     = 24
	largeBoldPixels = 18.66
)

func textContrast(p *validate.Pass, decls []dom.Decl) {
	var text, back *dom.Decl
	size, bold := 0.0, false
	for i := range decls {
		switch d := &decls[i]; d.Name {
		case "color":
			text = d
		case "background-color", "background":
			back = d
		case "background-image", "text-indent", "opacity", "filter", "mix-blend-mode", "-webkit-text-fill-color", "display":
			if d.Name != "display" || d.Value == "none" {
				return
			}
		case "font-size":
			tokens := dom.Significant(d.Value, 0)
			if len(tokens) == 1 && tokens[0].Kind == dom.Dimension {
				number, unit := tokens[0].Unit()
				n, _ := strconv.ParseFloat(number, 64)
				size = n * map[string]float64{"px": 1, "pt": 4.0 / 3, "rem": 16}[unit]
			}
		case "font-weight":
			bold = d.Value == "bold" || d.Value == "bolder" || d.Value >= "700" && len(d.Value) == 3
		}
	}
	if text == nil || back == nil || !p.Written(text.Start, text.End) || !p.Written(back.Start, back.End) {
		return
	}
	a, ok := colorOf(text.Value)
	b, fine := colorOf(back.Value)
	if !ok || !fine || a == b {
		return
	}
	wanted := 3.0
	if size > 0 && size < largeBoldPixels || size > 0 && size < largePixels && !bold {
		wanted = 4.5
	}
	if ratio := contrast(a, b); ratio < wanted {
		p.Report(text.Start, text.End, "%s on %s has a contrast of %.1f:1; text needs 4.5:1, and large text 3:1.", text.Value, back.Value, ratio)
	}
}

// loading are parts of the names of animations that say that something loads.
var loading = []string{"spin", "load", "rotat", "progress", "skeleton", "shimmer", "wait", "stripe", "indeterminate", "ping", "pulse", "blink", "caret", "cursor", "circ", "dash", "busy", "placeholder"}

func checkMotion(p *validate.Pass, s validate.Style) {
	for _, r := range s.All {
		if r.At == "media" && strings.Contains(r.Prelude, "prefers-reduced-motion") {
			return
		}
	}
	for _, r := range s.All {
		for i := range r.Decls {
			d := &r.Decls[i]
			if d.Name != "animation" && d.Name != "animation-iteration-count" || !strings.Contains(d.Value, "infinite") || !p.Written(r.Start, r.End) {
				continue
			}
			what := d.Value + " " + strings.ToLower(r.Prelude)
			if name := r.Decl("animation-name"); name != nil {
				what += " " + name.Value
			}
			if known := syntax.ContainsAny(strings.ToLower(what), loading); !known && !strings.Contains(d.Value, "var(") {
				p.Report(d.Start, d.End, "This animation never ends, even for users who prefer reduced motion: stop it in @media (prefers-reduced-motion: reduce).")
			}
		}
	}
}
