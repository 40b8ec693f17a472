package secret

import (
	"strings"

	"caselsp/store/lazyregexp"
)

// Sniff reports whether a text is one of secrets by what is in it: the file of a
// service account, a private key, or mainly variables of which some hold secrets.
func Sniff(text string) bool {
	if len(text) > MaxFile || text == "" {
		return false
	}
	head := strings.TrimLeft(text[:min(len(text), 512)], " \t\r\n\ufeff")
	if strings.HasPrefix(head, "-----BEGIN ") {
		line, _, _ := strings.Cut(head, "\n")
		return strings.Contains(line, "PRIVATE KEY")
	}
	if strings.HasPrefix(head, "{") && !strings.Contains(text, `"kty"`) {
		return strings.Contains(text, `"private_key"`) && strings.Contains(text, "PRIVATE KEY-----")
	}
	return strings.Contains(text, "Secret") && manifest.MatchString(text) && stringData.MatchString(text) || privateJWK.MatchString(text) || variables(text)
}

var (
	// manifest is a secret of Kubernetes, stringData its values.
	manifest   = lazyregexp.New(`(?m)^kind:\s*["']?Secret\b`)
	stringData = lazyregexp.New(`(?m)^(?:stringData|data):\s*\n((?:[ \t]+.*\n?)+)`)
	inManifest = lazyregexp.New(`(?m)^[ \t]+["']?[\w.-]+["']?:[ \t]+["']?([^\s"'|>][^"'\n]*)`)
	// privateJWK is the private part of a JSON Web Key.
	privateJWK = lazyregexp.New(`"(?:d|k)"\s*:\s*"([A-Za-z0-9_-]{20,})"`)
	// chainKey is the private key of an account of Ethereum.
	chainKey = lazyregexp.New(`["'](0x[0-9a-fA-F]{64})["']`)
)

// special adds what only the kind of a text makes secret.
func (r *reading) special(file, text string) {
	if strings.Contains(text, "Secret") && manifest.MatchString(text) {
		for _, part := range stringData.FindAllStringSubmatch(text, -1) {
			for _, m := range inManifest.FindAllStringSubmatch(part[1], -1) {
				r.value("password", strings.TrimSpace(m[1]), false)
			}
		}
	}
	if strings.Contains(text, `"kty"`) {
		for _, m := range privateJWK.FindAllStringSubmatch(text, -1) {
			r.add(m[1])
		}
	}
	if name := strings.ToLower(file); strings.Contains(name, "hardhat") || strings.Contains(name, "truffle") || strings.Contains(name, "foundry") {
		for _, m := range chainKey.FindAllStringSubmatch(text, -1) {
			r.add(m[1])
		}
	}
}

var variable = lazyregexp.New(`^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)=(\S.*)$`)

// variables reports whether a text is mainly NAME=value, with secrets among them.
func variables(text string) bool {
	const most = 400 // lines that are looked at
	lines, assigned, secrets := 0, 0, 0
	r := &reading{hidden: true}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if lines++; lines > most {
			break
		}
		m := variable.FindStringSubmatch(line)
		if m == nil {
			if lines > 4 && assigned*2 < lines {
				return false
			}
			continue
		}
		if assigned++; r.worth(m[1], strings.Trim(m[2], `"'`)) {
			secrets++
		}
	}
	return secrets > 0 && assigned*10 >= lines*6 && secrets*5 >= assigned
}
