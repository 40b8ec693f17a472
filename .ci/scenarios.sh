#!/usr/bin/env bash
# Prints which scenarios ran in which real editor, one line an editor, from the output of
# `go test -json`. The README has the same in short, from the tests' own table.
#
#   scenarios.sh LOG
set -euo pipefail

jq -rRn '
	[inputs | fromjson? | select(.Action == "pass" and .Test) | .Test]
	| map(
		if startswith("TestNeovim/") then ["Neovim, configured as documented", ltrimstr("TestNeovim/")]
		elif test("^TestPluginNeovim/.*_nvim010$") then ["Neovim 0.10 with the plugin", (ltrimstr("TestPluginNeovim/") | rtrimstr("_nvim010"))]
		elif test("^TestPluginNeovim/.*_nvim$") then ["Neovim with the plugin", (ltrimstr("TestPluginNeovim/") | rtrimstr("_nvim"))]
		elif test("^TestPluginEmacs/.*_eglot$") then ["Emacs with eglot", (ltrimstr("TestPluginEmacs/") | rtrimstr("_eglot"))]
		elif test("^TestPluginEmacs/.*_lsp-mode$") then ["Emacs with lsp-mode", (ltrimstr("TestPluginEmacs/") | rtrimstr("_lsp-mode"))]
		elif startswith("TestVSCode/") then ["VS Code", ltrimstr("TestVSCode/")]
		elif startswith("TestTyping/") then ["typing while a question comes", ltrimstr("TestTyping/")]
		elif startswith("TestVimALE/") then ["Vim with ALE", ltrimstr("TestVimALE/")]
		elif startswith("TestHelix/") then ["Helix", ltrimstr("TestHelix/")]
		elif . == "TestForeignSettings" then ["Emacs with eglot", "settings of a cloned repository"]
		else empty end)
	| group_by(.[0])[] | "\(.[0][0]): \([.[][1]] | unique | join(", "))"' "$1"
