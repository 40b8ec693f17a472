package action

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"caselsp/agent/shell"
	"caselsp/store/lazyregexp"
)

// plainFormats are the kinds of files in which double braces have no meaning of
// their own. In all other files they may belong to the language or to a template in
// it (Jinja, Vue, Go, Helm, Ansible, GitHub workflows), so nothing is filled in there.
var plainFormats = []string{".env", ".ini", ".cfg", ".conf", ".toml", ".json", ".properties", ".txt"}

// templateFolders hold templates whatever their files' names end in.
var templateFolders = []string{"template", "templates", "charts", "cookiecutter"}

// CheckFillable says why no placeholders are filled in a file, by its name.
func CheckFillable(name string) error {
	base := strings.ToLower(path.Base(name))
	plain := slices.Contains(plainFormats, path.Ext(base)) || strings.HasPrefix(base, ".env.")
	for _, part := range strings.Split(strings.ToLower(name), "/") {
		plain = plain && !slices.Contains(templateFolders, part) && !strings.Contains(part, "{{")
	}
	if plain {
		return nil
	}
	return fmt.Errorf("in %s, {{ NAME }} may be the file's own syntax, so that no secret is filled in there: have the program read the environment variable of that name", name)
}

// checkPlaceholders says what is wrong with the secrets that an edit declares.
func checkPlaceholders(name, text string, secrets []string) error {
	switch {
	case len(secrets) == 0:
		return nil
	case len(secrets) > maxSecrets:
		return fmt.Errorf("the edit declares %d secrets; at most %d are filled in", len(secrets), maxSecrets)
	}
	standing := PlaceholdersIn(text)
	for _, s := range secrets {
		if err := CheckSecret(s); err != nil {
			return err
		}
		if !slices.Contains(standing, s) {
			return fmt.Errorf("the edit declares the secret %s, and {{ %s }} stands nowhere in it", s, s)
		}
	}
	return CheckFillable(name)
}

// PlaceholdersIn returns the names that stand in a text as {{ NAME }}, each once.
func PlaceholdersIn(text string) (names []string) {
	for _, p := range shell.Placeholders(text) {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Fill puts values where their placeholders stand in a file's text, in the form in
// which the file means them. Other placeholders stay. The error names the one whose
// value cannot stand there, and never has a value in it.
func Fill(name, text string, values map[string]string) (string, error) {
	if err := CheckFillable(name); err != nil {
		return "", err
	}
	var b strings.Builder
	done := 0
	for _, p := range shell.Placeholders(text) {
		value, ok := values[p.Name]
		if !ok {
			continue
		}
		form, err := fitting(name, value, text[:p.From], text[p.To:])
		if err != nil {
			return "", fmt.Errorf("the value of %s cannot stand in %s: %w", p.Name, name, err)
		}
		b.WriteString(text[done:p.From] + form)
		done = p.To
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

var (
	// anywhere are the values that mean themselves in every format, without quotes too.
	anywhere = lazyregexp.New(`^[\w.,:@%+/=~^*-]+$`)
	// quoted are those that do in quotes.
	quoted = lazyregexp.New("^[^'\"\\\\$`\\x00-\\x1f\\x7f]*$")
)

// fitting returns a value as it stands between two texts of a file.
func fitting(name, value, before, after string) (string, error) {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.HasSuffix(strings.ToLower(name), ".json") {
		text, err := json.Marshal(value)
		if strings.Count(line, `"`)%2 == 0 {
			return "", errors.New("the placeholder stands outside of a string: put it in quotes")
		}
		return string(text[1 : len(text)-1]), err
	}
	inQuotes := line != "" && after != "" && strings.IndexByte(`"'`, line[len(line)-1]) >= 0 && after[0] == line[len(line)-1]
	if anywhere.MatchString(value) || inQuotes && quoted.MatchString(value) {
		return value, nil
	}
	return "", errors.New("it has characters in it that mean something there: have the program read it from the environment")
}
