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
nvim_suite=forky # Neovim 0.12; the oldest that is supported, 0.10, is trixie's

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

# nvim: unpacked beside its place and renamed, so that an interrupted run leaves nothing half.
nvim() {
	local place=$cache/nvim-$nvim_suite
	if ! "$place/usr/bin/nvim" --version >/dev/null 2>&1; then
		say "getting Neovim from Debian $nvim_suite"
		rm -rf "$place" "$place.new"
		mkdir -p "$cache"
		unpack "$nvim_suite" "$place.new" neovim
		mv "$place.new" "$place"
		native "$place" nvim
	fi
	say "$("$place/usr/bin/nvim" --version | head -n 1) in $place"
	printf 'CASELSP_NVIM=%s\n' "$place/usr/bin/nvim"
}

command -v patchelf >/dev/null || { say 'patchelf is missing: apt-get install patchelf'; exit 1; }
nvim
