package syntax

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// factsFormat is the first byte of encoded facts; it changes with what follows it.
const factsFormat = 3

// Encode returns the facts as bytes for [DecodeFacts]. Numbers come first and all texts after
// them, each on a line of its own, so that one who looks for secrets sees the texts as they are.
func (f *Facts) Encode() []byte {
	var text strings.Builder
	out := []byte{factsFormat}
	number := func(n int) { out = binary.AppendUvarint(out, uint64(n)) }
	say := func(s string) {
		number(len(s))
		text.WriteString(s)
		text.WriteByte('\n')
	}
	say(string(f.Language))
	number(len(f.Imports))
	for _, s := range f.Imports {
		say(s)
	}
	number(len(f.Symbols))
	for _, s := range f.Symbols {
		say(s.Name)
		say(s.Kind)
		say(s.Signature)
		say(s.Doc)
		for _, p := range []Place{s.Range.Start, s.Range.End} {
			number(p.Line)
			number(p.Character)
		}
	}
	number(len(f.Uses))
	for _, u := range f.Uses {
		say(u.Name)
		number(u.Count)
	}
	number(len(f.Marks))
	for _, m := range f.Marks {
		for _, s := range []string{string(m.Kind), m.Name, m.On, m.Value, m.To} {
			say(s)
		}
		number(m.Line)
		number(len(m.Words))
		for _, s := range m.Words {
			say(s)
		}
		number(len(m.Args))
		for _, name := range slices.Sorted(maps.Keys(m.Args)) {
			say(name)
			say(m.Args[name])
		}
	}
	out = append(binary.AppendUvarint([]byte{}, uint64(len(out))), out...)
	return append(append(out, '\n'), text.String()...)
}

// DecodeFacts returns encoded facts; nil if the bytes are invalid or of another version. Their
// strings are parts of one copy of the bytes: facts of many files are in as many pieces of memory.
func DecodeFacts(raw []byte) *Facts {
	n, size := binary.Uvarint(raw)
	if size <= 0 || n == 0 || n >= uint64(len(raw)-size) || raw[size] != factsFormat {
		return nil
	}
	d := &factsReader{numbers: raw[size+1 : size+int(n)], text: string(raw[size+int(n)+1:])}
	f := &Facts{Language: Language(d.said()), Imports: make([]string, d.count()), Symbols: nil}
	for i := range f.Imports {
		f.Imports[i] = d.said()
	}
	f.Symbols = make([]Declaration, d.count())
	for i := range f.Symbols {
		s := &f.Symbols[i]
		s.Name, s.Kind, s.Signature, s.Doc = d.said(), d.said(), d.said(), d.said()
		s.Range.Start = Place{d.number(), d.number()}
		s.Range.End = Place{d.number(), d.number()}
	}
	f.Uses = make([]Use, d.count())
	for i := range f.Uses {
		f.Uses[i] = Use{d.said(), d.number()}
	}
	f.Marks = make([]Mark, d.count())
	for i := range f.Marks {
		f.Marks[i] = d.mark()
	}
	if d.bad || len(d.numbers) > 0 || len(d.text) > 0 {
		return nil
	}
	f.bytes = len(raw)
	return f
}

func (d *factsReader) mark() Mark {
	m := Mark{Kind: MarkKind(d.said()), Name: d.said(), On: d.said(), Value: d.said(), To: d.said(), Line: d.number()}
	if n := d.count(); n > 0 {
		m.Words = make([]string, n)
	}
	for i := range m.Words {
		m.Words[i] = d.said()
	}
	for range d.count() {
		if m.Args == nil {
			m.Args = map[string]string{}
		}
		name := d.said()
		m.Args[name] = d.said()
	}
	return m
}

// factsReader reads what Encode wrote. bad says that it is something else.
type factsReader struct {
	numbers []byte
	text    string
	bad     bool
}

func (d *factsReader) number() int {
	n, size := binary.Uvarint(d.numbers)
	if size <= 0 || n > MaxBytes {
		d.bad, d.numbers = true, nil
		return 0
	}
	d.numbers = d.numbers[size:]
	return int(n)
}

// count is a number of things, each of which has a number at least.
func (d *factsReader) count() int {
	n := d.number()
	if n > len(d.numbers) {
		d.bad = true
		return 0
	}
	return n
}

func (d *factsReader) said() string {
	n := d.number()
	if n >= len(d.text) {
		d.bad = true
		return ""
	}
	s := d.text[:n]
	d.text = d.text[n+1:]
	return s
}
