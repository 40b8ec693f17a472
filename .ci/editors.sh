#!/usr/bin/env bash
# Gets the real editors that the tests drive, into a folder outside the repository,
# and prints the lines that say where they are (NAME=path), for `eval` or a CI's
# environment file. What is there already is left alone.
#
# The editors are newer than the machine's Debian: each comes from another suite
# with everything it needs down to the C library, unpacked into a folder of its own
# and started with that folder's loader. Nothing of the machine's own packages
# changes.
set -euo pipefail
source "$(dirname "$(readlink -f "$0")")/debian.sh"

cache=${CASELSP_CI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/caselsp-ci}
suite=forky # Neovim 0.12, Emacs 30.2 with lsp-mode, Helix 25.07, Vim 9.2 with ALE 4.0; the oldest Neovim that is supported, 0.10, is trixie's

say() { printf 'editors: %s\n' "$*" >&2; }

# apt_world FOLDER SUITE: a configuration of apt that knows one suite and nothing
# of this machine; prints its path.
apt_world() {
	local dir=$1 suite=$2
	mkdir -p "$dir"/{lists/partial,cache/archives/partial,etc/apt.conf.d,etc/preferences.d,etc/sources.list.d,etc/trusted.gpg.d}
	: >"$dir/status"
	# Mirrors may keep a testing suite's index beyond the date that it names.
	printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg check-valid-until=no] %s %s main\n' \
		"$(debian_mirror)" "$suite" >"$dir/etc/sources.list"
	cat >"$dir/apt.conf" <<-END
		Dir::Etc "$dir/etc";
		Dir::State "$dir";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
		Acquire::Languages "none";
		Acquire::Retries "3";
		APT::Sandbox::User "root";
		APT::Install-Recommends "false";
	END
	printf '%s\n' "$dir/apt.conf"
}

