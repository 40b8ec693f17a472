package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// The person who types: a key each cadence, as in code, for some time after a question
// came, and again after a pause for thought.
const (
	cadence    = 150 * time.Millisecond
	keysBefore = 7
	keysAfter  = 16
	keysPause  = 8 // what a pause would have held
	keysAgain  = 8
	keysRead   = 14  // before an approval, which is refused while nobody can have read the question
	keysLimit  = 200 // only a fault reaches it
)

// typedText is what is typed, over and over: what would answer a menu.
const typedText = "1\n\n1\n2\n\n1. first\n1\ny\n\n3 4\nn\n"

// editorUse is how a person works in one editor, which lsp/README.md has configured.
type editorUse struct {
	name    string            // as need has it
	plugin  string            // what make installs; "" where there is none
	files   map[string]string // below the user's home: a documented block, "## Heading language"
	more    map[string]string // files below the home that the documentation does not name
	mode    string            // on the screen while keys are text; "" where there is none
	shows   bool              // it shows the question while the person types on, or again when they rest
	insert  []string          // keys that begin typing at the start of the file
	add     []string          // keys that begin typing on a new line at its end
	leave   []string          // keys that end it
	run     []string          // keys that start the task "make a mark"
	actions []string          // keys that open the menu of code actions
	first   []string          // keys that take the first of the menu
	pick    func(h *hand, title string)
	back    []string // keys that show the file again
	open    string   // keys before the path of a file to open
	approve []string
	save    []string
	sent    string   // on the screen when a document is saved that is to be sent; "" where it need not be saved
	quit    []string // asks nothing about documents of caselsp
}

// nvimUse is Neovim with the configuration of a file or with the plugin, whose commands differ.
func nvimUse(plugin string, files map[string]string, run string) editorUse {
	return editorUse{
		name: "nvim", plugin: plugin, files: files, mode: "-- INSERT --", shows: true,
		insert: []string{"gg", "i"}, add: []string{"G", "o"}, leave: []string{"Escape"},
		run:     []string{run, "Enter"},
		actions: []string{":lua vim.lsp.buf.code_action()", "Enter"}, first: []string{"1", "Enter"},
		pick: func(h *hand, title string) {
			h.keys(h.onScreen(`(?m)^(\d+): .*` + title)[1], "Enter")
		},
		back:    []string{":b notes.py", "Enter"},
		approve: []string{":lua vim.lsp.get_clients()[1]:exec_cmd({ title = '', command = 'caselsp.approve' })", "Enter"},
		save:    []string{":w", "Enter"}, quit: []string{":qa", "Enter"},
	}
}

var editorUses = []editorUse{
	nvimUse("", map[string]string{".config/nvim/init.lua": "## Neovim lua"}, ":Case run make a mark"),
	nvimUse("install-nvim", nil, ":Case run make a mark"),
	{
		name: "helix", files: map[string]string{".config/helix/languages.toml": "## Helix toml"}, mode: " INS ",
		insert: []string{"gg", "i"}, add: []string{"ge", "o"}, leave: []string{"Escape"},
		run:     []string{":lsp-workspace-command caselsp.run \"make a mark\"", "Enter"},
		actions: []string{" a"}, first: []string{"Enter"},
		pick: pickHelix,
		back: []string{":o notes.py", "Enter"}, open: ":o ",
		approve: []string{":lsp-workspace-command caselsp.approve", "Enter"},
		save:    []string{":w", "Enter"}, sent: "written", quit: []string{":qa", "Enter"},
	},
	{
		name: "emacs", files: map[string]string{".config/emacs/init.el": "## Emacs elisp"},
		more:   map[string]string{".config/emacs/early-init.el": "(setq native-comp-jit-compilation nil make-backup-files nil)\n"},
		insert: []string{"M-<"}, add: []string{"M->", "Enter"},
		run:     []string{"M-x", "case-run", "Enter", "make a mark", "Enter"},
		actions: []string{"M-x", "eglot-code-actions", "Enter"}, first: []string{"Enter"},
		pick: func(h *hand, title string) {
			h.onScreen("Pick an action|Execute")
			h.keys(title, "Tab", "Enter")
		},
		back:    []string{"C-x", "b", "notes.py", "Enter"},
		approve: []string{"M-x", "case-command", "Enter", "approve", "Enter"},
		save:    []string{"C-x", "C-s"}, quit: []string{"C-x", "C-c"},
	},
	{
		name: "emacs", plugin: "install-emacs", shows: true,
		more: map[string]string{
			".config/emacs/early-init.el": "(setq native-comp-jit-compilation nil make-backup-files nil)\n",
			".config/emacs/init.el": "(add-to-list 'load-path (expand-file-name \"caselsp/emacs\" (getenv \"XDG_DATA_HOME\")))\n" +
				"(require 'caselsp)\n(caselsp-global-mode)\n",
		},
		insert: []string{"M-<"}, add: []string{"M->", "Enter"},
		run:     []string{"M-x", "caselsp-run", "Enter", "make a mark", "Enter"},
		actions: []string{"M-x", "eglot-code-actions", "Enter"}, first: []string{"Enter"},
		pick: func(h *hand, title string) {
			h.onScreen("Pick an action|Execute")
			h.keys(title, "Tab", "Enter")
		},
		back:    []string{"C-x", "b", "notes.py", "Enter"},
		approve: []string{"M-:", `(caselsp--send (caselsp--server) "caselsp.approve" nil)`, "Enter"},
		save:    []string{"C-x", "C-s"}, quit: []string{"C-x", "C-c"},
	},
}

