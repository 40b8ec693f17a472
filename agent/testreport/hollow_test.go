package testreport

import (
	"strings"
	"testing"
)

// TestHollow holds which signatures of real failures tell nothing of their cause.
func TestHollow(t *testing.T) {
	for text, hollow := range map[string]bool{
		"AssertionError: 'a' != 'b'":                                           true,
		"AssertionError: 3 != 1":                                               true,
		"AssertionError":                                                       true,
		"AssertionError: assert 4 == 5":                                        true,
		"AssertionError: Expected values to be strictly equal:":                true,
		"AssertionError [ERR_ASSERTION]: 1 == 2":                               true,
		"AssertionError: False is not true":                                    true,
		"AssertionError: Expected values to be strictly deep-equal:":           true,
		"AssertionError: expected 'x' to be 'y'":                               true,
		"KeyError: 'price'":                                                    true,
		"FAILED tests/test_cart.py::test_total - assert 3 == 4":                true,
		"TypeError: can't subtract offset-naive and offset-aware datetimes":    false,
		"TypeError: Cannot read properties of undefined (reading 'map')":       false,
		"AssertionError: 3 != 1 : elements of an earlier call are still there": false,
		"UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3":             false,
		"panic: runtime error: index out of range [3] with length 3":           false,
		"check: Total() = 3, want 4":                                           false,
		"ModuleNotFoundError: No module named 'requests'":                      false,
	} {
		kind, message, found := cut(text)
		signature := strings.TrimPrefix(Signature("", text), ": ")
		if found {
			signature = Signature(kind, message)
		}
		if got := Hollow(signature); got != hollow {
			t.Errorf("%q (%q): %v", text, signature, got)
		}
	}
}

// cut parts the type of an error from its message.
func cut(text string) (kind, message string, found bool) {
	for i := range text {
		if text[i] == ':' && i+1 < len(text) && text[i+1] == ' ' {
			return text[:i], text[i+2:], true
		}
	}
	return "", "", false
}
