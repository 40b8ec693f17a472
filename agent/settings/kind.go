package settings

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"caselsp/store/lazyregexp"
)

// kind is a type of settings: what is allowed, in words that complete "must
// be", and how a value is read. Values come as JSON decodes them, and as text
// from the environment and from flags; both are understood everywhere.
type kind[T any] struct {
	allowed string
	words   []string // where only these are allowed
	read    func(value any) (T, error)
}

// simple returns a kind whose errors only say what is allowed.
func simple[T any](allowed string, read func(value any) (T, bool)) kind[T] {
	return kind[T]{allowed: allowed, read: func(value any) (T, error) {
		v, ok := read(value)
		if !ok {
			return v, fmt.Errorf("%s is not allowed, it must be %s", shown(value), allowed)
		}
		return v, nil
	}}
}

// oneOf allows some words.
func oneOf(words ...string) kind[string] {
	k := simple("one of "+strings.Join(words, ", "), func(value any) (string, bool) {
		s, _ := value.(string)
		return s, slices.Contains(words, s)
	})
	k.words = words
	return k
}

// orEmpty allows "" too, which takes back what a lower layer set.
func (k kind[T]) orEmpty() kind[T] {
	return kind[T]{allowed: k.allowed, words: k.words, read: func(value any) (T, error) {
		if value == "" {
			var none T
			return none, nil
		}
		return k.read(value)
	}}
}

// textLimit is longer than any address or name of a model in use; what is
// longer was pasted by mistake.
const textLimit = 500

// text allows text that can be seen, or "".
func text(allowed string) kind[string] {
	return simple(allowed, func(value any) (string, bool) {
		s, ok := value.(string)
		hidden := strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
		return s, ok && !hidden && len(s) <= textLimit
	})
}

// matching allows text that matches a whole pattern, or "". It does not repeat
// a wrong value: it may be something that was meant for another place.
func matching(allowed, pattern string) kind[string] {
	re := lazyregexp.New(`^(?:` + pattern + `)$`)
	return kind[string]{allowed: allowed, read: func(value any) (string, error) {
		s, ok := value.(string)
		if !ok || s != "" && !re.MatchString(s) || len(s) > textLimit {
			return "", fmt.Errorf("the value is not allowed, it must be %s", allowed)
		}
		return s, nil
	}}
}

// list allows several texts of a kind: an array, or text with commas between them.
func list(k kind[string]) kind[[]string] { return separated(k, ", ") }

// lines is list for texts that have blanks and commas in them, such as commands:
// as one text they have semicolons between them.
func lines(k kind[string]) kind[[]string] { return separated(k, ";") }

func separated(k kind[string], separators string) kind[[]string] {
	return kind[[]string]{allowed: k.allowed, read: func(value any) ([]string, error) {
		if s, ok := value.(string); ok {
			if decoded, err := decode([]byte(s)); err == nil {
				value = decoded
			} else {
				value = nil
				for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
					all, _ := value.([]any)
					value = append(all, strings.TrimSpace(part))
				}
			}
		}
		parts, ok := value.([]any)
		if !ok && value != nil {
			return nil, fmt.Errorf("the value is not allowed, it must be %s", k.allowed)
		}
		var values []string
		for _, part := range parts {
			v, err := k.read(part)
			if err != nil {
				return nil, err
			}
			if v != "" {
				values = append(values, v)
			}
		}
		return values, nil
	}}
}

// address allows the base URL of an HTTP server, or "". Like matching it
// repeats nothing.
func address() kind[string] {
	const allowed = "an address such as http://localhost:11434/v1, with http or https and without a user name"
	return kind[string]{allowed: allowed, read: func(value any) (string, error) {
		s, ok := value.(string)
		if ok && s == "" {
			return "", nil
		}
		u, err := url.Parse(s)
		if !ok || err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			return "", fmt.Errorf("the value is not allowed, it must be %s", allowed)
		}
		return strings.TrimRight(s, "/"), nil
	}}
}

