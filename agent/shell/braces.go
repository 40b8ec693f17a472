package shell

import (
	"strconv"
	"strings"

	"caselsp/store/lazyregexp"
)

// Bash makes several words of src/{a,b}.py, and other shells take it as it is: a name that no file
// has, or a pattern that finds fewer. So such a word is judged as all that bash makes of it.

// maxAlternatives bounds how many words one may become.
const maxAlternatives = 64

var (
	braceText  = lazyregexp.New(`^[\w./@%+:=*?,{}-]+$`)
	braceFlag  = lazyregexp.New(`^--[a-z][\w-]*=`)
	braceRange = lazyregexp.New(`^(\d{1,3})\.\.(\d{1,3})$`)
	firstBrace = lazyregexp.New(`^([^{}]*)\{([^{}]*)\}(.*)$`)
)

// alternatives are the words that bash makes of a word with braces, such as
// src/{a,b}.py or --include=*.{ts,tsx}; nil for any other word, and where one of them could be a flag that the
// word does not begin with.
func alternatives(s string) (words []word) {
	flag := braceFlag.FindString(s)
	if !braces(s) || !braceText.MatchString(s) || strings.HasPrefix(s, "-") && flag == "" || strings.Contains(flag, "{") {
		return nil
	}
	list, ok := expandBraces(s)
	if !ok {
		return nil
	}
	for _, one := range list {
		w := word{text: one, glob: strings.ContainsAny(one, "*?")}
		if one == "" || flag == "" && one[0] == '-' || w.glob && (!simpleGlob.MatchString(one) || hiddenGlob.MatchString(one)) {
			return nil
		}
		words = append(words, w)
	}
	return words
}

// expandBraces expands braces that are not nested, from the left; ok is false where there are others.
func expandBraces(s string) (list []string, ok bool) {
	m := firstBrace.FindStringSubmatch(s)
	if m == nil {
		return []string{s}, !strings.ContainsAny(s, "{}")
	}
	parts := strings.Split(m[2], ",")
	if r := braceRange.FindStringSubmatch(m[2]); r != nil && r[1][0] != '0' {
		from, _ := strconv.Atoi(r[1]) // the pattern has digits only
		to, _ := strconv.Atoi(r[2])
		if to < from || to-from >= maxAlternatives {
			return nil, false
		}
		parts = nil
		for n := from; n <= to; n++ {
			parts = append(parts, strconv.Itoa(n))
		}
	} else if len(parts) < 2 || strings.Contains(m[2], "..") {
		return nil, false
	}
	ends, ok := expandBraces(m[3])
	if !ok || len(parts)*len(ends) > maxAlternatives {
		return nil, false
	}
	for _, part := range parts {
		for _, end := range ends {
			list = append(list, m[1]+part+end)
		}
	}
	return list, true
}
