package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"caselsp/sandbox/inside"
)

// runner is a process of the command's user that was started before its command
// is known and becomes that command: so a run in a container that waits costs no
// start of a process by the engine, which is most of what an exec takes. It
// serves one command only and is started where nothing of that user runs, so no
// command can have touched it.
type runner struct {
	exec   string
	stream types.HijackedResponse
	relay  *relay
	form   string        // of the pytest that it is, where the image knows how to; "": a shell
	ended  chan struct{} // its output has ended
}

// What the runner prints before its command begins to.
const (
	preparedMark = "caselsp: prepared"
	readyMark    = "caselsp: ready "
)

// prepareScript empties what the run before may have written to and waits. What
// comes first on its input is the length of a script, and that script. dd takes
// exactly that much: what follows is the script's input.
const prepareScript = `for d in /tmp /dev/shm /dev/mqueue; do [ -d $d ] || continue
find $d -mindepth 1 -type d ! -perm -700 -exec chmod 700 {} \;
find $d -mindepth 1 -delete
done 2>/dev/null
if command -v ipcrm >/dev/null; then ipcrm --all 2>/dev/null; fi
`

const waitScript = `echo '` + preparedMark + `'
IFS= read -r n && script=$(dd bs="$n" count=1 iflag=fullblock 2>/dev/null) && eval "$script"`

// bytecode makes Python use what was compiled when it was installed, and write
// nothing. A folder for all bytecode in /tmp would hide that and be empty at each
// run: pytest and what it imports would be compiled anew for a second or more.
var bytecode = []string{"PYTHONPYCACHEPREFIX=", "PYTHONDONTWRITEBYTECODE=1"}

// prepare starts a runner. In a container that has run a command it first
// removes what that left outside of the work tree.
func (b *box) prepare(ctx context.Context, used bool) error {
	script, env := waitScript, bytecode
	if used && b.form != "" {
		script, env = pytestScript(b.form)+waitScript, append(slices.Clone(bytecode), pytestVariable())
	}
	if used {
		script = prepareScript + script
	}
	exec, err := b.client.ContainerExecCreate(ctx, b.id, container.ExecOptions{
		User: b.user(), WorkingDir: inside.WorkFolder, Env: env, AttachStdin: true, AttachStdout: true, Cmd: []string{"/bin/sh", "-c", script}})
	if err != nil {
		return err
	}
	stream, err := b.client.ContainerExecAttach(ctx, exec.ID, container.ExecAttachOptions{})
	if err != nil {
		return err
	}
	r := &runner{exec: exec.ID, stream: stream, relay: newRelay(), form: b.form, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		_, _ = stdcopy.StdCopy(r.relay, io.Discard, stream.Reader) // its end is all that it tells
	}()
	b.runner = r
	return nil
}

