package validate

import (
	"sync"
)

// Which of some short texts a file holds, found in one pass over it: the cheap
// question before an expensive one.

// Needle is a text that rules ask for.
type Needle uint64

const (
	NeedlePrivateKey Needle = 1 << iota // a private key
	NeedleAddress                       // an address
	NeedleCommand                       // curl
	NeedleHeader                        // what says who asks
	NeedleForeign                       // another tool's comment
	NeedleSuppressor                    // a comment that switches rules off
	NeedleServer                        // a page that a server's program writes
)

// needleTexts are what the needles look for, one of which is in every text that the
// rule behind it may have something to say of.
var needleTexts = map[Needle][]string{
	NeedlePrivateKey: {"PRIVATE KEY"},
	NeedleAddress:    {"://"},
	NeedleCommand:    {"curl"},
	NeedleHeader: {"uthorization", "AUTHORIZATION", "pi-key", "pi-Key", "PI-Key", "PI-KEY", "uth-token", "uth-Token", "UTH-TOKEN", "rivate-token",
		"rivate-Token", "RIVATE-TOKEN"},
	NeedleForeign: {"nosec", "nosemgrep", "gitleaks:allow", "pragma: allowlist", "trufflehog:ignore", "noqa", "NOQA", "NoQA", "pylint:", "gosec:disable", "nolint",
		"eslint-disable", "biome-ignore", "stylelint-disable", "html-validate-disable", "NOSONAR"},
	NeedleSuppressor: {"caselsp-disable-"},
	NeedleServer:     {"<?php", "<%"},
}

// Automaton is the one of Aho and Corasick (1975) for the needles, with the
// next state of each state for each byte.
type Automaton struct {
	next  [][256]uint16
	found []Needle // by state
}

var needles = sync.OnceValue(func() *Automaton { return NewAutomaton(needleTexts) })

// NewAutomaton returns the automaton that finds the texts of each needle.
func NewAutomaton(of map[Needle][]string) *Automaton {
	m := &Automaton{next: make([][256]uint16, 1), found: make([]Needle, 1)}
	for n, texts := range of {
		for _, text := range texts {
			s := uint16(0)
			for i := range len(text) {
				if m.next[s][text[i]] == 0 {
					m.next[s][text[i]] = uint16(len(m.next))
					m.next, m.found = append(m.next, [256]uint16{}), append(m.found, 0)
				}
				s = m.next[s][text[i]]
			}
			m.found[s] |= n
		}
	}
	// By breadth: what follows on a state's longest end that begins a needle is
	// known before the state is met.
	fail, queue := make([]uint16, len(m.next)), []uint16{0}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		m.found[s] |= m.found[fail[s]]
		for b := range 256 {
			to := m.next[s][b]
			switch {
			case to == 0:
				m.next[s][b] = m.next[fail[s]][b]
			case s == 0:
				queue = append(queue, to)
			default:
				fail[to] = m.next[fail[s]][b]
				queue = append(queue, to)
			}
		}
	}
	return m
}

// in returns the needles that a text holds.
func (m *Automaton) in(text string) Needle {
	s, found := uint16(0), Needle(0)
	for i := range len(text) {
		s = m.next[s][text[i]]
		found |= m.found[s]
	}
	return found
}

// InFold is in, of a text whose ASCII letters are taken in lower case.
func (m *Automaton) InFold(text string) Needle {
	s, found := uint16(0), Needle(0)
	for i := range len(text) {
		b := text[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		s = m.next[s][b]
		found |= m.found[s]
	}
	return found
}

// Holds reports whether the file's text holds one of some needles.
func (f *File) Holds(n Needle) bool { return f.needles()&n != 0 }
