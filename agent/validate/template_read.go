package validate

import (
	"slices"
	"strings"

	"caselsp/agent/dom"
	"caselsp/agent/syntax"
)

// dialect is whose template language a page is written in.
type dialect uint8

const (
	anyDialect dialect = iota // neither sure
	django
	jinja
)

// Tags and marks that only one of the two has.
var (
	djangoTags = strings.Fields("load csrf_token url blocktrans blocktranslate translate ifequal ifnotequal ifchanged now lorem regroup firstof widthratio templatetag resetcycle querystring get_static_prefix get_media_prefix static")
	jinjaTags  = strings.Fields("set endset macro endmacro call endcall from import do raw endraw elseif")
)

// dialect tells Django's templates from Jinja's by what only one of them has.
// Twig, Liquid and their like are none of the two.
func (f *File) dialect() dialect { return f.speech() }

func (f *File) readDialect() dialect {
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
		code := unstring(text)
		if strings.Contains(code, "url_for(") || strings.Contains(code, "super()") || strings.Contains(code, "loop.") || strings.Contains(code, "namespace(") || strings.Contains(code, "_(") {
			forJinja++
		}
		if strings.Contains(code, "forloop.") || strings.Contains(code, "block.super") {
			forDjango++
		}
	}
	switch {
	case forDjango > 0 && forJinja == 0:
		return django
	case forJinja > 0 && forDjango == 0:
		return jinja
	}
	return anyDialect
}

// unstring blanks the strings of a template tag.
func unstring(text string) string {
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

// quotedArg returns the text of a tag's first argument where it is a plain string.
func quotedArg(args string) (string, bool) {
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

// occasion is a template tag with its place, wherever it stands: between
// elements, in a start tag or in a value.
type occasion struct {
	name, args string
	kind       byte
	start, end int
}

// occasions returns all template tags of the page, in order.
func (f *File) occasions() []occasion { return f.tags() }

func (f *File) readTags() []occasion {
	if f.Lang != syntax.HTML || len(f.Text) > syntax.MaxBytes {
		return nil
	}
	var list []occasion
	for _, t := range f.Tree.TemplateTags() {
		list = append(list, occasion{t.Name, t.Args, t.Kind, t.Start, t.End})
	}
	return list
}

// filters returns the names of the filters in a template tag, with their places.
func (o *occasion) filters(text string) []dom.Word {
	code := unstring(text[o.start:o.end])
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
			list = append(list, dom.Word{Text: code[at:end], Start: o.start + at, End: o.start + end})
		}
	}
	return list
}
