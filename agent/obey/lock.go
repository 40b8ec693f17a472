package obey

import (
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"

	"caselsp/store/lazyregexp"

	"github.com/pelletier/go-toml/v2"
)

// entry is a package in a list of packages with their versions and checksums.
type entry = map[string]any

var (
	npmIntegrity = lazyregexp.New(`^sha(256|384|512)-[A-Za-z0-9+/]+={0,2}$`)
	binFile      = lazyregexp.New(`^[\w.-]+(/[\w.-]+)*$`)
	hexChecksum  = lazyregexp.New(`^[0-9a-f]{64}$`)

	npmRest    = keysOf(`name version license engines dependencies.*=version devDependencies.*=version peerDependencies.*=version optionalDependencies.*=version`)
	npmFields  = []string{"version", "resolved", "integrity", "dependencies", "peerDependencies", "optionalDependencies", "peerDependenciesMeta", "dev", "optional", "peer", "devOptional", "engines", "license", "funding", "cpu", "os", "libc", "bin", "hasInstallScript", "deprecated"}
	rustFields = []string{"name", "version", "source", "checksum", "dependencies"}
)

// sameNPM reports whether two lists of npm differ in packages of the same registries alone,
// each of its own address: a version says what is got, and has the checksum that it had.
func sameNPM(before, after string) bool {
	was, errWas := readJSON(before)
	is, errIs := readJSON(after)
	old, okWas := was.(entry)
	now, okIs := is.(entry)
	if errWas != nil || errIs != nil || !okWas || !okIs {
		return false
	}
	oldPackages, okWas := old["packages"].(entry)
	nowPackages, okIs := now["packages"].(entry)
	if !okWas || !okIs {
		return false
	}
	hosts := map[string]bool{}
	for _, p := range oldPackages {
		one, _ := p.(entry)
		if u, err := url.Parse(textOf(one, "resolved")); err == nil && u.Scheme == "https" && u.Host != "" {
			hosts[u.Host] = true
		}
	}
	for where, p := range nowPackages {
		one, ok := p.(entry)
		if !reflect.DeepEqual(p, oldPackages[where]) && where != "" && (!ok || !npmEntry(where, one, oldPackages[where], hosts)) {
			return false
		}
	}
	root, hadRoot := oldPackages[""].(entry)
	newRoot, hasRoot := nowPackages[""].(entry)
	delete(old, "packages")
	delete(now, "packages")
	return hadRoot == hasRoot && sameWithout(root, newRoot, npmRest) && sameWithout(old, now, keysOf("name version"))
}

// sameWithout reports whether two objects are the same without what keys name.
func sameWithout(a, b entry, keys []key) bool {
	textA, okA := without(any(a), keys, nil)
	textB, okB := without(any(b), keys, nil)
	return okA && okB && textA == textB
}

// npmEntry reports whether a new or changed entry is a package of its own name and version.
func npmEntry(where string, one entry, before any, hosts map[string]bool) bool {
	_, name, inModules := cutLast(where, "node_modules/")
	version, integrity := textOf(one, "version"), textOf(one, "integrity")
	if !inModules || !strings.HasPrefix(where, "node_modules/") || strings.Contains(where, "..") || !plainName.MatchString(name) || !plainVersion.MatchString(version) || !onlyFields(one, npmFields) {
		return false
	}
	for _, section := range []string{"dependencies", "peerDependencies", "optionalDependencies"} {
		if left, ok := without(entry{section: one[section]}, npmRest, nil); one[section] != nil && (!ok || left != "{}") {
			return false
		}
	}
	bins, isTable := one["bin"].(entry)
	if one["bin"] != nil && !isTable {
		return false
	}
	for command, file := range bins {
		if text, _ := file.(string); !plainName.MatchString(command) || !binFile.MatchString(text) || strings.Contains(text, "..") {
			return false
		}
	}
	if old, ok := before.(entry); ok && textOf(old, "version") == version {
		return reflect.DeepEqual(old["integrity"], one["integrity"]) && reflect.DeepEqual(old["resolved"], one["resolved"]) && reflect.DeepEqual(old["bin"], one["bin"])
	}
	u, err := url.Parse(textOf(one, "resolved"))
	return err == nil && u.Scheme == "https" && u.User == nil && u.RawQuery == "" && u.Fragment == "" && hosts[u.Host] &&
		u.EscapedPath() == "/"+name+"/-/"+path.Base(name)+"-"+version+".tgz" && npmIntegrity.MatchString(integrity)
}

// sameRust does as much for Cargo.
func sameRust(before, after string) bool {
	var old, now entry
	if toml.Unmarshal([]byte(before), &old) != nil || toml.Unmarshal([]byte(after), &now) != nil {
		return false
	}
	oldList, okWas := old["package"].([]any)
	nowList, okIs := now["package"].([]any)
	sources, checksums := map[string]bool{}, map[string]entry{}
	for _, p := range oldList {
		one, _ := p.(entry)
		if source := textOf(one, "source"); strings.HasPrefix(source, "registry+") || strings.HasPrefix(source, "sparse+") {
			sources[source] = true
		}
		checksums[textOf(one, "name")+" "+textOf(one, "version")] = one
	}
	for _, p := range nowList {
		one, ok := p.(entry)
		if ok && slices.ContainsFunc(oldList, func(o any) bool { return reflect.DeepEqual(o, p) }) {
			continue
		}
		if !ok || !onlyFields(one, rustFields) || !plainName.MatchString(textOf(one, "name")) || !plainVersion.MatchString(textOf(one, "version")) {
			return false
		}
		last, had := checksums[textOf(one, "name")+" "+textOf(one, "version")]
		switch {
		case had:
			ok = reflect.DeepEqual(last["source"], one["source"]) && reflect.DeepEqual(last["checksum"], one["checksum"])
		case one["source"] == nil: // a package of the workspace, whose own manifest says so
			ok = one["checksum"] == nil
		default:
			ok = sources[textOf(one, "source")] && hexChecksum.MatchString(textOf(one, "checksum"))
		}
		if !ok {
			return false
		}
	}
	delete(old, "package")
	delete(now, "package")
	return okWas && okIs && reflect.DeepEqual(old, now)
}

// cutLast cuts a text around the last sep in it.
func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

func textOf(one entry, field string) string {
	text, _ := one[field].(string)
	return text
}

// onlyFields reports whether an entry says nothing but what is known.
func onlyFields(one entry, known []string) bool {
	for name := range one {
		if !slices.Contains(known, name) {
			return false
		}
	}
	return true
}
