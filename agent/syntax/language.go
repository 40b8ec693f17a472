package syntax

import (
	"path"
	"strings"
)

// Language is a language that this package knows.
type Language string

// The languages.
const (
	Unknown    Language = ""
	Python     Language = "python"
	JavaScript Language = "javascript" // with or without JSX
	TypeScript Language = "typescript"
	TSX        Language = "tsx"
	Go         Language = "go"
	JSON       Language = "json"
	JSONC      Language = "jsonc" // JSON with comments and trailing commas
	HTML       Language = "html"  // with or without Django or Jinja template tags
	CSS        Language = "css"

	// These have trees and outlines, but nothing here judges their syntax.
	C    Language = "c"
	CPP  Language = "cpp"
	Java Language = "java"
	PHP  Language = "php"
	Ruby Language = "ruby"
	Rust Language = "rust"
)

var languageOfExtension = map[string]Language{
	".py": Python, ".pyi": Python, ".pyw": Python,
	".js": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript, ".jsx": JavaScript,
	".ts": TypeScript, ".mts": TypeScript, ".cts": TypeScript, ".tsx": TSX,
	".go":   Go,
	".json": JSON, ".webmanifest": JSON, ".geojson": JSON, ".jsonld": JSON, ".har": JSON, ".ipynb": JSON,
	".jsonc": JSONC, ".code-workspace": JSONC, ".sublime-settings": JSONC, ".sublime-project": JSONC,
	".html": HTML, ".htm": HTML, ".xhtml": HTML, ".djhtml": HTML,
	".css": CSS,
}

// onlyOutlined are the languages that have an outline and no exact parser of their errors.
var onlyOutlined = map[string]Language{
	".c": C, ".h": CPP, // a header of C parses as C++; one of C++ does not parse as C
	".cc": CPP, ".cpp": CPP, ".cxx": CPP, ".hh": CPP, ".hpp": CPP, ".hxx": CPP, ".ipp": CPP,
	".java": Java, ".php": PHP, ".phtml": PHP, ".rb": Ruby, ".rake": Ruby, ".gemspec": Ruby, ".ru": Ruby, ".rs": Rust,
}

// OutlineLanguageOf tells the language of a file that can have an outline:
// LanguageOf, and those that are read but not judged.
func OutlineLanguageOf(file string) Language {
	if l := LanguageOf(file); l != Unknown {
		return l
	}
	if l := onlyOutlined[strings.ToLower(path.Ext(file))]; l != Unknown {
		return l
	}
	return proseOf(file)
}

// scripted reports whether the tree is of JavaScript or TypeScript.
func (t *Tree) scripted() bool { return t.lang == JavaScript || t.lang == TypeScript || t.lang == TSX }

// cFamily reports whether the tree is of C or C++.
func (t *Tree) cFamily() bool { return t.lang == C || t.lang == CPP }

// templateExtensions say that a file is a template, not of what: in
// `nginx.conf.j2` the extension before tells.
var templateExtensions = map[string]bool{".jinja": true, ".jinja2": true, ".j2": true, ".twig": true}

// commentedJSON names JSON files whose readers allow comments and trailing commas.
var commentedJSON = map[string]bool{
	".babelrc": true, ".eslintrc": true, ".eslintrc.json": true, ".hintrc": true, ".jshintrc": true, ".swcrc": true,
	"angular.json": true, "api-extractor.json": true, "biome.json": true, "deno.json": true, "devcontainer.json": true, "firebase.json": true,
	"language-configuration.json": true, "nx.json": true, "renovate.json": true, "rush.json": true, "tslint.json": true,
	"turbo.json": true, "typedoc.json": true,
}

// LanguageOf tells the language of a file from its slash-separated path;
// [Unknown] where it is none of those that this package knows.
func LanguageOf(file string) Language {
	base := strings.ToLower(path.Base(file))
	if isCommentedJSON(base, file) {
		return JSONC
	}
	ext := path.Ext(base)
	if templateExtensions[ext] {
		inner := path.Ext(strings.TrimSuffix(base, ext))
		if inner == "" || languageOfExtension[inner] == HTML {
			return HTML
		}
		return Unknown
	}
	return languageOfExtension[ext]
}

func isCommentedJSON(base, file string) bool {
	if commentedJSON[base] {
		return true
	}
	if !strings.HasSuffix(base, ".json") {
		return false
	}
	return path.Base(path.Dir(file)) == ".vscode" || strings.Contains(base, "tsconfig") || strings.HasPrefix(base, "jsconfig")
}
