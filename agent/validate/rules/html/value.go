package html

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"caselsp/agent/dom"
	"caselsp/store/lazyregexp"
)

// Values that are no words of a list: numbers, dates, types.

// numberRange is what a number may be.
type numberRange struct {
	least, most float64
	whole       bool
}

// numbers are the attributes that hold a number, by element; "*" is any.
var numbers = map[string]map[string]numberRange{
	"*":        {"tabindex": {math.Inf(-1), math.Inf(1), true}},
	"li":       {"value": {math.Inf(-1), math.Inf(1), true}},
	"ol":       {"start": {math.Inf(-1), math.Inf(1), true}},
	"td":       cellSpans,
	"th":       cellSpans,
	"col":      {"span": {1, 1000, true}},
	"colgroup": {"span": {1, 1000, true}},
	"textarea": {"rows": {1, math.Inf(1), true}, "cols": {1, math.Inf(1), true}, "maxlength": {0, math.Inf(1), true}, "minlength": {0, math.Inf(1), true}},
	"select":   {"size": {1, math.Inf(1), true}},
	"input":    {"size": {1, math.Inf(1), true}, "maxlength": {0, math.Inf(1), true}, "minlength": {0, math.Inf(1), true}},
	"meter":    {"value": anyNumber, "min": anyNumber, "max": anyNumber, "low": anyNumber, "high": anyNumber, "optimum": anyNumber},
	"progress": {"value": {0, math.Inf(1), false}, "max": {0, math.Inf(1), false}},
}

var (
	anyNumber = numberRange{math.Inf(-1), math.Inf(1), false}
	cellSpans = map[string]numberRange{"colspan": {1, 1000, true}, "rowspan": {0, 65534, true}}
)

// numberForm is a number as HTML has it.
var numberForm = lazyregexp.New(`^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$`)

// numberFault says what is wrong with a number; "" where nothing is.
func numberFault(r numberRange, text string) string {
	if r.whole && (text == "" || strings.Trim(strings.TrimPrefix(text, "-"), "0123456789") != "" || text == "-") {
		return "a whole number"
	}
	v, err := strconv.ParseFloat(text, 64)
	if !numberForm.MatchString(text) || err != nil {
		return "a number"
	}
	switch {
	case v < r.least:
		return "a number from " + strconv.FormatFloat(r.least, 'f', -1, 64)
	case v > r.most:
		return "a number up to " + strconv.FormatFloat(r.most, 'f', -1, 64)
	}
	return ""
}

// fieldForms are what value, min and max of inputs must be, by type.
var fieldForms = map[string]struct {
	is   func(string) bool
	what string
}{
	"date":           {isDay, "a date such as 2026-05-31"},
	"month":          {isMonth, "a month such as 2026-05"},
	"week":           {isWeek, "a week such as 2026-W22"},
	"time":           {isClock, "a time such as 17:30"},
	"datetime-local": {func(s string) bool { return isMoment(s, false) }, "a date and a time such as 2026-05-31T17:30"},
	"number":         {numberForm.MatchString, "a number"},
	"range":          {numberForm.MatchString, "a number"},
	"color":          {isFieldColor, "a colour such as #a0b1c2"},
}

var fieldColor = lazyregexp.New(`^#[0-9a-fA-F]{6}$`)

func isFieldColor(s string) bool { return fieldColor.MatchString(s) }

// typeForm is a type of content (RFC 2045), with parameters.
var typeForm = lazyregexp.New("^[!#$&^_.+A-Za-z0-9-]+/[!#$&^_.+A-Za-z0-9-]+(?:[ \t]*;[ \t]*[!#$&^_.+A-Za-z0-9-]+=(?:[^;\" \t]+|\"[^\"]*\"))*[ \t]*$")

// languageForm is a well-formed tag of a language (RFC 5646), its case apart.
var languageForm = lazyregexp.New(`^(?i:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8}|x|i)(?:-[A-Za-z0-9]{1,8})*$`)

// customName is the name of a custom element (HTML, 4.13.3).
var customName = lazyregexp.New(`^[a-z][^A-Z\s/>]*-[^A-Z\s/>]*$`)

// valueFault says what the value of an attribute must be; "" where it is that.
func valueFault(n *dom.Node, a *dom.Attr) string {
	v := strings.Trim(a.Value, " \t\r\n\f")
	if r, ok := numbers[n.Name][a.Name]; ok {
		return numberFault(r, v)
	}
	switch a.Name {
	case "tabindex":
		return numberFault(numbers["*"]["tabindex"], v)
	case "datetime":
		if n.Is("time") && !isTime(a.Value) {
			return "a date, a time or a duration such as 2026-05-31T17:30Z"
		}
		if n.Is("ins", "del") && !isDay(a.Value) && !isMoment(a.Value, true) {
			return "a date, or a date and a time with a zone, such as 2026-05-31T17:30Z"
		}
	case "value", "min", "max":
		if form, ok := fieldForms[strings.ToLower(dom.AttributeText(n, "type"))]; ok && n.Is("input") && v != "" && !form.is(a.Value) && (a.Name == "value" || dom.AttributeText(n, "type") != "color") {
			return form.what
		}
	case "step":
		if f, err := strconv.ParseFloat(v, 64); n.Is("input") && !strings.EqualFold(v, "any") && (err != nil || f <= 0) {
			return "a number above 0, or any"
		}
	case "type":
		if n.Is("a", "area", "link", "object", "embed", "source") && (v != "" || n.Is("object")) && !typeForm.MatchString(v) {
			return "a type such as image/png"
		}
	case "lang", "hreflang":
		if v != "" && !languageForm.MatchString(v) && !(n.Is("html") && a.Name == "lang") {
			return "a language such as de-CH"
		}
	}
	return wordFault(n, a, v)
}

// sandboxWords are what a sandbox may allow.
var sandboxWords = strings.Fields(`allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups
	allow-popups-to-escape-sandbox allow-presentation allow-same-origin allow-scripts allow-storage-access-by-user-activation
	allow-top-navigation allow-top-navigation-by-user-activation allow-top-navigation-to-custom-protocols`)

// windowNames are the names of windows that begin with an underscore.
var windowNames = []string{"_blank", "_self", "_parent", "_top", "_unfencedtop"}

// wordFault is valueFault for names and words.
func wordFault(n *dom.Node, a *dom.Attr, v string) string {
	switch a.Name {
	case "is":
		if !customName.MatchString(v) {
			return "the name of a custom element, with a hyphen"
		}
	case "usemap":
		if len(v) < 2 || v[0] != '#' {
			return "a # and the name of a <map>"
		}
	case "target", "formtarget":
		if n.Is("a", "area", "form", "base", "button", "input") && strings.HasPrefix(v, "_") && !slices.Contains(windowNames, strings.ToLower(v)) {
			return "one of " + strings.Join(windowNames[:4], ", ") + " where it begins with an underscore"
		}
	case "sandbox":
		for _, w := range strings.Fields(strings.ToLower(v)) {
			if n.Is("iframe") && !slices.Contains(sandboxWords, w) {
				return "made of words such as allow-scripts: " + w + " is invalid"
			}
		}
	case "integrity":
		for _, w := range strings.Fields(v) {
			if kind, _, ok := strings.Cut(w, "-"); n.Is("script", "link") && (!ok || kind != "sha256" && kind != "sha384" && kind != "sha512") {
				return "a hash that begins with sha256-, sha384- or sha512-"
			}
		}
	}
	return ""
}
