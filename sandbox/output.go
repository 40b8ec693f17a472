package sandbox

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// output keeps the beginning and the end of what is written to it, because the
// first error and the last line are what a reader looks for, and hands all of
// it on to live.
type output struct {
	limit int64 // bytes kept in all
	live  io.Writer
	head  []byte
	tail  []byte // a ring, once it is full
	start int    // the oldest byte of the ring
	total int64
	last  time.Time // when something was written last; zero: nothing was
}

// Write implements io.Writer. It never fails: the command goes on when
// the reader of its output is gone.
func (o *output) Write(p []byte) (int, error) {
	if o.live != nil {
		_, _ = o.live.Write(p)
	}
	n := len(p)
	o.total, o.last = o.total+int64(n), time.Now()
	if room := o.limit/2 - int64(len(o.head)); room > 0 {
		k := min(int64(len(p)), room)
		o.head = append(o.head, p[:k]...)
		p = p[k:]
	}
	size := int(o.limit - o.limit/2)
	if len(p) > size {
		p = p[len(p)-size:]
	}
	if room := size - len(o.tail); room > 0 {
		k := min(len(p), room)
		o.tail = append(o.tail, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(o.tail[o.start:], p)
		p = p[k:]
		o.start = (o.start + k) % size
	}
	return n, nil
}

// quiet says how long a command that took so long, and was stopped now, had written nothing.
func (o *output) quiet(took time.Duration) time.Duration {
	if o.last.IsZero() {
		return took
	}
	return min(took, time.Since(o.last))
}

// text returns what was kept, as valid UTF-8 (a Result goes through JSON and
// must come out of a recording as it was), and how many bytes are missing.
func (o *output) text() (string, int64) {
	cut := o.total - int64(len(o.head)) - int64(len(o.tail))
	said := ""
	if cut > 0 {
		said = fmt.Sprintf("\n[%d bytes of output cut here]\n", cut)
	}
	s := string(o.head) + said + string(o.tail[o.start:]) + string(o.tail[:o.start])
	return strings.ToValidUTF8(s, "\uFFFD"), cut
}
