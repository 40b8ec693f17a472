#!/bin/sh
# Gets a Docker engine and the sandbox's images, whatever is there already. Where
# there is no engine it installs and starts one, which needs root and apt-get.
set -eu
cd "$(dirname "$0")/.."

# A command line alone is no engine: dockerd counts, except where one answers.
if ! { docker version || command -v dockerd; } >/dev/null 2>&1 || ! command -v debootstrap >/dev/null; then
	apt-get update -q
	DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends docker.io debootstrap iptables ca-certificates
fi

# An engine that was killed leaves files with process ids that may be others' by
# now, and its containerd may die under a new engine's eyes: so more than one try.
log=${TMPDIR:-/tmp}/dockerd.log
start() {
	rm -f /var/run/docker.pid /var/run/docker/containerd/containerd.pid
	nohup dockerd >"$log" 2>&1 </dev/null &
	engine=$!
}
engine=
starts=0
seconds=0
until docker version >/dev/null 2>&1; do
	if [ "$starts" -lt 3 ] && { [ -z "$engine" ] || ! kill -0 "$engine" 2>/dev/null; }; then
		start
		starts=$((starts + 1))
	fi
	seconds=$((seconds + 1))
	if [ "$seconds" -gt 90 ]; then
		echo "docker.sh: no Docker engine answers; the end of $log:" >&2
		tail -n 20 "$log" >&2
		exit 1
	fi
	sleep 1
done

base=caselsp-base:local
for profile in python go node; do
	# As ImageTag in sandbox/image.go: a changed recipe is another image.
	image=caselsp-sandbox:$profile-$(sha256sum sandbox/image/Dockerfile | cut -c 1-12)
	if ! docker image inspect "$image" >/dev/null 2>&1; then
		docker image inspect "$base" >/dev/null 2>&1 || sandbox/image/base.sh "$base"
		# With the machine's own network: apt in the build reaches what apt here does.
		docker build --network host --build-arg "BASE=$base" --build-arg "PROFILE=$profile" --tag "$image" sandbox/image
	fi
	echo "docker.sh: $image is ready"
done