// useOf is that of an editor.
func useOf(name string) editorUse {
	return editorUses[slices.IndexFunc(editorUses, func(u editorUse) bool { return u.name == name })]
}

// TestTyping types code in real editors while a question arrives, and while the result
// does. What is typed decides nothing and is in the buffer, all of it. A refusal with a
// reason is sent by the first action of its document.
func TestTyping(t *testing.T) {
	t.Parallel()
	for _, use := range editorUses {
		t.Run(strings.TrimSpace(use.name+" "+use.plugin), func(t *testing.T) {
			t.Parallel()
			h := newHand(t, use, "testdata/typing/command.txtar")
			h.sitDown()
			h.keys(use.run...)
			h.held()
			h.typingUntil("mark.txt")
			if use.shows {
				h.onScreen(`“python3 -c 'open\("mark\.txt", "w"\)`)
			}

			// The first action decides nothing.
			h.keys(use.actions...)
			h.onScreen("CASE asks: ")
			h.keys(use.first...)
			h.see("the document of questions", func() bool { return h.said("documents/questions") })
			h.keys(use.back...)

			// Refused with a reason.
			h.keys(use.actions...)
			use.pick(h, "CASE asks: deny and say why")
			h.onScreen("Write below why")
			h.write(use.add)
			h.keys("not this way")
			h.leave()
			if use.sent != "" {
				h.keys(use.save...)
				h.onScreen(use.sent)
			}
			h.keys(use.actions...)
			h.onScreen("(?s)Deny and send this reason.*Deny and send this reason") // in the document and in the menu
			h.keys(use.first...)
			h.see("the second question", func() bool { return h.said("second.txt") })

			// Allowed; the result comes while the person types on.
			h.keys(use.back...)
			pause(keysRead)
			h.keys(use.approve...)
			h.held()
			h.write(use.insert)
			h.typing(press{release: true, until: func() bool { return h.said("to review") }, more: keysAfter})
			h.saved()
			h.quit()
			h.states(t.Context())
		})
	}
}

// press is how long the person types.
type press struct {
	release bool        // the answer that the model holds back goes on, once the typing has begun
	until   func() bool // what comes while the person types
	more    int         // keys after that, and up to the end of the line
	never   func() bool // what must not come of it
}

// typing presses the next keys of the text, one each cadence.
func (h *hand) typing(p press) {
	h.t.Helper()
	tick := time.NewTicker(cadence)
	defer tick.Stop()
	var came time.Time
	for n, after := 0, 0; after < p.more || !strings.HasSuffix(h.typed.String(), "\n"); n++ {
		<-tick.C
		if n == keysBefore && p.release {
			h.model.Release()
		}
		key := typedText[h.typed.Len()%len(typedText)]
		if key == '\n' {
			h.keys("Enter")
		} else {
			h.keys(string(key))
		}
		h.typed.WriteByte(key)
		switch {
		case !came.IsZero():
			after++
		case p.until == nil || p.until():
			came = time.Now()
		case n > keysLimit:
			h.t.Fatal("it never came")
		}
		if p.never != nil && p.never() {
			h.t.Fatalf("typing %q has decided %v after the question", h.typed.String(), time.Since(came))
		}
	}
}

// pause is a person who thinks, for so many keys.
func pause(keys int) {
	tick := time.NewTicker(cadence)
	defer tick.Stop()
	for range keys {
		<-tick.C
	}
}

// saved fails unless the file holds what was typed.
func (h *hand) saved() {
	h.t.Helper()
	before := h.read("project/notes.py")
	h.leave()
	h.keys(h.use.save...)
	want := h.typed.String() + before
	h.typed.Reset()
	if !h.comes(func() bool { return h.read("project/notes.py") == want }) {
		h.t.Errorf("the text is not what was typed:\n got %q\nwant %q", h.read("project/notes.py"), want)
	}
}
