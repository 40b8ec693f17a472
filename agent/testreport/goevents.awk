# Keeps of the events of go test -json what people need: a package with ten thousand subtests writes ten megabytes. All
# ends are written to the file that the variable events names, with what failed and skipped tests said. Passed on are packages,
# builds, tests that are no subtests, and the subtests that fail, when they end.
function test(	k) {
	k = $0
	sub(/^.*"Action":"[a-z-]*",/, "", k)
	sub(/,"(Elapsed|Output)":.*$/, "", k)
	sub(/}$/, "", k)
	return k
}
!/^\{"/ || !/"Test":"/ { print; fflush(); if (/^\{"/) print > events; next }
/"Action":"(pause|cont)"/ || /"Output":" *=== / { next }
/"Action":"output"/ {
	k = test()
	if (length(held[k]) < most) held[k] = held[k] $0 "\n"
	if (k !~ /"Test":"[^"]*\//) { print; fflush() }
	next
}
/"Action":"run"/ {
	if (test() !~ /"Test":"[^"]*\//) { print; fflush() }
	next
}
/"Action":"(pass|skip|fail)"/ {
	k = test()
	sub_test = k ~ /"Test":"[^"]*\//
	if (!/"Action":"pass"/) printf "%s", held[k] > events
	print > events
	if (/"Action":"fail"/ && sub_test) printf "%s", held[k]
	if (/"Action":"fail"/ || !sub_test) { print; fflush() }
	delete held[k]
}
END { for (k in held) { printf "%s", held[k] > events; if (k ~ /"Test":"[^"]*\//) printf "%s", held[k] } }
