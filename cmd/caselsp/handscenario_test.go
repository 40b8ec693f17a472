package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// handWords are the words of a scenario's user.txt, one step a line. Each waits until what it needs is there.
//
//	type TEXT            types text, as keys
//	key NAME...          presses keys, as tmux names them
//	ex COMMAND           :COMMAND and Enter
//	act TITLE            takes the code action of this title at the cursor
//	append TEXT          types a new last line
//	typing TEXT          types code at the start of the file, as TestTyping does, until the server has told this and some keys
//	                     after it; what the model holds back is let go meanwhile, and nothing of it may go to the model
//	save                 saves the document
//	open FILE            opens a file of the project
//	document BEGIN       opens the document of caselsp whose name begins so, as a message has told
//	screen PATTERN       waits until the screen has this
//	gone PATTERN         waits until the screen does not have it
//	told TEXT            waits until the server has told the editor this, which shows some messages for a moment only
//	disk FILE PATTERN    waits until a file of the project has this; at once, where it is to stay so
//	held                 waits until the model holds an answer back
//	release              lets it go
//	quit                 ends the editor, which must not ask
//	start                starts it again
var handWords = map[string]func(h *hand, rest string){
	"type":     func(h *hand, rest string) { h.must("send-keys", "-l", rest) },
	"key":      func(h *hand, rest string) { h.keys(strings.Fields(rest)...) },
	"ex":       func(h *hand, rest string) { h.must("send-keys", "-l", ":"+rest); h.keys("Enter") },
	"act":      func(h *hand, rest string) { h.act(rest) },
	"append":   func(h *hand, rest string) { h.write(h.use.add); h.must("send-keys", "-l", rest); h.leave() },
	"typing":   (*hand).typingUntil,
	"save":     func(h *hand, _ string) { h.keys(h.use.save...) },
	"open":     func(h *hand, rest string) { h.keys(h.use.open+rest, "Enter") },
	"document": func(h *hand, rest string) { h.keys(h.use.open+h.document(rest), "Enter") },
	"screen":   func(h *hand, rest string) { h.onScreen(rest) },
	"told":     func(h *hand, rest string) { h.see("told: "+rest, func() bool { return h.said(rest) }) },
	"gone": func(h *hand, rest string) {
		pattern := regexp.MustCompile(rest)
		h.see("no "+rest+" on the screen", func() bool { return !pattern.MatchString(h.screen()) })
	},
	"disk": func(h *hand, rest string) {
		name, pattern, _ := strings.Cut(rest, " ")
		expression := regexp.MustCompile(pattern)
		h.see(rest+" on disk", func() bool { return expression.MatchString(h.read("project/" + name)) })
	},
	"held":    func(h *hand, _ string) { h.held() },
	"release": func(h *hand, _ string) { h.model.Release() },
	"quit":    func(h *hand, _ string) { h.quit() },
	"start":   func(h *hand, _ string) { h.start() },
}

// handScenarios runs the scenarios of a folder of testdata at a real editor. Each is an archive as those of TestNeovim, with
// what the user does in user.txt and the file that the editor is started with in opened; notes.py where it is left out.
func handScenarios(t *testing.T, use editorUse, folder string) {
	t.Parallel()
	found, err := filepath.Glob("testdata/" + folder + "/*.txtar")
	if err != nil || len(found) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range found {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			h := newHand(t, use, file)
			h.sitDown()
			for line := range strings.Lines(h.part("user.txt")) {
				h.step(strings.TrimSpace(line))
			}
			h.states(t.Context())
			h.compare()
			for _, f := range h.model.Failures() {
				t.Errorf("the model: %s", f)
			}
			if unused := h.model.Unused(); len(unused) > 0 && !t.Failed() {
				t.Errorf("the model was not asked for: %s", strings.Join(unused, ", "))
			}
		})
	}
}

// step is one line of user.txt.
func (h *hand) step(line string) {
	h.t.Helper()
	if line == "" || strings.HasPrefix(line, "#") {
		return
	}
	word, rest, _ := strings.Cut(line, " ")
	do := handWords[word]
	if do == nil {
		h.t.Fatalf("user.txt: %q is no word of a scenario", word)
	}
	do(h, rest)
}

// act takes the code action of a title at the cursor.
func (h *hand) act(title string) {
	h.t.Helper()
	h.keys(h.use.actions...)
	h.use.pick(h, title)
}

// typingUntil types code until the server has told something, and after it; all of that is in the file then.
func (h *hand) typingUntil(told string) {
	h.t.Helper()
	asked := len(h.model.Requests())
	answered := func() bool { return len(h.model.Requests()) > asked }
	h.write(h.use.insert)
	h.typing(press{release: true, until: func() bool { return h.said(told) }, more: keysAfter, never: answered})
	pause(keysPause)
	h.typing(press{more: keysAgain, never: answered})
	h.saved()
}

// document is the path of a document of caselsp whose name begins so.
func (h *hand) document(begin string) (path string) {
	h.t.Helper()
	h.see("the document "+begin, func() bool {
		found, err := filepath.Glob(h.at(".state/caselsp/workspaces/*/documents/" + begin + "*"))
		if err != nil || len(found) > 1 {
			h.t.Fatalf("documents: %q, %v", found, err)
		}
		path = strings.Join(found, "")
		return path != ""
	})
	return path
}