// prepared waits until the runner has removed what it was to.
func (r *runner) prepared(ctx context.Context) error {
	select {
	case <-r.relay.prepared:
		return nil
	case <-r.ended:
		return errors.New("the sandbox could not be emptied: " + r.relay.noise())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send makes the runner the command: it gives it what is to be changed in the
// work tree, and the line. Its output goes to w from then on. Whether that was
// well received is told by what the runner says.
func (r *runner) send(ctx context.Context, d *delta, cmd Command, w io.Writer) {
	defer context.AfterFunc(ctx, r.stream.Close)()
	r.relay.to(w)
	script := treeScript(d)
	told, served := r.served(cmd)
	var err error
	if served {
		_, err = fmt.Fprintf(r.stream.Conn, "%d %d\n%s%s", len(script), len(told), script, told)
	} else {
		script += lineScript(cmd)
		_, err = fmt.Fprintf(r.stream.Conn, "%d\n%s", len(script), script)
	}
	if err == nil && len(d.write) > 0 {
		err = writeTree(r.stream.Conn, d.write, cmd.Policy.User)
	}
	if err == nil {
		_ = r.stream.CloseWrite() // tar waits for a full block or for the end
	}
}

// treeScript makes the work tree what it should be.
func treeScript(d *delta) string {
	var s strings.Builder
	s.WriteString("exec 2>&1\nset -e\n")
	if len(d.open) > 0 {
		fmt.Fprintf(&s, "printf '%%s\\0' %s | xargs -0 chmod 755 --\n", quoteAll(d.open))
	}
	if len(d.remove) > 0 {
		fmt.Fprintf(&s, "printf '%%s\\0' %s | xargs -0 rm -rf --\n", quoteAll(d.remove))
	}
	if len(d.write) > 0 {
		// With the engine's present for all: its clock may be behind this machine's, and
		// tar complains of each file that comes from the future.
		s.WriteString("tar -x -p -m -f -\n")
	}
	// Where memory is short the command goes first, here and on the host: what
	// fills a tmpfs is small itself, and the container's own process, whose end
	// ends all, would be taken for it.
	s.WriteString("now=$(date +%s.%N)\necho 1000 > /proc/self/oom_score_adj\necho '" + readyMark + "'$now\n")
	return s.String()
}

// lineScript becomes the command.
func lineScript(cmd Command) string {
	var s strings.Builder
	s.WriteString("set +e\n")
	if len(cmd.Env) > 0 { // not by env, whose arguments every user of the machine can see
		s.WriteString("export " + quoteAll(cmd.Env) + "\n")
	}
	s.WriteString("exec ")
	// One pipe for both streams: two lose the order in which things were said.
	s.WriteString("/bin/sh -c " + quote(inside.LineShell) + " sh " + quote(cmd.Line))
	return s.String()
}

// quote makes one word of the shell of any bytes but NUL.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func quoteAll(words []string) string {
	var s strings.Builder
	for i, w := range words {
		if i > 0 {
			s.WriteByte(' ')
		}
		s.WriteString(quote(w))
	}
	return s.String()
}

// relay takes a runner's output: first what the runner says itself, then what
// its command does.
type relay struct {
	prepared chan struct{}
	ready    chan struct{} // the command begins

	mu      sync.Mutex
	began   float64 // seconds of the container's clock, as times of files are; 0: unknown
	begun   bool
	emptied bool
	pytest  bool         // it is a pytest, which waits for its arguments
	part    []byte       // of a line
	said    bytes.Buffer // whole lines, but for the marks
	w       io.Writer
}

func newRelay() *relay {
	return &relay{prepared: make(chan struct{}), ready: make(chan struct{}), w: io.Discard}
}

func (r *relay) to(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.w = w
}

// Write implements io.Writer.
func (r *relay) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun {
		return r.w.Write(p)
	}
	n := len(p)
	for len(p) > 0 && !r.begun {
		text, rest, whole := bytes.Cut(p, []byte("\n"))
		r.part = append(r.part, text[:min(len(text), lookLimit-len(r.part))]...)
		if p = rest; whole {
			r.line(string(r.part))
			r.part = r.part[:0]
		}
	}
	if len(p) > 0 {
		_, _ = r.w.Write(p) // an output never fails
	}
	return n, nil
}

// line takes a line that the runner said. However much it said before: the marks
// count.
func (r *relay) line(text string) {
	if what, ok := strings.CutPrefix(text, preparedMark); ok && !r.emptied {
		r.emptied, r.pytest = true, what == pytestMark
		close(r.prepared)
	} else if now, ok := strings.CutPrefix(text, readyMark); ok {
		r.began, _ = strconv.ParseFloat(now, 64) // 0 where date cannot tell: then every file counts as touched
		r.begun = true
		close(r.ready)
	} else if r.said.Len()+len(text) < lookLimit {
		r.said.WriteString(text + "\n")
	}
}

// noise is what the runner said that it should not have.
func (r *relay) noise() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.TrimSpace(r.said.String() + string(r.part))
}
