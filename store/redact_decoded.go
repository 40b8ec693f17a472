package store

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"caselsp/store/secret"
)

// What looks like a secret only in another writing, as the name and the value of a whole
// file in base64, is taken for known in the text that shows it: so it is masked there in
// all writings, and its name need not stand beside it again.

// minPart is how long a text in another writing is at least, in bytes: a name, a sign
// and a value.
const minPart = 12

// redactDecoded masks what looks like a secret to a reader who undoes other writings.
func (r *redactor) redactDecoded(p *page, depth int) string {
	text := p.text
	if depth >= maxUndo || len(text) < minPart || len(text) > maxUndone {
		return text
	}
	found := map[string]bool{}
	r.decode(p, found, depth)
	if len(found) == 0 {
		return text
	}
	if k := newKnown(slices.Sorted(maps.Keys(found))); k != nil {
		return k.redact(text)
	}
	return text
}

// decode collects what looks like secrets in what a text is other writings of.
func (r *redactor) decode(p *page, found map[string]bool, depth int) {
	text := p.text
	look := func(plain string) { r.look(plain, found, depth) }
	var words strings.Builder // lines of one text that was wrapped follow each other
	after := 0
	part := func(at [2]int, plain string) {
		if strings.TrimSpace(text[after:at[0]]) != "" {
			look(words.String())
			words.Reset()
		}
		words.WriteString(plain)
		after = at[1]
	}
	for _, at := range p.wordsIn() {
		if plain, ok := plainText(text[at[0]:at[1]]); ok {
			part(at, plain)
		}
	}
	look(words.String())
	for _, at := range hexWords(text) {
		plain, err := hex.DecodeString(text[at[0]:at[1]])
		if err != nil {
			continue
		}
		if inside, ok := unpacked(plain); ok {
			look(inside)
		} else if utf8.Valid(plain) {
			look(string(plain))
		}
	}
	for _, edits := range p.numbersIn() {
		for start, i := 0, 1; i <= len(edits); i++ {
			if i < len(edits) && edits[i].start == edits[i-1].end {
				continue
			}
			if plain := withs(edits[start:i]); utf8.ValidString(plain) {
				look(plain)
			}
			start = i
		}
	}
	if strings.Contains(text, `\n`) || strings.Contains(text, "%") || strings.Contains(text, "&#") || strings.Contains(text, "&quot;") {
		if edits := p.escapesIn(); len(edits) > 0 {
			unknown := &redactor{own: r.own} // what is known has been found by its own views
			unknown.look(newView(text, edits).text, found, depth)
		}
	}
}

// look collects what looks like secrets in a text that was written in another way.
func (r *redactor) look(plain string, found map[string]bool, depth int) {
	if len(plain) < minPart {
		return
	}
	for _, at := range replaced(plain, r.textAt(plain, depth+1)) {
		if value := strings.TrimSpace(plain[at[0]:at[1]]); len(value) >= minEncoded {
			found[value] = true
		}
	}
}

// replaced returns the parts of a text that have masks in what was made of it.
func replaced(text, clean string) (all [][2]int) {
	if text == clean {
		return nil
	}
	at := 0
	for i, rest := range strings.Split(clean, mask) {
		if i == 0 {
			at = len(rest)
			continue
		}
		n := len(text) - at
		if rest != "" {
			n = strings.Index(text[at:], rest)
		}
		if n < 0 {
			return all
		}
		if n > 0 {
			all = append(all, [2]int{at, at + n})
		}
		at += n + len(rest)
	}
	return all
}

// contextual returns what looks like secrets in a whole text, but not in the lines that
// hold it by themselves, as excerpts and numbered lines show them.
func (r *redactor) contextual(text string) (list []string) {
	for _, at := range replaced(text, r.text(text)) {
		value := text[at[0]:at[1]]
		if v := strings.TrimSpace(value); len(v) < minEncoded || v == mask {
			continue
		}
		start := strings.LastIndexByte(text[:at[0]], '\n') + 1
		end := at[1]
		if n := strings.IndexByte(text[end:], '\n'); n >= 0 {
			end += n
		} else {
			end = len(text)
		}
		if strings.Contains(value, "\n") || strings.Contains(r.text(text[start:end]), value) {
			list = append(list, strings.TrimSpace(value))
			list = append(list, linesOf(value)...)
		}
	}
	return list
}

// linesOf are the lines of a value of several, without the signs of a list: numbered lines
// and diffs have something between them.
func linesOf(value string) (list []string) {
	if !strings.Contains(value, "\n") {
		return nil
	}
	for line := range strings.Lines(value) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "-* "))
		if number, rest, ok := strings.Cut(line, ". "); ok && len(number) < 3 {
			line = rest
		}
		if run := pemBody.FindStringIndex(line); run != nil && !strings.Contains(line, mask) { // of a key that a program puts together
			list = append(list, line[run[0]:wordEnd(line, run[1])])
		}
		if len(line) >= minSplit && !strings.HasPrefix(line, "---") && !secret.BlockHeader(line) && !strings.Contains(line, mask) {
			list = append(list, line)
		}
	}
	return list
}

// wordEnd returns where a word of base64 ends that a place is in.
func wordEnd(text string, at int) int {
	for at < len(text) && (base64Bytes[text[at]] || text[at] == '=') {
		at++
	}
	return at
}

// hexWords returns the words that are hexadecimal.
func hexWords(text string) (all [][2]int) {
	const least = 2 * minPart
	for i := 0; i+least <= len(text); {
		// From the end of a window, as encodedWords does.
		last := i + least - 1
		for last >= i && hexDigits[text[last]] > 0 {
			last--
		}
		if last >= i {
			i = last + 1
			continue
		}
		end := i + least
		for end < len(text) && hexDigits[text[end]] > 0 {
			end++
		}
		if (end-i)%2 == 0 {
			all = append(all, [2]int{i, end})
		}
		i = end
	}
	return all
}

// withs is what edits that follow each other stand for.
func withs(edits []edit) string {
	var b strings.Builder
	for _, e := range edits {
		b.WriteString(e.with)
	}
	return b.String()
}
