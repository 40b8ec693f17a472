package testreport

import (
	"strings"

	"caselsp/store/lazyregexp"
)

var (
	// errorName is the type of an error at the beginning of a signature.
	errorName = lazyregexp.New(`^\s*(?:[\w.]*(?:Error|Exception|Failure|Warning)|check|panic)\b(?:\s*\[\w+\])?`)
	// standsFor are the words of a signature in place of values, and those that were given to names of a project.
	standsFor = lazyregexp.New(`\b(?:ADDR|NAME|PATH|N|(?:file|text|name|func|type|module|const|number|url|address)\d+(?:\.\w+)?)\b`)
	// comparing are the words in which every runner says that two values differ.
	comparing = lazyregexp.New(`(?i)\b(?:assert|assertion|assertionerror|expected|expect|received|got|want|wanted|actual|values?|inputs?|to|be|is|not|and|but|was|were|equal|equals|strictly|loosely|deeply|deep|deep-equal|identical|same|strictequal|deepstrictequal|notstrictequal|toequal|tobe|tostrictequal|true|false|none|null|undefined|nil|fail|failed|failure|failures|error|errors|where|in)\b`)
)

// Hollow reports whether a line of a signature tells nothing of a cause: it says that two values differ, or which test has
// failed, and the values are gone.
func Hollow(signature string) bool {
	rest := errorName.ReplaceAllString(strings.TrimPrefix(strings.TrimSpace(signature), "E "), "")
	rest = comparing.ReplaceAllString(standsFor.ReplaceAllString(rest, ""), "")
	if test, ok := strings.CutPrefix(strings.TrimSpace(rest), "::"); ok { // PATH::test_name of pytest
		_, rest, _ = strings.Cut(test, " - ")
	}
	return !strings.ContainsFunc(rest, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f && r != '…' })
}
