caselsp_results=/tmp/caselsp-results
rm -rf "$caselsp_results" && mkdir -p "$caselsp_results"
caselsp_run() {
(
{{line}}
)
}
for caselsp_kind in {{kinds}}; do case "$caselsp_kind" in
pytest)
	export PYTEST_ADDOPTS="${PYTEST_ADDOPTS-} -o junit_family=xunit1 --junitxml=$caselsp_results/pytest.xml" ;;
coverage)
	mkdir -p "$caselsp_results/start"
	printf 'try:\n    import coverage\n    coverage.process_startup()\nexcept Exception:\n    pass\n' >"$caselsp_results/start/sitecustomize.py"
	{
		printf '[run]\nparallel = True\ndata_file = %s/data\ninclude =\n' "$caselsp_results"
		printf '%s' '{{changed}}' | while IFS= read -r f; do printf '    %s/%s\n' "$PWD" "$f"; done
	} >"$caselsp_results/rc"
	export COVERAGE_PROCESS_START="$caselsp_results/rc" PYTHONPATH="$caselsp_results/start${PYTHONPATH:+:$PYTHONPATH}" ;;
node)
	export NODE_OPTIONS="${NODE_OPTIONS-} --test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=$caselsp_results/node.xml" ;;
v8)
	export NODE_V8_COVERAGE="$caselsp_results/v8" ;;
esac; done
caselsp_run
caselsp_code=$?
if [ "$caselsp_code" = 4 ] && [ -n "${PYTEST_ADDOPTS-}" ] && [ ! -e "$caselsp_results/pytest.xml" ]; then
	unset PYTEST_ADDOPTS
	caselsp_run
	caselsp_code=$?
fi
{
	unset COVERAGE_PROCESS_START NODE_OPTIONS
	export NODE_V8_COVERAGE=
	mkdir -p "$PWD/{{folder}}"
	if [ -e "$caselsp_results/rc" ]; then
		python3 -m coverage combine --rcfile="$caselsp_results/rc"
		python3 -m coverage json --rcfile="$caselsp_results/rc" -o "$PWD/{{folder}}/coverage.json"
	fi
	[ -d "$caselsp_results/v8" ] && node -e '
		const fs = require("fs"), [from, to, root] = process.argv.slice(1);
		const result = fs.readdirSync(from).flatMap(f => { try { return JSON.parse(fs.readFileSync(from + "/" + f)).result } catch { return [] } });
		const ours = result.filter(s => s.url.startsWith("file://" + root) && !s.url.includes("/node_modules/"));
		fs.writeFileSync(to, JSON.stringify({ result: ours }));
	' "$caselsp_results/v8" "$PWD/{{folder}}/v8.json" "$PWD"
	for f in "$caselsp_results"/*.xml "$caselsp_results"/*.json "$caselsp_results"/*.out "$caselsp_results"/*.jsonl "$caselsp_results"/jest/coverage-final.json; do
		[ -f "$f" ] && cp "$f" "$PWD/{{folder}}/"
	done
} >/dev/null 2>&1
exit "$caselsp_code"
