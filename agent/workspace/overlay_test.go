package workspace

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected texts of testdata")

// TestOverlay plays testdata/overlay: each file is a script and the texts that it
// names. What a script may do is the table of verbs. A text is the name of a
// section, or written in quotes; sections "disk/x" are the files at the start,
// and sections that begin with "want" are what is expected.
func TestOverlay(t *testing.T) {
	scripts, err := filepath.Glob("testdata/overlay/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(script)
			if err != nil {
				t.Fatal(err)
			}
			play(t, archive)
			if *update {
				if err := os.WriteFile(script, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// player is a script on its way.
type player struct {
	archive *txtar.Archive
	w       *Workspace
	o       *Overlay
	dir     string
	version int32
	saved   map[string]State
}

// verbs are what a script may do; each returns what is to be shown, if asked for.
var verbs = map[string]func(p *player, args []string) (string, error){
	"write": func(p *player, args []string) (string, error) {
		e, err := p.o.Write(args[0], p.text(args[1]))
		return e.Diff(), err
	},
	"bytes": func(p *player, args []string) (string, error) {
		e, err := p.o.WriteBytes(args[0], []byte(p.text(args[1])), 0)
		return e.Diff(), err
	},
	"chmod": func(p *player, args []string) (string, error) {
		e, err := p.o.WriteBytes(args[0], []byte(p.text(args[1])), 0o755)
		return e.Diff(), err
	},
	"delete": func(p *player, args []string) (string, error) {
		e, err := p.o.Delete(args[0])
		return e.Diff(), err
	},
	"rename": func(p *player, args []string) (string, error) {
		e, err := p.o.Rename(args[0], args[1])
		return e.Diff(), err
	},
	"read": func(p *player, args []string) (string, error) {
		file, err := p.o.Read(args[0])
		return file.Text, err
	},
	"user-reads": func(p *player, args []string) (string, error) {
		file, err := p.w.Read(args[0])
		return file.Text, err
	},
	"types": func(p *player, args []string) (string, error) {
		p.version++
		p.w.OpenBuffer(args[0], p.text(args[1]), p.version)
		return "", nil
	},
	"closes": func(p *player, args []string) (string, error) {
		p.w.CloseBuffer(args[0])
		return "", nil
	},
	"saves": func(p *player, args []string) (string, error) {
		return "", os.WriteFile(filepath.Join(p.dir, args[0]), []byte(p.text(args[1])), 0o644)
	},
	"removes": func(p *player, args []string) (string, error) {
		return "", os.Remove(filepath.Join(p.dir, args[0]))
	},
	"refresh": func(p *player, _ []string) (string, error) {
		return "", p.o.Refresh(p.t().Context())
	},
	"state":   func(p *player, _ []string) (string, error) { return stateText(p.o.State()), nil },
	"diff":    func(p *player, _ []string) (string, error) { return setText(p.o.ChangeSet()), nil },
	"rebased": func(p *player, _ []string) (string, error) { return rebasedText(p.o.Rebased()), nil },
	"list": func(p *player, args []string) (string, error) {
		entries, more, err := p.o.List(p.t().Context(), strings.Join(args, ""), 0)
		var out strings.Builder
		for _, e := range entries {
			fmt.Fprintf(&out, "%s %d%s\n", e.Path, e.Size, map[bool]string{true: " staged"}[e.Staged])
		}
		return out.String(), check(more, err)
	},
	"keep": func(p *player, args []string) (string, error) {
		p.saved[args[0]] = p.o.State()
		return "", nil
	},
	"restore": func(p *player, args []string) (string, error) {
		return "", p.o.Restore(throughJSON(p.t(), p.saved[args[0]]))
	},
	"accept": func(p *player, _ []string) (string, error) {
		apply(p.t(), Disk(p.w), editsOf(p.o.ChangeSet())...)
		return stateText(p.o.State()), p.o.Refresh(p.t().Context())
	},
}

// playing is the test of the script that runs; scripts run one after another.
var playing *testing.T

func (p *player) t() *testing.T { return playing }

func check(more bool, err error) error {
	if more {
		return fmt.Errorf("there is more: %v", err)
	}
	return err
}

// play runs a script. A line is a verb and its arguments; "=> section" at its end
// compares what it shows, "!! words" wants an error with these words.
func play(t *testing.T, archive *txtar.Archive) {
	playing = t
	files := make(map[string]string)
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "disk/"); ok {
			files[name] = string(f.Data)
		}
	}
	p := &player{archive: archive, saved: make(map[string]State)}
	p.w, p.dir = open(t, files)
	p.o = p.w.NewOverlay()
	for n, line := range strings.Split(string(archive.Comment), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		command, wantErr, _ := strings.Cut(line, " !! ")
		command, want, compare := strings.Cut(command, " => ")
		words := strings.Fields(command)
		verb := verbs[words[0]]
		if verb == nil {
			t.Fatalf("line %d: no verb %q", n+1, words[0])
		}
		got, err := verb(p, words[1:])
		if wantErr != "" && (err == nil || !strings.Contains(err.Error(), wantErr)) || wantErr == "" && err != nil {
			t.Errorf("line %d: %s: got error %v, want %q", n+1, line, err, wantErr)
		}
		if compare {
			p.compare(n+1, line, got, want)
		}
	}
}

func (p *player) compare(n int, line, got, want string) {
	if *update && strings.HasPrefix(want, "want") {
		for i := range p.archive.Files {
			if p.archive.Files[i].Name == want {
				p.archive.Files[i].Data = []byte(got)
			}
		}
		return
	}
	if text := p.text(want); got != text {
		p.t().Errorf("line %d: %s:\n got %q\nwant %q", n, line, got, text)
	}
}

// text returns the text that an argument stands for.
func (p *player) text(arg string) string {
	if arg[0] == '"' {
		s, err := strconv.Unquote(arg)
		if err != nil {
			p.t().Fatalf("%s: %v", arg, err)
		}
		return s
	}
	for _, f := range p.archive.Files {
		if f.Name == arg {
			return string(f.Data)
		}
	}
	p.t().Fatalf("no section %q", arg)
	return ""
}

func stateText(s State) string {
	var out strings.Builder
	for _, f := range s.Files {
		c := changeOf(f.Path, f.From, f.Base, f.Now)
		fmt.Fprintf(&out, "%s %s", c.Op, c.Path)
		if c.From != "" {
			fmt.Fprintf(&out, " from %s", c.From)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func setText(set ChangeSet) string {
	var out strings.Builder
	for _, c := range set.Files {
		out.WriteString(c.Unified())
	}
	return out.String()
}

func rebasedText(list []Rebase) string {
	var out strings.Builder
	for _, r := range list {
		what := "staged"
		if same(r.State.Base, r.State.Now) {
			what = "nothing staged"
		}
		fmt.Fprintf(&out, "%s: %s\n", r.Path, what)
		for _, h := range r.Dropped {
			fmt.Fprintf(&out, "\tdropped %d->%d: %q for %q\n", h.OldLine, h.NewLine, h.New, h.Old)
		}
	}
	return out.String()
}

// throughJSON carries a state through JSON, its bytes beside it by their hashes,
// as the journal does.
func throughJSON(t *testing.T, state State) State {
	blobs := make(map[string][]byte)
	for _, s := range state.Files {
		for _, c := range []*Content{s.Base, s.Now} {
			if c != nil {
				blobs[c.Hash] = c.Data
			}
		}
	}
	data, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	var back State
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	for _, s := range back.Files {
		for _, c := range []*Content{s.Base, s.Now} {
			if c != nil {
				c.Data = blobs[c.Hash]
			}
		}
	}
	return back
}

func TestRestoreNeedsBytes(t *testing.T) {
	w, _ := open(t, map[string]string{"a": "a\n"})
	o := w.NewOverlay()
	if _, err := o.Write("a", "b\n"); err != nil {
		t.Fatal(err)
	}
	state := o.State()
	empty := *state.Files[0].Now
	empty.Data = nil
	bad := State{Files: []Staged{{Path: "a", Base: state.Files[0].Base, Now: &empty}}}
	if err := o.Restore(bad); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a state without its bytes: got %v", err)
	}
	if err := o.Restore(State{Files: []Staged{{Path: ".git/config", Now: state.Files[0].Now}}}); err == nil {
		t.Error("a state with a refused path was restored")
	}
	if got := stateText(o.State()); got != "modify a\n" {
		t.Errorf("after refusals: got %q", got)
	}
}
