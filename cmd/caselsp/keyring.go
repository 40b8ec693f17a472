package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"caselsp/agent/action"

	"github.com/zalando/go-keyring"
)

// The user's secrets are in the keyring of the operating system: the Secret Service
// of GNOME and KDE, the keychain of macOS, or the credential manager of Windows.
// They are never written anywhere else; without a keyring they are asked for each
// time. (99designs/keyring lost to go-keyring: without a keyring it falls back to
// files of its own.)

const (
	// keyringService is what the keyring keeps our secrets under.
	keyringService = "caselsp"

	// keyringNames is the item that lists the names of all others, as JSON: keyrings
	// have no common way to list items. No secret can have this name.
	keyringNames = "names"

	// keyringTime is how long a keyring may take. A locked keyring asks the user for
	// its password.
	keyringTime = 2 * time.Minute

	// minSecretValue is the shortest value that is accepted, in bytes: a shorter one
	// occurs in any text, and cannot be kept out of prompts and logs.
	minSecretValue = 4
	// maxSecretValue is the longest, in bytes: the largest private keys.
	maxSecretValue = 16 << 10
)

// noKeyring says that there is no keyring, and what to do.
type noKeyring struct{ err error }

func (e *noKeyring) Error() string {
	return fmt.Sprintf("no keyring is available (%v): start one, such as gnome-keyring or KWallet, in a session with D-Bus; without one, secrets are asked for each time and never stored", e.err)
}

func (e *noKeyring) Unwrap() error { return e.err }

// errNoSession keeps the D-Bus library from starting a bus of its own, which would
// keep running.
var errNoSession = errors.New("there is no D-Bus session")

// withKeyring runs a function on the keyring, for a limited time.
func withKeyring[T any](f func() (T, error)) (T, error) {
	var none T
	if runtime.GOOS == "linux" && os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		if _, err := os.Stat(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")); os.Getenv("XDG_RUNTIME_DIR") == "" || err != nil {
			return none, &noKeyring{errNoSession}
		}
	}
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		if o.err != nil && !errors.Is(o.err, keyring.ErrNotFound) {
			return none, &noKeyring{o.err}
		}
		return o.value, o.err
	case <-time.After(keyringTime):
		return none, &noKeyring{fmt.Errorf("it did not answer for %v", keyringTime)}
	}
}

// secretOf returns a secret from the keyring; false if there is none of that name.
func secretOf(name string) (string, bool, error) {
	value, err := withKeyring(func() (string, error) { return keyring.Get(keyringService, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", false, nil
	}
	return value, err == nil, err
}

// secretNames returns the names of all secrets in the keyring, sorted.
func secretNames() ([]string, error) {
	text, ok, err := secretOf(keyringNames)
	if err != nil || !ok {
		return nil, err
	}
	var names []string
	if err := json.Unmarshal([]byte(text), &names); err != nil {
		return nil, fmt.Errorf("the keyring's list of secrets cannot be read: %w; remove the item %q of %s and set the secrets again", err, keyringNames, keyringService)
	}
	return slices.DeleteFunc(names, func(n string) bool { return action.CheckSecret(n) != nil }), nil
}

// keepSecret puts a secret into the keyring. The list comes first: a name
// without a secret is harmless, a secret that is not listed is not.
func keepSecret(name, value string) error {
	if err := errors.Join(action.CheckSecret(name), checkSecretValue(value)); err != nil {
		return err
	}
	if err := listSecret(name, true); err != nil {
		return err
	}
	_, err := withKeyring(func() (bool, error) { return true, keyring.Set(keyringService, name, value) })
	return err
}

// forgetSecret removes a secret from the keyring; false if there was none.
func forgetSecret(name string) (bool, error) {
	_, err := withKeyring(func() (bool, error) { return true, keyring.Delete(keyringService, name) })
	found := err == nil
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return false, err
	}
	return found, listSecret(name, false)
}

// listSecret adds a name to the list of names, or removes it.
func listSecret(name string, listed bool) error {
	names, err := secretNames()
	if err != nil || slices.Contains(names, name) == listed {
		return err
	}
	if listed {
		names = append(names, name)
	} else {
		names = slices.DeleteFunc(names, func(n string) bool { return n == name })
	}
	slices.Sort(names)
	text, err := json.Marshal(names)
	if err != nil {
		return err
	}
	_, err = withKeyring(func() (bool, error) { return true, keyring.Set(keyringService, keyringNames, string(text)) })
	return err
}

// checkSecretValue says what is wrong with a value, without repeating it.
func checkSecretValue(value string) error {
	switch {
	case len(value) < minSecretValue:
		return fmt.Errorf("the value has %d bytes, at least %d are needed: a shorter one cannot be redacted reliably", len(value), minSecretValue)
	case len(value) > maxSecretValue:
		return fmt.Errorf("the value has %d bytes, at most %d are accepted", len(value), maxSecretValue)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return errors.New("the value is not text: encode it, for example in base64, and let the program decode it")
	}
	return nil
}
