package testreport

import (
	"fmt"
	"strconv"
	"strings"

	"caselsp/store/lazyregexp"
)

// Frame is one call of a stack trace.
type Frame struct {
	File     string `json:"file"` // as the trace has it; see [Trace.In]
	Line     int    `json:"line"`
	Function string `json:"function,omitempty"`
}

// Trace is a stack trace, taken apart.
type Trace struct {
	Type      string  `json:"type,omitempty"` // such as ValueError, panic, TypeError
	Message   string  `json:"message,omitempty"`
	Signature string  `json:"signature"` // the type and the message without what differs from run to run
	Frames    []Frame `json:"frames,omitempty"`
}

const (
	keptTraces = 50  // of one output
	keptFrames = 200 // of one trace: a recursion has thousands
)

var (
	pythonFrame = lazyregexp.New(`^\s*File "([^"]+)", line (\d+)(?:, in (.+))?$`)
	pythonEntry = lazyregexp.New(`^(\S+\.py):(\d+): (?:in (.+)|([A-Za-z_][\w.]*)?)$`) // pytest's
	pythonError = lazyregexp.New(`^(?:E +)?([A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit|Failed|Timeout)|[a-z_][\w]*(?:\.[a-z_]\w*)*\.[A-Z]\w*)(?:: (.*))?$`)
	pythonCheck = lazyregexp.New(`^E {3,}(assert .*)$`)

	goPanic  = lazyregexp.New(`^(panic|fatal error): (.*?)(?: \[recovered.*)?$`)
	goCall   = lazyregexp.New(`^([\w./*()\[\]{}·-]+)\(.*\)$|^created by (\S+)`)
	goFrame  = lazyregexp.New(`^\t(\S+\.go):(\d+)(?: \+0x[0-9a-f]+)?$`)
	goSaid   = lazyregexp.New(`^\s+([\w.-]+\.go):(\d+): (.*)$`)
	goCompil = lazyregexp.New(`^((?:[\w.-]+/)*[\w.-]+\.go):(\d+):\d+: (.*)$`)

	scriptError = lazyregexp.New(`^\s*(?:Uncaught )?(?:cause: )?\[?([A-Za-z_$][\w$]*(?:Error|Exception|Warning)|Error)(?: \[[\w ]+\])*: (.*?)\]?$`)
	scriptFrame = lazyregexp.New(`^\s*(?:at |❯ )(?:(?:async )?(.+?) \(?)?((?:file://)?[^\s()]+?\.[cm]?[jt]sx?):(\d+)(?::\d+)?\)?(?: \{)?$`)
	tapFrame    = lazyregexp.New(`^\s+(?:(?:async )?(\S.*?) \()((?:file://)?/[^\s()]+?\.[cm]?[jt]sx?):(\d+):\d+\)$`)
	tapName     = lazyregexp.New(`^\s*name: '(\w+)'$`)
	tapError    = lazyregexp.New(`^\s*error: (?:'(.*)'|\|-)$`)
	expectation = lazyregexp.New(`^\s*(expect\(.*)$`)
	tsError     = lazyregexp.New(`^(\S+\.[cm]?tsx?)[(:](\d+)[,:]\d+\)?(?:: | - )error (TS\d+): (.*)$`)
)

// tracer takes the lines of an output.
type tracer struct {
	list     []Trace
	open     Trace
	python   bool // frames come before the error, and not behind it
	function string
	next     bool // the next line is the message
}

// Traces takes the stack traces of Python, Go, Node and TypeScript in an output apart, and
// what a compiler or a check says with its place. Frames are in the order of the calls: the last one
// is where it happened.
func Traces(output string) []Trace {
	var t tracer
	for line := range strings.Lines(Plain(output)) {
		t.line(strings.TrimRight(line, "\n"))
		if len(t.list) >= keptTraces {
			break
		}
	}
	t.end()
	return t.list
}

