package agent

import (
	"cmp"
	"slices"
	"strings"

	"caselsp/agent/action"
	"caselsp/agent/syntax"
	"caselsp/store/lazyregexp"
)

// Of a long file, CASE begins with the lines that its feature speaks of. What the plan names comes first: `Schema.validate`
// or `validate()` says more than the word validate in a sentence, and the feature says more than the task.

const (
	// maxMatters is how many ranges of a long file are shown unasked, and mattersLines how
	// many lines each has at most: what is longer is better read where it is needed.
	maxMatters, mattersLines = 6, 80
	// maxImports is up to how many lines of imports are shown with them: who edits a function has to know what it can use.
	maxImports = 40
	// leastName is the shortest name that says which function a task speaks of, where it is a word among others.
	leastName = 5
	// closeRanges are so near to each other that the lines between them cost no more than another heading.
	closeRanges = 4
)

// How surely a text speaks of a declaration. The feature's words count one more than those of the task.
const (
	asWord = 1 + 2*iota
	asCode
	asMember // of the declaration around it
)

// word is a name in a text.
var word = lazyregexp.New(`[\pL_][\pL\d_]+`)

// mentioned is a name in a text, with what says that it is code: a name before it, marks around it, or a call.
var mentioned = lazyregexp.New("(`?)(?:([\\pL_][\\pL\\d_]*)(?:\\.|::|#|->))?([\\pL_][\\pL\\d_]*)(\\(\\)|`)?")

// speech is the names that a feature and its task speak of, each with how surely.
type speech struct {
	names   map[string]int
	members map[[2]string]bool
	words   map[string]bool // for the part of a long declaration
}

func speak(feature, task string) speech {
	s := speech{map[string]int{}, map[[2]string]bool{}, map[string]bool{}}
	for more, text := range []string{task, feature} {
		for _, m := range mentioned.FindAllStringSubmatch(text, -1) {
			tick, of, name, call := m[1], m[2], m[3], m[4]
			weight := 0
			switch {
			case of != "":
				s.members[[2]string{of, name}] = true
				weight = asCode
			case call == "()" || tick != "" && call == "`":
				weight = asCode
			case len(name) >= leastName:
				weight = asWord
			}
			if weight > 0 {
				s.names[name] = max(s.names[name], weight+more)
			}
			if of != "" && len(of) >= leastName {
				s.names[of] = max(s.names[of], asWord+more)
			}
		}
		for _, w := range word.FindAllString(strings.ToLower(text), -1) {
			s.words[w] = len(w) >= leastName-1
		}
	}
	return s
}

// of is how surely a declaration is spoken of; 0: it is not.
func (s speech) of(parent, name string) int {
	if s.members[[2]string{parent, name}] {
		return asMember + 1
	}
	return s.names[name]
}

// part is the part of a long declaration that has the most of the words.
func (s speech) part(lines []string, from, to int) action.Range {
	found := func(line string) (list []string) {
		for _, w := range word.FindAllString(strings.ToLower(line), -1) {
			if s.words[w] {
				list = append(list, w)
			}
		}
		return list
	}
	in, best, start := map[string]int{}, 0, from
	for at := from; at <= min(to, len(lines)); at++ {
		for _, w := range found(lines[at-1]) {
			in[w]++
		}
		if gone := at - mattersLines; gone >= from {
			for _, w := range found(lines[gone-1]) {
				if in[w]--; in[w] == 0 {
					delete(in, w)
				}
			}
		}
		if len(in) > best {
			best, start = len(in), max(from, at-mattersLines+1)
		}
	}
	return action.Range{From: start, To: min(to, start+mattersLines-1)}
}

// matter is a range of a file, and how surely it is spoken of.
type matter struct {
	action.Range
	weight int
}

// matters finds the ranges of a file that a feature and its task speak of: the declarations that they name, those around the
// lines that the task was given for, and the imports of the file.
func (p *prompter) matters(path, text, feature, task string) []action.Range {
	lang := syntax.LanguageOf(path)
	s, lines := speak(feature, task), strings.Split(text, "\n")
	focus := p.state.Task.Focus
	if focus != nil && focus.Path != path {
		focus = nil
	}
	around := action.Range{}
	if focus != nil {
		around = action.Range{From: max(1, focus.FromLine-mattersLines/4), To: focus.ToLine + mattersLines/4}
	}
	var found []matter
	var imports action.Range
	var look func(parent string, list []syntax.Symbol)
	look = func(parent string, list []syntax.Symbol) {
		for _, d := range list {
			at := action.Range{From: d.StartLine + 1, To: d.EndLine + 1}
			short := at.To-at.From < mattersLines
			weight := s.of(parent, d.Name)
			switch {
			case d.Kind == "import":
				imports = action.Range{From: cmp.Or(imports.From, at.From), To: max(imports.To, at.To)}
			case focus != nil && short && at.From <= focus.FromLine && focus.ToLine <= at.To:
				around = at
			case weight > 0 && short:
				found = append(found, matter{at, weight})
			case weight > asWord && len(d.Children) == 0:
				found = append(found, matter{s.part(lines, at.From, at.To), weight})
			}
			look(d.Name, d.Children)
		}
	}
	declares := false
	if lang != "" {
		outline := syntax.Parse(lang, text).Outline()
		declares = len(outline) > 0
		look("", outline)
	}
	if len(found) == 0 && around.To == 0 && !declares {
		return []action.Range{{From: 1, To: mattersLines / 2}} // else nothing of it is shown
	}
	slices.SortStableFunc(found, func(a, b matter) int { return b.weight - a.weight })
	var ranges []action.Range
	for _, m := range found[:min(len(found), maxMatters)] {
		ranges = append(ranges, m.Range)
	}
	if around.To > 0 {
		around.To = min(around.To, around.From+mattersLines)
		ranges = append(ranges, around)
	}
	if len(ranges) > 0 && imports.To > 0 && imports.To-imports.From < maxImports {
		ranges = append(ranges, imports)
	}
	return joined(ranges)
}

// joined are ranges in their order, without lines that stand in two of them.
func joined(ranges []action.Range) (list []action.Range) {
	slices.SortFunc(ranges, func(a, b action.Range) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	for _, r := range ranges {
		if last := len(list) - 1; last >= 0 && r.From <= list[last].To+closeRanges {
			list[last].To = max(list[last].To, r.To)
			continue
		}
		list = append(list, r)
	}
	return list
}