# unpack SUITE FOLDER PACKAGE...: the packages and all they depend on.
unpack() {
	local suite=$1 dest=$2 work=$2.apt conf deb
	shift 2
	rm -rf "$work"
	conf=$(apt_world "$work" "$suite")
	APT_CONFIG=$conf apt-get -qq update >&2
	APT_CONFIG=$conf apt-get -qq -y --download-only -o Debug::NoLocking=1 install "$@" >/dev/null
	mkdir -p "$dest"
	for deb in "$work"/cache/archives/*.deb; do
		dpkg-deb -x "$deb" "$dest"
	done
	rm -rf "$work"
	for dir in bin sbin lib lib64; do # as the package base-files would link them
		if [[ ! -e $dest/$dir && -d $dest/usr/$dir ]]; then ln -s "usr/$dir" "$dest/$dir"; fi
	done
}

# native FOLDER PROGRAM: makes the program start by itself with the folder's loader
# and libraries. A wrapper would not do: Neovim starts itself again by its own file.
native() {
	local root=$1 file loader
	file=$(readlink -f "$root/usr/bin/$2")
	loader=$(find -L "$root/lib64" "$root/usr/lib64" -maxdepth 1 -name 'ld-linux*.so.*' 2>/dev/null | head -n 1 || true)
	[[ -n $loader ]] || loader=$(find -L "$root/lib" -maxdepth 1 -name 'ld-linux*.so.*' | head -n 1)
	local libraries
	libraries=$(find "$root/usr/lib" "$root/lib/" -maxdepth 1 -type d -name '*-linux-gnu' | sort -u | paste -s -d :)
	patchelf --force-rpath --set-rpath "$libraries" --set-interpreter "$(readlink -f "$loader")" "$file"
}

# get NAME SUITE PROGRAM BINARY PACKAGE...: the editor, whose BINARY the file start/PROGRAM
# starts; the function start_NAME writes that. It is unpacked beside its place and renamed,
# so that an interrupted run leaves nothing half. The packages are a part of the place's
# name, so that one with other packages is got anew.
get() {
	local name=$1 suite=$2 program=$3 binary=$4 place
	shift 4
	place=$cache/$name-$suite
	if (($# > 1)); then place+=-$(printf '%s ' "$@" | sha256sum | cut -c 1-8); fi
	if ! "$place/start/$program" --version >/dev/null 2>&1; then
		say "getting $name from Debian $suite"
		rm -rf "$place" "$place.new"
		mkdir -p "$cache"
		unpack "$suite" "$place.new" "$@"
		mv "$place.new" "$place"
		native "$place" "$binary"
		mkdir -p "$place/start"
		"start_$name" "$place" "$place/start/$program"
		chmod +x "$place/start/$program"
	fi
	say "$("$place/start/$program" --version | head -n 1) in $place"
	printf 'CASELSP_%s=%s\n' "${name^^}" "$place/start/$program"
}

start_nvim() { ln -s "$1/usr/bin/nvim" "$2"; }
start_nvim010() { start_nvim "$@"; }

# Vim with ALE, which Debian installs where Vim finds packages.
start_vim() {
	local share
	share=$(echo "$1"/usr/share/vim/vim[0-9]*)
	printf '#!/bin/sh\nVIM="%s" VIMRUNTIME="%s" exec "%s" "$@"\n' "${share%/*}" "$share" "$1/usr/bin/vim.basic" >"$2"
}

start_helix() { printf '#!/bin/sh\nHELIX_RUNTIME="%s" exec "%s" "$@"\n' "$1/usr/lib/hx/runtime" "$1/usr/bin/hx" >"$2"; }

# Emacs looks for its Lisp and its dumped state where Debian installs them.
start_emacs() {
	local share dump
	local more=''
	share=$(echo "$1"/usr/share/emacs/[0-9]*)
	for dir in "$1"/usr/share/emacs/site-lisp/elpa-src/*; do more+=:$dir; done
	dump=$(echo "$1"/usr/libexec/emacs/*/*/*.pdmp)
	cat >"$2" <<-END
		#!/bin/sh
		export EMACSDATA="$share/etc" EMACSDOC="$share/etc" EMACSLOADPATH="$share/lisp$more" EMACSPATH="${dump%/*}"
		exec "$1/usr/bin/emacs-nox" --dump-file "$dump" "\$@"
	END
}

codeserver=4.100.3 # VS Code 1.100 as a server: the newest whose Node.js is 20
playwright=1.65.1  # drives Chromium

# get_vscode: VS Code, what drives it, and what builds its extension. Both packages come without the steps that load
# programs; what must be compiled is compiled here (a C compiler, libkrb5-dev).
get_vscode() {
	local place=$cache/vscode-$codeserver modules source
	if [[ ! -x $place/start/vscode ]]; then
		say "getting code-server $codeserver"
		rm -rf "$place.new"
		mkdir -p "$place.new/start"
		echo '{"private": true}' >"$place.new/package.json"
		npm install --prefix "$place.new" --ignore-scripts --no-audit --no-fund --save-exact "code-server@$codeserver" "playwright-core@$playwright" >&2
		modules=$place.new/node_modules
		source=$modules/code-server/lib/vscode
		npm install --prefix "$source" --omit=dev --ignore-scripts --no-audit --no-fund >&2
		npm rebuild --prefix "$place.new" --foreground-scripts argon2 >&2
		npm rebuild --prefix "$source" --foreground-scripts @vscode/spdlog native-watchdog >&2
		ln -sfn node_modules "$source/node_modules.asar"
		ln -sf code-linux.sh "$source/bin/remote-cli/code-server"
		ln -sf browser-linux.sh "$source/bin/helpers/browser.sh"
		mkdir -p "$source/node_modules/@vscode/ripgrep/bin"
		ln -sf "$(command -v rg)" "$source/node_modules/@vscode/ripgrep/bin/rg"
		rm -rf "$place"
		mv "$place.new" "$place"
		printf '#!/bin/sh\nexec node "%s" "$@"\n' "$place/node_modules/code-server/lib/vscode/out/server-main.js" >"$place/start/vscode"
		chmod +x "$place/start/vscode"
	fi
	(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../editors/vscode" && npm ci --no-audit --no-fund >&2)
	say "code-server $codeserver in $place"
	printf 'CASELSP_VSCODE=%s\nCASELSP_CHROMIUM=%s\n' "$place/start/vscode" "$(command -v chromium)"
}

command -v patchelf >/dev/null || { say 'patchelf is missing: apt-get install patchelf'; exit 1; }
get nvim "$suite" nvim nvim neovim
get nvim010 trixie nvim nvim neovim
get emacs "$suite" emacs emacs-nox emacs-nox elpa-lsp-mode
get helix "$suite" hx hx hx
get vim "$suite" vim vim.basic vim vim-ale
for program in node npm rg chromium; do command -v $program >/dev/null || { say "$program is missing (Debian: nodejs npm ripgrep chromium)"; exit 1; }; done
get_vscode
