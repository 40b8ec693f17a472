package openai

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"caselsp/agent/llm"
)

const (
	// maxTries is how often a request is sent in all. More would hide an outage from the user.
	maxTries = 3
	// firstPause doubles with each try. A second is what servers that are
	// merely busy need.
	firstPause = time.Second
	// longestRetryAfter is the longest pause that is kept when a server asks for it: limits
	// of tokens and requests are counted by the minute, and five of them outlast a queue. Who
	// asks for more has used up an hour's or a day's allowance: the try before that would only be
	// refused again, so another model is asked, or the task pauses and says until when.
	longestRetryAfter = 5 * time.Minute
)

// errFinal marks errors of kinds that are worth another try at another time
// or with another model, but not the same try now: an answer that was cut at
// its token limit, an account without credit.
var errFinal = errors.New("the same request would fail the same way")

// again reports whether err should be tried again after a pause.
func again(err *llm.Error) bool {
	return err.Retryable() && !errors.Is(err.Err, errFinal) && err.After <= longestRetryAfter
}

// pause returns how long to wait after the given failed try: what the server
// asked for, otherwise exponential backoff, half of which is jitter so that clients
// that failed together do not return together.
func (m *model) pause(try int, after time.Duration) time.Duration {
	if after > 0 {
		return after
	}
	full := firstPause << (try - 1)
	return full/2 + time.Duration(m.config.Jitter()*float64(full/2))
}

// sleep waits for d or until ctx ends, and returns ctx.Err() then.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// retryAfter reads the pause that a server asks for: retry-after-ms (Azure,
// OpenAI), or Retry-After in seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return seconds(ms / 1000)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return seconds(s)
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0)
	}
	return 0
}

// seconds converts without overflow; what is negative or no number is 0.
func seconds(s float64) time.Duration {
	const day = 24 * 60 * 60
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, day) * float64(time.Second))
}
