package record

import (
	"slices"
	"strings"

	"caselsp/store/lazyregexp"
)

// A thread is handed over to a task on the user's word. The model that asks for it has read the message, too;
// this is the second reading, which no model can talk into something: it knows plain agreement, and takes all else
// for none. The user's own command needs neither.

var (
	// agreement is how a message begins that agrees to a proposal.
	agreement = lazyregexp.New(`^(?:(?:yes|yep|yeah|yup|y|ok|okay|sure|agreed|alright|all right|absolutely|definitely|certainly|lgtm|perfect|great)\b|` +
		`(?:please |then |now |just |and )*(?:go ahead|proceed|go for it|do (?:it|that|this|so|both|all|the)\b|(?:make|implement|apply|build|fix|change|add|write) (?:it|that|this|both|them)\b|make it so|let'?s (?:do|go)\b|sounds good|looks good)|please(?: do)?[., ]*$)`)
	// objecting are words with which a message does not simply agree: negations, questions, conditions and delays.
	objecting = lazyregexp.New(`\b(?:no|not|nope|nah|never|none|nothing|without|cannot|\w+n't|(?:do|does|did|is|are|was|wo|ca|could|should|would)nt|wait|hold|stop|later|cancel|abort|undo|instead|unless|if|until|before|after|once|rather|almost|maybe|perhaps|` +
		`what|why|how|when|where|which|who|is|are|was|were|does|did|can|could|would|should|shall|may|might)\b|\?`)

	// order is how a message begins that agrees and says to do it. What follows says how, and may well have words such
	// as before, without or which.
	order = lazyregexp.New(`^(?:(?:yes|yep|yeah|yup|y|ok|okay|sure|agreed|alright|all right|absolutely|definitely|certainly|lgtm|perfect|great)\b[,.!:; ]*)?` +
		`(?:please |then |now |just |and )*(?:go ahead|proceed|go for it|do (?:it|that|this|so|both|all)\b|(?:make|implement|apply|build|fix|change|add|write) (?:it|that|this|both|them)\b|make it so|let'?s (?:do|go)\b)`)
	// withdrawing are words that take an order back, put it off, make it a question or depend on something.
	withdrawing = lazyregexp.New(`\b(?:no|not|nope|nah|never|cannot|\w+n't|(?:do|does|did|is|are|was|wo|ca|could|should|would)nt|wait|hold|stop|later|cancel|abort|undo|instead|unless|if|until|maybe|perhaps|once|after)\b|\?`)
)

// sentenceEnd is where a sentence of a message ends: agreement may come behind an answer, as in "only the first. Yes, do it".
var sentenceEnd = lazyregexp.New(`[.!;\n]\s*`)

// Agrees reports whether a message agrees to what was proposed: "yes, do it" does, also with how it should be done
// ("yes, do it, but put the new one first"), and behind something else ("only the first. Yes, do it"); "is it ok?" and
// "yes, but not now" do not. One sentence agrees, and none of the others objects.
func Agrees(message string) bool {
	message = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(message), "’", "'"))
	said := func(how *lazyregexp.Regexp) bool {
		return slices.ContainsFunc(sentenceEnd.Split(message, -1), func(sentence string) bool { return how.MatchString(strings.TrimSpace(sentence)) })
	}
	return said(agreement) && !objecting.MatchString(message) || said(order) && !withdrawing.MatchString(message)
}
