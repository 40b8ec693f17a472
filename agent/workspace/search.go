package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	// MaxMatches is how many lines Search returns at most, and where no limit is
	// given: more than anybody reads.
	MaxMatches = 10_000

	// maxMatchText is how many bytes of a matching line are returned. Longer lines
	// are generated, and one of them would fill a prompt.
	maxMatchText = 500

	// MaxContext is how many lines are returned before and after a match at most:
	// who wants more reads the file.
	MaxContext = 20
)

// Query is what to search for.
type Query struct {
	Pattern    string
	Regexp     bool                   // Pattern is a regular expression (RE2); else it is plain text
	IgnoreCase bool                   // letters match in either case
	Glob       string                 // of the files to search, as in List
	Limit      int                    // of matches; 0: MaxMatches
	Context    int                    // lines before and after a match that are returned with it, up to MaxContext
	Skip       func(path string) bool // files that are not searched; nil: none

	// TooLarge is called with each file that would be searched, but for its size: texts above
	// MaxText. It may be nil.
	TooLarge func(path string, size int64)
}

// Match is a line that was found.
type Match struct {
	Path string
	Line int    // from 1
	Text string // without its ending; cut, with "…", where it is very long

	Before, After []string // the lines around it, as Text, where the query asks for them
}

// Search returns the lines of the files that List would return in which the
// pattern is found, in the order of paths and lines; more says that there are
// others. Files that are no text are passed over, and so are those that are too large for
// it, see Query.TooLarge. An empty or broken pattern is an error that says so.
func (o *Overlay) Search(ctx context.Context, q Query) (matches []Match, more bool, err error) {
	re, err := q.compile()
	if err != nil {
		return nil, false, err
	}
	g, err := parseGlob(q.Glob)
	if err != nil {
		return nil, false, err
	}
	limit := q.Limit
	if limit <= 0 || limit > MaxMatches {
		limit = MaxMatches
	}
	files, more, err := o.walkIn(ctx, false, g)
	if err != nil {
		return nil, false, err
	}
	files = slices.DeleteFunc(files, func(f found) bool { return !g.match(f.key) || q.Skip != nil && q.Skip(f.key) || q.passed(f) })
	s := search{w: o.w, re: re, limit: limit, files: files, found: make([][]Match, (len(files)+batch-1)/batch)}
	s.context, s.needles = min(max(q.Context, 0), MaxContext), needlesOf(re.String())
	o.w.index.next()
	if err := s.run(ctx); err != nil {
		return nil, false, err
	}
	matches = slices.Concat(s.found...)
	if len(matches) > limit {
		return matches[:limit], true, nil
	}
	return matches, more, nil
}

// passed reports whether a file is too large to be searched, and tells of it where it may be a text.
func (q Query) passed(f found) bool {
	if f.staged != nil || f.buffer != nil || f.info == nil || f.info.Size() <= MaxText {
		return false
	}
	if q.TooLarge != nil && f.place.mayBeText() {
		q.TooLarge(f.key, f.info.Size())
	}
	return true
}

// sniffed is how much of a large file is looked at to tell whether it is text, as git does.
const sniffed = 8000

// mayBeText reports whether a file on disk begins as texts do.
func (p place) mayBeText() bool {
	file, err := p.folder.root.OpenFile(p.rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, sniffed)
	n, err := io.ReadFull(file, head)
	return (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) && bytes.IndexByte(head[:n], 0) < 0
}

// batch is how many files a worker of a search takes at a time: enough that
// neighbours in a folder stay together, and few enough that all end together.
const batch = 64

// search is a search under way. The batches are taken in order, and what
// was taken is done to the end: so what was found when there is enough is what
// comes first.
type search struct {
	w       *Workspace
	re      *regexp.Regexp
	limit   int
	context int
	files   []found
	needles needles

	found [][]Match // by batch
	count atomic.Int64
}

func (s *search) run(ctx context.Context) error {
	return inBatches(ctx, len(s.files), func(from, to int) bool {
		r := reader{w: s.w, needles: s.needles}
		defer r.close()
		i := from / batch
		for _, f := range s.files[from:to] {
			if text, ok := r.text(f); ok && s.needles.in(text) {
				s.found[i] = s.lines(s.found[i], f.key, text)
			}
		}
		return s.count.Add(int64(len(s.found[i]))) <= int64(s.limit)
	})
}

// inBatches calls do for the batches of n things in order, on all processors, until one
// returns false. Where one panics, it does too.
func inBatches(ctx context.Context, n int, do func(from, to int) bool) error {
	return inBatchesBy(ctx, runtime.GOMAXPROCS(0), batch, n, do)
}

