package secret

import (
	"cmp"
	"slices"
	"strings"
)

// Docs returns a Markdown table of the services and of the signs of their formats.
func Docs() string {
	signs := map[string][]string{}
	for i := range Table() {
		f := &Table()[i]
		for _, s := range f.signs {
			if s = f.shown(s); !slices.Contains(signs[f.Service], s) {
				signs[f.Service] = append(signs[f.Service], s)
			}
		}
	}
	var services []string
	for s := range signs {
		services = append(services, s)
	}
	slices.SortFunc(services, func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) })
	var out strings.Builder
	out.WriteString("| service | secrets with |\n|---|---|\n")
	for _, s := range services {
		out.WriteString("| " + s + " | " + strings.Join(signs[s], ", ") + " |\n")
	}
	return out.String()
}

// shown returns a sign as the documentation shows it.
func (f *Format) shown(sign string) string {
	text := strings.ReplaceAll(sign, "|", `\|`) + "…"
	if f.inside {
		text = "…" + text
	}
	return "`" + text + "`"
}
