package secret

import (
	"strconv"
	"strings"

	"caselsp/store/lazyregexp"
)

// unpercent undoes %41. (net/url does it, too, and is for connections.)
func unpercent(text string) string {
	return percent.ReplaceAllStringFunc(text, func(code string) string {
		b, _ := strconv.ParseUint(code[1:], 16, 8) // two digits always are one
		return string([]byte{byte(b)})
	})
}

var percent = lazyregexp.New(`%[0-9A-Fa-f]{2}`)

// valuesAt returns what the value at a place may be, as the readers of different
// formats take it: with and without comments, escapes and continuations.
func valuesAt(text string, at int, first bool) []string {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	if at >= len(text) {
		return nil
	}
	rest := text[at:min(len(text), at+mostValue)]
	if anchor := anchors.FindString(rest); anchor != "" {
		rest = rest[len(anchor):]
	}
	if raw := rawString.FindStringSubmatch(rest); raw != nil {
		if value, _, ok := strings.Cut(rest[len(raw[0]):], `"`+raw[1]); ok {
			return []string{value}
		}
	}
	for _, quote := range []string{`"""`, "'''", `"`, "'", "`", `\"`, `r"`, `b"`, `b'`, `r'`, `f"`, `@"`, `$'`, `u"`} {
		if body, ok := strings.CutPrefix(rest, quote); ok {
			if len(quote) == 2 && quote[0] != '\\' {
				quote = quote[1:]
			}
			return quoted(body, quote)
		}
	}
	line, after, _ := strings.Cut(rest, "\n")
	line = strings.TrimSpace(line)
	switch {
	case first && block.MatchString(line):
		return []string{indented(after)}
	case strings.HasPrefix(line, "<<"):
		return heredoc(line, after)
	case line == "":
		if next := strings.TrimSpace(strings.SplitN(after, "\n", 2)[0]); !strings.ContainsAny(next, ":= ") {
			return []string{next}
		}
		return nil
	}
	list := []string{line}
	for _, sign := range []string{" #", "\t#", " ;", " //", ";", ",", " ", "&", ")", "}", "<", "#", `"`, "'"} {
		if before, _, ok := strings.Cut(line, sign); ok {
			list = append(list, strings.TrimRight(before, " \t\"',;)}]"))
		}
	}
	if strings.HasSuffix(line, `\`) {
		list = append(list, continued(rest))
	}
	if plain := unescaped(line); plain != line {
		list = append(list, plain)
	}
	return list
}

// rawString begins a string of Rust or Swift that ends in the same signs.
var rawString = lazyregexp.New(`^[rbc]{0,2}(#{1,3})"`)

// anchors are names and types that YAML has before a value.
var anchors = lazyregexp.New(`^(?:(?:&|!{1,2}|!<)[A-Za-z][\w.:/,>-]*[ \t]+)+`)

// block is what begins a text in YAML whose lines follow.
var block = lazyregexp.New(`^[|>][+-]?\d?[+-]?\s*(?:#.*)?$`)

// quoted returns a value up to its closing quote, as it is written and as it is meant.
func quoted(body, quote string) []string {
	for i := 0; i < len(body); i++ {
		if body[i] == '\\' && quote != "'" && quote != `\"` {
			i++
			continue
		}
		if quote == "'" && strings.HasPrefix(body[i:], `'\''`) { // a quote in quotes of a shell
			i += len(`'\''`) - 1
			continue
		}
		if strings.HasPrefix(body[i:], quote) {
			raw := body[:i]
			if plain := strings.ReplaceAll(raw, `'\''`, "'"); plain != raw {
				return []string{raw, plain}
			}
			list := []string{raw}
			if plain := unescaped(raw); plain != raw {
				list = append(list, plain)
			}
			if strings.Contains(raw, "\n") {
				list = append(list, strings.Join(strings.Fields(raw), " "), strings.ReplaceAll(raw, "\\\n", ""))
			}
			return list
		}
	}
	line, _, _ := strings.Cut(body, "\n")
	return []string{strings.TrimSpace(line)}
}

// unescaped undoes backslashes.
func unescaped(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw
	}
	if plain, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(raw, "\n", `\n`), `\$`, "$") + `"`); err == nil {
		return plain
	}
	return escapes.Replace(raw)
}

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\'`, "'", `\$`, "$", `\=`, "=", `\:`, ":", `\#`, "#", `\!`, "!", `\ `, " ")

// indented are the lines at the beginning of a text that are indented as its first is.
func indented(text string) string {
	var list []string
	margin := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimRight(line, "\r\n")
		if margin == "" {
			margin = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, " \t"))]
		}
		if margin == "" || !strings.HasPrefix(trimmed, margin) && strings.TrimSpace(trimmed) != "" {
			break
		}
		list = append(list, strings.TrimPrefix(trimmed, margin))
	}
	return strings.Join(list, "\n")
}

// heredoc is the text up to the word that ends it.
func heredoc(line, after string) []string {
	word := strings.Trim(line, "<-~\"' ")
	var list []string
	for l := range strings.Lines(after) {
		if strings.TrimSpace(l) == word {
			break
		}
		list = append(list, strings.TrimSpace(l))
	}
	return []string{strings.Join(list, "\n")}
}

// continued is a value whose lines end in a backslash.
func continued(rest string) string {
	var b strings.Builder
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		part, more := strings.CutSuffix(line, `\`)
		b.WriteString(part)
		if !more {
			break
		}
	}
	return b.String()
}
