package codemap

import (
	"path"
	"strings"

	"caselsp/store/lazyregexp"
)

// vendoredFolders hold other people's code, whatever the project.
var vendoredFolders = map[string]bool{
	"vendor": true, "vendored": true, "_vendor": true, "third_party": true, "third-party": true, "thirdparty": true, "3rdparty": true, "node_modules": true, "bower_components": true,
}

// madeName is how files are called that a tool has written.
var madeName = lazyregexp.New(`(?i)[.-]min\.(js|mjs|cjs|css)$|[.-]bundle\.js$|\.pb\.go$|_pb2(_grpc)?\.pyi?$|_generated\.go$|\.generated\.\w+$|\.d\.ts\.map$|\.(js|css)\.map$`)

// Vendored reports whether a file is other people's code or a tool's output, by its path.
func Vendored(file string) bool {
	if madeName.MatchString(path.Base(file)) {
		return true
	}
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if vendoredFolders[strings.ToLower(path.Base(dir))] {
			return true
		}
	}
	return false
}
