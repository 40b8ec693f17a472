package syntax

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"unicode/utf8"

	"caselsp/store/lazyregexp"
)

// goTemplate is the begin of a template's action: templates of Go source are
// named like Go source.
var goTemplate = lazyregexp.New(`^[^{]{0,2}\{\{-?\s*(?:[a-z]+ |[.$/"])`)

// goFaults asks go/parser, which gofmt and gopls ask too; the compiler's own
// parser is not importable.
func goFaults(text string) []fault {
	files := token.NewFileSet()
	_, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	list, ok := err.(scanner.ErrorList)
	if !ok || goTemplate.MatchString(text[min(max(list[0].Pos.Offset-2, 0), len(text)):]) {
		return nil
	}
	var faults []fault
	for _, e := range list {
		start := min(e.Pos.Offset, len(text))
		faults = append(faults, fault{e.Msg, start, wordEnd(text, start)})
	}
	return faults
}

// wordEnd returns the end of the word or of the single character at offset.
func wordEnd(text string, offset int) int {
	end := offset
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	if end > offset || offset >= len(text) || text[offset] == '\n' || text[offset] == '\r' {
		return end
	}
	_, size := utf8.DecodeRuneInString(text[offset:])
	return offset + size
}

func isWordByte(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
