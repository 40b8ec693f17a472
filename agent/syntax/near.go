package syntax

import "caselsp/agent/near"

// Closest returns the word of a list that a misspelt one is most like; "" where
// none is near: more than two letters away, or more than a third of the word.
func Closest(word string, list []string) string {
	return near.Closest(word, list, min(2, len(word)/3))
}
