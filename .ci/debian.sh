# Functions for scripts that load packages of Debian; for `source`.

# debian_mirror prints the address that this machine's own apt loads Debian from.
debian_mirror() {
	env -u APT_CONFIG apt-get indextargets --format '$(REPO_URI)' | awk '/\/debian\/$/ && !n++'
}

# debian_access ROOT lets apt in a tree reach the mirror as it is reached from here:
# through the same proxy, and trusting the same authorities.
debian_access() {
	cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/" 2>/dev/null || true
	apt-config dump Acquire::http::Proxy Acquire::https::Proxy >"$1/etc/apt/apt.conf.d/90proxy"
}
