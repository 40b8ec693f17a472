package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"caselsp/agent/codemap"
	"caselsp/agent/project"
	"caselsp/agent/workspace"
)

// What TARS is told of the project as a whole, in its first message: the apps, the models, the routes,
// what changed since the last task and what the latest tasks did. It is told where there is something
// to tell, and what the task speaks of comes first.

const (
	// maxKnown bounds it in bytes, whatever the window: it says where to look.
	maxKnown = 4 << 10
	// maxKnownModels and maxKnownRoutes are how many models and routes are named: of more, those that the task
	// speaks of.
	maxKnownModels, maxKnownRoutes = 20, 12
)

// knownOf is what is known of the project; "" for nothing.
func (r *run) knownOf(ctx context.Context, p *prompter, entries []workspace.Entry) (string, error) {
	known := r.state.Known
	if known == nil {
		return "", nil
	}
	mapped := mappable(entries, codemap.Query{Text: r.state.Task.Text})
	s, _, err := r.a.projectIn(ctx, r.overlay, func(key string) bool { return !mapped[key] || p.may.Hides(key) })
	if err != nil {
		return "", err
	}
	r.a.mask(&s)
	text := projectLines(s, r.state.Task.Text)
	for _, line := range known.Changed {
		text += line + "\n"
	}
	if len(known.Notes) > 0 {
		text += "Earlier tasks here:\n" + bullets(known.Notes)
	}
	return cutText(text, min(maxKnown, p.window.of(partKnown)), ": `caselsp state` shows all to the user"), nil
}

// projectLines are the apps, models and routes in a few lines, for a task.
func projectLines(s project.State, task string) string {
	var b strings.Builder
	var own []string
	for _, a := range s.Apps {
		if a.Path != "" {
			own = append(own, fmt.Sprintf("%s (%s/)", a.Name, a.Path))
		}
	}
	if len(s.Apps) > 0 {
		fmt.Fprintf(&b, "Django apps: %s; %d of other packages\n", strings.Join(own[:min(len(own), maxKnownModels)], ", "), len(s.Apps)-len(own))
	}
	models := meant(s.Models, task, maxKnownModels, func(m project.Model) string { return m.Name })
	for i, m := range models {
		name := m.Name
		if m.Kind != project.Django {
			name = m.Kind + ":" + name
		}
		b.WriteString(map[bool]string{true: "Models: ", false: ", "}[i == 0] + fmt.Sprintf("%s (%s)%s", name, at(m.Place), strings.TrimSpace(marked(m))))
	}
	if more := len(s.Models) - len(models); len(models) > 0 {
		b.WriteString(map[bool]string{true: fmt.Sprintf(" and %d more", more)}[more > 0] + "\n")
	}
	routes := meant(s.Routes, task, maxKnownRoutes, func(r project.Route) string { return r.Path + " " + r.View + " " + r.Name })
	switch {
	case len(s.Routes) > len(routes):
		fmt.Fprintf(&b, "Routes: %d, among them:\n", len(s.Routes))
	case len(routes) > 0:
		b.WriteString("Routes:\n")
	}
	for _, r := range routes {
		fmt.Fprintf(&b, "- %s\n", routeLine(r))
	}
	return b.String()
}

// meant keeps the order of a list and leaves out what is too many: what the task speaks of stays, and a word
// that few of them have says more than one that all have. Where it speaks of none, the first stay.
func meant[T any](list []T, task string, most int, text func(T) string) []T {
	if len(list) <= most {
		return list
	}
	weights := make([]float64, len(list))
	said := map[string]bool{}
	for _, w := range word.FindAllString(strings.ToLower(task), -1) {
		if w = strings.TrimSuffix(w, "s"); len(w) < leastName-1 || said[w] {
			continue
		}
		said[w] = true
		var having []int
		for i, x := range list {
			if strings.Contains(strings.ToLower(text(x)), w) {
				having = append(having, i)
			}
		}
		for _, i := range having {
			weights[i] += 1 / float64(len(having))
		}
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	heaviest := weights[order[0]]
	order = slices.DeleteFunc(order[:most], func(i int) bool { return heaviest > 0 && weights[i] == 0 })
	slices.Sort(order)
	chosen := make([]T, len(order))
	for i, at := range order {
		chosen[i] = list[at]
	}
	return chosen
}
