package validate

import (
	"math"
	"regexp/syntax"
	"strings"
	"sync"
)

// Which of some short texts a file holds, found in one pass over it: the cheap
// question before an expensive one.

// needle is a text that rules ask for.
type needle uint64

const (
	needKey        needle = 1 << iota // a private key
	needAddress                       // an address
	needCommand                       // curl
	needHeader                        // what says who asks
	needForeign                       // another tool's comment
	needSuppressor                    // a comment that switches rules off
	needServer                        // a page that a server's program writes
)

// needleTexts are what the needles look for, one of which is in every text that the
// rule behind it may have something to say of.
var needleTexts = map[needle][]string{
	needKey:     {"PRIVATE KEY"},
	needAddress: {"://"},
	needCommand: {"curl"},
	needHeader: {"uthorization", "AUTHORIZATION", "pi-key", "pi-Key", "PI-Key", "PI-KEY", "uth-token", "uth-Token", "UTH-TOKEN", "rivate-token",
		"rivate-Token", "RIVATE-TOKEN"},
	needForeign:    {"nosec", "nosemgrep", "gitleaks:allow", "pragma: allowlist"},
	needSuppressor: {"caselsp-disable-"},
	needServer:     {"<?php", "<%"},
}

// automaton is the one of Aho and Corasick (1975) for the needles, with the
// next state of each state for each byte.
type automaton struct {
	next  [][256]uint16
	found []needle // by state
}

var needles = sync.OnceValue(func() *automaton { return newAutomaton(needleTexts) })

func newAutomaton(of map[needle][]string) *automaton {
	m := &automaton{next: make([][256]uint16, 1), found: make([]needle, 1)}
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
func (m *automaton) in(text string) needle {
	s, found := uint16(0), needle(0)
	for i := range len(text) {
		s = m.next[s][text[i]]
		found |= m.found[s]
	}
	return found
}

// inFold is in, of a text whose ASCII letters are taken in lower case.
func (m *automaton) inFold(text string) needle {
	s, found := uint16(0), needle(0)
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

// holds reports whether the file's text holds one of some needles.
func (f *File) holds(n needle) bool { return f.needles()&n != 0 }

// literals returns texts in lower case, one of which is in every text, in lower
// case, that an expression matches; false where there are none.
func literals(x *syntax.Regexp) ([]string, bool) {
	switch x.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(x.Rune))}, true
	case syntax.OpCapture, syntax.OpPlus:
		return literals(x.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, s := range x.Sub {
			list, ok := literals(s)
			if !ok {
				return nil, false
			}
			all = append(all, list...)
		}
		return all, true
	case syntax.OpConcat:
		var best []string
		for _, s := range x.Sub {
			if list, ok := literals(s); ok && (best == nil || shortest(list) > shortest(best)) {
				best = list
			}
		}
		return best, best != nil
	}
	return nil, false
}

func shortest(list []string) int {
	n := math.MaxInt
	for _, s := range list {
		n = min(n, len(s))
	}
	return n
}
