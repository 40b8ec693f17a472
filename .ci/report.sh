#!/usr/bin/env bash
# Reports a test run from the output of `go test -json`: the output of tests that
# failed, why tests were skipped, a line for each package, and the numbers. Fails
# where a test failed, none ran, or one was skipped without saying what it needs.
#
#   report.sh [--all] LOG    --all: a skipped test is a failure, too
set -euo pipefail
all=
if [[ $1 == --all ]]; then all=1; shift; fi
log=$1

# Lines that are not JSON (make, vet) are left out by fromjson?.
events() { jq -rRj "fromjson? | $1" "$log"; }
count() { events "select(.Action == \"$1\" and .Test) | \"x\n\"" | wc -l; }

failed=$(jq -cRn '[inputs | fromjson? | select(.Action == "fail") | [.Package, .Test]]' "$log")
jq -rRj --argjson failed "$failed" 'fromjson? | select(.Action == "build-output" or (.Action == "output" and .Test and ([.Package, .Test] | IN($failed[])))) | .Output' "$log"

# One line for each skipped test: what it needs, or that it does not say so.
reasons=$(jq -rRn '[inputs | fromjson? | select(.Test)] | group_by([.Package, .Test])[] | select(any(.Action == "skip"))
	| [.[] | .Output // empty | capture("^ +[a-z_]+\\.go:[0-9]+: (?<why>needs .{1,160})").why][-1] // "does not say what it needs: \(.[0].Package) \(.[0].Test)"' "$log")
[[ -z $reasons ]] || sort <<<"$reasons" | uniq -c | sed 's/^/skipped/'
events 'select(.Action == "output" and (.Test | not)) | .Output' | grep -E '^(ok|FAIL|---|\?|panic)' || true
# A run that its time ended names the tests that ran then, under one of them.
events 'select(.Action == "output") | .Output' | grep -A 20 '^panic: test timed out' | sed -n '1p; /running tests:/,/^$/p' || true

passed=$(count pass) failures=$(count fail) skipped=$(count skip)
if [[ $failures == 0 && $failed != '[]' ]] || [[ $passed == 0 && $failures == 0 ]] || grep -q '^does not say' <<<"$reasons" || { [[ -n $all && $skipped != 0 ]]; }; then
	failures=$((failures + 1)) # a package that did not build, no test at all, or a skip
fi
echo "$passed passed, $failures failed, $skipped skipped"
[[ $failures == 0 ]]