// end closes the open trace.
func (t *tracer) end() {
	if o := t.open; o.Type != "" && (len(o.Frames) > 0 || o.Type != "Error") {
		if !t.python { // innermost first
			for i, j := 0, len(o.Frames)-1; i < j; i, j = i+1, j-1 {
				o.Frames[i], o.Frames[j] = o.Frames[j], o.Frames[i]
			}
		}
		o.Signature = Signature(o.Type, o.Message)
		t.list = append(t.list, o)
	}
	t.open, t.python, t.function, t.next = Trace{}, false, "", false
}

func (t *tracer) frame(file, line, function string) {
	n, err := strconv.Atoi(line)
	if err != nil || len(t.open.Frames) >= keptFrames {
		return
	}
	t.open.Frames = append(t.open.Frames, Frame{File: file, Line: n, Function: function})
}

func (t *tracer) line(s string) {
	if t.next {
		if text := strings.TrimSpace(s); text != "" {
			t.open.Message, t.next = text, false
		}
		return
	}
	if !t.pythonLine(s) && !t.goLine(s) {
		t.scriptLine(s)
	}
}

// pythonLine takes a line of a Python trace: of the interpreter, whose error is the last
// line, or of pytest, where it comes before the last frame.
func (t *tracer) pythonLine(s string) bool {
	if strings.HasPrefix(s, "Traceback (most recent call last)") {
		t.end()
		t.python = true
		return true
	}
	if m := pythonFrame.FindStringSubmatch(s); m != nil {
		if t.open.Type != "" {
			t.end()
		}
		t.python = true
		t.frame(m[1], m[2], m[3])
		return true
	}
	if m := pythonEntry.FindStringSubmatch(s); m != nil {
		t.python = true
		t.frame(m[1], m[2], m[3])
		if m[4] != "" { // the last line of pytest's
			if t.open.Type == "" {
				t.open.Type = m[4]
			}
			t.end()
		}
		return true
	}
	if m := pythonCheck.FindStringSubmatch(s); m != nil && t.open.Type == "" {
		t.open.Type, t.open.Message, t.python = "AssertionError", m[1], true
		return true
	}
	pytest := strings.HasPrefix(s, "E   ")
	if !pytest && !(t.python && len(t.open.Frames) > 0 && t.open.Type == "") {
		return false
	}
	if m := pythonError.FindStringSubmatch(s); m != nil && t.open.Type == "" {
		t.open.Type, t.open.Message, t.python = m[1], m[2], true
		if !pytest {
			t.end()
		}
		return true
	}
	return pytest
}

// goLine takes a line of a panic, of a failed check or of the compiler.
func (t *tracer) goLine(s string) bool {
	if m := goPanic.FindStringSubmatch(s); m != nil {
		t.end()
		t.open.Type, t.open.Message = m[1], m[2]
		return true
	}
	if m := goFrame.FindStringSubmatch(s); m != nil {
		if t.function != "panic" && !strings.HasPrefix(t.function, "runtime.") && !strings.HasPrefix(t.function, "testing.") {
			t.frame(m[1], m[2], t.function)
		}
		return true
	}
	if t.open.Type == "panic" || t.open.Type == "fatal error" {
		if m := goCall.FindStringSubmatch(s); m != nil {
			t.function = m[1]
		}
		if strings.HasPrefix(s, "FAIL") || strings.HasPrefix(s, "exit status") {
			t.end()
		}
		return true
	}
	for kind, re := range map[string]*lazyregexp.Regexp{"check": goSaid, "compile error": goCompil} {
		if m := re.FindStringSubmatch(s); m != nil {
			t.end()
			t.open.Type, t.open.Message = kind, m[3]
			t.frame(m[1], m[2], "")
			t.end()
			return true
		}
	}
	return false
}

