package permit

import (
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/shell"
)

// maxListed is how many requirements a question names.
const maxListed = 20

// listed says what the files of requirements bring that a command line installs: its
// words alone do not tell. "" where it installs none.
func (p *Permit) listed(line string) string {
	var said []string
	for _, path := range shell.Lists(line) {
		now, err := p.Overlay.Read(path)
		if err != nil {
			said = append(said, fmt.Sprintf("%s cannot be read here.", path))
			continue
		}
		before := ""
		if f, err := p.Workspace.Read(path); err == nil {
			before = f.Text
		}
		all, had := requirements(now.Text), requirements(before)
		news := slices.DeleteFunc(slices.Clone(all), func(r string) bool { return slices.Contains(had, r) })
		text := fmt.Sprintf("%s lists %d packages, none of them added by this task: %s.", path, len(all), first(all))
		switch {
		case len(all) == 0:
			text = path + " lists no packages."
		case len(news) > 0:
			text = fmt.Sprintf("%s lists %d packages; this task added %s.", path, len(all), first(news))
		}
		said = append(said, text)
	}
	return strings.Join(said, " ")
}

// first names the first of a list.
func first(list []string) string {
	if more := len(list) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:maxListed], ", "), more)
	}
	return strings.Join(list, ", ")
}

// requirements are the lines of a file of requirements, without comments.
func requirements(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " #")
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}
