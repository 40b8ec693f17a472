package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// editorSetup is how an editor is set up for caselsp. Nothing of it is run: its files are read.
type editorSetup struct {
	programs []string // any of them
	config   []string // files and folders that hold the configuration, below the user's folders or the project
	kinds    []string // of files in the folders
	plugin   *editorPlugin
	need     []string // what the configuration has to have, all in one file; nil: the name alone
	install  string   // what to do
}

// editorPlugin is caselsp's own plugin for an editor. Each place is a pattern of folders or files.
type editorPlugin struct {
	places  []string
	version func(place string) string // "" where it has none
	latest  string                    // the one that goes with this binary
	loads   []string                  // what in the configuration loads it from anywhere; nil where nothing does
}

// The versions of the plugins that go with this binary. A test compares them with the plugins.
const (
	vscodeVersion = "0.1.0"
	emacsVersion  = "0.1.0"
)

// The folders of a user in patterns.
const (
	inHome   = "~/"
	inConfig = "$CONFIG/"
	inData   = "$DATA/"
	inFolder = "./"
)

var byReference = "`caselsp help editors` has the configuration to copy"

// editorSetups are the editors that --editor knows.
var editorSetups = map[string]editorSetup{
	"vscode": {
		programs: []string{"code", "codium", "code-server", "code-insiders"}, install: "run `make install-vscode`",
		plugin: &editorPlugin{version: versionInName, latest: vscodeVersion, places: []string{
			inHome + ".vscode/extensions/caselsp.caselsp-vscode-*", inHome + ".vscode-oss/extensions/caselsp.caselsp-vscode-*", inHome + ".vscode-insiders/extensions/caselsp.caselsp-vscode-*",
			inHome + ".vscode-server/extensions/caselsp.caselsp-vscode-*", inData + "code-server/extensions/caselsp.caselsp-vscode-*"}},
	},
	"neovim": {
		programs: []string{"nvim"}, config: []string{inConfig + "nvim"}, kinds: []string{".lua", ".vim"}, install: "run `make install-nvim`, or " + byReference,
		plugin: &editorPlugin{places: []string{inData + "nvim/site/pack/*/start/caselsp", inData + "nvim/site/pack/*/opt/caselsp", inData + "nvim/lazy/caselsp"}},
	},
	"emacs": {
		programs: []string{"emacs"}, config: []string{inHome + ".emacs", inHome + ".emacs.el", inHome + ".emacs.d/init.el", inHome + ".emacs.d/lisp", inConfig + "emacs"}, kinds: []string{".el"},
		install: "run `make install-emacs` and add the lines that it prints to init.el, or " + byReference,
		plugin:  &editorPlugin{version: versionInLisp, latest: emacsVersion, places: []string{inData + "caselsp/emacs/caselsp.el"}, loads: []string{"(require 'caselsp", "(use-package caselsp", "caselsp.el"}},
	},
	"helix": {
		programs: []string{"hx", "helix"}, config: []string{inConfig + "helix/languages.toml", inFolder + ".helix/languages.toml"}, need: []string{"[language-server.caselsp]", "language-servers"},
		install: byReference + ", for languages.toml",
	},
	"kakoune": {programs: []string{"kak"}, config: []string{inConfig + "kak", inConfig + "kak-lsp"}, kinds: []string{"kakrc", ".kak", ".toml"}, install: "name `caselsp serve` as a server of kakoune-lsp in kakrc"},
	"zed":     {programs: []string{"zed", "zeditor"}, config: []string{inConfig + "zed", inFolder + ".zed/settings.json"}, kinds: []string{".json"}, install: "name `caselsp` in `lsp` and `languages` of settings.json"},
	"sublime": {programs: []string{"subl", "sublime_text"}, config: []string{inConfig + "sublime-text/Packages/User", inConfig + "sublime-text-3/Packages/User"}, kinds: []string{".sublime-settings"}, need: []string{"caselsp", "serve"}, install: "name `caselsp serve` in `clients` of LSP.sublime-settings"},
	"vim":     {programs: []string{"vim", "gvim"}, config: []string{inHome + ".vimrc", inHome + ".vim", inConfig + "vim"}, kinds: []string{"vimrc", ".vim", ".json"}, install: "name `caselsp serve` as a server of vim-lsp, coc.nvim or ALE"},
}

// editorNames are the names that --editor takes.
func editorNames() string { return strings.Join(slices.Sorted(maps.Keys(editorSetups)), ", ") }

const (
	// maxConfigFiles is how many files of an editor's configuration are read: more of them are plugins.
	maxConfigFiles = 2000
	// maxConfigFile is how many bytes of one: what people write is smaller.
	maxConfigFile = 1 << 20
)