// inBatchesBy is inBatches by a number of workers, in batches of a size.
func inBatchesBy(ctx context.Context, workers, batch, n int, do func(from, to int) bool) error {
	var group sync.WaitGroup
	var next atomic.Int64
	var enough atomic.Bool
	var panicked atomic.Value
	work := func() {
		for ctx.Err() == nil && !enough.Load() {
			from := (int(next.Add(1)) - 1) * batch
			if from >= n {
				return
			}
			if !do(from, min(from+batch, n)) {
				enough.Store(true)
			}
		}
	}
	for range min(workers, (n+batch-1)/batch) {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panicked.Store(fmt.Sprintf("%v\n%s", p, debug.Stack()))
				}
			}()
			work()
		})
	}
	group.Wait()
	if p := panicked.Load(); p != nil {
		panic(p) // where the caller's barrier is
	}
	return ctx.Err()
}

// lines adds the lines of a text that match, up to one more than the limit.
func (s *search) lines(matches []Match, key, text string) []Match {
	lines := splitLines(text)
	for i, line := range lines {
		line = strings.TrimRight(line, "\r\n")
		if len(matches) <= s.limit && s.needles.in(line) && s.re.MatchString(line) {
			matches = append(matches, Match{
				Path: key, Line: i + 1, Text: shorten(line),
				Before: whole(lines[max(0, i-s.context):i]), After: whole(lines[i+1 : min(len(lines), i+1+s.context)]),
			})
		}
	}
	return matches
}

// whole returns lines as a match shows them.
func whole(lines []string) (shown []string) {
	for _, l := range lines {
		shown = append(shown, shorten(strings.TrimRight(l, "\r\n")))
	}
	return shown
}

// compile returns the pattern as an expression that finds it in a line.
func (q Query) compile() (*regexp.Regexp, error) {
	if q.Pattern == "" {
		return nil, errors.New("the search pattern is empty: say what to search for, or list the files")
	}
	pattern := q.Pattern
	if !q.Regexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	if q.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("the search pattern is not a valid regular expression: %w: correct it, or search for plain text", err)
	}
	return re, nil
}

func shorten(line string) string {
	if len(line) <= maxMatchText {
		return line
	}
	return strings.ToValidUTF8(line[:maxMatchText], "") + "…"
}

// reader reads the texts of a walk's files one after the other, from the index where
// that knows them. It keeps the
// folder of the last file open and reads into one buffer: in a search of many
// small files, finding each from the workspace's root again costs more than
// reading it. What the walk saw was a regular file, so it is not looked at again
// before it is opened.
type reader struct {
	w    *Workspace
	of   *folder
	dir  string
	root *os.Root
	buf  bytes.Buffer
	last *indexed // what text read or found last, if the index has or would have it
	seen version  // of what text read or found last on disk; zero: nothing

	needles needles // see search
}

func (r *reader) close() {
	if r.root != nil {
		r.root.Close()
		r.root = nil
	}
}

// text returns a file's text; false: it is no text, too large, gone, or certainly
// does not hold a needle.
func (r *reader) text(f found) (string, bool) {
	r.last, r.seen = nil, version{}
	if f.staged != nil || f.buffer != nil {
		c, err := f.content(r.w, MaxText)
		if err != nil || c == nil {
			return "", false
		}
		return c.Text()
	}
	if e := r.w.index.find(f.key, f.info); e != nil {
		r.last, r.seen = e, e.version
		return e.text, e.err == nil
	}
	begun := r.w.index.clock()
	info, err := r.load(f.place)
	if err != nil {
		return "", false
	}
	data := r.buf.Bytes()
	if int64(len(data)) == info.Size() {
		r.seen = versionOf(info)
	}
	if r.w.index.room(int64(len(data))) {
		e := r.w.index.keep(f.key, data, info, begun)
		r.last = e
		return e.text, e.err == nil
	}
	// ASCII in UTF-16 is half zero bytes: without any, the bytes are the text's own.
	if r.needles.ascii() && bytes.IndexByte(data, 0) < 0 && !r.needles.in(unsafe.String(unsafe.SliceData(data), len(data))) {
		return "", false
	}
	text, _, err := Decode(data)
	return text, err == nil
}

// hashed returns a file's text with a hash of it; false as text.
func (r *reader) hashed(f found) (text, hash string, ok bool) {
	if text, ok = r.text(f); !ok {
		return "", "", false
	}
	if r.last != nil {
		return text, r.last.hash, true
	}
	return text, hashOf([]byte(text)), true
}

// load reads a file on disk into the buffer.
func (r *reader) load(p place) (fs.FileInfo, error) {
	dir, name := path.Split(p.rel)
	if r.root == nil || r.of != p.folder || r.dir != dir {
		r.close()
		root, err := p.folder.root.OpenRoot(cmp.Or(dir, "."))
		if err != nil {
			return nil, err
		}
		r.of, r.dir, r.root = p.folder, dir, root
	}
	file, err := r.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r.buf.Reset()
	return readAll(file, p.key, MaxText, &r.buf)
}
