package validate

import (
	"path"
	"strings"

	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// Untested lets the rules of a table pass over tests: what is wrong there is
// usually on purpose, and never runs where attackers can reach it.
func Untested(list []Rule) []Rule {
	for i := range list {
		check := list[i].Check
		list[i].Check = func(p *Pass) {
			if !p.test() {
				check(p)
			}
		}
	}
	return list
}

// testFile reports whether a file is a test or belongs to one.
func testFile(file string) bool {
	base := strings.ToLower(path.Base(file))
	stem := strings.TrimSuffix(base, path.Ext(base))
	if strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "-test") ||
		strings.HasSuffix(stem, "_tests") || stem == "tests" || stem == "conftest" || strings.HasSuffix(stem, ".stories") {
		return true
	}
	if path.IsAbs(file) {
		return false // where a project lies says nothing about its files
	}
	for _, dir := range strings.Split(strings.ToLower(path.Dir(file)), "/") {
		switch dir {
		case "test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "fixtures", "__fixtures__", "__mocks__", "mocks", "e2e", "cypress":
			return true
		}
	}
	return false
}

const (
	longFile = 5000 // bytes; below, a long line is a long value
	longLine = 500  // bytes on average, of what no person wrote
)

// machineText reports whether a program wrote a text: a bundle, a dump.
func machineText(text string) bool {
	return len(text) > longFile && len(text)/(strings.Count(text, "\n")+1) > longLine
}

// Reads reports whether the validators look into a file: its language is known, or
// it may be a text that holds secrets. What is no text after all is found out when
// it is read.
func Reads(file string) bool {
	if syntax.LanguageOf(file) != syntax.Unknown {
		return true
	}
	return !noText[strings.ToLower(path.Ext(file))] && mayHoldSecrets(file)
}

var (
	// noText are the extensions of files that are no text.
	noText = syntax.WordSet(`.png .jpg .jpeg .gif .webp .avif .bmp .ico .icns .tif .tiff .psd .ai .eps .heic .woff .woff2 .ttf .otf .eot .mp3 .mp4 .m4a .m4v .mov .avi .mkv .webm .wav .flac .ogg .oga .ogv .opus
		.pdf .doc .docx .xls .xlsx .ppt .pptx .odt .ods .odp .epub .zip .gz .tgz .bz2 .xz .zst .lz4 .br .7z .rar .tar .jar .war .ear .whl .egg .gem .nupkg .deb .rpm .apk .ipa .dmg .iso .img .msi .exe .dll .so .dylib .a .o .obj .lib
		.class .pyc .pyo .pyd .wasm .node .bin .dat .db .sqlite .sqlite3 .mdb .pack .idx .swp .mo .gmo .glb .gltf .fbx .blend .stl .parquet .avro .npy .npz .pkl .pickle .h5 .onnx .pt .pth .safetensors .tflite .gguf .der .p12 .pfx .jks .keystore .kdbx`)

	lockFiles = syntax.WordSet(`package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-lock.yml poetry.lock pipfile.lock uv.lock pdm.lock cargo.lock composer.lock gemfile.lock go.sum go.mod go.work.sum
		mix.lock flake.lock deno.lock bun.lock gradle.lockfile gradle-wrapper.properties packages.lock.json podfile.lock pubspec.lock checksums.txt sha256sums md5sums`)
	machineMade = lazyregexp.New(`(?:[.-]min\.(?:js|css|mjs)|\.map|\.svg|\.snap|\.sum|\.po|\.pot|\.xlf)$`)
)

// mayHoldSecrets reports whether what looks like a secret in a file could be one:
// people wrote it.
func mayHoldSecrets(file string) bool {
	base := strings.ToLower(path.Base(file))
	return !lockFiles[base] && !machineMade.MatchString(base)
}