// examineEditor writes a line for each part of an editor's set-up, and reports whether caselsp can be started there.
func examineEditor(out io.Writer, name, dir string) (well bool, err error) {
	setup, known := editorSetups[name]
	if !known {
		return false, usage(fmt.Errorf("unknown editor %q: it is one of %s", name, editorNames()))
	}
	well = true
	tell := func(state, part, text string) {
		fmt.Fprintf(out, "%-5s %-10s %s\n", state, part, clean(text))
		well = well && state != "WRONG"
	}
	tell(examineBinary())
	program := ""
	for _, p := range setup.programs {
		if at := onPath(p); program == "" {
			program = at
		}
	}
	if program == "" {
		tell("none", "editor", "no "+strings.Join(setup.programs, ", ")+" on PATH: an editor that is started in another way is not seen here")
	} else {
		tell("ok", "editor", program)
	}
	configured := false
	if setup.plugin != nil {
		configured = setup.plugin.examine(dir, setup.loading(dir), tell)
	}
	found, lacks := setup.configured(dir)
	switch {
	case found != "":
		tell("ok", "config", found+" names caselsp")
	case lacks != "":
		tell("WRONG", "config", lacks+": "+setup.install)
	case !configured:
		tell("WRONG", "config", "nothing in "+name+" names caselsp: "+setup.install)
	}
	return well, nil
}

// onPath is where a program lies that would be started by its name; "" where none is. It looks and starts nothing.
func onPath(name string) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		for _, ending := range []string{"", ".exe", ".cmd"} {
			file := filepath.Join(dir, name+ending)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return file
			}
		}
	}
	return ""
}

// examineBinary says whether editors find this program.
func examineBinary() (state, part, text string) {
	at := onPath("caselsp")
	if at == "" {
		return "WRONG", "binary", "caselsp is not on PATH, where editors look for it: copy it there, or name its path in the editor's configuration"
	}
	own, err := os.Executable()
	if err != nil {
		return "ok", "binary", at
	}
	a, aErr := os.Stat(at)
	b, bErr := os.Stat(own)
	if aErr == nil && bErr == nil && !os.SameFile(a, b) {
		return "note", "binary", fmt.Sprintf("editors start %s, which is another file than this program, %s (%s)", at, own, versionText())
	}
	return "ok", "binary", fmt.Sprintf("%s (%s)", at, versionText())
}

// loading returns the file of the configuration that loads the plugin, from wherever it lies; "" where none does.
func (s editorSetup) loading(dir string) (file string) {
	for _, word := range s.plugin.loads {
		s.need = []string{word}
		if file, _ = s.configured(dir); file != "" {
			return file
		}
	}
	return ""
}

// examine looks for a plugin, which the file loading may load from elsewhere, and reports whether it is there.
func (p *editorPlugin) examine(dir, loading string, tell func(state, part, text string)) bool {
	for _, pattern := range p.places {
		found, _ := filepath.Glob(expand(pattern, dir))
		if len(found) == 0 {
			continue
		}
		at := found[len(found)-1] // of several versions the newest by name
		version := ""
		if p.version != nil {
			version = p.version(at)
		}
		if p.latest != "" && version != p.latest {
			tell("note", "plugin", fmt.Sprintf("%s has version %s; %s goes with this program: install it again", at, cmp.Or(version, "none"), p.latest))
		} else {
			tell("ok", "plugin", strings.TrimSpace(at+" "+version))
		}
		return true
	}
	if loading != "" {
		tell("note", "plugin", loading+" loads caselsp's own plugin from elsewhere: its version is not known here")
		return true
	}
	tell("none", "plugin", "caselsp's own plugin is not installed")
	return false
}

// versionInName is the version at the end of the name of an extension's folder.
func versionInName(place string) string {
	name := filepath.Base(place)
	return name[strings.LastIndexByte(name, '-')+1:]
}

// versionInLisp is the version in the head of an Emacs package.
func versionInLisp(place string) string {
	raw, err := os.ReadFile(place)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(raw)) {
		if version, ok := strings.CutPrefix(line, ";; Version:"); ok {
			return strings.TrimSpace(version)
		}
	}
	return ""
}

// expand is a pattern with the folders of this user.
func expand(pattern, dir string) string {
	home, _ := os.UserHomeDir()
	for prefix, folder := range map[string]string{
		inHome: home, inFolder: dir,
		inConfig: cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")),
		inData:   cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")),
	} {
		if rest, ok := strings.CutPrefix(pattern, prefix); ok {
			return filepath.Join(folder, rest)
		}
	}
	return pattern
}

// configured returns the file of the configuration that names caselsp, or what one that does lacks.
func (s editorSetup) configured(dir string) (found, lacks string) {
	left := maxConfigFiles
	for _, place := range s.config {
		_ = filepath.WalkDir(expand(place, dir), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil // what cannot be read names nothing
			}
			if left--; left < 0 || found != "" {
				return fs.SkipAll
			}
			if len(s.kinds) > 0 && !slices.ContainsFunc(s.kinds, func(kind string) bool { return strings.HasSuffix(name, kind) }) && name != expand(place, dir) {
				return nil
			}
			info, err := entry.Info()
			if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfigFile {
				return nil
			}
			raw, err := os.ReadFile(name)
			if err != nil || !bytes.Contains(raw, []byte("caselsp")) {
				return nil
			}
			for _, word := range s.need {
				if !bytes.Contains(raw, []byte(word)) {
					lacks = fmt.Sprintf("%s names caselsp, but has no %s", name, word)
					return nil
				}
			}
			found = name
			return nil
		})
	}
	return found, lacks
}
