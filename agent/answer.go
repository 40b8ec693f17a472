package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"caselsp/agent/record"
	"caselsp/store/lazyregexp"
	"caselsp/store/secret"
)

// A model may ask the user for a secret, also because a file that it read told it to. What is
// answered goes to the model, so an answer that looks like a secret is held back.

// HeldBack is the error of an answer that looks like a secret: it was neither recorded nor
// sent to the model.
type HeldBack struct {
	Why  string
	Sure bool // it certainly is one; else the user may say that it is none (record.Answer.Sure)
}

// Error implements error. It says what to do, and nothing of the answer.
func (h *HeldBack) Error() string {
	return fmt.Sprintf("The answer was not sent to the model: %s. Keep a secret in the keyring: `caselsp secret set NAME`. The model uses it as {{ NAME }}, without seeing it", h.Why)
}

// Accept returns an answer as it will be recorded, or says why it is not taken: every answer,
// of whatever face, comes through here. A *[HeldBack] was neither recorded nor sent.
func (a *Agent) Accept(q record.Question, answer record.Answer) (record.Answer, error) {
	var err error
	if a.outside.replays() { // it was understood when it was given
		err = q.Check(answer)
	} else {
		answer, err = q.Take(answer)
	}
	if err == nil {
		err = a.Held(q, answer)
	}
	if err == nil {
		err = a.there(q, answer)
	}
	return answer, err
}

// there says why a secret that the user says is in the keyring cannot be taken from there, and
// what can be done.
func (a *Agent) there(q record.Question, answer record.Answer) error {
	about, ok := q.Subject.(record.Secret)
	if !ok || answer.Text != record.Kept || a.outside.replays() {
		return nil
	}
	if _, found := a.secret(about.Name); found {
		return nil
	}
	why := errors.New("caselsp runs without one")
	if a.Secrets.Get != nil {
		_, _, why = a.Secrets.Get(about.Name)
	}
	if why != nil {
		return fmt.Errorf("the value of %s is not there: %w. In a terminal, `caselsp resume %s` asks for it and keeps it until the task pauses; pause the task here first", about.Name, why, q.Task)
	}
	return fmt.Errorf("there is no secret %s in the keyring yet: run `caselsp secret set %s` in a terminal, then say so again", about.Name, about.Name)
}

// Held returns a *[HeldBack] for an answer to a model's question that looks like a secret.
func (a *Agent) Held(q record.Question, answer record.Answer) error {
	about, ok := q.Subject.(record.Input)
	if !ok || slices.Contains(about.Choices, answer.Text) { // the model wrote that itself
		return nil
	}
	for _, m := range secret.Find(answer.Text) {
		if !m.Dummy {
			return &HeldBack{"it holds what looks like a secret of " + m.Format.Service, true}
		}
	}
	if a.Store.Redact(answer.Text) != answer.Text {
		return &HeldBack{"it holds a secret", true}
	}
	if answer.Sure {
		return nil
	}
	asked := asksForSecret(q.Text + " " + strings.Join(about.Choices, " "))
	for _, word := range strings.Fields(answer.Text) {
		if looksSecret(word, asked, len(strings.Fields(answer.Text)) == 1) {
			return &HeldBack{"it looks like a password or a key", false}
		}
	}
	return nil
}

// secretWords are those by which people ask for secrets.
var secretWords = lazyregexp.New(`(?i)\b(pass(word|phrase|code)s?|pwd|tokens?|secrets?|credentials?|(api|access|private|secret|ssh)[ _-]?keys?|pin|otp|2fa|(verification|recovery|one-time) (code|phrase)s?|seed phrase)\b`)

// asksForSecret reports whether a question asks for a secret, by its words or by the name of
// a variable in it.
func asksForSecret(question string) bool {
	return secretWords.MatchString(question) || slices.ContainsFunc(strings.FieldsFunc(question, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}), secret.Name)
}

const (
	shortSecret  = 6  // bytes of the shortest word that may be a password, where one was asked for
	randomSecret = 16 // and of the shortest that looks random, where none was
)

// looksSecret reports whether a word of an answer may be a secret. Where one was asked for,
// that is every word by itself, and in a sentence one of different kinds of characters; where
// none was, only what a machine has made.
func looksSecret(word string, asked, alone bool) bool {
	word = strings.Trim(word, "\"'`.,;:!?()“”")
	switch {
	case secret.NoPassword(word), secret.Placeholder(word), strings.Contains(word, "://") && !strings.Contains(word, "@"):
		return false
	case asked:
		return len(word) >= shortSecret && (alone || strings.ContainsAny(word, "0123456789") || strings.ContainsAny(word, "!#$%&*+=?@^~"))
	}
	return len(word) >= randomSecret && !hashed.MatchString(word) && !strings.ContainsAny(word, "/\\") && secret.Random(word)
}

// hashed are digests, commits and UUIDs, which people do answer with.
var hashed = lazyregexp.New(`^[0-9a-fA-F-]+$`)
