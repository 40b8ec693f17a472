package syntax

import (
	"path"
	"strings"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
)

// The languages of prose: their outline is their headings.
const (
	Markdown Language = "markdown"
	RST      Language = "restructuredtext"
	Text     Language = "text"
)

// proseOfExtension are the files that people read.
var proseOfExtension = map[string]Language{
	".md": Markdown, ".markdown": Markdown, ".mdx": Markdown, ".rst": RST, ".rest": RST, ".txt": Text, ".text": Text,
}

// proseOf tells which prose a file is: by its extension, and of a file without one, such as
// README or CHANGES, by its name in capitals.
func proseOf(file string) Language {
	base := path.Base(file)
	if ext := path.Ext(base); ext != "" {
		return proseOfExtension[strings.ToLower(ext)]
	}
	if upper := strings.ToUpper(base); base == upper && upper != strings.ToLower(base) {
		return Text
	}
	return Unknown
}

// isProse reports whether a language is one of prose: a map of code has nothing of it.
func isProse(lang Language) bool { return lang == Markdown || lang == RST || lang == Text }

// sharpHeading is a heading of Markdown, fenced what begins and ends code in it.
var (
	sharpHeading = lazyregexp.New(`^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#*)?[ \t]*$`)
	fenced       = lazyregexp.New("^ {0,3}(```+|~~~+)")
)

// heading is one heading as it was found.
type heading struct {
	text  string
	style string // of equal ones, the level is the same
	level int    // 0: by the order in which styles come up
	line  int    // 0-based
}

// proseOutline returns the headings of a text as they nest: those with signs before them, of
// Markdown, and those that are underlined.
func (t *Tree) proseOutline() []Symbol {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSuffix(t.body(), "\n"), "\r\n", "\n"), "\n")
	found := headings(t.lang, lines)
	styles := map[string]int{}
	for i := range found {
		h := &found[i]
		if _, known := styles[h.style]; !known {
			styles[h.style] = len(styles) + 1
		}
		if h.level == 0 {
			h.level = styles[h.style]
		}
	}
	symbols, _ := nested(found, lines, 0)
	return symbols
}

// headings finds the headings of a text's lines.
func headings(lang Language, lines []string) (list []heading) {
	fence, begin := "", 0
	if lang == Markdown && lines[0] == "---" { // settings before the text
		for begin = 1; begin < len(lines) && lines[begin] != "---"; begin++ {
		}
	}
	for i := begin; i < len(lines); i++ {
		line := lines[i]
		if m := fenced.FindStringSubmatch(line); m != nil && lang == Markdown {
			switch {
			case fence == "":
				fence = m[1]
			case strings.HasPrefix(m[1], fence):
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		if m := sharpHeading.FindStringSubmatch(line); m != nil && lang == Markdown {
			list = append(list, heading{text: m[2], level: len(m[1]), line: i})
			continue
		}
		if i == 0 || i == begin && begin > 0 {
			continue
		}
		if h, ok := underlined(lang, lines, i); ok {
			list = append(list, h)
		}
	}
	return list
}

// underlined is the heading that the line at i underlines.
func underlined(lang Language, lines []string, i int) (h heading, ok bool) {
	const least = 3 // signs of a line that is drawn
	line, title := strings.TrimRight(lines[i], " \t"), lines[i-1]
	text := strings.TrimSpace(title)
	if len(line) < least || text == "" || strings.Trim(line, line[:1]) != "" || isRule(text) {
		return h, false
	}
	h = heading{text: text, line: i - 1, style: line[:1]}
	over := i > 1 && strings.TrimRight(lines[i-2], " \t") == line
	if over {
		h.line, h.style = i-2, line[:1]+" above"
	}
	if lang == Markdown {
		h.level = map[byte]int{'=': 1, '-': 2}[line[0]]
		return h, h.level > 0 && !strings.ContainsAny(text[:1], "|>-*+") && (i < 2 || strings.TrimSpace(lines[i-2]) == "" || !strings.HasPrefix(title, " "))
	}
	return h, strings.Contains("=-`:.'\"~^_*+#<>", line[:1]) && len(line) >= utf8.RuneCountInString(text) && (over || title[0] != ' ' && title[0] != '\t')
}

// isRule reports whether a line is nothing but signs, such as one of a table.
func isRule(text string) bool { return strings.Trim(text, "=-`:.'\"~^_*+#<> \t") == "" }

// nested makes symbols of the headings below a level, each up to the next that is as high.
func nested(list []heading, lines []string, above int) (symbols []Symbol, rest []heading) {
	for len(list) > 0 && list[0].level > above {
		h := list[0]
		children, after := nested(list[1:], lines, h.level)
		end := len(lines)
		if len(after) > 0 {
			end = after[0].line
		}
		for end > h.line+1 && strings.TrimSpace(lines[end-1]) == "" {
			end--
		}
		symbols = append(symbols, Symbol{Name: oneLine(h.text), Kind: "heading", Signature: oneLine(h.text), StartLine: h.line, EndLine: end - 1, Children: children})
		list = after
	}
	return symbols, list
}