// toNumber reads a number.
func toNumber(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case json.Number:
		return toNumber(v.String())
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f, err == nil
	}
	return 0, false
}

// number allows numbers of a range.
func number(low, high float64, unit string) kind[float64] {
	plain := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return simple("a number from "+plain(low)+" to "+plain(high)+unit, func(value any) (float64, bool) {
		f, ok := toNumber(value)
		return f, ok && f >= low && f <= high // false for NaN
	})
}

// integer allows whole numbers of a range.
func integer(low, high int, unit string) kind[int] {
	return simple(fmt.Sprintf("a whole number from %d to %d%s", low, high, unit), func(value any) (int, bool) {
		f, ok := toNumber(value)
		if !ok || f != math.Trunc(f) || f < float64(low) || f > float64(high) {
			return 0, false
		}
		return int(f), true
	})
}

// optional is a kind whose setting also tells "not set" from zero.
func optional[T any](k kind[T]) kind[*T] {
	return kind[*T]{allowed: k.allowed, read: func(value any) (*T, error) {
		v, err := k.read(value)
		return &v, err
	}}
}

// boolean allows true and false.
func boolean() kind[bool] {
	return simple("true or false", func(value any) (bool, bool) {
		switch v := value.(type) {
		case bool:
			return v, true
		case string:
			b, err := strconv.ParseBool(strings.TrimSpace(v))
			return b, err == nil
		}
		return false, false
	})
}

// duration allows times of a range; a number alone counts seconds.
func duration(low, high time.Duration) kind[time.Duration] {
	allowed := fmt.Sprintf("a time from %s to %s such as 90s or 5m (a number alone counts seconds)", short(low), short(high))
	return simple(allowed, func(value any) (time.Duration, bool) {
		if f, ok := toNumber(value); ok {
			value = strconv.FormatFloat(f, 'f', -1, 64) + "s"
		}
		s, _ := value.(string)
		d, err := time.ParseDuration(strings.TrimSpace(s))
		return d, err == nil && d >= low && d <= high
	})
}

// durationOrNone is a duration, or 0 for no limit.
func durationOrNone(low, high time.Duration) kind[time.Duration] {
	k := duration(low, high)
	return kind[time.Duration]{allowed: k.allowed + ", or 0: no limit", read: func(value any) (time.Duration, error) {
		if d, err := k.read(value); err == nil {
			return d, nil
		}
		if d, err := duration(0, 0).read(value); err == nil {
			return d, nil
		}
		return k.read(value)
	}}
}

// orNone allows 0, too, which has a meaning of its own.
func orNone(k kind[int], meaning string) kind[int] {
	return simple(k.allowed+", or 0: "+meaning, func(value any) (int, bool) {
		if f, ok := toNumber(value); ok && f == 0 {
			return 0, true
		}
		n, err := k.read(value)
		return n, err == nil
	})
}

// short writes a duration without zero parts: 5m, not 5m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// object reads a JSON object, which the environment holds as text, and calls
// each with its members, sorted.
func object(value any, each func(name string, value any) error) error {
	if s, ok := value.(string); ok {
		value = nil
		if decoded, err := decode([]byte(s)); err == nil {
			value = decoded
		}
	}
	members, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("the value is not allowed, it must be an object")
	}
	for _, name := range sortedKeys(members) {
		if err := each(name, members[name]); err != nil {
			return fmt.Errorf("in %q: %w", name, err)
		}
	}
	return nil
}

