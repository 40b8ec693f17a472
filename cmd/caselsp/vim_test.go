package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// vimUse is Vim with ALE, which Debian's package adds to it, and with the documented configuration.
var vimUse = editorUse{
	name: "vim", files: map[string]string{".vimrc": "## Vim vim"}, mode: "-- INSERT --",
	insert: []string{"gg", "i"}, add: []string{"G", "o"}, leave: []string{"Escape"}, open: ":e ",
	actions: []string{":ALECodeAction", "Enter"},
	pick: func(h *hand, title string) {
		h.keys(h.onScreen(`(?m)^(\d+)[):] .*` + regexp.QuoteMeta(title))[1], "Enter")
	},
	save: []string{":w", "Enter"}, quit: []string{":qa", "Enter"},
}

// TestVimALE runs the scenarios of testdata/vim in Vim with ALE: tasks by comments, and all else by code actions.
func TestVimALE(t *testing.T) { handScenarios(t, vimUse, "vim") }

// TestHelix runs the scenarios of testdata/helix in Helix: tasks by commands with a text, and the rest by code actions and commands.
func TestHelix(t *testing.T) { handScenarios(t, useOf("helix"), "helix") }

// menuRow is a row of Helix's menu, with its colors; the selected one is inverse.
var menuRow = regexp.MustCompile(`(\x1b\[7m(?:\x1b\[[0-9;]*m)*)?\x1b\[107m ([^\x1b]*)`)

// pickHelix takes an item of the menu: one row each, of which the first is selected.
func pickHelix(h *hand, title string) {
	down := -1
	h.see("the menu with "+title, func() bool {
		out, _ := h.tmux("capture-pane", "-p", "-e")
		rows := strings.Split(out, "\n")
		from := slices.IndexFunc(rows, func(row string) bool { m := menuRow.FindStringSubmatch(row); return m != nil && m[1] != "" })
		to := slices.IndexFunc(rows, func(row string) bool {
			m := menuRow.FindStringSubmatch(row)
			return m != nil && strings.HasPrefix(m[2], title)
		})
		down = to - from
		return from >= 0 && to >= from
	})
	for range down {
		h.keys("C-n")
	}
	h.keys("Enter")
}
