package validate

import (
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
)

// Dialect is whose template language a page is written in.
type Dialect uint8

const (
	AnyDialect Dialect = iota // neither sure
	Django                    // Django's
	Jinja                     // Jinja's
)

// Tags and marks that only one of the two has.
var (
	djangoTags = strings.Fields("load csrf_token url blocktrans blocktranslate translate ifequal ifnotequal ifchanged now lorem regroup firstof widthratio templatetag resetcycle querystring get_static_prefix get_media_prefix static")
	jinjaTags  = strings.Fields("set endset macro endmacro call endcall from import do raw endraw elseif")
)

// Dialect tells Django's templates from Jinja's by what only one of them has.
// Twig, Liquid and similar languages are neither of the two.
func (f *File) Dialect() Dialect { return f.speech() }

func (f *File) readDialect() Dialect {
	d := f.Page()
	var forDjango, forJinja int
	for _, t := range d.Templates() {
		text := f.Text[t.Start:t.End]
		switch {
		case t.Kind == dom.Note:
			continue
		case slices.Contains(djangoTags, t.Name):
			forDjango++
		case slices.Contains(jinjaTags, t.Name):
			forJinja++
		case t.Kind == dom.Tag && (strings.HasPrefix(text, "{%-") || strings.HasSuffix(text, "-%}")):
			forJinja++
		}
		code := BlankStrings(text)
		if strings.Contains(code, "url_for(") || strings.Contains(code, "super()") || strings.Contains(code, "loop.") || strings.Contains(code, "namespace(") || strings.Contains(code, "_(") {
			forJinja++
		}
		if strings.Contains(code, "forloop.") || strings.Contains(code, "block.super") {
			forDjango++
		}
	}
	switch {
	case forDjango > 0 && forJinja == 0:
		return Django
	case forJinja > 0 && forDjango == 0:
		return Jinja
	}
	return AnyDialect
}

// BlankStrings blanks the strings of a template tag.
func BlankStrings(text string) string {
	b := []byte(text)
	var open byte
	for i, c := range b {
		switch {
		case open != 0 && c == open:
			open = 0
		case open != 0:
			b[i] = ' '
		case c == '"' || c == '\'':
			open = c
		}
	}
	return string(b)
}

// QuotedArgument returns the text of a tag's first argument where it is a plain string.
func QuotedArgument(args string) (string, bool) {
	args = strings.TrimSpace(args)
	if args == "" || args[0] != '"' && args[0] != '\'' {
		return "", false
	}
	end := strings.IndexByte(args[1:], args[0])
	if end < 0 {
		return "", false
	}
	rest := strings.TrimSpace(args[end+2:])
	if strings.HasPrefix(rest, "|") || strings.HasPrefix(rest, "~") || strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, "%") || strings.HasPrefix(rest, "if ") {
		return "", false
	}
	return args[1 : end+1], true
}

// TemplateTag is a template tag with its place, wherever it stands: between
// elements, in a start tag or in a value.
type TemplateTag struct {
	Name, Args string
	Kind       byte
	Start, End int
}

// TemplateTags returns all template tags of the page, in order.
func (f *File) TemplateTags() []TemplateTag { return f.tags() }

func (f *File) readTags() []TemplateTag {
	if f.Lang != syntax.HTML || len(f.Text) > syntax.MaxBytes {
		return nil
	}
	var list []TemplateTag
	for _, t := range f.Tree.TemplateTags() {
		list = append(list, TemplateTag{t.Name, t.Args, t.Kind, t.Start, t.End})
	}
	return list
}

// Filters returns the names of the filters in a template tag, with their places.
func (o *TemplateTag) Filters(text string) []dom.Word {
	code := BlankStrings(text[o.Start:o.End])
	var list []dom.Word
	for i := 0; i < len(code); i++ {
		if code[i] != '|' {
			continue
		}
		at := i + 1
		for at < len(code) && code[at] == ' ' {
			at++
		}
		end := at
		for end < len(code) && (code[end] == '_' || code[end] >= 'a' && code[end] <= 'z' || code[end] >= 'A' && code[end] <= 'Z' || code[end] >= '0' && code[end] <= '9') {
			end++
		}
		if end > at {
			list = append(list, dom.Word{Text: code[at:end], Start: o.Start + at, End: o.Start + end})
		}
	}
	return list
}

// DjangoFilters are those that need no library.
var DjangoFilters = strings.Fields(`add addslashes capfirst center cut date default default_if_none dictsort dictsortreversed divisibleby escape
	escapejs escapeseq filesizeformat first floatformat force_escape get_digit iriencode join json_script last length length_is linebreaks
	linebreaksbr linenumbers ljust lower make_list phone2numeric pluralize pprint random rjust safe safeseq slice slugify stringformat
	striptags time timesince timeuntil title truncatechars truncatechars_html truncatewords truncatewords_html unordered_list upper
	urlencode urlize urlizetrunc wordcount wordwrap yesno`)

// LibraryFilters are the filters that need {% load %}, each with its library.
var LibraryFilters = map[string]string{
	"intcomma": "humanize", "naturaltime": "humanize", "naturalday": "humanize", "intword": "humanize", "apnumber": "humanize", "ordinal": "humanize",
	"localtime": "tz", "utc": "tz", "localize": "l10n", "unlocalize": "l10n", "language_name": "i18n", "language_name_local": "i18n",
}

// DjangoLibraries are those that Django has.
var DjangoLibraries = strings.Fields("static i18n l10n tz cache humanize log admin_list admin_modify admin_urls staticfiles admin_static flatpages")
