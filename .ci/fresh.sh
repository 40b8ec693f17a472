#!/usr/bin/env bash
# Shows that the tests pass on machines that were not prepared. Each machine is a
# tree of Debian that this script makes, entered by unshare and pivot_root: its own
# files, processes, network (the loopback device only) and users. From this machine it
# has the Go toolchain and the module cache (read-only), the working tree (a copy) and
# what was compiled before (a cache of its own, made of hard links).
#
#   fresh.sh                     all of them, each with its tests
#   fresh.sh MACHINE             one of them
#   fresh.sh MACHINE COMMAND...  runs a command there instead, such as bash
#
#   bare     an ordinary user; git, make, a C compiler and Go: make demo, make install,
#            make test, with the first hour (cmd/caselsp/firsthour.md) by what was installed
#   tools    an ordinary user; python3 and node as well, but no tool of ours
#   engine   root; python3, node, and a Docker engine without a single image
#
# It needs root, apt-get, debootstrap, iproute2 and jq. The trees are kept in
# CASELSP_CI_CACHE and made anew when what they hold changes.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
self=$PWD/.ci/fresh.sh
source .ci/debian.sh

bare_packages=ca-certificates,git,gcc,libc6-dev,make
tools_packages='python3 nodejs docker.io iptables'
suite=$(. /etc/os-release && echo "$VERSION_CODENAME") # of this machine, so that its compiler finds what was compiled here
cache=${CASELSP_CI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/caselsp-ci}
trees=$cache/fresh-$suite-$(echo "$bare_packages $tools_packages" | sha256sum | cut -c 1-12)
user=1000
home=/home/somebody

# make_tree NAME: makes a tree beside its place and renames it, so that an
# interrupted run leaves nothing half.
make_tree() {
	local name=$1 new=$trees/$1.new
	[[ ! -d $trees/$name ]] || return 0
	echo "fresh: making the tree $name in $trees"
	rm -rf "$new"
	mkdir -p "$trees"
	if [[ $name == bare ]]; then
		debootstrap --variant=minbase --include="$bare_packages" "$suite" "$new" "$(debian_mirror)" >"$trees/log" 2>&1 || { tail -n 20 "$trees/log" >&2; return 1; }
		debian_access "$new"
		chroot "$new" useradd --uid $user --home-dir $home --no-create-home --shell /bin/bash somebody
		echo '127.0.0.1 localhost' >"$new/etc/hosts"
		chmod 755 "$new/root" # the module cache may be mounted below
	else
		cp -a "$trees/bare" "$new"
		chroot "$new" sh -euc "apt-get -q update; DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $tools_packages" >"$trees/log" 2>&1 || { tail -n 20 "$trees/log" >&2; return 1; }
	fi
	mv "$new" "$trees/$name"
}

