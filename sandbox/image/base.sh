#!/bin/sh
# Makes a Docker base image of Debian with debootstrap, for machines that reach
# a Debian mirror but no image registry:
#
#     sandbox/image/base.sh caselsp-base
#
# It needs root, debootstrap and a Docker engine. The mirror is the one that
# this machine's apt uses.
set -eu

tag=${1:?usage: base.sh TAG}

mirror=$(apt-get indextargets --format '$(ORIGIN) $(SITE) $(REPO_URI)' 'Identifier: Packages' |
	awk '$1 == "Debian" && $3 !~ /security/ { print $3; exit }')
[ -n "$mirror" ] || { echo "base.sh: apt names no Debian mirror; run apt-get update first" >&2; exit 1; }
for scheme in http https; do
	proxy=$(apt-config dump --format '%v' "Acquire::$scheme::Proxy")
	case $proxy in '' | DIRECT) ;; *) export "${scheme}_proxy=$proxy" ;; esac
done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The newest suite first: its Python and its linters are newer. A debootstrap
# that is older than a suite knows it as a link to sid's script.
made=
for suite in trixie bookworm; do
	rm -rf "$dir/root"
	if debootstrap --variant=minbase --include=ca-certificates "$suite" "$dir/root" "$mirror" >"$dir/log" 2>&1; then
		made=$suite
		break
	fi
	echo "base.sh: no $suite: $(tail -n 1 "$dir/log")" >&2
done
[ -n "$made" ] || { tail -n 20 "$dir/log" >&2; exit 1; }

# What apt needs to reach the mirror from inside as it does from here.
cp /etc/ssl/certs/ca-certificates.crt "$dir/root/etc/ssl/certs/" 2>/dev/null || true
apt-config dump Acquire::http::Proxy Acquire::https::Proxy >"$dir/root/etc/apt/apt.conf.d/90proxy"
rm -rf "$dir/root/var/cache/apt/archives/"*.deb "$dir/root/var/lib/apt/lists/"*

tar -C "$dir/root" -c . | docker import --message "Debian $made" - "$tag"
