#!/bin/sh
# Lets the native sandbox have what it needs on a machine for checks, where that
# is only a matter of settings: user namespaces, and control groups below which a
# process and its children may make their own. What the kernel or a container
# refuses stays refused: the tests then say which part is missing.
#
#   native.sh PID UID   as root; the process that the checks run below, and its user
set -eu
pid=$1 uid=$2

allow() { # SETTING VALUE: where there is such a setting and it says something else
	if [ -e "/proc/sys/$1" ] && [ "$(cat "/proc/sys/$1")" != "$2" ]; then echo "$2" >"/proc/sys/$1" || true; fi
}
allow kernel/unprivileged_userns_clone 1
allow kernel/apparmor_restrict_unprivileged_userns 0
if [ "$(cat /proc/sys/user/max_user_namespaces)" = 0 ]; then allow user/max_user_namespaces 10000; fi

own() { chown "$uid" "$@"; }

top=/sys/fs/cgroup
if [ "$(stat -fc %T $top)" = cgroup2fs ]; then
	# The topmost group of a container may not have both processes and groups with
	# limits; that of a machine may, but belongs to root.
	[ "$uid" != 0 ] || [ -e $top/cgroup.type ] || exit 0
	group=$top/caselsp-ci
	mkdir -p $group/shell
	if [ -e $top/cgroup.type ]; then
		while read -r p; do
			echo "$p" >$group/shell/cgroup.procs 2>/dev/null || true # it may have ended
		done <$top/cgroup.procs
	fi
	echo '+memory +pids +cpu' >$top/cgroup.subtree_control
	own $group $group/cgroup.procs $group/cgroup.subtree_control $group/shell $group/shell/cgroup.procs
	echo "$pid" >$group/shell/cgroup.procs
elif [ "$uid" != 0 ]; then
	for controller in memory pids cpu; do
		group=$top/$controller/caselsp-ci
		mkdir -p "$group"
		own "$group" "$group/cgroup.procs"
		echo "$pid" >"$group/cgroup.procs"
	done
fi