// scriptLine takes a line of a trace of V8, of a TAP record, or of the TypeScript compiler.
func (t *tracer) scriptLine(s string) {
	if m := tsError.FindStringSubmatch(s); m != nil {
		t.end()
		t.open.Type, t.open.Message = m[3], m[4]
		t.frame(m[1], m[2], "")
		t.end()
		return
	}
	if m := scriptFrame.FindStringSubmatch(s); m != nil {
		t.frame(m[2], m[3], m[1])
		return
	}
	if m := tapFrame.FindStringSubmatch(s); m != nil {
		t.frame(m[2], m[3], m[1])
		return
	}
	if m := tapError.FindStringSubmatch(s); m != nil {
		t.end()
		t.open.Type, t.open.Message, t.next = "Error", m[1], m[1] == ""
		return
	}
	if m := tapName.FindStringSubmatch(s); m != nil && t.open.Type == "Error" {
		t.open.Type = m[1]
		return
	}
	if m := scriptError.FindStringSubmatch(s); m != nil && (t.open.Type == "" || len(t.open.Frames) > 0 || !strings.Contains(s, "[ERR_TEST_FAILURE]")) {
		t.end()
		t.open.Type, t.open.Message = m[1], m[2]
	} else if m := expectation.FindStringSubmatch(s); m != nil && (t.open.Type == "" || len(t.open.Frames) > 0) {
		t.end()
		t.open.Type, t.open.Message = "AssertionError", m[1]
	}
}

// What differs from run to run, or from place to place, in the message of one failure.
var variable = []struct {
	re *lazyregexp.Regexp
	by string
}{
	{lazyregexp.New(`0x[0-9a-fA-F]+`), "ADDR"},
	{lazyregexp.New(`"[^"]*"|'[^']*'|` + "`[^`]*`"), "NAME"},
	{lazyregexp.New(`(?:[A-Za-z]:)?(?:[\w.@~-]*/)+[\w.@~-]*`), "PATH"},
	{lazyregexp.New(`\b\d+(?:\.\d+)?\b`), "N"},
}

// Cause is why a test failed, in a line: the error, or the first line of what it said.
func (t Test) Cause() string {
	traces := Traces(t.Message)
	if len(traces) == 0 {
		return firstOf(t.Message)
	}
	last := traces[len(traces)-1]
	if last.Type == "check" {
		return last.Message
	}
	return strings.TrimSuffix(last.Type+": "+last.Message, ": ")
}

// Told says in a line for people that a test did not pass, and why.
func (t Test) Told() string {
	how := "fails"
	if t.Outcome == Errored {
		how = "could not run"
	}
	text := fmt.Sprintf("the test %s %s", t.Name, how)
	if why := t.Cause(); why != "" {
		text += ": " + why
	}
	return text
}

// Signature is an error without what differs from run to run: numbers, addresses, paths and
// quoted names.
func Signature(kind, message string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	for _, v := range variable {
		first = v.re.ReplaceAllString(first, v.by)
	}
	return strings.TrimSuffix(kind+": "+first, ": ")
}

// In is the trace with the frames that lie in the tree, by their names there. Where a runner
// wrote a file without its folder, the only file of that name is meant.
func (t Trace) In(tree Tree) Trace {
	var frames []Frame
	for _, f := range t.Frames {
		name := tree.File(f.File)
		if name == "" && !strings.Contains(f.File, "/") {
			name = tree.only(f.File)
		}
		if name != "" {
			f.File = name
			frames = append(frames, f)
		}
	}
	t.Frames = frames
	return t
}

// only is the one file of a name, in whatever folder.
func (t Tree) only(name string) (found string) {
	for _, p := range t {
		if p == name || strings.HasSuffix(p, "/"+name) {
			if found != "" {
				return ""
			}
			found = p
		}
	}
	return found
}

// Hunk is a range of changed lines, from 1, inclusive; of deleted lines, the line behind them.
type Hunk struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// near is how many lines beside a changed hunk a frame may lie to be put down to it: a call is
// often written over several lines.
const near = 3

// Behind is the changed hunk that is behind a trace whose frames are named as in the tree: the
// innermost frame that lies in one, else next to one.
func (t Trace) Behind(changed map[string][]Hunk) (f Frame, h Hunk, found bool) {
	for _, beside := range []int{0, near} {
		for i := len(t.Frames) - 1; i >= 0; i-- {
			f := t.Frames[i]
			for _, h := range changed[f.File] {
				if f.Line >= h.From-beside && f.Line <= h.To+beside {
					return f, h, true
				}
			}
		}
	}
	return Frame{}, Hunk{}, false
}