// prices allows an object of prices by model.
func prices() kind[map[string]Price] {
	const allowed = `an object such as {"gpt-4o": {"prompt": 2.5, "cached": 1.25, "completion": 10}}, in US dollars per million tokens`
	usd := number(0, 1e6, "")
	return kind[map[string]Price]{allowed: allowed, read: func(value any) (map[string]Price, error) {
		list := make(map[string]Price)
		err := object(value, func(model string, value any) error {
			price, cached := Price{}, false
			err := object(value, func(part string, value any) (err error) {
				switch part {
				case "prompt":
					price.Prompt, err = usd.read(value)
				case "completion":
					price.Completion, err = usd.read(value)
				case "cached":
					price.Cached, err = usd.read(value)
					cached = true
				default:
					err = fmt.Errorf("it is unknown, a price has prompt, cached and completion")
				}
				return err
			})
			if !cached {
				price.Cached = price.Prompt
			}
			list[model] = price
			return err
		})
		return list, err
	}}
}

// ruleLevels allows an object of severities by the names of rules or validators.
func ruleLevels() kind[map[string]string] {
	const allowed = `an object such as {"img-alt": "off", "css": "info"}, of off, critical, warning and info by a rule's or a validator's name`
	level := oneOf("off", "critical", "warning", "info")
	return kind[map[string]string]{allowed: allowed, read: func(value any) (map[string]string, error) {
		list := make(map[string]string)
		err := object(value, func(rule string, value any) (err error) {
			list[rule], err = level.read(value)
			return err
		})
		return list, err
	}}
}

// roleNames are the agents that a model can be chosen for.
var roleNames = []string{"tars", "case", "tester", "reflector"}

// roles allows an object of models by role. Each may set what perRole has.
func roles(perRole []entry) kind[map[string]Model] {
	const allowed = `an object such as {"tars": {"name": "gpt-4o", "temperature": 0}}, for tars, case, tester and reflector`
	return kind[map[string]Model]{allowed: allowed, read: func(value any) (map[string]Model, error) {
		list := make(map[string]Model)
		err := object(value, func(role string, value any) error {
			if !slices.Contains(roleNames, role) {
				return fmt.Errorf("it is no role, they are %s", strings.Join(roleNames, ", "))
			}
			var s Settings
			err := object(value, func(part string, value any) error {
				i := slices.IndexFunc(perRole, func(e entry) bool { return e.Name == "model."+part })
				if i < 0 {
					return fmt.Errorf("it cannot be set for a role")
				}
				return perRole[i].put(&s, value)
			})
			list[role] = s.Model
			return err
		})
		return list, err
	}}
}

// shown returns a value as a message quotes it.
func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "the value"
	}
	return printable(string(text))
}

// shownLimit is as much of a wrong value as a user needs to find it again.
const shownLimit = 60

// printable returns the beginning of a text without anything that a terminal or
// an editor obeys instead of showing it.
func printable(text string) string {
	var b strings.Builder
	for i, r := range []rune(text) {
		switch {
		case i == shownLimit:
			return b.String() + "…"
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

// keys are the forms of keys and tokens that providers give out, and as a last
// resort any long run of letters with digits, such as no name of a model or
// address has; digests of images have one, after "sha256:".
var (
	keys    = lazyregexp.New(`(?i)\b(sk|pk|rk|gsk|hf|xai|gh[pousr]|xox[abprs])[-_][a-z0-9_-]{8,}|\bAIza[\w-]{20,}|github_pat_\w+|\bbearer\s+\S|\beyJ[\w-]{10,}\.`)
	run     = lazyregexp.New(`(?:sha256:)?[A-Za-z0-9]{32,}`)
	digit   = lazyregexp.New(`[0-9]`)
	letter  = lazyregexp.New(`[A-Za-z]`)
	keyName = lazyregexp.New(`(?i)(api_?key|token|secret|password)$`)
)

// looksLikeKey reports whether a value, or one inside it, looks like a key.
func looksLikeKey(value any) bool {
	switch v := value.(type) {
	case string:
		return keys.MatchString(v) || slices.ContainsFunc(run.FindAllString(v, -1), func(r string) bool {
			return !strings.HasPrefix(r, "sha256:") && digit.MatchString(r) && letter.MatchString(r)
		})
	case map[string]any:
		for _, inner := range v {
			if looksLikeKey(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, looksLikeKey)
	}
	return false
}