# enter MACHINE COMMAND...: runs a command on a new machine.
enter() {
	local machine=$1 tree=bare uid=$user
	[[ $machine == bare ]] || tree=tools
	[[ $machine != engine ]] || uid=0
	make_tree bare
	make_tree $tree
	work=$(mktemp -d "$cache/fresh.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir -m 1777 "$work/tmp" "$work/vartmp"
	mkdir -p "$work/root" "$work/home" "$work/source"
	git ls-files -z --cached --others --exclude-standard | tar --null -T - -c | tar -x -C "$work/source"
	# Entries of Go's build cache are only ever added: the hard links save a copy.
	cp -al "$(go env GOCACHE)" "$work/home/cache" 2>/dev/null || cp -a "$(go env GOCACHE)" "$work/home/cache"
	chown -R $uid "$work/source"
	chown $uid "$work/home"
	find "$work/home/cache" -type d -exec chown $uid {} +
	chmod 755 "$work"
	unshare --mount --pid --fork --kill-child --net --ipc --uts --propagation private \
		"$self" --inside "$trees/$tree" "$work" $uid "$(go env GOROOT)" "$(go env GOMODCACHE)" "$(go env GOFLAGS)" "${@:2}"
	rm -rf "$work"
	trap - EXIT
}

# inside TREE WORK UID GOROOT GOMODCACHE GOFLAGS COMMAND...: in the new namespaces.
inside() {
	local root=$2/root work=$2 uid=$3 goroot=$4 modules=$5 flags=$6
	over() { mkdir -p "$root$2" && mount --bind "$1" "$root$2"; }
	mount --bind "$1" "$root"
	mount -t proc proc "$root/proc"
	mount --rbind /sys "$root/sys" # the native sandbox makes control groups
	mount -t tmpfs -o mode=755 tmpfs "$root/run"
	if [[ -d $root/etc/docker ]]; then mount -t tmpfs tmpfs "$root/etc/docker"; fi # an engine keeps a key there
	mount -t tmpfs -o mode=755 tmpfs "$root/dev"
	mkdir "$root"/dev/{pts,shm}
	mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$root/dev/pts"
	mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
	for device in null zero full random urandom tty; do
		touch "$root/dev/$device"
		mount --bind /dev/$device "$root/dev/$device"
	done
	ln -s pts/ptmx "$root/dev/ptmx"
	ln -s /proc/self/fd "$root/dev/fd"
	over "$work/tmp" /tmp
	over "$work/vartmp" /var/tmp
	over "$work/home" $home
	over "$goroot" "$goroot"
	over "$modules" "$modules"
	mount -o remount,bind,ro "$root$goroot"
	mount -o remount,bind,ro "$root$modules"
	over "$work/source" "$PWD" # where it lies outside: what was compiled there serves here
	mount -o remount,bind,ro "$root"
	ip link set lo up
	local here=$PWD
	cd "$root"
	pivot_root . .
	umount -l .
	cd "$here"
	exec setpriv --reuid "$uid" --regid "$uid" --clear-groups env -i HOME=$home PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:"$goroot/bin" \
		LANG=C.UTF-8 GOMODCACHE="$modules" GOCACHE=$home/cache GOFLAGS="$flags" GOPROXY=off GOTOOLCHAIN=local "${@:7}"
}

# with_engine COMMAND...: inside, runs a command beside a Docker engine without images.
with_engine() {
	local data=/tmp/dockerd engine
	mkdir $data
	# Without a bridge of its own: there is no network to reach.
	dockerd --data-root=$data/data --bridge=none --iptables=false >$data/log 2>&1 &
	engine=$!
	until docker version >/dev/null 2>&1; do
		kill -0 $engine 2>/dev/null || { tail -n 20 $data/log >&2; return 1; }
		sleep 0.2
	done
	[[ -z $(docker images -q) ]] || { echo 'fresh: this engine has images' >&2; return 1; }
	local status=0
	"$@" || status=$?
	kill $engine
	wait $engine || true
	return $status
}

# tests MACHINE: runs the tests that a machine is for, and reports them.
tests() {
	local machine=$1 log status=0
	echo "fresh: the tests on the machine $machine"
	log=$(mktemp)
	case $machine in
	bare) enter bare bash -euc 'make -s demo >/dev/null; make -s install >/dev/null; CASELSP_INSTALLED=$HOME/.local/bin make -s test TESTFLAGS="-json -count=1"' ;;
	tools) enter tools go test -json -count=1 ./agent/lint ./agent/shell ./agent/syntax ./agent/workspace ./sandbox/... ;;
	# Processes that are killed have nothing to do with images; on the other machines they are tested, for minutes.
	engine) enter engine "$self" --with-engine go test -timeout 45m -skip '^(TestCrash|TestMemoryAttacks)' -json -count=1 ./agent/lint ./cmd/caselsp ./sandbox/... ;;
	esac >"$log" || status=$?
	.ci/report.sh "$log" || status=1
	[[ $status == 0 ]] || grep -v '^{' "$log" | tail -n 5 || true
	rm -f "$log"
	return $status
}

case ${1:-} in
--inside) inside "${@:2}" ;;
--with-engine) with_engine "${@:2}" ;;
'')
	status=0
	for machine in bare tools engine; do
		(tests $machine) || status=1
	done
	exit $status
	;;
bare | tools | engine) if [[ $# == 1 ]]; then tests "$1"; else enter "$@"; fi ;;
*) echo "usage: fresh.sh [bare|tools|engine [COMMAND...]]" >&2; exit 2 ;;
esac
